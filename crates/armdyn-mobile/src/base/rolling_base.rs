//! Bases on wheels. Lau 1985, section 6.1.1, corrected (6-16…6-23: a castor aligns with the velocity of its pivot, and
//! rubs against it).
//!
//! All wheels stand on one plane, whose normal is the base's z axis. A wheel at (x, y) has the velocity (v_x − ω y, v_y + ω x)
//! there. A castor has no trail here: it has turned into its velocity at once.

use super::{Base, Drive, FrictionConstraint, Row};
use armdyn_core::{Contact, ContactKind};
use armdyn_numerics::{Error, Result};

/// How a wheel is mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WheelKind {
    /// It turns freely about the vertical.
    Castor,
    /// It rolls in one direction of the base.
    Fixed,
    /// It rolls in one direction, and has a motor.
    Driven,
    /// It rolls in every direction.
    Omni,
}

impl WheelKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            WheelKind::Castor => "castor",
            WheelKind::Fixed => "fixed",
            WheelKind::Driven => "driven",
            WheelKind::Omni => "omni",
        }
    }
}

/// A wheel.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Its name.
    pub name: String,
    /// How it is mounted.
    pub kind: WheelKind,
    /// Where it touches the ground, in the base's frame \[m\].
    pub at: [f64; 3],
    /// Where a fixed or driven wheel rolls to, in the base's frame; of any length.
    pub rolls: [f64; 2],
    /// Rolling resistance by the weight on it.
    pub rolling: f64,
    /// Greatest force sideways by the weight, of a fixed or driven wheel that does not slide; infinite if it never does.
    pub at_rest: f64,
    /// The same of one that slides.
    pub sliding: f64,
}

impl Wheel {
    /// A wheel that rolls along x without resistance and never slides.
    pub fn new(name: &str, kind: WheelKind, at: [f64; 3]) -> Self {
        let (at_rest, sliding) = (f64::INFINITY, f64::INFINITY);
        Wheel { name: name.to_string(), kind, at, rolls: [1.0, 0.0], rolling: 0.0, at_rest, sliding }
    }

    /// A wheel that is mounted as a contact of a robot's file is, without its friction. A foot is none.
    pub fn mounted(contact: &Contact) -> Result<Self> {
        let kind = match contact.kind {
            ContactKind::Castor => WheelKind::Castor,
            ContactKind::Fixed => WheelKind::Fixed,
            ContactKind::Driven => WheelKind::Driven,
            ContactKind::Omni => WheelKind::Omni,
            ContactKind::Foot => {
                let what = "is a foot, which does not roll: see `armdyn tipover`";
                return Err(Error::InvalidInput(format!("contact `{}` {what}", contact.name)));
            }
        };
        let [x, y, z] = contact.rolling_direction;
        let wheel = Wheel { rolls: [x, y], ..Wheel::new(&contact.name, kind, contact.position) };
        if wheel.is_directed() && z.abs() > 1e-9 {
            let what = "rolls out of the ground: its `rolls` has no z";
            return Err(Error::InvalidInput(format!("wheel `{}` {what}", contact.name)));
        }
        Ok(wheel)
    }

    /// With rolling resistance.
    pub fn rolling(mut self, coefficient: f64) -> Self {
        self.rolling = coefficient;
        self
    }

    /// With a limit of what it bears sideways, and what it bears when it slides.
    pub fn sliding(mut self, at_rest: f64, sliding: f64) -> Self {
        (self.at_rest, self.sliding) = (at_rest, sliding);
        self
    }

    /// Whether it has a direction: it rolls along it, and may slide across it.
    pub fn is_directed(&self) -> bool {
        matches!(self.kind, WheelKind::Fixed | WheelKind::Driven)
    }

    /// The speed of the point where it touches, along a direction of the base.
    pub(crate) fn along(&self, [x, y]: [f64; 2]) -> Row {
        [x, y, y * self.at[0] - x * self.at[1]]
    }

    /// Along and across where it rolls to; along x and y where it has no direction.
    fn directions(&self) -> [[f64; 2]; 2] {
        if !self.is_directed() {
            return [[1.0, 0.0], [0.0, 1.0]];
        }
        let [x, y] = self.rolls;
        let length = x.hypot(y);
        [[x / length, y / length], [-y / length, x / length]]
    }
}

impl Base {
    /// Castors, and fixed wheels on one axle, none of them driven: Lau's movable robot.
    pub fn rolling(wheels: Vec<Wheel>) -> Result<Self> {
        let base = standing(wheels, Drive::Free)?;
        base.only("a base that rolls by reaction", &[WheelKind::Castor, WheelKind::Fixed, WheelKind::Omni])?;
        base.with_axle(WheelKind::Fixed)
    }

    /// Castors, and driven wheels on one axle. What is driven: each of these, at its rim along its direction.
    pub fn differential(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = standing(wheels, drive)?;
        let what = "a differential drive";
        base.only(what, &[WheelKind::Castor, WheelKind::Driven, WheelKind::Fixed, WheelKind::Omni])?;
        let driven: Vec<&Wheel> = base.wheels.iter().filter(|w| w.kind == WheelKind::Driven).collect();
        let rows: Vec<(String, Row)> = driven.iter().map(|w| (w.name.clone(), w.along(w.directions()[0]))).collect();
        if rows.len() != 2 || rows[0].1 == rows[1].1 {
            let what = format!("a differential drive has two driven wheels beside each other, and not {}", rows.len());
            return Err(Error::InvalidInput(what));
        }
        base.driven = rows;
        base.with_axle(WheelKind::Driven)
    }

    /// Fixed or driven wheels of one direction, on a rail whose flanges hold them. What is driven: the motion along it.
    pub fn rail(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = standing(wheels, drive)?;
        base.only("a base on a rail", &[WheelKind::Fixed, WheelKind::Driven])?;
        let [along, across] = base.wheels[0].directions();
        base.parallel(along)?;
        base.held = vec![[across[0], across[1], 0.0], [0.0, 0.0, 1.0]];
        base.driven = vec![("rail".to_string(), [along[0], along[1], 0.0])];
        Ok(base)
    }

    /// Wheels that roll in every direction. What is driven: `vx`, `vy` along the base's axes, and `w`, its turning.
    pub fn omni(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = standing(wheels, drive)?;
        base.only("an omnidirectional base", &[WheelKind::Omni, WheelKind::Castor])?;
        let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        base.driven = ["vx", "vy", "w"].iter().enumerate().map(|(k, name)| (name.to_string(), unit(k))).collect();
        Ok(base)
    }

    fn only(&self, what: &str, kinds: &[WheelKind]) -> Result<()> {
        let Some(odd) = self.wheels.iter().find(|w| !kinds.contains(&w.kind)) else { return Ok(()) };
        let names: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
        Err(Error::InvalidInput(format!(
            "wheel `{}` is {}, and {what} has wheels that are {}: ask for another base, or change the wheel",
            odd.name,
            odd.kind.name(),
            names.join(" or ")
        )))
    }

    /// `Err` unless the wheels that have a direction all have this one, or its opposite.
    fn parallel(&self, along: [f64; 2]) -> Result<()> {
        for w in self.wheels.iter().filter(|w| w.is_directed()) {
            let [e, _] = w.directions();
            if (e[0] * along[1] - e[1] * along[0]).abs() > 1e-9 {
                let what = format!("wheel `{}` rolls in another direction than the wheels before it: they jam", w.name);
                return Err(Error::InvalidInput(what));
            }
        }
        Ok(())
    }

    /// With what its axle bears sideways.
    fn with_axle(mut self, kind: WheelKind) -> Result<Self> {
        let axle: Vec<usize> = (0..self.wheels.len()).filter(|i| self.wheels[*i].is_directed()).collect();
        let Some(first) = axle.first().map(|i| self.wheels[*i].clone()) else {
            return Err(Error::InvalidInput(format!(
                "the base has no wheel that is {}: give it two on one axle",
                kind.name()
            )));
        };
        let [along, across] = first.directions();
        self.parallel(along)?;
        let row = first.along(across);
        for w in axle.iter().map(|i| &self.wheels[*i]) {
            let place = (w.at[0] - first.at[0]) * along[0] + (w.at[1] - first.at[1]) * along[1];
            if place.abs() > 1e-9 {
                return Err(Error::InvalidInput(format!(
                    "wheel `{}` is {place:.3} m off the axle of `{}`: the base could not turn; put them on one axle, or on a rail",
                    w.name, first.name
                )));
            }
            if (w.at_rest, w.sliding) != (first.at_rest, first.sliding) {
                return Err(Error::InvalidInput(format!(
                    "wheels `{}` and `{}` are on one axle and slide together: give both the same friction",
                    first.name, w.name
                )));
            }
        }
        if first.at_rest.is_finite() {
            let (at_rest, moving) = (first.at_rest, first.sliding);
            self.rubbing.push(FrictionConstraint { rows: vec![row], wheels: axle, at_rest, moving, sideways: true });
        } else {
            self.held.push(row);
        }
        Ok(self)
    }
}

/// A base on wheels, with their rolling resistance, and whatever is wrong with them.
fn standing(wheels: Vec<Wheel>, drive: Drive) -> Result<Base> {
    let fault = |w: &Wheel, what: &str| Err(Error::InvalidInput(format!("wheel `{}`: {what}", w.name)));
    for w in &wheels {
        if w.at.iter().any(|x| !x.is_finite()) {
            return fault(w, "its place is not finite");
        }
        if !(w.rolling.is_finite() && w.rolling >= 0.0) {
            return fault(w, &format!("a rolling resistance of {}: it must be 0 or more", w.rolling));
        }
        if w.is_directed() {
            if !(w.rolls[0].hypot(w.rolls[1]) > 0.0 && w.rolls.iter().all(|x| x.is_finite())) {
                return fault(w, "it rolls in no direction");
            }
            if !(w.sliding >= 0.0 && w.at_rest >= w.sliding) {
                let what =
                    format!("friction {} at rest and {} sliding: the first must be the greater", w.at_rest, w.sliding);
                return fault(w, &what);
            }
        }
        if (w.at[2] - wheels[0].at[2]).abs() > 1e-6 {
            return fault(
                w,
                &format!("it touches the ground {:.4} m off the others' plane", w.at[2] - wheels[0].at[2]),
            );
        }
    }
    let corners = hull(&wheels);
    if corners.len() < 3 {
        return Err(Error::InvalidInput(format!(
            "the base stands on {} wheels that are not the corners of a polygon (all on one line, or fewer than three): it falls \
             over; give it a wheel off that line",
            wheels.len()
        )));
    }
    let resistance = |(i, w): (usize, &Wheel)| {
        let directions = w.directions();
        let count = if w.is_directed() { 1 } else { 2 };
        let rows = directions[..count].iter().map(|e| w.along(*e)).collect();
        FrictionConstraint { rows, wheels: vec![i], at_rest: w.rolling, moving: w.rolling, sideways: false }
    };
    let rubbing = wheels.iter().enumerate().filter(|(_, w)| w.rolling > 0.0).map(resistance).collect();
    let ground = wheels[0].at[2];
    Ok(Base { wheels, corners, ground, held: vec![], driven: vec![], rubbing, drive, weightless: false })
}

/// The corners of the polygon that the wheels stand on, anticlockwise (Andrew's monotone chain).
fn hull(wheels: &[Wheel]) -> Vec<usize> {
    let at = |i: usize| [wheels[i].at[0], wheels[i].at[1]];
    let size = wheels.iter().flat_map(|w| [w.at[0] - wheels[0].at[0], w.at[1] - wheels[0].at[1]]);
    let size = size.fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut order: Vec<usize> = (0..wheels.len()).collect();
    order.sort_by(|&i, &j| at(i).partial_cmp(&at(j)).unwrap_or(std::cmp::Ordering::Equal));
    let turns = |a: usize, b: usize, c: usize| {
        let ([ax, ay], [bx, by], [cx, cy]) = (at(a), at(b), at(c));
        (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 1e-9 * size * size
    };
    let half = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = vec![];
        for i in order {
            while chain.len() > 1 && !turns(chain[chain.len() - 2], chain[chain.len() - 1], i) {
                chain.pop();
            }
            chain.push(i);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut order.iter().copied());
    corners.extend(half(&mut order.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(kind: WheelKind, x: f64, y: f64) -> Wheel {
        Wheel::new(&format!("{}{x}{y}", kind.name()), kind, [x, y, 0.0])
    }

    fn refused(base: Result<Base>, word: &str) {
        let told = base.unwrap_err().to_string();
        assert!(told.contains(word), "{told}");
    }

    #[test]
    fn what_cannot_stand_or_roll_is_refused_with_the_wheel() {
        use WheelKind::{Castor, Driven, Fixed, Omni};
        let tricycle = || vec![wheel(Castor, 0.6, 0.0), wheel(Fixed, 0.0, 0.25), wheel(Fixed, 0.0, -0.25)];
        assert_eq!(Base::rolling(tricycle()).unwrap().corners().len(), 3);
        refused(
            Base::rolling(vec![wheel(Castor, 0.0, 0.1), wheel(Fixed, 0.0, 0.2), wheel(Fixed, 0.0, 0.3)]),
            "one line",
        );
        refused(Base::rolling(tricycle()[..2].to_vec()), "fewer than three");
        refused(Base::rolling(vec![]), "fewer than three");
        refused(Base::omni(tricycle(), Drive::Free), "`fixed00.25` is fixed");
        refused(Base::differential(tricycle(), Drive::Free), "two driven wheels");
        refused(Base::rail(tricycle(), Drive::Free), "castor");
        let mut driven = tricycle();
        driven[1].kind = Driven;
        refused(Base::rolling(driven), "is driven");
        let mut off = tricycle();
        off[2].at[0] = 0.1;
        refused(Base::rolling(off), "axle");
        let mut jammed = tricycle();
        jammed[2].rolls = [1.0, 1.0];
        refused(Base::rolling(jammed), "jam");
        let mut high = tricycle();
        high[0].at[2] = 0.02;
        refused(Base::rolling(high), "plane");
        for bad in [f64::NAN, -0.1] {
            let mut rough = tricycle();
            rough[0].rolling = bad;
            refused(Base::rolling(rough), "rolling resistance");
        }
        let mut slippery = tricycle();
        slippery[1] = slippery[1].clone().sliding(0.3, 0.4);
        refused(Base::rolling(slippery), "greater");
        refused(Base::rolling(vec![wheel(Omni, 1.0, 0.0), wheel(Omni, 0.0, 1.0), wheel(Omni, -1.0, 0.0)]), "no wheel");
    }

    #[test]
    fn the_polygon_has_the_outer_wheels_alone() {
        let wheels = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0)];
        let wheels: Vec<Wheel> = wheels.iter().map(|(x, y)| wheel(WheelKind::Omni, *x, *y)).collect();
        assert_eq!(hull(&wheels), [0, 1, 3, 4]);
    }
}

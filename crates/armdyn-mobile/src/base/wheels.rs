//! Bases on wheels. Lau 1985, section 6.1.1, corrected (6-16…6-23: a castor aligns with the velocity of its pivot, and
//! its rolling resistance opposes that velocity).
//!
//! All wheels touch one plane whose normal is the base's z axis. A wheel at (x, y) has the velocity (v_x − ω y, v_y + ω x).
//! Castors have no trail: they align with their velocity at once.

use super::{Base, Drive, FrictionConstraint, Row};
use crate::invalid;
use armdyn_core::{Contact, ContactKind};
use armdyn_numerics::Result;

/// A wheel of a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Its name.
    pub name: String,
    /// Kind of contact: a castor, fixed, driven or omnidirectional wheel.
    pub kind: ContactKind,
    /// Contact point in the base frame \[m\].
    pub at: [f64; 3],
    /// Rolling direction of a fixed or driven wheel in the base frame, of any length.
    pub rolls: [f64; 2],
    /// Rolling resistance coefficient.
    pub rolling_coefficient: f64,
    /// Lateral static friction coefficient of a fixed or driven wheel; infinite if it never slips.
    pub static_coefficient: f64,
    /// Lateral kinetic friction coefficient.
    pub kinetic_coefficient: f64,
}

impl Wheel {
    /// A wheel that rolls along x without resistance and never slips.
    #[must_use]
    pub fn new(name: &str, kind: ContactKind, at: [f64; 3]) -> Self {
        Wheel {
            name: name.to_string(),
            kind,
            at,
            rolls: [1.0, 0.0],
            rolling_coefficient: 0.0,
            static_coefficient: f64::INFINITY,
            kinetic_coefficient: f64::INFINITY,
        }
    }

    /// The wheel of a robot's contact, without its friction. Fails for a foot.
    pub fn from_contact(contact: &Contact) -> Result<Self> {
        if contact.kind == ContactKind::Foot {
            let name = &contact.name;
            return invalid(format!(
                "contact `{name}` is a foot and does not roll; see `armdyn tipover` for robots on feet"
            ));
        }
        let [x, y, z] = contact.rolling_direction;
        let wheel = Wheel { rolls: [x, y], ..Wheel::new(&contact.name, contact.kind, contact.position) };
        if wheel.is_directed() && z.abs() > 1e-9 {
            let name = &contact.name;
            return invalid(format!(
                "wheel `{name}`: its direction `rolls` is not parallel to the ground; its z must be 0"
            ));
        }
        Ok(wheel)
    }

    /// The same wheel with rolling resistance.
    #[must_use]
    pub fn with_rolling_resistance(self, coefficient: f64) -> Self {
        Wheel { rolling_coefficient: coefficient, ..self }
    }

    /// The same wheel with lateral friction.
    #[must_use]
    pub fn with_lateral_friction(self, static_coefficient: f64, kinetic_coefficient: f64) -> Self {
        Wheel { static_coefficient, kinetic_coefficient, ..self }
    }

    /// Whether it rolls in one direction and may slip across it.
    pub fn is_directed(&self) -> bool {
        self.kind.is_directed()
    }

    /// Velocity of the contact point along a direction of the base.
    fn along(&self, [x, y]: [f64; 2]) -> Row {
        [x, y, y * self.at[0] - x * self.at[1]]
    }

    /// Unit vectors along and across its rolling direction; x and y if it has none.
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
    /// Castors and fixed wheels on one axle, none driven: Lau's movable robot.
    pub fn rolling(wheels: Vec<Wheel>) -> Result<Self> {
        let base = checked(wheels, Drive::Free)?;
        base.require_kinds("a rolling base", &[ContactKind::Castor, ContactKind::Fixed, ContactKind::Omni])?;
        base.with_axle(ContactKind::Fixed)
    }

    /// Castors and two driven wheels on one axle. Driven directions: each driven wheel at its rim.
    pub fn differential(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        let kinds = [ContactKind::Castor, ContactKind::Driven, ContactKind::Fixed, ContactKind::Omni];
        base.require_kinds("a differential drive", &kinds)?;
        let driven: Vec<&Wheel> = base.wheels.iter().filter(|w| w.kind == ContactKind::Driven).collect();
        let rows: Vec<(String, Row)> = driven.iter().map(|w| (w.name.clone(), w.along(w.directions()[0]))).collect();
        if rows.len() != 2 || rows[0].1 == rows[1].1 {
            let count = rows.len();
            return invalid(format!("a differential drive needs two driven wheels side by side; the base has {count}"));
        }
        base.driven = rows;
        base.with_axle(ContactKind::Driven)
    }

    /// Parallel fixed or driven wheels on a rail with flanges. Driven direction: along the rail.
    pub fn rail(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        base.require_kinds("a base on a rail", &[ContactKind::Fixed, ContactKind::Driven])?;
        let [along, across] = base.wheels[0].directions();
        base.require_parallel(along)?;
        base.constrained = vec![[across[0], across[1], 0.0], [0.0, 0.0, 1.0]];
        base.driven = vec![("rail".to_string(), [along[0], along[1], 0.0])];
        Ok(base)
    }

    /// Omnidirectional wheels. Driven directions: `vx`, `vy` along the base axes and the yaw rate `w`.
    pub fn omni(wheels: Vec<Wheel>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        base.require_kinds("an omnidirectional base", &[ContactKind::Omni, ContactKind::Castor])?;
        let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        base.driven = ["vx", "vy", "w"].iter().enumerate().map(|(k, name)| (name.to_string(), unit(k))).collect();
        Ok(base)
    }

    /// An error for a wheel of another kind.
    fn require_kinds(&self, what: &str, kinds: &[ContactKind]) -> Result<()> {
        let Some(odd) = self.wheels.iter().find(|w| !kinds.contains(&w.kind)) else { return Ok(()) };
        let names: Vec<&str> = kinds.iter().map(|k| k.name()).collect();
        let (name, kind, names) = (&odd.name, odd.kind.name(), names.join(" or "));
        invalid(format!(
            "wheel `{name}` is {kind}, but {what} needs {names} wheels; choose another base or change the wheel"
        ))
    }

    /// An error for a wheel with another rolling direction.
    fn require_parallel(&self, along: [f64; 2]) -> Result<()> {
        for w in self.wheels.iter().filter(|w| w.is_directed()) {
            let [e, _] = w.directions();
            if (e[0] * along[1] - e[1] * along[0]).abs() > 1e-9 {
                let name = &w.name;
                return invalid(format!("wheel `{name}` is not parallel to the wheels before it, so that they jam"));
            }
        }
        Ok(())
    }

    /// The base with the lateral friction of its axle.
    fn with_axle(mut self, kind: ContactKind) -> Result<Self> {
        let axle: Vec<usize> = (0..self.wheels.len()).filter(|i| self.wheels[*i].is_directed()).collect();
        let Some(first) = axle.first().map(|i| self.wheels[*i].clone()) else {
            return invalid(format!("the base has no {} wheel; it needs two on one axle", kind.name()));
        };
        let [along, across] = first.directions();
        self.require_parallel(along)?;
        let row = first.along(across);
        for w in axle.iter().map(|i| &self.wheels[*i]) {
            let offset = (w.at[0] - first.at[0]) * along[0] + (w.at[1] - first.at[1]) * along[1];
            if offset.abs() > 1e-9 {
                return invalid(format!(
                    "wheel `{}` is {offset:.3} m off the axle of `{}`, so that the base cannot turn; put them on one axle, or use a rail",
                    w.name, first.name
                ));
            }
            if (w.static_coefficient, w.kinetic_coefficient) != (first.static_coefficient, first.kinetic_coefficient) {
                return invalid(format!(
                    "wheels `{}` and `{}` are on one axle and slip together; give both the same lateral friction",
                    first.name, w.name
                ));
            }
        }
        if first.static_coefficient.is_finite() {
            self.friction.push(FrictionConstraint {
                rows: vec![row],
                wheels: axle,
                static_coefficient: first.static_coefficient,
                kinetic_coefficient: first.kinetic_coefficient,
                lateral: true,
            });
        } else {
            self.constrained.push(row);
        }
        Ok(self)
    }
}

/// A base on valid wheels, with their rolling resistance.
fn checked(wheels: Vec<Wheel>, drive: Drive) -> Result<Base> {
    for w in &wheels {
        let fault = |what: &str| invalid(format!("wheel `{}`: {what}", w.name));
        if w.at.iter().any(|x| !x.is_finite()) {
            return fault("its position is not finite");
        }
        if !(w.rolling_coefficient.is_finite() && w.rolling_coefficient >= 0.0) {
            return fault(&format!(
                "invalid rolling resistance coefficient `{}`: must be 0 or larger",
                w.rolling_coefficient
            ));
        }
        if w.is_directed() {
            if !(w.rolls[0].hypot(w.rolls[1]) > 0.0 && w.rolls.iter().all(|x| x.is_finite())) {
                return fault("its rolling direction is zero or not finite");
            }
            let (fixed, kinetic) = (w.static_coefficient, w.kinetic_coefficient);
            if !(kinetic >= 0.0 && fixed >= kinetic) {
                return fault(&format!(
                    "static friction `{fixed}` must not be smaller than kinetic friction `{kinetic}`"
                ));
            }
        }
        let height = w.at[2] - wheels[0].at[2];
        if height.abs() > 1e-6 {
            return fault(&format!("its contact point is {height:.4} m off the plane of the other wheels"));
        }
    }
    let mut base = Base::on_wheels(wheels, drive);
    if base.polygon.edges().len() < 3 {
        return invalid(format!(
            "the {} wheels of the base span no support polygon: fewer than three, or all on one line; add a wheel off that line",
            base.wheels.len()
        ));
    }
    for (i, w) in base.wheels.iter().enumerate().filter(|(_, w)| w.rolling_coefficient > 0.0) {
        let directions = &w.directions()[..if w.is_directed() { 1 } else { 2 }];
        base.friction.push(FrictionConstraint {
            rows: directions.iter().map(|e| w.along(*e)).collect(),
            wheels: vec![i],
            static_coefficient: w.rolling_coefficient,
            kinetic_coefficient: w.rolling_coefficient,
            lateral: false,
        });
    }
    Ok(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(kind: ContactKind, x: f64, y: f64) -> Wheel {
        Wheel::new(&format!("{}{x}{y}", kind.name()), kind, [x, y, 0.0])
    }

    fn refused(base: Result<Base>, word: &str) {
        let error = base.unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }

    #[test]
    fn invalid_bases_are_errors_that_name_the_wheel() {
        use ContactKind::{Castor, Driven, Fixed, Omni};
        let tricycle = || vec![wheel(Castor, 0.6, 0.0), wheel(Fixed, 0.0, 0.25), wheel(Fixed, 0.0, -0.25)];
        assert_eq!(Base::rolling(tricycle()).unwrap().polygon().edges().len(), 3);
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
            rough[0].rolling_coefficient = bad;
            refused(Base::rolling(rough), "rolling resistance");
        }
        let mut slippery = tricycle();
        slippery[1] = slippery[1].clone().with_lateral_friction(0.3, 0.4);
        refused(Base::rolling(slippery), "smaller");
        refused(
            Base::rolling(vec![wheel(Omni, 1.0, 0.0), wheel(Omni, 0.0, 1.0), wheel(Omni, -1.0, 0.0)]),
            "no fixed wheel",
        );
    }
}

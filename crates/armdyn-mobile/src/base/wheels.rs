//! Bases on wheels. Lau 1985, section 6.1.1, corrected (6-16…6-23: a castor aligns with the velocity of its pivot, and
//! its rolling resistance opposes that velocity).
//!
//! All wheels touch one plane whose normal is the base's z axis. A wheel at (x, y) has the velocity (v_x − ω y, v_y + ω x).
//! Castors have no trail: they align with their velocity at once.

use super::{Base, Drive, FrictionConstraint, Row};
use crate::invalid;
use armdyn_core::{Contact, ContactKind};
use armdyn_numerics::Result;

/// Velocity of a wheel's contact point along a direction of the base.
fn along(wheel: &Contact, [x, y]: [f64; 2]) -> Row {
    [x, y, y * wheel.position[0] - x * wheel.position[1]]
}

/// Unit vectors along and across the rolling direction of a wheel; x and y if it has none.
fn directions(wheel: &Contact) -> [[f64; 2]; 2] {
    if !wheel.kind.is_directed() {
        return [[1.0, 0.0], [0.0, 1.0]];
    }
    let [x, y, _] = wheel.rolling_direction;
    let length = x.hypot(y);
    [[x / length, y / length], [-y / length, x / length]]
}

/// Static and kinetic friction coefficients across the rolling direction; infinite if the wheel never slips.
fn lateral_friction(wheel: &Contact) -> [f64; 2] {
    [wheel.friction.static_friction, wheel.friction.sliding_friction].map(|x| x.unwrap_or(f64::INFINITY))
}

impl Base {
    /// Castors and fixed wheels on one axle, none driven: Lau's movable robot.
    pub fn rolling(wheels: Vec<Contact>) -> Result<Self> {
        let base = checked(wheels, Drive::Free)?;
        base.require_kinds("a rolling base", &[ContactKind::Castor, ContactKind::Fixed, ContactKind::Omni])?;
        base.with_axle(ContactKind::Fixed)
    }

    /// Castors and two driven wheels on one axle. Driven directions: each driven wheel at its rim.
    pub fn differential(wheels: Vec<Contact>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        let kinds = [ContactKind::Castor, ContactKind::Driven, ContactKind::Fixed, ContactKind::Omni];
        base.require_kinds("a differential drive", &kinds)?;
        let driven: Vec<&Contact> = base.wheels.iter().filter(|w| w.kind == ContactKind::Driven).collect();
        let rows: Vec<(String, Row)> = driven.iter().map(|w| (w.name.clone(), along(w, directions(w)[0]))).collect();
        if rows.len() != 2 || rows[0].1 == rows[1].1 {
            let count = rows.len();
            return invalid(format!("a differential drive needs two driven wheels side by side; the base has {count}"));
        }
        base.driven = rows;
        base.with_axle(ContactKind::Driven)
    }

    /// Parallel driven wheels on several axles, in two tracks: they slip sideways where the base turns. Driven directions: the
    /// rims of the `left` and of the `right` track, which do not slip along.
    pub fn skid_steer(wheels: Vec<Contact>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        base.require_kinds("a skid-steer base", &[ContactKind::Driven, ContactKind::Castor, ContactKind::Omni])?;
        let driven: Vec<usize> =
            (0..base.wheels.len()).filter(|i| base.wheels[*i].kind == ContactKind::Driven).collect();
        let Some(first) = driven.first().map(|i| base.wheels[*i].clone()) else {
            return invalid("a skid-steer base needs driven wheels in two tracks; the base has none");
        };
        let [forward, across] = directions(&first);
        base.require_parallel(forward)?;
        let offset = |w: &Contact, e: [f64; 2]| e[0] * w.position[0] + e[1] * w.position[1];
        let groups = |e: [f64; 2]| {
            let mut groups: Vec<Vec<usize>> = vec![];
            for &i in &driven {
                let near =
                    |g: &&mut Vec<usize>| (offset(&base.wheels[i], e) - offset(&base.wheels[g[0]], e)).abs() < 1e-9;
                match groups.iter_mut().find(near) {
                    Some(group) => group.push(i),
                    None => groups.push(vec![i]),
                }
            }
            groups.sort_by(|a, b| offset(&base.wheels[b[0]], e).total_cmp(&offset(&base.wheels[a[0]], e)));
            groups
        };
        let (tracks, axles) = (groups(across), groups(forward));
        if tracks.len() != 2 {
            let count = tracks.len();
            return invalid(format!("a skid-steer base needs driven wheels in two tracks; the base has {count}"));
        }
        let rim = |track: &Vec<usize>| along(&base.wheels[track[0]], forward);
        let sides = ["left", "right"].iter().zip(&tracks).map(|(name, track)| (name.to_string(), rim(track)));
        base.driven = sides.collect();
        for axle in axles {
            let first = base.wheels[axle[0]].clone();
            let [static_coefficient, kinetic_coefficient] = lateral_friction(&first);
            if !static_coefficient.is_finite() {
                let name = &first.name;
                return invalid(format!(
                    "wheel `{name}` of a skid-steer base has no lateral friction, so that it could never turn; give it static and \
                     sliding coefficients"
                ));
            }
            base.require_equal_friction(&axle)?;
            base.friction.push(FrictionConstraint {
                rows: vec![along(&first, across)],
                wheels: axle,
                static_coefficient,
                kinetic_coefficient,
                lateral: true,
            });
        }
        Ok(base)
    }

    /// Parallel fixed or driven wheels on a rail with flanges. Driven direction: along the rail.
    pub fn rail(wheels: Vec<Contact>, drive: Drive) -> Result<Self> {
        let mut base = checked(wheels, drive)?;
        base.require_kinds("a base on a rail", &[ContactKind::Fixed, ContactKind::Driven])?;
        let [forward, across] = directions(&base.wheels[0]);
        base.require_parallel(forward)?;
        base.constrained = vec![[across[0], across[1], 0.0], [0.0, 0.0, 1.0]];
        base.driven = vec![("rail".to_string(), [forward[0], forward[1], 0.0])];
        Ok(base)
    }

    /// Omnidirectional wheels. Driven directions: `vx`, `vy` along the base axes and the yaw rate `w`.
    pub fn omni(wheels: Vec<Contact>, drive: Drive) -> Result<Self> {
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
    fn require_parallel(&self, forward: [f64; 2]) -> Result<()> {
        for w in self.wheels.iter().filter(|w| w.kind.is_directed()) {
            let [e, _] = directions(w);
            if (e[0] * forward[1] - e[1] * forward[0]).abs() > 1e-9 {
                let name = &w.name;
                return invalid(format!("wheel `{name}` is not parallel to the wheels before it, so that they jam"));
            }
        }
        Ok(())
    }

    /// An error for wheels of one axle with different lateral friction.
    fn require_equal_friction(&self, axle: &[usize]) -> Result<()> {
        let first = &self.wheels[axle[0]];
        match axle.iter().map(|i| &self.wheels[*i]).find(|w| lateral_friction(w) != lateral_friction(first)) {
            None => Ok(()),
            Some(w) => invalid(format!(
                "wheels `{}` and `{}` are on one axle and slip together; give both the same lateral friction",
                first.name, w.name
            )),
        }
    }

    /// The base with the lateral friction of its axle.
    fn with_axle(mut self, kind: ContactKind) -> Result<Self> {
        let axle: Vec<usize> = (0..self.wheels.len()).filter(|i| self.wheels[*i].kind.is_directed()).collect();
        let Some(first) = axle.first().map(|i| self.wheels[*i].clone()) else {
            return invalid(format!("the base has no {} wheel; it needs two on one axle", kind.name()));
        };
        let [forward, across] = directions(&first);
        self.require_parallel(forward)?;
        let row = along(&first, across);
        for w in axle.iter().map(|i| &self.wheels[*i]) {
            let offset: f64 = (0..2).map(|k| (w.position[k] - first.position[k]) * forward[k]).sum();
            if offset.abs() > 1e-9 {
                return invalid(format!(
                    "wheel `{}` is {offset:.3} m off the axle of `{}`, so that the base cannot turn; put them on one axle, or use a rail",
                    w.name, first.name
                ));
            }
        }
        self.require_equal_friction(&axle)?;
        let [static_coefficient, kinetic_coefficient] = lateral_friction(&first);
        if static_coefficient.is_finite() {
            let (rows, wheels) = (vec![row], axle);
            let constraint =
                FrictionConstraint { rows, wheels, static_coefficient, kinetic_coefficient, lateral: true };
            self.friction.push(constraint);
        } else {
            self.constrained.push(row);
        }
        Ok(self)
    }
}

/// A base on valid wheels, with their rolling resistance.
fn checked(wheels: Vec<Contact>, drive: Drive) -> Result<Base> {
    for w in &wheels {
        let fault = |what: &str| invalid(format!("wheel `{}`: {what}", w.name));
        if w.kind == ContactKind::Foot {
            let name = &w.name;
            return invalid(format!(
                "contact `{name}` is a foot and does not roll; see `armdyn tipover` for robots on feet"
            ));
        }
        if w.position.iter().any(|x| !x.is_finite()) {
            return fault("its position is not finite");
        }
        if let Some(c) = w.friction.rolling_resistance.filter(|c| !(c.is_finite() && *c >= 0.0)) {
            return fault(&format!("invalid rolling resistance coefficient `{c}`: must be 0 or larger"));
        }
        if w.kind.is_directed() {
            let [x, y, z] = w.rolling_direction;
            if !(x.hypot(y) > 0.0 && x.is_finite() && y.is_finite()) {
                return fault("its rolling direction is zero or not finite");
            }
            if z.abs() > 1e-9 {
                return fault("its direction `rolls` is not parallel to the ground; its z must be 0");
            }
            let [fixed, kinetic] = lateral_friction(w);
            if !(kinetic >= 0.0 && fixed >= kinetic) {
                return fault(&format!(
                    "static friction `{fixed}` must not be smaller than kinetic friction `{kinetic}`"
                ));
            }
        }
        let height = w.position[2] - wheels[0].position[2];
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
    for (i, w) in base.wheels.iter().enumerate() {
        let Some(coefficient) = w.friction.rolling_resistance.filter(|c| *c > 0.0) else { continue };
        let directions = &directions(w)[..if w.kind.is_directed() { 1 } else { 2 }];
        base.friction.push(FrictionConstraint {
            rows: directions.iter().map(|e| along(w, *e)).collect(),
            wheels: vec![i],
            static_coefficient: coefficient,
            kinetic_coefficient: coefficient,
            lateral: false,
        });
    }
    Ok(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(kind: ContactKind, x: f64, y: f64) -> Contact {
        Contact::new(&format!("{}{x}{y}", kind.name()), kind, [x, y, 0.0])
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
        off[2].position[0] = 0.1;
        refused(Base::rolling(off), "axle");
        let mut jammed = tricycle();
        jammed[2].rolling_direction = [1.0, 1.0, 0.0];
        refused(Base::rolling(jammed), "jam");
        let mut climbing = tricycle();
        climbing[2].rolling_direction = [0.8, 0.0, 0.6];
        refused(Base::rolling(climbing), "parallel to the ground");
        let mut standing = tricycle();
        standing[0].kind = ContactKind::Foot;
        refused(Base::rolling(standing), "is a foot");
        let mut high = tricycle();
        high[0].position[2] = 0.02;
        refused(Base::rolling(high), "plane");
        for bad in [f64::NAN, -0.1] {
            let mut rough = tricycle();
            rough[0].friction.rolling_resistance = Some(bad);
            refused(Base::rolling(rough), "rolling resistance");
        }
        let mut slippery = tricycle();
        (slippery[1].friction.static_friction, slippery[1].friction.sliding_friction) = (Some(0.3), Some(0.4));
        refused(Base::rolling(slippery), "smaller");
        refused(
            Base::rolling(vec![wheel(Omni, 1.0, 0.0), wheel(Omni, 0.0, 1.0), wheel(Omni, -1.0, 0.0)]),
            "no fixed wheel",
        );
    }
}

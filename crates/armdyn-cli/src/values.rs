//! Joint values as a person writes them: by order or by name.

use armdyn::Model;

/// One kind of value, for each coordinate or degree of freedom.
pub enum Kind {
    /// Positions: nq of them.
    Position,
    /// Velocities and accelerations: nv of them.
    Rate,
    /// Torques: nv of them; never in degrees.
    Torque,
}

/// The state and motion options of a command, read for one model.
pub struct Reader<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Whether angles are in degrees.
    pub deg: bool,
}

impl Reader<'_> {
    /// The values of an option; neutral where it is not given.
    pub fn read(&self, option: &str, kind: &Kind, given: Option<&str>) -> Result<Vec<f64>, String> {
        let m = self.model;
        let names = self.names(kind);
        let mut values = vec![0.0; names.len()];
        if let Kind::Position = kind {
            m.neutral(&mut values).map_err(|e| e.to_string())?;
        }
        let Some(given) = given.map(str::trim).filter(|g| !g.is_empty()) else { return Ok(values) };
        let scales = self.scales(kind);
        if given.contains('=') {
            for part in given.split(',').map(str::trim).filter(|p| !p.is_empty()) {
                let (name, value) = part.split_once('=').ok_or_else(|| {
                    format!("{option}: `{part}` has no name; give all values by name, or all by order")
                })?;
                let name = name.trim();
                let at = names.iter().position(|n| n == name).ok_or_else(|| {
                    format!("{option}: `{}` has no joint `{name}`; it has {}", m.name(), names.join(", "))
                })?;
                values[at] = number(value, option)? * scales[at];
            }
        } else {
            let found = numbers(given, option)?;
            if found.len() != names.len() {
                let told = format!("{option}: {} values, `{}` needs {}", found.len(), m.name(), names.len());
                return Err(format!("{told} ({})", names.join(", ")));
            }
            for ((v, x), s) in values.iter_mut().zip(found).zip(scales) {
                *v = x * s;
            }
        }
        Ok(values)
    }

    /// What the values are called.
    pub fn names(&self, kind: &Kind) -> Vec<String> {
        match kind {
            Kind::Position => self.model.coordinate_names(),
            _ => self.model.dof_names().to_vec(),
        }
    }

    /// What a value as written is multiplied by.
    pub fn scales(&self, kind: &Kind) -> Vec<f64> {
        let m = self.model;
        let one = |dof: usize| if self.deg && m.turns(dof) { 1f64.to_radians() } else { 1.0 };
        match kind {
            Kind::Torque => vec![1.0; m.nv()],
            Kind::Rate => (0..m.nv()).map(one).collect(),
            Kind::Position => {
                let mut scales = vec![1.0; m.nq()];
                // A quaternion is no angle.
                for (_, b) in m.base_to_tip().filter(|(_, b)| b.pair.nq() == b.pair.nv()) {
                    scales[b.q] = one(b.v);
                }
                scales
            }
        }
    }
}

/// Finite numbers, by commas.
pub fn numbers(given: &str, option: &str) -> Result<Vec<f64>, String> {
    given.split(',').map(|part| number(part, option)).collect()
}

fn number(given: &str, option: &str) -> Result<f64, String> {
    match given.trim().parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(format!("{option}: `{}` is not finite", given.trim())),
        Err(_) => Err(format!("{option}: `{}` is not a number", given.trim())),
    }
}

//! Parameters of the rigid parts of links instead of those of whole bodies: a motor and the link that carries it have separate
//! parameters.
//!
//! `m NAME`, `x NAME`, …, `Ixx NAME`, …: mass, centre of mass in the link's frame, tensor about that centre in the link's axes.
//! What is zero stays zero.

use crate::robot::Robot;
use crate::scene::{Scene, tidy};
use armdyn_core::{Inertia, LinkId, Model, Part, Real, Sym3, Vec3, vec3};
use std::collections::HashMap;

/// The relative size below which a value counts as zero.
const ZERO: f64 = 1e-12;

/// Each part, or payload, with its link's number and its name: the link's, where it is the link's only one.
fn parts(m: &Model<f64>) -> impl Iterator<Item = (LinkId, String, Inertia<f64>)> {
    let of_links = m.link_ids().zip(m.links()).flat_map(|(l, link)| {
        let name = |p: &Part<f64>| if link.parts.len() == 1 { link.name.clone() } else { p.name.clone() };
        link.parts.iter().map(move |p| (l, name(p), p.inertia))
    });
    of_links.chain(m.payloads().iter().map(|p| (p.link, p.name.clone(), p.in_link)))
}

fn part_parameters(part: &Inertia<f64>) -> [(&'static str, f64); 10] {
    let Inertia { mass, .. } = *part;
    let centre = if mass == 0.0 { Vec3::zero() } else { part.centre() };
    let t = if mass == 0.0 { part.second } else { part.central() };
    let size = part.second.trace();
    let whole = |x: f64, size: f64| if x.abs() <= ZERO * size { 0.0 } else { x };
    let [x, y, z] = centre.to_array().map(|c| whole(c, centre.norm()));
    let [xx, xy, xz, yy, yz, zz] = [t.xx, t.xy, t.xz, t.yy, t.yz, t.zz].map(|i| whole(i, size));
    let moments = [("Ixx", xx), ("Ixy", xy), ("Ixz", xz), ("Iyy", yy), ("Iyz", yz), ("Izz", zz)];
    let [a, b, c, d, e, f] = moments;
    [("m", mass), ("x", x), ("y", y), ("z", z), a, b, c, d, e, f]
}

impl Robot {
    /// An error unless the parameters declared equal are equal in the robot's file.
    pub fn check_equal(&self, of_bodies: &HashMap<String, f64>) -> Result<(), String> {
        let mut all = of_bodies.clone();
        for (_, name, part) in parts(&self.model) {
            all.extend(part_parameters(&part).map(|(letters, value)| (format!("{letters} {name}"), value)));
        }
        for (one, other) in &self.source.equal {
            let [a, b] = [one, other].map(|name| all.get(name).copied().ok_or_else(|| format!("there is no `{name}`")));
            let (a, b) = (a?, b?);
            if (a - b).abs() > 1e-9 * a.abs() {
                return Err(format!("`{one}` is {a}, and `{other}` is {b}"));
            }
        }
        Ok(())
    }
}

impl<S: Real> Scene<S> {
    /// Replaces the parameters by those of the parts, if the robot has them; `parameter` maps name and file value to a scalar.
    pub fn by_parts(mut self, mut parameter: impl FnMut(&str, f64) -> S) -> Self {
        if !self.robot.source.by_parts {
            return self;
        }
        let robot = self.robot.clone();
        self.parameters.retain(|name, _| !name.starts_with(['m', 'x', 'y', 'z', 'I']));
        let mut bodies = vec![Inertia::zero(); robot.model.body_count() + 1];
        for (link, part_name, part) in parts(&robot.model) {
            let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = part_parameters(&part).map(|(letters, value)| {
                if value == 0.0 {
                    return S::zero();
                }
                let name = format!("{letters} {part_name}");
                let same = robot.source.equal.get(&name).and_then(|other| self.parameters.get(other));
                let own = same.copied().unwrap_or_else(|| parameter(&name, value));
                self.parameters.insert(name, own);
                own
            });
            let (centre, tensor) = (vec3(x, y, z), Sym3 { xx, xy, xz, yy, yz, zz });
            self.parts.insert(part_name, (link, centre));
            let l = &robot.model.links()[link];
            bodies[l.body] += Inertia::about_centre(mass, centre, tensor).transformed(&tidy(l.pose).map(S::lift));
        }
        self.model = self.model.with_bodies(|number, b| (b.placement, bodies[number]));
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::document::RobotSource;
    use crate::robot::Robot;
    use crate::scene::at_zero;
    use std::sync::Arc;

    fn robot(text: &str) -> Result<Robot, String> {
        Robot::new(&toml::from_str::<RobotSource>(text).unwrap())
    }

    #[test]
    fn parts_make_up_the_bodies() {
        for (file, coordinates) in [("morris-neea", 4), ("jpl-rrp-loaded", 6), ("lin-rp", 2)] {
            let names: Vec<String> = (0..coordinates).map(|k| format!("q{k}")).collect();
            let robot = Arc::new(robot(&format!("file = '{file}'\ncoordinates = {names:?}\nby_parts = true")).unwrap());
            let scene = at_zero(&robot);
            for ((k, a), (_, b)) in scene.model.base_to_tip().zip(robot.model.base_to_tip()) {
                let size = b.inertia.mass + b.inertia.second.trace();
                for (x, y) in a.inertia.components().iter().zip(b.inertia.components()) {
                    assert!((x - y).abs() <= 1e-12 * size, "{file}, body {k}: {x} is not {y}");
                }
            }
        }
    }

    #[test]
    fn unequal_parameters_are_an_error() {
        let text = "file = 'lin-rr'\ncoordinates = ['a', 'b']\nby_parts = true\nequal = { 'x link1' = 'x link2' }";
        let error = robot(text).unwrap_err();
        assert!(error.contains("`x link1` is 0.6, and `x link2` is 0.4"), "{error}");
    }
}

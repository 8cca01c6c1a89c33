//! Drawings of a robot: lines between the origins of its links, from the side and from above.

use crate::axis::range;
use crate::{Axis, Drawing, LineStyle};
use armdyn_core::{Error, KinematicsData, LinkId, Model, Vec3, kinematics};

/// Points closer than this fraction of the robot's extent have one label.
const NEAR: f64 = 0.05;
/// Views with less than this fraction of the robot's extent are omitted.
const FLAT: f64 = 0.15;

type View = (&'static str, [&'static str; 2], fn(&Vec3<f64>) -> (f64, f64));

/// Views from the side (along the shorter of x and y) and from above, at a configuration. Joints are numbered.
pub fn skeleton(m: &Model<f64>, q: &[f64]) -> Result<Vec<Drawing>, Error> {
    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, q)?;
    let origin = |link: LinkId| Ok(d.link_pose(m, link)?.translation);
    let at = m.link_ids().map(origin).collect::<Result<Vec<Vec3<f64>>, Error>>()?;
    let [x, y, z] = [0, 1, 2].map(|k| range(at.iter().map(|p| p.get(k))).map_or(0.0, |(low, high)| high - low));
    let extent = x.max(y).max(z);
    let side: View = if x >= y {
        ("from the side", ["x", "z"], |p| (p.x, p.z))
    } else {
        ("from the side", ["y", "z"], |p| (p.y, p.z))
    };
    let above: View = ("from above", ["x", "y"], |p| (p.x, p.y));
    let mut views = vec![];
    if z >= FLAT * extent || extent == 0.0 {
        views.push(side);
    }
    if x.max(y) >= FLAT * extent && extent > 0.0 {
        views.push(above);
    }
    Ok(views.into_iter().map(|view| drawing(m, &at, view, NEAR * extent)).collect())
}

fn drawing(m: &Model<f64>, at: &[Vec3<f64>], (how, [x, y], seen): View, near: f64) -> Drawing {
    let mut drawing = Drawing::new(format!("{} {how}", m.name()), Axis::new(x, "m"), Axis::new(y, "m"));
    for j in m.joints() {
        drawing = drawing.line("", LineStyle::Body, [seen(&at[j.parent.index()]), seen(&at[j.child.index()])]);
    }
    let mut labels: Vec<((f64, f64), String)> = vec![];
    for (k, j) in m.joints().iter().filter(|j| !j.v.is_empty()).enumerate() {
        let (p, number) = (seen(&at[j.child.index()]), (k + 1).to_string());
        match labels.iter_mut().find(|(at, _)| (at.0 - p.0).hypot(at.1 - p.1) <= near) {
            Some((_, numbers)) => *numbers += &format!(", {number}"),
            None => labels.push((p, number)),
        }
    }
    labels.into_iter().fold(drawing, |drawing, ((x, y), numbers)| drawing.label(numbers, x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(name: &str) -> Vec<String> {
        let m = armdyn_testkit::bundled(name);
        skeleton(&m, &vec![0.0; m.nq()]).unwrap().iter().map(Drawing::svg).collect()
    }

    #[test]
    fn flat_views_are_omitted() {
        let [side, above]: [String; 2] = views("ur5e").try_into().unwrap();
        assert!(side.contains("from the side") && side.contains("z [m]"));
        assert!(above.contains("from above") && above.contains("y [m]"));
        // Its links are stretched out in the plane x y: the side view is flat.
        let flat = views("lin-rr");
        assert!(flat.len() == 1, "{}", flat.len());
    }
}

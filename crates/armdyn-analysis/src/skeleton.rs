//! A robot as lines between the origins of its links, seen from the side and from above.

use crate::Error;
use crate::plot::{Axis, Drawing, Look};
use armdyn::{KinematicsData, Model, Vec3, kinematics};

/// Points nearer to each other than this, of the robot's extent, share a label.
const NEAR: f64 = 0.03;

/// From the side, along whichever of x and y it extends less, and from above, at a configuration.
pub fn skeleton(m: &Model<f64>, q: &[f64]) -> Result<[Drawing; 2], Error> {
    let mut d = KinematicsData::new(m);
    kinematics(m, &mut d, q)?;
    let pose = |link: usize| d.link_pose(m, link);
    let at = (0..m.links().len()).map(|l| Ok(pose(l)?.translation)).collect::<Result<Vec<Vec3<f64>>, Error>>()?;
    let spread = |of: fn(&Vec3<f64>) -> f64| {
        let (low, high) = at.iter().map(of).fold((0.0_f64, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    let (along_x, along_y) = (spread(|p| p.x), spread(|p| p.y));
    let near = NEAR * along_x.max(along_y).max(spread(|p| p.z));
    let side: (&str, fn(&Vec3<f64>) -> (f64, f64)) =
        if along_x >= along_y { ("x", |p| (p.x, p.z)) } else { ("y", |p| (p.y, p.z)) };
    let views: [(&str, &str, &str, fn(&Vec3<f64>) -> (f64, f64)); 2] =
        [("from the side", side.0, "z", side.1), ("from above", "x", "y", |p| (p.x, p.y))];
    Ok(views.map(|(how, x, y, seen)| {
        let mut drawing = Drawing::new(format!("{} {how}", m.name()), Axis::new(x, "m"), Axis::new(y, "m"));
        for j in m.joints() {
            drawing = drawing.line("", Look::Body, [seen(&at[j.parent]), seen(&at[j.child])]);
        }
        let mut labels: Vec<((f64, f64), Vec<&str>)> = vec![];
        for j in m.joints().iter().filter(|j| !j.v.is_empty()) {
            let p = seen(&at[j.child]);
            match labels.iter_mut().find(|l| (l.0.0 - p.0).hypot(l.0.1 - p.1) <= near) {
                Some(label) => label.1.push(&j.name),
                None => labels.push((p, vec![&j.name])),
            }
        }
        labels.into_iter().fold(drawing, |drawing, ((x, y), names)| drawing.label(names.join(", "), x, y))
    }))
}

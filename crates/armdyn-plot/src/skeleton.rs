//! Drawings of a robot: links, joint axes, frames, base and wheels; isometric and along the axes.

use crate::axis::range;
use crate::{Axis, Drawing, LineStyle};
use armdyn_core::{
    Contact, ContactKind, Error, JacobianFrame, KinematicsData, LinkId, Model, Transform, Vec3, kinematics, vec3,
};
use std::f64::consts::TAU;

/// Points closer than this fraction of the robot's extent have one label.
const NEAR: f64 = 0.05;
/// Length of the axes of a frame, half the length of a joint axis, half the side of a base without contacts, and radius of a
/// wheel of unknown radius, as fractions of the extent.
const FRAME: f64 = 0.07;
const JOINT_AXIS: f64 = 0.08;
const PLATE: f64 = 0.1;
const WHEEL: f64 = 0.05;
/// Space around the robot, as a fraction of its extent.
const MARGIN: f64 = 0.08;
/// Robots with more joints have frames at the base and at the ends only.
const MANY: usize = 10;
/// Widths in an SVG \[pixels\].
const WIDTH: f64 = 360.0;
const ISOMETRIC_WIDTH: f64 = 460.0;

/// The direction of a view: its name, the axes of the drawing, and the projection.
type View = (&'static str, [&'static str; 2], fn(Vec3<f64>) -> (f64, f64));

/// Along the axes. The isometric one is from x, −y and z: x points down right, y up right.
const VIEWS: [View; 3] = [
    ("from the front (along y)", ["x", "z"], |p| (p.x, p.z)),
    ("from the side (along −x)", ["y", "z"], |p| (p.y, p.z)),
    ("from above (along −z)", ["x", "y"], |p| (p.x, p.y)),
];

fn isometric(p: Vec3<f64>) -> (f64, f64) {
    ((p.x + p.y) / 2f64.sqrt(), (2.0 * p.z - p.x + p.y) / 6f64.sqrt())
}

/// Four views of a robot at a configuration: isometric, from the front, from the side and from above; the last three have the
/// same scale. Joints are numbered; wheels stand on the ground.
pub fn skeleton(m: &Model<f64>, q: &[f64]) -> Result<[Drawing; 4], Error> {
    let robot = Skeleton::new(m, q)?;
    let all: Vec<Vec3<f64>> = robot.lines.iter().flat_map(|line| line.points.iter().copied()).collect();
    let ranges = [0, 1, 2].map(|k| range(all.iter().map(|p| p.get(k))).unwrap_or((0.0, 0.0)));
    let middle = ranges.map(|(low, high)| (low + high) / 2.0);
    let half = (0.5 + MARGIN) * ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max).max(1e-6);
    let along = |(how, [x, y], seen): View| {
        let axis = |name: &str| {
            let k = ["x", "y", "z"].iter().position(|n| *n == name).unwrap_or(0);
            Axis::new(name, "m").within(middle[k] - half, middle[k] + half)
        };
        robot.drawn(Drawing::new(format!("{} {how}", m.name()), axis(x), axis(y)).with_width(WIDTH), seen)
    };
    let plain = || Axis::new("", "");
    let drawing = Drawing::new(format!("{} (isometric)", m.name()), plain(), plain());
    let [front, side, above] = VIEWS.map(along);
    Ok([robot.drawn(drawing.with_width(ISOMETRIC_WIDTH).without_axes(), isometric), front, side, above])
}

struct Line {
    name: &'static str,
    style: LineStyle,
    points: Vec<Vec3<f64>>,
}

/// The lines of a robot in space, and its numbered joints.
struct Skeleton {
    lines: Vec<Line>,
    joints: Vec<(String, Vec3<f64>)>,
    extent: f64,
}

impl Skeleton {
    fn new(m: &Model<f64>, q: &[f64]) -> Result<Self, Error> {
        let mut d = KinematicsData::new(m);
        kinematics(m, &mut d, q)?;
        let poses = m.link_ids().map(|link| d.link_pose(m, link)).collect::<Result<Vec<_>, Error>>()?;
        let origin = |link: LinkId| poses[link.index()].translation;
        let contacts = m.contacts();
        let all = || poses.iter().map(|p| p.translation).chain(contacts.iter().map(|c| Vec3::lift(c.position)));
        let span = |k: usize| range(all().map(|p| p.get(k))).map_or(0.0, |(low, high)| high - low);
        let extent = span(0).max(span(1)).max(span(2)).max(1e-6);
        let mut skeleton = Skeleton { lines: vec![], joints: vec![], extent };
        skeleton.base(&poses[0], contacts);
        for j in m.joints() {
            skeleton.line("", LineStyle::Body, vec![origin(j.parent), origin(j.child)]);
        }
        for (k, j) in m.joints().iter().filter(|j| !j.v.is_empty()).enumerate() {
            let at = origin(j.child);
            skeleton.joints.push(((k + 1).to_string(), at));
            let jacobian = m.jacobian(q, j.child, JacobianFrame::LocalWorldAligned)?;
            for v in j.v.clone() {
                let column = |first: usize| Vec3::lift([0, 1, 2].map(|k| jacobian.row(first + k)[v]));
                let axis = if m.is_rotational(v) { column(3) } else { column(0) };
                let length = axis.norm();
                if length > 1e-9 {
                    let reach = axis * (JOINT_AXIS * extent / length);
                    skeleton.line("joint axis", LineStyle::Dashed, vec![at - reach, at + reach]);
                }
            }
        }
        let parents: Vec<LinkId> = m.joints().iter().map(|j| j.parent).collect();
        for link in m.link_ids() {
            let is_end = link.index() == 0 || !parents.contains(&link);
            if is_end || skeleton.joints.len() <= MANY {
                skeleton.frame(&poses[link.index()]);
            }
        }
        Ok(skeleton)
    }

    fn line(&mut self, name: &'static str, style: LineStyle, points: Vec<Vec3<f64>>) {
        self.lines.push(Line { name, style, points });
    }

    /// The axes of a frame.
    fn frame(&mut self, pose: &Transform<f64>) {
        for (k, axis) in [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)].into_iter().enumerate() {
            let end = pose.point(axis * (FRAME * self.extent));
            self.line(["x", "y", "z"][k], LineStyle::Axis(k), vec![pose.translation, end]);
        }
    }

    /// The base: its contacts with the wheels, or a plate.
    fn base(&mut self, pose: &Transform<f64>, contacts: &[Contact]) {
        if contacts.is_empty() {
            let side = PLATE * self.extent;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| pose.point(vec3(side * x, side * y, 0.0)));
            return self.line("base", LineStyle::Area, corners.to_vec());
        }
        let count = contacts.len() as f64;
        let centre = contacts.iter().fold([0.0; 2], |c, w| [0, 1].map(|k| c[k] + w.position[k] / count));
        let angle = |w: &Contact| (w.position[1] - centre[1]).atan2(w.position[0] - centre[0]);
        let mut ordered: Vec<&Contact> = contacts.iter().collect();
        ordered.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        let ground = ordered.iter().map(|w| pose.point(Vec3::lift(w.position)));
        self.line("contacts with the ground", LineStyle::Area, ground.collect());
        for contact in contacts {
            let at = Vec3::lift(contact.position);
            let radius = contact.radius.unwrap_or(WHEEL * self.extent);
            let hub = at + vec3(0.0, 0.0, if contact.kind == ContactKind::Foot { 0.0 } else { radius });
            // The leg or axle support, up to the height of the base's origin.
            self.line("", LineStyle::Thin, vec![pose.point(hub), pose.point(vec3(hub.x, hub.y, hub.z.max(0.0)))]);
            if contact.kind == ContactKind::Foot {
                continue;
            }
            let along = match contact.kind.is_directed() {
                true => Vec3::lift(contact.rolling_direction),
                false => vec3(1.0, 0.0, 0.0),
            };
            let rim = |k: usize| {
                let (sine, cosine) = (TAU * k as f64 / 24.0).sin_cos();
                pose.point(hub + along * (radius * cosine) + vec3(0.0, 0.0, radius * sine))
            };
            self.line("wheel", LineStyle::Thin, (0..=24).map(rim).collect());
        }
        // The platform at the height of the base's origin.
        let platform = ordered.iter().map(|w| pose.point(vec3(w.position[0], w.position[1], 0.0)));
        self.line("", LineStyle::Area, platform.collect());
    }

    /// The lines and joints of a view.
    fn drawn(&self, drawing: Drawing, seen: impl Fn(Vec3<f64>) -> (f64, f64)) -> Drawing {
        let drawing = self
            .lines
            .iter()
            .fold(drawing, |drawing, line| drawing.line(line.name, line.style, line.points.iter().map(|p| seen(*p))));
        let mut labels: Vec<((f64, f64), String)> = vec![];
        for (number, at) in &self.joints {
            let p = seen(*at);
            match labels.iter_mut().find(|(at, _)| (at.0 - p.0).hypot(at.1 - p.1) <= NEAR * self.extent) {
                Some((_, numbers)) => *numbers += &format!(", {number}"),
                None => labels.push((p, number.clone())),
            }
        }
        labels.into_iter().fold(drawing, |drawing, ((x, y), numbers)| drawing.label(numbers, x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(name: &str) -> [String; 4] {
        let m = armdyn_testkit::bundled(name);
        skeleton(&m, &vec![0.0; m.nq()]).unwrap().map(|view| view.svg())
    }

    /// Every robot has the same views with base, joint axes and frames.
    #[test]
    fn views_are_the_same_for_every_robot() {
        for name in ["ur5e", "lin-rr", "two-arms", "lau-generalized", "lau-movable"] {
            let views = views(name);
            for (view, title) in views.iter().zip(["(isometric)", "from the front", "from the side", "from above"]) {
                for part in [title, ">joint axis<", ">x<", ">y<", ">z<"] {
                    assert!(view.contains(part), "{name}: {part}");
                }
                let base = if name == "lau-movable" { ">wheel<" } else { ">base<" };
                assert!(view.contains(base), "{name}: {base}");
            }
            let axes = [["x [m]", "z [m]"], ["y [m]", "z [m]"], ["x [m]", "y [m]"]];
            for (view, axes) in views[1..].iter().zip(axes) {
                assert!(axes.iter().all(|axis| view.contains(axis)), "{name}");
            }
        }
    }

    /// x points down right, y up right, z up, and all three are equally long.
    #[test]
    fn the_isometric_view_shows_all_axes_alike() {
        let [x, y, z] = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)].map(isometric);
        assert!(x.0 > 0.0 && x.1 < 0.0 && y.0 > 0.0 && y.1 > 0.0 && z.0 == 0.0 && z.1 > 0.0);
        for p in [x, y, z] {
            assert!((p.0.hypot(p.1) - (2f64 / 3.0).sqrt()).abs() < 1e-15);
        }
    }
}

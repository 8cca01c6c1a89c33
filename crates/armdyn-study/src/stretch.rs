//! A link of another length: the body is stretched along the line from its joint to its child's joint.
//!
//! With u the unit vector of the line and λ the factor, every point r of the link moves to r' = S r with S = 1 + (λ − 1) u uᵀ, and its
//! mass grows with its length, dm' = λ dm. So m' = λ m, h' = λ S h and K' = λ S K S are exact for any body, with K = ∫ r rᵀ dm. What the
//! link carries (child joints, tool, payloads, rigid parts) moves along and keeps mass, shape and orientation.

use armdyn_core::{Inertia, JointKind, Model, Rotation, Sym3, Vec3};
use armdyn_import::{Description, LinkDescription};

/// The line along which a link is stretched.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The link, and the massless frames between its joint and it.
    links: Vec<usize>,
    /// The line in the axes of each of these frames; its length is the distance of the joints.
    directions: Vec<Vec3<f64>>,
}

impl Line {
    /// The line of a link: from its joint to its child's joint; without one that is unique, to the tool.
    pub fn of(d: &Description, link: usize) -> Result<Line, String> {
        let name = &d.links[link].name;
        let mut own = own_joint(d, name).ok_or_else(|| {
            format!("`{name}` has no joint: the root of a robot has no length along which to stretch it")
        })?;
        let (mut links, mut rotations) = (vec![link], vec![]);
        // The origin of its joint's frame, in the link's axes, which `turn` rotates into those of the frame before.
        let (mut start, mut turn) = (Vec3::zero(), Rotation::identity());
        while let Some(frame) = intermediate(d, own) {
            let x = &d.joints[own].placement;
            start -= turn.inverse_rotate(x.rotation.inverse_rotate(x.translation));
            turn = x.rotation.compose(&turn);
            links.push(frame);
            rotations.push(x.rotation);
            let Some(before) = own_joint(d, &d.links[frame].name) else { break };
            own = before;
        }
        let along = end(d, link)? - start;
        if along.norm() < 1e-9 {
            return Err(format!(
                "the joints of `{name}` are at the same place: there is no line along which to stretch it"
            ));
        }
        let mut directions = vec![along];
        for (k, rotation) in rotations.iter().enumerate() {
            directions.push(rotation.rotate(directions[k]));
        }
        Ok(Line { links, directions })
    }

    /// The distance of the joints \[m\].
    pub fn length(&self) -> f64 {
        self.directions[0].norm()
    }

    /// Stretches the link by a factor; parts with the names `rigid` only move.
    pub fn stretch(&self, d: &mut Description, factor: f64, rigid: &[String]) {
        for (&link, along) in self.links.iter().zip(&self.directions) {
            let s = Stretch { factor, along: *along * (1.0 / along.norm()) };
            s.link(&mut d.links[link], rigid);
            let name = d.links[link].name.clone();
            for joint in d.joints.iter_mut().filter(|j| j.parent == name) {
                joint.placement.translation = s.point(joint.placement.translation);
            }
            for payload in d.payloads.iter_mut().filter(|p| p.link == name) {
                payload.inertia = s.moved(&payload.inertia);
            }
            if let Some(tool) = d.tool.as_mut().filter(|t| t.link == name) {
                tool.pose.translation = s.point(tool.pose.translation);
            }
        }
    }
}

/// The joint that moves a link.
fn own_joint(d: &Description, link: &str) -> Option<usize> {
    d.joints.iter().position(|j| j.child == link)
}

/// The massless frame to which a fixed joint attaches nothing but one link, as Denavit–Hartenberg parameters give it.
fn intermediate(d: &Description, joint: usize) -> Option<usize> {
    let JointKind::Fixed = d.joints[joint].kind else { return None };
    let parent = d.links.iter().position(|l| l.name == d.joints[joint].parent)?;
    let only = d.joints.iter().filter(|j| j.parent == d.joints[joint].parent).count() == 1;
    let massless = d.links[parent].parts.is_empty() && d.links[parent].beam.is_none();
    (only && massless && own_joint(d, &d.links[parent].name).is_some()).then_some(parent)
}

/// Where the line of a link ends, in its frame.
fn end(d: &Description, link: usize) -> Result<Vec3<f64>, String> {
    let name = &d.links[link].name;
    let children: Vec<usize> = (0..d.joints.len()).filter(|&j| d.joints[j].parent == *name).collect();
    let moving: Vec<usize> = children.iter().copied().filter(|&j| carries_motion(d, j)).collect();
    let tool = || {
        let m: Model<f64> = d.model().ok()?;
        let tool = m.tool().ok()?;
        (m.links()[tool.link].name == *name).then(|| tool.position())
    };
    let at = |j: usize| d.joints[j].placement.translation;
    match (&moving[..], &children[..]) {
        ([one], _) => Ok(at(*one)),
        ([], _) if tool().is_some() => Ok(tool().unwrap_or_else(Vec3::zero)),
        ([], [one]) => Ok(at(*one)),
        ([], []) => Err(format!(
            "`{name}` has no child joint and no tool: its length is not known; define `[tool]` in the robot file"
        )),
        (several, all) => {
            let list = if several.is_empty() { all } else { several };
            let names: Vec<String> = list.iter().map(|&j| format!("`{}`", d.joints[j].name)).collect();
            Err(format!(
                "`{name}` has several child joints ({}): the line of its length is not unique",
                names.join(", ")
            ))
        }
    }
}

/// Whether a joint, or one that it carries, moves.
fn carries_motion(d: &Description, joint: usize) -> bool {
    d.joints[joint].kind != JointKind::Fixed
        || (0..d.joints.len()).any(|j| d.joints[j].parent == d.joints[joint].child && carries_motion(d, j))
}

/// A stretch along a unit vector through the origin.
struct Stretch {
    factor: f64,
    along: Vec3<f64>,
}

impl Stretch {
    fn point(&self, r: Vec3<f64>) -> Vec3<f64> {
        self.along.scale_add((self.factor - 1.0) * self.along.dot(r), r)
    }

    /// The same body at its new place.
    fn moved(&self, i: &Inertia<f64>) -> Inertia<f64> {
        if i.mass == 0.0 {
            return *i;
        }
        Inertia::about_centre(i.mass, self.point(i.centre()), i.central())
    }

    /// The stretched body.
    fn inertia(&self, i: &Inertia<f64>) -> Inertia<f64> {
        let rows = i.moments().to_rows();
        // S K S: the columns, then the rows.
        let half = rows.map(|row| self.point(Vec3::lift(row)).to_array());
        let column = |k: usize| self.point(Vec3::lift([half[0][k], half[1][k], half[2][k]])).to_array();
        let [x, y, z] = [column(0), column(1), column(2)];
        let k = |a: f64, b: f64| 0.5 * self.factor * (a + b);
        let moments = Sym3 {
            xx: k(x[0], x[0]),
            yy: k(y[1], y[1]),
            zz: k(z[2], z[2]),
            xy: k(x[1], y[0]),
            xz: k(x[2], z[0]),
            yz: k(y[2], z[1]),
        };
        let trace = moments.trace();
        Inertia {
            mass: self.factor * i.mass,
            first: self.point(i.first) * self.factor,
            second: Sym3::diagonal(trace, trace, trace) - moments,
        }
    }

    fn link(&self, link: &mut LinkDescription, rigid: &[String]) {
        for part in &mut link.parts {
            part.inertia =
                if rigid.contains(&part.name) { self.moved(&part.inertia) } else { self.inertia(&part.inertia) };
        }
        for shape in &mut link.shapes {
            shape.pose.translation = self.point(shape.pose.translation);
            let axes = [0, 1, 2].map(|k| self.point(shape.pose.rotation.rotate(Vec3::unit(k))).norm());
            shape.size.iter_mut().zip(axes).for_each(|(size, axis)| *size *= axis);
            if let Some(mesh) = &mut shape.mesh {
                mesh.scale.iter_mut().zip(axes).for_each(|(scale, axis)| *scale *= axis);
            }
        }
        if let Some(beam) = &mut link.beam {
            let [start, end] = [beam.start, beam.end].map(|p| p.map(Vec3::lift));
            // Without ends the beam is along the line.
            let along = match (start, end) {
                (start, Some(end)) => end - start.unwrap_or_else(Vec3::zero),
                _ => self.along,
            };
            beam.length *= self.point(along).norm() / along.norm();
            beam.start = start.map(|p| self.point(p).to_array());
            beam.end = end.map(|p| self.point(p).to_array());
        }
    }
}

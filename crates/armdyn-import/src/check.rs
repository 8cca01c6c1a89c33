//! Plausibility checks of a robot: physical inertias, inertias that fit the geometry and the joint distances, wrong units and signs,
//! placeholder values, drives that can move their joints.

mod geometry;
mod massless;
mod meshes;
mod neighbours;
mod reach;
mod similarity;
mod solid;
mod symmetry;
mod tree;
mod units;

use crate::description::{Description, JointDescription};
use crate::findings::{self, Finding};
use crate::message::number;
use crate::source::Place;
use armdyn_core::{EffortRange, Friction, Inertia, InertiaFault, JointKind};
pub use solid::LinkSizes;
use tree::Tree;

/// Checks a robot's parameters and returns all findings. Mesh files are not opened.
#[must_use]
pub fn check(robot: &Description) -> Vec<Finding> {
    check_sizes(robot, &LinkSizes::without_meshes(robot))
}

/// [`check`] with the sizes of the meshes, which it opens (STL, OBJ, COLLADA): compares masses, centres of mass and inertias with
/// them.
#[must_use]
pub fn check_meshes(robot: &Description) -> Vec<Finding> {
    check_sizes(robot, &LinkSizes::read(robot))
}

/// [`check`] with sizes of links that were determined before: those of this robot, or of one with the same links and shapes.
///
/// ```
/// use armdyn_import::{LinkSizes, check_meshes, check_sizes, library};
/// let robot = library::bundled("ur5e").unwrap().load().description.unwrap();
/// let sizes = LinkSizes::read(&robot);
/// assert_eq!(check_sizes(&robot, &sizes).len(), check_meshes(&robot).len());
/// ```
#[must_use]
pub fn check_sizes(robot: &Description, sizes: &LinkSizes) -> Vec<Finding> {
    let mut findings: Vec<Finding> = sizes.unread.iter().cloned().collect();
    let (tree, solids) = (Tree::new(robot), sizes.of(robot));
    let (bodies, verdicts) = (tree.bodies(), neighbours::verdicts(&tree, &solids));
    for (k, link) in robot.links.iter().enumerate() {
        let (body, several) = &bodies[k];
        for part in &link.parts {
            let name = if part.name == link.name { String::new() } else { format!(", part `{}`", part.name) };
            let of = format!("link `{}`{name}", link.name);
            check_inertia(&of, &part.inertia, Some(body).filter(|_| *several), &part.place, &mut findings);
        }
        let before = findings.len();
        geometry::check(&tree, k, &mut findings);
        if findings.len() == before {
            meshes::check(&tree, k, solids[k], verdicts[k], &mut findings);
        }
    }
    for p in &robot.payloads {
        check_inertia(&format!("payload `{}`", p.name), &p.inertia, None, &p.place, &mut findings);
    }
    massless::check(&tree, &mut findings);
    units::check(&tree, &mut findings);
    reach::check(&tree, &solids, &mut findings);
    similarity::placeholders(&tree, &mut findings);
    similarity::left_and_right(&tree, &mut findings);
    symmetry::check(&tree, &solids, &mut findings);
    for joint in &robot.joints {
        check_drive(joint, &mut findings);
        findings.extend(followers_effort(joint));
    }
    if robot.joints.iter().all(|j| j.kind == JointKind::Fixed) {
        findings.push(Finding::of_file(findings::A109, format!("`{}` has no moving joint", robot.name)));
    }
    findings
}

/// Checks an inertia; `body` is that of the whole body, if the part is fixed to others.
fn check_inertia(
    of: &str,
    inertia: &Inertia<f64>,
    body: Option<&Inertia<f64>>,
    place: &Place,
    findings: &mut Vec<Finding>,
) {
    let Err(fault) = inertia.validate() else { return };
    if matches!(fault, InertiaFault::NotPositiveDefinite(_)) && body.is_some_and(|b| b.validate().is_ok()) {
        let message = format!("{of}: {fault}; the body it is fixed to is physical as a whole");
        return findings.push(Finding::at(findings::A217, place, message));
    }
    let code = match fault {
        InertiaFault::NegativeMass(_) => findings::A201,
        InertiaFault::NotFinite => findings::A202,
        InertiaFault::NotPositiveDefinite(_) => findings::A203,
        InertiaFault::TriangleInequality(_) => findings::A204,
        InertiaFault::FirstMomentWithoutMass | InertiaFault::TensorWithoutMass => findings::A212,
    };
    findings.push(Finding::at(code, place, format!("{of}: {fault}")));
}

/// The effort limit of a joint that follows another one.
fn followers_effort(joint: &JointDescription) -> Option<Finding> {
    let (mimic, effort) = (joint.mimic.as_ref()?, joint.drives.first()?.limits.effort);
    (effort.is_known() && effort != 0.0.into()).then(|| {
        let (own, there) = (effort, effort.scaled(mimic.multiplier));
        let message =
            format!("joint `{}` follows `{}`: its effort limit of {own} adds {there} there", joint.name, mimic.joint);
        Finding::at(findings::A112, &joint.place, message)
    })
}

fn check_drive(joint: &JointDescription, findings: &mut Vec<Finding>) {
    if joint.kind == JointKind::Fixed {
        return;
    }
    let mut put = |code, message: &str| {
        findings.push(Finding::at(code, &joint.place, format!("joint `{}` {message}", joint.name)))
    };
    if joint.drives.is_empty() {
        put(findings::A305, "has no limits");
        return put(findings::A302, "has no friction");
    }
    for d in &joint.drives {
        let l = &d.limits;
        let Friction { viscous, coulomb_forward, coulomb_backward, stribeck, .. } = d.friction;
        let rotor = d.rotor.map_or(0.0, |r| r.inertia);
        if [viscous, coulomb_forward, coulomb_backward, stribeck, d.armature, rotor].iter().any(|x| *x < 0.0) {
            put(findings::A306, "has negative friction or drive inertia");
        } else if d.friction == Friction::none() {
            put(findings::A302, "has no friction");
        }
        if l.lower > l.upper {
            put(
                findings::A304,
                &format!("has a lower limit of {} above its upper limit of {}", number(l.lower), number(l.upper)),
            );
        }
        let EffortRange { lower, upper } = l.effort;
        if lower > upper {
            let message = match l.effort.is_symmetric() {
                true => format!("has a negative effort limit of {}", number(upper)),
                false => {
                    format!("has a lower effort limit of {} above its upper one of {}", number(lower), number(upper))
                }
            };
            put(findings::A304, &message);
        }
        for (limit, x) in [("velocity", l.speed), ("continuous effort", l.continuous)] {
            if x < 0.0 {
                put(findings::A304, &format!("has a negative {limit} limit of {}", number(x)));
            }
        }
        if l.effort == 0.0.into() {
            put(findings::A301, "has an effort limit of 0");
        }
        if l.speed == 0.0 {
            put(findings::A303, "has a velocity limit of 0");
        }
        let all = [l.lower, l.upper, l.speed, lower, upper];
        if all.iter().all(|x| x.is_infinite()) {
            put(findings::A305, "has no limits");
        }
    }
}

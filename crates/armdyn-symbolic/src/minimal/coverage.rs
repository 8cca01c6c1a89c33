//! Which robots have minimal programs, and why others have none.

use super::geometry::has_one_axis;
use armdyn_core::Model;

/// Why [`minimal`](super::minimal) traces a robot; none if it generates its recursion.
///
/// ```
/// use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder};
/// let mut robot = ModelBuilder::new("ball");
/// let link = Link::new("link").body(1.0, [0.1, 0.0, 0.0], [0.01, 0.0, 0.0, 0.01, 0.0, 0.01]);
/// robot.add(BASE, Joint::new("hip", JointKind::Spherical), link);
/// let reason = armdyn_symbolic::no_minimal_program(&robot.build()?).unwrap();
/// assert_eq!(reason, "joint `hip` is spherical; minimal programs cover revolute and prismatic joints");
/// # Ok::<(), armdyn_core::BuildError>(())
/// ```
pub fn no_minimal_program(m: &Model<f64>) -> Option<String> {
    if m.body_count() == 0 {
        return Some("nothing of the robot moves".to_string());
    }
    if let Some(f) = m.followers().first() {
        let [joint, leader] = [f.joint, f.leader].map(|j| &m.joints()[j].name);
        return Some(format!("joint `{joint}` mimics `{leader}`; lock `{leader}` for a minimal program"));
    }
    let covered = |body: usize| has_one_axis(&m.body(body).pair);
    if let Some(j) = m.joints().iter().find(|j| !j.bodies.clone().all(covered)) {
        let (name, kind) = (&j.name, j.kind.name());
        return Some(format!("joint `{name}` is {kind}; minimal programs cover revolute and prismatic joints"));
    }
    m.has_coupled_drives().then(|| "a rotor drives several joints, or spins in a moving link".to_string())
}

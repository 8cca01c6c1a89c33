//! Forward dynamics with friction at rest: which joints stick, which start to move.
//!
//! At rest dry friction has any value within its static limits, −l = −(c₋ + e) to u = c₊ + e; it has a limit as its value where the
//! joint starts to move (the Stribeck term is continuous there). With r = τ − rnea(q, q̇, 0), the friction of moving joints included:
//!
//!   M q̈ + f = r;   for each joint at rest  q̈ = 0 and −l ≤ f ≤ u,  or  q̈ > 0 and f = u,  or  q̈ < 0 and f = −l        (1)
//!
//! This is the complementarity problem of rest, which has exactly one solution (`complementarity.rs`).
//!
//! The friction of wheels (`armdyn-mobile`) acts in a plane, within a disc whose radius depends on the load: no such finite method
//! applies, and it is decided by iteration there.

use super::{AbaData, Boundary, Complementarity, CrbaData, REST_TOLERANCE, RneaData, Unsolved, aba, crba, rnea};
use crate::error::{Error, Result};
use crate::model::Model;
use alloc::vec;
use alloc::vec::Vec;

/// What dry friction does at a degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionState {
    /// There is no dry friction.
    Free,
    /// It is at rest and stays at rest.
    Sticking,
    /// It moves or starts to move, against friction.
    Sliding,
}

/// Accelerations and friction of all degrees of freedom; see [`stiction`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stiction {
    /// q̈.
    pub qdd: Vec<f64>,
    /// Friction torques \[N m, N\]: τ = M q̈ + C q̇ + g + friction.
    pub friction: Vec<f64>,
    /// What friction does.
    pub states: Vec<FrictionState>,
}

/// Workspace of [`stiction`].
#[derive(Clone, Debug)]
pub struct StictionData {
    /// Motion of the base, external wrenches.
    pub boundary: Boundary<f64>,
    aba: AbaData<f64>,
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    zero: Vec<f64>,
    mass: Vec<f64>,
    /// r of (1).
    rest: Vec<f64>,
    friction: Vec<f64>,
    states: Vec<FrictionState>,
    /// The static limits of what is at rest.
    limits: Vec<Option<[f64; 2]>>,
    /// Forces of what is at rest.
    held: Vec<f64>,
    complementarity: Complementarity,
}

impl StictionData {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<f64>) -> Self {
        let n = m.nv();
        StictionData {
            boundary: Boundary::at_rest(m),
            aba: AbaData::new(m),
            rnea: RneaData::new(m),
            crba: CrbaData::new(m),
            zero: vec![0.0; n],
            mass: vec![0.0; n * n],
            rest: vec![0.0; n],
            friction: vec![0.0; n],
            states: vec![FrictionState::Free; n],
            limits: vec![None; n],
            held: vec![0.0; n],
            complementarity: Complementarity::new(n),
        }
    }

    /// Friction torques of the last call \[N m, N\].
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// What friction does at each degree of freedom, in the last call.
    pub fn states(&self) -> &[FrictionState] {
        &self.states
    }
}

/// q̈ for the torques `tau`, with friction at rest: a joint at rest (q̇ = 0) with dry friction sticks until the torque on it exceeds
/// the static friction. [`aba`] takes friction at rest as 0.
///
/// ```
/// use armdyn_core::{BASE, Drive, FrictionState, Joint, Link, ModelBuilder, StictionData, stiction};
/// let mut robot = ModelBuilder::new("wheel");
/// let axle = Joint::revolute("axle", [0.0, 0.0, 1.0]).driven_by(Drive::ideal().coulomb(5.0, 5.0));
/// robot.add(BASE, axle, Link::new("disc").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 2.0]));
/// let (model, mut qdd) = (robot.build().unwrap(), [0.0]);
/// let mut data = StictionData::new(&model);
/// stiction(&model, &mut data, &[0.0], &[0.0], &[1.0], &mut qdd)?;
/// assert_eq!((qdd, data.friction(), data.states()), ([0.0], &[1.0][..], &[FrictionState::Sticking][..]));
/// stiction(&model, &mut data, &[0.0], &[0.0], &[9.0], &mut qdd)?;
/// assert!((qdd[0] - (9.0 - 5.0) / 2.0).abs() < 1e-15 && data.states() == [FrictionState::Sliding]);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn stiction(
    m: &Model<f64>,
    d: &mut StictionData,
    q: &[f64],
    qd: &[f64],
    tau: &[f64],
    qdd: &mut [f64],
) -> Result<()> {
    accelerations(m, d, [q, qd, tau], |_| false, qdd)
}

/// The same where the caller decides which joints are at rest, as a simulation does by its events: those of `at_rest`, whatever small
/// velocity they have, and those with q̇ = 0. Their friction is static, without a viscous term.
///
/// ```
/// use armdyn_core::{BASE, Drive, FrictionState, Joint, Link, ModelBuilder, StictionData, stiction_at_rest};
/// let mut robot = ModelBuilder::new("wheel");
/// let axle = Joint::revolute("axle", [0.0, 0.0, 1.0]).driven_by(Drive::ideal().coulomb(5.0, 5.0));
/// robot.add(BASE, axle, Link::new("disc").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 2.0]));
/// let (model, mut qdd) = (robot.build().unwrap(), [0.0]);
/// let mut data = StictionData::new(&model);
/// stiction_at_rest(&model, &mut data, &[0.0], &[1e-9], &[1.0], &[true], &mut qdd)?;
/// assert_eq!((qdd, data.states()), ([0.0], &[FrictionState::Sticking][..]));
/// stiction_at_rest(&model, &mut data, &[0.0], &[1e-9], &[1.0], &[false], &mut qdd)?;
/// assert_eq!((qdd, data.states()), ([(1.0 - 5.0) / 2.0], &[FrictionState::Sliding][..]));
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn stiction_at_rest(
    m: &Model<f64>,
    d: &mut StictionData,
    q: &[f64],
    qd: &[f64],
    tau: &[f64],
    at_rest: &[bool],
    qdd: &mut [f64],
) -> Result<()> {
    m.check_length("at_rest", m.nv(), at_rest.len())?;
    accelerations(m, d, [q, qd, tau], |i| at_rest[i], qdd)
}

fn accelerations(
    m: &Model<f64>,
    d: &mut StictionData,
    [q, qd, tau]: [&[f64]; 3],
    at_rest: impl Fn(usize) -> bool,
    qdd: &mut [f64],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    d.boundary.check(m)?;
    for (i, friction) in m.friction().iter().enumerate() {
        d.friction[i] = friction.torque(qd[i]);
        d.states[i] = match (friction.is_dry(), qd[i] == 0.0 || at_rest(i)) {
            (false, _) => FrictionState::Free,
            (true, false) => FrictionState::Sliding,
            (true, true) => FrictionState::Sticking,
        };
        d.limits[i] = (d.states[i] == FrictionState::Sticking).then(|| friction.static_limits());
    }
    if d.limits.iter().all(Option::is_none) {
        d.aba.boundary.copy_from(&d.boundary);
        return aba(m, &mut d.aba, q, qd, tau, qdd);
    }
    d.rnea.boundary.copy_from(&d.boundary);
    rnea(m, &mut d.rnea, q, qd, &d.zero, &mut d.rest)?;
    crba(m, &mut d.crba, q, &mut d.mass)?;
    d.rest.iter_mut().zip(tau).for_each(|(r, t)| *r = t - *r);
    // The friction of joints at rest is unknown.
    for (i, rest) in d.rest.iter_mut().enumerate().filter(|(i, _)| d.limits[*i].is_some()) {
        *rest += d.friction[i];
    }
    m.check_finite("tau", &d.rest, &[("tau", tau)])?;
    d.complementarity.solve(&d.mass, &d.rest, &d.limits, &mut d.held, qdd).map_err(|e| match e {
        Unsolved::NotPositive(dof) => m.not_positive(dof),
        Unsolved::NotConverged(dof) => {
            Error::NotConverged { what: "friction at rest", joint: m.dof_names()[dof].clone() }
        }
    })?;
    let fastest = qdd.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for i in (0..qdd.len()).filter(|i| d.limits[*i].is_some()) {
        d.friction[i] = d.held[i];
        if d.complementarity.direction(i).unwrap_or(0.0) * qdd[i] > REST_TOLERANCE * fastest {
            d.states[i] = FrictionState::Sliding;
        } else {
            qdd[i] = 0.0;
        }
    }
    m.check_finite("qdd", qdd, &[("q", q), ("qd", qd), ("tau", tau)])
}

impl Model<f64> {
    /// Accelerations, friction torques and friction states under torques τ, with friction at rest; see [`stiction`].
    pub fn forward_dynamics_with_stiction(&self, q: &[f64], qd: &[f64], tau: &[f64]) -> Result<Stiction> {
        let (mut d, mut qdd) = (StictionData::new(self), vec![0.0; self.nv()]);
        stiction(self, &mut d, q, qd, tau, &mut qdd)?;
        Ok(Stiction { qdd, friction: d.friction, states: d.states })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BASE, Drive, Joint, Link, ModelBuilder};
    use crate::spatial::{Transform, Vec3, vec3};

    /// M = [[3, 1], [1, 1]] at q₂ = 90°, without gravity; Coulomb friction 1 and 2.
    #[test]
    fn a_joint_sticks_until_its_neighbour_drags_it_along() {
        let axis = [0.0, -1.0, 0.0];
        let link = |name: &str| Link::new(name).body(1.0, [1.0, 0.0, 0.0], [0.0; 6]);
        let mut robot = ModelBuilder::new("arm");
        let shoulder = Joint::revolute("shoulder", axis).driven_by(Drive::ideal().coulomb(1.0, 1.0));
        let upper = robot.add(BASE, shoulder, link("upper"));
        let elbow = Joint::revolute("elbow", axis).at(Transform::from_translation(vec3(1.0, 0.0, 0.0)));
        robot.add(upper, elbow.driven_by(Drive::ideal().coulomb(2.0, 2.0)), link("lower"));
        let m = robot.build().unwrap().with_gravity(Vec3::zero());
        let bent = [0.0, core::f64::consts::FRAC_PI_2];
        use FrictionState::{Sliding, Sticking};
        for (tau, qdd, friction, states) in [
            ([0.5, -1.5], [0.0, 0.0], [0.5, -1.5], [Sticking, Sticking]),
            // 3 q̈₁ = 4 − 1, and the elbow holds q̈₁ with 1 of its 2 N m.
            ([4.0, 0.0], [1.0, 0.0], [1.0, -1.0], [Sliding, Sticking]),
            // 3 q̈₁ + q̈₂ = 10 − 1, q̈₁ + q̈₂ = 2.
            ([10.0, 0.0], [3.5, -1.5], [1.0, -2.0], [Sliding, Sliding]),
            // q̈₂ = 3 − 2 while the shoulder holds its reaction of 1 N m exactly.
            ([0.0, 3.0], [0.0, 1.0], [-1.0, 2.0], [Sticking, Sliding]),
        ] {
            let found = m.forward_dynamics_with_stiction(&bent, &[0.0; 2], &tau).unwrap();
            let near = |a: &[f64], b: &[f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
            assert!(near(&found.qdd, &qdd) && near(&found.friction, &friction), "{tau:?}: {found:?}");
            assert_eq!(found.states, states, "{tau:?}");
        }
        // A joint in motion has the friction of its direction; the other one sticks all the same.
        let found = m.forward_dynamics_with_stiction(&bent, &[-1.0, 0.0], &[-4.0, 0.0]).unwrap();
        assert_eq!(found.states, [Sliding, Sticking]);
        assert!((found.qdd[0] + 1.0).abs() < 1e-13 && found.qdd[1] == 0.0, "{found:?}");
    }
}

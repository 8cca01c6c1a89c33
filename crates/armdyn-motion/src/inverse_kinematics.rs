//! Inverse kinematics: the joint positions at which a frame of the robot has a given pose or position.
//!
//! Levenberg–Marquardt with Sugihara's damping (IEEE Trans. Robotics 27(5), 2011), within joint limits. With the length
//! L of the chain, e the error and J the Jacobian of the frame at its origin in base axes:
//!
//!   e = ((p* − p)/L, log(R* Rᵀ))                          (1)
//!   E = ½ eᵀe,   μ = ν E + μ₀                             (2)
//!   min |J δ − e|² + μ |δ|²  subject to  l ≤ q ⊞ δ ≤ u    (3)
//!
//! ∇E = −Jᵀe exactly, because φ is an eigenvector of the Jacobian of log at φ. As μ vanishes with the square of the
//! error, the last steps are those of Newton. Redundant arms then move towards the middle of their joint ranges: steps of
//! min (δ − c)ᵀD(δ − c) subject to J δ = e, with c = mid-range − q and D the inverse squares of the half ranges.
//!
//! Deviations: ν adapts to the ratio of actual and predicted reduction; a joint at a limit leaves the step and the rest
//! is solved again (`step.rs`); a revolute joint may pass its limit by a full turn; several starts.
//!
//! Arms with six joints whose last three axes meet in a point, or whose axes 2 to 4 are parallel, have all their solutions in closed
//! form (`analytic.rs`); the iteration then only removes what the robot's file deviates from such a placement.

mod analytic;
mod chain;
mod options;
mod parallel_axes;
mod spherical_wrist;
mod step;
mod subproblems;

use analytic::Analytic;
use armdyn_core::{KinematicsData, Model, Motion, Tool, Vec3, kinematics};
use armdyn_numerics::{Result, invalid};
use chain::{Chain, Dof, starts};
pub use options::{IkMethod, IkOptions, IkReport, Target};
use std::f64::consts::TAU;
use step::Step;

/// The error (1) of a configuration, and its size.
#[derive(Clone, Copy, Debug)]
struct TaskError {
    e: [f64; 6],
    /// E of (2).
    energy: f64,
    position: f64,
    rotation: f64,
}

impl TaskError {
    fn within(&self, tolerance: f64) -> bool {
        self.position <= tolerance && self.rotation <= tolerance
    }

    fn report(&self, solved: bool, target: &Target, method: IkMethod, iterations: usize, starts: usize) -> IkReport {
        let rotation_error = matches!(target, Target::Pose(_)).then_some(self.rotation);
        IkReport { solved, position_error: self.position, rotation_error, method, iterations, starts }
    }
}

/// Inverse kinematics of one frame of a robot: solver and workspace. A solution allocates nothing.
///
/// ```
/// use armdyn_core::{Transform, Rotation, vec3};
/// use armdyn_motion::{IkOptions, InverseKinematics, Target};
/// let model = armdyn_import::load_model("ur10e")?;
/// let mut ik = InverseKinematics::new(&model, None, IkOptions::default())?;
/// let target = Target::Pose(Transform::new(Rotation::rpy(3.0, 0.1, 0.5), vec3(0.6, 0.3, 0.4)));
/// let mut q = vec![0.0; model.nq()];
/// let report = ik.solve(&model, &target, &[0.0; 6], &mut q)?;
/// assert!(report.solved && report.position_error < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct InverseKinematics {
    frame: Tool,
    options: IkOptions,
    dofs: Vec<Dof>,
    /// Length of the chain L \[m\].
    length: f64,
    /// The frame's maximum distance from the origin of the first joint, and that origin in the base.
    reach: (Vec3<f64>, f64),
    /// Quasi-random configurations, one after another.
    starts: Vec<f64>,
    analytic: Option<Box<Analytic>>,
    /// Closed-form solutions within the limits: square of the distance from the start, joint positions.
    candidates: Vec<(f64, [f64; 6])>,
    data: KinematicsData<f64>,
    columns: Vec<Motion<f64>>,
    step: Step,
    /// The step in q̇.
    tangent: Vec<f64>,
    trial: Vec<f64>,
    current: Vec<f64>,
    best: Vec<f64>,
    centred: Vec<f64>,
}

/// How long a descent goes on.
#[derive(Clone, Copy)]
struct Descent {
    /// Maximum number of iterations.
    iterations: usize,
    /// Successive iterations that reduce E by less than 2 %, after which it ends: a local minimum, or a limit.
    patience: usize,
    /// [`IkOptions::full_turns`].
    full_turns: bool,
}

/// The descent after each step towards mid-range.
const CORRECTION: Descent = Descent { iterations: 8, patience: 3, full_turns: false };
/// Maximum number of steps towards mid-range.
const CENTRING_STEPS: usize = 12;
/// Joint positions that differ less are equal: at a singular configuration they are known to the square root of the tolerance only.
const EQUAL: f64 = 1e-3;
/// Smallest damping, which keeps the normal equations regular.
const MINIMUM_DAMPING: f64 = 1e-12;

impl InverseKinematics {
    /// For a frame of the robot; its [tool](Model::tool) if none is given.
    pub fn new(m: &Model<f64>, frame: Option<Tool>, options: IkOptions) -> Result<Self> {
        let frame = frame.map_or_else(|| m.tool(), Ok)?;
        let mut data = KinematicsData::new(m);
        let mut neutral = vec![0.0; m.nq()];
        m.neutral(&mut neutral)?;
        kinematics(m, &mut data, &neutral)?;
        let _ = data.frame_pose(m, frame.link, Some(&frame.pose))?; // the link exists
        if !(options.tolerance > 0.0 && options.tolerance.is_finite()) {
            return invalid(format!("invalid tolerance {}: expected a positive number", options.tolerance));
        }
        if !(options.separation >= 0.0 && options.separation.is_finite()) {
            return invalid(format!(
                "invalid separation {}: expected a number that is not negative",
                options.separation
            ));
        }
        if options.starts == 0 || options.iterations == 0 {
            return invalid("inverse kinematics needs at least one start and one iteration");
        }
        let Chain { dofs, length, first, reach } = Chain::new(m, &frame);
        if dofs.is_empty() {
            let link = &m.links()[frame.link].name;
            return invalid(format!("link `{link}` does not move: no joint is between it and the base"));
        }
        let origin = data.poses()[first].translation;
        let closed = options.analytic && options.full_turns;
        let analytic = if closed { Analytic::new(m, &data, &neutral, &frame, length, &dofs) } else { None };
        let n = dofs.len();
        let zeros = || vec![0.0; m.nq()];
        Ok(InverseKinematics {
            frame,
            dofs,
            length,
            reach: (origin, reach),
            starts: starts(m, &options)?,
            candidates: Vec::with_capacity(if analytic.is_some() { analytic::CAPACITY } else { 0 }),
            analytic: analytic.map(Box::new),
            options,
            data,
            columns: vec![Motion::zero(); m.nv()],
            step: Step::new(n),
            tangent: vec![0.0; m.nv()],
            trial: zeros(),
            current: zeros(),
            best: zeros(),
            centred: zeros(),
        })
    }

    /// The frame.
    #[must_use]
    pub fn frame(&self) -> &Tool {
        &self.frame
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &IkOptions {
        &self.options
    }

    /// The degrees of freedom that move the frame.
    pub fn dofs(&self) -> impl ExactSizeIterator<Item = usize> {
        self.dofs.iter().map(|dof| dof.v)
    }

    /// The origin of the first joint in the base, and an upper bound of the frame's distance from it \[m\], the sum of the
    /// lengths of the links; infinite if a prismatic joint has no limit.
    #[must_use]
    pub fn reach(&self) -> (Vec3<f64>, f64) {
        self.reach
    }

    /// Whether a position \[m\] is probably in millimetres: more than ten times out of reach, and within it if divided by 1000.
    #[must_use]
    pub fn looks_like_millimetres(&self, position: Vec3<f64>) -> bool {
        let (first, reach) = self.reach;
        (position - first).norm() > 10.0 * reach && (position * 1e-3 - first).norm() <= reach
    }

    /// Whether joints can move without moving the frame from such a target: there are infinitely many solutions.
    #[must_use]
    pub fn is_redundant(&self, target: &Target) -> bool {
        self.dofs.len() > target.directions()
    }

    /// Length of the chain, by which positions are divided in the error and in [`jacobian`](Self::jacobian) \[m\].
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Whether the placement of the joints allows solutions in closed form for poses, see [`solve_all`](Self::solve_all).
    #[must_use]
    pub fn is_analytic(&self) -> bool {
        self.analytic.is_some()
    }

    /// Finds joint positions within the limits at which the frame is at the target, starting from `start`; if there are
    /// none, those with the smallest error that was found.
    ///
    /// Revolute joints are at the angle nearest to `start` that their limits allow. Joints that do not move the frame
    /// stay at `start`. If the robot [has solutions in closed form](Self::is_analytic), the one nearest to `start` is returned. Fails if
    /// an argument is invalid.
    pub fn solve(&mut self, m: &Model<f64>, target: &Target, start: &[f64], q: &mut [f64]) -> Result<IkReport> {
        self.check_start(m, start)?;
        check_length("q", m.nq(), q.len())?;
        target.check()?;
        let mut iterations = 0;
        for k in 0..self.closed_form(target, start) {
            let error = self.polish(m, target, start, k, &mut iterations)?;
            if error.within(self.options.tolerance) {
                q.copy_from_slice(&self.current);
                self.nearest_turns(start, q);
                return Ok(error.report(true, target, IkMethod::Analytic, iterations, k + 1));
            }
        }
        let mut best: Option<TaskError> = None;
        let (mut solved, mut starts) = (false, 0);
        while !solved && starts < self.options.starts {
            let error = self.attempt(m, target, start, starts, &mut iterations)?;
            starts += 1;
            solved = error.within(self.options.tolerance);
            if solved || best.is_none_or(|b| error.energy < b.energy) {
                self.best.copy_from_slice(&self.current);
                best = Some(error);
            }
        }
        let mut best = best.unwrap_or_else(|| unreachable!("there is at least one start"));
        if !solved {
            // The minimum itself, not only its neighbourhood.
            self.current.copy_from_slice(&self.best);
            let limits = Descent { iterations: 10 * self.options.iterations, patience: usize::MAX, full_turns: false };
            best = self.descend(m, target, limits, &mut iterations)?;
            solved = best.within(self.options.tolerance);
            self.best.copy_from_slice(&self.current);
        }
        q.copy_from_slice(&self.best);
        self.nearest_turns(start, q);
        Ok(best.report(solved, target, IkMethod::Numerical, iterations, starts))
    }

    /// The distinct joint positions at which the frame is at the target, nearest to `start` first, each once: with its angles nearest to
    /// `start` that the limits allow, not with full turns added to them.
    ///
    /// If the robot [has solutions in closed form](Self::is_analytic), these are all there are. Where the pose is singular, some joints
    /// can be anywhere; then they are where they are at the start. Otherwise they are those that the starts lead to. Of redundant arms
    /// there are infinitely many: those listed differ by at least [`separation`](IkOptions::separation) in a joint.
    pub fn solve_all(&mut self, m: &Model<f64>, target: &Target, start: &[f64]) -> Result<Vec<(Vec<f64>, IkReport)>> {
        self.check_start(m, start)?;
        target.check()?;
        let tolerance = self.options.tolerance;
        let mut found: Vec<(f64, Vec<f64>, IkReport)> = vec![];
        let closed = self.closed_form(target, start);
        for k in 0..closed {
            let mut iterations = 0;
            let error = self.polish(m, target, start, k, &mut iterations)?;
            if error.within(tolerance) {
                let report = error.report(true, target, IkMethod::Analytic, iterations, k + 1);
                found.push((0.0, self.current.clone(), report));
            }
        }
        let numerical = if found.is_empty() { self.options.starts } else { 0 };
        for k in 0..numerical {
            let mut iterations = 0;
            let error = self.attempt(m, target, start, k, &mut iterations)?;
            if error.within(tolerance) {
                let report = error.report(true, target, IkMethod::Numerical, iterations, k + 1);
                found.push((0.0, self.current.clone(), report));
            }
        }
        for (distance, q, _) in &mut found {
            self.nearest_turns(start, q);
            *distance = self.differences(m, start, q, false)?.map(|x| x * x).sum();
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let separation = if self.is_redundant(target) { self.options.separation.max(EQUAL) } else { EQUAL };
        let mut distinct: Vec<(Vec<f64>, IkReport)> = vec![];
        for (_, q, report) in found {
            let mut new = true;
            for (other, _) in &distinct {
                new = new && self.differences(m, other, &q, self.options.full_turns)?.any(|x| x > separation);
            }
            if new {
                distinct.push((q, report));
            }
        }
        Ok(distinct)
    }

    /// Jacobian of the frame at a configuration, a column for each of [`dofs`](Self::dofs): velocity divided by
    /// [`length`](Self::length), then angular velocity, in base axes, per unit of q̇ (prismatic joints: per length).
    pub fn jacobian(&mut self, m: &Model<f64>, q: &[f64]) -> Result<&[[f64; 6]]> {
        kinematics(m, &mut self.data, q)?;
        self.linearise(m)?;
        Ok(&self.step.jacobian)
    }

    /// The degrees of freedom that are at a limit, or so close that they cannot move by `margin` \[rad; prismatic joints: of the length of
    /// the arm\].
    pub(crate) fn at_limits(&self, q: &[f64], margin: f64) -> Vec<usize> {
        let at = |dof: &&Dof| {
            dof.q.is_some_and(|i| q[i] - dof.lower <= margin * dof.scale || dof.upper - q[i] <= margin * dof.scale)
        };
        self.dofs.iter().filter(at).map(|dof| dof.v).collect()
    }

    /// Ignores the limits of these degrees of freedom, and of no others.
    pub(crate) fn release(&mut self, m: &Model<f64>, released: &[usize]) {
        for dof in self.dofs.iter_mut().filter(|dof| dof.q.is_some()) {
            dof.released = released.contains(&dof.v);
            let limits = &m.limits()[dof.v];
            (dof.lower, dof.upper) =
                if dof.released { (f64::NEG_INFINITY, f64::INFINITY) } else { (limits.lower, limits.upper) };
        }
    }

    fn check_start(&self, m: &Model<f64>, start: &[f64]) -> Result<()> {
        check_length("start", m.nq(), start.len())?;
        // Beyond the structure, which the kinematics checks, a workspace depends on the limits.
        let same = |dof: &Dof| {
            let limits = m.limits().get(dof.v);
            limits.is_some_and(|l| dof.q.is_none() || dof.released || (l.lower, l.upper) == (dof.lower, dof.upper))
        };
        if self.current.len() != m.nq() || !self.dofs.iter().all(same) {
            return Err(armdyn_core::Error::OtherModel { what: "workspace" }.into());
        }
        match start.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => invalid(format!("the start of `{}` is not finite", m.coordinate_names()[i])),
        }
    }

    /// Differences of the joints that move the frame \[rad, lengths of the arm\]; full turns may count as none.
    fn differences(
        &mut self,
        m: &Model<f64>,
        a: &[f64],
        b: &[f64],
        full_turns: bool,
    ) -> Result<impl Iterator<Item = f64>> {
        m.difference(a, b, &mut self.tangent)?;
        let (dofs, tangent) = (&self.dofs, &self.tangent);
        Ok(dofs.iter().map(move |dof| {
            let x = tangent[dof.v];
            let turns = if full_turns && dof.periodic { (x / TAU).round() } else { 0.0 };
            (x - TAU * turns).abs() / dof.scale
        }))
    }

    /// Descends from the k-th start to `current`, and centres redundant arms.
    fn attempt(
        &mut self,
        m: &Model<f64>,
        target: &Target,
        start: &[f64],
        k: usize,
        iterations: &mut usize,
    ) -> Result<TaskError> {
        self.current.copy_from_slice(start);
        if k > 0 {
            let seed = &self.starts[(k - 1) * start.len()..k * start.len()];
            let (current, bodies) = (&mut self.current, m.dof_bodies());
            for dof in &self.dofs {
                let body = m.body(bodies[dof.v]);
                let coordinates = body.q..body.q + body.pair.nq();
                current[coordinates.clone()].copy_from_slice(&seed[coordinates]);
            }
        }
        let IkOptions { iterations: maximum, full_turns, .. } = self.options;
        let error = self.descend(m, target, Descent { iterations: maximum, patience: 3, full_turns }, iterations)?;
        match self.options.centring && self.is_redundant(target) && error.within(self.options.tolerance) {
            true => self.centre(m, target, error, iterations),
            false => Ok(error),
        }
    }

    /// Minimises E from `current`, to `current`.
    fn descend(
        &mut self,
        m: &Model<f64>,
        target: &Target,
        limits: Descent,
        iterations: &mut usize,
    ) -> Result<TaskError> {
        for dof in &self.dofs {
            if let Some(i) = dof.q {
                self.current[i] = self.current[i].max(dof.lower).min(dof.upper);
            }
        }
        let mut error = self.evaluate(m, target, false)?;
        self.linearise(m)?;
        let (mut nu, mut slow) = (1.0, 0);
        for _ in 0..limits.iterations {
            if error.energy < 1e-31 {
                break; // rounding errors of the pose
            }
            *iterations += 1;
            self.step.clear();
            self.bound_step(limits.full_turns);
            let predicted = self.step.solve(&error.e, nu * error.energy + MINIMUM_DAMPING, target.directions());
            self.advance(m, 1.0)?;
            let next = self.evaluate(m, target, true)?;
            let gain = (error.energy - next.energy) / predicted;
            if !(next.energy < error.energy && gain > 1e-4) {
                // At the target only rounding errors are left; at a local minimum nothing is.
                if error.within(1e-3 * self.options.tolerance) || nu > 1e6 || predicted <= 1e-12 * error.energy {
                    break;
                }
                nu *= 5.0;
                continue;
            }
            nu = if gain > 0.75 {
                (nu * 0.3_f64).max(1e-6)
            } else if gain < 0.25 {
                nu * 2.0
            } else {
                nu
            };
            slow = if next.energy > 0.98 * error.energy { slow + 1 } else { 0 };
            self.current.copy_from_slice(&self.trial);
            error = next;
            self.linearise(m)?;
            if slow >= limits.patience {
                break; // a local minimum, or a limit
            }
        }
        Ok(error)
    }

    /// Moves a redundant arm at the target, `current`, towards mid-range.
    fn centre(
        &mut self,
        m: &Model<f64>,
        target: &Target,
        mut error: TaskError,
        iterations: &mut usize,
    ) -> Result<TaskError> {
        let mut cost = self.eccentricity();
        let mut factor = 1.0;
        self.centred.copy_from_slice(&self.current);
        for _ in 0..CENTRING_STEPS {
            *iterations += 1;
            self.step.clear();
            for (k, dof) in self.dofs.iter().enumerate() {
                if let (Some((middle, half)), Some(i)) = (dof.range(), dof.q) {
                    self.step.wanted[k] = (middle - self.current[i]) / dof.scale;
                    self.step.weights[k] = (dof.scale / half) * (dof.scale / half);
                } else {
                    self.step.weights[k] = 1.0 / (TAU * TAU);
                }
            }
            self.bound_step(false);
            self.step.solve(&error.e, MINIMUM_DAMPING, target.directions());
            let largest = self.step.step.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            if largest < 1e-5 {
                break;
            }
            self.advance(m, (0.7 / largest).min(1.0) * factor)?;
            self.current.copy_from_slice(&self.trial);
            let next = self.descend(m, target, CORRECTION, iterations)?;
            let reached = self.eccentricity();
            if next.within(self.options.tolerance) && reached < cost {
                self.centred.copy_from_slice(&self.current);
                error = next;
                let end = cost - reached < 1e-6 * cost;
                cost = reached;
                if end {
                    break;
                }
                continue;
            }
            self.current.copy_from_slice(&self.centred);
            error = self.evaluate(m, target, false)?;
            self.linearise(m)?;
            factor *= 0.3;
            if factor < 0.02 {
                break;
            }
        }
        self.current.copy_from_slice(&self.centred);
        Ok(error)
    }

    /// Sum of the squares of the distances of `current` from mid-range, relative to the half ranges.
    fn eccentricity(&self) -> f64 {
        let one = |dof: &Dof| Some(((self.current[dof.q?] - dof.range()?.0) / dof.range()?.1).powi(2));
        self.dofs.iter().filter_map(one).sum()
    }

    /// Kinematics and error (1) at `trial` or at `current`.
    fn evaluate(&mut self, m: &Model<f64>, target: &Target, trial: bool) -> Result<TaskError> {
        kinematics(m, &mut self.data, if trial { &self.trial } else { &self.current })?;
        let pose = self.data.frame_pose(m, self.frame.link, Some(&self.frame.pose))?;
        let offset = target.position() - pose.translation;
        let turn = match target {
            Target::Pose(target) => target.rotation.compose(&pose.rotation.inverse()).rotation_vector(),
            Target::Position(_) => Vec3::zero(),
        };
        let ([x, y, z], [a, b, c]) = ((offset * (1.0 / self.length)).to_array(), turn.to_array());
        let e = [x, y, z, a, b, c];
        let energy = 0.5 * e.iter().map(|x| x * x).sum::<f64>();
        Ok(TaskError { e, energy, position: offset.norm(), rotation: turn.norm() })
    }

    /// The Jacobian at the configuration of the last kinematics.
    fn linearise(&mut self, m: &Model<f64>) -> Result<()> {
        let frame = armdyn_core::JacobianFrame::LocalWorldAligned;
        self.data.frame_jacobian(m, self.frame.link, Some(&self.frame.pose), frame, &mut self.columns)?;
        for (column, dof) in self.step.jacobian.iter_mut().zip(&self.dofs) {
            let Motion { angular, linear } = self.columns[dof.v] * dof.scale;
            let Vec3 { x, y, z } = linear * (1.0 / self.length);
            *column = [x, y, z, angular.x, angular.y, angular.z];
        }
        Ok(())
    }

    /// The limits of the step from `current`.
    fn bound_step(&mut self, full_turns: bool) {
        for (k, dof) in self.dofs.iter().enumerate() {
            let Some(i) = dof.q else { continue };
            let bound = |limit: f64| (limit - self.current[i]) / dof.scale;
            self.step.bounds[k] = (bound(dof.lower), bound(dof.upper));
            self.step.periodic[k] = full_turns && dof.periodic;
        }
    }

    /// `trial` = `current` ⊞ the step times a factor, within the limits.
    fn advance(&mut self, m: &Model<f64>, factor: f64) -> Result<()> {
        for (dof, step) in self.dofs.iter().zip(&self.step.step) {
            self.tangent[dof.v] = step * dof.scale * factor;
        }
        m.integrate(&self.current, &self.tangent, &mut self.trial)?;
        for (k, dof) in self.dofs.iter().enumerate() {
            let Some(i) = dof.q else { continue };
            let mut x = self.trial[i];
            if self.step.periodic[k] {
                x -= if x > dof.upper {
                    TAU
                } else if x < dof.lower {
                    -TAU
                } else {
                    0.0
                };
            }
            self.trial[i] = x.max(dof.lower).min(dof.upper);
        }
        Ok(())
    }

    /// Moves revolute joints by full turns to the angle nearest to `start` that their limits allow.
    fn nearest_turns(&self, start: &[f64], q: &mut [f64]) {
        for dof in self.dofs.iter().filter(|dof| dof.periodic && self.options.full_turns) {
            let Some(i) = dof.q else { continue };
            q[i] = dof.nearest(q[i], start[i], 0.0).unwrap_or(q[i]);
        }
    }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(armdyn_core::Error::Length { what, expected, found }.into()) }
}

//! Checks of a simulation's input, and what follows from it.

use super::chart::Chart;
use super::events::EventKind;
use super::mobile::{BASE, Mobile};
use super::system::{Flexible, Motion, System, WORKS};
use super::torque::{Drives, Source};
use super::{Integrator, Options, Simulation};
use armdyn_core::{
    EffortRange, ExternalWrench, Friction, Inertia, JointKind, LinkId, Model, RotorInfo, Vec3, four_digits,
};
use armdyn_mobile::Base;
use armdyn_mobile::base::Ground;
use armdyn_numerics::{Result, invalid, invalid_option};

/// The most fixed steps, and the most samples of a controller.
const MAX_STEPS: f64 = 1e10;

/// A change at a given time.
pub(super) enum Change {
    Attach(String, LinkId, Inertia<f64>),
    Remove(String),
    WrenchStarts(ExternalWrench<f64>),
    WrenchEnds(ExternalWrench<f64>),
}

/// A change with what it leads to.
pub(super) struct Due {
    pub t: f64,
    pub event: EventKind,
    pub model: Option<Model<f64>>,
    pub wrenches: Option<Vec<ExternalWrench<f64>>>,
}

/// A simulation ready to start.
pub(super) struct Setup<'a> {
    pub system: System<'a>,
    pub drives: Drives<'a>,
    pub options: Options,
    pub state: Vec<f64>,
    pub changes: Vec<Due>,
}

impl<'a> Simulation<'a> {
    pub(super) fn prepare(mut self, duration: f64) -> Result<Setup<'a>> {
        let (arm, options) = (self.model, self.options);
        check_options(&options, duration)?;
        if let Source::Controller(_, sampling) = &self.source
            && sampling.rate * duration > MAX_STEPS
        {
            let [count, rate] = [sampling.rate * duration, sampling.rate].map(four_digits);
            let message = format!("{count} samples of the controller, at {rate} Hz, are too many; use a lower rate");
            return invalid_option("sampling.rate", message);
        }
        let mut q = vec![0.0; arm.nq()];
        arm.neutral(&mut q)?;
        let (mut q, qd) = (self.q.take().unwrap_or(q), self.qd.take().unwrap_or(vec![0.0; arm.nv()]));
        check_state(arm, &q, &qd)?;
        normalise(arm, &mut q)?;
        let mut restitution = per_dof(arm, "coefficient of restitution", &self.restitution)?;
        if let Some(e) = restitution.iter().find(|e| **e > 1.0) {
            return invalid(format!("invalid coefficient of restitution `{e}`: expected 0 to 1"));
        }
        let mut flexibility = match &self.damping {
            None => None,
            Some(damping) => Some(Flexibility {
                damping: per_dof(arm, "damping", damping)?,
                stiffness: optional(arm, "joint_stiffness", "stiffness", &self.stiffness)?,
                motor_inertia: optional(arm, "motor_inertia", "motor inertia", &self.motor_inertia)?,
            }),
        };
        let drives = Drives::new(
            arm,
            std::mem::replace(&mut self.source, Source::None),
            efforts(arm, options.saturation),
            places(arm),
        )?;
        self.base.map_or(Ok(()), |(base, _, _)| base.check_duration(duration))?;
        let on_base = self.base.map(|(base, heading, twist)| self.on_base(base, heading, &twist)).transpose()?;
        let (m, state) = match &on_base {
            Some((model, pose, twist)) => {
                restitution.splice(0..0, [0.0; BASE]);
                if let Some(Flexibility { damping, stiffness, motor_inertia }) = &mut flexibility {
                    damping.splice(0..0, [0.0; BASE]);
                    stiffness.splice(0..0, [None; BASE]);
                    motor_inertia.splice(0..0, [None; BASE]);
                }
                (model, [[&pose[..], &q].concat(), [&twist[..], &qd].concat()])
            }
            None => (arm, [q, qd]),
        };
        let [q, qd] = state;
        let (n, places) = (m.nv(), places(m));
        let flexible = flexible(m, flexibility.as_ref(), &places)?;
        let mut friction = m.friction().to_vec();
        flexible.iter().for_each(|f| friction[f.dof] = Friction::none());
        let stops: Vec<[f64; 2]> = m
            .limits()
            .iter()
            .zip(&places)
            .map(|(l, place)| match (options.stops, place) {
                (true, Some(_)) => [l.lower, l.upper],
                _ => [f64::NEG_INFINITY, f64::INFINITY],
            })
            .collect();
        check_stops(m, &stops, &places, &q)?;
        let changes = self.changes_due(m, duration, &flexible)?;
        let mut system = System::new(link_model(m, &flexible)?, friction, flexible, stops, restitution, n - arm.nv());
        if let Some((base, _, _)) = self.base.filter(|(base, _, _)| !base.floats()) {
            system.mobile = Some(Mobile::new(Ground::new(base)));
        }
        let mut state = vec![0.0; system.len()];
        system.chart.set(&q, &mut state[..n]);
        state[n..2 * n].copy_from_slice(&qd);
        let motors = system.flexible.len();
        for (k, f) in system.flexible.iter().enumerate() {
            (state[2 * n + k], state[2 * n + motors + k]) = (state[f.dof], qd[f.dof]);
        }
        debug_assert_eq!(state.len(), 2 * n + 2 * motors + WORKS);
        Ok(Setup { system, drives, options, state, changes })
    }

    /// The robot on its base, and the initial pose and twist of the base.
    fn on_base(&self, base: &Base, heading: f64, twist: &[f64; BASE]) -> Result<(Model<f64>, [f64; 7], [f64; BASE])> {
        if twist.iter().chain([&heading]).any(|x| !x.is_finite()) {
            return invalid("the initial heading or twist of the base is not finite");
        }
        if !base.floats() && self.options.integrator == Integrator::ImplicitMidpoint {
            return invalid(
                "implicit midpoint steps are not available on wheels; use another integrator, or a floating base",
            );
        }
        let mut model = self.model.with_floating_base()?;
        if base.is_without_gravity() {
            model = model.with_gravity(Vec3::zero());
        }
        let (s, c) = (heading / 2.0).sin_cos();
        let height = if base.floats() { 0.0 } else { -base.ground_height() };
        Ok((model, [0.0, 0.0, height, 0.0, 0.0, s, c], Ground::new(base).initial_twist(twist)?))
    }

    /// The changes in order of time, with the models and wrenches that they lead to.
    fn changes_due(&mut self, m: &Model<f64>, duration: f64, flexible: &[Flexible]) -> Result<Vec<Due>> {
        let mut changes = std::mem::take(&mut self.changes);
        // On a base the links of the arm follow the one of the world.
        let moved = |link: LinkId| LinkId::new(link.index() + m.links().len() - self.model.links().len());
        if let Some((t, _)) = changes.iter().find(|(t, _)| !(t.is_finite() && *t >= 0.0)) {
            return invalid(format!("invalid time `{t}` s of a payload or wrench: expected 0 s or later"));
        }
        changes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bare = link_model(&m.without_payloads(), flexible)?;
        let mut payloads: Vec<(String, LinkId, Inertia<f64>)> =
            m.payloads().iter().map(|p| (p.name.clone(), p.link, p.in_link)).collect();
        let mut wrenches: Vec<ExternalWrench<f64>> = vec![];
        let mut due = vec![];
        for (t, change) in changes.into_iter().filter(|(t, _)| *t <= duration) {
            let link = |w: &ExternalWrench<f64>| m.links().get(w.link.index()).map(|l| l.name.clone());
            let (event, loaded) = match change {
                Change::Attach(payload, link, inertia) => {
                    if payloads.iter().any(|p| p.0 == payload) {
                        return invalid(format!("payload `{payload}` is attached twice; remove it first"));
                    }
                    payloads.push((payload.clone(), moved(link), inertia));
                    (EventKind::PayloadAttached { payload }, true)
                }
                Change::Remove(payload) => {
                    let Some(k) = payloads.iter().position(|p| p.0 == payload) else {
                        return invalid(format!("there is no payload `{payload}` to remove at {t} s"));
                    };
                    let _removed = payloads.remove(k);
                    (EventKind::PayloadRemoved { payload }, true)
                }
                Change::WrenchStarts(w) => {
                    let w = ExternalWrench { link: moved(w.link), ..w };
                    wrenches.push(w);
                    let Some(link) = link(&w) else { return invalid("a wrench acts on a link of another robot") };
                    (EventKind::WrenchStarts { link }, false)
                }
                Change::WrenchEnds(w) => {
                    let w = ExternalWrench { link: moved(w.link), ..w };
                    let Some(k) = wrenches.iter().position(|x| *x == w) else {
                        return invalid(format!("a wrench ends at {t} s before it starts"));
                    };
                    wrenches.remove(k);
                    (EventKind::WrenchEnds { link: link(&w).unwrap_or_default() }, false)
                }
            };
            let model = if loaded {
                let add = |m: Model<f64>, (name, link, inertia): &(String, LinkId, Inertia<f64>)| {
                    m.with_payload_in_link(name, *link, *inertia)
                };
                Some(payloads.iter().try_fold(bare.clone(), add)?)
            } else {
                None
            };
            due.push(Due { t, event, model, wrenches: (!loaded).then(|| wrenches.clone()) });
        }
        Ok(due)
    }
}

/// Values of flexible joints, one for each degree of freedom, each in place of the robot's where it is given.
struct Flexibility {
    damping: Vec<f64>,
    stiffness: Vec<Option<f64>>,
    motor_inertia: Vec<Option<f64>>,
}

/// One optional value for each degree of freedom, or none.
fn optional(m: &Model<f64>, option: &'static str, what: &str, values: &[Option<f64>]) -> Result<Vec<Option<f64>>> {
    if values.is_empty() {
        return Ok(vec![None; m.nv()]);
    }
    if values.len() != m.nv() {
        return invalid(format!(
            "{} values of {what} for {} degrees of freedom; expected one for each",
            values.len(),
            m.nv()
        ));
    }
    match values.iter().position(|x| x.is_some_and(|x| x.is_nan() || x <= 0.0)) {
        Some(i) => {
            let (x, joint) = (values[i].unwrap_or_default(), &m.dof_names()[i]);
            invalid_option(option, format!("invalid {what} `{x}` of joint `{joint}`: expected more than 0"))
        }
        None => Ok(values.to_vec()),
    }
}

/// The flexible joints, in equilibrium.
fn flexible(m: &Model<f64>, given: Option<&Flexibility>, places: &[Option<usize>]) -> Result<Vec<Flexible>> {
    let Some(given) = given else { return Ok(vec![]) };
    let stiffness = |dof: usize| given.stiffness[dof].unwrap_or(m.joint_stiffness()[dof]);
    let soft: Vec<usize> = (0..m.nv()).filter(|dof| stiffness(*dof).is_finite()).collect();
    if soft.is_empty() {
        return invalid_option(
            "joint_stiffness",
            format!(
                "no joint of `{}` has a stiffness; give one, or add `stiffness` to joints of the robot file",
                m.name()
            ),
        );
    }
    if !m.followers().is_empty() {
        return invalid(
            "flexible joints together with joints that follow others are not supported; lock the followers",
        );
    }
    let flexible = |&dof: &usize| {
        let name = &m.dof_names()[dof];
        if places[dof].is_none() {
            return invalid(format!("joint `{name}` has a quaternion: it cannot be flexible; remove its stiffness"));
        }
        // Without the rotors of drives whose inertia is given.
        let replaced = |dof: usize| given.motor_inertia[dof].is_some() && soft.contains(&dof);
        let coupled = |r: &&RotorInfo<f64>| {
            r.gear.iter().any(|(d, _)| d.index() == dof)
                && (r.gear.len() > 1 || r.mount.is_some())
                && !r.gear.iter().all(|(d, _)| replaced(d.index()))
        };
        if let Some(rotor) = m.rotors().iter().find(coupled) {
            return invalid_option(
                "motor_inertia",
                format!(
                    "rotor `{}` of the flexible joint `{name}` is coupled to other joints or gyroscopic, which Spong's model does not \
                     have; give the inertia of the joint's motor, which replaces the rotor, or remove its axis or its coupling from the \
                     robot file",
                    rotor.name
                ),
            );
        }
        let inertia = given.motor_inertia[dof].unwrap_or(m.reflected_inertia()[dof]);
        if inertia <= 0.0 {
            return invalid_option(
                "motor_inertia",
                format!(
                    "flexible joint `{name}` has no rotor inertia; give the inertia of its motor, or add a rotor or an armature to its \
                     drive in the robot file"
                ),
            );
        }
        Ok(Flexible {
            dof,
            stiffness: stiffness(dof),
            damping: given.damping[dof],
            inertia,
            friction: m.friction()[dof],
            motion: Motion::Free,
            acceleration: 0.0,
            force: 0.0,
        })
    };
    soft.iter().map(flexible).collect()
}

/// The model without friction, and without the drives of flexible joints.
fn link_model(m: &Model<f64>, flexible: &[Flexible]) -> Result<Model<f64>> {
    let bare = m.without_friction();
    if flexible.is_empty() {
        return Ok(bare);
    }
    let is_flexible = |dof: usize| flexible.iter().any(|f| f.dof == dof);
    let armature = m.armature().iter().enumerate().map(|(i, a)| if is_flexible(i) { 0.0 } else { *a }).collect();
    let rotors = m.rotors().iter().filter(|r| !r.gear.iter().any(|(d, _)| is_flexible(d.index())));
    Ok(bare.with_drive_inertia(armature, rotors.cloned().collect())?)
}

/// Effort limits of all drives; a free joint has no drive.
fn efforts(m: &Model<f64>, saturation: bool) -> Vec<EffortRange> {
    let mut limits: Vec<EffortRange> = m.limits().iter().map(|l| l.effort).collect();
    if !saturation {
        limits.fill(EffortRange::UNLIMITED);
    }
    for joint in m.joints().iter().filter(|j| j.kind == JointKind::Free) {
        limits[joint.v.clone()].fill(EffortRange { lower: 0.0, upper: 0.0 });
    }
    limits
}

/// Position in q of each degree of freedom that is a number in q.
fn places(m: &Model<f64>) -> Vec<Option<usize>> {
    let chart = Chart::new(m);
    (0..m.nv()).map(|i| chart.place(i)).collect()
}

/// One value for each degree of freedom, from one for each, one for all, or none (0).
fn per_dof(m: &Model<f64>, what: &str, values: &[f64]) -> Result<Vec<f64>> {
    if let Some(x) = values.iter().find(|x| !(x.is_finite() && **x >= 0.0)) {
        return invalid(format!("invalid {what} `{x}`: expected a number that is not negative"));
    }
    match values {
        [] => Ok(vec![0.0; m.nv()]),
        [x] => Ok(vec![*x; m.nv()]),
        all if all.len() == m.nv() => Ok(all.to_vec()),
        all => {
            invalid(format!("{} values of {what} for {} degrees of freedom; expected one for each", all.len(), m.nv()))
        }
    }
}

fn check_options(options: &Options, duration: f64) -> Result<()> {
    if !(duration.is_finite() && duration > 0.0) {
        return invalid(format!("invalid duration `{duration}` s: expected more than 0 s"));
    }
    if !(options.step.is_finite() && options.step > 0.0) {
        return invalid_option("step", format!("invalid step `{}` s: expected more than 0 s", options.step));
    }
    if options.integrator.has_fixed_steps() && duration / options.step > MAX_STEPS {
        let [count, step] = [duration / options.step, options.step].map(four_digits);
        return invalid_option("step", format!("{count} steps of {step} s are too many; use a longer step"));
    }
    let samples = duration * options.rate;
    if !(options.rate.is_finite() && options.rate > 0.0 && samples <= 1e7) {
        let rate = options.rate;
        return invalid_option(
            "rate",
            format!("invalid rate of `{rate}` samples per second over {duration} s: expected 1 to 10 million samples"),
        );
    }
    let t = options.tolerance;
    if !(t.relative >= 1e-15 && t.relative < 1.0 && t.absolute > 0.0 && t.absolute.is_finite()) {
        return invalid_option("tolerance", format!("invalid tolerance `{}`: expected 1e-15 to 1", t.relative));
    }
    Ok(())
}

fn check_state(m: &Model<f64>, q: &[f64], qd: &[f64]) -> Result<()> {
    for (what, values, expected) in [("positions", q, m.nq()), ("velocities", qd, m.nv())] {
        if values.len() != expected {
            return invalid(format!("{} initial {what} for robot `{}`; expected {expected}", values.len(), m.name()));
        }
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let names = if what == "positions" { m.coordinate_names() } else { m.dof_names().to_vec() };
            return invalid(format!("the initial {what} of `{}` are not finite: `{}`", names[k], values[k]));
        }
    }
    Ok(())
}

/// Gives quaternions unit length.
fn normalise(m: &Model<f64>, q: &mut [f64]) -> Result<()> {
    for joint in m.joints().iter().filter(|j| j.q.len() != j.v.len()) {
        let quaternion = &mut q[joint.q.end - 4..joint.q.end];
        let length = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(0.5..2.0).contains(&length) {
            return invalid(format!(
                "the initial quaternion of joint `{}` has length {length}; expected 1",
                joint.name
            ));
        }
        quaternion.iter_mut().for_each(|x| *x /= length);
    }
    Ok(())
}

fn check_stops(m: &Model<f64>, stops: &[[f64; 2]], places: &[Option<usize>], q: &[f64]) -> Result<()> {
    for (i, ([lower, upper], place)) in stops.iter().zip(places).enumerate() {
        let Some(x) = place.map(|k| q[k]) else { continue };
        if x < *lower || x > *upper {
            let joint = &m.dof_names()[i];
            return invalid_option(
                "initial_state",
                format!(
                    "joint `{joint}` starts at {x}, outside its range {lower} … {upper}; change the initial configuration, or \
                     simulate without stops"
                ),
            );
        }
    }
    Ok(())
}

//! A robot in a state, over any scalar.

use crate::document::RobotSource;
use crate::motion::{Moving, moving};
use crate::robot::{Robot, parameter_values};
use crate::value::Value;
use armdyn_core::{Inertia, LinkId, Model, Real, SplitMix64, Sym3, Transform, Vec3, vec3};
use armdyn_symbolic::closed::{Poly, PolynomialModel};
use std::collections::HashMap;
use std::sync::Arc;

/// The integer that a direction cosine equals up to rounding.
pub fn whole(x: f64) -> Option<f64> {
    ((x - x.round()).abs() < 1e-12).then(|| x.round())
}

/// Rounds rotations that are multiples of 90° up to rounding.
pub fn tidy(pose: Transform<f64>) -> Transform<f64> {
    Transform::new(pose.rotation.map(|x| whole(x).unwrap_or(x)), pose.translation)
}

/// A model and its coordinates as functions of time.
pub type OverTime<S> = (Model<Moving<S>>, Vec<Moving<S>>);

/// A robot in a state.
#[derive(Clone)]
pub struct Scene<S> {
    /// The robot.
    pub robot: Arc<Robot>,
    /// The model over the scalar.
    pub model: Model<S>,
    /// Drive inertia that is not in the model: row, column (≥ row), value.
    pub drives: Vec<(usize, usize, S)>,
    /// Parameter values by the names that `armdyn derive` uses.
    pub parameters: HashMap<String, S>,
    /// The rigid parts, if they have the parameters: the link's number and the centre of mass in its frame.
    pub parts: HashMap<String, (LinkId, Vec3<S>)>,
    /// Coordinates, rates, accelerations.
    pub state: [Vec<S>; 3],
    /// Base velocities and accelerations, if the document names them.
    pub base: [Vec<S>; 2],
    /// External force and moment on the last link, if the document names them.
    pub wrench: Vec<S>,
}

impl<S: Real> Scene<S> {
    /// The degree of freedom of a coordinate by the document's name.
    pub fn coordinate(&self, name: &str) -> Result<usize, String> {
        let names = &self.robot.source.coordinates;
        let none = || format!("`{name}` is not a coordinate of the robot: {}", names.join(", "));
        names.iter().position(|own| own == name).ok_or_else(none)
    }

    /// The list and index of a named value: coordinates, base velocities, external wrench.
    pub fn place(&self, name: &str) -> Option<(usize, usize)> {
        let plain = name.trim_end_matches('\'');
        let order = name.len() - plain.len();
        let robot = &self.robot.source;
        let named = [(0, 3, &robot.coordinates), (3, 2, &robot.base), (5, 1, &robot.wrench)];
        named
            .iter()
            .filter(|(_, orders, _)| order < *orders)
            .find_map(|(first, _, names)| names.iter().position(|own| own == plain).map(|k| (first + order, k)))
    }

    /// Sets a value.
    pub fn set(&mut self, (list, k): (usize, usize), value: S) {
        let ([q, qd, qdd], [speeds, rates]) = (&mut self.state, &mut self.base);
        [q, qd, qdd, speeds, rates, &mut self.wrench][list][k] = value;
    }

    /// The drives' contribution to M.
    pub fn drive_inertia(&self, i: usize, j: usize) -> S {
        let own = self.drives.iter().filter(|d| (d.0, d.1) == (i.min(j), i.max(j)));
        own.fold(S::zero(), |sum, d| sum + d.2)
    }

    /// Adds the torques that accelerate the drives.
    pub fn with_drives(&self, mut tau: Vec<S>) -> Vec<S> {
        let qdd = &self.state[2];
        for &(i, j, inertia) in &self.drives {
            tau[i] += inertia * qdd[j];
            if i != j {
                tau[j] += inertia * qdd[i];
            }
        }
        tau
    }

    /// The model and its coordinates as functions of time.
    pub fn over_time(&self) -> Result<OverTime<S>, String> {
        let [q, qd, qdd] = &self.state;
        if q.len() != self.model.nq() {
            return Err("a joint velocity is not the derivative of a coordinate here".to_string());
        }
        let q = (0..q.len()).map(|k| moving(q[k], qd[k], qdd[k])).collect();
        Ok((self.model.map(|x| moving(x, S::zero(), S::zero())), q))
    }

    /// The value of a name.
    pub fn value(&self, name: &str) -> Option<Value<S>> {
        let ([q, qd, qdd], [speeds, rates]) = (&self.state, &self.base);
        self.place(name).map(|(list, k)| [q, qd, qdd, speeds, rates, &self.wrench][list][k].into())
    }
}

/// Numbers with the robot's own parameters, all coordinates zero.
pub fn at_zero(robot: &Arc<Robot>) -> Scene<f64> {
    lifted(robot, vec![0.0; robot.model.nv()])
}

/// Numbers in a random state; after the first trial also with random parameters. Zeros stay zero.
pub fn at_random(robot: &Arc<Robot>, trial: u64) -> Scene<f64> {
    let mut random = SplitMix64(trial);
    let (m, own) = (&robot.model, trial == 0 || robot.source.tip.is_some());
    let mut factors: Vec<Vec<f64>> = vec![];
    for _ in 0..=m.body_count() {
        factors.push((0..13).map(|_| if own { 1.0 } else { 1.0 + random.within(0.5) }).collect());
    }
    let changed = m.with_bodies(|number, b| {
        let f = &factors[number];
        let stretch = |v: Vec3<f64>, k: usize| vec3(v.x * f[k], v.y * f[k + 1], v.z * f[k + 2]);
        let t = &b.inertia.second;
        let second = Sym3 {
            xx: t.xx * f[7],
            xy: t.xy * f[8],
            xz: t.xz * f[9],
            yy: t.yy * f[10],
            yz: t.yz * f[11],
            zz: t.zz * f[12],
        };
        let inertia = Inertia { mass: b.inertia.mass * f[0], first: stretch(b.inertia.first, 1), second };
        (Transform::new(b.placement.rotation, stretch(b.placement.translation, 4)), inertia)
    });
    let parameters = parameter_values(&changed);
    let scene = of(robot, changed, parameters, &mut || random.within(1.0));
    scene.by_parts(|_, value| if own { value } else { value * (1.0 + random.within(0.5)) })
}

/// A scene without drives and parts; `number` gives its coordinates, velocities and wrench.
fn of<S: Real>(
    robot: &Arc<Robot>,
    model: Model<S>,
    parameters: HashMap<String, S>,
    number: &mut dyn FnMut() -> S,
) -> Scene<S> {
    let mut list = |n: usize| (0..n).map(|_| number()).collect::<Vec<S>>();
    let (n, base, wrench) = (model.nv(), robot.source.base.len(), robot.source.wrench.len());
    let (state, base, wrench) = ([list(n), list(n), list(n)], [list(base), list(base)], list(wrench));
    Scene { robot: robot.clone(), model, drives: vec![], parameters, parts: HashMap::new(), state, base, wrench }
}

/// Polynomials in coordinates, velocities, accelerations and parameters.
pub fn over_polynomials(robot: &Arc<Robot>, over: PolynomialModel) -> Scene<Poly> {
    let names = over.parameters.iter().map(|p| p.symbol.plain());
    let parameters = names.map(|name| (name.clone(), Poly::symbol(&name))).collect();
    let of_names =
        |names: &[String], dashes: &str| names.iter().map(|c| Poly::symbol(&format!("{c}{dashes}"))).collect();
    let RobotSource { coordinates, base, wrench, .. } = &robot.source;
    let scene = Scene {
        drives: over.drives,
        state: [over.q, of_names(coordinates, "'"), of_names(coordinates, "''")],
        base: [of_names(base, ""), of_names(base, "'")],
        wrench: of_names(wrench, ""),
        ..of(robot, over.model, parameters, &mut Poly::zero)
    };
    scene.by_parts(|name, _| Poly::symbol(name))
}

/// Any scalar, with the robot's own parameters and given coordinates.
pub fn lifted<S: Real>(robot: &Arc<Robot>, q: Vec<S>) -> Scene<S> {
    let parameters = parameter_values(&robot.model).into_iter().map(|(name, x)| (name, S::lift(x))).collect();
    let mut scene = of(robot, robot.model.cast(), parameters, &mut S::zero);
    scene.state[0] = q;
    scene.by_parts(|_, value| S::lift(value))
}

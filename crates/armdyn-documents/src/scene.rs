//! A robot in a state, over any scalar: what questions are put to.

use crate::document::RobotSource;
use crate::value::Value;
use armdyn::{Drive, Friction, Inertia, JointKind, Model, Real, Sym3, Transform, Vec3, vec3};
use armdyn_import::library::bundled;
use armdyn_import::{Description, JointDescription, LinkDescription, Place};
use armdyn_symbolic::closed::{OverPolynomials, Poly};
use armdyn_symbolic::figures;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A robot of a document.
#[derive(Debug)]
pub struct Robot {
    /// As its file has it.
    pub description: Description,
    /// As it is asked.
    pub model: Model<f64>,
    /// What the document calls its coordinates.
    pub coordinates: Vec<String>,
    /// Whether its figures are those of its parts.
    pub by_parts: bool,
    /// Figures of parts that are the same as others.
    pub equal: BTreeMap<String, String>,
    /// Whether something is fixed to it at numbers, so that it has no figures but its own.
    pub own_figures: bool,
}

impl Robot {
    /// Reads it.
    pub fn new(source: &RobotSource) -> Result<Self, String> {
        let file = bundled(&source.file).ok_or_else(|| format!("there is no bundled robot `{}`", source.file))?;
        let mut description = file.load().description.ok_or_else(|| format!("`{}` cannot be read", source.file))?;
        if let Some(tip) = &source.tip {
            add_tip(&mut description, &tip.link, tip.at);
        }
        if let Some(f) = source.friction {
            let levels = Friction { viscous: f.viscous, coulomb_forward: f.coulomb, ..Friction::none() };
            let friction = Friction { coulomb_backward: f.coulomb, stribeck: f.excess, stribeck_speed: 1e-9, ..levels };
            for joint in description.joints.iter_mut().filter(|j| j.kind != JointKind::Fixed) {
                joint.drives.resize(joint.drives.len().max(1), Drive::ideal());
                joint.drives.iter_mut().for_each(|drive| drive.friction = friction);
            }
        }
        let mut model = description.model().map_err(|e| e.to_string())?;
        if source.links_alone {
            model = model.without_drives();
        }
        if let Some(load) = &source.payload {
            let [x, y, z] = load.centre;
            let inertia = Inertia::point(load.mass, vec3(x, y, z));
            model =
                model.with_payload("load", &load.link, inertia, Transform::identity()).map_err(|e| e.to_string())?;
        }
        if source.coordinates.len() != model.nv() {
            return Err(format!("`{}` has {} coordinates, not {}", source.file, model.nv(), source.coordinates.len()));
        }
        let robot = Robot {
            description,
            model,
            coordinates: source.coordinates.clone(),
            by_parts: source.by_parts,
            equal: source.equal.clone(),
            own_figures: source.tip.is_some(),
        };
        robot.check_equal(&figures_of(&robot.model)).map_err(|e| format!("`{}`: {e}", source.file))?;
        Ok(robot)
    }
}

/// A link `tip` without mass, fixed to another.
fn add_tip(robot: &mut Description, link: &str, [x, y, z]: [f64; 3]) {
    let (name, place) = ("tip".to_string(), Place::nowhere());
    robot.links.push(LinkDescription {
        name: name.clone(),
        place: place.clone(),
        parts: vec![],
        shapes: vec![],
        beam: None,
    });
    robot.joints.push(JointDescription {
        name: name.clone(),
        place,
        kind: JointKind::Fixed,
        parent: link.to_string(),
        child: name,
        placement: Transform::shifted(vec3(x, y, z)),
        drives: vec![],
        stiffness: vec![],
        mimic: None,
    });
}

fn figures_of(model: &Model<f64>) -> BTreeMap<String, f64> {
    figures(model).into_iter().map(|p| (p.symbol.plain(), p.value)).collect()
}

/// With whole quarter turns where its rotation is that but for rounding.
pub fn tidy(pose: Transform<f64>) -> Transform<f64> {
    let whole = |x: f64| if (x - x.round()).abs() < 1e-12 { x.round() } else { x };
    Transform::new(pose.rotation.map(whole), pose.translation)
}

/// A robot in a state.
#[derive(Clone)]
pub struct Scene<S> {
    /// Whose it is.
    pub robot: Arc<Robot>,
    /// The model over the scalar.
    pub model: Model<S>,
    /// What of M the drives have beside the model's: row, column, share.
    pub drives: Vec<(usize, usize, S)>,
    /// The figures by the names that `armdyn derive` gives them.
    pub figures: BTreeMap<String, S>,
    /// The rigid parts, where figures are theirs: the link's number, and the centre of mass in its frame.
    pub parts: BTreeMap<String, (usize, Vec3<S>)>,
    /// Coordinates, rates, accelerations.
    pub state: [Vec<S>; 3],
}

impl<S: Real> Scene<S> {
    /// The place of a coordinate, rate or acceleration by the document's name.
    pub fn coordinate(&self, name: &str) -> Option<(usize, usize)> {
        let plain = name.trim_end_matches('\'');
        let dof = self.robot.coordinates.iter().position(|c| c == plain)?;
        let order = name.len() - plain.len();
        (order < 3).then_some((order, dof))
    }

    /// The value of a coordinate, rate or acceleration.
    pub fn value(&self, name: &str) -> Option<Value<S>> {
        self.coordinate(name).map(|(order, dof)| self.state[order][dof].into())
    }
}

/// Numbers, with the robot's own figures, at zero.
pub fn at_zero(robot: &Arc<Robot>) -> Scene<f64> {
    of(robot, robot.model.clone(), |_| 0.0).by_parts(|_, value| value)
}

/// Numbers, in a random state; for other trials than the first with random figures as well. What is zero stays zero.
pub fn at_random(robot: &Arc<Robot>, trial: u64) -> Scene<f64> {
    let mut random = StdRng::seed_from_u64(trial);
    let (m, own) = (&robot.model, trial == 0 || robot.own_figures);
    let mut factors: Vec<Vec<f64>> = vec![];
    for _ in 0..=m.body_count() {
        factors.push((0..13).map(|_| if own { 1.0 } else { random.random_range(0.5..1.5) }).collect());
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
    let scene = of(robot, changed, |_| random.random_range(-1.0..1.0));
    scene.by_parts(|_, value| if own { value } else { value * random.random_range(0.5..1.5) })
}

fn of(robot: &Arc<Robot>, model: Model<f64>, mut number: impl FnMut(usize) -> f64) -> Scene<f64> {
    let (figures, n) = (figures_of(&model), model.nv());
    let state = [0, 1, 2].map(|_| (0..n).map(&mut number).collect());
    Scene { robot: robot.clone(), model, drives: vec![], figures, parts: BTreeMap::new(), state }
}

/// Polynomials in everything: coordinates, rates, accelerations and figures.
pub fn over_polynomials(robot: &Arc<Robot>, over: OverPolynomials) -> Scene<Poly> {
    let figures =
        over.figures.iter().map(|p| p.symbol.plain()).map(|name| (name.clone(), Poly::symbol(&name))).collect();
    let rates = |dashes: &str| robot.coordinates.iter().map(|c| Poly::symbol(&format!("{c}{dashes}"))).collect();
    let state = [over.q, rates("'"), rates("''")];
    let (model, drives, parts) = (over.model, over.drives, BTreeMap::new());
    Scene { robot: robot.clone(), model, drives, figures, parts, state }.by_parts(|name, _| Poly::symbol(name))
}

/// Any scalar that is lifted from the robot's own figures, with coordinates given.
pub fn lifted<S: Real>(robot: &Arc<Robot>, q: Vec<S>) -> Scene<S> {
    let still = vec![S::zero(); q.len()];
    let scene = Scene {
        robot: robot.clone(),
        model: robot.model.cast(),
        drives: vec![],
        figures: figures_of(&robot.model).into_iter().map(|(name, x)| (name, S::lift(x))).collect(),
        parts: BTreeMap::new(),
        state: [q, still.clone(), still],
    };
    scene.by_parts(|_, value| S::lift(value))
}

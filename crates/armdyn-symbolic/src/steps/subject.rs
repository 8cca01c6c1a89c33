//! A robot in motion, over the scalar of a trace: its model, and its links in the frames of the robot file.

use super::{Quantity, Step, Symbol};
use armdyn_core::{Error, Friction, Inertia, Model, Real, Rotation, Sym3, Transform, Vec3, rounded, vec3};

/// A body: the link that a pair moves, in the frame of the robot file. A joint of several degrees of freedom has a body per pair,
/// all but the last without mass.
#[derive(Clone, Debug)]
pub(super) struct Link<T> {
    /// The name of the link; of a body between pairs, that of its degree of freedom.
    pub name: String,
    /// The axes of the link's frame in those of the body's frame, whose z axis is the joint's axis.
    pub axes: Rotation<T>,
    /// Mass.
    pub mass: T,
    /// Centre of mass, in the link's frame.
    pub centre: Vec3<T>,
    /// Inertia tensor about the centre of mass, in the link's axes.
    pub central: Sym3<T>,
    /// Inertia in the link's frame.
    pub inertia: Inertia<T>,
    /// Whether it has no mass.
    pub massless: bool,
}

/// A robot in motion.
#[derive(Clone, Debug)]
pub(super) struct Subject<T> {
    /// The model, without drives.
    pub model: Model<T>,
    /// By number of body; 0 is the base.
    pub links: Vec<Link<T>>,
    pub q: Vec<T>,
    pub qd: Vec<T>,
    pub qdd: Vec<T>,
    /// Gᵀ J G of the drives, nv × nv, if there are any.
    pub drives: Option<Vec<T>>,
    /// Friction torques, if there are any.
    pub friction: Option<Vec<T>>,
}

/// What a method needs of a robot's joints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joints {
    /// Any joint.
    Any,
    /// One degree of freedom per pair.
    OneAxis,
}

/// An error that names the joint if a method does not cover a robot.
pub(super) fn check(m: &Model<f64>, joints: Joints) -> Result<(), Error> {
    if let Some(f) = m.followers().first() {
        let formulation = "the documents cover independent joints; lock the mimic joint's leader (--lock)";
        return Err(Error::Unsupported { formulation, joint: m.joints()[f.joint].name.clone() });
    }
    if let Some(r) = m.rotors().iter().find(|r| r.mount.is_some()) {
        let formulation = "the documents count a rotor's reflected inertia alone; ignore spinning rotors (--no-drives)";
        return Err(Error::Unsupported { formulation, joint: r.name.clone() });
    }
    let several = m.base_to_tip().find(|(_, b)| b.pair.nv() != 1);
    if let (Joints::OneAxis, Some((_, b))) = (joints, several) {
        let formulation = "this method covers joints of one degree of freedom per coordinate; use newton-euler or lau";
        return Err(Error::Unsupported { formulation, joint: m.dof_names()[b.v].clone() });
    }
    Ok(())
}

/// Gᵀ J G and armature of the drives, nv × nv.
fn drive_inertia(m: &Model<f64>) -> Vec<f64> {
    let n = m.nv();
    let mut matrix = vec![0.0; n * n];
    m.armature().iter().enumerate().for_each(|(i, x)| matrix[i * n + i] += x);
    for r in m.rotors() {
        for &(i, a) in &r.gear {
            for &(j, b) in &r.gear {
                matrix[i.index() * n + j.index()] += r.inertia * a * b;
            }
        }
    }
    matrix
}

impl Subject<f64> {
    /// A robot at a state.
    pub fn at(m: &Model<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> Self {
        let drives = drive_inertia(m);
        let friction: Vec<f64> = m.friction().iter().zip(qd).map(|(f, &qd)| f.torque(qd)).collect();
        let model = m.without_drives();
        let mut links = Subject::links(m, &model, |r| r);
        for link in &mut links {
            // The tensor about the centre is a difference: what is left of rounding is zero.
            let scale = link.inertia.second.trace();
            link.central = link.central.map(|x| rounded(x, scale));
        }
        Subject {
            links,
            model,
            q: q.to_vec(),
            qd: qd.to_vec(),
            qdd: qdd.to_vec(),
            drives: drives.iter().any(|x| *x != 0.0).then_some(drives),
            friction: m.friction().iter().any(|f| *f != Friction::none()).then_some(friction),
        }
    }
}

impl<T: Real> Subject<T> {
    /// The links of `model`, which is `numeric` over another scalar without its drives. `tidy` makes the axes of link frames exact.
    pub fn links(numeric: &Model<f64>, model: &Model<T>, tidy: fn(Rotation<f64>) -> Rotation<f64>) -> Vec<Link<T>> {
        let mut links: Vec<Link<T>> = (0..=numeric.body_count())
            .map(|b| Link {
                name: if b == 0 { numeric.links()[0].name.clone() } else { body_name(numeric, b) },
                axes: Rotation::identity(),
                mass: T::zero(),
                centre: Vec3::zero(),
                central: Sym3::zero(),
                inertia: Inertia::zero(),
                massless: true,
            })
            .collect();
        for joint in numeric.joints() {
            if let Some(last) = joint.bodies.clone().last() {
                let link = &numeric.links()[joint.child];
                links[last].name = link.name.clone();
                links[last].axes = tidy(link.pose.rotation).map(T::lift);
            }
        }
        for (number, b) in model.base_to_tip() {
            let link = &mut links[number];
            link.inertia = b.inertia.transformed(&Transform::from_rotation(link.axes.inverse()));
            link.mass = link.inertia.mass;
            link.massless = numeric.body(number).inertia.mass == 0.0;
            link.centre = if link.massless { Vec3::zero() } else { centre_of(&link.inertia) };
            link.central = link.inertia.second - Sym3::shift(link.inertia.first * T::lift(0.5), link.centre);
        }
        links
    }

    /// The pose of each body's link frame in that of its parent.
    pub fn placements(&self) -> Vec<Transform<T>> {
        let mut trig = vec![(T::zero(), T::zero()); self.q.len()];
        T::sin_cos_each(&self.q, &mut trig);
        let axes = |b: usize| Transform::from_rotation(self.links[b].axes);
        let mut all = vec![Transform::identity()];
        for (i, b) in self.model.base_to_tip() {
            let x = b.pair.pose(&b.placement, &self.q[b.q..], &trig[b.q..]);
            all.push(axes(b.parent).inverse().compose(&x).compose(&axes(i)));
        }
        all
    }

    /// The name of body i's frame: `{1}`.
    pub fn frame(&self, i: usize) -> String {
        format!("{{{i}}}")
    }

    /// The torques τ of the links, and what the drives add.
    pub fn torque_steps(&self, mut torques: Step<T>, tau: &[T]) -> Vec<Step<T>> {
        torques.quantities.extend(self.torques("", tau));
        if self.drives.is_none() && self.friction.is_none() {
            return vec![torques];
        }
        let n = self.qd.len();
        let mut step = Step::new("Drives and friction", "Lin p. 41, Lau 4-98").formula(
            "τ = τ (links) + Gᵀ J G q̈ + friction",
            "\\tau = \\tau_{\\mathrm{links}} + G^T J G\\, \\ddot{q} + \\tau_f",
        );
        let mut total = tau.to_vec();
        let mut add = |letter: &str, part: &[T]| {
            total.iter_mut().zip(part).for_each(|(t, x)| *t += *x);
            step.quantities.extend(self.torques(letter, part));
        };
        if let Some(drives) = &self.drives {
            let row = |i: usize| (0..n).fold(T::zero(), |sum, j| drives[i * n + j].mul_add(self.qdd[j], sum));
            add("J", &(0..n).map(row).collect::<Vec<_>>());
        }
        if let Some(friction) = &self.friction {
            add("f", friction);
        }
        step.quantities.extend(self.torques("", &total));
        vec![torques, step]
    }

    /// τ of each degree of freedom, as quantities.
    fn torques(&self, letter: &str, tau: &[T]) -> Vec<Quantity<T>> {
        let one = |(v, &x): (usize, &T)| {
            let (name, unit) = (&self.model.dof_names()[v], self.model.torque_unit(v));
            Quantity::scalar(Symbol::new("τ").index(format!("{letter}{}", v + 1)), x, unit)
                .of_joint(name)
                .indices(&[v + 1])
        };
        tau.iter().enumerate().map(one).collect()
    }
}

/// The centre of mass. Components are divided one by one: over polynomials, 1/m is none, and m x/m is.
pub(super) fn centre_of<T: Real>(inertia: &Inertia<T>) -> Vec3<T> {
    let Inertia { mass, first, .. } = inertia;
    vec3(first.x / *mass, first.y / *mass, first.z / *mass)
}

fn body_name(m: &Model<f64>, body: usize) -> String {
    m.dof_names()[m.body(body).v].clone()
}

//! Random robots and states, reproducible by seed.

use armdyn_core::{
    BASE, Drive, Inertia, Joint, JointKind, Limits, Link, Mimic, Model, ModelBuilder, Order, Rotation, Sym3, Transform,
    Vec3, vec3,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A source of random numbers.
pub fn source(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// A number within ± `range`.
pub fn number(rng: &mut StdRng, range: f64) -> f64 {
    rng.random_range(-range..range)
}

/// `n` numbers within ± `range`.
pub fn numbers(rng: &mut StdRng, n: usize, range: f64) -> Vec<f64> {
    (0..n).map(|_| number(rng, range)).collect()
}

/// A direction.
pub fn axis(rng: &mut StdRng) -> [f64; 3] {
    loop {
        let v = vec3(number(rng, 1.0), number(rng, 1.0), number(rng, 1.0));
        if (0.1..1.0).contains(&v.norm()) {
            return (v * (1.0 / v.norm())).to_array();
        }
    }
}

/// A pose within half a metre.
pub fn pose(rng: &mut StdRng) -> Transform<f64> {
    let rotation = Rotation::rpy(number(rng, 3.0), number(rng, 1.5), number(rng, 3.0));
    Transform::new(rotation, vec3(number(rng, 0.5), number(rng, 0.5), number(rng, 0.5)))
}

/// The inertia of a random solid box somewhere near the origin.
pub fn inertia(rng: &mut StdRng) -> Inertia<f64> {
    let mass = rng.random_range(0.2..5.0);
    let [a, b, c]: [f64; 3] = core::array::from_fn(|_| rng.random_range(0.05..0.5_f64));
    let third = mass / 12.0;
    let tensor = Sym3::diagonal(third * (b * b + c * c), third * (a * a + c * c), third * (a * a + b * b));
    Inertia::about_centre(mass, Vec3::zero(), tensor).transformed(&pose(rng))
}

/// A link with the inertia of a random box.
pub fn link(rng: &mut StdRng, name: &str) -> Link {
    Link::new(name).part(name, inertia(rng), Transform::identity())
}

/// A serial arm: `kinds` has an `R` or a `P` for each joint.
pub fn arm(seed: u64, kinds: &str) -> Model<f64> {
    let mut rng = source(seed);
    let mut builder = ModelBuilder::new(&format!("random {kinds} {seed}"));
    let mut last = BASE;
    for (k, kind) in kinds.chars().enumerate() {
        let name = format!("joint{}", k + 1);
        let axis = axis(&mut rng);
        let joint = if kind == 'P' { Joint::prismatic(&name, axis) } else { Joint::revolute(&name, axis) };
        let link = link(&mut rng, &format!("link{}", k + 1));
        last = builder.add(last, joint.at(pose(&mut rng)), link);
    }
    builder.build().expect("a random arm is valid")
}

/// Which joints a random robot may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joints {
    /// Revolute.
    Turning,
    /// Prismatic.
    Sliding,
    /// Revolute and prismatic.
    Mixed,
    /// Every kind that is made of pairs with one axis, fixed ones too.
    SingleAxis,
    /// Every kind.
    All,
}

/// Which drives a random robot may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Drives {
    /// Ideal ones.
    Ideal,
    /// Rotors by their reflected inertia, armature.
    Rotors,
    /// The same, and friction.
    Friction,
    /// The same, and rotors that are geared to several joints.
    Coupled,
    /// The same, and rotors that spin in a moving link.
    Spinning,
}

/// A rotor that is geared to some degrees of freedom: inertia, gears, and the link (by its place in
/// [`Description::links`], 0 the base) and axis of its mount.
pub type GearedRotor = (f64, Vec<(String, f64)>, Option<(usize, [f64; 3])>);

/// A robot as input of the builder: other descriptions of the same robot must give the same model.
#[derive(Clone, Debug)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Gravity.
    pub gravity: [f64; 3],
    /// Each link: the number of its parent (0 is the base, 1 the first of these), its joint, itself.
    pub links: Vec<(usize, Joint, Link)>,
    /// Rotors besides those of single joints.
    pub rotors: Vec<GearedRotor>,
}

impl Description {
    /// A random robot of `count` joints; a chain, or a tree where it `branches`.
    pub fn random(seed: u64, count: usize, joints: Joints, branches: bool, drives: Drives) -> Self {
        let mut rng = source(seed);
        let rng = &mut rng;
        let shape = if branches { "tree" } else { "chain" };
        let mut made = Description {
            name: format!("random {shape} {seed} ({count} joints, {joints:?}, {drives:?})"),
            gravity: (Vec3::lift(axis(rng)) * rng.random_range(1.0..12.0)).to_array(),
            links: vec![],
            rotors: vec![],
        };
        for k in 0..count {
            let parent = if branches { rng.random_range(k / 2..=k) } else { k };
            let name = format!("joint{}", k + 1);
            let mut joint = Joint::new(&name, kind(rng, joints)).at(pose(rng));
            for v in 0..joint.kind.axes().len() {
                let limited = turns_twice_before(&joint.kind, v);
                joint = joint.driven_by(drive(rng, drives, limited));
            }
            made.links.push((parent, joint, link(rng, &format!("link{}", k + 1))));
        }
        if drives >= Drives::Coupled {
            let names = made.degrees();
            for _ in 0..names.len().min(2) {
                let gears = (0..rng.random_range(1..=names.len().min(3)))
                    .map(|_| (names[rng.random_range(0..names.len())].clone(), number(rng, 40.0)))
                    .collect();
                let mount = (drives == Drives::Spinning).then(|| (rng.random_range(0..=count), axis(rng)));
                made.rotors.push((rng.random_range(1e-4..1e-3), distinct(gears), mount));
            }
        }
        made
    }

    /// Lets some joints of one degree of freedom follow others, before or after them in the tree, also through chains. What
    /// follows has no Stribeck friction: its speed would have to fit that of its leader.
    #[must_use]
    pub fn with_followers(mut self, seed: u64) -> Self {
        let rng = &mut source(seed);
        let mut free: Vec<usize> = (0..self.links.len()).filter(|&k| self.links[k].1.kind.axes().len() == 1).collect();
        for k in (1..free.len()).rev() {
            free.swap(k, rng.random_range(0..=k));
        }
        for k in 1..free.len() {
            if k == 1 || rng.random_bool(0.5) {
                let leader = self.links[free[rng.random_range(0..k)]].1.name.clone();
                let joint = &mut self.links[free[k]].1;
                joint.mimic = Some(Mimic { joint: leader, multiplier: number(rng, 2.0), offset: number(rng, 0.5) });
                joint.drives.iter_mut().for_each(|d| d.friction.stribeck = 0.0);
            }
        }
        self.name += " with followers";
        self
    }

    /// The names of its degrees of freedom, in the order of q̇.
    pub fn degrees(&self) -> Vec<String> {
        let named = |(_, j, _): &(usize, Joint, Link)| -> Vec<String> {
            j.kind.axes().iter().map(|axis| axis.dof_name(&j.name)).collect()
        };
        self.links.iter().flat_map(named).collect()
    }

    /// A builder with all of it.
    pub fn builder(&self) -> ModelBuilder {
        let mut builder = ModelBuilder::new(&self.name);
        builder.gravity(self.gravity);
        let mut ids = vec![BASE];
        for (parent, joint, link) in &self.links {
            ids.push(builder.add(ids[*parent], joint.clone(), link.clone()));
        }
        for (inertia, gears, mount) in &self.rotors {
            let gears: Vec<(&str, f64)> = gears.iter().map(|(n, g)| (n.as_str(), *g)).collect();
            builder.coupled_rotor(*inertia, &gears, mount.map(|(link, axis)| (ids[link], axis)));
        }
        builder
    }

    /// The model.
    pub fn build(&self) -> Model<f64> {
        self.builder().build().unwrap_or_else(|e| panic!("a random robot is valid: {e}"))
    }
}

/// Gears on one degree of freedom are one gear.
fn distinct(gears: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let mut kept: Vec<(String, f64)> = vec![];
    for (name, gear) in gears {
        if kept.iter().all(|(n, _)| *n != name) {
            kept.push((name, gear));
        }
    }
    kept
}

/// Whether degree of freedom `v` is the pitch between a yaw and a roll: at ±90° the mass matrix is singular there.
fn turns_twice_before(kind: &JointKind, v: usize) -> bool {
    matches!(kind, JointKind::Generalized { rotations: [true, true, true], .. }) && kind.axes()[v].label == "pitch"
}

/// A joint of any kind that is allowed.
pub fn kind(rng: &mut StdRng, joints: Joints) -> JointKind {
    let choices = match joints {
        Joints::Turning => 0..1,
        Joints::Sliding => 1..2,
        Joints::Mixed => 0..2,
        Joints::SingleAxis => 0..9,
        Joints::All => 0..11,
    };
    let axis = axis(rng);
    match rng.random_range(choices) {
        0 => JointKind::Revolute { axis },
        1 => JointKind::Prismatic { axis },
        2 => JointKind::Helical { axis, pitch: number(rng, 0.3) },
        3 => JointKind::Cylindrical { axis },
        4 => JointKind::Universal { axes: [axis, across(rng, axis)] },
        5 => JointKind::Planar,
        6 => JointKind::Translation,
        7 => JointKind::Fixed,
        8 => generalized(rng),
        9 => JointKind::Spherical,
        _ => JointKind::Free,
    }
}

/// A direction at 60° at least from another.
fn across(rng: &mut StdRng, other: [f64; 3]) -> [f64; 3] {
    loop {
        let second = axis(rng);
        let along: f64 = second.iter().zip(other).map(|(a, b)| a * b).sum();
        if along.abs() < 0.5 {
            return second;
        }
    }
}

/// Lau's joint with at least one degree of freedom, in either order.
pub fn generalized(rng: &mut StdRng) -> JointKind {
    let order = if rng.random() { Order::RotationFirst } else { Order::TranslationFirst };
    loop {
        let (rotations, translations): ([bool; 3], [bool; 3]) = (rng.random(), rng.random());
        if rotations.iter().chain(&translations).any(|&chosen| chosen) {
            return JointKind::Generalized { rotations, translations, order };
        }
    }
}

/// A drive; limited to ± 1.2 rad or with no limits.
fn drive(rng: &mut StdRng, drives: Drives, limited: bool) -> Drive {
    let mut drive = Drive::ideal();
    if drives >= Drives::Rotors {
        drive = drive.armature(rng.random_range(0.01..0.2)).rotor(rng.random_range(1e-5..1e-4), number(rng, 80.0));
    }
    if drives >= Drives::Friction {
        let mut level = || rng.random_range(0.05..0.5);
        drive = drive.viscous(level()).coulomb(level(), level()).stribeck(level(), level());
    }
    if drives == Drives::Spinning && rng.random_bool(0.5) {
        drive = drive.gyroscopic_rotor(rng.random_range(1e-4..1e-3), number(rng, 40.0), axis(rng));
    }
    if limited {
        drive = drive.limits(Limits { lower: -1.2, upper: 1.2, ..Limits::NONE });
    }
    drive
}

/// A motion of a robot.
#[derive(Clone, Debug)]
pub struct State {
    /// Configuration: anywhere within the limits, quaternions of unit length.
    pub q: Vec<f64>,
    /// Velocity, within ± 2.
    pub qd: Vec<f64>,
    /// Acceleration, within ± 3.
    pub qdd: Vec<f64>,
}

impl State {
    /// A random one.
    pub fn random(m: &Model<f64>, rng: &mut StdRng) -> Self {
        let mut q = vec![0.0; m.nq()];
        m.random(|| rng.random(), &mut q).expect("the length is right");
        State { q, qd: numbers(rng, m.nv(), 2.0), qdd: numbers(rng, m.nv(), 3.0) }
    }
}

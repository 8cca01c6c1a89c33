//! Random robots and states, reproducible by seed.

use armdyn::{BASE, Inertia, Joint, Link, Model, ModelBuilder, Rotation, Sym3, Transform, Vec3, vec3};
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
    Inertia::about_centre(mass, Vec3::zero(), tensor).seen_from(&pose(rng))
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

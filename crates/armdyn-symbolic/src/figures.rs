//! The figures of a robot as symbols, and the model over them.
//!
//! A moving body has the mass m, the centre of mass (x, y, z) and the tensor I, in the frame of the link that its joint moves;
//! what is fixed to that link, and payloads, are part of it. The frame stands at (lx, ly, lz) in the frame of the body before
//! it where q is zero. What is zero in the robot's file stays zero. Rotations are numbers.

use crate::closed::{Poly, Tensor};
use crate::graph::{Expr, Given, Graph};
use armdyn_core::{Inertia, Model, Pair, Real, Rotation, Sym3, Transform, Vec3, vec3};
use std::cell::RefCell;

/// What counts as zero, of what it is measured by: a figure that a sum of others left.
const ZERO: f64 = 1e-12;

/// A symbol of a figure: a letter, axes, and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// `m`, `I`, `l`, ….
    pub letter: &'static str,
    /// `x`, `xx`, or nothing.
    pub axes: &'static str,
    /// The number of the body or of the degree of freedom, from 1; two of them for a coupling.
    pub number: Vec<usize>,
}

impl Symbol {
    /// In plain letters: `Ixx5`.
    pub fn plain(&self) -> String {
        let number: Vec<String> = self.number.iter().map(usize::to_string).collect();
        format!("{}{}{}", self.letter, self.axes, number.join("_"))
    }
}

/// A figure of the robot.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its symbol.
    pub symbol: Symbol,
    /// What it is.
    pub meaning: String,
    /// Its value in the robot's file, SI.
    pub value: f64,
    /// `kg`, `m`, `kg m²`, `m/s²`.
    pub unit: &'static str,
}

/// A number that a figure's symbol can be.
pub(crate) trait Symbolic: Real {
    /// A figure's symbol; `number` is how many were made before it.
    fn symbol(name: &str, number: usize, figure: &Parameter) -> Self;
}

impl Symbolic for Poly {
    fn symbol(name: &str, _: usize, _: &Parameter) -> Self {
        Poly::symbol(name)
    }
}

impl Symbolic for Expr {
    fn symbol(name: &str, number: usize, figure: &Parameter) -> Self {
        let formula = format!("{} [{}]", figure.meaning, figure.unit);
        Graph::parameter(number, name, Given { value: figure.value, formula })
    }
}

/// What a robot's figures are called.
pub(crate) struct Figures {
    symbolic: bool,
    tensor: Tensor,
    found: RefCell<Vec<Parameter>>,
}

impl Figures {
    /// Symbols, or else numbers; tensors about the centre of mass or the origin.
    pub fn new(symbolic: bool, tensor: Tensor) -> Self {
        Figures { symbolic, tensor, found: RefCell::new(vec![]) }
    }

    /// The symbols made, in order.
    pub fn into_parameters(self) -> Vec<Parameter> {
        self.found.into_inner()
    }

    /// A figure: zero, a number, or a symbol.
    fn figure<T: Symbolic>(
        &self,
        value: f64,
        scale: f64,
        (letter, axes): (&'static str, &'static str),
        number: &[usize],
        unit: &'static str,
        meaning: impl Fn() -> String,
    ) -> T {
        if value.abs() <= ZERO * scale {
            return T::zero();
        }
        if !self.symbolic {
            return T::lift(value);
        }
        let symbol = Symbol { letter, axes, number: number.to_vec() };
        let figure = Parameter { symbol, meaning: meaning(), value, unit };
        let mut found = self.found.borrow_mut();
        let own = T::symbol(&figure.symbol.plain(), found.len(), &figure);
        found.push(figure);
        own
    }

    fn vector<T: Symbolic>(
        &self,
        v: Vec3<f64>,
        letters: [(&'static str, &'static str); 3],
        number: usize,
        meaning: impl Fn() -> String,
    ) -> Vec3<T> {
        let [x, y, z] = [0, 1, 2].map(|k| {
            let axis = ["x", "y", "z"][k];
            let what = || format!("{}, {axis}", meaning());
            self.figure(v.get(k), v.norm().max(1e-3), letters[k], &[number], "m", what)
        });
        vec3(x, y, z)
    }

    fn inertia<T: Symbolic>(&self, body: &Inertia<f64>, number: usize, link: &str) -> Inertia<T> {
        let about = match self.tensor {
            _ if body.mass == 0.0 => body.second,
            Tensor::Origin => body.second,
            Tensor::Centre => body.central(),
        };
        let mass = self.figure(body.mass, 1e-300, ("m", ""), &[number], "kg", || format!("mass of {link}"));
        let centre = if body.mass == 0.0 { Vec3::zero() } else { body.centre() };
        let centre = self.vector(centre, [("x", ""), ("y", ""), ("z", "")], number, || {
            format!("centre of mass of {link}, in its frame")
        });
        let from = match self.tensor {
            Tensor::Origin => "the origin of its frame",
            Tensor::Centre => "its centre of mass",
        };
        // The tensor about the centre is a difference: its rounding has the size of what it was taken from.
        let element = |value: f64, axes: &'static str| {
            let what = || format!("inertia tensor of {link} about {from}, {axes}");
            self.figure(value, body.second.trace().abs(), ("I", axes), &[number], "kg m²", what)
        };
        let tensor = Sym3 {
            xx: element(about.xx, "xx"),
            xy: element(about.xy, "xy"),
            xz: element(about.xz, "xz"),
            yy: element(about.yy, "yy"),
            yz: element(about.yz, "yz"),
            zz: element(about.zz, "zz"),
        };
        match self.tensor {
            Tensor::Origin => Inertia::about_origin(mass, centre, tensor),
            Tensor::Centre => Inertia::about_centre(mass, centre, tensor),
        }
    }

    /// Gravity: one symbol g where it is along an axis.
    fn gravity<T: Symbolic>(&self, g: Vec3<f64>) -> Vec3<T> {
        let components: Vec<usize> = (0..3).filter(|&k| g.get(k) != 0.0).collect();
        if let [k] = components[..] {
            let size: T = self.figure(g.get(k).abs(), 0.0, ("g", ""), &[], "m/s²", || "gravity".to_string());
            return Vec3::unit(k) * (size * T::lift(g.get(k).signum()));
        }
        let [x, y, z] = [0, 1, 2].map(|k| {
            let axes = ["x", "y", "z"][k];
            self.figure(g.get(k), 0.0, ("g", axes), &[], "m/s²", || format!("gravity along the base's {axes}"))
        });
        vec3(x, y, z)
    }

    /// The drives' share of M: Gᵀ J G and armature. Rotors that spin in a moving body are left to the core.
    pub fn drives<T: Symbolic>(&self, m: &Model<f64>) -> Vec<(usize, usize, T)> {
        let n = m.nv();
        let mut shares = vec![0.0; n * n];
        for (i, &x) in m.armature().iter().enumerate() {
            shares[i * n + i] += x;
        }
        for r in m.rotors() {
            for &(i, a) in &r.gear {
                for &(j, b) in &r.gear {
                    shares[i.index() * n + j.index()] += r.inertia * a * b;
                }
            }
        }
        let mut out = vec![];
        for i in 0..n {
            for j in i..n {
                let (value, names) = (shares[i * n + j], m.dof_names());
                let (number, what) = if i == j {
                    (vec![i + 1], format!("inertia of the drive of {}, at the joint", names[i]))
                } else {
                    (vec![i + 1, j + 1], format!("coupling of {} and {} by their drives", names[i], names[j]))
                };
                let slides = [i, j].map(|k| matches!(m.body(m.dof_bodies()[k]).pair, Pair::Prismatic));
                let unit = ["kg m²", "kg m", "kg"][usize::from(slides[0]) + usize::from(slides[1])];
                if value != 0.0 {
                    out.push((i, j, self.figure(value, 0.0, ("J", ""), &number, unit, || what.clone())));
                }
            }
        }
        out
    }
}

/// The frame of each body, in which its figures are given: its orientation in the body's own frame, whose z axis is the joint's;
/// and what it is called. 0 is the base.
struct Frames {
    rotations: Vec<Rotation<f64>>,
    names: Vec<String>,
}

impl Frames {
    fn of(m: &Model<f64>) -> Self {
        let mut frames = Frames {
            rotations: vec![Rotation::identity(); m.body_count() + 1],
            names: (0..=m.body_count()).map(|b| format!("body {b}")).collect(),
        };
        frames.names[0] = m.links()[0].name.clone();
        for joint in m.joints() {
            if let Some(last) = joint.bodies.clone().last() {
                let link = &m.links()[joint.child];
                frames.rotations[last] = link.pose.rotation;
                frames.names[last] = link.name.clone();
            }
        }
        frames
    }
}

/// What is within this of a direction cosine of 0 or ±1 is that: rounding left it.
const QUARTER: f64 = 1e-12;

/// The nearest rotation by whole quarter turns, if that is what it is but for rounding; else itself.
fn tidy(r: Rotation<f64>) -> Rotation<f64> {
    let whole = r.map(f64::round);
    let columns = |r: &Rotation<f64>| [r.x, r.y, r.z].map(|v| v.to_array()).concat();
    let near = columns(&r).iter().zip(columns(&whole)).all(|(a, b)| (a - b).abs() <= QUARTER);
    let is_rotation = columns(&whole).iter().filter(|x| **x != 0.0).count() == 3;
    if near && is_rotation { whole.map(|x| x + 0.0) } else { r }
}

/// The model with whole quarter turns where its rotations are that but for rounding.
pub(crate) fn tidied(m: &Model<f64>) -> Model<f64> {
    m.with_bodies(|_, b| (Transform::new(tidy(b.placement.rotation), b.placement.translation), b.inertia))
}

/// The figures of a robot that are not zero, with tensors about the origins of the links' frames.
pub fn figures(m: &Model<f64>) -> Vec<Parameter> {
    let figures = Figures::new(true, Tensor::Origin);
    Graph::record(|| {
        with_symbols::<Expr>(&tidied(m), &m.cast(), &figures);
        figures.drives::<Expr>(m);
    });
    figures.into_parameters()
}

/// A model with a symbol for each of its figures; `over` is the same model, with what else is to be part of it.
pub(crate) fn with_symbols<T: Symbolic>(m: &Model<f64>, over: &Model<T>, figures: &Figures) -> Model<T> {
    let frames = Frames::of(m);
    let gravity = figures.gravity(m.gravity());
    over.with_gravity(gravity).with_bodies(|number, _| {
        let b = m.body(number);
        let (own, before) = (tidy(frames.rotations[number]), tidy(frames.rotations[b.parent]));
        let name = &frames.names[number];
        let seen = b.inertia.transformed(&Transform::from_rotation(own.inverse()));
        let inertia =
            figures.inertia::<T>(&seen, number, name).transformed(&Transform::from_rotation(own.map(T::lift)));
        let at = before.inverse_rotate(b.placement.translation);
        let at = figures.vector(at, [("l", "x"), ("l", "y"), ("l", "z")], number, || {
            format!("origin of {name}'s frame in that of {}, where q is zero", frames.names[b.parent])
        });
        let placement = Transform::new(tidy(b.placement.rotation).map(T::lift), before.map(T::lift).rotate(at));
        (placement, inertia)
    })
}

//! The parameters of a robot as symbols, and the model over them.
//!
//! A moving body has mass m, centre of mass (x, y, z) and inertia tensor I in the frame of the link that its joint moves,
//! including fixed links and payloads. At q = 0 the frame is at (lx, ly, lz) in the frame of the parent body. Zeros of the
//! robot file stay zero. Rotations are numbers.

use crate::closed::{Poly, Tensor};
use crate::graph::{Expr, Graph, ParameterValue};
use crate::symbols::SymbolNames;
use armdyn_core::{Inertia, Model, Pair, Real, Rotation, RotorInfo, Sym3, Tool, Transform, Vec3, vec3};
use std::borrow::Cow;
use std::cell::RefCell;

/// Relative magnitude below which a parameter is zero: rounding of a sum.
const ZERO: f64 = 1e-12;

/// The symbol of a parameter: letter, axes and number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// `m`, `I`, `l`, ….
    pub letter: Cow<'static, str>,
    /// `x`, `xx`, or empty.
    pub axes: Cow<'static, str>,
    /// The number of the body or degree of freedom, from 1; two for a coupling.
    pub number: Vec<usize>,
}

impl Symbol {
    /// Plain text: `Ixx5`.
    pub fn plain(&self) -> String {
        let number: Vec<String> = self.number.iter().map(usize::to_string).collect();
        format!("{}{}{}", self.letter, self.axes, number.join("_"))
    }
}

/// A parameter of the robot.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The symbol.
    pub symbol: Symbol,
    /// Description.
    pub meaning: String,
    /// The value for this robot, SI.
    pub value: f64,
    /// `kg`, `m`, `kg m²`, `m/s²`.
    pub unit: &'static str,
    /// The body that it belongs to: of a length the one in whose frame it is; 0 is the base.
    pub(crate) body: usize,
}

/// A scalar with symbols.
pub(crate) trait Symbolic: Real {
    /// The symbol of a parameter; `number` is its index in the table.
    fn symbol(name: &str, number: usize, parameter: &Parameter) -> Self;
}

impl Symbolic for Poly {
    fn symbol(name: &str, _: usize, _: &Parameter) -> Self {
        Poly::symbol(name)
    }
}

impl Symbolic for Expr {
    fn symbol(name: &str, number: usize, parameter: &Parameter) -> Self {
        let formula = format!("{} [{}]", parameter.meaning, parameter.unit);
        Graph::parameter(number, name, ParameterValue { value: parameter.value, formula })
    }
}

/// Creates the symbols of a robot's parameters and lists them.
pub(crate) struct SymbolTable {
    symbolic: bool,
    tensor: Tensor,
    names: SymbolNames,
    parameters: RefCell<Vec<Parameter>>,
}

impl SymbolTable {
    /// Symbols or numbers; tensors about the centre of mass or the origin.
    pub fn new(symbolic: bool, tensor: Tensor) -> Self {
        SymbolTable { symbolic, tensor, names: SymbolNames::default(), parameters: RefCell::new(vec![]) }
    }

    /// With other symbols; parameters with the same symbol are one, which [`SymbolNames::renamed`] allows if they are equal.
    pub fn named(self, names: SymbolNames) -> Self {
        SymbolTable { names, ..self }
    }

    /// The parameters with symbols, in order.
    pub fn into_parameters(self) -> Vec<Parameter> {
        self.parameters.into_inner()
    }

    /// A parameter: zero, a number, or a symbol.
    fn parameter<T: Symbolic>(
        &self,
        value: f64,
        scale: f64,
        letters: (&'static str, &'static str),
        number: &[usize],
        unit: &'static str,
        meaning: impl Fn() -> String,
    ) -> T {
        self.parameter_of(number.first().copied().unwrap_or(0), value, scale, letters, number, unit, meaning)
    }

    /// A parameter of a body.
    fn parameter_of<T: Symbolic>(
        &self,
        body: usize,
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
        let symbol = Symbol { letter: letter.into(), axes: axes.into(), number: number.to_vec() };
        let symbol = self.names.of(&symbol).cloned().unwrap_or(symbol);
        let parameter = Parameter { symbol, meaning: meaning(), value, unit, body };
        let mut parameters = self.parameters.borrow_mut();
        if let Some(k) = parameters.iter().position(|p| p.symbol == parameter.symbol) {
            return T::symbol(&parameter.symbol.plain(), k, &parameter);
        }
        let symbol = T::symbol(&parameter.symbol.plain(), parameters.len(), &parameter);
        parameters.push(parameter);
        symbol
    }

    /// A vector of lengths in the frame of a body: zeros, numbers, or symbols.
    pub fn vector<T: Symbolic>(
        &self,
        body: usize,
        v: Vec3<f64>,
        letters: [(&'static str, &'static str); 3],
        number: &[usize],
        meaning: impl Fn() -> String,
    ) -> Vec3<T> {
        let [x, y, z] = [0, 1, 2].map(|k| {
            let axis = ["x", "y", "z"][k];
            let what = || format!("{}, {axis}", meaning());
            self.parameter_of(body, v.get(k), v.norm().max(1e-3), letters[k], number, "m", what)
        });
        vec3(x, y, z)
    }

    fn inertia<T: Symbolic>(&self, body: &Inertia<f64>, number: usize, link: &str) -> Inertia<T> {
        let about = match self.tensor {
            _ if body.mass == 0.0 => body.second,
            Tensor::Origin => body.second,
            Tensor::Centre => body.central(),
        };
        let mass = self.parameter(body.mass, 1e-300, ("m", ""), &[number], "kg", || format!("mass of {link}"));
        let centre = if body.mass == 0.0 { Vec3::zero() } else { body.centre() };
        let centre = self.vector(number, centre, [("x", ""), ("y", ""), ("z", "")], &[number], || {
            format!("centre of mass of {link}, in its frame")
        });
        let from = match self.tensor {
            Tensor::Origin => "the origin of its frame",
            Tensor::Centre => "its centre of mass",
        };
        // The tensor about the centre is a difference: its rounding is relative to the tensor about the origin.
        let element = |value: f64, axes: &'static str| {
            let what = || format!("inertia tensor of {link} about {from}, {axes}");
            self.parameter(value, body.second.trace().abs(), ("I", axes), &[number], "kg m²", what)
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

    /// Gravity: one symbol g if it is along an axis.
    fn gravity<T: Symbolic>(&self, g: Vec3<f64>) -> Vec3<T> {
        let components: Vec<usize> = (0..3).filter(|&k| g.get(k) != 0.0).collect();
        if let [k] = components[..] {
            let size: T = self.parameter(g.get(k).abs(), 0.0, ("g", ""), &[], "m/s²", || "gravity".to_string());
            return Vec3::unit(k) * (size * T::lift(g.get(k).signum()));
        }
        let [x, y, z] = [0, 1, 2].map(|k| {
            let axes = ["x", "y", "z"][k];
            self.parameter(g.get(k), 0.0, ("g", axes), &[], "m/s²", || {
                format!("gravity along the {axes} axis of the base")
            })
        });
        vec3(x, y, z)
    }

    /// The pose of a tool in its body, with symbols xt, yt, zt for its position in the frame of the link that the body's joint moves.
    pub fn tool<T: Symbolic>(&self, m: &Model<f64>, tool: &Tool) -> Transform<T> {
        let (link, frames) = (&m.links()[tool.link], Frames::of(m));
        let (own, name) = (tidy(frames.rotations[link.body]), &frames.names[link.body]);
        let pose = link.pose.compose(&tool.pose);
        let at = own.inverse_rotate(pose.translation);
        let at = self.vector(link.body, at, [("x", "t"), ("y", "t"), ("z", "t")], &[], || {
            format!("position of the tool in the frame of {name}")
        });
        Transform::new(tidy(pose.rotation).map(T::lift), own.map(T::lift).rotate(at))
    }

    /// The model with symbols for the inertias of its drives: J, reflected to the joint, or if rotors are mounted on moving bodies
    /// or drive several joints, Jr of each rotor, n of its gear, and Ja of the armature. Where joints follow others the drives stay
    /// numbers.
    pub fn with_drives<T: Symbolic>(&self, m: &Model<f64>, over: Model<T>) -> Model<T> {
        const SAME: &str = "`over` is the same robot as `m`";
        if !m.followers().is_empty() {
            return over;
        }
        if m.rotors().iter().all(|r| r.mount.is_none() && r.gear.len() == 1) {
            let mut armature = vec![T::zero(); m.nv()];
            self.drives(m).into_iter().for_each(|(i, _, inertia)| armature[i] = inertia);
            return over.with_drive_inertia(armature, vec![]).expect(SAME);
        }
        let is_prismatic = |dof: usize| matches!(m.body(m.dof_bodies()[dof]).pair, Pair::Prismatic);
        let rotors = m.rotors().iter().zip(over.rotors()).enumerate().map(|(k, (r, over))| {
            let (letter, what) = (("J", "r"), || format!("inertia of the rotor of {}", r.name));
            let inertia = self.parameter(r.inertia, 0.0, letter, &[k + 1], "kg m²", what);
            let gear = r.gear.iter().map(|&(dof, ratio)| {
                let number = if r.gear.len() == 1 { vec![k + 1] } else { vec![k + 1, dof.index() + 1] };
                let unit = if is_prismatic(dof.index()) { "rad/m" } else { "" };
                let what = || {
                    format!(
                        "gear ratio of the rotor of {}: its speed over that of {}",
                        r.name,
                        m.dof_names()[dof.index()]
                    )
                };
                (dof, self.parameter(ratio, 0.0, ("n", ""), &number, unit, what))
            });
            RotorInfo { inertia, gear: gear.collect(), ..over.clone() }
        });
        let rotors = rotors.collect();
        let armature = m.armature().iter().enumerate().map(|(i, &x)| {
            let (unit, what) =
                (if is_prismatic(i) { "kg" } else { "kg m²" }, || format!("armature of {}", m.dof_names()[i]));
            self.parameter(x, 0.0, ("J", "a"), &[i + 1], unit, what)
        });
        over.with_drive_inertia(armature.collect(), rotors).expect(SAME)
    }

    /// The contribution of the drives to M: Gᵀ J G and armature, without the gyroscopic effect of rotors in moving bodies.
    pub fn drives<T: Symbolic>(&self, m: &Model<f64>) -> Vec<(usize, usize, T)> {
        let n = m.nv();
        let mut terms = vec![0.0; n * n];
        for (i, &x) in m.armature().iter().enumerate() {
            terms[i * n + i] += x;
        }
        for r in m.rotors() {
            for &(i, a) in &r.gear {
                for &(j, b) in &r.gear {
                    terms[i.index() * n + j.index()] += r.inertia * a * b;
                }
            }
        }
        let mut out = vec![];
        for i in 0..n {
            for j in i..n {
                let (value, names) = (terms[i * n + j], m.dof_names());
                let (number, what) = if i == j {
                    (vec![i + 1], format!("inertia of the drive of {}, reflected to the joint", names[i]))
                } else {
                    (vec![i + 1, j + 1], format!("inertia coupling of {} and {} by their drives", names[i], names[j]))
                };
                let prismatic = [i, j].map(|k| matches!(m.body(m.dof_bodies()[k]).pair, Pair::Prismatic));
                let unit = ["kg m²", "kg m", "kg"][usize::from(prismatic[0]) + usize::from(prismatic[1])];
                if value != 0.0 {
                    out.push((i, j, self.parameter(value, 0.0, ("J", ""), &number, unit, || what.clone())));
                }
            }
        }
        out
    }
}

/// The link frame of each body, in which its parameters are expressed: its orientation in the body frame (whose z axis is the
/// joint axis) and its name. 0 is the base.
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

/// Direction cosines within this of 0 or ±1 are rounded to it.
const QUARTER: f64 = 1e-12;

/// The nearest rotation by multiples of 90°, if it is one up to rounding; otherwise the rotation itself.
pub(crate) fn tidy(r: Rotation<f64>) -> Rotation<f64> {
    let whole = r.map(f64::round);
    let columns = |r: &Rotation<f64>| [r.x, r.y, r.z].map(|v| v.to_array()).concat();
    let near = columns(&r).iter().zip(columns(&whole)).all(|(a, b)| (a - b).abs() <= QUARTER);
    let is_rotation = columns(&whole).iter().filter(|x| **x != 0.0).count() == 3;
    if near && is_rotation { whole.map(|x| x + 0.0) } else { r }
}

/// The model with rotations that are multiples of 90° up to rounding made exact.
pub(crate) fn tidied(m: &Model<f64>) -> Model<f64> {
    m.with_bodies(|_, b| (Transform::new(tidy(b.placement.rotation), b.placement.translation), b.inertia))
}

/// The non-zero parameters of a robot, with inertia tensors about the origins of the link frames.
pub fn parameters(m: &Model<f64>) -> Vec<Parameter> {
    let symbols = SymbolTable::new(true, Tensor::Origin);
    Graph::record(|| {
        let _ = with_symbols::<Expr>(&tidied(m), &m.cast(), &symbols);
        symbols.drives::<Expr>(m);
    });
    symbols.into_parameters()
}

/// A model with a symbol for each of its parameters; `over` is the same model over `T`, with its drives.
pub(crate) fn with_symbols<T: Symbolic>(m: &Model<f64>, over: &Model<T>, symbols: &SymbolTable) -> Model<T> {
    let frames = Frames::of(m);
    let gravity = symbols.gravity(m.gravity());
    over.with_gravity(gravity).with_bodies(|number, _| {
        let b = m.body(number);
        let (own, before) = (tidy(frames.rotations[number]), tidy(frames.rotations[b.parent]));
        let name = &frames.names[number];
        let expressed = b.inertia.transformed(&Transform::from_rotation(own.inverse()));
        let inertia =
            symbols.inertia::<T>(&expressed, number, name).transformed(&Transform::from_rotation(own.map(T::lift)));
        let at = before.inverse_rotate(b.placement.translation);
        let at = symbols.vector(b.parent, at, [("l", "x"), ("l", "y"), ("l", "z")], &[number], || {
            format!("origin of the frame of {name} in that of {} at q = 0", frames.names[b.parent])
        });
        let placement = Transform::new(tidy(b.placement.rotation).map(T::lift), before.map(T::lift).rotate(at));
        (placement, inertia)
    })
}

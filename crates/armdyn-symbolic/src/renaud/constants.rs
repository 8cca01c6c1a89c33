//! The constants of the procedure: numbers or parameters of one robot, or the parameters of a model over any scalar.

use super::frames::RenaudFrames;
use crate::graph::{Expr, Graph, ParameterValue};
use crate::minimal::vector::V;
use armdyn_core::{Inertia, Model, Real, Vec3};
use std::cell::Cell;

/// The constants. `first` and `second` (xx, xy, xz, yy, yz, zz) are u* and k* of the augmented bodies, but u and k of the body itself
/// where the next joint is prismatic; `mass` is m*.
pub(crate) struct Constants<T> {
    /// The position of each origin less r along the axis, and r at q = 0.
    pub positions: Vec<(V<T>, T)>,
    pub first: Vec<V<T>>,
    pub second: Vec<[T; 6]>,
    pub mass: Vec<T>,
    pub gravity: T,
    /// The position of the wrench at the tip in the last frame.
    pub tip: V<T>,
}

/// Makes numbers, or parameters with names, in the present graph.
struct Maker {
    symbolic: bool,
    made: Cell<usize>,
}

impl Maker {
    /// A constant that is known up to roundings of sums of `size`.
    fn value(&self, x: f64, size: f64, name: impl FnOnce() -> (String, &'static str)) -> Expr {
        if x.abs() <= 1e-14 * size {
            return Expr::zero();
        }
        if !self.symbolic {
            return Graph::approximate(x, 2.0 * f64::EPSILON * size);
        }
        let (name, meaning) = name();
        let index = self.made.replace(self.made.get() + 1);
        Graph::parameter(index, &name, ParameterValue { value: x, formula: meaning.to_string() })
    }

    fn vector(&self, v: Vec3<f64>, size: f64, names: [String; 3], meaning: &'static str) -> V {
        let [x, y, z] = names;
        [(v.x, x), (v.y, y), (v.z, z)].map(|(value, name)| self.value(value, size, || (name, meaning)))
    }
}

impl Constants<Expr> {
    /// Numbers, or parameters with Renaud's symbols, in the present graph.
    pub fn recorded(arm: &RenaudFrames, symbolic: bool, tip_wrench: bool) -> Self {
        let maker = Maker { symbolic, made: Cell::new(0) };
        let frames = &arm.frames;
        let n = frames.len();
        let length = frames.iter().fold(arm.tip.translation.norm(), |s, f| s.max(f.position.norm()).max(f.r.abs()));
        let position = |j: usize| {
            let names = [format!("a{j}"), format!("p_y{}", j + 1), format!("p_z{}", j + 1)];
            let meaning = "position of the frame in the one before it [m]";
            let s = maker.vector(frames[j].position, length, names, meaning);
            (s, maker.value(frames[j].r, length, || (format!("r{}", j + 1), "length along the axis [m]")))
        };
        let positions = (0..n).map(position).collect();
        let (mut first, mut second, mut mass) = (vec![], vec![], vec![]);
        for j in 0..n {
            let next = frames.get(j + 1);
            let outboard: f64 = frames[j + 1..].iter().map(|f| f.inertia.mass).sum();
            let (reach, star) =
                next.map_or((0.0, "*"), |f| (f.position.norm() + f.r.abs(), if f.prismatic { "" } else { "*" }));
            let own = &frames[j].inertia;
            let body = arm.augmented(j, own, outboard, |f| (f.position, f.r));
            let sizes = (own.first.norm() + outboard * reach, own.second.trace().abs() + outboard * reach * reach);
            let names = ["x", "y", "z"].map(|c| format!("{c}{star}{}", j + 1));
            first.push(maker.vector(body.first, sizes.0, names, "first moment about the origin [kg m]"));
            // k = [a −f −e; −f b −d; −e −d c].
            let k = body.second;
            let elements = [(k.xx, "a"), (k.xy, "f"), (k.xz, "e"), (k.yy, "b"), (k.yz, "d"), (k.zz, "c")];
            second.push(elements.map(|(x, letter)| {
                let diagonal = ["a", "b", "c"].contains(&letter);
                let meaning = if diagonal { "moment of inertia [kg m²]" } else { "product of inertia [kg m²]" };
                let sign = if diagonal { 1.0 } else { -1.0 };
                // Without a star they would have the names of lengths.
                let of = if star.is_empty() { "k_" } else { "" };
                let value = maker.value(sign * x, sizes.1, || (format!("{of}{letter}{star}{}", j + 1), meaning));
                if diagonal { value } else { -value }
            }));
            // The mass itself is needed by prismatic joints alone.
            let total = own.mass + outboard;
            mass.push(match frames[j].prismatic {
                true => maker
                    .value(total, 0.0, || (format!("m*{}", j + 1), "mass of the body and those outboard of it [kg]")),
                false => Expr::lift(total),
            });
        }
        let gravity = maker.value(arm.gravity, 0.0, || ("g".to_string(), "gravity [m/s²]"));
        let tip = if tip_wrench { arm.tip.translation } else { Vec3::zero() };
        let names = ["p_x", "p_y", "p_z"].map(|p| format!("{p}{}", n + 1));
        let tip = maker.vector(tip, length, names, "position of the wrench in the last frame [m]");
        Constants { positions, first, second, mass, gravity, tip }
    }
}

impl<T: Real> Constants<T> {
    /// The parameters of a model, which is the frames' over another scalar.
    pub fn of_model(arm: &RenaudFrames, m: &Model<T>) -> Self {
        let n = arm.frames.len();
        let within: Vec<_> = arm.within.iter().map(|x| x.map(T::lift)).collect();
        let (mut positions, mut own) = (vec![], vec![]);
        for (k, b) in m.base_to_tip() {
            let axis = arm.frames[k - 1].axis().map(T::lift);
            // Frame 0 has the origin of frame 1 at q = 0.
            let translation = match k {
                1 => Vec3::zero(),
                _ => within[k - 2].inverse().compose(&b.placement).compose(&within[k - 1]).translation,
            };
            let r = axis.dot(translation);
            positions.push((translation - axis * r, r));
            own.push(b.inertia.transformed(&within[k - 1].inverse()));
        }
        let (mut first, mut second, mut mass) = (vec![Vec3::zero().to_array(); n], vec![], vec![T::zero(); n]);
        let mut outboard = T::zero();
        for j in (0..n).rev() {
            let body = arm.augmented(j, &own[j], outboard, |_| positions[j + 1]);
            first[j] = body.first.to_array();
            let k = body.second;
            second.push([k.xx, k.xy, k.xz, k.yy, k.yz, k.zz]);
            outboard += own[j].mass;
            mass[j] = outboard;
        }
        second.reverse();
        let positions = positions.into_iter().map(|(s, r)| (s.to_array(), r)).collect();
        // Gravity is along z of frame 0, upwards.
        let gravity = -arm.base.z.map(T::lift).dot(m.gravity());
        Constants { positions, first, second, mass, gravity, tip: arm.tip.translation.map(T::lift).to_array() }
    }
}

impl RenaudFrames {
    /// Body j with the outboard mass at the origin of the next frame if that is fixed in it: p = s + r d.
    fn augmented<T: Real>(
        &self,
        j: usize,
        own: &Inertia<T>,
        outboard: T,
        position: impl Fn(&super::RenaudFrame) -> (Vec3<T>, T),
    ) -> Inertia<T> {
        match self.frames.get(j + 1) {
            Some(next) if !next.prismatic => {
                let (s, r) = position(next);
                let mut body = *own;
                body += Inertia::point(outboard, s + next.axis().map(T::lift) * r);
                body
            }
            _ => *own,
        }
    }
}

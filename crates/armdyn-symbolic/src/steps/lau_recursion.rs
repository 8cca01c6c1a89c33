//! The recursive form of the generalized manipulator, in base axes.
//!
//! Lau 1985, ch. 5, eqs. 5-1 … 5-39, corrected. With the joint variables w, α, u, a of joint i, d from the origin of frame i to that of
//! the next one, and M, h = M p, J of link i about the origin of frame i:
//!
//!   wⁱ⁺¹ = wⁱ + w,   αⁱ⁺¹ = αⁱ + wⁱ × w + α
//!   b = εⁱ + a + 2 wⁱ⁺¹ × u,   εⁱ⁺¹ = b + αⁱ⁺¹ × d + wⁱ⁺¹ × (wⁱ⁺¹ × d),   ε¹ = −g
//!   Fᵢ = M b + αⁱ⁺¹ × h + wⁱ⁺¹ × (wⁱ⁺¹ × h) + Fᵢ₊₁
//!   Nᵢ = h × b + J αⁱ⁺¹ + wⁱ⁺¹ × J wⁱ⁺¹ + d × Fᵢ₊₁ + Nᵢ₊₁

use super::lau::Joint;
use super::subject::Subject;
use super::{Quantity, Step, Symbol};
use armdyn_core::{ClosedFormData, Force, Real, Transform, Vec3};

/// A link after its joint: w, α and, at the origin of frame i, b.
#[derive(Clone, Copy)]
struct Moved<T> {
    w: Vec3<T>,
    alpha: Vec3<T>,
    b: Vec3<T>,
    origin: Vec3<T>,
}

/// The steps of chapter 5.
pub(super) fn recursion<T: Real>(s: &Subject<T>, d: &ClosedFormData<T>, joints: &[Joint]) -> [Step<T>; 2] {
    let m = &s.model;
    let mut outward = Step::new("Chapter 5: velocities and accelerations, base to tip", "Lau 5-1 … 5-34")
        .formula("wⁱ⁺¹ = wⁱ + wᵢ,  αⁱ⁺¹ = αⁱ + wⁱ × wᵢ + αᵢ", "w^{i+1} = w^i + w_i,\\quad \\alpha^{i+1} = \\alpha^i + w^i \\times w_i + \\alpha_i")
        .formula(
            "εⁱ⁺¹ = εⁱ + αⁱ⁺¹ × d + wⁱ⁺¹ × (wⁱ⁺¹ × d) + 2 wⁱ⁺¹ × uᵢ + aᵢ",
            "\\varepsilon^{i+1} = \\varepsilon^i + \\alpha^{i+1} \\times d + w^{i+1} \\times (w^{i+1} \\times d) + 2 w^{i+1} \\times u_i + a_i",
        )
        .corrected("5-34", "g is printed; ε¹ = −g is used")
        .corrected("5-31, 5-83", "wⁱ and αⁱ are printed in the terms of link i; wⁱ⁺¹ and αⁱ⁺¹ are used");
    let mut inward = Step::new("Chapter 5: forces and torques, tip to base", "Lau 5-35 … 5-39, 5-77, 5-83")
        .formula(
            "Fᵢ = M (εⁱ + aᵢ + 2 wⁱ⁺¹ × uᵢ + αⁱ⁺¹ × p + wⁱ⁺¹ × (wⁱ⁺¹ × p)) + Fᵢ₊₁",
            "F_i = M (\\varepsilon^i + a_i + 2 w^{i+1} \\times u_i + \\alpha^{i+1} \\times p + w^{i+1} \\times (w^{i+1} \\times p)) + F_{i+1}",
        )
        .formula(
            "Nᵢ = M p × (εⁱ + aᵢ + 2 wⁱ⁺¹ × uᵢ) + J αⁱ⁺¹ + wⁱ⁺¹ × J wⁱ⁺¹ + d × Fᵢ₊₁ + Nᵢ₊₁",
            "N_i = M p \\times (\\varepsilon^i + a_i + 2 w^{i+1} \\times u_i) + J \\alpha^{i+1} + w^{i+1} \\times J w^{i+1} + d \\times F_{i+1} + N_{i+1}",
        );
    let vector = |symbol: Symbol, value: Vec3<T>, unit: &'static str, i: &Joint| {
        Quantity::vector(symbol, value.to_array(), unit).of_joint(&i.name).in_frame("base").indices(&[i.number])
    };
    let parent = |i: &Joint| {
        let start = m.body(m.joints()[i.at].bodies.start).parent;
        joints.iter().position(|p| m.joints()[p.at].bodies.contains(&start))
    };
    let zero = Vec3::zero();
    let mut moved: Vec<Moved<T>> = vec![];
    let mut wrenches: Vec<Force<T>> = vec![];
    for i in joints {
        let Some(v) = d.variables(i.at) else { continue };
        let axes = &v.frame.rotation;
        let origin = v.frame.translation;
        let before = parent(i).map(|p| moved[p]).unwrap_or(Moved { w: zero, alpha: zero, b: -m.gravity(), origin });
        let to = origin - before.origin;
        let epsilon = before.b + before.alpha.cross(to) + before.w.cross(before.w.cross(to));
        let [w, u] = [v.angular_velocity, v.velocity].map(|x| axes.rotate(x));
        let omega = before.w + w;
        let alpha = before.alpha + before.w.cross(w) + axes.rotate(v.angular_acceleration);
        let b = epsilon + axes.rotate(v.acceleration) + omega.cross(u) * T::lift(2.0);
        moved.push(Moved { w: omega, alpha, b, origin });
        let link = v.link.transformed(&Transform::from_rotation(*axes));
        let force = b * link.mass + alpha.cross(link.first) + omega.cross(omega.cross(link.first));
        let moment = link.first.cross(b) + link.second * alpha + omega.cross(link.second * omega);
        wrenches.push(Force::new(moment, force));
        let next = (i.number + 1).to_string();
        outward.push(vector(Symbol::new("w").above(next.clone()), omega, "rad/s", i));
        outward.push(vector(Symbol::new("α").above(next), alpha, "rad/s²", i));
        outward.push(vector(Symbol::new("ε").above(i.number.to_string()), epsilon, "m/s²", i));
    }
    for (k, i) in joints.iter().enumerate().rev() {
        let f = wrenches[k];
        inward.push(vector(Symbol::new("F").before("0").index(i.number.to_string()), f.force, "N", i));
        inward.push(vector(Symbol::new("N").before("0").index(i.number.to_string()), f.moment, "N m", i));
        if let Some(p) = parent(i) {
            let to = moved[k].origin - moved[p].origin;
            wrenches[p] += Transform::from_translation(to).force(f);
        }
    }
    [outward, inward]
}

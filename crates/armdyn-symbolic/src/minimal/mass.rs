//! The mass matrix by composite bodies (Walker & Orin 1982), on pseudo-inertias.
//!
//! With C = ∫ (r 1)(r 1)ᵀ dm of link j and all outboard links, a unit acceleration of its joint requires
//!
//!   revolute:  F = (−s_y, s_x, 0),  N = (−K13, −K23, K11 + K22);      prismatic along u:  F = m u,  N = s × u,
//!
//! and the torques of the joints nearer to the base are column j of M. A rotation by θ changes K11, K12, K22 by one product
//! each of t = (K22 − K11) sin θ − 2 K12 cos θ.

use super::choices::Site;
use super::context::Context;
use super::geometry::Moments;
use super::vector::*;
use super::wrenches::{At, position, sliders, transmit_wrenches};
use crate::graph::Expr;
use armdyn_core::Real;

/// Moments about an origin displaced by −p.
fn moved(m: Moments<Expr>, p: V) -> Moments<Expr> {
    let s = [m[6], m[7], m[8]];
    let mass = m[9];
    // s' = s + m p; K' = K + s pᵀ + p s'ᵀ.
    let moved = add(s, scale(mass, p));
    let second = |k: usize, i: usize, j: usize| m[k] + (s[i] * p[j] + p[i] * moved[j]);
    [
        second(0, 0, 0),
        second(1, 0, 1),
        second(2, 0, 2),
        second(3, 1, 1),
        second(4, 1, 2),
        second(5, 2, 2),
        moved[0],
        moved[1],
        moved[2],
        mass,
    ]
}

/// Moments rotated about z.
fn rotated_z(m: Moments<Expr>, t: CosSin) -> Moments<Expr> {
    let (c, sn) = t;
    let [k11, k12, k13, k22, k23, k33, sx, sy, sz, mass] = m;
    let x = (k22 - k11) * sn - Expr::lift(2.0) * k12 * c;
    let (k3, s) = (out([k13, k23, k33], t), out([sx, sy, sz], t));
    let along = sn * x;
    [k11 + along, -(c * x) - k12, k3[0], k22 - along, k3[1], k33, s[0], s[1], sz, mass]
}

/// Moments rotated about x.
fn rotated_x(m: Moments<Expr>, a: CosSin) -> Moments<Expr> {
    let (c, sn) = a;
    let [k11, k12, k13, k22, k23, k33, sx, sy, sz, mass] = m;
    let x = (k33 - k22) * sn - Expr::lift(2.0) * k23 * c;
    let (k1, s) = (untwist([k11, k12, k13], a), untwist([sx, sy, sz], a));
    let along = sn * x;
    [k11, k1[1], k1[2], k22 + along, -(c * x) - k23, k33 - along, sx, s[1], s[2], mass]
}

fn sum(a: Moments<Expr>, b: Moments<Expr>) -> Moments<Expr> {
    core::array::from_fn(|k| a[k] + b[k])
}

/// M, row-major.
pub(crate) fn mass(s: &Context) -> Vec<Expr> {
    let n = s.arm.len();
    // Composite bodies, and whether they are in the unrotated axes of their group.
    let mut composite = vec![[Expr::zero(); 10]; n];
    let mut flat = vec![false; n];
    let mut outboard = [Expr::zero(); 10];
    for (g, group) in s.groups.iter().enumerate().rev() {
        let joint = |u: usize| s.arm.units[u].joint.expect("a revolute unit");
        let slides = group.iter().any(|&u| !sliders(s, u).is_empty());
        let may_be_flat = !slides && (group.len() > 1 || g + 1 == s.groups.len());
        let all_flat = may_be_flat && s.choices.pick(Site::Composite, joint(group[0]), 2) == 1;
        for i in (1..=group.len()).rev() {
            let u = group[i - 1];
            let last = i == group.len();
            if all_flat {
                let t = s.cos_sin(group, 0, i);
                if last {
                    outboard = rotated_z(sum(s.moments[joint(u)], outboard), t);
                } else {
                    let p = out(s.lengths[joint(group[i])], t);
                    outboard = sum(rotated_z(s.moments[joint(u)], t), moved(outboard, p));
                }
            } else {
                if !last {
                    outboard = moved(rotated_z(outboard, s.cos_sin(group, i, i + 1)), s.lengths[joint(group[i])]);
                }
                for &j in sliders(s, u).iter().rev() {
                    outboard = sum(s.moments[j], outboard);
                    composite[j] = outboard;
                    outboard = moved(outboard, position(s, j));
                }
                outboard = sum(s.moments[joint(u)], outboard);
            }
            composite[joint(u)] = outboard;
            flat[joint(u)] = all_flat;
        }
        let root = group[0];
        let unrotated = if all_flat { outboard } else { rotated_z(outboard, s.cos_sin(group, 0, 1)) };
        outboard = moved(rotated_x(unrotated, s.alpha[root]), s.lengths[joint(root)]);
    }
    for &j in sliders(s, 0).iter().rev() {
        outboard = sum(s.moments[j], outboard);
        composite[j] = outboard;
        outboard = moved(outboard, position(s, j));
    }
    let mut m = vec![Expr::zero(); n * n];
    for column in 0..n {
        let c = &composite[column];
        let unit = &s.arm.units[s.arm.places[column].unit];
        let mut revolute = |at: At| {
            if at.link != column {
                return (zeros(), zeros(), false);
            }
            let sign = Expr::lift(unit.sign);
            (scale(sign, [-c[7], c[6], Expr::zero()]), scale(sign, [-c[2], -c[4], c[0] + c[3]]), flat[column])
        };
        let mut prismatic = |j: usize| {
            if j != column {
                return (zeros(), zeros());
            }
            let along = s.arm.places[j].slides.expect("a prismatic link").to_array().map(Expr::lift);
            (scale(c[9], along), cross([c[6], c[7], c[8]], along))
        };
        let tau = transmit_wrenches(s, &s.lengths, &mut revolute, &mut prismatic);
        for row in 0..=column {
            m[row * n + column] = tau[row];
            m[column * n + row] = tau[row];
        }
    }
    m
}

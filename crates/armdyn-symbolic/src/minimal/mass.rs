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
use super::tree::Attachment;
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

/// A branch's composite bodies.
struct Composite {
    /// Each link with all outboard links.
    bodies: Vec<Moments<Expr>>,
    /// Whether they are in the unrotated axes of their group.
    flat: Vec<bool>,
    /// The whole branch, in the axes of unit 0, about the origin of the link that it is attached to.
    whole: Moments<Expr>,
}

/// The composite bodies of a branch; `carried` are those of the branches on each link, in its axes, about its origin.
fn composite(s: &Context, carried: &[Moments<Expr>]) -> Composite {
    let n = s.arm.len();
    let mut bodies = vec![[Expr::zero(); 10]; n];
    let mut flat = vec![false; n];
    let link = |j: usize| sum(s.moments[j], carried[j]);
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
                    outboard = rotated_z(sum(link(joint(u)), outboard), t);
                } else {
                    let p = out(s.lengths[joint(group[i])], t);
                    outboard = sum(rotated_z(link(joint(u)), t), moved(outboard, p));
                }
            } else {
                if !last {
                    outboard = moved(rotated_z(outboard, s.cos_sin(group, i, i + 1)), s.lengths[joint(group[i])]);
                }
                for &j in sliders(s, u).iter().rev() {
                    outboard = sum(link(j), outboard);
                    bodies[j] = outboard;
                    outboard = moved(outboard, position(s, j));
                }
                outboard = sum(link(joint(u)), outboard);
            }
            bodies[joint(u)] = outboard;
            flat[joint(u)] = all_flat;
        }
        let root = group[0];
        let unrotated = if all_flat { outboard } else { rotated_z(outboard, s.cos_sin(group, 0, 1)) };
        outboard = moved(rotated_x(unrotated, s.alpha[root]), s.lengths[joint(root)]);
    }
    for &j in sliders(s, 0).iter().rev() {
        outboard = sum(link(j), outboard);
        bodies[j] = outboard;
        outboard = moved(outboard, position(s, j));
    }
    Composite { bodies, flat, whole: outboard }
}

/// The torques due to a wrench on a link, in its axes or the unrotated ones, and the wrench on what the branch is attached to.
fn transmitted(s: &Context, link: usize, (f, n): (V, V), flat: bool) -> (Vec<Expr>, (V, V)) {
    let mut revolute = |at: At| if at.link == link { (f, n, flat) } else { (zeros(), zeros(), false) };
    let mut prismatic = |j: usize| if j == link { (f, n) } else { (zeros(), zeros()) };
    transmit_wrenches(s, &s.lengths, &mut revolute, &mut prismatic)
}

/// M of a tree, row-major.
pub(crate) fn mass(tree: &[Context], dofs: usize) -> Vec<Expr> {
    let turn = |at: &Attachment| (Expr::lift(at.turn.0), Expr::lift(at.turn.1));
    let mut carried: Vec<Vec<Moments<Expr>>> = tree.iter().map(|s| vec![[Expr::zero(); 10]; s.arm.len()]).collect();
    let mut composites = vec![];
    for (k, s) in tree.iter().enumerate().rev() {
        let composite = composite(s, &carried[k]);
        if let Some(at) = &s.attachment {
            let on = &mut carried[at.branch][at.link];
            *on = sum(*on, rotated_z(composite.whole, turn(at)));
        }
        composites.insert(0, composite);
    }
    let mut m = vec![Expr::zero(); dofs * dofs];
    for (s, composite) in tree.iter().zip(&composites) {
        for link in 0..s.arm.len() {
            let column = s.arm.dofs[link];
            let mut put = |s: &Context, tau: &[Expr]| {
                for (&row, &t) in s.arm.dofs.iter().zip(tau).filter(|(row, _)| **row <= column) {
                    (m[row * dofs + column], m[column * dofs + row]) = (t, t);
                }
            };
            let c = &composite.bodies[link];
            let own = match s.arm.places[link].slides {
                None => {
                    let sign = Expr::lift(s.arm.units[s.arm.places[link].unit].sign);
                    (scale(sign, [-c[7], c[6], Expr::zero()]), scale(sign, [-c[2], -c[4], c[0] + c[3]]))
                }
                Some(along) => {
                    let along = along.to_array().map(Expr::lift);
                    (scale(c[9], along), cross([c[6], c[7], c[8]], along))
                }
            };
            let (tau, mut wrench) = transmitted(s, link, own, composite.flat[link]);
            put(s, &tau[..=link]);
            let mut attachment = s.attachment;
            while let Some(at) = attachment {
                let parent = &tree[at.branch];
                let (f, n) = (out(wrench.0, turn(&at)), out(wrench.1, turn(&at)));
                let tau;
                (tau, wrench) = transmitted(parent, at.link, (f, n), false);
                put(parent, &tau[..=at.link]);
                attachment = parent.attachment;
            }
        }
    }
    m
}

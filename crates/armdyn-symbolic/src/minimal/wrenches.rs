//! Wrench propagation from the tip to the base, and the joint torques.
//!
//! Within a group of parallel axes, moments normal to the axes are accumulated in the unrotated axes; forces are propagated from
//! member to member, or directly to the unrotated axes.

use super::choices::Site;
use super::context::Context;
use super::vector::*;
use crate::graph::Expr;
use armdyn_core::Real;

/// A vector, and the member of the group in whose axes it is expressed; 0: the unrotated axes.
#[derive(Clone, Copy)]
pub(crate) struct Expressed {
    pub v: V,
    pub from: usize,
}

/// Expresses a vector in the axes of another member.
pub(crate) fn expressed_in(s: &Context, group: &[usize], x: Expressed, to: usize) -> V {
    if x.from == to { x.v } else { into(x.v, s.cos_sin(group, x.from, to)) }
}

/// A revolute link: its group, its number in it (1 …), and whether its wrench may be expressed in the unrotated axes.
pub(crate) struct At {
    pub group: usize,
    pub member: usize,
    pub link: usize,
    pub may_be_flat: bool,
}

/// The prismatic links of a unit.
pub(crate) fn sliders(s: &Context, unit: usize) -> Vec<usize> {
    (0..s.arm.len()).filter(|&j| s.arm.places[j].unit == unit && s.arm.places[j].slides.is_some()).collect()
}

/// The position of a prismatic link relative to its parent.
pub(crate) fn position(s: &Context, j: usize) -> V {
    let along = s.arm.places[j].slides.expect("a prismatic link").to_array();
    [0, 1, 2].map(|i| s.p[j][i] + Expr::lift(along[i]) * s.q[j])
}

/// The joint torques, given the wrench of each link about its origin: force, moment, and for a revolute link whether they are
/// in the unrotated axes. Also returns the wrench on what the arm is attached to, in the axes of unit 0, about its origin.
pub(crate) fn transmit_wrenches(
    s: &Context,
    lever: &[V],
    revolute: &mut dyn FnMut(At) -> (V, V, bool),
    prismatic: &mut dyn FnMut(usize) -> (V, V),
) -> (Vec<Expr>, (V, V)) {
    let mut tau = vec![Expr::zero(); s.arm.len()];
    let across_z = |n: V| [n[0], n[1], Expr::zero()];
    // The wrench of the next unit, in the axes of this unit, about the origin of its last link.
    let (mut f_in, mut n_in) = (zeros(), zeros());
    for (g, group) in s.groups.iter().enumerate().rev() {
        let joint = |u: usize| s.arm.units[u].joint.expect("a revolute unit");
        let (mut across, mut about) = (zeros(), Expr::zero());
        let mut force = Expressed { v: zeros(), from: 0 };
        for i in (1..=group.len()).rev() {
            let j = joint(group[i - 1]);
            let prismatic_links = sliders(s, group[i - 1]);
            let last = i == group.len();
            // The wrench of the outboard links about this origin: moments in its axes, in the unrotated axes, about z.
            let (mut own, mut flat) = (zeros(), zeros());
            let (z, coming);
            if last || !prismatic_links.is_empty() {
                let (f, n) = if last {
                    (f_in, n_in)
                } else {
                    let f = expressed_in(s, group, force, i);
                    (f, cross(lever[joint(group[i])], f))
                };
                let (f, n) = add_prismatic(s, &prismatic_links, f, n, prismatic, &mut tau);
                (own, z) = (across_z(n), n[2]);
                coming = Expressed { v: f, from: i };
            } else {
                let next = joint(group[i]);
                let arm = lever[next];
                let (own_f, flat_f) = (expressed_in(s, group, force, i), expressed_in(s, group, force, 0));
                let own_moment = cross(arm, own_f);
                let flat_moment = cross(expressed_in(s, group, Expressed { v: arm, from: i }, 0), flat_f);
                match s.choices.pick(Site::LeverAcross, next, 2) {
                    0 => own = across_z(own_moment),
                    _ => flat = across_z(flat_moment),
                }
                z = if s.choices.pick(Site::LeverAbout, next, 2) == 0 { own_moment[2] } else { flat_moment[2] };
                let onward = s.choices.pick(Site::Force, next, 2) == 0;
                coming = if onward { Expressed { v: own_f, from: i } } else { Expressed { v: flat_f, from: 0 } };
            }
            let end = last && g + 1 == s.groups.len();
            let may_be_flat = prismatic_links.is_empty() && (end || !last) && !s.carries[j];
            let (f, n, is_flat) = revolute(At { group: g, member: i, link: j, may_be_flat });
            match is_flat {
                true => flat = add(flat, across_z(n)),
                false => own = add(across_z(n), own),
            }
            about = (n[2] + z) + about;
            tau[j] = Expr::lift(s.arm.units[group[i - 1]].sign) * about;
            across = add(across, add(expressed_in(s, group, Expressed { v: own, from: i }, 0), flat));
            let f = Expressed { v: f, from: if is_flat { 0 } else { i } };
            force = if coming.v == zeros() {
                f
            } else {
                Expressed { v: add(expressed_in(s, group, f, coming.from), coming.v), from: coming.from }
            };
        }
        let alpha = s.alpha[group[0]];
        f_in = untwist(expressed_in(s, group, force, 0), alpha);
        n_in = add(untwist([across[0], across[1], about], alpha), cross(lever[joint(group[0])], f_in));
    }
    let wrench = add_prismatic(s, &sliders(s, 0), f_in, n_in, prismatic, &mut tau);
    (tau, wrench)
}

/// Adds the prismatic links of a unit, last one first: from the wrench at the last origin to that at the revolute link.
fn add_prismatic(
    s: &Context,
    prismatic_links: &[usize],
    mut f: V,
    mut n: V,
    wrench: &mut dyn FnMut(usize) -> (V, V),
    tau: &mut [Expr],
) -> (V, V) {
    for &j in prismatic_links.iter().rev() {
        let (own_f, own_n) = wrench(j);
        f = add(own_f, f);
        let along = s.arm.places[j].slides.expect("a prismatic link").to_array().map(Expr::lift);
        tau[j] = along[0] * f[0] + along[1] * f[1] + along[2] * f[2];
        n = add(add(n, own_n), cross(position(s, j), f));
    }
    (f, n)
}

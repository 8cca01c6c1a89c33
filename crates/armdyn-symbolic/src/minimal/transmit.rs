//! Wrenches on their way from the tip to the base, and what the drives have of them.
//!
//! Within a group of parallel axes the moment across them goes straight to the unturned axes, where that of all members adds up; the
//! force goes from member to member, or straight there.

use super::choices::Site;
use super::setting::Setting;
use super::vector::*;
use crate::graph::Expr;
use armdyn_core::Real;

/// A vector, and the member of the group whose axes it is in; 0 are the unturned ones.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub v: V,
    pub from: usize,
}

/// In the axes of another member.
pub(crate) fn seen_in(s: &Setting, group: &[usize], x: Seen, to: usize) -> V {
    if x.from == to { x.v } else { into(x.v, s.turn(group, x.from, to)) }
}

/// A link that turns: its group, its number in it (1 …), and whether its own wrench may be given in the unturned axes.
pub(crate) struct At {
    pub group: usize,
    pub member: usize,
    pub link: usize,
    pub may_be_flat: bool,
}

/// The links that slide on a unit.
pub(crate) fn sliders(s: &Setting, unit: usize) -> Vec<usize> {
    (0..s.arm.len()).filter(|&j| s.arm.places[j].unit == unit && s.arm.places[j].slides.is_some()).collect()
}

/// Where a link that slides is, from the link it slides on.
pub(crate) fn position(s: &Setting, j: usize) -> V {
    let along = s.arm.places[j].slides.expect("it slides").to_array();
    [0, 1, 2].map(|i| s.p[j][i] + Expr::lift(along[i]) * s.q[j])
}

/// What each drive supplies, given each link's own wrench about its origin: force, moment, and for one that turns whether they are in the
/// unturned axes.
pub(crate) fn transmit(
    s: &Setting,
    lever: &[V],
    turning: &mut dyn FnMut(At) -> (V, V, bool),
    sliding: &mut dyn FnMut(usize) -> (V, V),
) -> Vec<Expr> {
    let mut tau = vec![Expr::zero(); s.arm.len()];
    let across_z = |n: V| [n[0], n[1], Expr::zero()];
    // What the unit behind exerts, in the axes of this unit, about the origin of its last link.
    let (mut f_in, mut n_in) = (nil(), nil());
    for (g, group) in s.groups.iter().enumerate().rev() {
        let joint = |u: usize| s.arm.units[u].joint.expect("a unit that turns");
        let (mut across, mut about) = (nil(), Expr::zero());
        let mut force = Seen { v: nil(), from: 0 };
        for i in (1..=group.len()).rev() {
            let j = joint(group[i - 1]);
            let carried = sliders(s, group[i - 1]);
            let last = i == group.len();
            // The wrench from behind, about this link's origin: moments in its axes, in the unturned axes, about z.
            let (mut own, mut flat) = (nil(), nil());
            let (z, coming);
            if last || !carried.is_empty() {
                let (f, n) = if last {
                    (f_in, n_in)
                } else {
                    let f = seen_in(s, group, force, i);
                    (f, cross(lever[joint(group[i])], f))
                };
                let (f, n) = slide_back(s, &carried, f, n, sliding, &mut tau);
                (own, z) = (across_z(n), n[2]);
                coming = Seen { v: f, from: i };
            } else {
                let next = joint(group[i]);
                let arm = lever[next];
                let (own_f, flat_f) = (seen_in(s, group, force, i), seen_in(s, group, force, 0));
                let own_moment = cross(arm, own_f);
                let flat_moment = cross(seen_in(s, group, Seen { v: arm, from: i }, 0), flat_f);
                match s.choices.pick(Site::LeverAcross, next, 2) {
                    0 => own = across_z(own_moment),
                    _ => flat = across_z(flat_moment),
                }
                z = if s.choices.pick(Site::LeverAbout, next, 2) == 0 { own_moment[2] } else { flat_moment[2] };
                let onward = s.choices.pick(Site::Force, next, 2) == 0;
                coming = if onward { Seen { v: own_f, from: i } } else { Seen { v: flat_f, from: 0 } };
            }
            let end = last && g + 1 == s.groups.len();
            let may_be_flat = carried.is_empty() && (end || !last);
            let (f, n, is_flat) = turning(At { group: g, member: i, link: j, may_be_flat });
            match is_flat {
                true => flat = add(flat, across_z(n)),
                false => own = add(across_z(n), own),
            }
            about = (n[2] + z) + about;
            tau[j] = Expr::lift(s.arm.units[group[i - 1]].sign) * about;
            across = add(across, add(seen_in(s, group, Seen { v: own, from: i }, 0), flat));
            let f = Seen { v: f, from: if is_flat { 0 } else { i } };
            force = if coming.v == nil() {
                f
            } else {
                Seen { v: add(seen_in(s, group, f, coming.from), coming.v), from: coming.from }
            };
        }
        let alpha = s.alpha[group[0]];
        f_in = untwist(seen_in(s, group, force, 0), alpha);
        n_in = add(untwist([across[0], across[1], about], alpha), cross(lever[joint(group[0])], f_in));
    }
    slide_back(s, &sliders(s, 0), f_in, n_in, sliding, &mut tau);
    tau
}

/// The links that slide on a unit, last one first: from the wrench at the last one's origin to that at the turning link's.
fn slide_back(
    s: &Setting,
    carried: &[usize],
    mut f: V,
    mut n: V,
    sliding: &mut dyn FnMut(usize) -> (V, V),
    tau: &mut [Expr],
) -> (V, V) {
    for &j in carried.iter().rev() {
        let (own_f, own_n) = sliding(j);
        f = add(own_f, f);
        let along = s.arm.places[j].slides.expect("it slides").to_array().map(Expr::lift);
        tau[j] = along[0] * f[0] + along[1] * f[1] + along[2] * f[2];
        n = add(add(n, own_n), cross(position(s, j), f));
    }
    (f, n)
}

//! Inverse dynamics in few operations: Newton–Euler with pseudo-inertias, in canonical frames.
//!
//! With U = ω̇^ + ω^ω^ of a link, K = ∫ r rᵀ dm, s = ∫ r dm and the acceleration a of its origin,
//!
//!   F = U s + m a,   N = vee(U K − K Uᵀ) + s × a,
//!
//! and U's third column, in the unrotated axes, does not depend on the rate of its joint: U e_z = U_p e_z. For perpendicular
//! axes it is ∓ the parent's second column, so that ω̇ need not be propagated. Links with parallel axes share their unrotated
//! axes, to which each moment is transformed by the sine and cosine of a sum of angles. Alternatives are selected by
//! [`Choices`](super::choices::Choices); values that are not needed are not counted.

use super::choices::Site;
use super::context::Context;
use super::vector::*;
use super::wrenches::{At, Expressed, expressed_in, position, sliders, transmit_wrenches};
use crate::graph::Expr;
use armdyn_core::Real;

/// The motion that a group receives from the preceding unit, in its unrotated axes.
#[derive(Clone, Copy)]
struct GroupInput {
    w: V,
    wd: V,
    /// U e_z.
    column: V,
    /// U12 and U21.
    skew: (Expr, Expr),
}

/// The motion of a unit, in rotated or unrotated axes.
#[derive(Clone, Copy)]
struct UnitMotion {
    w: V,
    wd: V,
    u: [V; 3],
    /// ω_x², ω_y², ω_z².
    squares: V,
    /// ω_x ω_y.
    xy: Expr,
}

impl UnitMotion {
    fn still() -> Self {
        UnitMotion { w: zeros(), wd: zeros(), u: [zeros(); 3], squares: zeros(), xy: Expr::zero() }
    }

    /// In axes rotated about z.
    fn rotated(&self, turn: CosSin) -> Self {
        let rows = self.u.map(|row| into(row, turn));
        let columns = [0, 1, 2].map(|c| into([rows[0][c], rows[1][c], rows[2][c]], turn));
        let u = [0, 1, 2].map(|r| [columns[0][r], columns[1][r], columns[2][r]]);
        let w = into(self.w, turn);
        UnitMotion { w, wd: into(self.wd, turn), u, squares: w.map(|x| x * x), xy: w[0] * w[1] }
    }
}

/// A unit after the outward recursion.
struct Member {
    /// Motion in its own axes.
    own: UnitMotion,
    /// Motion in the unrotated axes.
    flat: UnitMotion,
    /// Acceleration of its origin.
    a: Expressed,
    /// Accelerations of its prismatic links, in its axes.
    sliding: Vec<V>,
}

/// The acceleration of a point during the outward recursion; the part due to the angular velocity normal to z of a group is
/// accumulated separately.
///
/// With a lever arm p and ω = (ω_x, ω_y, ω_z) in any member's axes,
/// U p = (−ω̇_z p_y − ω_z² p_x + h ω_y, ω̇_z p_x − ω_z² p_y − h ω_x, …) + U e_z p_z,
/// h = ω_x p_y − ω_y p_x: h is the same in the axes of every member, so that those of all lever arms are summed before they are
/// multiplied.
#[derive(Clone, Copy)]
struct Point {
    a: Expressed,
    h: Expr,
    /// Sums over all lever arms: p in the unrotated axes, and p_z.
    arm: V,
    along: Expr,
}

impl Point {
    fn at(a: Expressed) -> Self {
        Point { a, h: Expr::zero(), arm: zeros(), along: Expr::zero() }
    }

    /// The acceleration in the axes of member `i`.
    fn acceleration(&self, s: &Context, group: &[usize], i: usize, own: &UnitMotion, w: V) -> V {
        let h = self.h + w[0] * self.arm[1] - w[1] * self.arm[0];
        let across = [h * own.w[1], -(h * own.w[0]), Expr::zero()];
        let along = [0, 1, 2].map(|r| own.u[r][2] * self.along);
        add(add(expressed_in(s, group, self.a, i), across), along)
    }
}

/// A branch after the outward recursion.
struct Outward {
    /// The units, group by group.
    members: Vec<Vec<Member>>,
    /// The motion of unit 0, and the accelerations of its prismatic links.
    base: UnitMotion,
    base_sliding: Vec<V>,
}

impl Outward {
    fn member(&self, unit: usize) -> &Member {
        self.members.iter().flatten().nth(unit - 1).expect("a unit of the branch")
    }

    /// The motion of a link and the acceleration of its origin, in its axes.
    fn link(&self, s: &Context, j: usize) -> (UnitMotion, V) {
        let place = &s.arm.places[j];
        let sliding = place.slides.map(|_| sliders(s, place.unit).iter().position(|&k| k == j).expect("of its unit"));
        match (place.unit, sliding) {
            (0, k) => (self.base, self.base_sliding[k.expect("a prismatic link")]),
            (u, Some(k)) => (self.member(u).own, self.member(u).sliding[k]),
            (u, None) => {
                let group = s.groups.iter().find(|g| g.contains(&u)).expect("a group of each unit");
                let member = self.member(u);
                (member.own, expressed_in(s, group, member.a, u - group[0] + 1))
            }
        }
    }
}

/// The joint torques of a tree, by degree of freedom.
pub(crate) fn torques(tree: &[Context], dofs: usize) -> Vec<Expr> {
    let mut motions: Vec<Outward> = vec![];
    for s in tree {
        let (base, a) = match s.attachment {
            None => (UnitMotion::still(), s.lift),
            Some(at) => {
                let (motion, a) = motions[at.branch].link(&tree[at.branch], at.link);
                let turn = (Expr::lift(at.turn.0), Expr::lift(at.turn.1));
                (motion.rotated(turn), into(a, turn))
            }
        };
        motions.push(outward(s, base, a));
    }
    let mut tau = vec![Expr::zero(); dofs];
    let mut carried: Vec<Vec<(V, V)>> = tree.iter().map(|s| vec![(zeros(), zeros()); s.arm.len()]).collect();
    for (k, s) in tree.iter().enumerate().rev() {
        let (own, (f, n)) = inward(s, &motions[k], &carried[k]);
        s.arm.dofs.iter().zip(own).for_each(|(&dof, t)| tau[dof] = t);
        if let Some(at) = s.attachment {
            let turn = (Expr::lift(at.turn.0), Expr::lift(at.turn.1));
            let (force, moment) = &mut carried[at.branch][at.link];
            (*force, *moment) = (add(*force, out(f, turn)), add(*moment, out(n, turn)));
        }
    }
    tau
}

/// The motion of the units of a branch, from that of unit 0 and the acceleration of its origin.
fn outward(s: &Context, base: UnitMotion, mut a: V) -> Outward {
    let mut before = base;
    let mut base_sliding = vec![];
    for j in sliders(s, 0) {
        a = slide(s, j, &before, a);
        base_sliding.push(a);
    }
    let mut members: Vec<Vec<Member>> = vec![];
    for (g, group) in s.groups.iter().enumerate() {
        let root = group[0];
        let alpha = s.alpha[root];
        let joint = |u: usize| s.arm.units[u].joint.expect("a revolute unit");
        let column = [0, 1, 2].map(|r| before.u[r][2] * alpha.0 - before.u[r][1] * alpha.1);
        let skew = [before.u[0], [before.u[0][0], before.u[1][0], before.u[2][0]]].map(|v| twist(v, alpha)[1]);
        let group_input = GroupInput {
            w: twist(before.w, alpha),
            wd: twist(before.wd, alpha),
            column: twist(column, alpha),
            skew: (skew[0], skew[1]),
        };
        if g == 0 {
            a = add(a, apply(&before.u, s.p[joint(root)]));
        }
        let mut at = Point::at(Expressed { v: twist(a, alpha), from: 0 });
        let behind = s.groups.get(g + 1).map(|next| joint(next[0]));
        let rigid = group.iter().all(|&u| sliders(s, u).is_empty());
        let apart =
            if rigid && g > 0 && (g == 1 || group.len() > 1) { s.choices.pick(Site::Plane, joint(root), 3) } else { 0 };
        let (mut rate, mut rate_dot) = (Expr::zero(), Expr::zero());
        let mut done = vec![];
        for (i, &u) in group.iter().enumerate().map(|(i, u)| (i + 1, u)) {
            let j = joint(u);
            let sign = Expr::lift(s.arm.units[u].sign);
            rate += sign * s.qd[j];
            rate_dot += sign * s.qdd[j];
            let turn = s.cos_sin(group, 0, i);
            let mut own = motion(s, j, &group_input, Some(turn), rate, rate_dot);
            let flat = motion(s, j, &group_input, None, rate, rate_dot);
            let sliders = sliders(s, u);
            let mut here = at.a;
            let mut sliding = vec![];
            let next = group.get(i).map(|&v| joint(v));
            if apart > 0 {
                here = Expressed { v: at.acceleration(s, group, i, &own, group_input.w), from: i };
                if let Some(next) = next.or(behind) {
                    let p = s.p[next];
                    let arm = out(p, turn);
                    let [wx, wy, wz] = own.w;
                    let (vx, vy) = (wz * p[0], wz * p[1]);
                    let z = if s.choices.pick(Site::PlaneAxial, next, 2) == 1 {
                        let z = Expr::lift(2.0) * (wx * vx + wy * vy)
                            - (group_input.column[0] * arm[0] + group_input.column[1] * arm[1]);
                        // Which gives U31 or U32.
                        if is_zero(p[1]) && !is_zero(p[0]) {
                            own.u[2][0] = z / p[0];
                        } else if is_zero(p[0]) && !is_zero(p[1]) {
                            own.u[2][1] = z / p[1];
                        }
                        z
                    } else {
                        own.u[2][0] * p[0] + own.u[2][1] * p[1]
                    };
                    let wdz = own.wd[2];
                    let plane = [-(wdz * p[1]) - wz * vx, wdz * p[0] - wz * vy, z];
                    at.a = Expressed { v: add(expressed_in(s, group, at.a, i), plane), from: i };
                    at.along += p[2];
                    match apart {
                        1 => at.arm = add(at.arm, [arm[0], arm[1], Expr::zero()]),
                        _ => at.h += wx * p[1] - wy * p[0],
                    }
                }
                a = at.acceleration(s, group, i, &own, group_input.w);
            } else {
                match next {
                    Some(next) if sliders.is_empty() && s.choices.pick(Site::Arm, next, 2) == 1 => {
                        let arm = expressed_in(s, group, Expressed { v: s.p[next], from: i }, 0);
                        at.a = Expressed { v: add(expressed_in(s, group, at.a, 0), apply(&flat.u, arm)), from: 0 };
                    }
                    _ => {
                        a = expressed_in(s, group, at.a, i);
                        for &k in &sliders {
                            a = slide(s, k, &own, a);
                            sliding.push(a);
                        }
                        if let Some(next) = next.or(behind) {
                            a = add(a, apply(&own.u, s.p[next]));
                            at.a = Expressed { v: a, from: i };
                        }
                    }
                }
            }
            done.push(Member { own, flat, a: here, sliding });
            before = own;
        }
        members.push(done);
    }
    Outward { members, base, base_sliding }
}

/// The joint torques of a branch, and its wrench on what it is attached to; `carried` are the wrenches of the branches on each
/// link, in its axes.
fn inward(s: &Context, motion: &Outward, carried: &[(V, V)]) -> (Vec<Expr>, (V, V)) {
    let mut passed_moment = Expr::zero();
    let mut revolute = |at: At| {
        let member = &motion.members[at.group][at.member - 1];
        let flat = at.may_be_flat && !is_on_fixed_axis(s, at.group) && s.choices.pick(Site::Wrench, at.link, 2) == 1;
        let (f, n) = if is_on_fixed_axis(s, at.group) {
            first_link(s, at.link, member, passed_moment)
        } else {
            wrench(s, &at, member, flat, &mut passed_moment)
        };
        let (force, moment) = carried[at.link];
        (add(f, force), add(n, moment), flat)
    };
    let mut prismatic = |j: usize| {
        let (moving, a) = motion.link(s, j);
        let (force, moment) = carried[j];
        let f = add(apply(&moving.u, s.s_force[j]), scale(s.mass[j], a));
        (add(f, force), add(cross(s.s_moment[j], a), moment))
    };
    transmit_wrenches(s, &s.lever, &mut revolute, &mut prismatic)
}

/// Whether a group is one link that rotates about a fixed axis.
fn is_on_fixed_axis(s: &Context, group: usize) -> bool {
    group == 0 && s.groups[0].len() == 1 && s.attachment.is_none()
}

/// The acceleration of a prismatic link from that of its parent.
fn slide(s: &Context, j: usize, moving: &UnitMotion, a: V) -> V {
    let along = s.arm.places[j].slides.expect("a prismatic link").to_array().map(Expr::lift);
    let coriolis = scale(s.qd[j] + s.qd[j], cross(moving.w, along));
    add(add(a, apply(&moving.u, position(s, j))), add(coriolis, scale(s.qdd[j], along)))
}

/// ω, ω̇ and U of a unit from the motion that its group received.
fn motion(
    s: &Context,
    j: usize,
    group_input: &GroupInput,
    turn: Option<CosSin>,
    rate: Expr,
    rate_dot: Expr,
) -> UnitMotion {
    let flat = turn.is_none();
    let turned = |v: V| turn.map_or(v, |t| into(v, t));
    let w = turned(group_input.w);
    let (wx, wy, wz) = (w[0], w[1], group_input.w[2] + rate);
    let wdz = group_input.wd[2] + rate_dot;
    let (xz, yz, xy) = (wx * wz, wy * wz, wx * wy);
    let (rates, sites) = if flat { (Site::FlatRates, Site::FlatSquares) } else { (Site::Rates, Site::Squares) };
    let (mut xx, mut yy, zz) = (wx * wx, wy * wy, wz * wz);
    let minus = -group_input.column[2];
    let squares = s.choices.pick(sites, j, 4);
    match squares {
        1 => yy = minus - xx,
        2 => xx = minus - yy,
        _ => {}
    }
    let (wdx, wdy, u13, u23, u31, u32);
    let mut u33 = group_input.column[2];
    let variant = s.choices.pick(rates, j, 4);
    if variant < 2 {
        let c = turned(group_input.column);
        (u13, u23) = (c[0], c[1]);
        (wdx, wdy) = (yz - u23, u13 - xz);
        if variant == 0 {
            (u31, u32) = (xz - wdy, yz + wdx);
        } else {
            let twice = wz + wz;
            (u31, u32) = (wx * twice - u13, wy * twice - u23);
        }
    } else {
        let r = turned(group_input.wd);
        (wdx, wdy) = (r[0] + wy * rate, r[1] - wx * rate);
        if variant == 2 {
            (u31, u13, u32, u23) = (xz - wdy, xz + wdy, yz + wdx, yz - wdx);
        } else {
            let more = wz + rate;
            (u31, u32) = (wx * more - r[1], wy * more + r[0]);
            (u13, u23) = (wx * group_input.w[2] + r[1], wy * group_input.w[2] - r[0]);
        }
        if squares != 3 {
            u33 = -(xx + yy);
        }
    }
    // In unrotated axes U12 and U21 do not depend on the rate either.
    let (u12, u21) = if flat && s.choices.pick(Site::FlatSkew, j, 2) == 1 {
        (group_input.skew.0 - rate_dot, group_input.skew.1 + rate_dot)
    } else {
        (xy - wdz, xy + wdz)
    };
    let u = [[-(yy + zz), u12, u13], [u21, -(xx + zz), u23], [u31, u32, u33]];
    UnitMotion { w: [wx, wy, wz], wd: [wdx, wdy, wdz], u, squares: [xx, yy, zz], xy }
}

/// Whether only one component of the group's moment is needed: that about the first unit's axis, perpendicular to its own.
fn is_first(s: &Context, g: usize) -> bool {
    g == 1 && is_on_fixed_axis(s, 0) && s.arm.units[s.groups[1][0]].alpha.0 == 0.0
}

/// F and N of a revolute link about its origin.
fn wrench(s: &Context, at: &At, member: &Member, flat: bool, passed_moment: &mut Expr) -> (V, V) {
    let (g, i, j) = (at.group, at.member, at.link);
    let group = &s.groups[g];
    let moving = if flat { &member.flat } else { &member.own };
    let a = expressed_in(s, group, member.a, if flat { 0 } else { i });
    let m = &s.moments[j];
    let (zero, two) = (Expr::zero(), Expr::lift(2.0));
    let [k11, k12, k13, k22, k23, k33, ..] = *m;
    let about = k11 + k22;
    let first = is_first(s, g);
    let passed = if first { s.choices.pick(Site::First, j, 4) } else { 0 };
    let (mut k11, mut k12, mut k13, mut k22, mut k23) = (k11, k12, k13, k22, k23);
    let (mut s_force, mut s_moment) = (s.s_force[j], s.s_moment[j]);
    // K11 − λ and K22 − λ suffice in the first group if λ is passed to the first link.
    let mut less = zero;
    if flat {
        let half = Expr::lift(0.5);
        let mean = half * about;
        let delta = half * (k11 - k22);
        let t = s.cos_sin(group, 0, i);
        if s.trig != super::Trig::Sums && is_zero(k12) {
            // K11 c² + K22 s² = K11 + D s², K12 = −D s c, with D = K22 − K11.
            let d = (k22 - k11) * t.1;
            let (dss, dsc) = (d * t.1, d * t.0);
            less = if passed > 0 { k11 } else { zero };
            let (a11, a22) = (k11 - less, k22 - less);
            (k11, k22, k12) = (a11 + dss, a22 - dss, -dsc);
        } else {
            less = if passed > 0 { mean } else { zero };
            let (c, sn) = s.cos_sin_double(group, i);
            let (dc, ds) = (delta * c - k12 * sn, delta * sn + k12 * c);
            let rest = mean - less;
            (k11, k22, k12) = (rest + dc, rest - dc, ds);
        }
        let k3 = out([k13, k23, zero], t);
        (k13, k23) = (k3[0], k3[1]);
        s_force = out(s_force, t);
        s_moment = out(s_moment, t);
    } else if passed > 0 {
        less = match passed {
            1 => k11,
            2 => k22,
            _ => Expr::lift(0.5) * about,
        };
        (k11, k22) = (k11 - less, k22 - less);
    }
    *passed_moment += less;
    let [u1, u2, u3] = moving.u;
    let [xx, yy, zz] = moving.squares;
    let w = moving.w;
    let products = s.choices.pick(Site::Difference, j, 8);
    let difference = |a: usize, b: usize, bit: usize, plain: Expr| {
        if products >> bit & 1 == 1 { (w[a] - w[b]) * (w[a] + w[b]) } else { plain }
    };
    let when = |k: Expr, x: Expr| if is_zero(k) { zero } else { k * x };
    let reduced = passed > 0 && !flat;
    let x_part =
        if reduced { k23 * zz - k13 * moving.wd[2] } else { when(k23, difference(2, 1, 0, zz - yy)) - k13 * u2[0] };
    let y_part =
        if reduced { -(k13 * zz) - k23 * moving.wd[2] } else { when(k13, difference(0, 2, 1, xx - zz)) + k23 * u1[1] };
    // k ω_a ω_b; k times one of the rates may be available already.
    let early = s.choices.pick(Site::Gyroscopic, j, 4);
    let gyroscopic = |k: Expr, a: usize, b: usize| match early {
        c if c == a + 1 => k * w[a] * w[b],
        c if c == b + 1 => k * w[b] * w[a],
        _ => k * (w[a] * w[b]),
    };
    // K22 U32 − K33 U23 from U, or from ω̇ and the products of ω.
    let by_rates = s.choices.pick(Site::Transverse, j, 4);
    let x_axial = match by_rates & 1 {
        0 => k22 * u3[1] - k33 * u2[2],
        _ => (k22 + k33) * moving.wd[0] + gyroscopic(k22 - k33, 1, 2),
    };
    let y_axial = match by_rates >> 1 {
        0 => k33 * u1[2] - k11 * u3[0],
        _ => (k11 + k33) * moving.wd[1] + gyroscopic(k33 - k11, 0, 2),
    };
    let nx = k12 * u3[0] + x_axial + x_part;
    let ny = y_part + y_axial - k12 * u3[1];
    // With the full K11 and K22.
    let (a11, a22) = (k11 + less, k22 + less);
    let axial = match s.choices.pick(Site::Axial, j, 4) {
        0 => about * moving.wd[2] + gyroscopic(k11 - k22, 0, 1),
        1 => a11 * u2[0] - a22 * u1[1],
        2 => about * u2[0] - two * a22 * moving.xy,
        _ => two * a11 * moving.xy - about * u1[1],
    };
    let nz = axial + when(k12, difference(1, 0, 2, yy - xx)) + k13 * u2[2] - k23 * u1[2];
    let f = add(apply(&moving.u, s_force), scale(s.mass[j], a));
    (f, add([nx, ny, nz], cross(s_moment, a)))
}

/// The first link rotates about a fixed axis: its ZZ, with the moments that the first group passes to it.
fn first_link(s: &Context, j: usize, member: &Member, passed_moment: Expr) -> (V, V) {
    let a = expressed_in(s, &s.groups[0], member.a, 1);
    let zz = s.moments[j][0] + s.moments[j][3] + passed_moment;
    let n = cross(s.s_moment[j], a);
    let f = add(apply(&member.own.u, s.s_force[j]), scale(s.mass[j], a));
    (f, [n[0], n[1], zz * member.own.wd[2] + n[2]])
}

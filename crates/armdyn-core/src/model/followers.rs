//! Mimic joints: joints that follow another one, q_f = multiplier · q_leader + offset.
//!
//! The *tree* is the model in which every joint has coordinates of its own. With s = G q + o its coordinates, G and o
//! constant, the equations of motion in the independent coordinates q are
//!
//!   τ = Gᵀ τ_tree,   M = Gᵀ M_tree G,   C = Gᵀ C_tree G,   Y = Gᵀ Y_tree,   J = J_tree G
//!
//! by the principle of virtual work: the constraint that couples the joints does none. A drive of a follower acts through
//! its multiplier r: its armature and its viscous friction count r² times at the leader, its dry friction |r| times, and its
//! rotor turns r times as fast. Its effort counts r times: known effort limits and ratings of a leader and its followers add up.

use super::drive::{EffortRange, Friction, Limits};
use super::ids::{DofIndex, JointId};
use super::model::{Body, JointInfo, Model, RotorInfo, Structure, Warning};
use crate::error::{Error, Result};
use crate::scalar::Real;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// q = multiplier · q of another joint + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The joint that is followed, by name.
    pub joint: String,
    /// The factor.
    pub multiplier: f64,
    /// The offset \[rad or m\].
    pub offset: f64,
}

/// A joint that follows an independent one: q = multiplier · q of its leader + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    /// The joint.
    pub joint: JointId,
    /// The independent joint that it follows; chains of mimic joints are resolved.
    pub leader: JointId,
    /// The factor.
    pub multiplier: f64,
    /// The offset \[rad or m\].
    pub offset: f64,
    /// Whether its drive has Stribeck friction.
    pub(super) stribeck: bool,
}

/// A row of s = G q + o: the coordinate or degree of freedom that one of the tree is, or follows by (multiplier, offset).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub index: usize,
    relation: Option<(f64, f64)>,
}

impl Row {
    #[inline(always)]
    fn position<U: Real>(&self, q: &[U]) -> U {
        match self.relation {
            None => q[self.index],
            Some((r, o)) => U::lift(r).mul_add(q[self.index], U::lift(o)),
        }
    }

    /// `x` times the element of G.
    #[inline(always)]
    pub fn times<U: Real>(&self, x: U) -> U {
        match self.relation {
            None => x,
            Some((r, _)) => U::lift(r) * x,
        }
    }
}

/// The rows of G: those of positions and those of rates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    positions: Vec<Row>,
    rates: Vec<Row>,
}

impl Rows {
    /// The row of each degree of freedom of the tree.
    pub fn rates(&self) -> &[Row] {
        &self.rates
    }

    /// s = G q + o.
    pub fn expand_positions<U: Real>(&self, q: &[U], s: &mut [U]) {
        s.iter_mut().zip(&self.positions).for_each(|(s, row)| *s = row.position(q));
    }

    /// An element of G q̇.
    #[inline(always)]
    pub fn rate<U: Real>(&self, qd: &[U], v: usize) -> U {
        let row = &self.rates[v];
        row.times(qd[row.index])
    }

    /// ṡ = G q̇, and alike for accelerations.
    pub fn expand_rates<U: Real>(&self, qd: &[U], s: &mut [U]) {
        s.iter_mut().enumerate().for_each(|(v, s)| *s = self.rate(qd, v));
    }

    /// out = Gᵀ A, for a matrix with a row for each degree of freedom of the tree.
    pub fn reduce_rows<U: Real>(&self, a: &[U], width: usize, out: &mut [U]) {
        out.fill(U::zero());
        for (row, values) in self.rates.iter().zip(a.chunks_exact(width.max(1))) {
            for (x, &value) in out[row.index * width..][..width].iter_mut().zip(values) {
                *x += row.times(value);
            }
        }
    }

    /// out = Gᵀ τ.
    pub fn reduce<U: Real>(&self, tau: &[U], out: &mut [U]) {
        self.reduce_rows(tau, 1, out);
    }

    /// out = Gᵀ A G.
    pub fn reduce_square<U: Real>(&self, a: &[U], n: usize, out: &mut [U]) {
        out.fill(U::zero());
        let size = self.rates.len();
        for (i, row) in self.rates.iter().enumerate() {
            for (j, column) in self.rates.iter().enumerate() {
                out[row.index * n + column.index] += row.times(column.times(a[i * size + j]));
            }
        }
    }

    /// Gᵀ applied to each of three indices.
    pub fn reduce_cube<U: Real>(&self, a: &[U], n: usize, out: &mut [U]) {
        out.fill(U::zero());
        let size = self.rates.len();
        for (i, row) in self.rates.iter().enumerate() {
            for (j, column) in self.rates.iter().enumerate() {
                for (k, last) in self.rates.iter().enumerate() {
                    let x = row.times(column.times(last.times(a[(i * size + j) * size + k])));
                    out[(row.index * n + column.index) * n + last.index] += x;
                }
            }
        }
    }
}

impl<T: Real> Model<T> {
    /// The joints that follow others (mimic joints); they have no coordinates of their own.
    ///
    /// ```
    /// use armdyn_core::{BASE, Joint, Link, ModelBuilder};
    /// let mut hand = ModelBuilder::new("hand");
    /// let finger = |name| Link::new(name).body(0.1, [0.0; 3], [0.0; 6]);
    /// hand.add(BASE, Joint::prismatic("left", [0.0, 1.0, 0.0]), finger("left_finger"));
    /// hand.add(BASE, Joint::prismatic("right", [0.0, -1.0, 0.0]).mimic("left", 1.0, 0.0), finger("right_finger"));
    /// let model = hand.build()?;
    /// assert_eq!((model.nv(), model.followers().len()), (1, 1));
    /// assert!((model.mass_matrix(&[0.02]).unwrap()[(0, 0)] - 0.2).abs() < 1e-15); // both fingers
    /// # Ok::<(), armdyn_core::BuildError>(())
    /// ```
    pub fn followers(&self) -> &[Follower] {
        &self.structure.followers
    }

    /// The model in which every joint has coordinates of its own: this one if it has no followers.
    pub fn tree(&self) -> &Model<T> {
        self.tree.as_deref().unwrap_or(self)
    }

    /// The coordinates of the [tree](Model::tree) at `q`: G q + o. The scalar need not be the model's.
    pub fn tree_positions<U: Real>(&self, q: &[U]) -> Result<Vec<U>> {
        self.check_length("q", self.nq(), q.len())?;
        Ok(self.by_rows(q, self.tree().nq(), Rows::expand_positions))
    }

    /// The velocities or accelerations of the [tree](Model::tree): G q̇.
    pub fn tree_rates<U: Real>(&self, qd: &[U]) -> Result<Vec<U>> {
        self.check_length("qd", self.nv(), qd.len())?;
        Ok(self.by_rows(qd, self.tree().nv(), Rows::expand_rates))
    }

    /// Gᵀ τ: the torques in the independent coordinates of torques in the [tree](Model::tree).
    pub fn reduced_torques<U: Real>(&self, tau: &[U]) -> Result<Vec<U>> {
        self.check_length("tau", self.tree().nv(), tau.len())?;
        Ok(self.by_rows(tau, self.nv(), Rows::reduce))
    }

    /// Values mapped by the rows of G; the same values without followers.
    fn by_rows<U: Real>(&self, values: &[U], length: usize, map: impl Fn(&Rows, &[U], &mut [U])) -> Vec<U> {
        if self.tree.is_none() {
            return values.to_vec();
        }
        let mut mapped = vec![U::zero(); length];
        map(&self.structure.rows, values, &mut mapped);
        mapped
    }

    /// The tree and the rows of G, if joints follow others.
    #[inline(always)]
    pub(crate) fn following(&self) -> Option<(&Model<T>, &Rows)> {
        self.tree.as_deref().map(|tree| (tree, &self.structure.rows))
    }

    /// `Err` if a joint follows another one.
    pub(crate) fn check_no_followers(&self, formulation: &'static str) -> Result<()> {
        match self.followers().first() {
            None => Ok(()),
            Some(f) => {
                Err(Error::Unsupported { formulation, joint: self.structure.joints[f.joint.index()].name.clone() })
            }
        }
    }

    /// The same followers in another tree of the same structure.
    pub(super) fn refold<U: Real>(&self, tree: Model<U>) -> Model<U> {
        tree.with_followers(self.structure.followers.clone())
    }

    /// The model of a tree some of whose joints follow others.
    pub(super) fn with_followers(self, followers: Vec<Follower>) -> Self {
        if followers.is_empty() {
            return self;
        }
        let tree = self;
        let by_joint: BTreeMap<usize, &Follower> = followers.iter().map(|f| (f.joint.index(), f)).collect();
        let of = |j: usize| by_joint.get(&j).copied();
        // Number the coordinates anew, without those of the followers.
        let (mut positions, mut rates) = (vec![None; tree.nq()], vec![None; tree.nv()]);
        let (mut nq, mut kept) = (0, vec![]);
        for (_, info) in tree.joints().iter().enumerate().filter(|(j, _)| of(*j).is_none()) {
            for q in info.q.clone() {
                positions[q] = Some(Row { index: nq, relation: None });
                nq += 1;
            }
            for v in info.v.clone() {
                rates[v] = Some(Row { index: kept.len(), relation: None });
                kept.push(v);
            }
        }
        for f in &followers {
            let (own, leader) = (&tree.joints()[f.joint], &tree.joints()[f.leader]);
            let relation = Some((f.multiplier, f.offset));
            for (rows, own, leader) in [(&mut positions, &own.q, &leader.q), (&mut rates, &own.v, &leader.v)] {
                rows[own.start] = rows[leader.start].map(|row| Row { relation, ..row });
            }
        }
        let rows =
            Rows { positions: positions.into_iter().flatten().collect(), rates: rates.into_iter().flatten().collect() };
        let Structure { joints, limits, stiffness, dof_names, dof_bodies, warnings, .. } = &tree.structure;
        let mut structure = Structure {
            joints: joints.iter().enumerate().map(|(j, info)| renumbered(info, of(j), &rows, joints)).collect(),
            limits: kept.iter().map(|&v| limits[v]).collect(),
            stiffness: kept.iter().map(|&v| stiffness[v]).collect(),
            dof_names: kept.iter().map(|&v| dof_names[v].clone()).collect(),
            dof_bodies: kept.iter().map(|&v| dof_bodies[v]).collect(),
            dof_parents: vec![0; kept.len()],
            warnings: warnings.clone(),
            nq,
            ..tree.structure.clone()
        };
        let (mut armature, mut friction): (Vec<T>, Vec<Friction<T>>) =
            kept.iter().map(|&v| (tree.armature[v], tree.friction[v])).unzip();
        for f in &followers {
            let (own, name) = (tree.joints()[f.joint].v.start, &tree.joints()[f.joint].name);
            let v = rows.rates[own].index;
            armature[v] += tree.armature[own] * T::lift(f.multiplier * f.multiplier);
            friction[v] = with_friction(friction[v], tree.friction[own], f);
            match intersection(&structure.limits[v], &limits[own], f) {
                Some(limits) => structure.limits[v] = limits,
                None => structure.warnings.push(Warning {
                    subject: format!("joint `{name}`"),
                    text: format!(
                        "its limits leave no range to `{}`, which it follows; they are ignored",
                        tree.joints()[f.leader].name
                    ),
                }),
            }
            let (effort, continuous) = efforts(&structure.limits[v], &limits[own], f.multiplier);
            structure.limits[v] = Limits { effort, continuous, ..structure.limits[v] };
        }
        let body = |b: &Body<T>| Body {
            q: rows.positions[b.q].index,
            v: rows.rates[b.v].index,
            follows: rows.rates[b.v].relation.is_some(),
            ..*b
        };
        structure.followers = followers;
        let model = Model {
            gravity: tree.gravity,
            base: tree.base,
            bodies: tree.bodies.iter().map(body).collect(),
            links: tree.links.clone(),
            payloads: tree.payloads.clone(),
            armature,
            rotors: tree.rotors.iter().map(|r| geared(r, &rows)).collect(),
            friction,
            reflected: Vec::new(),
            coupling: Vec::new(),
            structure: Structure { rows, ..structure },
            tree: Some(Box::new(tree)),
        };
        model.with_derived_data()
    }
}

/// A joint with its coordinates numbered anew; a follower has none.
fn renumbered(info: &JointInfo, follower: Option<&Follower>, rows: &Rows, joints: &[JointInfo]) -> JointInfo {
    let first = |rows: &[Row], at: usize| rows.get(at).map_or(0, |row| row.index);
    let source = follower.map_or(info, |f| &joints[f.leader]);
    let (q, v) = (first(&rows.positions, source.q.start), first(&rows.rates, source.v.start));
    let own = follower.is_none() && !info.v.is_empty();
    let (nq, nv) = if own { (info.q.len(), info.v.len()) } else { (0, 0) };
    JointInfo { q: q..q + nq, v: v..v + nv, ..info.clone() }
}

/// A rotor with its gears on the independent degrees of freedom.
fn geared<T: Real>(rotor: &RotorInfo<T>, rows: &Rows) -> RotorInfo<T> {
    let mut gear: Vec<(DofIndex, T)> = vec![];
    for &(dof, ratio) in &rotor.gear {
        let row = &rows.rates[dof.index()];
        let (dof, ratio) = (DofIndex::new(row.index), row.times(ratio));
        match gear.iter_mut().find(|(other, _)| *other == dof) {
            Some((_, sum)) => *sum += ratio,
            None => gear.push((dof, ratio)),
        }
    }
    RotorInfo { gear, ..rotor.clone() }
}

/// Friction at the leader of its own drive and a follower's. The Stribeck speeds agree, or only one has a Stribeck term.
fn with_friction<T: Real>(leader: Friction<T>, own: Friction<T>, f: &Follower) -> Friction<T> {
    let ratio = f.multiplier.abs();
    let (forward, backward) = match f.multiplier < 0.0 {
        true => (own.coulomb_backward, own.coulomb_forward),
        false => (own.coulomb_forward, own.coulomb_backward),
    };
    let factor = T::lift(ratio);
    Friction {
        viscous: leader.viscous + own.viscous * T::lift(ratio * ratio),
        coulomb_forward: leader.coulomb_forward + forward * factor,
        coulomb_backward: leader.coulomb_backward + backward * factor,
        stribeck: leader.stribeck + own.stribeck * factor,
        stribeck_speed: if f.stribeck { own.stribeck_speed * T::lift(1.0 / ratio) } else { leader.stribeck_speed },
    }
}

/// Effort limits and continuous rating at the leader of its own drive and a follower's: what is known adds up. A drive without a
/// limit adds nothing to one that has a limit: the joint may have no drive at all.
fn efforts(leader: &Limits, own: &Limits, ratio: f64) -> (EffortRange, f64) {
    let effort = match (leader.effort.is_known(), own.effort.is_known() && ratio != 0.0) {
        (_, false) => leader.effort,
        (true, true) => leader.effort + own.effort.scaled(ratio),
        (false, true) => own.effort.scaled(ratio),
    };
    let continuous = match (leader.continuous.is_finite(), own.continuous.is_finite() && ratio != 0.0) {
        (_, false) => leader.continuous,
        (true, true) => leader.continuous + own.continuous * ratio.abs(),
        (false, true) => own.continuous * ratio.abs(),
    };
    (effort, continuous)
}

/// The leader's limits of position and speed where its follower is within its own too; none if that leaves no range.
fn intersection(leader: &Limits, own: &Limits, f: &Follower) -> Option<Limits> {
    let (r, o) = (f.multiplier, f.offset);
    if r == 0.0 {
        return Some(*leader);
    }
    let ends = [(own.lower - o) / r, (own.upper - o) / r];
    let (low, high) = if r > 0.0 { (ends[0], ends[1]) } else { (ends[1], ends[0]) };
    let (lower, upper) = (leader.lower.max(low), leader.upper.min(high));
    let open = leader.lower < leader.upper;
    let speed = leader.speed.min(own.speed / r.abs());
    (lower < upper || !open).then_some(Limits {
        lower: if open { lower } else { leader.lower },
        upper: if open { upper } else { leader.upper },
        speed,
        ..*leader
    })
}

/// A mimic joint as described: its joint's number, and the relation.
pub(super) type Described = (usize, Mimic);

/// A leader with multiplier and offset, or why there is none.
type Leader = core::result::Result<(usize, f64, f64), String>;

/// The independent leader of each mimic joint, through chains; or what is wrong.
pub(super) fn resolve(
    described: &[Described],
    joints: &[JointInfo],
    friction: &[Friction<f64>],
) -> core::result::Result<Vec<Follower>, Vec<String>> {
    let (mut followers, mut problems): (Vec<Follower>, Vec<String>) = (vec![], vec![]);
    let leaders = leaders(described, joints);
    let single = |j: usize| joints[j].q.len() == 1 && joints[j].v.len() == 1;
    for &(joint, _) in described {
        let checked = leaders[&joint].clone().and_then(|(leader, multiplier, offset)| {
            if !single(joint) {
                return Err("only a joint of one degree of freedom can mimic another one".into());
            }
            if !single(leader) {
                return Err(format!("it mimics `{}`, which has not one degree of freedom", joints[leader].name));
            }
            if !(multiplier.is_finite() && offset.is_finite()) {
                return Err("multiplier and offset of its mimic must be finite".into());
            }
            let stribeck = friction[joints[joint].v.start].stribeck != 0.0 && multiplier != 0.0;
            Ok(Follower { joint: JointId::new(joint), leader: JointId::new(leader), multiplier, offset, stribeck })
        });
        match checked {
            Ok(follower) => followers.push(follower),
            Err(problem) => problems.push(format!("joint `{}`: {problem}", joints[joint].name)),
        }
    }
    problems.extend(different_stribeck_speeds(&followers, joints, friction));
    if problems.is_empty() { Ok(followers) } else { Err(problems) }
}

/// The leader at the end of each chain of mimic joints.
fn leaders(described: &[Described], joints: &[JointInfo]) -> BTreeMap<usize, Leader> {
    let names: BTreeMap<&str, usize> = joints.iter().enumerate().map(|(j, info)| (info.name.as_str(), j)).collect();
    let mimics: BTreeMap<usize, &Mimic> = described.iter().map(|(j, mimic)| (*j, mimic)).collect();
    let mut found: BTreeMap<usize, Leader> = BTreeMap::new();
    for &(first, _) in described {
        let (mut chain, mut visited, mut at) = (vec![], BTreeSet::new(), first);
        let mut leader: Leader = loop {
            if let Some(known) = found.get(&at) {
                break known.clone();
            }
            let Some(mimic) = mimics.get(&at) else { break Ok((at, 1.0, 0.0)) };
            if !visited.insert(at) {
                break Err("it mimics itself, directly or through other joints".into());
            }
            chain.push((at, *mimic));
            match names.get(mimic.joint.as_str()) {
                Some(next) => at = *next,
                None => break Err(format!("there is no joint `{}` to mimic", mimic.joint)),
            }
        };
        for (joint, Mimic { multiplier, offset, .. }) in chain.into_iter().rev() {
            leader = leader.map(|(leader, r, o)| (leader, multiplier * r, multiplier * o + offset));
            found.insert(joint, leader.clone());
        }
    }
    found
}

/// Stribeck terms of one leader and its followers add up to one only at one speed.
fn different_stribeck_speeds(
    followers: &[Follower],
    joints: &[JointInfo],
    friction: &[Friction<f64>],
) -> Option<String> {
    let of = |j: JointId| &friction[joints[j].v.start];
    let speed = |f: &Follower| of(f.joint).stribeck_speed / f.multiplier.abs();
    followers.iter().filter(|f| f.stribeck).find_map(|f| {
        let own = of(f.leader);
        let others = followers.iter().filter(|g| g.stribeck && g.leader == f.leader).map(speed);
        let mut all = others.chain((own.stribeck != 0.0).then_some(own.stribeck_speed));
        all.any(|v| (v - speed(f)).abs() > 1e-9 * v).then(|| {
            let (name, leader) = (&joints[f.joint].name, &joints[f.leader].name);
            format!(
                "joint `{name}`: its Stribeck speed, divided by its multiplier, must be that of the other drives of \
                 `{leader}`, which it follows"
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::model::{BASE, Joint, Link, ModelBuilder};
    use crate::{Error, Model};
    use alloc::vec::Vec;

    /// A joint, and one that follows it with q₂ = 2 q₁ + 0.1.
    fn coupled() -> Model<f64> {
        let mut b = ModelBuilder::new("arm");
        let link = |name: &str| Link::new(name).body(1.0, [0.3, 0.0, 0.0], [0.0; 6]);
        let first = b.add(BASE, Joint::revolute("first", [0.0, 0.0, 1.0]), link("upper"));
        b.add(first, Joint::revolute("second", [0.0, 0.0, 1.0]).mimic("first", 2.0, 0.1), link("lower"));
        b.build().unwrap()
    }

    #[test]
    fn values_of_the_tree_have_checked_lengths() {
        let m = coupled();
        assert_eq!(m.tree_positions(&[0.5]).unwrap(), [0.5, 1.1]);
        assert_eq!(m.tree_rates(&[0.5]).unwrap(), [0.5, 1.0]);
        assert_eq!(m.reduced_torques(&[3.0, 1.0]).unwrap(), [3.0 + 2.0]);
        let fault = |what, expected, found| Err::<Vec<f64>, _>(Error::Length { what, expected, found });
        for (m, size) in [(&m, 2), (m.tree(), 2)] {
            assert_eq!(m.tree_positions::<f64>(&[]), fault("q", m.nq(), 0));
            assert_eq!(m.tree_rates(&[0.0; 3]), fault("qd", m.nv(), 3));
            assert_eq!(m.reduced_torques(&[0.0]), fault("tau", size, 1));
        }
    }

    #[test]
    fn other_drives_must_fit_the_model() {
        let m = coupled();
        let follower = m.with_drive_inertia([0.1].into(), Vec::new()).unwrap_err();
        assert_eq!(follower, Error::DriveOfFollower { joint: "second".into() });
        let tree = m.tree();
        let fault = tree.with_drive_inertia([0.1].into(), Vec::new()).unwrap_err();
        assert_eq!(fault, Error::Length { what: "armature", expected: 2, found: 1 });
        let driven = tree.with_drive_inertia([0.1, 0.2].into(), Vec::new()).unwrap();
        assert_eq!(driven.reflected_inertia(), [0.1, 0.2]);
        let large = crate::examples::two_link_arm();
        let mut rotor = crate::model::RotorInfo {
            name: "motor".into(),
            inertia: 1.0,
            gear: [(large.dof("elbow").unwrap(), 2.0)].into(),
            mount: None,
            link: None,
            axis: None,
        };
        let small = crate::examples::pendulum();
        let fault = small.with_drive_inertia([0.0].into(), [rotor.clone()].into()).unwrap_err();
        assert!(matches!(fault, Error::NoSuchDof { .. }), "{fault}");
        rotor.gear = [(small.dof("pivot").unwrap(), 2.0)].into();
        rotor.mount = Some((2, crate::spatial::Vec3::unit(2)));
        let fault = small.with_drive_inertia([0.0].into(), [rotor].into()).unwrap_err();
        assert!(matches!(fault, Error::NoSuchLink { .. }), "{fault}");
    }
}

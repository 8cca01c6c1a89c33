//! Quantities of bodies or of degrees of freedom side by side: eight numbers of one kind in one wide register.

use super::kinematics::Visitor;
use crate::dense::{Group, LANES};
use crate::model::{Body, Model};
use crate::scalar::{Lanes, Real};
use crate::spatial::{Inertia, Rotation, Transform, vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Eight numbers of one kind, one for each of eight bodies or degrees of freedom.
pub(super) type Wide<T> = Lanes<T, LANES>;

/// `C` numbers of each of many bodies or degrees of freedom, eight of these to a group. Unused lanes of the last group are zero.
#[derive(Clone, Debug)]
pub(super) struct Packed<T, const C: usize>(Vec<[Group<T>; C]>);

impl<T: Real, const C: usize> Packed<T, C> {
    /// For `count` bodies or degrees of freedom, all zero.
    pub fn new(count: usize) -> Self {
        Packed(vec![[Group::zero(); C]; count.div_ceil(LANES)])
    }

    /// Sets all numbers to zero.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.0.fill([Group::zero(); C]);
    }

    /// Number of groups.
    #[inline(always)]
    pub fn groups(&self) -> usize {
        self.0.len()
    }

    /// The numbers of one of them.
    #[inline(always)]
    pub fn get(&self, i: usize) -> [T; C] {
        let group = &self.0[i / LANES];
        let mut values = [T::zero(); C];
        for c in 0..C {
            values[c] = group[c].0[i % LANES];
        }
        values
    }

    /// Sets the numbers of one of them.
    #[inline(always)]
    pub fn set(&mut self, i: usize, values: [T; C]) {
        let group = &mut self.0[i / LANES];
        for c in 0..C {
            group[c].0[i % LANES] = values[c];
        }
    }

    /// The numbers of all in a group.
    #[inline(always)]
    pub fn wide(&self, g: usize) -> [Wide<T>; C] {
        let group = &self.0[g];
        let mut values = [Lanes(group[0].0); C];
        for c in 0..C {
            values[c] = Lanes(group[c].0);
        }
        values
    }

    /// The numbers of all in a group, each of the one before it: `last` of the first one. Those of the last one are the next `last`.
    #[inline(always)]
    pub fn shifted(&self, g: usize, last: &mut [T; C]) -> [Wide<T>; C] {
        let mut values = self.wide(g);
        for c in 0..C {
            let next = values[c].0[LANES - 1];
            for i in (1..LANES).rev() {
                values[c].0[i] = values[c].0[i - 1];
            }
            values[c].0[0] = last[c];
            last[c] = next;
        }
        values
    }

    /// Sets the numbers of all in a group.
    #[inline(always)]
    pub fn set_wide(&mut self, g: usize, values: [Wide<T>; C]) {
        let group = &mut self.0[g];
        for c in 0..C {
            group[c].0 = values[c].0;
        }
    }
}

/// The same numbers in every lane.
#[inline(always)]
pub(super) fn splat<T: Real, const C: usize>(values: [T; C]) -> [Wide<T>; C] {
    let mut wide = [Wide::splat(T::zero()); C];
    for c in 0..C {
        wide[c] = Wide::splat(values[c]);
    }
    wide
}

/// Each body's pose and its inertia in its own axes; body 1 has index 0. (Inertias are transformed side by side.)
#[derive(Clone, Debug)]
pub(super) struct PlacedBodies<T> {
    poses: Packed<T, 12>,
    inertias: Packed<T, 10>,
}

impl<T: Real> PlacedBodies<T> {
    /// For `count` bodies.
    pub fn new(count: usize) -> Self {
        PlacedBodies { poses: Packed::new(count), inertias: Packed::new(count) }
    }

    /// The inertias of a group of bodies in the base's axes.
    #[inline(always)]
    pub fn inertias(&self, g: usize) -> Inertia<Wide<T>> {
        let [xx, xy, xz, yx, yy, yz, zx, zy, zz, px, py, pz] = self.poses.wide(g);
        let rotation = Rotation { x: vec3(xx, xy, xz), y: vec3(yx, yy, yz), z: vec3(zx, zy, zz) };
        Inertia::from_components(self.inertias.wide(g)).transformed(&Transform::new(rotation, vec3(px, py, pz)))
    }
}

impl<T: Real> Visitor<T> for &mut PlacedBodies<T> {
    #[inline(always)]
    fn visit(&mut self, number: usize, body: &Body<T>, pose: &Transform<T>) {
        let (x, y, z, p) = (pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.translation);
        self.poses.set(number - 1, [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, p.x, p.y, p.z]);
        self.inertias.set(number - 1, body.inertia.components());
    }
}

/// How the degrees of freedom of a group are related to one of the tree. (Zeros and ones, which products choose by: wide registers stay
/// wide, where a choice by a condition is compiled to one number at a time.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Related<T> {
    pub has_ancestors: bool,
    pub has_descendants: bool,
    ancestors: Group<T>,
    descendants: Group<T>,
}

impl<T: Real> Related<T> {
    /// For each degree of freedom, one after the other, all groups.
    pub fn all(m: &Model<T>) -> Vec<Self> {
        let (n, groups, zeros) = (m.nv(), m.nv().div_ceil(LANES), Group::zero());
        let none = Related { has_ancestors: false, has_descendants: false, ancestors: zeros, descendants: zeros };
        let mut all = vec![none; n * groups];
        for v in 0..n {
            for u in m.ancestor_dofs(v) {
                let to_base = &mut all[v * groups + u / LANES];
                to_base.has_ancestors = true;
                to_base.ancestors.0[u % LANES] = T::one();
                if u != v {
                    let to_tip = &mut all[u * groups + v / LANES];
                    to_tip.has_descendants = true;
                    to_tip.descendants.0[v % LANES] = T::one();
                }
            }
        }
        all
    }

    /// 1 for itself and those that carry it, else 0.
    #[inline(always)]
    pub fn ancestors(&self) -> Wide<T> {
        Lanes(self.ancestors.0)
    }

    /// 1 for those that it carries, else 0.
    #[inline(always)]
    pub fn descendants(&self) -> Wide<T> {
        Lanes(self.descendants.0)
    }
}

//! Typed indices of links, joints and degrees of freedom.

use super::model::{JointInfo, LinkInfo};
use core::fmt;
use core::ops::Index;

macro_rules! typed_index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl $name {
            /// From the position in the model's list.
            #[must_use]
            pub const fn new(index: usize) -> Self {
                $name(index)
            }

            /// The position in the model's list.
            #[must_use]
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

typed_index! {
    /// Index of a link: its position in [`Model::links`](crate::Model::links); the base is 0.
    LinkId
}

typed_index! {
    /// Index of a joint: its position in [`Model::joints`](crate::Model::joints), fixed joints included.
    JointId
}

typed_index! {
    /// Index of a degree of freedom: its position in q̇, q̈, τ and [`Model::dof_names`](crate::Model::dof_names).
    DofIndex
}

/// The base link, fixed to the world.
pub const BASE: LinkId = LinkId(0);

impl<T> Index<LinkId> for [LinkInfo<T>] {
    type Output = LinkInfo<T>;

    fn index(&self, link: LinkId) -> &LinkInfo<T> {
        &self[link.0]
    }
}

impl Index<JointId> for [JointInfo] {
    type Output = JointInfo;

    fn index(&self, joint: JointId) -> &JointInfo {
        &self[joint.0]
    }
}

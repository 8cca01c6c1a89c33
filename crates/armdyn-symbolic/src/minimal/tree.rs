//! A tree as branches: serial arms, each attached to the base or to a link of another branch.
//!
//! From every body a branch continues with the longest path; the other children begin new branches. A branch receives the motion of
//! the link that it is attached to, and returns its wrench and its composite inertia. The inertia that its first joint cannot
//! separate from that link belongs to the link.

use super::choices::{Choices, Site};
use super::context::{Context, Inputs, Terms};
use super::gauge;
use super::geometry::{Arm, has_one_axis};
use super::{Parameters, Trig};
use armdyn_core::{Model, Vec3};
use std::collections::VecDeque;

/// The link that a branch is attached to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attachment {
    pub branch: usize,
    pub link: usize,
    /// Cosine and sine of the angle about the link's z axis to the axes of the branch's unit 0.
    pub turn: (f64, f64),
}

/// A serial part of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub arm: Arm,
    /// The number of its first link in the choices.
    pub first: usize,
    pub attachment: Option<Attachment>,
    /// Whether each link carries other branches.
    pub carries: Vec<bool>,
}

/// The branches; that which carries another comes before it.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub branches: Vec<Branch>,
    /// Degrees of freedom of the robot.
    pub dofs: usize,
}

impl Tree {
    /// The branches of a tree of revolute and prismatic pairs; none for other robots.
    pub fn of(m: &Model<f64>) -> Option<Tree> {
        let count = m.body_count();
        if count == 0 || !m.followers().is_empty() || !m.base_to_tip().all(|(_, b)| has_one_axis(&b.pair)) {
            return None;
        }
        let mut children = vec![vec![]; count + 1];
        let mut height = vec![0; count + 1];
        for (k, b) in m.tip_to_base() {
            children[b.parent].insert(0, k);
            height[b.parent] = height[b.parent].max(height[k] + 1);
        }
        let mut tree = Tree { branches: vec![], dofs: m.nv() };
        let mut open: VecDeque<(usize, Option<(usize, usize)>)> = children[0].iter().map(|&k| (k, None)).collect();
        let mut first = 0;
        while let Some((start, on)) = open.pop_front() {
            let mut bodies = vec![start];
            let mut carries = vec![];
            while let Some(&body) = bodies.last() {
                let longest = children[body].iter().copied().min_by_key(|&k| std::cmp::Reverse(height[k]));
                let link = bodies.len() - 1;
                let others = children[body].iter().filter(|&&k| Some(k) != longest);
                carries.push(children[body].len() > 1);
                open.extend(others.map(|&k| (k, Some((tree.branches.len(), link)))));
                match longest {
                    Some(next) => bodies.push(next),
                    None => break,
                }
            }
            tree.add(m, &bodies, on, first, carries);
            first += bodies.len();
        }
        for k in (0..tree.branches.len()).rev() {
            if let Some(at) = tree.branches[k].attachment {
                let passed = gauge::passed_on(&tree.branches[k].arm);
                tree.branches[at.branch].arm.add_inertia(at.link, passed);
            }
        }
        Some(tree)
    }

    /// The path from the base to a body alone; none if other pairs than revolute and prismatic ones are on it.
    pub fn path(m: &Model<f64>, body: usize) -> Option<Tree> {
        let mut bodies = vec![];
        let mut at = body;
        while at > 0 {
            bodies.insert(0, at);
            at = m.body(at).parent;
        }
        let plain = m.nq() == m.nv() && m.followers().is_empty();
        if bodies.is_empty() || !plain || !bodies.iter().all(|&b| has_one_axis(&m.body(b).pair)) {
            return None;
        }
        let mut tree = Tree { branches: vec![], dofs: m.nv() };
        let carries = vec![false; bodies.len()];
        tree.add(m, &bodies, None, 0, carries);
        Some(tree)
    }

    fn add(&mut self, m: &Model<f64>, bodies: &[usize], on: Option<(usize, usize)>, first: usize, carries: Vec<bool>) {
        let frame = on.map(|(branch, link)| self.branches[branch].arm.frame(link, 0));
        let arm = Arm::along(m, bodies, frame);
        let attachment = on.zip(frame).map(|((branch, link), frame)| {
            let turn = arm.turn_from(&frame.rotation);
            Attachment { branch, link, turn }
        });
        self.branches.push(Branch { arm, first, attachment, carries });
    }

    /// Number of links.
    pub fn len(&self) -> usize {
        self.branches.iter().map(|b| b.arm.len()).sum()
    }

    /// The data of each branch, in the graph being recorded. None if a chosen gauge is invalid, or if parameters are named in a
    /// tree of several branches.
    pub fn contexts<'a>(
        &'a self,
        choices: &'a Choices,
        trig: Trig,
        parameters: Parameters,
        terms: Terms,
    ) -> Option<Vec<Context<'a>>> {
        if parameters == Parameters::Symbolic && self.branches.len() > 1 {
            return None;
        }
        let inputs = Inputs::new(self.dofs, terms);
        let origin = |k: usize, j: usize| {
            let b = &self.branches[k];
            let choice = choices.pick(Site::Origin, b.first + j, b.arm.origin_count(j));
            b.arm.frame(j, choice).translation
        };
        let context = |b: &'a Branch| {
            let from: Option<Vec3<f64>> = b.attachment.map(|at| origin(at.branch, at.link));
            Context::new(b, choices, from, (trig, parameters), terms, &inputs)
        };
        self.branches.iter().map(context).collect()
    }
}

//! Joint values as they are shown: in degrees with `--deg`, with units and names.

use crate::format::{number, position_unit};
use armdyn_core::Model;

/// How the values of a robot's joints are shown.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The robot.
    pub m: &'a Model<f64>,
    /// Whether angles are in degrees.
    pub deg: bool,
}

impl Shown<'_> {
    /// A position, speed or acceleration in its unit.
    pub fn value(&self, dof: usize, x: f64) -> f64 {
        if self.deg && self.m.is_rotational(dof) { x.to_degrees() } else { x }
    }

    /// Values in their units.
    pub fn values(&self, x: &[f64]) -> Vec<f64> {
        x.iter().enumerate().map(|(i, x)| self.value(i, *x)).collect()
    }

    /// A value of a state that a search found.
    pub fn number(&self, dof: usize, x: f64) -> String {
        // Searches resolve a position to about 1e-7.
        number(if x.abs() < 1e-7 { 0.0 } else { self.value(dof, x) })
    }

    /// Unit of a position.
    pub fn position_unit(&self, dof: usize) -> &'static str {
        position_unit(self.m, dof, self.deg)
    }

    /// Unit of a rate, such as `rad/s²` for `s²`.
    pub fn rate_unit(&self, dof: usize, per: &str) -> String {
        format!("{}/{per}", self.position_unit(dof))
    }

    /// A coupling of joint j's acceleration to that of joint i, such as D_ij / D_ii, in its unit.
    pub fn coupling(&self, i: usize, j: usize, x: f64) -> f64 {
        self.value(i, x) / self.value(j, 1.0)
    }

    /// Unit of a coupling, such as `rad/m`; empty if dimensionless.
    pub fn coupling_unit(&self, i: usize, j: usize) -> String {
        let [of, per] = [i, j].map(|dof| self.position_unit(dof));
        if of == per { String::new() } else { format!("{of}/{per}") }
    }

    /// `(0.1, 0.2)`.
    pub fn list(&self, x: &[f64]) -> String {
        let one = |(i, x): (usize, &f64)| self.number(i, *x);
        format!("({})", x.iter().enumerate().map(one).collect::<Vec<_>>().join(", "))
    }

    /// `joint1 0.1 rad, joint2 0.2 m`; in order where coordinates are not degrees of freedom.
    pub fn named_positions(&self, q: &[f64]) -> String {
        if q.len() != self.m.nv() {
            return self
                .m
                .coordinate_names()
                .iter()
                .zip(q)
                .map(|(n, x)| format!("{n} {}", number(*x)))
                .collect::<Vec<_>>()
                .join(", ");
        }
        self.named(q, "")
    }

    /// Values of all degrees of freedom: `joint1 0.1 rad/s, joint2 0.2 m/s` for `/s`.
    pub fn named(&self, x: &[f64], per: &str) -> String {
        let one = |(i, x): (usize, &f64)| {
            format!("{} {} {}{per}", self.m.dof_names()[i], self.number(i, *x), self.position_unit(i))
        };
        x.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }
}

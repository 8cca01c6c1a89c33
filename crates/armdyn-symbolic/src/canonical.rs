//! The frames that base parameters refer to, and everything that their formulas name.
//!
//! Modified Denavit–Hartenberg frames (Khalil & Kleinfinger 1986): from frame j − 1, α about and d along x, then θ about and r
//! along z, which is the joint's axis. With the formulas of [`base_parameters`](crate::base_parameters), their numbers give its
//! values.

use crate::minimal::gauge::axis;
use crate::minimal::geometry::{Arm, Layout, Moments};
use armdyn_core::{Error, Model, Rotation, Transform, Vec3, vec3};
use std::fmt::Write;

/// The letters of a link's inertial parameters, in the order of [`CanonicalFrame::inertia`].
pub const LINK_LETTERS: [&str; 10] = ["XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M"];

/// The frame of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalFrame {
    /// The joint.
    pub joint: String,
    /// Whether the joint is prismatic: its frame has the axes of the preceding revolute one.
    pub prismatic: bool,
    /// The angle from the preceding z axis to its own, about x \[rad\].
    pub alpha: f64,
    /// θ at q = 0 \[rad\].
    pub theta: f64,
    /// 1 if θ increases with q, otherwise −1.
    pub sign: f64,
    /// The lengths that locate its origin in the preceding frame, by their names without the joint's number: `d` and `r`, or the
    /// components `px`, `py`, `pz`; zeros are left out \[m\].
    pub lengths: Vec<(&'static str, f64)>,
    /// Its pose in the base frame at q = 0.
    pub pose: Transform<f64>,
    /// The link's moments of inertia about its origin (products are elements of the tensor: XY = −∫ x y dm), first moments and
    /// mass, as [`LINK_LETTERS`] \[kg m², kg m, kg\].
    pub inertia: [f64; 10],
}

impl CanonicalFrame {
    /// Whether sin α and cos α are symbols: neither 0 nor ±1.
    pub fn has_general_angle(&self) -> bool {
        !self.prismatic && self.alpha.sin().abs() > 1e-12 && self.alpha.cos().abs() > 1e-12
    }
}

/// The lengths that locate the origin of link `j`.
pub(crate) fn lengths(arm: &Arm, layout: &Layout, j: usize) -> Vec<(&'static str, f64)> {
    let (at, e) = (layout.p[j], axis(arm, j));
    let r = vec3(e[0], e[1], e[2]).dot(at);
    let prismatic = arm.places[j].slides.is_some();
    let canonical = !prismatic && (at - vec3(at.x, e[1] * r, e[2] * r)).norm() < 1e-12;
    let all = if canonical {
        vec![("d", at.x), ("r", if r.abs() < 1e-13 { 0.0 } else { r })]
    } else {
        vec![("px", at.x), ("py", at.y), ("pz", at.z)]
    };
    all.into_iter().filter(|(_, x)| *x != 0.0).collect()
}

/// The frames of an arm with these origins; the last one is rotated about its z axis by `terminal`.
pub(crate) fn frames(
    arm: &Arm,
    names: &[String],
    layout: &Layout,
    origins: &[usize],
    terminal: f64,
) -> Vec<CanonicalFrame> {
    let frame = |j: usize| {
        let place = &arm.places[j];
        let unit = &arm.units[place.unit];
        let prismatic = place.slides.is_some();
        let mut pose = arm.frame(j, origins[j]);
        let turn = if j + 1 == arm.len() { terminal } else { 0.0 };
        if turn != 0.0 {
            pose.rotation = pose.rotation.compose(&Rotation::about(Vec3::unit(2), turn.sin_cos()));
        }
        let (alpha, theta, sign) =
            if prismatic { (0.0, 0.0, 1.0) } else { (unit.alpha.1.atan2(unit.alpha.0), unit.offset + turn, unit.sign) };
        let name = names[arm.dofs[j]].clone();
        let inertia = tensor(&layout.moments[j]);
        CanonicalFrame { joint: name, prismatic, alpha, theta, sign, lengths: lengths(arm, layout, j), pose, inertia }
    };
    (0..arm.len()).map(frame).collect()
}

/// XX … ZZ, MX MY MZ, M from K, s and m.
fn tensor(m: &Moments<f64>) -> [f64; 10] {
    let [k11, k12, k13, k22, k23, k33, x, y, z, mass] = *m;
    [k22 + k33, -k12, -k13, k11 + k33, -k23, k11 + k22, x, y, z, mass]
}

/// The frames of the [base parameters](crate::base_parameters) of a serial arm of revolute and prismatic joints; an error for
/// other robots.
pub fn canonical_frames(m: &Model<f64>) -> Result<Vec<CanonicalFrame>, Error> {
    let m = &m.without_drives();
    let arm = crate::base::serial_arm(m)?;
    let layout = arm.layout(|_| 0, None);
    Ok(frames(&arm, m.dof_names(), &layout, &vec![0; arm.len()], 0.0))
}

/// The frames and the meaning of the letters as lines of text.
pub(crate) fn legend(frames: &[CanonicalFrame]) -> Vec<String> {
    let number = |x: f64| {
        let rounded = format!("{x:.6}");
        let short = rounded.trim_end_matches('0').trim_end_matches('.');
        if short == "-0" { "0".to_string() } else { short.to_string() }
    };
    let vector = |v: Vec3<f64>| format!("({})", v.to_array().map(number).join(", "));
    let mut lines = vec![
        "Frame j is that of joint j: z is its axis, x the common normal with the next axis. From frame j-1: alpha about x, d".into(),
        "along x, theta about z, r along z (px, py, pz: position of its origin in frame j-1); theta = sign q + offset.".into(),
        "XXj YYj ZZj XYj XZj YZj: inertia tensor of link j about origin j; MXj MYj MZj: mass times centre of mass; Mj:".into(),
        "mass, all in frame j. ZZ of the first revolute link includes the reflected inertia of its drive. R: regrouped.".into(),
        "IAj: other reflected inertias. FVj: viscous friction; FCj, or FCFj and FCBj forward and backward: Coulomb friction;".into(),
        "FSj and VSj: Stribeck excess and speed. caj, saj: cosine and sine of alpha of frame j.".into(),
        String::new(),
    ];
    for (j, f) in frames.iter().enumerate() {
        let mut line = format!("frame {}", j + 1);
        if f.prismatic {
            line += ": prismatic";
        } else {
            let sign = if f.sign < 0.0 { "-q" } else { "q" };
            let degrees = |x: f64| number(x.to_degrees());
            let _ = write!(line, ": alpha {} deg, theta = {sign} + {} deg", degrees(f.alpha), degrees(f.theta));
        }
        for (name, x) in &f.lengths {
            let _ = write!(line, ", {name}{} = {}", j + 1, number(*x));
        }
        lines.push(line);
        let (p, r) = (f.pose.translation, f.pose.rotation);
        lines.push(format!(
            "    at q = 0 in the base frame: origin {}, x {}, z {}",
            vector(p),
            vector(r.x),
            vector(r.z)
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MinimalOptions, Parameters, Quantity, base_parameters, minimal};
    use armdyn_core::{BASE, Joint, ModelBuilder};
    use armdyn_testkit::{bundled, random};
    use std::collections::HashMap;
    use std::time::Duration;

    /// A sum of products of names, numbers, powers and one level of brackets, as the formulas are written.
    struct Formula<'a> {
        text: Vec<char>,
        at: usize,
        values: &'a HashMap<String, f64>,
    }

    impl Formula<'_> {
        fn next(&mut self) -> Option<char> {
            while self.text.get(self.at) == Some(&' ') {
                self.at += 1;
            }
            self.text.get(self.at).copied()
        }

        fn sum(&mut self) -> f64 {
            let mut total = 0.0;
            while let Some(c) = self.next().filter(|c| *c != ')') {
                let sign = if c == '-' { -1.0 } else { 1.0 };
                if c == '-' || c == '+' {
                    self.at += 1;
                }
                total += sign * self.product();
            }
            total
        }

        fn product(&mut self) -> f64 {
            let mut product = 1.0;
            while let Some(c) = self.next().filter(|c| !matches!(c, '+' | '-' | ')')) {
                if c == '(' {
                    self.at += 1;
                    product *= self.sum();
                    self.at += 1;
                    continue;
                }
                let start = self.at;
                while self.text.get(self.at).is_some_and(|c| c.is_alphanumeric() && !"²³⁴".contains(*c) || *c == '.')
                {
                    self.at += 1;
                }
                let mut word: String = self.text[start..self.at].iter().collect();
                if word == "cos" || word == "sin" {
                    while !word.ends_with(')') {
                        word.push(self.text[self.at]);
                        self.at += 1;
                    }
                }
                let value = word.parse().ok().or_else(|| self.values.get(&word).copied());
                let value: f64 = value.unwrap_or_else(|| panic!("`{word}` is not defined"));
                let power = match self.text.get(self.at) {
                    Some('²') => 2,
                    Some('³') => 3,
                    Some('⁴') => 4,
                    _ => 1,
                };
                self.at += usize::from(power > 1);
                product *= value.powi(power);
            }
            product
        }
    }

    /// Every symbol of a formula is in the frames, and with their numbers the formula gives the parameter's value.
    #[test]
    fn the_formulas_of_base_parameters_use_only_what_the_frames_define() {
        let named = ["planar-2r", "scara", "renaud-6r", "jpl-rrp", "puma560", "panda", "stanford", "ur5e", "lin-rp"];
        let kinds = ["RR", "PR", "RPR", "RRRRRR"].map(|k| random::arm(4, k));
        for m in named.map(bundled).iter().chain(&kinds) {
            let frames = canonical_frames(m).unwrap();
            let mut values = HashMap::new();
            for (j, f) in frames.iter().enumerate() {
                let mut put = |name: String, x: f64| assert!(values.insert(name, x).is_none());
                LINK_LETTERS.iter().zip(f.inertia).for_each(|(name, x)| put(format!("{name}{}", j + 1), x));
                f.lengths.iter().for_each(|(name, x)| put(format!("{name}{}", j + 1), *x));
                if f.has_general_angle() {
                    put(format!("cos(α{})", j + 1), f.alpha.cos());
                    put(format!("sin(α{})", j + 1), f.alpha.sin());
                }
            }
            for p in base_parameters(m).unwrap() {
                let found = Formula { text: p.formula.chars().collect(), at: 0, values: &values }.sum();
                // Six decimals of the numbers in a formula.
                assert!((found - p.value).abs() < 2e-5 * p.value.abs().max(1e-3), "{} {p:?}: {found}", m.name());
            }
        }
    }

    /// A prismatic joint comes first: the general angle is that of joint 3, in the program's inputs, the formulas and the legend.
    #[test]
    fn inputs_are_numbered_by_joints_as_the_frames_are() {
        let mut builder = ModelBuilder::new("PRR");
        let mut last = BASE;
        for (j, alpha) in [0.0, 0.0, 0.7].into_iter().enumerate() {
            let joint = Joint::modified_dh(&format!("joint{j}"), j == 0, alpha, 0.3, 0.0, 0.1);
            last = builder.add(last, joint, random::link(&mut random::source(j as u64), &format!("link{j}")));
        }
        let m = builder.build().unwrap();
        let (budget, parameters) = (Duration::ZERO, Parameters::Symbolic);
        let options = MinimalOptions { budget, parameters, ..MinimalOptions::default() };
        let program = minimal(&m, Quantity::Inverse, &options).unwrap();
        let inputs = program.graph.inputs().iter().filter_map(|i| Some((i.name.as_str(), i.parameter.as_ref()?.value)));
        let angles: Vec<(&str, f64)> = inputs.filter(|(n, _)| n.starts_with("ca") || n.starts_with("sa")).collect();
        assert_eq!(angles.iter().map(|(n, _)| *n).collect::<Vec<_>>(), ["ca3", "sa3"]);
        for ((_, found), expected) in angles.iter().zip([0.7f64.cos(), 0.7f64.sin()]) {
            assert!((found - expected).abs() < 1e-15, "{angles:?}");
        }
        assert!(program.legend.iter().any(|l| l.starts_with("frame 3: alpha 40.107")), "{:?}", program.legend);
        assert!(program.legend.iter().any(|l| l.contains("alpha of frame j")), "{:?}", program.legend);
    }
}

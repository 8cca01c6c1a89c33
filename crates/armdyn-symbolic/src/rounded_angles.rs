//! Rounded angles: 1.5708 in a file means 90°.
//!
//! A multiple of 15° that was written with few digits makes axes nearly parallel or nearly intersecting, and programs long.
//! Angles of a joint's placement (roll, pitch, yaw; or α and θ of either Denavit–Hartenberg convention) within
//! [`ANGLE_TOLERANCE`] of such a multiple are replaced by it. Each is reported with its effect on the torques, and all together
//! with theirs, which may be several times larger.

use armdyn_core::{
    BASE, Drive, Error, Joint, Link, LinkId, Model, ModelBuilder, RneaData, Rotation, Rotor, SplitMix64, Transform,
    rnea, vec3,
};
use std::f64::consts::PI;
use std::fmt;

/// Maximum distance from a multiple of 15° \[rad\].
pub const ANGLE_TOLERANCE: f64 = 1e-5;
/// Angles closer than this are already exact.
const EXACT: f64 = 1e-12;
const STEP: f64 = PI / 12.0;

/// A rounded angle that was replaced by an exact one.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundedAngle {
    /// The joint.
    pub joint: String,
    /// The angle: `roll`, `pitch`, `yaw`, `alpha`, `theta`.
    pub angle: &'static str,
    /// The rounded value \[rad\].
    pub value: f64,
    /// The exact value \[degrees\], a multiple of 15.
    pub degrees: f64,
    /// Maximum change of a torque relative to the largest torque at random states, due to this joint's angles.
    pub effect: f64,
}

/// The maximum change of a torque at random states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TorqueChange {
    /// Relative to the largest torque of all states.
    pub of_largest: f64,
    /// Relative to the largest torque of its own state.
    pub of_own: f64,
}

/// The rounded angles of a robot that were replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundedAngles {
    /// Each angle.
    pub list: Vec<RoundedAngle>,
    /// The change of the torques due to all of them.
    pub effect: TorqueChange,
}

impl RoundedAngles {
    /// Each angle as a sentence, and the effect of all of them.
    pub fn lines(&self) -> Vec<String> {
        let TorqueChange { of_largest, of_own } = self.effect;
        let total = format!(
            "all replaced angles together change torques by up to {of_largest:.1e} of the largest, and by up to {of_own:.1e} \
             of the largest in the same state"
        );
        let each = self.list.iter().map(ToString::to_string);
        each.chain((!self.list.is_empty()).then_some(total)).collect()
    }
}

impl fmt::Display for RoundedAngle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoundedAngle { joint, angle, value, degrees, effect } = self;
        write!(
            f,
            "joint `{joint}`: {angle} {value} rad is replaced by {degrees} deg; torques change by {effect:.1e} of the largest"
        )
    }
}

/// The multiple of 15° that an angle is close to.
fn multiple(angle: f64) -> Option<f64> {
    let near = (angle / STEP).round();
    ((angle - near * STEP).abs() < ANGLE_TOLERANCE).then_some(near)
}

/// Sequences of three rotations about axes (0 x, 1 y, 2 z).
const SEQUENCES: [[(usize, &str); 3]; 3] = [
    [(2, "yaw"), (1, "pitch"), (0, "roll")],
    [(0, "alpha"), (1, "pitch"), (2, "theta")],
    [(2, "theta"), (1, "pitch"), (0, "alpha")],
];

fn about(axis: usize, angle: f64) -> Rotation<f64> {
    // Sine and cosine of a multiple of 90° are integers.
    let quarters = (angle / (PI / 2.0)).round();
    let trig = if (angle - quarters * (PI / 2.0)).abs() < 1e-15 {
        [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][(quarters as i64).rem_euclid(4) as usize]
    } else {
        angle.sin_cos()
    };
    Rotation::about(vec3([1.0, 0.0, 0.0][axis], [0.0, 1.0, 0.0][axis], [0.0, 0.0, 1.0][axis]), trig)
}

/// The three angles of Rz Ry Rx, or of Rx Ry Rz (whose inverse is of the first form, with the angles negated).
fn angles(r: &Rotation<f64>, sequence: &[(usize, &str); 3]) -> [f64; 3] {
    if sequence[0].0 == 2 {
        let [roll, pitch, yaw] = r.roll_pitch_yaw();
        [yaw, pitch, roll]
    } else {
        r.inverse().roll_pitch_yaw().map(|angle| -angle)
    }
}

type Replaced = (Rotation<f64>, Vec<(&'static str, f64, f64)>);

/// The rotation with its rounded angles made exact, and those angles: name, rounded value, degrees. None if there is none.
fn exact(r: &Rotation<f64>) -> Option<Replaced> {
    // The sequence with the most exact angles, and of those the one that changes the fewest.
    let mut best: Option<((usize, usize), Replaced)> = None;
    for sequence in &SEQUENCES {
        let values = angles(r, sequence);
        let exact = values.map(|a| multiple(a).map_or(a, |k| k * STEP));
        let changed: Vec<_> = (0..3).filter(|&i| (exact[i] - values[i]).abs() > EXACT).collect();
        let rotation = (0..3).fold(Rotation::identity(), |r, i| r.compose(&about(sequence[i].0, exact[i])));
        let listed = changed.iter().map(|&i| (sequence[i].1, values[i], (exact[i] / STEP).round() * 15.0)).collect();
        let known = ((0..3).filter(|&i| multiple(values[i]).is_some()).count(), 3 - changed.len());
        if !changed.is_empty() && best.as_ref().is_none_or(|(k, _)| known > *k) {
            best = Some((known, (rotation, listed)));
        }
    }
    best.map(|(_, replaced)| replaced)
}

/// A placement with an exact rotation. Its translation is rotated too where that makes components vanish: (a, −r sin α,
/// r cos α) was computed from the rounded angle.
fn with_rotation(at: &Transform<f64>, rotation: Rotation<f64>) -> Transform<f64> {
    let t = at.translation;
    let along = rotation.rotate(at.rotation.inverse_rotate(t));
    let zeros = |v: armdyn_core::Vec3<f64>| v.to_array().iter().filter(|x| x.abs() < EXACT * t.norm()).count();
    let tidy = along.map(|x| if x.abs() < EXACT * t.norm() { 0.0 } else { x });
    Transform::new(rotation, if zeros(along) > zeros(t) { tidy } else { t })
}

/// The model with the rounded angles of its joints made exact, and those angles.
pub fn exact_angles(model: &Model<f64>) -> Result<(Model<f64>, RoundedAngles), Error> {
    let unchanged = || (model.clone(), RoundedAngles::default());
    let mut list = vec![];
    let mut placements: Vec<Transform<f64>> = model.joints().iter().map(|j| j.placement).collect();
    for (k, joint) in model.joints().iter().enumerate() {
        let Some((rotation, changed)) = exact(&joint.placement.rotation) else { continue };
        placements[k] = with_rotation(&joint.placement, rotation);
        let mut alone: Vec<Transform<f64>> = model.joints().iter().map(|j| j.placement).collect();
        alone[k] = placements[k];
        let Some(other) = placed(model, &alone) else { return Ok(unchanged()) };
        let effect = effect(model, &other)?.of_largest;
        let listed =
            |(angle, value, degrees)| RoundedAngle { joint: joint.name.clone(), angle, value, degrees, effect };
        list.extend(changed.into_iter().map(listed));
    }
    match placed(model, &placements).filter(|_| !list.is_empty()) {
        Some(exact) => {
            let effect = effect(model, &exact)?;
            Ok((exact, RoundedAngles { list, effect }))
        }
        None => Ok(unchanged()),
    }
}

/// The same robot with other joint placements; none if a rotor drives several joints, or a joint follows another one.
fn placed(model: &Model<f64>, placements: &[Transform<f64>]) -> Option<Model<f64>> {
    if model.rotors().iter().any(|r| r.gear.len() != 1) || !model.followers().is_empty() {
        return None;
    }
    let link = |k: LinkId| {
        let info = &model.links()[k];
        Link { name: info.name.clone(), parts: info.parts.clone(), beam: info.beam }
    };
    let mut builder = ModelBuilder::new(model.name());
    builder.gravity(model.gravity().to_array());
    builder.base(link(BASE));
    for (info, &at) in model.joints().iter().zip(placements) {
        let mut joint = Joint::new(&info.name, info.kind).at(at);
        for v in info.v.clone() {
            let rotor = model.rotors().iter().find(|r| r.gear[0].0.index() == v);
            let rotor = rotor.map(|r| Rotor { inertia: r.inertia, gear: r.gear[0].1, axis: r.axis });
            let (armature, friction, limits) = (model.armature()[v], model.friction()[v], model.limits()[v]);
            joint = joint.driven_by(Drive { rotor, armature, friction, limits });
        }
        joint.stiffness = model.joint_stiffness()[info.v.clone()].to_vec();
        builder.add(info.parent, joint, link(info.child));
    }
    for c in model.contacts() {
        builder.contact(c.clone());
    }
    let mut built = builder.build().ok()?;
    for p in model.payloads() {
        built = built.with_payload_in_link(&p.name, p.link, p.in_link).ok()?;
    }
    Some(built)
}

/// Number of states at which torques are compared.
const STATES: usize = 100;

/// The maximum change of a torque between two models.
fn effect(a: &Model<f64>, b: &Model<f64>) -> Result<TorqueChange, Error> {
    let mut random = SplitMix64(11);
    let (mut q, n) = (vec![0.0; a.nq()], a.nv());
    let (mut change, mut size, mut of_own) = (0.0f64, 1e-300f64, 0.0f64);
    for _ in 0..STATES {
        a.random(|| random.unit(), &mut q)?;
        let mut numbers = |range: f64| (0..n).map(|_| random.within(range)).collect::<Vec<f64>>();
        let (qd, qdd) = (numbers(2.0), numbers(2.0));
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        rnea(a, &mut RneaData::new(a), &q, &qd, &qdd, &mut x)?;
        rnea(b, &mut RneaData::new(b), &q, &qd, &qdd, &mut y)?;
        let largest = x.iter().fold(1e-300f64, |s, x| s.max(x.abs()));
        let here = x.iter().zip(&y).fold(0.0f64, |s, (x, y)| s.max((x - y).abs()));
        (change, size, of_own) = (change.max(here), size.max(largest), of_own.max(here / largest));
    }
    Ok(TorqueChange { of_largest: change / size, of_own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MinimalOptions, Parameters, Quantity, minimal};
    use armdyn_testkit::random;
    use std::time::Duration;

    /// The bundled arm with its right angles rounded to `digits` decimals.
    fn cut(digits: i32) -> Model<f64> {
        let scale = 10f64.powi(digits);
        let right = (PI / 2.0 * scale).round() / scale;
        let mut builder = ModelBuilder::new("cut");
        let mut last = BASE;
        for (k, (alpha, a, d)) in [
            (0.0, 0.0, 0.0),
            (right, 0.0, 0.0),
            (0.0, 0.5, 0.1),
            (right, 0.0, 0.4),
            (-right, 0.0, 0.0),
            (right, 0.0, 0.0),
        ]
        .into_iter()
        .enumerate()
        {
            let joint = Joint::modified_dh(&format!("joint{k}"), false, alpha, a, if k == 3 { 0.3 } else { 0.0 }, d)
                .driven_by(Drive::ideal().rotor(1e-4, 100.0).viscous(0.2));
            last = builder.add(last, joint, random::link(&mut random::source(k as u64), &format!("link{k}")));
        }
        builder.build().unwrap()
    }

    #[test]
    fn rounded_right_angles_are_made_exact_and_listed_with_their_effect() {
        for (digits, off) in [(4, 3.7e-6), (11, 5e-12)] {
            let (exact, RoundedAngles { list, effect: all }) = exact_angles(&cut(digits)).unwrap();
            assert_eq!(list.len(), 4, "{list:?}");
            for r in &list {
                assert_eq!((r.angle == "alpha" || r.angle == "roll", r.degrees.abs()), (true, 90.0), "{r:?}");
                assert!(r.effect > 0.0 && r.effect < 10.0 * off, "{r:?}");
            }
            // Together they may add up; a state's own largest torque is less than the largest of all.
            let largest = list.iter().fold(0.0f64, |s, r| s.max(r.effect));
            assert!(all.of_largest > 0.5 * largest && all.of_largest < 4.0 * largest, "{all:?}, {list:?}");
            assert!(all.of_own >= all.of_largest && all.of_own < 100.0 * off, "{all:?}");
            // The torques equal those of the robot with exact angles.
            assert!(effect(&cut(15), &exact).unwrap().of_own < 1e-12);
            let options =
                MinimalOptions { budget: Duration::ZERO, parameters: Parameters::Numeric, ..MinimalOptions::default() };
            let count = |m: &Model<f64>, exact| {
                minimal(m, Quantity::Inverse, &MinimalOptions { exact, ..options }).unwrap().count().total()
            };
            assert_eq!(count(&cut(digits), false), count(&cut(15), false));
            assert!(
                digits > 5 || count(&cut(digits), true) > count(&cut(15), true) + 100,
                "with rounded angles it is a general arm"
            );
        }
    }

    #[test]
    fn a_coarse_angle_is_unchanged() {
        assert_eq!(exact_angles(&cut(2)).unwrap().1.list, []);
        assert_eq!(exact_angles(&cut(15)).unwrap().1.list, []);
    }
}

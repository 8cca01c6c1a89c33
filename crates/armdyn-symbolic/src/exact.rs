//! Rounded angles: 1.5708 in a file means a right angle.
//!
//! A multiple of 15° that was written with few digits makes axes that are nearly parallel or nearly meet, and a program for them
//! long. Angles of a joint's placement (roll, pitch, yaw; or α and θ of either Denavit–Hartenberg convention) that are within
//! [`TOLERANCE`] of such a multiple are taken for it. Each is reported with what it does to the torques.

use crate::minimal::search::Random;
use armdyn_core::{
    BASE, Drive, Error, Joint, Link, LinkId, Model, ModelBuilder, RneaData, Rotation, Rotor, Transform, rnea, vec3,
};
use std::f64::consts::PI;
use std::fmt;

/// How far from a multiple of 15° an angle may be to be taken for it \[rad\].
pub const TOLERANCE: f64 = 1e-5;
/// What is nearer than this is exact already.
const EXACT: f64 = 1e-12;
const STEP: f64 = PI / 12.0;

/// An angle that was taken for an exact one.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised {
    /// The joint whose placement it is of.
    pub joint: String,
    /// Which angle: `roll`, `pitch`, `yaw`, `alpha`, `theta`.
    pub angle: &'static str,
    /// As it was \[rad\].
    pub found: f64,
    /// What it was taken for \[degrees\], a multiple of 15.
    pub degrees: f64,
    /// The largest change of a torque beside the largest torque, at random states, by this joint's angles alone.
    pub effect: f64,
}

impl fmt::Display for Recognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recognised { joint, angle, found, degrees, effect } = self;
        write!(
            f,
            "joint `{joint}`: {angle} of {found} rad is taken for {degrees} deg; torques change by {effect:.1e} of the largest"
        )
    }
}

/// The multiple of 15° that an angle is, or is taken for.
fn multiple(angle: f64) -> Option<f64> {
    let near = (angle / STEP).round();
    ((angle - near * STEP).abs() < TOLERANCE).then_some(near)
}

/// Ways to see a rotation as three turns about axes (0 x, 1 y, 2 z), one after the other.
const WAYS: [[(usize, &str); 3]; 3] = [
    [(2, "yaw"), (1, "pitch"), (0, "roll")],
    [(0, "alpha"), (1, "pitch"), (2, "theta")],
    [(2, "theta"), (1, "pitch"), (0, "alpha")],
];

fn about(axis: usize, angle: f64) -> Rotation<f64> {
    // Sine and cosine of a quarter turn are whole numbers.
    let quarters = (angle / (PI / 2.0)).round();
    let trig = if (angle - quarters * (PI / 2.0)).abs() < 1e-15 {
        [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][(quarters as i64).rem_euclid(4) as usize]
    } else {
        angle.sin_cos()
    };
    Rotation::about(vec3([1.0, 0.0, 0.0][axis], [0.0, 1.0, 0.0][axis], [0.0, 0.0, 1.0][axis]), trig)
}

/// The three angles of Rz Ry Rx, or of Rx Ry Rz (whose inverse is of the first form, with the angles negated).
fn angles(r: &Rotation<f64>, way: &[(usize, &str); 3]) -> [f64; 3] {
    if way[0].0 == 2 {
        let [roll, pitch, yaw] = r.roll_pitch_yaw();
        [yaw, pitch, roll]
    } else {
        r.inverse().roll_pitch_yaw().map(|angle| -angle)
    }
}

type Turned = (Rotation<f64>, Vec<(&'static str, f64, f64)>);

/// The rotation with its rounded angles made exact, and those: name, as it was, degrees. None if there is none.
fn exact(r: &Rotation<f64>) -> Option<Turned> {
    // The way that knows the most of its angles, and of those the one that changes the fewest.
    let mut best: Option<((usize, usize), Turned)> = None;
    for way in &WAYS {
        let found = angles(r, way);
        let taken = found.map(|a| multiple(a).map_or(a, |k| k * STEP));
        let changed: Vec<_> = (0..3).filter(|&i| (taken[i] - found[i]).abs() > EXACT).collect();
        let turned = (0..3).fold(Rotation::identity(), |r, i| r.compose(&about(way[i].0, taken[i])));
        let listed = changed.iter().map(|&i| (way[i].1, found[i], (taken[i] / STEP).round() * 15.0)).collect();
        let known = ((0..3).filter(|&i| multiple(found[i]).is_some()).count(), 3 - changed.len());
        if !changed.is_empty() && best.as_ref().is_none_or(|(k, _)| known > *k) {
            best = Some((known, (turned, listed)));
        }
    }
    best.map(|(_, turned)| turned)
}

/// A placement with an exact rotation. Its translation turns along where that makes components vanish: (a, −r sin α, r cos α)
/// was computed from the rounded angle.
fn turned(at: &Transform<f64>, rotation: Rotation<f64>) -> Transform<f64> {
    let t = at.translation;
    let along = rotation.rotate(at.rotation.inverse_rotate(t));
    let zeros = |v: armdyn_core::Vec3<f64>| v.to_array().iter().filter(|x| x.abs() < EXACT * t.norm()).count();
    let tidy = along.map(|x| if x.abs() < EXACT * t.norm() { 0.0 } else { x });
    Transform::new(rotation, if zeros(along) > zeros(t) { tidy } else { t })
}

/// The model with its joints' rounded angles made exact, and each of those; the model itself where there is none.
pub fn recognise(model: &Model<f64>) -> Result<(Model<f64>, Vec<Recognised>), Error> {
    let mut all = vec![];
    let mut placements: Vec<Transform<f64>> = model.joints().iter().map(|j| j.placement).collect();
    for (k, joint) in model.joints().iter().enumerate() {
        let Some((rotation, changed)) = exact(&joint.placement.rotation) else { continue };
        placements[k] = turned(&joint.placement, rotation);
        let mut alone: Vec<Transform<f64>> = model.joints().iter().map(|j| j.placement).collect();
        alone[k] = placements[k];
        let Some(other) = placed(model, &alone) else { return Ok((model.clone(), vec![])) };
        let effect = effect(model, &other)?;
        let listed = |(angle, found, degrees)| Recognised { joint: joint.name.clone(), angle, found, degrees, effect };
        all.extend(changed.into_iter().map(listed));
    }
    match placed(model, &placements) {
        Some(exact) if !all.is_empty() => Ok((exact, all)),
        _ => Ok((model.clone(), vec![])),
    }
}

/// The same robot with its joints placed anew; none where its drives can't be described again joint by joint.
fn placed(model: &Model<f64>, placements: &[Transform<f64>]) -> Option<Model<f64>> {
    if model.rotors().iter().any(|r| r.gear.len() != 1) {
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

/// The largest change of a torque beside the largest torque.
fn effect(a: &Model<f64>, b: &Model<f64>) -> Result<f64, Error> {
    let mut random = Random(11);
    let (mut q, n) = (vec![0.0; a.nq()], a.nv());
    let (mut change, mut size) = (0.0f64, 1e-300f64);
    for _ in 0..20 {
        a.random(|| random.unit(), &mut q)?;
        let mut numbers = |range: f64| (0..n).map(|_| random.within(range)).collect::<Vec<f64>>();
        let (qd, qdd) = (numbers(2.0), numbers(2.0));
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        rnea(a, &mut RneaData::new(a), &q, &qd, &qdd, &mut x)?;
        rnea(b, &mut RneaData::new(b), &q, &qd, &qdd, &mut y)?;
        for (x, y) in x.iter().zip(&y) {
            (change, size) = (change.max((x - y).abs()), size.max(x.abs()));
        }
    }
    Ok(change / size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Parameters, Quantity, minimal};
    use armdyn_testkit::random;
    use std::time::Duration;

    /// The bundled arm with its right angles cut to `digits` decimals.
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
    fn rounded_right_angles_are_recognised_and_their_effect_told() {
        for (digits, off) in [(4, 3.7e-6), (11, 5e-12)] {
            let (exact, list) = recognise(&cut(digits)).unwrap();
            assert_eq!(list.len(), 4, "{list:?}");
            for r in &list {
                assert_eq!((r.angle == "alpha" || r.angle == "roll", r.degrees.abs()), (true, 90.0), "{r:?}");
                assert!(r.effect > 0.0 && r.effect < 10.0 * off, "{r:?}");
            }
            // All torques of the exact robot are those of one that was written exactly.
            assert!(effect(&cut(15), &exact).unwrap() < 1e-13);
            let options = Options { budget: Duration::ZERO, parameters: Parameters::Numeric, ..Options::default() };
            let count = |m: &Model<f64>, exact| {
                minimal(m, Quantity::Inverse, &Options { exact, ..options }).unwrap().count().total()
            };
            assert_eq!(count(&cut(digits), false), count(&cut(15), false));
            assert!(
                digits > 5 || count(&cut(digits), true) > count(&cut(15), true) + 100,
                "as it is, it is a general arm"
            );
        }
    }

    #[test]
    fn a_coarse_angle_is_left_alone() {
        assert_eq!(recognise(&cut(2)).unwrap().1, []);
        assert_eq!(recognise(&cut(15)).unwrap().1, []);
    }
}

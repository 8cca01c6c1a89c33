//! Robots of the documents, built from the parameters in `data/documents`, and the golden data there, typed.

use armdyn_core::{
    BASE, Drive, Inertia, Joint, JointKind, Link, LinkId, Model, ModelBuilder, Rotation, Sym3, Transform, Vec3, vec3,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// JPL TM 33-669 (Bejczy 1974), `data/documents/jpl.json`.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct Jpl {
    pub robot: JplRobot,
    pub states: Vec<JplState>,
    pub golden_numbers: Vec<GoldenNumber>,
    /// \[i, j, k\] from 1, j ≤ k.
    pub D_ijk_identically_zero: Vec<[usize; 3]>,
    /// Those of them that appendix D foresees.
    pub D_ijk_structural_zero_appendixD: Vec<[usize; 3]>,
    pub n_nonzero: usize,
    pub n_independent: usize,
    /// "U21" is ∂T_0^2/∂q_1, in the report's frames.
    pub U_at_first_state: BTreeMap<String, [[f64; 4]; 4]>,
}

/// The arm's parameters, SI.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct JplRobot {
    pub joint_type: String,
    pub m: Vec<f64>,
    pub c: Vec<[f64; 3]>,
    /// Moments about the origin of the link's frame; products are zero.
    pub k: Vec<[f64; 3]>,
    pub r2: f64,
    pub r6: f64,
    pub r3max: f64,
    /// Drive inertia at the joint.
    pub Im: Vec<f64>,
    pub alpha_deg: Vec<i32>,
    pub theta_offset_deg: Vec<i32>,
    pub load: JplLoad,
    pub gear_ratio: Vec<Option<f64>>,
    pub conversion: JplConversion,
}

/// The load of 1.8 kg: a cube at the origin of frame 6.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct JplLoad {
    pub mass: f64,
    pub inertia_each_axis: f64,
}

/// British units in SI.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct JplConversion {
    pub kg_per_ozs2_in: f64,
    /// Also N per oz.
    pub kgm_per_ozs2: f64,
    /// Also N m per oz in.
    pub kgm2_per_ozins2: f64,
}

/// A state, and what is true there.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct JplState {
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub noload: JplCoefficients,
    pub load: JplCoefficients,
}

/// Dynamic coefficients without drives, and torques.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct JplCoefficients {
    pub D_i: Vec<f64>,
    pub D_ij: Vec<Vec<f64>>,
    /// For each i the rows j ≤ k, one after the other.
    pub D_ijk: Vec<Vec<f64>>,
    pub tau: Vec<f64>,
    pub tau_with_drive: Vec<f64>,
}

/// A number of the report: as printed, and as it should be.
#[derive(Deserialize)]
#[allow(missing_docs)]
pub struct GoldenNumber {
    pub id: String,
    pub printed: Option<f64>,
    pub correct: f64,
    pub tol_rel: f64,
    pub verdict: String,
}

/// The golden data of the JPL arm.
pub fn jpl_golden() -> Jpl {
    serde_json::from_str(include_str!("../data/documents/jpl.json")).expect("the bundled file is valid")
}

/// The JPL RRP arm with its drives; with the load of 1.8 kg if `load`. Links "link1" … "link6" have the report's frames.
pub fn jpl(load: bool) -> Model<f64> {
    let golden = jpl_golden().robot;
    let arm = jpl_arm(&golden);
    if !load {
        return arm;
    }
    let i = golden.load.inertia_each_axis;
    let cube = Inertia::about_centre(golden.load.mass, Vec3::zero(), Sym3::diagonal(i, i, i));
    let link6 = arm.link("link6").expect("the arm has a link 6");
    arm.with_payload("load", link6, cube, Transform::identity()).expect("the load is physical")
}

/// Standard Denavit–Hartenberg frames, (D.1): Rot(z, θ) Trans(z, r) Rot(x, α), as all a are zero. The joint's axis is the
/// z axis of the frame before, which passes through the new origin, and is (0, sin α, cos α) in the new frame.
fn jpl_arm(robot: &JplRobot) -> Model<f64> {
    let r = [0.0, robot.r2, 0.0, 0.0, 0.0, robot.r6];
    let mut builder = ModelBuilder::new("JPL RRP");
    let mut last = BASE;
    for i in 0..6 {
        let (sin, cos) = quarter_turns(robot.alpha_deg[i]);
        let turn = Rotation::about(Vec3::unit(2), quarter_turns(robot.theta_offset_deg[i]))
            .compose(&Rotation::about(Vec3::unit(0), (sin, cos)));
        let axis = [0.0, sin, cos];
        let kind = match robot.joint_type.as_bytes()[i] {
            b'P' => JointKind::Prismatic { axis },
            _ => JointKind::Revolute { axis },
        };
        let joint = Joint::new(&format!("joint{}", i + 1), kind)
            .at(Transform::new(turn, vec3(0.0, 0.0, r[i])))
            .driven_by(Drive::ideal().armature(robot.Im[i]));
        let name = format!("link{}", i + 1);
        let [xx, yy, zz] = robot.k[i];
        let inertia = Inertia::about_origin(robot.m[i], Vec3::lift(robot.c[i]), Sym3::diagonal(xx, yy, zz));
        last = builder.add(last, joint, Link::new(&name).part(&name, inertia, Transform::identity()));
    }
    builder.build().expect("the arm is valid")
}

/// Exact (sin, cos) of −90°, 0° or 90°.
fn quarter_turns(degrees: i32) -> (f64, f64) {
    match degrees {
        0 => (0.0, 1.0),
        90 => (1.0, 0.0),
        -90 => (-1.0, 0.0),
        _ => panic!("{degrees}° is not a quarter turn of the JPL arm"),
    }
}

/// A block of `data/documents/lau-renaud-lin-morris.json`, by its keys from the root.
pub fn block<D: DeserializeOwned>(path: &[&str]) -> D {
    let text = include_str!("../data/documents/lau-renaud-lin-morris.json");
    let mut value: Value = serde_json::from_str(text).expect("the bundled file is valid");
    for key in path {
        value = value[key].take();
    }
    serde_json::from_value(value).unwrap_or_else(|e| panic!("golden block {path:?}: {e}"))
}

/// A joint and a link by modified Denavit–Hartenberg parameters; the tensor is about the centre of mass.
#[derive(Clone, Deserialize)]
#[allow(missing_docs)]
pub struct MdhLink {
    pub alpha: f64,
    pub a: f64,
    pub theta: f64,
    pub r: f64,
    /// 1 if the joint slides.
    #[serde(default)]
    pub sigma: u8,
    #[serde(default)]
    pub m: f64,
    #[serde(default)]
    pub c: [f64; 3],
    #[serde(default, rename = "I")]
    pub tensor: [[f64; 3]; 3],
}

impl MdhLink {
    fn joint(&self, name: &str) -> Joint {
        Joint::modified_dh(name, self.sigma == 1, self.alpha, self.a, self.theta, self.r)
    }

    fn inertia(&self) -> Inertia<f64> {
        Inertia::about_centre(self.m, Vec3::lift(self.c), Sym3::from_rows(self.tensor))
    }
}

/// A chain of modified Denavit–Hartenberg links under gravity `g` along −z: joints "joint1" …, links "link1" ….
pub fn mdh_chain<'a>(name: &str, g: f64, links: impl IntoIterator<Item = (&'a MdhLink, Inertia<f64>)>) -> Model<f64> {
    let mut builder = ModelBuilder::new(name);
    builder.gravity([0.0, 0.0, -g]);
    let mut last: LinkId = BASE;
    for (k, (mdh, inertia)) in links.into_iter().enumerate() {
        let link = format!("link{}", k + 1);
        last = builder.add(
            last,
            mdh.joint(&format!("joint{}", k + 1)),
            Link::new(&link).part(&link, inertia, Transform::identity()),
        );
    }
    builder.build().expect("the chain is valid")
}

/// Renaud's example, `renaud.six_R`.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct RenaudSixR {
    pub mdh: Vec<MdhLink>,
    pub links: Vec<RenaudLink>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub g: f64,
    pub Gamma: Vec<f64>,
    pub ext: RenaudTip,
}

/// m, u, k of a body about its frame's origin.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct RenaudLink {
    pub m: f64,
    pub first_moment: [f64; 3],
    pub k_about_O: [[f64; 3]; 3],
}

/// What the tip exerts on the surroundings, at O₆ in frame 6, and the torques then.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct RenaudTip {
    pub f: [f64; 3],
    pub n: [f64; 3],
    pub Gamma: Vec<f64>,
}

/// One of `renaud.random_mdh`.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct RenaudRandom {
    pub robot: Vec<MdhLink>,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    pub g: f64,
    pub Gamma: Vec<f64>,
}

impl RenaudRandom {
    /// The robot.
    pub fn model(&self) -> Model<f64> {
        mdh_chain("random MDH", self.g, self.robot.iter().map(|l| (l, l.inertia())))
    }
}

/// Renaud's six revolute joints.
pub fn renaud_6r() -> Model<f64> {
    let golden: RenaudSixR = block(&["renaud", "six_R"]);
    let inertia =
        |l: &RenaudLink| Inertia { mass: l.m, first: Vec3::lift(l.first_moment), second: Sym3::from_rows(l.k_about_O) };
    mdh_chain("Renaud 6R", golden.g, golden.mdh.iter().zip(golden.links.iter().map(inertia)))
}

/// Morris & Neea's arm, `morris`; their order is θ₁ (distal), θ₂, θ₃, ψ.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct Morris {
    pub params: MorrisParameters,
    pub link_inertia: BTreeMap<String, MorrisInertia>,
    pub mdh_model: Vec<MdhLink>,
    pub state: MorrisState,
    /// M_z1, M_z2, M_z3, M_y4 at `state`.
    pub M: Vec<f64>,
    pub more_states: Vec<MorrisState>,
    /// The equation as printed minus the correct one, at `state`.
    pub literal_errors: BTreeMap<String, Vec<f64>>,
    /// The same, of the accelerations (3.14)-(3.20).
    pub literal_acceleration_errors: BTreeMap<String, Vec<f64>>,
}

/// By number of link or motor, "1" … "4".
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct MorrisParameters {
    pub l: BTreeMap<String, f64>,
    /// Mass per length.
    pub q: BTreeMap<String, f64>,
    pub d: BTreeMap<String, f64>,
    /// Motor masses.
    pub m: BTreeMap<String, f64>,
    pub Izm: BTreeMap<String, f64>,
    pub Itm: BTreeMap<String, f64>,
    pub g: f64,
}

/// A link about its centre of gravity.
#[derive(Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct MorrisInertia {
    pub I_transverse_cg: f64,
    pub I_axial: f64,
}

/// A state, and the torques where it is one of `more_states`.
#[derive(Clone, Deserialize)]
#[allow(non_snake_case, missing_docs)]
pub struct MorrisState {
    pub th: [f64; 4],
    pub thd: [f64; 4],
    pub thdd: [f64; 4],
    #[serde(default)]
    pub M: Vec<f64>,
}

/// Morris & Neea's arm; its coordinates are ψ, θ₃, θ₂, θ₁.
pub fn morris_neea() -> Model<f64> {
    let golden: Morris = block(&["morris"]);
    mdh_chain("Morris & Neea", golden.params.g, golden.mdh_model.iter().map(|l| (l, l.inertia())))
}

/// Lin's planar arm of two point masses, slides 20-29; gravity along −y.
pub fn lin_rr() -> Model<f64> {
    let p: BTreeMap<String, Value> = block(&["lin", "RR", "params"]);
    let at = |key: &str| p[key].as_f64().expect("a number");
    let z = [0.0, 0.0, 1.0];
    let point = |name: &str, mass: &str, length: &str| {
        let tip = Transform::from_translation(vec3(at(length), 0.0, 0.0));
        Link::new(name).part(name, Inertia::point(at(mass), Vec3::zero()), tip)
    };
    let mut builder = ModelBuilder::new("Lin RR");
    builder.gravity([0.0, -at("g"), 0.0]);
    let first = builder.add(BASE, Joint::revolute("joint1", z), point("link1", "m1", "l1"));
    let elbow = Transform::from_translation(vec3(at("l1"), 0.0, 0.0));
    builder.add(first, Joint::revolute("joint2", z).at(elbow), point("link2", "m2", "l2"));
    builder.build().expect("the arm is valid")
}

/// Lin's arm that turns and extends, slides 33-35; gravity along −y. The slides give I_zz alone: thin discs here.
pub fn lin_rp() -> Model<f64> {
    let p: BTreeMap<String, Value> = block(&["lin", "RP", "params"]);
    let at = |key: &str| p[key].as_f64().expect("a number");
    let disc = |zz: f64| [0.5 * zz, 0.0, 0.0, 0.5 * zz, 0.0, zz];
    let mut builder = ModelBuilder::new("Lin RP");
    builder.gravity([0.0, -at("g"), 0.0]);
    let first = builder.add(
        BASE,
        Joint::revolute("joint1", [0.0, 0.0, 1.0]),
        Link::new("link1").body(at("m1"), [at("l1"), 0.0, 0.0], disc(at("Izz1"))),
    );
    builder.add(
        first,
        Joint::prismatic("joint2", [1.0, 0.0, 0.0]),
        Link::new("link2").body(at("m2"), [0.0; 3], disc(at("Izz2"))),
    );
    builder.build().expect("the arm is valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{RneaData, rnea};

    fn torque(m: &Model<f64>, golden: &Value, state: [&str; 3]) -> Vec<f64> {
        let of = |key: &str| -> Vec<f64> { serde_json::from_value(golden["params"][key].clone()).expect("numbers") };
        let mut tau = vec![0.0; m.nv()];
        rnea(m, &mut RneaData::new(m), &of(state[0]), &of(state[1]), &of(state[2]), &mut tau)
            .expect("it can be computed");
        tau
    }

    #[test]
    fn lin_arms_give_the_slides_torques() {
        for (key, m, state) in [("RR", lin_rr(), ["theta", "thetad", "thetadd"]), ("RP", lin_rp(), ["q", "qd", "qdd"])]
        {
            let golden: Value = block(&["lin", key]);
            let expected: Vec<f64> = serde_json::from_value(golden["tau"].clone()).expect("numbers");
            for (t, e) in torque(&m, &golden, state).iter().zip(&expected) {
                assert!((t - e).abs() <= 1e-13 * expected[0].abs(), "{key}: {t} against {e}");
            }
        }
    }
}

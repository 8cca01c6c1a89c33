//! The closed form of the generalized manipulator, by its steps A to D and term by term.
//!
//! Lau 1985, section 3.3 and eqs. 3-81 … 3-99, as in the core's closed form, which lists the errata. Joint k moves link k relative
//! to the link before it in any way; frame k is at the joint and fixed to the link before it. Every term is transformed to frame i.

use super::newton_euler::rows;
use super::subject::{Subject, centre_of};
use super::{Method, Quantity, Step, Symbol, Trace, TraceError};
use super::{lau_coefficients, lau_recursion};
use armdyn_core::{ClosedFormData, Error, Force, KinematicsData, Mat4, Model, Real, Term, Vec3, closed_form};

const DOCUMENT: &str =
    "T.-C. Lau, The Dynamics of the Generalized Manipulator, Florida Atlantic University, 1985, chapters 3 to 5";

/// A joint that moves: its number in the model, and in the document from 1.
pub(super) struct Joint {
    pub at: usize,
    pub number: usize,
    pub name: String,
    pub link: String,
}

fn moving<T: Real>(m: &Model<T>) -> Vec<Joint> {
    let joints = m.joints().iter().enumerate().filter(|(_, j)| !j.bodies.is_empty());
    joints
        .enumerate()
        .map(|(k, (at, j))| Joint { at, number: k + 1, name: j.name.clone(), link: m.links()[j.child].name.clone() })
        .collect()
}

/// Of one joint i: the terms of a kind.
const KINDS: [(&str, &str, &str); 4] = [
    ("inertial", "Lau 3-87, 3-96", "k"),
    ("centrifugal", "Lau 3-88, 3-97", "kk"),
    ("Coriolis", "Lau 3-89, 3-98", "kl"),
    ("gravity", "Lau 3-99", "g"),
];

/// The trace; with `only`, the terms of these i, k, l, j alone (0 for an index that a kind does not have).
pub(super) fn lau<T: Real>(s: &Subject<T>, only: Option<[usize; 4]>) -> Result<Trace<T>, TraceError> {
    let m = &s.model;
    let joints = moving(m);
    let mut d = ClosedFormData::new(m);
    let mut tau = vec![T::zero(); m.nv()];
    closed_form(m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau)?;
    let mut steps = vec![];
    if only.is_none() {
        steps.extend(variables(s, &d, &joints)?);
    }
    let wanted = |all: [usize; 4]| only.is_none_or(|o| o == all);
    let mut found = false;
    for i in &joints {
        let mut sums = [Force::zero(); 4];
        for (kind, (name, equation, _)) in KINDS.iter().enumerate() {
            let mut step =
                formulas(kind, Step::new(format!("Step D. Joint {} ({}): {name} terms", i.number, i.name), *equation));
            for (term, all) in terms(kind, &joints) {
                let at = |number: usize| joints[number - 1].at;
                let term = match term {
                    Term::Inertial { k, j } => Term::Inertial { k: at(k), j: at(j) },
                    Term::Centrifugal { k, j } => Term::Centrifugal { k: at(k), j: at(j) },
                    Term::Coriolis { k, l, j } => Term::Coriolis { k: at(k), l: at(l), j: at(j) },
                    Term::Gravity { j } => Term::Gravity { j: at(j) },
                };
                let Some(wrench) = d.term(i.at, term) else { continue };
                sums[kind] += wrench;
                let all = [i.number, all[0], all[1], all[2]];
                if wanted(all) {
                    found = true;
                    step.quantities.extend(pair(wrench, i, above(kind, all), &all, name));
                }
            }
            if !step.quantities.is_empty() {
                steps.push(step);
            }
        }
        if only.is_none() {
            let mut step = Step::new(
                format!("Step D. Joint {} ({}): force and torque", i.number, i.name),
                "Lau 3-81 … 3-85, 3-90 … 3-94",
            )
            .formula(
                "ᵢF = Σ ᵢFᵏ + Σ ᵢFᵏᵏ + ΣΣ ᵢFᵏˡ + ᵢFᵍ",
                "{}_iF = \\sum_k {}_iF^k + \\sum_k {}_iF^{kk} + \\sum_k \\sum_{l \\ge k} {}_iF^{kl} + {}_iF^g",
            );
            for (sum, (name, _, letters)) in sums.iter().zip(KINDS) {
                step.quantities.extend(pair(*sum, i, letters.to_string(), &[i.number], name));
            }
            let total = d.wrench(i.at).unwrap_or_else(Force::zero);
            for (letter, value, unit) in [("F", total.force, "N"), ("N", total.moment, "N m")] {
                let symbol = Symbol::new(letter).before(i.number.to_string());
                step.push(vector(symbol, value, unit, i).indices(&[i.number]));
            }
            steps.push(step);
        }
    }
    let notes = vec![
        "Frame k is at joint k and fixed to the link before it: the frame of link k in the robot file where q = 0. Joints are \
         numbered from 1, without fixed ones; link j is the one that joint j moves."
            .to_string(),
        "A prefixed subscript is the joint on which a force or torque acts, and in whose frame it is expressed; superscripts are the \
         joints k, l that move and, after the comma, the link j."
            .to_string(),
    ];
    if let (Some(term), false) = (only, found) {
        return Err(TraceError::NoTerm { term, joints: joints.len() });
    }
    if only.is_none() {
        if m.base_to_tip().all(|(_, b)| b.pair.nv() == 1) {
            steps.extend(lau_coefficients::one_axis(s)?);
        }
        steps.extend(lau_recursion::recursion(s, &d, &joints));
        let torques = Step::new("Joint torques", "Lau 4-1 … 4-7").formula(
            "τᵢ: the component of ᵢN (revolute) or ᵢF (prismatic) along the joint's axis",
            "\\tau_i = {}_is \\cdot {}_iN \\text{ (revolute)},\\quad {}_is \\cdot {}_iF \\text{ (prismatic)}",
        );
        steps.extend(s.torque_steps(torques, &tau));
    }
    Ok(Trace { method: Method::Lau, document: DOCUMENT, notes, steps })
}

/// The terms of a kind with their k, l, j in the document; 0 for an index that the kind does not have.
fn terms(kind: usize, joints: &[Joint]) -> Vec<(Term, [usize; 3])> {
    let n = joints.len();
    let pairs = (1..=n).flat_map(|j| (1..=n).map(move |k| (k, j)));
    match kind {
        0 => pairs.map(|(k, j)| (Term::Inertial { k, j }, [k, 0, j])).collect(),
        1 => pairs.map(|(k, j)| (Term::Centrifugal { k, j }, [k, k, j])).collect(),
        2 => pairs.flat_map(|(k, j)| (1..=n).map(move |l| (Term::Coriolis { k, l, j }, [k, l, j]))).collect(),
        _ => (1..=n).map(|j| (Term::Gravity { j }, [0, 0, j])).collect(),
    }
}

/// The superscript of a term: k,j; kk,j; kl,j; g,j.
fn above(kind: usize, [_, k, l, j]: [usize; 4]) -> String {
    match kind {
        0 => format!("{k},{j}"),
        1 | 2 => format!("{k}{l},{j}"),
        _ => format!("g,{j}"),
    }
}

fn vector<T: Real>(symbol: Symbol, value: Vec3<T>, unit: &'static str, i: &Joint) -> Quantity<T> {
    Quantity::vector(symbol, value.to_array(), unit).of_joint(&i.name).in_frame(format!("frame {}", i.number))
}

/// The force and the torque of a term.
fn pair<T: Real>(f: Force<T>, i: &Joint, above: String, indices: &[usize], kind: &'static str) -> [Quantity<T>; 2] {
    [("F", f.force, "N"), ("N", f.moment, "N m")].map(|(letter, value, unit)| {
        let symbol = Symbol::new(letter).before(i.number.to_string()).above(above.clone());
        vector(symbol, value, unit, i).of_kind(kind).indices(indices)
    })
}

fn formulas<T>(kind: usize, step: Step<T>) -> Step<T> {
    match kind {
        0 => step
            .formula("ᵢFᵏ’ʲ = Mʲ (aₖ + αₖ × ₖpʲ)", "{}_iF^{k,j} = M^{,j} (a_k + \\alpha_k \\times {}_kp^{,j})")
            .formula(
                "ᵢNᵏ’ʲ = ∫ ᵢr × (aₖ + αₖ × ₖr) dm",
                "{}_iN^{k,j} = \\int {}_ir \\times (a_k + \\alpha_k \\times {}_kr)\\, dm",
            ),
        1 => step
            .formula("ᵢFᵏᵏ’ʲ = Mʲ wₖ × (wₖ × ₖpʲ)", "{}_iF^{kk,j} = M^{,j} w_k \\times (w_k \\times {}_kp^{,j})")
            .formula(
                "ᵢNᵏᵏ’ʲ = ∫ ᵢr × (wₖ × (wₖ × ₖr)) dm",
                "{}_iN^{kk,j} = \\int {}_ir \\times (w_k \\times (w_k \\times {}_kr))\\, dm",
            ),
        2 => step
            .formula(
                "ᵢFᵏˡ’ʲ = 2 Mʲ wₖ × (uₗ + [l > k] wₗ × ₗpʲ)",
                "{}_iF^{kl,j} = 2 M^{,j} w_k \\times (u_l + [l > k]\\, w_l \\times {}_lp^{,j})",
            )
            .formula(
                "ᵢNᵏˡ’ʲ = 2 ∫ ᵢr × (wₖ × (uₗ + [l > k] wₗ × ₗr)) dm",
                "{}_iN^{kl,j} = 2 \\int {}_ir \\times (w_k \\times (u_l + [l > k]\\, w_l \\times {}_lr))\\, dm",
            )
            .corrected("3-89", "δₖₗ is 1 − Kronecker's: 0 for l = k; 2 wₖ × uₖ counts once (3-20)")
            .corrected("3-98a", "2 J (wₗ × wₖ), from 2-86, is spurious and left out"),
        _ => step
            .formula(
                "ᵢFᵍ’ʲ = −Mʲ g,  ᵢNᵍ’ʲ = −Mʲ ᵢpʲ × g",
                "{}_iF^{g,j} = -M^{,j} g,\\quad {}_iN^{g,j} = -M^{,j}\\, {}_ip^{,j} \\times g",
            )
            .corrected(
                "3-72 … 3-78, 3-99",
                "printed without the minus: the joint carries the weight, so its force is −M g",
            ),
    }
}

/// Steps A to C.
fn variables<T: Real>(s: &Subject<T>, d: &ClosedFormData<T>, joints: &[Joint]) -> Result<Vec<Step<T>>, Error> {
    let m = &s.model;
    let mut kinematics = KinematicsData::new(m);
    armdyn_core::kinematics(m, &mut kinematics, &s.q)?;
    let mut a = Step::new("Step A. Link variables", "Lau 3.3 A, 3-37, 3-65")
        .corrected("3-67", "Iₓᵧ = ∫ x y dm is printed; the elements off the diagonal are −∫ x y dm");
    let mut b = Step::new("Step B. Kinematic model", "Lau 3.3 B, 3-108 … 3-110");
    let mut c = Step::new("Step C. Joint variables", "Lau 3.3 C");
    let variables: Vec<_> = joints.iter().filter_map(|j| d.variables(j.at)).collect();
    for (joint, v) in joints.iter().zip(&variables) {
        let (number, frame) = (joint.number.to_string(), format!("frame {}", joint.number));
        let of = |quantity: Quantity<T>| quantity.of_link(&joint.link).in_frame(frame.clone()).indices(&[joint.number]);
        a.push(of(Quantity::scalar(Symbol::new("M").above(format!(",{number}")), v.link.mass, "kg")));
        let massless = m.joints()[joint.at].bodies.clone().last().is_none_or(|body| s.links[body].massless);
        let centre = if massless { Vec3::zero() } else { centre_of(&v.link) };
        let symbol = Symbol::new("p").before(&number).above(format!(",{number}"));
        a.push(of(Quantity::vector(symbol, centre.to_array(), "m")));
        let tensor = Symbol::new("I").above(format!(",{number}"));
        a.push(of(Quantity::matrix(tensor, rows(v.link.second.to_rows()), "kg m²")));
        let pose = Mat4::pose(&v.frame).rows.map(|r| r.to_vec()).to_vec();
        let symbol = Symbol::new("T").before("0").index(&number);
        b.push(Quantity::matrix(symbol, pose, "").of_joint(&joint.name).in_frame("base").indices(&[0, joint.number]));
        let link = m.link(&joint.link)?;
        let moved = v.frame.inverse().compose(&kinematics.link_pose(m, link)?);
        let symbol = Symbol::new("T").before(&number).index(format!("{number}'"));
        let pose = Mat4::pose(&moved).rows.map(|r| r.to_vec()).to_vec();
        b.push(of(Quantity::matrix(symbol, pose, "")).of_joint(&joint.name));
        for (letter, value, unit) in [
            ("w", v.angular_velocity, "rad/s"),
            ("α", v.angular_acceleration, "rad/s²"),
            ("u", v.velocity, "m/s"),
            ("a", v.acceleration, "m/s²"),
        ] {
            let symbol = Symbol::new(letter).index(&number);
            c.push(vector(symbol, value, unit, joint).indices(&[joint.number]));
        }
    }
    Ok(vec![a, b, c])
}

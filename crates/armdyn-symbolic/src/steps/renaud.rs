//! Renaud's procedure over augmented bodies.
//!
//! M. Renaud 1987, eqs. (0) … (10), in his frames and symbols: see [`renaud`](crate::renaud()). ʲv is v₍ⱼ₎, the components in
//! frame j.

use super::subject::Subject;
use super::{Method, Quantity, Step, Symbol, Trace};
use crate::renaud::{Constants, Inputs, RenaudFrames, RenaudQuantity, by_addition, procedure};
use armdyn_core::Real;

/// The steps: number, title, equations, formulas.
type Description = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const STEPS: [Description; 11] = [
    (
        "0",
        "Augmented bodies",
        "Renaud (0a), (0b)",
        &[
            ("u*ⁱ = uⁱ + m*ⁱ⁺¹ pᵢ,ᵢ₊₁", "u^{*i} = u^i + m^{*(i+1)} p_{i,i+1}"),
            ("k*ⁱ = kⁱ − m*ⁱ⁺¹ p̂ᵢ,ᵢ₊₁ p̂ᵢ,ᵢ₊₁", "k^{*i} = k^i - m^{*(i+1)} \\hat{p}_{i,i+1} \\hat{p}_{i,i+1}"),
        ],
    ),
    (
        "1",
        "Angular velocities",
        "Renaud (1a), (1b)",
        &[("ωᵢ = R ωᵢ₋₁ + σ̄ᵢ q̇ᵢ Z", "\\omega_i = R_{i,i-1} \\omega_{i-1} + \\bar\\sigma_i \\dot{q}_i Z")],
    ),
    (
        "2",
        "Products of angular velocities",
        "Renaud (2)",
        &[("δᵢ = ωᵢ ⊗ ωᵢ", "\\delta_i = \\omega_i \\otimes \\omega_i")],
    ),
    (
        "3",
        "Angular accelerations",
        "Renaud (3a), (3b)",
        &[(
            "aᵢ = R aᵢ₋₁ + σ̄ᵢ (q̇ᵢ ωᵢ₋₁ × Z + q̈ᵢ Z)",
            "a_i = R_{i,i-1} a_{i-1} + \\bar\\sigma_i (\\dot{q}_i \\omega_{i-1} \\times Z + \\ddot{q}_i Z)",
        )],
    ),
    ("4", "Tensors b", "Renaud (4)", &[("bᵢ = âᵢ + ω̂ᵢ ω̂ᵢ", "b_i = \\hat{a}_i + \\hat\\omega_i \\hat\\omega_i")]),
    (
        "5",
        "Sliding accelerations of prismatic joints",
        "Renaud (5)",
        &[("tᵢ = 2 q̇ᵢ ωᵢ₋₁ × Z + q̈ᵢ Z", "t_i = 2 \\dot{q}_i \\omega_{i-1} \\times Z + \\ddot{q}_i Z")],
    ),
    (
        "6",
        "Accelerations of the origins",
        "Renaud (6a), (6b), (6c)",
        &[
            ("rᵢ₋₁ = αᵢ₋₁ + bᵢ₋₁ pᵢ₋₁,ᵢ", "r_{i-1} = \\alpha_{i-1} + b_{i-1} p_{i-1,i}"),
            ("αᵢ = σᵢ tᵢ + rᵢ₋₁, α₀ = g Z", "\\alpha_i = \\sigma_i t_i + r_{i-1},\\quad \\alpha_0 = g Z"),
        ],
    ),
    (
        "7",
        "Forces e",
        "Renaud (7a), (7b)",
        &[("eⁱ = eⁱ⁺¹ + bᵢ u*ⁱ + σᵢ m*ⁱ tᵢ", "e^i = e^{i+1} + b_i u^{*i} + \\sigma_i m^{*i} t_i")],
    ),
    ("8", "Forces of prismatic joints", "Renaud (8)", &[("fⁱ = eⁱ + m*ⁱ rᵢ₋₁", "f^i = e^i + m^{*i} r_{i-1}")]),
    (
        "9",
        "Moments",
        "Renaud (9a), (9b)",
        &[(
            "nⁱ = nⁱ⁺¹ + k*ⁱ aᵢ + ωᵢ × k*ⁱ ωᵢ + u*ⁱ × αᵢ + pᵢ,ᵢ₊₁ × eⁱ⁺¹",
            "n^i = n^{i+1} + k^{*i} a_i + \\omega_i \\times k^{*i} \\omega_i + u^{*i} \\times \\alpha_i + p_{i,i+1} \\times e^{i+1}",
        )],
    ),
    (
        "10",
        "Generalized forces",
        "Renaud (10)",
        &[("Γⁱ = Z · (σ̄ᵢ nⁱ + σᵢ fⁱ)", "\\Gamma^i = Z^t (\\bar\\sigma_i n^i + \\sigma_i f^i)")],
    ),
];

/// The trace. `counts` are the multiplications and additions of the steps.
pub(super) fn renaud<T: Real>(
    s: &Subject<T>,
    frames: &RenaudFrames,
    wrench: Option<[f64; 6]>,
    counts: &[crate::renaud::Step],
) -> Trace<T> {
    let constants = Constants::of_model(frames, &s.model);
    let wrench = wrench.map(|w| w.map(T::lift));
    let inputs = Inputs { q: &s.q, qd: &s.qd, qdd: &s.qdd, wrench, cos_sin: by_addition, enter: |_| {} };
    let found = procedure(frames, &constants, &inputs);
    let mut steps = vec![given(s, frames, &constants)];
    for (k, (number, title, equation, formulas)) in STEPS.iter().enumerate() {
        let mut step = Step::new(format!("({number}) {title}: {} M + {} A", counts[k].mul, counts[k].add), *equation);
        for (unicode, latex) in *formulas {
            step = step.formula(unicode, latex);
        }
        let of_step = |q: &&RenaudQuantity<T>| q.step.trim_end_matches(|c: char| c.is_ascii_lowercase()) == *number;
        step.quantities.extend(found.quantities.iter().filter(of_step).map(|q| quantity(s, q)));
        if step.quantities.is_empty() {
            continue;
        }
        steps.push(step);
    }
    let torques = steps.pop().unwrap_or_else(|| Step::new("Generalized forces", "Renaud (10)"));
    steps.push(operations(counts));
    steps.extend(s.torque_steps(torques, &found.tau));
    let notes = vec![
        "Frames: modified Denavit–Hartenberg, z along the joint's axis, x along the common normal with the next one; frame {0} has z upwards. Those of a robot \
         that is described by such parameters are its own."
            .to_string(),
        "Multiplications (M) and additions (A) of each step are counted separately, as in Renaud's table: sines and cosines are given, signs and operations on \
         parameters are free, values that no torque needs are not counted."
            .to_string(),
        "A wrench at the tip is the one that the environment exerts on the last link, the opposite of Renaud's fⁿ⁺¹, nⁿ⁺¹.".to_string(),
    ];
    Trace { method: Method::Renaud, document: DOCUMENT, notes, steps }
}

const DOCUMENT: &str = "M. Renaud, Quasi-minimal Computation of the Dynamic Model of a Robot Manipulator, 1987";

/// A quantity, with the number of its body below, or above if it contains mass, and its frame before it.
fn quantity<T: Real>(s: &Subject<T>, q: &RenaudQuantity<T>) -> Quantity<T> {
    let number = q.body.to_string();
    let symbol = match q.symbol {
        "p" => Symbol::new("p").index(format!("{},{number}", q.body - 1)),
        "u*" | "k*" => Symbol::new(&q.symbol[..1]).above(format!("*{number}")),
        "e" | "f" | "n" | "Γ" => Symbol::new(q.symbol).above(number),
        letter => Symbol::new(letter).index(number),
    };
    let symbol = match q.frame {
        Some(frame) => symbol.frame(frame.to_string()),
        None => symbol,
    };
    let unit = match q.symbol {
        "p" => "m",
        "u*" => "kg m",
        "k*" => "kg m²",
        "ω" => "rad/s",
        "δ" => "rad²/s²",
        "a" => "rad/s²",
        "b" => "1/s²",
        "t" | "r" | "α" => "m/s²",
        "e" | "f" => "N",
        "n" => "N m",
        _ => s.model.torque_unit(q.body - 1),
    };
    let v = &q.values;
    let rows = |places: [usize; 9]| places.chunks(3).map(|row| row.iter().map(|&k| v[k]).collect()).collect();
    let made = match (q.symbol, v.len()) {
        (_, 1) => Quantity::scalar(symbol, v[0], unit),
        // xx, yy, zz, yz, xz, xy.
        ("δ", _) => Quantity::matrix(symbol, rows([0, 5, 4, 5, 1, 3, 4, 3, 2]), unit),
        (_, 6) => Quantity::matrix(symbol, rows([0, 1, 2, 1, 3, 4, 2, 4, 5]), unit),
        (_, 9) => Quantity::matrix(symbol, rows([0, 1, 2, 3, 4, 5, 6, 7, 8]), unit),
        _ => Quantity::vector(symbol, v.clone(), unit),
    };
    let made = made.by(q.step).indices(&[q.body]);
    let made = match q.frame {
        Some(frame) => made.in_frame(s.frame(frame)),
        None => made,
    };
    match s.links.get(q.body) {
        Some(link) => made.of_link(&link.name),
        None => made,
    }
}

/// Frames and bodies.
fn given<T: Real>(s: &Subject<T>, frames: &RenaudFrames, constants: &Constants<T>) -> Step<T> {
    let mut step = Step::new("Given: frames and masses", "Renaud fig. 5").formula(
        "θᵢ = θᵢ⁰ + σ̄ᵢ qᵢ, rᵢ = rᵢ⁰ + σᵢ qᵢ",
        "\\theta_i = \\theta_i^0 + \\bar\\sigma_i q_i,\\quad r_i = r_i^0 + \\sigma_i q_i",
    );
    let mut outboard = T::zero();
    let mut masses = vec![];
    for (i, _) in s.model.tip_to_base() {
        outboard += s.links[i].mass;
        masses.push(outboard);
    }
    masses.reverse();
    for (j, f) in frames.frames.iter().enumerate() {
        let (i, before) = (j + 1, j.to_string());
        let own = |letter: &str| Symbol::new(letter).index(i.to_string());
        let ([a, ..], r) = constants.positions[j];
        let alpha = T::lift(f.alpha.1.atan2(f.alpha.0));
        let of = |q: Quantity<T>| q.of_link(&s.links[i].name).of_joint(&f.joint).indices(&[i]);
        step.push(of(Quantity::scalar(own("σ"), T::lift(f64::from(u8::from(f.prismatic))), "")));
        step.push(of(Quantity::scalar(Symbol::new("α").index(before.clone()), alpha, "rad")).by("fig. 5"));
        step.push(of(Quantity::scalar(Symbol::new("a").index(before), a, "m")).by("fig. 5"));
        // At q = 0: θ = θ⁰ + q of a revolute joint, r = r⁰ + q of a prismatic one.
        step.push(of(Quantity::scalar(own("θ").above("0"), T::lift(f.theta), "rad")).by("fig. 5"));
        step.push(of(Quantity::scalar(own("r").above("0"), r, "m")).by("fig. 5"));
        step.push(of(Quantity::scalar(Symbol::new("m").above(format!("*{i}")), masses[j], "kg")));
    }
    step
}

/// The table of operations.
fn operations<T: Real>(counts: &[crate::renaud::Step]) -> Step<T> {
    let mut step =
        Step::new("Operations of each step: number, multiplications, additions", "Renaud, table of the example");
    let row = |c: &crate::renaud::Step| [c.number, c.mul, c.add].map(|n| T::lift(n as f64)).to_vec();
    step.push(Quantity::matrix(Symbol::new("ops"), counts.iter().map(row).collect(), ""));
    let total = |f: fn(&crate::renaud::Step) -> usize| T::lift(counts.iter().map(f).sum::<usize>() as f64);
    step.push(Quantity::vector(Symbol::new("total"), vec![total(|c| c.mul), total(|c| c.add)], ""));
    step
}

//! The demonstration that `armdyn` prints without a command.

use crate::CommandResult;
use crate::document::{Document, Table};
use crate::format::{many, number, numbers};
use armdyn_core::*;
use armdyn_import::library::bundled;
use std::error::Error;
use std::f64::consts::PI;
use std::fmt::Write;
use std::time::Instant;

const HINTS: &str = "
Try:
  armdyn robots                                 list the bundled robots
  armdyn check my_robot.urdf                    validate a robot file
  armdyn explain ur5e --q elbow_joint=1.2       break joint torques down into their causes
  armdyn --help                                 list all commands
";

type Done = Result<(), Box<dyn Error>>;

const Q: [f64; 6] = [0.35, 1.05, 0.8, 0.52, 0.79, 0.0];
const QD: [f64; 6] = [0.8, -0.5, 0.3, 1.0, -1.2, 2.0];
const QDD: [f64; 6] = [1.0, 2.0, -0.5, 3.0, 1.0, -2.0];

/// Torques and their contributions, agreement of the formulations, guaranteed bounds, derivatives, speed.
pub fn show() -> CommandResult {
    let mut document = Document::default();
    write(&mut document).map_err(|e| e.to_string())?;
    Ok(document.into())
}

fn write(out: &mut Document) -> Done {
    let m = bundled("jpl-rrp").and_then(|b| b.load().description).ok_or("bundled robot does not load")?.model()?;
    let mut data = RneaData::new(&m);
    let mut tau = [0.0; 6];
    rnea(&m, &mut data, &Q, &QD, &QDD, &mut tau)?;

    writeln!(out, "armdyn {}: dynamics of robot arms\n", env!("CARGO_PKG_VERSION"))?;
    let (name, joints, mass) = (m.name(), many(m.nv(), "joint"), number(m.total_mass()));
    writeln!(out, "{name}: JPL/Stanford arm (Bejczy 1974), {joints} (R R P R R R), {mass} kg\n")?;
    let explained = explain(&m, &data.boundary, &Q, &QD, &QDD)?;
    torque_table(out, &m, &data, &explained)?;
    largest_contributions(out, &m, &explained[1])?;
    agreement(out, &m, &tau)?;
    bounds(out, &m)?;
    derivatives(out, &m)?;
    speed(out, &m)?;
    *out += HINTS;
    Ok(())
}

/// q, q̇, q̈, τ and the contributions to τ, joint by joint.
fn torque_table(out: &mut Document, m: &Model<f64>, data: &RneaData<f64>, explained: &[Explanation<f64>]) -> Done {
    let mut rows = vec![];
    for (i, e) in explained.iter().enumerate() {
        let sum = |is: fn(&Cause) -> bool| e.contributions.iter().filter(|c| is(&c.cause)).map(|c| c.torque).sum();
        let reaction = data.wrenches(m, JointId::new(i), WrenchFrame::Local)?[0].constraint;
        let torques = [
            e.torque,
            sum(|c| *c == Cause::OwnInertia),
            sum(|c| matches!(c, Cause::CouplingInertia { .. })),
            sum(|c| matches!(c, Cause::Centrifugal { .. } | Cause::Coriolis { .. })),
            sum(|c| matches!(c, Cause::Gravity { .. })),
            sum(|c| *c == Cause::Rotor),
        ];
        let reaction = [reaction.force.norm(), reaction.moment.norm()].map(number).to_vec();
        rows.push([vec![m.dof_names()[i].clone()], numbers(&torques), reaction].concat());
    }
    let [q, qd, qdd] = [Q, QD, QDD].map(|x| numbers(&x).join(", "));
    writeln!(out, "q = ({q}), q̇ = ({qd}), q̈ = ({qdd})\n")?;
    let contributions = ["own inertia", "coupling", "velocity", "gravity", "rotor"];
    let header = [&["joint", "torque ="][..], &contributions, &["constraint [N]", "[N m]"]].concat();
    out.table(Table::new(&header, &[0], rows));
    writeln!(out, "units: rad, m, s; N m (joint3: N); constraint: the reaction at the joint without the drive\n")?;
    Ok(())
}

/// The largest contributions to one joint's torque.
fn largest_contributions(out: &mut Document, m: &Model<f64>, explained: &Explanation<f64>) -> Done {
    let mut contributions = explained.contributions.clone();
    contributions.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
    let largest = contributions.iter().take(3).map(|c| format!("{} {}", c.cause.describe(m), number(c.torque)));
    let (name, largest) = (&m.dof_names()[explained.dof.index()], largest.collect::<Vec<_>>().join(", "));
    writeln!(out, "Explain:     {name} [N m]: {largest}")?;
    Ok(())
}

/// The worst difference between formulations.
fn agreement(out: &mut Document, m: &Model<f64>, tau: &[f64]) -> Done {
    let (q, qd, qdd) = (&Q[..], &QD[..], &QDD[..]);
    let mut others = [[0.0; 6]; 5];
    let [a, b, c, d, e] = &mut others;
    closed_form(m, &mut ClosedFormData::new(m), q, qd, qdd, a)?;
    coefficients_tau(m, &mut CoefficientsData::new(m), q, qd, qdd, b)?;
    lagrange_tau(m, &mut LagrangeData::new(m), q, qd, qdd, c)?;
    augmented(m, &mut AugmentedData::new(m), q, qd, qdd, d)?;
    let mut forms = FormsData::new(m);
    let form = state_space(m, &mut forms, q, qd)?;
    for i in 0..6 {
        e[i] = form.velocity[i] + form.gravity[i] + (0..6).map(|j| form.mass[i * 6 + j] * qdd[j]).sum::<f64>();
    }
    let scale = tau.iter().fold(0.0_f64, |s, t| s.max(t.abs()));
    let worst = others.iter().flat_map(|o| o.iter().zip(tau)).fold(0.0_f64, |w, (x, t)| w.max((x - t).abs()));
    let methods = "Newton-Euler (two forms), Lau, Bejczy, Renaud, M q̈ + C q̇ + g";
    writeln!(out, "Verify:      {methods} agree within {:.0e}", worst / scale)?;
    Ok(())
}

/// Guaranteed bounds over ranges of states.
fn bounds(out: &mut Document, m: &Model<f64>) -> Done {
    let m: Model<Interval> = m.cast();
    let around = |x: f64, r: f64| Interval::new(x - r, x + r).expect("r is positive");
    let q = Q.map(|x| around(x, PI / 180.0));
    let (qd, qdd) = (QD.map(|x| around(x, 0.05)), QDD.map(|x| around(x, 0.05)));
    let mut tau = [Interval::point(0.0); 6];
    rnea(&m, &mut RneaData::new(&m), &q, &qd, &qdd, &mut tau)?;
    let [low, high] = [tau[1].lo(), tau[1].hi()].map(number);
    writeln!(out, "Guaranteed:  {low} ≤ τ₂ ≤ {high} N m for every state within ±1° (±17 mm), ±0.05 /s, ±0.05 /s²")?;
    Ok(())
}

/// A derivative by dual numbers, and by the analytic recursion.
fn derivatives(out: &mut Document, m: &Model<f64>) -> Done {
    let (mut dq, mut dqd) = ([0.0; 36], [0.0; 36]);
    rnea_derivatives(m, &mut DerivativesData::new(m), &Q, &QD, &QDD, &mut dq, &mut dqd)?;
    let dual: Model<Dual<f64, 1>> = m.cast();
    let mut q = Q.map(Dual::constant);
    q[2] = Dual::variable(Q[2], 0);
    let mut tau = [Dual::constant(0.0); 6];
    rnea(&dual, &mut RneaData::new(&dual), &q, &QD.map(Dual::constant), &QDD.map(Dual::constant), &mut tau)?;
    writeln!(out, "Derivatives: ∂τ₂/∂q₃ = {:.2} N m/m (analytic), {:.2} (dual numbers)", dq[6 + 2], tau[1].grad[0])?;
    Ok(())
}

/// Time per call on this machine.
fn speed(out: &mut Document, m: &Model<f64>) -> Done {
    const CALLS: u32 = 20_000;
    let mut data = RneaData::new(m);
    let (mut q, mut tau) = (Q, [0.0; 6]);
    let start = Instant::now();
    for _ in 0..CALLS {
        q[0] += 1e-4;
        rnea(m, &mut data, &q, &QD, &QDD, &mut tau)?;
        std::hint::black_box(&mut tau);
    }
    let ns = start.elapsed().as_nanos() / u128::from(CALLS);
    writeln!(out, "Speed:       inverse dynamics {ns} ns per call on this machine, one thread")?;
    Ok(())
}

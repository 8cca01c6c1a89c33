//! `armdyn control`: servos of the joints.

use crate::args::Control;
use crate::document::{Document, Table};
use crate::format::number;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, Output, plots, progress};
use armdyn_core::Model;
use armdyn_design::servo::{GainSchedule, JointServo, Response};
use armdyn_design::{ServoOptions, ServoReport, servo};
use std::fmt::Write;

/// Characters of a formula that is printed although it was not simplified.
const SHOWN: usize = 400;

#[derive(Clone, Copy)]
enum Plot {
    Frequency,
    Damping,
}

/// Runs the command. Exit code 1: constant gains do not meet the specification.
pub fn run(m: &Model<f64>, args: &Control) -> CommandResult {
    let kinds = [("frequency", Plot::Frequency), ("damping", Plot::Damping)];
    let plots = plots::wanted(&args.plot, &kinds, Plot::Frequency)?;
    let reader = Reader { model: m, deg: args.within.deg };
    let ranges = reader.joint_ranges(&args.within.ranges)?;
    let options = options(args, &reader)?;
    let report = progress::with_progress(|progress| servo(m, &ranges, &options, progress))?;
    let mut document = view(&report, m);
    for (kind, file) in &plots {
        let chart = match kind {
            Plot::Frequency => report.frequency_chart(),
            Plot::Damping => report.damping_chart(),
        };
        plots::put(&mut document, &chart, file.as_deref())?;
    }
    let exit_code = u8::from(!report.meets_specification());
    Ok(Output::of(args.robot.json, &report, |_| document)?.with_exit_code(exit_code))
}

fn options(args: &Control, reader: &Reader) -> Result<ServoOptions, CommandError> {
    let missing = vec![f64::INFINITY; reader.model.nv()];
    let values = |option: &str, text: &str| reader.maxima(option, &Kind::Torque, Some(text), &missing);
    let gains = match (&args.kp, &args.kd) {
        (Some(kp), Some(kd)) => Some([values("--kp", kp)?, values("--kd", kd)?]),
        _ => None,
    };
    Ok(ServoOptions {
        frequency: values("--frequency", &args.frequency)?,
        damping: args.damping,
        maximum_frequency: args.max_frequency,
        gains,
        schedule: (!args.no_schedule).then_some(args.schedule_error),
        gap: args.guaranteed.then_some(args.gap),
        budget: args.budget,
        seed: args.seed,
    })
}

/// `1.2 … 3.4`, or one number where both are equal.
fn interval([low, high]: [f64; 2]) -> String {
    match (number(low), number(high)) {
        (low, _) if high.is_infinite() => format!("{low} … unbounded"),
        (low, high) if low == high => low,
        (low, high) => format!("{low} … {high}"),
    }
}

fn verdict(response: &Response) -> String {
    if response.meets_specification { "yes" } else { "NO" }.to_string()
}

fn view(report: &ServoReport, m: &Model<f64>) -> Document {
    let mut doc = Document::from(format!("{}: position servos over the joint ranges, ", report.robot));
    let guaranteed = if report.guaranteed { "guaranteed bounds" } else { "extrema found by search" };
    let _ = writeln!(doc, "{guaranteed}");
    let maximum = report.maximum_frequency.map_or(String::new(), |f| format!(", at most {} Hz", number(f)));
    let frequency = report.frequency.iter().fold([f64::INFINITY, 0.0_f64], |[a, b], f| [a.min(*f), b.max(*f)]);
    let _ = writeln!(
        doc,
        "specification: natural frequency at least {} Hz{maximum}; damping ratio at least {}",
        interval(frequency),
        number(report.damping)
    );
    let gains = if report.gains_given { "given gains" } else { "gains for the specification at the maximum inertia" };
    let _ = writeln!(doc, "\nConstant gains: {gains}");
    let row = |(i, j): (usize, &JointServo)| {
        let unit = |unit: &str| if m.is_rotational(i) { format!("N m{unit}/rad") } else { format!("N{unit}/m") };
        vec![
            j.joint.clone(),
            format!("{} {}", interval(j.inertia_bounds), j.inertia_unit),
            format!("{} {}", number(j.position_gain), unit("")),
            format!("{} {}", number(j.velocity_gain), unit(" s")),
            interval(j.response.frequency),
            interval(j.response.damping),
            verdict(&j.response),
        ]
    };
    let header = ["joint", "inertia", "K_p", "K_d", "frequency [Hz]", "damping ratio", "met"];
    doc.table(Table::new(&header, &[0], report.joints.iter().enumerate().map(row)));
    let scheduled: Vec<_> = report.joints.iter().filter_map(|j| Some((j, j.schedule.as_ref()?))).collect();
    if !scheduled.is_empty() {
        doc += "\nScheduled gains: K_p = a D(q), K_d = b D(q) - viscous friction, at least 0\n";
        let rows = scheduled.iter().map(|(j, s)| {
            let error = format!("{} %{}", number(100.0 * s.error), if s.guaranteed { "" } else { " (found)" });
            let response = &s.response;
            let cells = [number(s.position_factor), number(s.velocity_factor), error];
            let [frequency, damping] = [interval(response.frequency), interval(response.damping)];
            [vec![j.joint.clone()], cells.to_vec(), vec![frequency, damping, verdict(response)]].concat()
        });
        let header = ["joint", "a [1/s²]", "b [1/s]", "error of D", "frequency [Hz]", "damping ratio", "met"];
        doc.table(Table::new(&header, &[0], rows));
        doc += "\nSimplified inertia D(q)\n";
        let formula = |s: &GainSchedule| match s.inertia.formula.chars().count() {
            length if report.partial && length > SHOWN => {
                format!("not simplified within the budget: {} terms; `--json` has them", s.inertia.kept.len())
            }
            _ => s.inertia.formula.clone(),
        };
        let rows = scheduled.iter().map(|(j, s)| vec![j.joint.clone(), formula(s)]);
        doc.table(Table::new(&["joint", "D(q)"], &[0, 1], rows));
    }
    if report.partial {
        doc += match report.guaranteed {
            true => {
                "\npartial: ended by the budget or Ctrl-C; bounds hold, but may be wider than requested (increase --budget)\n"
            }
            false => {
                "\npartial: ended by the budget or Ctrl-C; schedules may have more terms than needed (increase --budget)\n"
            }
        };
    }
    doc
}

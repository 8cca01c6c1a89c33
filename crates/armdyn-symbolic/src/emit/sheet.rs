//! What an emitted file says of itself: the robot, the functions and what they cost, the inputs and outputs with their units.

use super::listing::Listing;
use super::names::text;
use super::{Module, Scalar, Trig};
use crate::graph::{Array, Input};
use crate::program::{Program, Quantity};

/// How a language calls things.
pub(super) struct Calling<'a> {
    /// A function with its arguments and result, of a listing.
    pub call: &'a dyn Fn(&Listing) -> String,
    /// The same of the function that gives `k`.
    pub init: &'a dyn Fn(&Listing) -> String,
    /// What else a caller must know.
    pub notes: &'a [String],
    /// The number of an array's first element.
    pub first: usize,
}

/// The lines. None is longer than a name makes it; names can't end the comment that the lines are put in.
pub(super) fn sheet(module: &Module, calling: &Calling) -> Vec<String> {
    let robot = module.robot();
    let mut lines = vec![
        format!("Dynamics of one robot, as straight-line code. Written by armdyn {}.", env!("CARGO_PKG_VERSION")),
        "To change it, change the robot and derive it again.".to_string(),
        String::new(),
        format!("Robot: {} ({} degrees of freedom)", text(&robot.robot), robot.size.1),
        String::new(),
    ];
    lines.extend(module.notes.iter().map(|note| text(note)));
    if !module.notes.is_empty() {
        lines.push(String::new());
    }
    let mut told: Vec<(&Program, &Listing)> = vec![];
    for (program, listing) in module.programs.iter().zip(&module.listings) {
        lines.extend(function(program, listing, calling));
        if listing.kept() > 0 {
            // Where several functions take the same parameters, they are listed once.
            lines.extend(match told.iter().find(|(p, _)| parameters(p).eq(parameters(program))) {
                Some((_, first)) => vec![format!("    p: as of {}", first.name())],
                None => listed(program, calling.first),
            });
            told.push((program, listing));
        }
        lines.push(String::new());
    }
    let scalar = match module.scalar {
        Scalar::F64 => "Numbers: double precision.",
        Scalar::F32 => "Numbers: single precision.",
        Scalar::Generic => "Numbers: of the caller's type.",
    };
    lines.push(scalar.to_string());
    lines.push(trig(module).to_string());
    if module.turns() {
        lines.push("Above, q1 is the first element of q.".to_string());
    }
    lines.extend(calling.notes.iter().cloned());
    lines.push(String::new());
    lines.extend(elements(robot, calling.first));
    lines
}

fn trig(module: &Module) -> &'static str {
    match (module.turns(), module.trig, module.scalar) {
        (false, ..) => "Sines and cosines: none.",
        (_, Trig::Library, _) => "Sines and cosines: the language's own.",
        (_, Trig::BuiltIn, Scalar::F32) => {
            "Sines and cosines: polynomials below, for angles within 8192 rad; NaN beyond."
        }
        (_, Trig::BuiltIn, _) => {
            "Sines and cosines: polynomials below, for angles within 2^20 rad (8192 in single precision); NaN beyond."
        }
    }
}

fn function(program: &Program, listing: &Listing, calling: &Calling) -> Vec<String> {
    let n = program.size.1;
    let what = match program.quantity {
        Quantity::Inverse => "inverse dynamics: joint forces of a motion".to_string(),
        Quantity::Gravity => "joint forces that hold the robot at rest".to_string(),
        Quantity::Coriolis => "C(q, qd) qd: joint forces of velocity alone, without friction".to_string(),
        Quantity::Mass => {
            format!("the mass matrix, {n} x {n}, row by row; kg m^2, kg m or kg as its axes are rad or m")
        }
        Quantity::Forward => "forward dynamics: the accelerations that joint forces cause".to_string(),
        Quantity::Kinematics => {
            "the pose of the last link in the base: rotation matrix row by row, then position [m]".to_string()
        }
        Quantity::Jacobian => {
            format!(
                "the Jacobian of the last link, 6 x {n}, row by row: linear, then angular velocity, in the base's axes"
            )
        }
    };
    let count = program.count();
    let mut lines = vec![
        (calling.call)(listing),
        format!("    {what}"),
        format!("    a call: {count}; strategy: {}", text(&program.strategy)),
    ];
    lines.extend(wrapped("    needs: ", &count.trig.iter().map(|t| text(t)).collect::<Vec<_>>()));
    if listing.kept() > 0 {
        lines.push((calling.init)(listing));
        lines.push("    what follows from the parameters p alone; once, before the calls".to_string());
    }
    lines
}

fn parameters(program: &Program) -> impl Iterator<Item = &Input> {
    program.graph.inputs().iter().filter(|i| i.array == Array::Parameter)
}

/// The elements of p: their names, their values for this robot, and what they are.
fn listed(program: &Program, first: usize) -> Vec<String> {
    let line = |i: &Input| {
        let given = i.given.as_ref().map_or(String::new(), |g| {
            let formula = if g.formula == i.name { String::new() } else { format!("; {}", text(&g.formula)) };
            format!(" = {:?}{formula}", g.value)
        });
        format!("    {:4}  {}{given}", i.index + first, text(&i.name))
    };
    std::iter::once("    p, with this robot's values in SI units:".to_string())
        .chain(parameters(program).map(line))
        .collect()
}

/// A list after its title, over as many lines as it takes; nothing if it is empty.
fn wrapped(title: &str, items: &[String]) -> Vec<String> {
    let mut lines = vec![];
    let mut line = title.to_string();
    for (i, item) in items.iter().enumerate() {
        let item = if i + 1 < items.len() { format!("{item}, ") } else { item.clone() };
        if line.len() + item.len() > 110 && line.trim() != title.trim() {
            lines.push(line.trim_end().to_string());
            line = " ".repeat(title.len());
        }
        line.push_str(&item);
    }
    if items.is_empty() { vec![] } else { lines.into_iter().chain([line]).collect() }
}

/// The elements of the arrays, with their units.
fn elements(robot: &Program, first: usize) -> Vec<String> {
    let unit = |turns: bool| if turns { "rad" } else { "m" };
    let force = |turns: bool| if turns { "N m" } else { "N" };
    let position = |name: &String| {
        let dof = robot.joints.iter().position(|joint| joint == name);
        dof.map_or("of a unit quaternion", |dof| unit(robot.turns[dof]))
    };
    let mut lines = vec![];
    let own = robot.size.0 != robot.size.1;
    if own {
        lines.push("Elements of q:".to_string());
        let names = robot.coordinates.iter().enumerate();
        lines.extend(names.map(|(i, name)| format!("{:4}  {}: {}", i + first, text(name), position(name))));
        lines.push("Elements of qd, qdd and joint forces (tau, g, c):".to_string());
    } else {
        lines.push("Elements of q, qd, qdd and joint forces (tau, g, c):".to_string());
    }
    for (i, name) in robot.joints.iter().enumerate() {
        let (u, f) = (unit(robot.turns[i]), force(robot.turns[i]));
        let q = if own { String::new() } else { format!("{u}, ") };
        lines.push(format!("{:4}  {}: {q}{u}/s, {u}/s^2, {f}", i + first, text(name)));
    }
    lines
}

/// The lines, each after the mark of a comment.
pub(super) fn commented(lines: &[String], mark: &str) -> String {
    lines.iter().map(|line| format!("{mark} {line}").trim_end().to_string() + "\n").collect()
}

/// The lines as a comment of C.
pub(super) fn block_comment(lines: &[String]) -> String {
    format!("/*\n{} */\n", commented(lines, " *"))
}

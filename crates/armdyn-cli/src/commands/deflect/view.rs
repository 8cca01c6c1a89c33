//! The document of `armdyn deflect`.

use crate::document::{Document, Table};
use crate::format::{many, number, numbers};
use crate::shown::Shown;
use armdyn_core::Model;
use armdyn_numerics::Peak;
use armdyn_structure::{
    BANDWIDTH_ENERGY, BandwidthCheck, Compensation, CompensationTarget, Component, Contribution, DeflectionAnalysis,
    DeflectionMap, Displacement, Failure, LinkPeaks, MIN_FREQUENCY_RATIO, Strength, TrajectoryDeflection,
    VibrationMode,
};
use std::fmt::Write;

/// Rotations above this \[rad\] are not small: sine and angle differ by more than 0.2 %.
const SMALL_ROTATION: f64 = 0.1;
/// Smaller fractions of the strain energy are not printed.
const MIN_ENERGY: f64 = 0.03;

/// The analysis as text and tables.
pub fn document(a: &DeflectionAnalysis, m: &Model<f64>, deg: bool) -> Document {
    let (mut d, view) = (Document::default(), View(Shown { m, deg }));
    view.summary(&mut d, a);
    if let Some(trajectory) = &a.trajectory {
        trajectory_peaks(&mut d, trajectory);
    }
    view.displacements(&mut d, a);
    view.contributions(&mut d, a);
    strength(&mut d, &a.strength);
    if let Some(compensation) = &a.compensation {
        view.compensation(&mut d, compensation);
    }
    if let Some(modes) = &a.vibration_modes {
        vibration_modes(&mut d, modes);
    }
    if let Some(check) = &a.bandwidth {
        bandwidth(&mut d, check);
    }
    if let Some(map) = &a.map {
        view.map(&mut d, map);
    }
    if a.partial {
        d += "\ncancelled: partial results\n";
    }
    d
}

struct View<'a>(Shown<'a>);

impl View<'_> {
    fn summary(&self, d: &mut Document, a: &DeflectionAnalysis) {
        let modes = [
            (a.modes.bending, "bending"),
            (a.modes.torsion, "torsion"),
            (a.modes.axial, "stretching"),
            (a.modes.shear, "shear"),
            (a.modes.joints, "joint compliance"),
        ];
        let modes: Vec<&str> = modes.into_iter().filter(|m| m.0).map(|m| m.1).collect();
        let tool = &a.deflection.tool;
        let position = numbers(&tool.position.to_array()).join(", ");
        let _ = writeln!(d, "{} under load: {}", a.robot, modes.join(", "));
        let _ = writeln!(d, "tool on `{}` at ({position}) m in the base frame", tool.link);
        let rigid = a.deflection.links.iter().filter(|l| !l.elastic);
        let rigid: Vec<&str> = rigid.map(|l| l.link.as_str()).collect();
        if !rigid.is_empty() {
            let _ = writeln!(d, "rigid links (no beam): {}", rigid.join(", "));
        }
        let rigid = a.joints.iter().zip(self.0.m.joint_stiffness()).filter(|(_, k)| k.is_infinite());
        let rigid: Vec<&str> = rigid.map(|(n, _)| n.as_str()).collect();
        if a.modes.joints && !rigid.is_empty() {
            let _ = writeln!(d, "rigid joints (no stiffness): {}", rigid.join(", "));
        }
    }

    /// The unit of small rotations, and the factor to it.
    fn small_angle(&self) -> (f64, &'static str) {
        if self.0.deg { (1f64.to_degrees(), "°") } else { (1e3, "mrad") }
    }

    /// Cells of a displacement: translation in mm, rotation in mrad or degrees.
    fn cells(&self, x: &Displacement) -> Vec<String> {
        let (scale, _) = self.small_angle();
        let translation = x.translation.to_array().map(|x| x * 1e3);
        let rotation = x.rotation.to_array().map(|x| x * scale);
        [numbers(&translation), vec![number(x.translation.norm() * 1e3)], numbers(&rotation)].concat()
    }

    fn header<'a>(&self, first: &'a str) -> Vec<&'a str> {
        vec![first, "x [mm]", "y", "z", "total", if self.0.deg { "rx [°]" } else { "rx [mrad]" }, "ry", "rz"]
    }

    fn displacements(&self, d: &mut Document, a: &DeflectionAnalysis) {
        *d += "\ndisplacements under load, in the base's axes\n";
        let links = a.deflection.links.iter().map(|l| {
            let point = if l.elastic { "end" } else { "origin" };
            [vec![format!("{}, {point}", l.link)], self.cells(&l.displacement)].concat()
        });
        let tool = [vec!["tool".to_string()], self.cells(&a.deflection.tool.displacement)].concat();
        d.table(Table::new(&self.header("point"), &[0], links.chain([tool])));
        if a.deflection.links.iter().any(|l| l.displacement.rotation.norm() > SMALL_ROTATION) {
            *d += "warning: a link rotates by more than 0.1 rad; the results are valid for small displacements only\n";
        }
    }

    fn contributions(&self, d: &mut Document, a: &DeflectionAnalysis) {
        *d += "\ncontributions to the displacement of the tool\n";
        let row = |c: &Contribution| {
            let fraction = c.fraction.map_or("?".to_string(), |f| format!("{:.1}", 100.0 * f));
            let deflection = c.joint_deflection.map_or(String::new(), |x| {
                let dof = a.joints.iter().position(|n| c.component == Component::Joint(n.clone()));
                let rotational = dof.is_some_and(|v| self.0.m.is_rotational(v));
                let (scale, unit) = if rotational { self.small_angle() } else { (1e3, "mm") };
                format!("{} {unit}", number(x * scale))
            });
            [vec![name(&c.component)], self.cells(&c.displacement), vec![fraction, deflection]].concat()
        };
        let mut header = self.header("component");
        header.extend(["[%]", "joint deflection"]);
        d.table(Table::new(&header, &[0], a.deflection.contributions.iter().map(row)));
    }

    fn compensation(&self, d: &mut Document, c: &Compensation) {
        let target = if c.target == CompensationTarget::Pose { "pose" } else { "position" };
        let _ = writeln!(d, "\ncompensation of the tool's {target} ({})", many(c.iterations, "iteration"));
        let row = |(v, x): (usize, &f64)| {
            let name = self.0.m.dof_names()[v].clone();
            vec![name, number(self.0.value(v, *x)), self.0.position_unit(v).to_string()]
        };
        d.table(Table::new(&["joint", "add to q", ""], &[0, 2], c.change.iter().enumerate().map(row)));
        if self.0.m.nq() == self.0.m.nv() {
            let _ = writeln!(d, "q = {} (all digits with --json)", self.0.list(&c.q));
        }
        let (scale, unit) = self.small_angle();
        let (translation, rotation) = (c.residual.translation.norm() * 1e3, c.residual.rotation.norm() * scale);
        let _ = writeln!(d, "residual of the tool: {} mm and {} {unit}", number(translation), number(rotation));
    }

    fn map(&self, d: &mut Document, map: &DeflectionMap) {
        let _ = writeln!(
            d,
            "\nmaximum displacement of the tool at rest over {} (sampled): {} mm at q = {}",
            many(map.poses, "configuration"),
            number(map.worst.displacement.translation.norm() * 1e3),
            self.0.list(&map.worst.q)
        );
        let reached = map.maximum.iter().filter(|x| !x.is_nan()).count();
        let (cells, in_plane) = (many(reached, "cell"), many(map.in_plane, "configuration"));
        let _ = writeln!(d, "the map has {cells} from {in_plane}; see --plot map");
    }
}

fn name(component: &Component) -> String {
    match component {
        Component::Link(link) => format!("link {link}"),
        Component::Joint(joint) => format!("joint {joint}"),
    }
}

/// A safety or amplification factor.
fn factor(x: f64) -> String {
    if x.is_finite() { number(x) } else { "∞".to_string() }
}

fn optional(x: Option<f64>) -> String {
    x.map_or("?".to_string(), factor)
}

fn trajectory_peaks(d: &mut Document, t: &TrajectoryDeflection) {
    let duration = t.t.last().zip(t.t.first()).map_or(0.0, |(last, first)| last - first);
    let time = |sample: usize| number(t.t.get(sample).copied().unwrap_or(0.0));
    let worst = t.tool.get(t.worst_sample).map_or(0.0, |d| d.translation.norm());
    let _ = writeln!(d, "\ntrajectory: {} s, {}", number(duration), many(t.tool.len(), "sample"));
    let _ = writeln!(
        d,
        "maximum displacement of the tool: {} mm at {} s; the tables below are for that time",
        number(worst * 1e3),
        time(t.worst_sample)
    );
    let at = |p: &Peak, scale: f64| format!("{} @{}", number(p.value * scale), time(p.sample));
    let known = |p: &Option<Peak>, scale: f64| p.as_ref().map_or("?".to_string(), |p| at(p, scale));
    *d += "\nmaxima over the trajectory, with their times (@ s)\n";
    let header = ["link", "end [mm]", "stress [MPa]", "yield SF", "compr. [N]", "buckling SF", "interaction"];
    let row = |l: &LinkPeaks| {
        vec![
            l.link.clone(),
            at(&l.displacement, 1e3),
            known(&l.stress, 1e-6),
            optional(l.yield_safety_factor),
            at(&l.compression, 1.0),
            factor(l.buckling_safety_factor),
            known(&l.interaction, 1.0),
        ]
    };
    d.table(Table::new(&header, &[0], t.links.iter().map(row)));
}

fn strength(d: &mut Document, strength: &[Strength]) {
    if strength.is_empty() {
        return;
    }
    *d += "\nstress and buckling (SF: safety factor; a link fails if its interaction exceeds 1)\n";
    let header = [
        "link",
        "stress [MPa]",
        "at [m]",
        "yield SF",
        "compr. [N]",
        "critical [N]",
        "buckling SF",
        "ampl.",
        "interaction",
    ];
    let row = |s: &Strength| {
        vec![
            s.link.clone(),
            optional(s.stress.map(|x| x * 1e-6)),
            optional(s.stress.map(|_| s.station)),
            optional(s.yield_safety_factor),
            number(s.compression),
            number(s.critical_loads[0]),
            factor(s.buckling_safety_factor),
            factor(s.amplification),
            optional(s.interaction),
        ]
    };
    d.table(Table::new(&header, &[0], strength.iter().map(row)));
    for s in strength {
        for failure in &s.failures {
            let how = match failure {
                Failure::Yields => "yields",
                Failure::Buckles => "buckles",
                Failure::CompressionAndBending => "under combined compression and bending",
            };
            let _ = writeln!(d, "FAILS: link {} {how}", s.link);
        }
    }
    let unknown = strength.iter().filter(|s| s.yield_safety_factor.is_none()).map(|s| s.link.as_str());
    let unknown: Vec<&str> = unknown.collect();
    if !unknown.is_empty() {
        let _ = writeln!(d, "?: unknown section or yield stress of {}", unknown.join(", "));
    }
}

fn vibration_modes(d: &mut Document, modes: &[VibrationMode]) {
    *d += "\nlowest natural frequencies, with locked drives\n";
    let row = |(k, mode): (usize, &VibrationMode)| {
        let energy = mode.strain_energy.iter().filter(|e| e.fraction > MIN_ENERGY);
        let energy = energy.map(|e| format!("{} {:.0} %", name(&e.component), 100.0 * e.fraction));
        let direction = mode.tool_direction.to_array().map(|x| format!("{:.2}", (100.0 * x).round() / 100.0 + 0.0));
        let (direction, energy) = (format!("({})", direction.join(", ")), energy.collect::<Vec<_>>().join(", "));
        vec![(k + 1).to_string(), number(mode.frequency), direction, energy]
    };
    let header = ["", "frequency [Hz]", "tool direction", "strain energy"];
    d.table(Table::new(&header, &[2, 3], modes.iter().enumerate().map(row)));
}

fn bandwidth(d: &mut Document, check: &BandwidthCheck) {
    if check.bandwidth == 0.0 {
        *d += "bandwidth of the motion: 0 Hz (constant accelerations)\n";
        return;
    }
    let source = if check.given {
        "given".to_string()
    } else {
        format!("{:.0} % of the energy of the accelerations", 100.0 * BANDWIDTH_ENERGY)
    };
    let ratio = number(check.frequency_ratio);
    let _ = writeln!(d, "bandwidth of the motion: {} Hz ({source})", number(check.bandwidth));
    let _ = if check.static_is_valid {
        writeln!(
            d,
            "the lowest frequency is {ratio} times the bandwidth: the static amplitude of a harmonic is {:.1} % too small, that \
             after a step of acceleration up to 50 %",
            100.0 * check.static_error
        )
    } else if check.static_error.is_finite() {
        writeln!(
            d,
            "warning: the static solution is not valid: the lowest frequency is {ratio} times the bandwidth, expected at least \
             {MIN_FREQUENCY_RATIO}; the true amplitude can be {:.0} % larger",
            100.0 * check.static_error
        )
    } else {
        writeln!(d, "warning: the static solution is not valid: the motion excites the lowest frequency")
    };
}

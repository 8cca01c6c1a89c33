//! `armdyn report`: one HTML page with the results of the analyses, each with its equivalent command; the answers first.

mod pdf;
mod summary;

use super::{check, deflect, derive, importance, range, show, simplify, size, tipover};
use crate::args::{self, Report};
use crate::document::Document;
use crate::format;
use crate::html::{HtmlPage, Section};
use crate::shown::Shown;
use crate::table::AtomicFile;
use crate::trajectory::Source;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, Output, progress, robot};
use armdyn_core::Model;
use armdyn_design::range::RangeReport;
use armdyn_design::simplify::Target;
use armdyn_design::{Reach, SizeReport, reach};
use armdyn_import::{Description, Loaded};
use armdyn_mobile::tipover::TipoverAnalysis;
use armdyn_numerics::Trajectory;
use armdyn_plot::{Drawing, skeleton};
use armdyn_structure::DeflectionAnalysis;
use armdyn_symbolic::typeset;
use serde_json::json;
use std::sync::Arc;
use summary::Summary;

/// Longer equations are omitted, and shorter ones than this are shown at once \[bytes of HTML\].
const LONGEST: usize = 3_000_000;
const SHORT: usize = 60_000;
/// Sampled poses of payload maps and accelerations: enough for maps without gaps.
const POSES: u32 = 100_000;
/// The fraction of the other torques at which velocity torques are significant.
const SIGNIFICANT: f64 = 0.05;

const FOOTER: &str = "SI units unless stated otherwise. Each section shows the equivalent command; motion.csv is the motion that \
    `armdyn size … --out motion.csv` writes, see Drives.";

/// Writes the page, and the PDF if requested.
pub fn run(args: &Report) -> CommandResult {
    if !args.out.extension().is_some_and(|e| e.eq_ignore_ascii_case("html")) {
        return Err(format!("`--out {}`: the report is HTML; use the extension .html", args.out.display()).into());
    }
    let browser = args.pdf.as_ref().map(|_| pdf::browser()).transpose()?;
    let file = AtomicFile::beside(&args.out)?;
    let (description, loaded) = robot::load(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot, args.within.deg)?;
    let locked = robot::lock_options(&description, &args.robot.lock, args.within.deg)?;
    let page = Builder { args, description: &description, m: &m, loaded: &loaded, locked: &locked }.page()?;
    file.hold(page.html().into_string().as_bytes())?;
    if let (Some(browser), Some(out)) = (&browser, &args.pdf) {
        pdf::print(browser, &args.out, out)?;
    }
    let sections: Vec<_> = page.sections.iter().map(|s| json!({ "title": s.title, "command": s.command })).collect();
    let missing = page.sections.iter().filter_map(|s| Some((&s.title, s.content.as_ref().err()?)));
    let unavailable: Vec<_> = missing.clone().map(|(section, e)| json!({ "section": section, "reason": e })).collect();
    let out = args.out.display().to_string();
    let pdf = args.pdf.as_ref().map(|path| path.display().to_string());
    let result = json!({
        "robot": page.subject, "out": out, "pdf": pdf, "sections": sections, "unavailable": unavailable,
        "partial": page.partial,
    });
    Output::of(args.robot.json, &result, |_| {
        let mut document = Document::default();
        for file in std::iter::once(&out).chain(&pdf) {
            document += &format!("{file} written\n");
        }
        missing.for_each(|(section, reason)| document += &format!("not available: {section}: {reason}\n"));
        if page.partial {
            document += "partial: interrupted\n";
        }
        document
    })
}

struct Builder<'a> {
    args: &'a Report,
    description: &'a Description,
    m: &'a Model<f64>,
    loaded: &'a Loaded,
    /// `--lock` in radians, for commands without --deg.
    locked: &'a [String],
}

/// The motion that the drives are sized for.
struct Motion {
    trajectory: Arc<Trajectory>,
    /// The maximum speed and acceleration of each joint, as shown.
    rates: [String; 2],
}

impl Builder<'_> {
    fn page(&self) -> Result<HtmlPage, CommandError> {
        let (m, description) = (self.m, self.description);
        let q = robot::configuration(self.m)?;
        let [isometric, views @ ..] = skeleton(m, &q)?;
        let (ranges, range_report) = self.ranges();
        let (drives, size_report) = self.drives();
        let motion = size_report.as_ref().map(|report| self.motion(&report.trajectory));
        let (tipover, stability) = self.tipover(motion.as_ref())?.unzip();
        let (deflection, structure) = self.deflection(motion.as_ref())?.unzip();
        let summary = Summary {
            m,
            deg: self.args.within.deg,
            findings: &self.loaded.findings,
            limits: size::limits(&self.reader(), &self.args.limits)?,
            has_motion: self.args.motion.trajectory.is_some(),
            reach: self.reach(),
            ranges: range_report.as_ref(),
            size: size_report.as_ref(),
            stability: stability.flatten(),
            structure: structure.flatten(),
        };
        let question = "What can it carry, how far does it reach, and what margins do its drives have?";
        let mut sections = vec![self.section("Summary", question, &[], Ok(summary.document())), drives];
        sections.extend(tipover);
        sections.extend(deflection);
        sections.push(ranges);
        sections.extend(self.importance(motion.as_ref()));
        sections.push(self.simplified("inertia", Target::Inertia));
        sections.push(self.simplified("gravity", Target::Gravity));
        sections.push(self.section("Robot", "", &["show"], Ok(self.robot(&q, &views))));
        let question = "Is the description physical, and which elements were ignored?";
        sections.push(self.section("Check", question, &["check", "--all"], Ok(check::view(self.loaded))));
        sections.push(self.equations());
        Ok(HtmlPage {
            subject: m.name().to_string(),
            kind: "report",
            summary: description.summary.iter().map(|s| s.trim().to_string()).collect(),
            picture: Some(isometric.svg()),
            highlights: summary.cards(),
            sections,
            partial: progress::interrupted(),
            footer: FOOTER,
        })
    }

    fn reader(&self) -> Reader<'_> {
        Reader { model: self.m, deg: self.args.within.deg }
    }

    /// The reach of the tool.
    fn reach(&self) -> Option<Reach> {
        let tool = self.m.tool().ok()?;
        let ranges = self.reader().joint_ranges(&self.args.within.ranges).ok()?;
        reach(self.m, (tool.link, tool.position()), &ranges, self.args.seed).ok()
    }

    fn section(&self, title: &str, question: &str, words: &[&str], content: Result<Document, CommandError>) -> Section {
        let content = content.map_err(|e| e.to_string());
        let quoted = |w: String| if w.contains(char::is_whitespace) { format!("'{w}'") } else { w };
        let line = if words.is_empty() { vec![] } else { self.line(words) };
        let command = line.into_iter().map(quoted).collect::<Vec<_>>().join(" ");
        Section { title: title.to_string(), question: question.to_string(), command, content }
    }

    /// The command line of an analysis of this robot, with the changes of the options.
    fn line(&self, words: &[&str]) -> Vec<String> {
        let args::Robot { robot, payload, lock, gravity, no_friction, no_drives, import, json: _ } = &self.args.robot;
        let mut line: Vec<String> = ["armdyn", words[0], robot].map(String::from).to_vec();
        line.extend(words[1..].iter().map(ToString::to_string));
        line.extend([repeated("package", &import.package), repeated("arg", &import.arguments)].concat());
        if words[0] == "check" {
            return line;
        }
        line.extend(repeated("lock", if words[0] == "derive" { self.locked } else { &lock.lock }));
        line.extend([repeated("payload", payload), repeated("gravity", gravity.as_slice())].concat());
        let along = words[0] == "importance" && words.contains(&"--trajectory");
        if !along && !["show", "derive"].contains(&words[0]) {
            line.extend(repeated("ranges", &self.args.within.ranges));
        }
        let flags = [
            (*no_friction, "--no-friction"),
            (*no_drives, "--no-drives"),
            (self.args.within.deg && words[0] != "derive", "--deg"),
        ];
        line.extend(flags.into_iter().filter(|f| f.0).map(|f| f.1.to_string()));
        line
    }

    /// The robot options of an analysis, which prints no JSON.
    fn robot_args(&self) -> args::Robot {
        args::Robot { json: false, ..self.args.robot.clone() }
    }

    /// The options of an analysis that are the same for all of them, as text: seed and time limit.
    fn seed_and_budget(&self) -> [String; 2] {
        [self.args.seed.to_string(), format!("--budget={}", humantime::format_duration(self.args.budget))]
    }

    /// The motion, or without one the configuration: as options, and as text.
    fn state(&self, motion: Option<&Motion>) -> Result<(Option<String>, Option<Source>, String), CommandError> {
        if let Some(motion) = motion {
            return Ok((None, Some(self.source(motion)), format!("--trajectory={}", self.trajectory_name())));
        }
        let scales = self.reader().scales(&Kind::Position);
        let q: Vec<String> =
            robot::configuration(self.m)?.iter().zip(scales).map(|(q, s)| (q / s).to_string()).collect();
        let q = q.join(",");
        Ok((Some(q.clone()), None, format!("--q={q}")))
    }

    fn trajectory_name(&self) -> String {
        self.args.motion.trajectory.as_ref().map_or("motion.csv".to_string(), Source::display)
    }

    fn source(&self, motion: &Motion) -> Source {
        Source::Memory(self.trajectory_name(), motion.trajectory.clone())
    }

    /// Views and parameters.
    fn robot(&self, q: &[f64], views: &[Drawing]) -> Document {
        let (mut document, m) = (Document::default(), self.m);
        if let Some(origin) = &self.description.origin {
            document += &format!("{}\n\n", origin.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        views.iter().for_each(|view| document.picture(view.svg(), None));
        document += &format!(
            "At q = ({}), the configuration closest to zero within the limits; lines connect the origins of the link \
             frames, numbers are those of the joints in the table.\n\n",
            format::numbers(q).join(", ")
        );
        show::view(&mut document, m, self.args.within.deg);
        document
    }

    fn ranges(&self) -> (Section, Option<RangeReport>) {
        let [seed, budget] = self.seed_and_budget();
        let mut words = vec!["range", "--seed", &seed];
        if self.args.guaranteed {
            words.extend(["--guaranteed", &budget]);
        }
        let options = args::Range {
            guaranteed: self.args.guaranteed,
            gap: 0.01,
            budget: self.args.budget,
            seed: self.args.seed,
            within: self.args.within.clone(),
            robot: self.robot_args(),
        };
        let question = "How much do inertia and gravity vary at each joint, and where?";
        let report = range::report(self.m, &options);
        let document = report.as_ref().map(|report| range::view(report, self.m, self.args.within.deg));
        (self.section("Ranges", question, &words, document.map_err(|e| e.to_string().into())), report.ok())
    }

    /// Loads and margins of the drives.
    fn drives(&self) -> (Section, Option<SizeReport>) {
        let (args, limits) = (self.args, &self.args.limits);
        let (seed, moves) = (args.seed.to_string(), args.random_moves.to_string());
        let samples = format!("--samples={POSES}");
        let mut words = vec!["size", "--seed", &seed, &samples];
        let file = args.motion.trajectory.as_ref().map(Source::display);
        words.extend(match &file {
            Some(file) => ["--trajectory", file],
            None => ["--random-moves", &moves],
        });
        let accelerations = args.accelerations.as_ref().map(|a| format!("--accelerations={a}"));
        words.extend(accelerations.as_deref());
        let limits = [("effort", &limits.effort), ("continuous", &limits.continuous), ("speeds", &limits.speeds)];
        let limits: Vec<String> = limits.iter().flat_map(|(name, values)| repeated(name, values)).collect();
        words.extend(limits.iter().map(String::as_str));
        let options = args::Size {
            motion: args.motion.clone(),
            random_moves: args.motion.trajectory.is_none().then_some(args.random_moves),
            accelerations: args.accelerations.clone(),
            rate: 500.0,
            seed: args.seed,
            samples: POSES as usize,
            limits: args.limits.clone(),
            within: args.within.clone(),
            robot: self.robot_args(),
            ..args::Size::default()
        };
        let result = size::report(self.m, &options);
        let content = result.as_ref().map(|report| self.drive_loads(report)).map_err(|e| e.to_string().into());
        let question = "What are the loads of drives and bearings on a motion, and what margins remain?";
        (self.section("Drives", question, &words, content), result.ok())
    }

    /// The loads on the motion with charts. Random moves as fast as the limits allow use the limits fully, whatever they are:
    /// their margins say nothing.
    fn drive_loads(&self, report: &SizeReport) -> Document {
        let at_limits = self.args.motion.trajectory.is_none() && self.args.accelerations.is_none();
        let (mut document, mut shown) = (Document::default(), report.clone());
        if at_limits {
            document += "These are random moves, as fast as effort and speed limits allow: their peaks follow from the limits, \
                         not from a task. Pass `--trajectory FILE` for the loads and margins of a motion.\n\n";
            (shown.payload, shown.speed_scaling) = (None, None);
            for drive in &mut shown.drives {
                (drive.effort_utilization, drive.speed_utilization) = (None, None);
            }
        }
        report.torque_panels().svgs().into_iter().for_each(|svg| document.picture(svg, None));
        document.append(size::view(&shown, self.m, self.args.within.deg));
        if !at_limits {
            document.picture(report.utilization_chart().svg(), None);
        }
        document
    }

    fn motion(&self, trajectory: &Trajectory) -> Motion {
        let (n, shown) = (self.m.nv(), Shown { m: self.m, deg: self.args.within.deg });
        let maximum = |rates: &[f64], i: usize| {
            let maximum = rates.iter().skip(i).step_by(n).fold(0.0_f64, |maximum, x| maximum.max(x.abs()));
            format!("{:.4}", shown.value(i, maximum))
        };
        let maxima = |rates: &[f64]| (0..n).map(|i| maximum(rates, i)).collect::<Vec<_>>().join(",");
        let rates = [maxima(&trajectory.qd), maxima(&trajectory.qdd)];
        Motion { trajectory: Arc::new(trajectory.clone()), rates }
    }

    /// Contributions to the torques on the motion, and the speed at which velocity torques become significant.
    fn importance(&self, motion: Option<&Motion>) -> [Section; 2] {
        let options = |velocity_threshold, rates: [Option<String>; 2]| {
            let [speeds, accelerations] = rates;
            args::Importance {
                speeds,
                accelerations,
                velocity_threshold,
                samples: 20_000,
                seed: self.args.seed,
                within: self.args.within.clone(),
                robot: self.robot_args(),
                ..args::Importance::default()
            }
        };
        let answer = |options: Option<args::Importance>| {
            let options = options.ok_or("it requires the motion of the section Drives, which is not available")?;
            document(importance::run(self.m, &options))
        };
        let name = self.trajectory_name();
        let along = motion.map(|motion| {
            let mut along = options(None, [None, None]);
            along.motion.trajectory = Some(self.source(motion));
            along.within.ranges.clear();
            along
        });
        let question = "What are the contributions to the torques on the motion that the drives are sized for?";
        let terms = self.section("Importance", question, &["importance", "--trajectory", &name], answer(along));
        let [qd, qdd] = motion.map_or(["…", "…"].map(String::from), |motion| motion.rates.clone());
        let seed = self.args.seed.to_string();
        let words =
            ["importance", "--velocity-threshold", "5%", "--speeds", &qd, "--accelerations", &qdd, "--seed", &seed];
        let question = "At which fraction of the motion's maximum speeds do velocity torques become significant?";
        let threshold = motion.map(|motion| options(Some(SIGNIFICANT), motion.rates.clone().map(Some)));
        [terms, self.section("Velocity torques", question, &words, answer(threshold))]
    }

    fn simplified(&self, name: &str, what: Target) -> Section {
        let [seed, budget] = self.seed_and_budget();
        let error = format!("{}%", 100.0 * self.args.error);
        let mut words = vec!["simplify", "--what", name, "--error", &error, "--seed", &seed, &budget];
        if self.args.guaranteed {
            words.push("--guaranteed");
        }
        let options = args::Simplify {
            what: Some(what),
            error: self.args.error,
            guaranteed: self.args.guaranteed,
            samples: 100_000,
            seed: self.args.seed,
            budget: self.args.budget,
            within: self.args.within.clone(),
            robot: self.robot_args(),
            ..args::Simplify::default()
        };
        let question = "How simple can the model be, and what is its error?";
        let content = document(simplify::run(self.m, &options));
        self.section(&format!("Simplified {name}"), question, &words, content)
    }

    fn tipover(&self, motion: Option<&Motion>) -> Result<Option<(Section, Option<TipoverAnalysis>)>, CommandError> {
        if self.m.contacts().is_empty() {
            return Ok(None);
        }
        let (q, trajectory, state) = self.state(motion)?;
        let options = args::Tipover {
            motion: args::Motion { q, file: args::Trajectory { trajectory }, ..args::Motion::default() },
            reach: true,
            samples: POSES,
            budget: self.args.budget,
            seed: 1,
            plot: ["top", "reach"].map(String::from).to_vec(),
            within: self.args.within.clone(),
            robot: self.robot_args(),
            ..args::Tipover::default()
        };
        let question = "What are the loads of wheels or feet, and the margins against tip-over and slip?";
        let samples = format!("--samples={POSES}");
        let words = ["tipover", &state, "--reach", &samples, "--plot=top", "--plot=reach"];
        let (result, content) = apart(tipover::analysis(self.m, &options));
        Ok(Some((self.section("Tip-over", question, &words, content), result)))
    }

    fn deflection(
        &self,
        motion: Option<&Motion>,
    ) -> Result<Option<(Section, Option<DeflectionAnalysis>)>, CommandError> {
        if self.m.links().iter().all(|l| l.beam.is_none()) {
            return Ok(None);
        }
        let (q, trajectory, state) = self.state(motion)?;
        let options = args::Deflect {
            motion: args::Motion { q, file: args::Trajectory { trajectory }, ..args::Motion::default() },
            modes: "all".to_string(),
            frequencies: Some(5),
            elements: 4,
            map: true,
            samples: 20_000,
            seed: 1,
            plot: ["shape", "map"].map(String::from).to_vec(),
            within: self.args.within.clone(),
            robot: self.robot_args(),
            ..args::Deflect::default()
        };
        let question = "What are the deflection, the stress and the natural frequencies?";
        let words = ["deflect", &state, "--frequencies", "--map", "--plot=shape", "--plot=map"];
        let (result, content) = apart(deflect::analysis(self.m, &options));
        Ok(Some((self.section("Elastic links", question, &words, content), result)))
    }

    fn equations(&self) -> Section {
        let [_, budget] = self.seed_and_budget();
        let words = ["derive", "--parameters", "base", "--emit", "html", &budget];
        self.section("Equations", "What are the equations of motion?", &words, self.equations_html())
    }

    fn equations_html(&self) -> Result<Document, CommandError> {
        if progress::interrupted() {
            return Err("interrupted".into());
        }
        let options = args::Derive {
            emit: args::Emit::Html,
            parameters: Some(args::Parameters::Base),
            search: args::Search { budget: Some(self.args.budget), seed: 1, ..args::Search::default() },
            robot: self.robot_args(),
            ..args::Derive::default()
        };
        let body = typeset::html_body(&derive::equations(self.m, &options)?);
        if body.len() > LONGEST {
            let size = body.len() / 1_000_000;
            return Err(
                format!("the equations are {size} MB long; write them to a separate file with `--out DIR`").into()
            );
        }
        let mut document = Document::default();
        document.embed(if body.len() <= SHORT {
            body
        } else {
            let size = body.len() / 1000;
            format!("<details><summary>equations of motion ({size} kB)</summary>{body}</details>")
        });
        Ok(document)
    }
}

fn document(result: CommandResult) -> Result<Document, CommandError> {
    result.map(|output| output.document)
}

/// A result and its document, or why there is none.
fn apart<R>(both: Result<(R, Document), CommandError>) -> (Option<R>, Result<Document, CommandError>) {
    match both {
        Ok((result, document)) => (Some(result), Ok(document)),
        Err(e) => (None, Err(e)),
    }
}

/// An option for each of its values.
fn repeated(name: &str, values: &[String]) -> Vec<String> {
    values.iter().map(|v| format!("--{name}={v}")).collect()
}

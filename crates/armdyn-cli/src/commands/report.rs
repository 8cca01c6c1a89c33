//! `armdyn report`: one page to hand on. Every section is what a command tells, with that command beside it.

mod pdf;

use super::{check, deflect, derive, importance, range, show, simplify, size, tipover};
use crate::args::{self, Cli, Command, Derive, Report};
use crate::document::Document;
use crate::format::many;
use crate::html::{HtmlPage, Section};
use crate::shown::Shown;
use crate::table::{AtomicFile, Scratch};
use crate::values::{Kind, Reader};
use crate::{CommandResult, format, progress, robot};
use armdyn_core::Model;
use armdyn_import::{Description, Loaded, Severity};
use armdyn_plot::skeleton;
use armdyn_symbolic::typeset;
use clap::Parser;
use serde_json::{Value, json};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Equations that are longer than this \[bytes of HTML\] are not for a page.
const LONGEST: usize = 3_000_000;
/// The share of the torques of speeds up to which motion is called slow.
const SLOW: &str = "5%";

const FOOTER: &str = "SI units unless others stand beside a figure. Each section names the command that tells the same; \
    motion.csv is what `armdyn size … --out motion.csv` writes, see Drives.";

/// Writes the page, and prints it if that is asked for.
pub fn run(args: &Report) -> CommandResult {
    let browser = args.pdf.as_ref().map(|_| pdf::browser()).transpose()?;
    let file = AtomicFile::beside(&args.out).map_err(|e| e.to_string())?;
    let (description, checked) = robot::load(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot)?;
    let folder = Scratch::new()?;
    let asked = Asked { args, description: &description, m: &m, checked, folder: folder.path() };
    let sheet = asked.sheet()?;
    file.hold(asked.by_name(sheet.html().into_string()).as_bytes()).map_err(|e| e.to_string())?;
    if let (Some(browser), Some(out)) = (&browser, &args.pdf) {
        pdf::print(browser, &args.out, out)?;
    }
    Ok(if args.robot.json { object(args, &sheet).into() } else { text(args, &sheet).into() })
}

struct Asked<'a> {
    args: &'a Report,
    description: &'a Description,
    m: &'a Model<f64>,
    checked: Loaded,
    /// Where the motion goes that is not given.
    folder: &'a Path,
}

/// The motion that drives are sized on.
struct Motion {
    file: PathBuf,
    /// The greatest speed and acceleration of each joint on it.
    rates: [Vec<f64>; 2],
}

impl Asked<'_> {
    fn sheet(&self) -> Result<HtmlPage, String> {
        let (m, description) = (self.m, self.description);
        let count = |s| self.checked.findings.iter().filter(|f| f.code.severity == s).count();
        let mut figures = vec![
            ("degrees of freedom".to_string(), m.nv().to_string()),
            ("mass with base and payloads".to_string(), format!("{} kg", format::number(m.total_mass()))),
            (
                "the check found".to_string(),
                many(count(Severity::Error), "error") + ", " + &many(count(Severity::Warning), "warning"),
            ),
        ];
        let (drives, motion) = self.drives(&mut figures);
        let mut sections = vec![
            self.section("Robot", "", &["show"]),
            self.section("Check", "Is the description physical, and what of it was ignored?", &["check", "--all"]),
            self.ranges(),
        ];
        sections.extend(self.importance(motion.as_ref()));
        sections.extend(["inertia", "gravity"].map(|what| self.simpler(what)));
        sections.push(drives);
        if !m.contacts().is_empty() {
            let question = "What do wheels or feet bear, and how far is it from tipping and slipping?";
            let words = ["tipover", &self.moving(motion.as_ref())?, "--reach", "--plot=top", "--plot=reach"];
            sections.push(self.section("Tipping", question, &words));
        }
        if m.links().iter().any(|l| l.beam.is_some()) {
            let question = "Where does it go under load, do its links bear it, and how does it vibrate?";
            let moving = self.moving(motion.as_ref())?;
            let words = ["deflect", &moving, "--frequencies", "--map", "--plot=shape", "--plot=map"];
            sections.push(self.section("Elastic links", question, &words));
        }
        let budget = format!("--budget={}", humantime::format_duration(self.args.budget));
        let words = ["derive", "--parameters", "base", "--emit", "html", &budget];
        sections.push(self.section("Equations", "The equations of motion in full", &words));
        let summary = [&description.summary, &description.origin].into_iter().flatten();
        Ok(HtmlPage {
            subject: m.name().to_string(),
            kind: "report",
            summary: summary.map(|s| s.trim().to_string()).collect(),
            highlights: figures,
            sections,
            partial: progress::interrupted(),
            footer: FOOTER,
        })
    }

    /// What a command tells of this robot.
    fn section(&self, title: &str, question: &str, words: &[&str]) -> Section {
        self.section_of(title, question, words, |command| self.told(command))
    }

    fn section_of(
        &self,
        title: &str,
        question: &str,
        words: &[&str],
        tell: impl FnOnce(Option<Command>) -> Result<Document, String>,
    ) -> Section {
        let line = self.line(words);
        let told = Cli::try_parse_from(&line).map_err(|e| e.to_string()).and_then(|cli| tell(cli.command));
        let word = |w: &String| if w.contains(char::is_whitespace) { format!("'{w}'") } else { w.clone() };
        let command = self.by_name(line.iter().map(word).collect::<Vec<_>>().join(" "));
        Section { title: title.to_string(), question: question.to_string(), command, content: told }
    }

    fn told(&self, command: Option<Command>) -> Result<Document, String> {
        let m = self.m;
        let answer = match command {
            Some(Command::Show(_)) => return self.robot(),
            Some(Command::Check(_)) => return Ok(check::view(&self.checked)),
            Some(Command::Derive(args)) => return self.equations(&args),
            Some(Command::Range(args)) => range::answer(m, &args),
            Some(Command::Importance(args)) => importance::answer(m, &args),
            Some(Command::Simplify(args)) => simplify::answer(m, &args),
            Some(Command::Tipover(args)) => tipover::answer(m, &args),
            Some(Command::Deflect(args)) => deflect::answer(m, &args),
            _ => Err("this command has no section".to_string()),
        };
        answer.map(|answer| answer.document)
    }

    /// The motion that is not given is called by its name alone.
    fn by_name(&self, text: String) -> String {
        text.replace(&format!("{}{MAIN_SEPARATOR}", self.folder.display()), "")
    }

    /// A command line of this robot, with what the options change about it.
    fn line(&self, words: &[&str]) -> Vec<String> {
        let args::Robot { robot, payload, gravity, no_friction, no_drives, import, json: _ } = &self.args.robot;
        let mut line: Vec<String> = ["armdyn", words[0], robot].map(String::from).to_vec();
        line.extend(words[1..].iter().map(ToString::to_string));
        line.extend([many_of("package", &import.package), many_of("arg", &import.arguments)].concat());
        if words[0] == "check" {
            return line;
        }
        line.extend([many_of("payload", payload), many_of("gravity", gravity.as_slice())].concat());
        let along = words[0] == "importance" && words.contains(&"--trajectory");
        if !along && !["show", "derive"].contains(&words[0]) {
            line.extend(many_of("ranges", &self.args.within.ranges));
        }
        let flags = [
            (*no_friction, "--no-friction"),
            (*no_drives, "--no-drives"),
            (self.args.within.deg && words[0] != "derive", "--deg"),
        ];
        line.extend(flags.into_iter().filter(|f| f.0).map(|f| f.1.to_string()));
        line
    }

    /// As near to 0 as limits allow.
    fn pose(&self) -> Result<Vec<f64>, String> {
        let m = self.m;
        let mut q = vec![0.0; m.nq()];
        m.neutral(&mut q).map_err(|e| e.to_string())?;
        for j in m.joints().iter().filter(|j| j.q.len() == j.v.len()) {
            for (q, limits) in q[j.q.clone()].iter_mut().zip(&m.limits()[j.v.clone()]) {
                *q = q.max(limits.lower).min(limits.upper);
            }
        }
        Ok(q)
    }

    /// The motion, or where there is none that pose, as an option says it.
    fn moving(&self, motion: Option<&Motion>) -> Result<String, String> {
        if let Some(motion) = motion {
            return Ok(format!("--trajectory={}", motion.file.display()));
        }
        let scales = Reader { model: self.m, deg: self.args.within.deg }.scales(&Kind::Position);
        let q = self.pose()?;
        let q: Vec<String> = q.iter().zip(scales).map(|(q, scale)| (q / scale).to_string()).collect();
        Ok(format!("--q={}", q.join(",")))
    }

    /// Its views and figures.
    fn robot(&self) -> Result<Document, String> {
        let (mut page, m, q) = (Document::default(), self.m, self.pose()?);
        for view in skeleton(m, &q).map_err(|e| e.to_string())? {
            page.picture(view.svg(), None);
        }
        let pose = format::numbers(&q).join(", ");
        page += &format!(
            "At q = ({pose}), as near to 0 as limits allow; lines join the origins of the links' frames, numbers \
             are those of the joints, in the table's order.\n\n"
        );
        show::view(&mut page, &show::summary(self.m, self.description, self.args.within.deg));
        Ok(page)
    }

    fn ranges(&self) -> Section {
        let question = "How much do inertia and gravity vary at each joint, and where?";
        let (seed, budget) =
            (self.args.seed.to_string(), format!("--budget={}", humantime::format_duration(self.args.budget)));
        let mut words = vec!["range", "--seed", &seed];
        if self.args.guaranteed {
            words.extend(["--guaranteed", &budget]);
        }
        self.section("Ranges", question, &words)
    }

    /// What drives do on the motion, and the motion.
    fn drives(&self, figures: &mut Vec<(String, String)>) -> (Section, Option<Motion>) {
        let (seed, moves) = (self.args.seed.to_string(), self.args.random_moves.to_string());
        let file = self.args.trajectory.as_ref().map(|t| t.display().to_string());
        let accelerations = self.args.accelerations.as_ref().map(|a| format!("--accelerations={a}"));
        let mut words = vec!["size", "--seed", &seed];
        words.extend(match &file {
            Some(file) => ["--trajectory", file],
            None => ["--random-moves", &moves],
        });
        words.extend(accelerations.as_deref());
        let given = &self.args.limits;
        let limits = [("effort", &given.effort), ("continuous", &given.continuous), ("speeds", &given.speeds)];
        let limits: Vec<String> = limits.iter().flat_map(|(name, all)| many_of(name, all)).collect();
        words.extend(limits.iter().map(String::as_str));
        let mut motion = None;
        let question = "What does a motion ask of drives and bearings, and how much more could they?";
        let section = self.section_of("Drives", question, &words, |command| {
            let Some(Command::Size(args)) = command else { return self.told(command) };
            let (report, deg) = (size::report(self.m, &args)?, args.within.deg);
            let shown = Shown { m: self.m, deg };
            figures.extend(size::summary(&report));
            let file = self.args.trajectory.clone().unwrap_or_else(|| self.folder.join("motion.csv"));
            if self.args.trajectory.is_none() {
                size::write(&report, &shown, &file, false)?;
            }
            let maximum = |rates: &[f64], i: usize| {
                let rates = rates.iter().skip(i).step_by(self.m.nv());
                shown.value(i, rates.fold(0.0_f64, |maximum, x| maximum.max(x.abs())))
            };
            let maxima = |rates: &[f64]| (0..self.m.nv()).map(|i| maximum(rates, i)).collect::<Vec<f64>>();
            let rates = [maxima(&report.trajectory.qd), maxima(&report.trajectory.qdd)];
            motion = Some(Motion { file, rates });
            Ok(size::illustrated(&report, self.m, deg))
        });
        (section, motion)
    }

    /// Which terms matter on the motion, and up to which speed it is slow.
    fn importance(&self, motion: Option<&Motion>) -> [Section; 2] {
        let tell = |command| {
            motion.ok_or("it is of the motion that drives are sized on, which is not there")?;
            self.told(command)
        };
        let file = motion.map_or("motion.csv".into(), |motion| motion.file.display().to_string());
        let what = "What are the torques made of on the motion that drives are sized on?";
        let parts = self.section_of("Importance", what, &["importance", "--trajectory", &file], tell);
        let list = |rates: &Vec<f64>| rates.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(",");
        let [qd, qdd] = motion.map_or(["…", "…"].map(String::from), |motion| motion.rates.each_ref().map(list));
        let seed = self.args.seed.to_string();
        let words =
            ["importance", "--velocity-threshold", SLOW, "--speeds", &qd, "--accelerations", &qdd, "--seed", &seed];
        let what = "Up to which share of that motion's greatest speeds may the torques of speeds be left out?";
        [parts, self.section_of("Slow and fast motion", what, &words, tell)]
    }

    fn simpler(&self, what: &str) -> Section {
        let args = self.args;
        let (seed, budget) = (args.seed.to_string(), format!("--budget={}", humantime::format_duration(args.budget)));
        let error = format!("{}%", 100.0 * args.error);
        let mut words = vec!["simplify", "--what", what, "--error", &error, "--seed", &seed, &budget];
        if args.guaranteed {
            words.push("--guaranteed");
        }
        let question = "How simple may the model be, and how wrong is it then?";
        self.section(&format!("Simplified {what}"), question, &words)
    }

    fn equations(&self, args: &Derive) -> Result<Document, String> {
        if progress::interrupted() {
            return Err("ended early".to_string());
        }
        let body = typeset::html_body(&derive::equations(self.m, args)?);
        if body.len() > LONGEST {
            let size = body.len() / 1_000_000;
            return Err(format!(
                "they are {size} MB long: the command writes them to a page of their own with --out FOLDER"
            ));
        }
        let mut page = Document::default();
        page.embed(body);
        Ok(page)
    }
}

/// An option for each of its values.
fn many_of(name: &str, values: &[String]) -> Vec<String> {
    values.iter().map(|v| format!("--{name}={v}")).collect()
}

/// The sections that are not there, and why.
fn left_out(sheet: &HtmlPage) -> impl Iterator<Item = (&str, &str)> {
    sheet.sections.iter().filter_map(|s| s.content.as_ref().err().map(|why| (s.title.as_str(), why.as_str())))
}

fn text(args: &Report, sheet: &HtmlPage) -> String {
    let files = std::iter::once(&args.out).chain(&args.pdf).map(|f| format!("{} written\n", f.display()));
    let mut text: String = files.collect();
    for (title, why) in left_out(sheet) {
        text += &format!("left out: {title}: {why}\n");
    }
    if sheet.partial {
        text += "partial: it was ended early\n";
    }
    text
}

fn object(args: &Report, sheet: &HtmlPage) -> Value {
    let left_out = left_out(sheet).map(|(title, why)| json!({ "section": title, "why": why })).collect::<Vec<_>>();
    let sections = sheet.sections.iter().map(|s| json!({ "title": s.title, "command": s.command })).collect::<Vec<_>>();
    json!({
        "robot": sheet.subject, "out": args.out.display().to_string(), "pdf": args.pdf.as_ref().map(|p| p.display().to_string()),
        "sections": sections, "left_out": left_out, "partial": sheet.partial,
    })
}

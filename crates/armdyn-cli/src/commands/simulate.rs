//! `armdyn simulate`: what a movable base does while its arm moves.

mod json;
mod pictures;
mod setup;
mod text;

use crate::args::Simulate;
use crate::table::{self, Block};
use crate::values::Reader;
use crate::{CommandResult, progress, robot};
use armdyn_core::Model;
use armdyn_mobile::{Base, EventKind, Run, Sample, WheelKind, simulate};
use std::path::Path;

/// All that was found.
pub struct Found<'a> {
    m: &'a Model<f64>,
    base: &'a Base,
    deg: bool,
    /// What the base is, and what the arm does, in words.
    words: [String; 2],
    notes: Vec<String>,
    run: Run,
}

/// The reaction of a base: where it goes, what its wheels bear, what happens.
pub fn run(args: &Simulate) -> CommandResult {
    let description = robot::describe(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot)?;
    let plots = pictures::wanted(&args.plot)?;
    let reader = Reader { model: &m, deg: args.deg };
    let mut notes = vec![];
    let (arm, motion) = setup::arm(args, &reader, &mut notes)?;
    let setting = setup::setting(args, arm.as_ref())?;
    let lasts = setting.duration.unwrap_or(arm.duration());
    let base = setup::base(args, &m, lasts, &mut notes)?;
    let run = progress::with_progress(|progress| simulate(&m, &base, arm.as_ref(), &setting, progress))
        .map_err(|e| e.to_string())?;
    if run.partial() {
        notes.push(format!("ended early, at {} s: partial", crate::format::number(run.end().t)));
    }
    let kind = setup::words(args.base).to_string();
    let found = Found { m: &m, base: &base, deg: args.deg, words: [kind, motion], notes, run };
    if let Some(out) = &args.out {
        write(&found, out)?;
    }
    let mut page = found.page();
    for (what, file) in &plots {
        pictures::draw(&mut page, &found, *what, file.as_deref())?;
    }
    Ok(if args.robot.json { found.json().into() } else { page.into() })
}

impl Found<'_> {
    /// An angle as it is shown.
    fn angle(&self, x: f64) -> f64 {
        if self.deg { x.to_degrees() } else { x }
    }

    fn angle_unit(&self) -> &'static str {
        if self.deg { "°" } else { "rad" }
    }

    /// What happens, in words.
    fn words_of(&self, what: &EventKind) -> String {
        let wheel = |i: usize| format!("`{}`", self.base.wheels()[i].name);
        let all = |list: &[usize]| list.iter().map(|i| wheel(*i)).collect::<Vec<_>>().join(", ");
        match what {
            EventKind::Starts => "the base starts to move".to_string(),
            EventKind::Stops => "the base comes to rest".to_string(),
            EventKind::Slides => "the axle starts to slide sideways".to_string(),
            EventKind::Grips => "the axle slides no longer".to_string(),
            EventKind::Rolls { wheel: i } => format!("wheel {} starts to roll", wheel(*i)),
            EventKind::Rests { wheel: i } => format!("wheel {} stands, the base turns about it", wheel(*i)),
            EventKind::Reverses { wheel: i } => format!("wheel {} rolls the other way", wheel(*i)),
            EventKind::Tips { about, lifts } => {
                format!("the robot tips over {}; {} lifts off: the run ends", all(about), all(lifts))
            }
        }
    }

    /// The names of a sample's values, and the values.
    fn row(&self, s: &Sample) -> Vec<(String, f64)> {
        let mut row: Vec<(String, f64)> = vec![];
        let mut put = |name: &str, value: f64| row.push((name.to_string(), value));
        put("t", s.t);
        put("x", s.position.x);
        put("y", s.position.y);
        if self.base.floats() {
            put("z", s.position.z);
            for (name, value) in ["qx", "qy", "qz", "qw"].iter().zip(s.quaternion()) {
                put(name, value);
            }
        } else {
            put("heading", self.angle(s.heading()));
        }
        let (twist, rate) = (s.twist, s.instant.acceleration);
        put("vx", twist.linear.x);
        put("vy", twist.linear.y);
        if self.base.floats() {
            put("vz", twist.linear.z);
            put("wx", self.angle(twist.angular.x));
            put("wy", self.angle(twist.angular.y));
        }
        put("w", self.angle(twist.angular.z));
        put("ax", rate.linear.x);
        put("ay", rate.linear.y);
        if self.base.floats() {
            put("az", rate.linear.z);
            put("alphax", self.angle(rate.angular.x));
            put("alphay", self.angle(rate.angular.y));
        }
        put("alpha", self.angle(rate.angular.z));
        for (wheel, n) in self.base.wheels().iter().zip(&s.instant.weights) {
            put(&format!("N_{}", wheel.name), *n);
        }
        if s.instant.sideways.is_finite() {
            put("sideways", s.instant.sideways);
        }
        if let Some([x, y]) = s.instant.zero_moment_point {
            put("zmp_x", x);
            put("zmp_y", y);
            put("tip_margin", s.instant.tip_margin);
        }
        let castors = self.base.wheels().iter().filter(|w| w.kind == WheelKind::Castor);
        for (wheel, angle) in castors.zip(&s.castors) {
            put(&format!("castor_{}", wheel.name), self.angle(*angle));
        }
        for (name, force) in self.base.driven().zip(&s.instant.driving) {
            put(&format!("drive_{name}"), *force);
        }
        for (k, name) in self.m.coordinate_names().iter().enumerate() {
            let turns = self.m.nq() == self.m.nv() && self.m.turns(k);
            put(&format!("q_{name}"), if turns { self.angle(s.q[k]) } else { s.q[k] });
        }
        for (name, tau) in self.m.dof_names().iter().zip(&s.instant.tau) {
            put(&format!("tau_{name}"), *tau);
        }
        row
    }
}

/// All samples to a table.
fn write(found: &Found, out: &Path) -> Result<(), String> {
    let samples = &found.run.samples;
    let names: Vec<String> = found.row(&samples[0]).into_iter().map(|(name, _)| name).collect();
    let mut writer = table::Writer::create(out, &names).map_err(|e| e.to_string())?;
    let mut block = Block::new(names.len(), 4096);
    for (k, s) in samples.iter().enumerate() {
        block.push(&found.row(s).into_iter().map(|(_, value)| value).collect::<Vec<f64>>());
        if block.is_full() || k + 1 == samples.len() {
            writer.write(&block).map_err(|e| e.to_string())?;
            block.clear();
        }
    }
    writer.finish().map_err(|e| e.to_string())
}

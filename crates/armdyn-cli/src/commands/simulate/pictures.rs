//! The pictures of `armdyn simulate`.

use super::Found;
use crate::document::Document;
use crate::plots;
use armdyn_core::vec3;
use armdyn_mobile::{Sample, WheelKind};
use armdyn_plot::{Axis, Chart, Drawing, LineStyle};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// The base's way, from above.
    Path,
    /// The weight on each wheel over time.
    Weights,
    /// The base's speed over time.
    Speed,
}

/// Columns of a picture in the terminal.
const WIDE: usize = 96;

/// The pictures that are asked for, and where they go.
pub fn wanted(given: &[String]) -> Result<Vec<(Picture, Option<PathBuf>)>, String> {
    let one = |given: &String| {
        let (what, file) = given.split_once('=').map_or((given.as_str(), None), |(w, f)| (w, Some(PathBuf::from(f))));
        let shown = match what {
            "path" => Picture::Path,
            "weights" => Picture::Weights,
            "speed" => Picture::Speed,
            other => {
                let all = "path, weights, speed";
                return Err(format!(
                    "--plot: there is no picture `{other}`; there are {all}, each with =FILE or without"
                ));
            }
        };
        file.as_deref().map_or(Ok(()), plots::check)?;
        Ok((shown, file))
    };
    given.iter().map(one).collect()
}

/// Draws one to its file, or on the page.
pub fn draw(page: &mut Document, found: &Found, what: Picture, file: Option<&Path>) -> Result<(), String> {
    let (svg, terminal) = match what {
        Picture::Path => {
            let drawing = path(found);
            (drawing.svg(), drawing.terminal(WIDE))
        }
        Picture::Weights if found.base.floats() => {
            return Err("--plot weights: a floating base has no wheels".to_string());
        }
        Picture::Weights | Picture::Speed => {
            let chart = if what == Picture::Weights { weights(found) } else { speed(found) };
            (chart.svg(), chart.terminal(WIDE))
        }
    };
    match file {
        None => page.picture(svg, Some(format!("\n{terminal}"))),
        Some(file) => {
            plots::save(file, &svg)?;
            let _ = writeln!(page, "\npicture in {}", file.display());
        }
    }
    Ok(())
}

/// The way of the base's origin and of the zero-moment point, and the wheels where it began and ended.
fn path(found: &Found) -> Drawing {
    let run = &found.run;
    let title = format!("{} {}, from above", found.m.name(), found.words[0]);
    let mut drawing = Drawing::new(title, Axis::new("x", "m"), Axis::new("y", "m"));
    let world = |s: &Sample, [x, y]: [f64; 2]| {
        let p = s.attitude.rotate(vec3(x, y, 0.0)) + s.position;
        (p.x, p.y)
    };
    for (name, s) in [("wheels at first", &run.samples[0]), ("wheels at the end", run.end())] {
        let corners = found.base.corners().iter().map(|i| &found.base.wheels()[*i]);
        let mut polygon: Vec<(f64, f64)> = corners.map(|w| world(s, [w.at[0], w.at[1]])).collect();
        polygon.extend(polygon.first().copied());
        if !polygon.is_empty() {
            drawing = drawing.line(
                name,
                if name == "wheels at the end" { LineStyle::Area } else { LineStyle::Curve(2) },
                polygon,
            );
        }
        let mut castors = s.castors.iter();
        for w in found.base.wheels() {
            let size = 0.05;
            let [x, y] = match w.kind {
                WheelKind::Castor => castors.next().map_or([1.0, 0.0], |a| [a.cos(), a.sin()]),
                _ => w.rolls,
            };
            let tread = [-size, size].map(|k| world(s, [w.at[0] + k * x, w.at[1] + k * y]));
            drawing = drawing.line("", LineStyle::Body, tread);
        }
    }
    let way = run.samples.iter().map(|s| (s.position.x, s.position.y));
    drawing = drawing.line("the base's origin", LineStyle::Curve(0), way);
    if !found.base.floats() {
        let points = run.samples.iter().filter_map(|s| Some(world(s, s.instant.zero_moment_point?)));
        drawing = drawing.line("zero-moment point", LineStyle::Curve(1), points);
    }
    drawing.mark("at first", run.samples[0].position.x, run.samples[0].position.y).mark(
        "at the end",
        run.end().position.x,
        run.end().position.y,
    )
}

fn weights(found: &Found) -> Chart {
    let title = format!("{}: weight on the wheels", found.m.name());
    let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new("weight", "N")).level("lifts off", 0.0);
    for (k, w) in found.base.wheels().iter().enumerate() {
        chart = chart.curve(w.name.clone(), found.run.samples.iter().map(|s| (s.t, s.instant.weights[k])));
    }
    events(found, chart)
}

fn speed(found: &Found) -> Chart {
    let title = format!("{}: speed of the base", found.m.name());
    let turning = if found.deg { "turning [°/s]" } else { "turning [rad/s]" };
    let over = |of: &dyn Fn(&Sample) -> f64| found.run.samples.iter().map(|s| (s.t, of(s))).collect::<Vec<_>>();
    let chart = Chart::new(title, Axis::new("time", "s"), Axis::new("speed", ""))
        .curve("along x [m/s]", over(&|s| s.twist.linear.x))
        .curve("along y [m/s]", over(&|s| s.twist.linear.y))
        .curve(turning, over(&|s| found.angle(s.twist.angular.z)));
    events(found, chart)
}

/// The first few instants at which something happens.
fn events(found: &Found, chart: Chart) -> Chart {
    found.run.events.iter().take(4).fold(chart, |chart, e| chart.instant(found.words_of(&e.what), e.t))
}

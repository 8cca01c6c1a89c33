//! Line charts and bar charts.

use super::areas::Areas;
use super::axis::{Axis, Scale};
use super::bars::Bars;
use super::canvas::{self, Anchor, Canvas, RULE, TEXT, TITLE, WIDTH};
use super::figure::{Entry, Figure, Frame, Mark, Sample, event_letter, finite, path, short};

/// Height of the frame of a line chart.
const HEIGHT: f64 = 320.0;
/// Rows of event letters.
const EVENT_ROWS: usize = 3;

/// Dimensions of a line chart.
pub(super) struct Layout {
    pub width: f64,
    /// Height of the frame.
    pub height: f64,
    /// Font size of the title.
    pub title: f64,
    /// Approximate number of ticks along both axes.
    pub ticks: (usize, usize),
    /// Whether the legend has the events.
    pub with_events: bool,
    /// Minimum width of the labels of the y axis, so that charts above one another are aligned.
    pub labels: f64,
}

const FULL: Layout =
    Layout { width: WIDTH, height: HEIGHT, title: TITLE, ticks: (8, 6), with_events: true, labels: 0.0 };

/// Curves with limits and marks, or grouped bars.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Chart {
    pub(super) figure: Figure,
    pub(super) curves: Vec<Curve>,
    pub(super) points: Vec<Curve>,
    pub(super) rules: Vec<Rule>,
    pub(super) bars: Option<Bars>,
    pub(super) areas: Option<Areas>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// An interval of one of the axes, or a single value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Rule {
    pub name: String,
    pub across_x: bool,
    pub from: f64,
    pub to: f64,
}

impl Chart {
    /// A chart without curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let (curves, points, rules) = Default::default();
        Chart { figure: Figure::new(title, x, y), curves, points, rules, bars: None, areas: None }
    }

    /// Horizontal bars along the axis `value`, one of each series in each group; end to end if `stacked`.
    pub fn bars(title: impl Into<String>, value: Axis, groups: &[String], stacked: bool) -> Self {
        let bars = Bars { groups: groups.to_vec(), series: vec![], stacked };
        Chart { bars: Some(bars), ..Chart::new(title, value, Axis::new("", "")) }
    }

    /// Stacked areas behind the curves, over these values of x: see [`Chart::series`].
    pub fn areas(mut self, x: &[f64]) -> Self {
        self.areas = Some(Areas { x: x.to_vec(), series: vec![] });
        self
    }

    /// Adds a curve; points that are not finite interrupt it.
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points: points.into_iter().collect() });
        self
    }

    /// Adds single points of one kind; those that are not finite are left out.
    pub fn points(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.points.push(Curve { name: name.into(), points: points.into_iter().filter(|p| finite(*p)).collect() });
        self
    }

    /// Adds a series of bars, with one value per group, or an area, with one value per value of x.
    pub fn series(mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let series = (name.into(), values.into_iter().collect());
        match (&mut self.bars, &mut self.areas) {
            (Some(bars), _) => bars.series.push(series),
            (None, Some(areas)) => areas.series.push(series),
            (None, None) => {}
        }
        self
    }

    /// Adds a horizontal line at a value of y, such as a limit.
    pub fn level(self, name: impl Into<String>, value: f64) -> Self {
        self.ruled(name.into(), false, value, value)
    }

    /// Adds a vertical line at a value of x for an event. Each name has its letter and its dashes; events of the same name have
    /// one legend entry with their values.
    pub fn instant(self, name: impl Into<String>, value: f64) -> Self {
        self.ruled(name.into(), true, value, value)
    }

    /// Adds a horizontal band between two values of y, such as the allowed range.
    pub fn band(self, name: impl Into<String>, from: f64, to: f64) -> Self {
        self.ruled(name.into(), false, from, to)
    }

    fn ruled(mut self, name: String, across_x: bool, from: f64, to: f64) -> Self {
        self.rules.push(Rule { name, across_x, from, to });
        self
    }

    /// Adds a marked point.
    pub fn mark(mut self, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.figure.marks.push(Mark::new(name, x, y));
        self
    }

    /// The scales of both axes, with about this many ticks.
    pub(super) fn scales(&self, across: usize, up: usize) -> (Scale, Scale) {
        let Figure { x, y, marks, .. } = &self.figure;
        let stacks: Vec<(f64, f64)> = self.areas.iter().flat_map(Areas::extents).collect();
        let all = self.curves.iter().chain(&self.points);
        let points = all.flat_map(|c| &c.points).chain(marks.iter().map(|m| &m.at)).chain(&stacks);
        let points = points.copied();
        let on = |across_x| self.rules.iter().filter(move |r| r.across_x == across_x).flat_map(|r| [r.from, r.to]);
        let across = x.fit(points.clone().map(|p| p.0).chain(on(true)), across, false);
        let up = y.fit(points.map(|p| p.1).chain(on(false)), up, true);
        // A limit at the end of the axis would coincide with the frame.
        (across, if y.range.is_none() { up.padded(on(false)) } else { up })
    }

    /// The names of the events, each once.
    pub(super) fn events(&self) -> Vec<&str> {
        let mut names: Vec<&str> = vec![];
        for rule in self.rules.iter().filter(|r| r.is_event()) {
            if !names.contains(&rule.name.as_str()) {
                names.push(&rule.name);
            }
        }
        names
    }

    /// The legend text of an event: its name, and where it occurs.
    pub(super) fn event_text(&self, name: &str) -> String {
        let at: Vec<String> =
            self.rules.iter().filter(|r| r.is_event() && r.name == name).map(|r| short(r.from)).collect();
        let unit = &self.figure.x.unit;
        match at.len() {
            0..=3 => format!("{name} ({} {unit})", at.join(", ")),
            count => format!("{name} ({count} times, first {} {unit})", at[0]),
        }
    }

    /// The legend entries of the events.
    pub(super) fn event_entries(&self) -> Vec<Entry<'static>> {
        let text = |(k, name): (usize, &&str)| (Sample::Event(k), self.event_text(name).into());
        self.events().iter().enumerate().map(text).collect()
    }

    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let (canvas, bottom) = self.draw(&FULL);
        canvas.finish(&self.figure.title, bottom)
    }

    /// The elements of the chart, and their bottom.
    pub(super) fn draw(&self, layout: &Layout) -> (Canvas, f64) {
        let figure = &self.figure;
        let mut canvas = figure.canvas_with_title(layout.width, layout.title);
        if let Some(bars) = &self.bars {
            let frame = bars.draw(&mut canvas, &figure.x);
            let bottom = figure.legend(&mut canvas, frame.bottom(), bars.legend());
            return (canvas, bottom);
        }
        let (x, y) = self.scales(layout.ticks.0, layout.ticks.1);
        let widest = y.label_width().max(layout.labels);
        let (width, top) = (layout.width - widest - 64.0, if figure.title.is_empty() { 14.0 } else { 38.0 });
        let frame = Frame { left: widest + 40.0, top, width, height: layout.height };
        frame.draw(&mut canvas, (&figure.x, &x), (&figure.y, &y));
        let place = frame.place(&x, &y);
        frame.open(&mut canvas);
        self.areas.iter().for_each(|areas| areas.draw(&mut canvas, place));
        self.rules.iter().filter(|r| !r.is_event()).for_each(|rule| rule.draw(&mut canvas, &frame, place));
        for (k, points) in self.points.iter().enumerate() {
            points.points.iter().for_each(|p| canvas.dot(self.point_colour(k), place(*p)));
        }
        for (k, curve) in self.curves.iter().enumerate() {
            let d = path(&thinned(&curve.points, frame.width as usize), place);
            canvas.put(format_args!("<path d=\"{d}\" {}/>", self.stroke(k)));
        }
        self.draw_events(&mut canvas, &frame, place);
        figure.draw_marks(&mut canvas, place);
        canvas.put(format_args!("</svg>"));
        let single = self.curves.len() == 1 && self.curves[0].name.is_empty();
        let curves = self.curves.iter().enumerate().filter(|_| !single);
        let curves = curves.map(|(k, c)| (Sample::Stroke(self.stroke(k)), c.name.as_str().into()));
        let rules = self.rules.iter().filter(|r| !r.is_event() && !r.name.is_empty());
        let areas = self.areas.iter().flat_map(Areas::legend);
        let points = self.points.iter().enumerate().filter(|(_, p)| !p.name.is_empty());
        let points = points.map(|(k, p)| (Sample::Dot(self.point_colour(k)), p.name.as_str().into()));
        let mut entries: Vec<Entry> =
            areas.chain(curves).chain(points).chain(rules.map(|r| (r.sample(), r.name.as_str().into()))).collect();
        if layout.with_events {
            entries.extend(self.event_entries());
        }
        let bottom = figure.legend(&mut canvas, frame.bottom(), entries);
        (canvas, bottom)
    }

    /// The colour of the k-th kind of points, after those of the curves.
    fn point_colour(&self, k: usize) -> &'static str {
        canvas::colour(self.curves.len() + k)
    }

    /// The style of a curve; in the colour of the text before areas, which have the others.
    fn stroke(&self, k: usize) -> String {
        match self.areas {
            Some(_) => "fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"".to_string(),
            None => canvas::stroke(k),
        }
    }

    /// Draws a line for each event, with its letter at the top where there is room.
    fn draw_events(&self, canvas: &mut Canvas, frame: &Frame, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let names = self.events();
        // The end of the last letter in each row.
        let mut ends = [f64::NEG_INFINITY; EVENT_ROWS];
        let mut events: Vec<&Rule> = self.rules.iter().filter(|r| r.is_event()).collect();
        events.sort_by(|a, b| a.from.total_cmp(&b.from));
        for event in events {
            let k = names.iter().position(|n| *n == event.name).unwrap_or(0);
            let x = place((event.from, 0.0)).0;
            canvas.put(format_args!("<path d=\"M{x:.1} 0V{:.1}\" {}/>", frame.height, canvas::event(k)));
            let fits = x + 3.0 + TEXT <= frame.width;
            let start = if fits { x + 3.0 } else { x - 3.0 - TEXT };
            if let Some(row) = ends.iter().position(|end| start > *end) {
                ends[row] = start + TEXT;
                let letter = event_letter(k).to_string();
                canvas.text(start, TEXT * (row as f64 + 1.0), TEXT, Anchor::Start, &letter, TEXT);
            }
        }
    }
}

impl Rule {
    pub fn is_line(&self) -> bool {
        self.from == self.to
    }

    /// Whether it is a value of x.
    pub fn is_event(&self) -> bool {
        self.across_x && self.is_line()
    }

    fn sample(&self) -> Sample {
        if self.is_line() { Sample::Stroke(RULE.to_string()) } else { Sample::Fill("currentColor", 0.15) }
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let (a, b) = (place((self.from, self.from)), place((self.to, self.to)));
        let (from, to) =
            if self.across_x { ((a.0, 0.0), (b.0, frame.height)) } else { ((0.0, b.1), (frame.width, a.1)) };
        if self.is_line() {
            return canvas
                .put(format_args!("<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" {RULE}/>", from.0, from.1, to.0, to.1));
        }
        let corner = (from.0.min(to.0), from.1.min(to.1));
        canvas.rect(corner, ((to.0 - from.0).abs(), (to.1 - from.1).abs()), "fill-opacity=\"0.1\"");
        let edges = if self.across_x {
            [(from, (from.0, to.1)), ((to.0, from.1), to)]
        } else {
            [(from, (to.0, from.1)), ((from.0, to.1), to)]
        };
        edges.iter().for_each(|(a, b)| canvas.line(*a, *b, " stroke-opacity=\"0.35\""));
    }
}

/// Reduces points in the order of x to the first, last, lowest and highest of each pixel column.
fn thinned(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let sorted = points.windows(2).all(|p| p[0].0 <= p[1].0);
    if points.len() <= 4 * columns || !sorted || points.iter().any(|p| !p.1.is_finite()) {
        return points.to_vec();
    }
    let (low, high) = (points[0].0, points[points.len() - 1].0);
    let column = |p: &(f64, f64)| (((p.0 - low) / (high - low)) * columns as f64) as usize;
    let mut kept = vec![];
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let extreme = |up: bool| {
            let better = |a: f64, b: f64| if up { a > b } else { a < b };
            (0..group.len()).fold(0, |best, k| if better(group[k].1, group[best].1) { k } else { best })
        };
        let mut which = [0, extreme(true), extreme(false), group.len() - 1];
        which.sort_unstable();
        for (n, &k) in which.iter().enumerate() {
            if n == 0 || which[n - 1] != k {
                kept.push(group[k]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let wave = |f: f64| (0..=100).map(move |k| (k as f64, (f * k as f64 / 20.0).sin()));
        Chart::new("Torque <of> \"elbow\" & co", Axis::new("time", "s"), Axis::new("torque", "N m"))
            .curve("a&b", wave(1.0))
            .curve("c<d", wave(2.0))
            .level("limit", 1.5)
            .mark("worst", 31.4, 1.0)
    }

    #[test]
    fn labels_are_escaped_and_the_svg_parses() {
        let svg = chart().svg();
        for part in ["time [s]", "torque [N m]", "a&amp;b", "c&lt;d", "limit", "worst", "&quot;elbow&quot; &amp; co"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains("<script") && !svg.contains("href"));
        roxmltree::Document::parse(&svg).unwrap();
    }

    #[test]
    fn the_limit_is_within_the_frame() {
        let (_, y) = chart().scales(8, 6);
        assert!(y.low <= -1.0 && y.high >= 1.5, "{y:?}");
    }

    /// An axis that ends at a limit is extended by at most a tenth; its ticks stay.
    #[test]
    fn a_band_never_fills_the_frame() {
        let chart = Chart::new("", Axis::new("", ""), Axis::new("", "%")).curve("", [(0.0, -80.0), (1.0, 97.0)]);
        let (_, y) = chart.band("within effort", -100.0, 100.0).scales(8, 6);
        assert!(y.low < -103.0 && y.low > -125.0 && y.high > 103.0 && y.high < 125.0, "{y:?}");
        assert_eq!((y.labels[0].as_str(), y.labels.last().unwrap().as_str()), ("−100", "100"));
    }

    #[test]
    fn thinning_keeps_the_extremes() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|k| (k as f64, (k as f64 * 0.7).sin())).collect();
        points[54_321].1 = 9.0;
        points[54_325].1 = -9.0;
        let kept = thinned(&points, 600);
        assert!(kept.len() <= 2400 + 4);
        assert!(kept.contains(&points[54_321]) && kept.contains(&points[54_325]));
        assert!(kept.windows(2).all(|p| p[0].0 < p[1].0));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[99_999]));
    }

    /// Each event has its own letter and dashes in the frame and in the legend, and its values.
    #[test]
    fn events_are_distinguishable() {
        let chart =
            Chart::new("", Axis::new("time", "s"), Axis::new("load", "N")).curve("left", [(0.0, 1.0), (4.0, 2.0)]);
        let chart = chart.instant("slips", 1.0).instant("sticks", 1.5).instant("slips", 2.0).instant("tips over", 3.25);
        let svg = chart.svg();
        for (letter, drawn) in [("A", 2 + 1), ("B", 1 + 1), ("C", 1 + 1)] {
            assert_eq!(svg.matches(&format!(">{letter}<")).count(), drawn, "{letter}: {svg}");
        }
        for entry in [">slips (1.00, 2.00 s)<", ">sticks (1.50 s)<", ">tips over (3.25 s)<"] {
            assert_eq!(svg.matches(entry).count(), 1, "{entry}: {svg}");
        }
        let lines: std::collections::BTreeSet<&str> =
            svg.lines().filter_map(|l| l.split_once("V320.0\" ").map(|l| l.1)).collect();
        assert_eq!(lines.len(), 3, "one style per event: {lines:?}");
        let text = chart.terminal(70);
        assert!(text.contains("A slips (1.00, 2.00 s)   B sticks (1.50 s)"), "{text}");
        assert!(
            text.lines().any(|l| l.contains("┤") && l.contains('A') && l.contains('B') && l.contains('C')),
            "{text}"
        );
    }

    /// Points are single dots with a colour and a legend entry of their kind, in the range of the axes.
    #[test]
    fn points_are_not_connected() {
        let chart = Chart::new("", Axis::new("mass", "kg"), Axis::new("payload", "kg"))
            .curve("front", [(0.0, 0.0), (1.0, 1.0)]);
        let chart = chart.points("others", [(0.5, 0.2), (f64::NAN, 1.0), (3.0, 0.1)]).points("", [(0.1, 0.1)]);
        let svg = chart.svg();
        // Three in the frame and one in the legend.
        assert_eq!((svg.matches("<circle").count(), svg.matches(">others<").count()), (4, 1), "{svg}");
        assert!(chart.scales(8, 6).0.high >= 3.0);
        assert!(chart.terminal(60).contains("· others"), "{}", chart.terminal(60));
    }

    #[test]
    fn an_empty_chart_is_valid() {
        let empty = Chart::new("", Axis::new("", ""), Axis::new("", ""));
        assert!(empty.svg().ends_with("</svg>\n"));
        #[cfg(feature = "png")]
        assert!(super::super::png(&empty.curve("one", [(1.0, 1.0)]).svg()).is_ok());
    }
}

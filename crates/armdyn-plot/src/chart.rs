//! Line charts and bar charts.

use super::axis::{Axis, Scale};
use super::bars::Bars;
use super::canvas::{self, Anchor, Canvas, LINE, TEXT, TITLE, WIDTH};

/// Height of the frame of a line chart.
const HEIGHT: f64 = 320.0;

/// Curves with limits and marks, or grouped bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) curves: Vec<Curve>,
    pub(super) rules: Vec<Rule>,
    pub(super) marks: Vec<Mark>,
    pub(super) bars: Option<Bars>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// An interval of one of the axes, or a single value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    pub name: String,
    pub across_x: bool,
    pub from: f64,
    pub to: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mark {
    pub name: String,
    pub at: (f64, f64),
}

impl Chart {
    /// A chart without curves.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Chart { title: title.into(), x, y, curves: vec![], rules: vec![], marks: vec![], bars: None }
    }

    /// Horizontal bars along the axis `value`, one of each series in each group; end to end if `stacked`.
    pub fn bars(title: impl Into<String>, value: Axis, groups: &[String], stacked: bool) -> Self {
        let bars = Bars { groups: groups.to_vec(), series: vec![], stacked };
        Chart { bars: Some(bars), ..Chart::new(title, value, Axis::new("", "")) }
    }

    /// Adds a curve; points that are not finite interrupt it.
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points: points.into_iter().collect() });
        self
    }

    /// Adds a series of bars, with one value per group.
    pub fn series(mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        if let Some(bars) = &mut self.bars {
            bars.series.push((name.into(), values.into_iter().collect()));
        }
        self
    }

    /// Adds a horizontal line at a value of y, such as a limit.
    pub fn level(self, name: impl Into<String>, value: f64) -> Self {
        self.ruled(name.into(), false, value, value)
    }

    /// Adds a vertical line at a value of x, such as an event.
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
        self.marks.push(Mark { name: name.into(), at: (x, y) });
        self
    }

    /// The scales of both axes, with about this many ticks.
    pub(super) fn scales(&self, across: usize, up: usize) -> (Scale, Scale) {
        let points = self.curves.iter().flat_map(|c| &c.points).chain(self.marks.iter().map(|m| &m.at)).copied();
        let on = |across_x| self.rules.iter().filter(move |r| r.across_x == across_x).flat_map(|r| [r.from, r.to]);
        let x = self.x.fit(points.clone().map(|p| p.0).chain(on(true)), across, false);
        let y = self.y.fit(points.map(|p| p.1).chain(on(false)), up, true);
        // A limit at the end of the axis would coincide with the frame.
        (x, if self.y.range.is_none() { y.padded(on(false)) } else { y })
    }

    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new();
        canvas.text(WIDTH / 2.0, 22.0, TITLE, Anchor::Middle, &self.title, WIDTH - 20.0);
        let bottom = match &self.bars {
            Some(bars) => bars.draw(&mut canvas, &self.x),
            None => self.draw(&mut canvas),
        };
        canvas.finish(&self.title, bottom)
    }

    /// Draws frame, content and legend; returns the bottom.
    fn draw(&self, canvas: &mut Canvas) -> f64 {
        let (x, y) = self.scales(8, 6);
        let widest = y.labels.iter().map(|l| canvas::width(l, TEXT)).fold(0.0, f64::max);
        let frame = Frame { left: widest + 40.0, top: 38.0, width: WIDTH - widest - 64.0, height: HEIGHT };
        frame.draw(canvas, (&self.x, &x), (&self.y, &y));
        let Frame { left, top, width, height } = frame;
        let place = |(a, b): (f64, f64)| (x.fraction(a) * width, (1.0 - y.fraction(b)) * height);
        canvas.put(format_args!("<svg x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">"));
        for rule in &self.rules {
            let (a, b) = (place((rule.from, rule.from)), place((rule.to, rule.to)));
            let (from, to) = if rule.across_x { ((a.0, 0.0), (b.0, height)) } else { ((0.0, b.1), (width, a.1)) };
            if rule.from == rule.to {
                canvas.line(from, to, " stroke-dasharray=\"5 4\" stroke-opacity=\"0.75\"");
            } else {
                let (x, w) = (from.0.min(to.0), (to.0 - from.0).abs());
                let (y, h) = (from.1.min(to.1), (to.1 - from.1).abs());
                canvas.put(format_args!(
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill-opacity=\"0.1\"/>"
                ));
                let edges = if rule.across_x {
                    [(from, (from.0, to.1)), ((to.0, from.1), to)]
                } else {
                    [(from, (to.0, from.1)), ((from.0, to.1), to)]
                };
                edges.iter().for_each(|(a, b)| canvas.line(*a, *b, " stroke-opacity=\"0.35\""));
            }
        }
        for (k, curve) in self.curves.iter().enumerate() {
            let d = path(&thinned(&curve.points, width as usize), place);
            canvas.put(format_args!("<path d=\"{d}\" {}/>", canvas::stroke(k)));
        }
        for (k, mark) in self.marks.iter().enumerate().filter(|(_, m)| m.at.0.is_finite() && m.at.1.is_finite()) {
            let (px, py) = place(mark.at);
            canvas.symbol(k, px, py);
        }
        canvas.put(format_args!("</svg>"));
        self.legend().draw(canvas, top + height + 58.0)
    }

    fn legend(&self) -> Legend {
        let single = self.curves.len() == 1 && self.curves[0].name.is_empty();
        let curves = self.curves.iter().enumerate().filter(|_| !single);
        let curves = curves.map(|(k, c)| (Sample::Curve(k), c.name.clone()));
        let rules = self.rules.iter();
        let rules = rules.map(|r| (if r.from == r.to { Sample::Line } else { Sample::Band }, r.name.clone()));
        let marks = self.marks.iter().enumerate().map(|(k, m)| (Sample::Symbol(k), m.name.clone()));
        Legend(curves.chain(rules).chain(marks).collect())
    }
}

/// The frame of two axes.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    /// Draws grid lines, ticks and labels.
    pub fn draw(&self, canvas: &mut Canvas, x: (&Axis, &Scale), y: (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let (right, bottom) = (left + width, top + height);
        self.draw_x_axis(canvas, x);
        for (tick, label) in y.1.ticks.iter().zip(&y.1.labels) {
            let at = bottom - y.1.fraction(*tick) * height;
            canvas.line((left, at), (right, at), GRID_LINE);
            canvas.text(left - 7.0, at + 4.0, TEXT, Anchor::End, label, left);
        }
        canvas.vertical_text(16.0, top + height / 2.0, &y.0.name(y.1.exponent), height + 40.0);
        canvas.put(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"currentColor\" stroke-opacity=\"0.6\"/>"
        ));
    }

    /// Draws the x axis with its grid lines.
    pub fn draw_x_axis(&self, canvas: &mut Canvas, (axis, scale): (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let bottom = top + height;
        for (tick, label) in scale.ticks.iter().zip(&scale.labels) {
            let at = left + scale.fraction(*tick) * width;
            canvas.line((at, top), (at, bottom), GRID_LINE);
            canvas.text(at, bottom + 17.0, TEXT, Anchor::Middle, label, width);
        }
        canvas.text(left + width / 2.0, bottom + 36.0, TEXT, Anchor::Middle, &axis.name(scale.exponent), WIDTH - 20.0);
    }
}

const GRID_LINE: &str = " stroke-opacity=\"0.14\"";

/// The sample of a legend entry.
pub(super) enum Sample {
    Curve(usize),
    Line,
    Band,
    Bar(usize),
    Outline(usize),
    Body,
    Symbol(usize),
}

/// The legend below a chart.
pub(super) struct Legend(pub Vec<(Sample, String)>);

impl Legend {
    /// Draws from `y` downward; returns the bottom.
    pub fn draw(&self, canvas: &mut Canvas, mut y: f64) -> f64 {
        const SAMPLE: f64 = 34.0;
        const GAP: f64 = 16.0;
        let (mut x, wide) = (GAP, canvas.width);
        for (sample, name) in &self.0 {
            let own = SAMPLE + canvas::width(name, TEXT).min(wide - 2.0 * GAP - SAMPLE);
            if x + own > wide - GAP && x > GAP {
                (x, y) = (GAP, y + LINE);
            }
            let (middle, end) = (y - 4.0, x + SAMPLE - 7.0);
            match sample {
                Sample::Curve(k) => {
                    canvas.put(format_args!("<path d=\"M{x:.1} {middle:.1}H{end:.1}\" {}/>", canvas::stroke(*k)));
                }
                Sample::Outline(k) => {
                    canvas.put(format_args!("<path d=\"M{x:.1} {middle:.1}H{end:.1}\" {}/>", super::map::outline(*k)));
                }
                Sample::Body => {
                    canvas.put(format_args!(
                        "<path d=\"M{:.1} {middle:.1}H{:.1}\" {}/>",
                        x + 3.0,
                        end - 3.0,
                        canvas::BODY
                    ));
                }
                Sample::Line => {
                    canvas.line((x, middle), (end, middle), " stroke-dasharray=\"5 4\" stroke-opacity=\"0.75\"");
                }
                Sample::Band | Sample::Bar(_) => {
                    let (fill, opacity) = match sample {
                        Sample::Bar(k) => (canvas::colour(*k), 1.0),
                        _ => ("currentColor", 0.15),
                    };
                    let (top, long) = (middle - 5.0, end - x);
                    canvas.put(format_args!(
                        "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{long:.1}\" height=\"10\" fill=\"{fill}\" \
                         fill-opacity=\"{opacity}\"/>"
                    ));
                }
                Sample::Symbol(k) => canvas.symbol(*k, (x + end) / 2.0, middle),
            }
            canvas.text(x + SAMPLE, y, TEXT, Anchor::Start, name, wide - 2.0 * GAP - SAMPLE);
            x += own + GAP;
        }
        if self.0.is_empty() { y - 6.0 } else { y + 14.0 }
    }
}

/// A path through points, interrupted where one is not finite.
pub(super) fn path(points: &[(f64, f64)], place: impl Fn((f64, f64)) -> (f64, f64)) -> String {
    let mut d = String::new();
    let mut pen = 'M';
    for (k, &point) in points.iter().enumerate() {
        if !(point.0.is_finite() && point.1.is_finite()) {
            pen = 'M';
            continue;
        }
        // Coordinates far outside would be long numbers.
        let (x, y) = place(point);
        let (x, y) = (x.clamp(-1e5, 1e5), y.clamp(-1e5, 1e5));
        d += &format!("{pen}{x:.1} {y:.1}");
        let alone = points.get(k + 1).is_none_or(|next| !(next.0.is_finite() && next.1.is_finite()));
        if pen == 'M' && alone {
            d += "h0.01";
        }
        pen = 'L';
    }
    d
}

/// Reduces points in the order of x to the first, last, lowest and highest of each pixel column.
pub(super) fn thinned(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
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
    fn a_gap_interrupts_a_curve() {
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.0)];
        assert_eq!(path(&points, |p| p), "M0.0 1.0L1.0 2.0M3.0 1.0L4.0 0.0");
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

    #[test]
    fn an_empty_chart_is_valid() {
        let empty = Chart::new("", Axis::new("", ""), Axis::new("", ""));
        assert!(empty.svg().ends_with("</svg>\n"));
        #[cfg(feature = "png")]
        assert!(super::super::png(&empty.curve("one", [(1.0, 1.0)]).svg()).is_ok());
    }
}

//! Curves over an axis, or bars of groups.

use super::axis::{Axis, Scale};
use super::bars::Bars;
use super::sheet::{self, Anchor, LETTER, LINE, Sheet, TITLE, WIDTH};

/// The height of the frame that curves are drawn in.
const HEIGHT: f64 = 320.0;

/// Curves over an axis with what they are to be compared with, or bars of groups.
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

/// A stretch of one of the axes, or one value on it.
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
    /// Without curves as yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Chart { title: title.into(), x, y, curves: vec![], rules: vec![], marks: vec![], bars: None }
    }

    /// Bars that lie side by side in groups (joints, say), one of each series (kinds, say), along the axis `value`;
    /// end to end where `stacked`.
    pub fn bars(title: impl Into<String>, value: Axis, groups: &[String], stacked: bool) -> Self {
        let bars = Bars { groups: groups.to_vec(), series: vec![], stacked };
        Chart { bars: Some(bars), ..Chart::new(title, value, Axis::new("", "")) }
    }

    /// With a curve; points that are not finite break it.
    pub fn curve(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.curves.push(Curve { name: name.into(), points: points.into_iter().collect() });
        self
    }

    /// With a series of bars, a value for each group.
    pub fn series(mut self, name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        if let Some(bars) = &mut self.bars {
            bars.series.push((name.into(), values.into_iter().collect()));
        }
        self
    }

    /// With a line at a value of the upright axis: a limit, say.
    pub fn level(self, name: impl Into<String>, value: f64) -> Self {
        self.ruled(name.into(), false, value, value)
    }

    /// With a line at a value of the axis that lies: an instant, say.
    pub fn instant(self, name: impl Into<String>, value: f64) -> Self {
        self.ruled(name.into(), true, value, value)
    }

    /// With a stretch of the upright axis: what is allowed, say.
    pub fn band(self, name: impl Into<String>, from: f64, to: f64) -> Self {
        self.ruled(name.into(), false, from, to)
    }

    fn ruled(mut self, name: String, across_x: bool, from: f64, to: f64) -> Self {
        self.rules.push(Rule { name, across_x, from, to });
        self
    }

    /// With a point marked.
    pub fn mark(mut self, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.marks.push(Mark { name: name.into(), at: (x, y) });
        self
    }

    /// The axes as they are drawn, with about so many ticks.
    pub(super) fn scales(&self, across: usize, up: usize) -> (Scale, Scale) {
        let points = self.curves.iter().flat_map(|c| &c.points).chain(self.marks.iter().map(|m| &m.at)).copied();
        let on = |across_x| self.rules.iter().filter(move |r| r.across_x == across_x).flat_map(|r| [r.from, r.to]);
        let x = self.x.fit(points.clone().map(|p| p.0).chain(on(true)), across, false);
        let y = self.y.fit(points.map(|p| p.1).chain(on(false)), up, true);
        // A limit that is the end of the axis could not be told from the frame.
        (x, if self.y.range.is_none() { y.beyond(on(false)) } else { y })
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        let mut sheet = Sheet::new();
        sheet.text(WIDTH / 2.0, 22.0, TITLE, Anchor::Middle, &self.title, WIDTH - 20.0);
        let bottom = match &self.bars {
            Some(bars) => bars.draw(&mut sheet, &self.x),
            None => self.draw(&mut sheet),
        };
        sheet.finish(&self.title, bottom)
    }

    /// The frame, what is in it, and the legend: where it all ends.
    fn draw(&self, sheet: &mut Sheet) -> f64 {
        let (x, y) = self.scales(8, 6);
        let widest = y.labels.iter().map(|l| sheet::width(l, LETTER)).fold(0.0, f64::max);
        let frame = Frame { left: widest + 40.0, top: 38.0, width: WIDTH - widest - 64.0, height: HEIGHT };
        frame.draw(sheet, (&self.x, &x), (&self.y, &y));
        let Frame { left, top, width, height } = frame;
        let place = |(a, b): (f64, f64)| (x.share(a) * width, (1.0 - y.share(b)) * height);
        sheet.put(format_args!("<svg x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">"));
        for rule in &self.rules {
            let (a, b) = (place((rule.from, rule.from)), place((rule.to, rule.to)));
            let (from, to) = if rule.across_x { ((a.0, 0.0), (b.0, height)) } else { ((0.0, b.1), (width, a.1)) };
            if rule.from == rule.to {
                sheet.line(from, to, " stroke-dasharray=\"5 4\" stroke-opacity=\"0.75\"");
            } else {
                let (x, w) = (from.0.min(to.0), (to.0 - from.0).abs());
                let (y, h) = (from.1.min(to.1), (to.1 - from.1).abs());
                sheet.put(format_args!(
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill-opacity=\"0.1\"/>"
                ));
                let edges = if rule.across_x {
                    [(from, (from.0, to.1)), ((to.0, from.1), to)]
                } else {
                    [(from, (to.0, from.1)), ((from.0, to.1), to)]
                };
                edges.iter().for_each(|(a, b)| sheet.line(*a, *b, " stroke-opacity=\"0.35\""));
            }
        }
        for (k, curve) in self.curves.iter().enumerate() {
            let d = path(&thinned(&curve.points, width as usize), place);
            sheet.put(format_args!("<path d=\"{d}\" {}/>", sheet::stroke(k)));
        }
        for (k, mark) in self.marks.iter().enumerate().filter(|(_, m)| m.at.0.is_finite() && m.at.1.is_finite()) {
            let (px, py) = place(mark.at);
            sheet.symbol(k, px, py);
        }
        sheet.put(format_args!("</svg>"));
        self.legend().draw(sheet, top + height + 58.0)
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
    /// Its ground lines, ticks and names.
    pub fn draw(&self, sheet: &mut Sheet, x: (&Axis, &Scale), y: (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let (right, bottom) = (left + width, top + height);
        self.lying(sheet, x);
        for (tick, label) in y.1.ticks.iter().zip(&y.1.labels) {
            let at = bottom - y.1.share(*tick) * height;
            sheet.line((left, at), (right, at), GROUND);
            sheet.text(left - 7.0, at + 4.0, LETTER, Anchor::End, label, left);
        }
        sheet.upright_text(16.0, top + height / 2.0, &y.0.name(y.1.exponent), height + 40.0);
        sheet.put(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             stroke=\"currentColor\" stroke-opacity=\"0.6\"/>"
        ));
    }

    /// The axis that lies, with its ground lines.
    pub fn lying(&self, sheet: &mut Sheet, (axis, scale): (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let bottom = top + height;
        for (tick, label) in scale.ticks.iter().zip(&scale.labels) {
            let at = left + scale.share(*tick) * width;
            sheet.line((at, top), (at, bottom), GROUND);
            sheet.text(at, bottom + 17.0, LETTER, Anchor::Middle, label, width);
        }
        sheet.text(left + width / 2.0, bottom + 36.0, LETTER, Anchor::Middle, &axis.name(scale.exponent), WIDTH - 20.0);
    }
}

const GROUND: &str = " stroke-opacity=\"0.14\"";

/// What stands before a name in a legend.
pub(super) enum Sample {
    Curve(usize),
    Line,
    Band,
    Bar(usize),
    Outline(usize),
    Body,
    Symbol(usize),
}

/// Names below a picture, in rows: never over what they name.
pub(super) struct Legend(pub Vec<(Sample, String)>);

impl Legend {
    /// From y downward: where it ends.
    pub fn draw(&self, sheet: &mut Sheet, mut y: f64) -> f64 {
        const SAMPLE: f64 = 34.0;
        const GAP: f64 = 16.0;
        let (mut x, wide) = (GAP, sheet.width);
        for (sample, name) in &self.0 {
            let own = SAMPLE + sheet::width(name, LETTER).min(wide - 2.0 * GAP - SAMPLE);
            if x + own > wide - GAP && x > GAP {
                (x, y) = (GAP, y + LINE);
            }
            let (middle, end) = (y - 4.0, x + SAMPLE - 7.0);
            match sample {
                Sample::Curve(k) => {
                    sheet.put(format_args!("<path d=\"M{x:.1} {middle:.1}H{end:.1}\" {}/>", sheet::stroke(*k)));
                }
                Sample::Outline(k) => {
                    sheet.put(format_args!("<path d=\"M{x:.1} {middle:.1}H{end:.1}\" {}/>", super::map::outline(*k)));
                }
                Sample::Body => {
                    sheet.put(format_args!(
                        "<path d=\"M{:.1} {middle:.1}H{:.1}\" {}/>",
                        x + 3.0,
                        end - 3.0,
                        sheet::BODY
                    ));
                }
                Sample::Line => {
                    sheet.line((x, middle), (end, middle), " stroke-dasharray=\"5 4\" stroke-opacity=\"0.75\"");
                }
                Sample::Band | Sample::Bar(_) => {
                    let (fill, opacity) = match sample {
                        Sample::Bar(k) => (sheet::colour(*k), 1.0),
                        _ => ("currentColor", 0.15),
                    };
                    let (top, long) = (middle - 5.0, end - x);
                    sheet.put(format_args!(
                        "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{long:.1}\" height=\"10\" fill=\"{fill}\" \
                         fill-opacity=\"{opacity}\"/>"
                    ));
                }
                Sample::Symbol(k) => sheet.symbol(*k, (x + end) / 2.0, middle),
            }
            sheet.text(x + SAMPLE, y, LETTER, Anchor::Start, name, wide - 2.0 * GAP - SAMPLE);
            x += own + GAP;
        }
        if self.0.is_empty() { y - 6.0 } else { y + 14.0 }
    }
}

/// A path through points, broken where one is not finite.
pub(super) fn path(points: &[(f64, f64)], place: impl Fn((f64, f64)) -> (f64, f64)) -> String {
    let mut d = String::new();
    let mut pen = 'M';
    for (k, &point) in points.iter().enumerate() {
        if !(point.0.is_finite() && point.1.is_finite()) {
            pen = 'M';
            continue;
        }
        // What is far outside is not seen, and would be too long a number.
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

/// Of very many points in the order of x, those that a picture of so many columns shows: the first, last, lowest and
/// highest of each column.
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
    fn names_units_and_limits_are_there_and_the_xml_is_sound() {
        let svg = chart().svg();
        for part in ["time [s]", "torque [N m]", "a&amp;b", "c&lt;d", "limit", "worst", "&quot;elbow&quot; &amp; co"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains("<script") && !svg.contains("href"));
        resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).unwrap();
    }

    #[test]
    fn the_limit_is_within_the_frame() {
        let (_, y) = chart().scales(8, 6);
        assert!(y.low <= -1.0 && y.high >= 1.5, "{y:?}");
    }

    /// An axis that a limit would end goes on, by a tenth at most; its ticks stay.
    #[test]
    fn a_band_never_fills_the_frame() {
        let chart = Chart::new("", Axis::new("", ""), Axis::new("", "%")).curve("", [(0.0, -80.0), (1.0, 97.0)]);
        let (_, y) = chart.band("within effort", -100.0, 100.0).scales(8, 6);
        assert!(y.low < -103.0 && y.low > -125.0 && y.high > 103.0 && y.high < 125.0, "{y:?}");
        assert_eq!((y.labels[0].as_str(), y.labels.last().unwrap().as_str()), ("−100", "100"));
    }

    #[test]
    fn a_gap_breaks_a_curve() {
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
    fn nothing_at_all_is_a_picture_too() {
        let empty = Chart::new("", Axis::new("", ""), Axis::new("", ""));
        assert!(empty.svg().ends_with("</svg>\n"));
        #[cfg(feature = "png")]
        assert!(super::super::png(&empty.curve("one", [(1.0, 1.0)]).svg()).is_ok());
    }
}

//! Charts in a terminal: braille dots for curves and drawings, blocks for bars, shades for maps.

use super::axis::{Axis, Scale};
use super::bars::Bars;
use super::chart::{Curve, Rule};
use super::drawing::LineStyle;
use super::figure::{Figure, event_letter, short};
use super::{Chart, Drawing, Map};
use std::ops::Range;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Rows of a chart, and of one among others.
const ROWS: usize = 16;
pub(super) const PANEL_ROWS: usize = 9;
/// From the smallest to the largest value.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
const SYMBOLS: [char; 4] = ['●', '▲', '■', '◆'];
/// Of each kind of points.
const POINTS: [char; 4] = ['·', '×', '+', '○'];

impl Chart {
    /// The chart as text, `width` columns wide (at least 40). Letters along the curves identify them.
    pub fn terminal(&self, width: usize) -> String {
        let width = width.max(40);
        match &self.bars {
            Some(bars) => bar_chart(&self.figure.title, bars, &self.figure.x, width),
            None => self.line_chart(width, ROWS),
        }
    }

    /// Stacked areas are curves in text.
    pub(super) fn line_chart(&self, width: usize, rows: usize) -> String {
        if let Some(areas) = &self.areas {
            let curves = areas.series.iter().enumerate().map(|(s, (name, _))| {
                let points = areas.x.iter().enumerate().map(|(k, &x)| (x, areas.value(s, k)));
                Curve { name: name.clone(), points: points.collect() }
            });
            let curves = curves.chain(self.curves.iter().cloned()).collect();
            return Chart { areas: None, curves, ..self.clone() }.line_chart(width, rows);
        }
        let (x, y) = self.scales(width / 12, rows / 2 - 1);
        let mut canvas = CharacterCanvas::new(x, y, width, usize::MAX, |_| rows);
        self.rules.iter().for_each(|rule| canvas.rule(rule));
        self.curves.iter().for_each(|curve| canvas.polyline(curve.points.iter()));
        for (points, sign) in self.points.iter().zip(POINTS.into_iter().cycle()) {
            points.points.iter().for_each(|p| canvas.put(p, sign));
        }
        let (many, columns) = (self.curves.len(), canvas.columns);
        for (k, curve) in self.curves.iter().enumerate().filter(|_| many > 1) {
            for round in 0..3 {
                let column = (columns * (round * many + k) + columns / 2) / (3 * many);
                let at = |p: &&(f64, f64)| (canvas.x.fraction(p.0) * columns as f64 - column as f64 - 0.5).abs();
                let near = curve.points.iter().filter(|p| canvas.dot(p).is_some());
                if let Some(p) = near.min_by(|a, b| at(a).total_cmp(&at(b))).filter(|p| at(p) < 2.0) {
                    canvas.put(p, letter(k));
                }
            }
        }
        let events = self.events();
        for event in self.rules.iter().filter(|r| r.is_event()) {
            let k = events.iter().position(|name| *name == event.name).unwrap_or(0);
            canvas.letter_on_top(event.from, event_letter(k));
        }
        let curves = self.curves.iter().enumerate().filter(|(_, c)| many > 1 || !c.name.is_empty());
        let curves = curves.map(|(k, c)| (if many > 1 { letter(k) } else { '⠒' }, c.name.clone()));
        let rules = self.rules.iter().filter(|r| !r.is_event() && !r.name.is_empty());
        let rules = rules.map(|r| (sign(r), r.name.clone()));
        let events = events.iter().enumerate().map(|(k, name)| (event_letter(k), self.event_text(name)));
        let points = self.points.iter().zip(POINTS.into_iter().cycle()).filter(|(p, _)| !p.name.is_empty());
        let points = points.map(|(p, sign)| (sign, p.name.clone()));
        let entries: Vec<(char, String)> = curves.chain(points).chain(rules).chain(events).collect();
        self.figure.text(canvas, entries.iter().map(|(sign, name)| (*sign, name.as_str())), width)
    }
}

impl Map {
    /// The map as text, `width` columns wide (at least 40); darker is larger.
    pub fn terminal(&self, width: usize) -> String {
        let [x, y, value] = self.scales(4);
        let ratio = (y.high - y.low) / (x.high - x.low);
        let to_scale = self.figure.x.unit == self.figure.y.unit;
        let rows = |columns: usize| if to_scale { scaled_rows(columns, ratio) } else { ROWS };
        let mut canvas = CharacterCanvas::new(x, y, width, 100, rows);
        let (rows, columns) = (canvas.rows(), canvas.columns);
        for (k, sign) in canvas.signs.iter_mut().enumerate() {
            let (i, j) = (k % columns * self.columns / columns, (rows - 1 - k / columns) * self.rows() / rows);
            let Some(v) = self.cells.get(j * self.columns + i).filter(|v| v.is_finite()) else { continue };
            let shade = (value.fraction(*v).clamp(0.0, 1.0) * SHADES.len() as f64) as usize;
            *sign = SHADES[shade.min(SHADES.len() - 1)];
        }
        let step = (value.high - value.low) / SHADES.len() as f64;
        let unit = 10f64.powi(value.exponent);
        let from = |k: usize| short((value.low + step * k as f64) / unit);
        let shades: Vec<String> = (0..SHADES.len()).map(|k| format!("{}…{}", from(k), from(k + 1))).collect();
        let shades = legend(SHADES.into_iter().zip(shades.iter().map(String::as_str)), width);
        self.figure.text(canvas, std::iter::empty(), width)
            + &format!("{}:\n{shades}", clean(&self.value.name(value.exponent)))
    }
}

impl Drawing {
    /// The drawing as text, `width` columns wide (at least 40), with letters for its labels.
    pub fn terminal(&self, width: usize) -> String {
        let [x, y] = self.extent();
        let ratio = (y.1 - y.0) / (x.1 - x.0);
        let (x, y) = (self.figure.x.over(x, 4), self.figure.y.over(y, 4));
        let mut canvas = CharacterCanvas::new(x, y, width, 72, |columns| scaled_rows(columns, ratio));
        for shape in &self.shapes {
            let closing = shape.points.first().filter(|_| shape.style == LineStyle::Area);
            canvas.polyline(shape.points.iter().chain(closing));
        }
        self.labels.iter().enumerate().for_each(|(k, label)| canvas.put(&label.at, letter(k)));
        let lines = self.named_shapes().map(|s| ('⠒', s.name.as_str()));
        let labels = self.labels.iter().enumerate().map(|(k, l)| (letter(k), l.name.as_str()));
        self.figure.text(canvas, lines.chain(labels), width)
    }
}

/// Rows of a plane to scale: a character is about twice as tall as it is wide.
fn scaled_rows(columns: usize, ratio: f64) -> usize {
    ((columns as f64 * ratio / 2.0) as usize).clamp(4, 40)
}

impl Figure {
    /// A canvas with marked points, title and axes, and a legend of entries and marked points.
    fn text<'a>(
        &'a self,
        mut canvas: CharacterCanvas,
        entries: impl Iterator<Item = (char, &'a str)>,
        width: usize,
    ) -> String {
        let marks = self.marks.iter().zip(SYMBOLS.into_iter().cycle());
        marks.clone().for_each(|(mark, symbol)| canvas.put(&mark.at, symbol));
        let marks = marks.map(|(mark, symbol)| (symbol, mark.name.as_str()));
        let heading = heading(&self.title, &self.y.name(canvas.y.exponent));
        heading + &canvas.with_axes(&self.x) + &legend(entries.chain(marks), width)
    }
}

/// The character of a limit, an event or a band.
fn sign(rule: &Rule) -> char {
    match (rule.is_line(), rule.across_x) {
        (false, _) => '∙',
        (true, true) => '┊',
        (true, false) => '┄',
    }
}

fn letter(k: usize) -> char {
    (b'a' + (k % 26) as u8) as char
}

/// Text without control characters.
pub(super) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn heading(title: &str, name: &str) -> String {
    [title, name].into_iter().filter(|t| !t.is_empty()).map(|t| clean(t) + "\n").collect()
}

/// The cells, of `count`, that an interval of an axis covers.
fn span(scale: &Scale, low: f64, high: f64, count: usize) -> Range<usize> {
    let at = |v: f64| (scale.fraction(v) * count as f64).clamp(0.0, count as f64 - 1.0) as usize;
    if low.is_nan() || high.is_nan() || low > scale.high || high < scale.low { 0..0 } else { at(low)..at(high) + 1 }
}

/// Legend entries, as many per line as fit.
fn legend<'a>(entries: impl Iterator<Item = (char, &'a str)>, width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for (sign, name) in entries {
        let entry = format!("{sign} {}", clean(name));
        if !line.is_empty() && line.width() + 3 + entry.width() > width {
            text += &(std::mem::take(&mut line) + "\n");
        }
        line += if line.is_empty() { "" } else { "   " };
        line += &entry;
    }
    if line.is_empty() { text } else { text + &line + "\n" }
}

/// Bars of block characters with their values.
fn bar_chart(title: &str, bars: &Bars, axis: &Axis, width: usize) -> String {
    let scale = bars.scale(axis, 4);
    let name = |k: usize| clean(&bars.groups[k]);
    let gutter = (0..bars.groups.len()).map(|k| name(k).width()).max().unwrap_or(0);
    let series = bars.series.iter().map(|s| clean(&s.0)).collect::<Vec<_>>();
    let inner = series.iter().map(|s| s.width()).max().unwrap_or(0);
    let room = width.saturating_sub(gutter + inner + 13).max(10);
    let size = scale.low.abs().max(scale.high.abs());
    let mut text = heading(title, &axis.name(0));
    for g in 0..bars.groups.len() {
        for (s, kind) in series.iter().enumerate() {
            let value = bars.value(s, g);
            let group = if s == 0 { name(g) } else { String::new() };
            let pad = " ".repeat(gutter - group.width());
            let bar = blocks(value.abs() / size * room as f64);
            let after = " ".repeat(inner - kind.width());
            text += format!("{group}{pad}  {kind}{after} {bar} {}", short(value)).trim_end();
            text.push('\n');
        }
    }
    text
}

/// A bar of a length in columns, to an eighth.
fn blocks(length: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (length * 8.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A canvas of characters with two by four dots each, between two axes.
struct CharacterCanvas {
    x: Scale,
    y: Scale,
    columns: usize,
    /// Width of the labels of the y axis.
    gutter: usize,
    dots: Vec<u8>,
    /// Characters in place of dots; space if none.
    signs: Vec<char>,
    /// Background characters.
    background: Vec<char>,
}

impl CharacterCanvas {
    /// A canvas that fits a width with the labels of its axis, of 20 to `widest` columns.
    fn new(x: Scale, y: Scale, width: usize, widest: usize, rows: impl Fn(usize) -> usize) -> Self {
        let gutter = y.labels.iter().map(|l| l.width()).max().unwrap_or(0);
        let columns = width.max(40).saturating_sub(gutter + 2).clamp(20, widest);
        let count = columns * rows(columns);
        let (dots, blank) = (vec![0; count], vec![' '; count]);
        CharacterCanvas { x, y, columns, gutter, dots, signs: blank.clone(), background: blank }
    }

    fn rows(&self) -> usize {
        self.dots.len() / self.columns
    }

    /// The dot of a point, if inside.
    fn dot(&self, point: &(f64, f64)) -> Option<(i64, i64)> {
        let (x, y) = (self.x.fraction(point.0), self.y.fraction(point.1));
        let within = |v: f64| (-1e-9..=1.0 + 1e-9).contains(&v);
        let at = |v: f64, count: usize| ((v * count as f64) as i64).clamp(0, count as i64 - 1);
        (within(x) && within(y)).then(|| (at(x, 2 * self.columns), at(1.0 - y, 4 * self.rows())))
    }

    fn set(&mut self, (x, y): (i64, i64)) {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (x, y) = (x as usize, y as usize);
        self.dots[y / 4 * self.columns + x / 2] |= BITS[x % 2][y % 4];
    }

    /// Lines between neighbouring points, as far as they are inside.
    fn polyline<'a>(&mut self, points: impl Iterator<Item = &'a (f64, f64)>) {
        let mut last = None;
        for here in points.map(|p| self.dot(p)).collect::<Vec<_>>() {
            if let Some(to) = here {
                let from = last.unwrap_or(to);
                let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
                for k in 0..=steps {
                    let at = |a: i64, b: i64| a + ((b - a) as f64 * k as f64 / steps as f64).round() as i64;
                    self.set((at(from.0, to.0), at(from.1, to.1)));
                }
            }
            last = here;
        }
    }

    fn put(&mut self, point: &(f64, f64), sign: char) {
        if let Some((a, b)) = self.dot(point).filter(|_| sign.width() == Some(1)) {
            self.signs[b as usize / 4 * self.columns + a as usize / 2] = sign;
        }
    }

    /// Puts a letter into the column of a value of x, in the first of its rows without one.
    fn letter_on_top(&mut self, x: f64, letter: char) {
        let column = span(&self.x, x, x, self.columns).start;
        if let Some(row) = (0..self.rows()).find(|row| self.signs[row * self.columns + column] == ' ') {
            self.signs[row * self.columns + column] = letter;
        }
    }

    /// Fills the background of a limit, an event or a band.
    fn rule(&mut self, rule: &Rule) {
        let (low, high, rows) = (rule.from.min(rule.to), rule.from.max(rule.to), self.rows());
        let (columns, rows) = if rule.across_x {
            (span(&self.x, low, high, self.columns), 0..rows)
        } else {
            let own = span(&self.y, low, high, rows);
            (0..self.columns, rows - own.end..rows - own.start)
        };
        for row in rows {
            self.background[row * self.columns..][columns.clone()].fill(sign(rule));
        }
    }

    /// The rows with the y axis before them and the x axis below.
    fn with_axes(&self, axis: &Axis) -> String {
        let (x, y, columns, rows) = (&self.x, &self.y, self.columns, self.rows());
        let cell = |k: usize| match (self.signs[k], self.dots[k]) {
            (' ', 0) => self.background[k],
            (' ', dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
            (sign, _) => sign,
        };
        let mut text = String::new();
        for r in 0..rows {
            let here = |t: &f64| rows - 1 - ((y.fraction(*t) * rows as f64) as usize).min(rows - 1) == r;
            let tick = y.ticks.iter().position(here);
            let (label, edge) = tick.map_or(("", '│'), |k| (y.labels[k].as_str(), '┤'));
            let row: String = (r * columns..(r + 1) * columns).map(cell).collect();
            text += format!("{}{label} {edge}{row}", " ".repeat(self.gutter - label.width())).trim_end();
            text.push('\n');
        }
        let (mut edge, mut labels): (Vec<char>, String) = (vec!['─'; columns], String::new());
        for (tick, label) in x.ticks.iter().zip(&x.labels) {
            let at = ((x.fraction(*tick) * columns as f64) as usize).min(columns.saturating_sub(1));
            let start = at.saturating_sub(label.width() / 2).min(columns.saturating_sub(label.width()));
            if labels.is_empty() || start > labels.width() {
                edge[at] = '┬';
                labels += &" ".repeat(start - labels.width());
                labels += label;
            }
        }
        let margin = " ".repeat(self.gutter + 1);
        let name = clean(&axis.name(x.exponent));
        let before = " ".repeat((columns.saturating_sub(name.width())) / 2);
        text += &format!("{margin}└{}\n{margin} {labels}\n", edge.into_iter().collect::<String>());
        text + format!("{margin} {before}{name}").trim_end() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagonal_goes_from_corner_to_corner() {
        let chart = Chart::new("", Axis::new("x", "s"), Axis::new("y", "m")).curve("", [(0.0, 0.0), (1.0, 1.0)]);
        let text = chart.terminal(60);
        let rows: Vec<&str> = text.lines().filter(|l| l.contains(['│', '┤'])).collect();
        assert_eq!(rows.len(), ROWS);
        assert!(rows[0].ends_with('⠁') || rows[0].chars().last().is_some_and(|c| ('⠀'..='⣿').contains(&c)), "{text}");
        let column = |row: &str| row.chars().position(|c| ('⠁'..='⣿').contains(&c)).unwrap();
        assert!(rows.windows(2).all(|r| column(r[0]) > column(r[1])), "{text}");
        assert!(text.contains("x [s]") && text.contains("y [m]"));
        assert!(text.lines().all(|l| l.width() <= 60), "{text}");
    }

    #[test]
    fn curves_limits_and_marks_are_distinct() {
        let line = |a: f64| (0..=50).map(move |k| (k as f64, a * k as f64));
        let chart = Chart::new("two\u{1b}[31m", Axis::new("x", ""), Axis::new("y", ""));
        let chart =
            chart.curve("flat", line(0.2)).curve("steep", line(1.0)).level("limit", 45.0).mark("end", 50.0, 50.0);
        let text = chart.terminal(70);
        for sign in ['a', 'b', '┄', '●'] {
            assert!(text.matches(sign).count() >= 2, "{sign}: {text}");
        }
        assert!(!text.contains('\u{1b}') && text.contains("a flat   b steep   ┄ limit   ● end"), "{text}");
    }

    #[test]
    fn bar_lengths_are_proportional_to_values() {
        let groups = ["joint1".to_string(), "名".to_string()];
        let chart = Chart::bars("fractions", Axis::new("fraction", "%").within(0.0, 100.0), &groups, true);
        let text = chart.series("own", [100.0, 50.0]).series("gravity", [0.0, f64::NAN]).terminal(80);
        let long = |line: &str| line.chars().filter(|c| *c == '█').count();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines.len(), 4);
        assert!(long(lines[0]) > 40 && long(lines[0]).abs_diff(2 * long(lines[2])) <= 1, "{text}");
        assert!(lines[0].starts_with("joint1  own"), "{text}");
        assert!(lines.iter().all(|l| l.width() <= 80), "{text}");
    }

    #[test]
    fn a_map_is_darker_for_larger_values() {
        let axis = |name: &str| Axis::new(name, "m").within(0.0, 1.0);
        let map = Map::new("", axis("x"), axis("y"), Axis::new("load", "kg"), 2, vec![0.0, f64::NAN, 10.0, 0.0]);
        let text = map.terminal(50);
        let rows: Vec<&str> = text.lines().filter(|l| l.contains(['│', '┤'])).collect();
        assert!(rows[0].contains('█') && !rows[0].contains('░') && rows[0].ends_with('·'), "{text}");
        assert!(rows[rows.len() - 1].ends_with('·') && !rows[rows.len() - 1].contains('█'), "{text}");
        assert!(text.contains("load [kg]:\n· 0…2.00"), "{text}");
    }
}

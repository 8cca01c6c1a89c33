//! Charts in a terminal: braille dots for curves and drawings, blocks for bars, shades for maps.

use super::axis::{Axis, Scale};
use super::bars::Bars;
use super::drawing::LineStyle;
use super::{Chart, Drawing, Map};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Rows of a chart.
const ROWS: usize = 16;
/// From the smallest to the largest value.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
const SYMBOLS: [char; 4] = ['●', '▲', '■', '◆'];

impl Chart {
    /// The chart as text, `width` columns wide (at least 40). Letters along the curves identify them.
    pub fn terminal(&self, width: usize) -> String {
        let width = width.max(40);
        match &self.bars {
            Some(bars) => bar_chart(&self.title, bars, &self.x, width),
            None => self.line_chart(width),
        }
    }

    fn line_chart(&self, width: usize) -> String {
        let (x, y) = self.scales(width / 12, 7);
        let gutter = y.labels.iter().map(|l| l.width()).max().unwrap_or(0);
        let columns = width.saturating_sub(gutter + 2).max(20);
        let mut canvas = CharacterCanvas::new(columns, ROWS);
        for rule in &self.rules {
            let (low, high) = (rule.from.min(rule.to), rule.from.max(rule.to));
            let sign = if rule.from == rule.to { if rule.across_x { '┊' } else { '┄' } } else { '∙' };
            if rule.across_x {
                canvas.fill(span(&x, low, high, columns), 0..ROWS, sign);
            } else {
                let rows = span(&y, low, high, ROWS);
                canvas.fill(0..columns, ROWS - rows.end..ROWS - rows.start, sign);
            }
        }
        for curve in &self.curves {
            let dots: Vec<_> = curve.points.iter().map(|p| canvas.dot(x.fraction(p.0), y.fraction(p.1))).collect();
            for pair in dots.windows(2) {
                if let [Some(from), Some(to)] = *pair {
                    canvas.line(from, to);
                }
            }
            dots.iter().flatten().for_each(|d| canvas.set(*d));
        }
        let many = self.curves.len();
        for (k, curve) in self.curves.iter().enumerate().filter(|_| many > 1) {
            for round in 0..3 {
                let column = (columns * (round * many + k) + columns / 2) / (3 * many);
                let at = |p: &&(f64, f64)| (x.fraction(p.0) * columns as f64 - column as f64 - 0.5).abs();
                let near = curve.points.iter().filter(|p| canvas.dot(x.fraction(p.0), y.fraction(p.1)).is_some());
                if let Some(p) = near.min_by(|a, b| at(a).total_cmp(&at(b))).filter(|p| at(p) < 2.0) {
                    canvas.put(x.fraction(p.0), y.fraction(p.1), letter(k));
                }
            }
        }
        for (k, mark) in self.marks.iter().enumerate() {
            canvas.put(x.fraction(mark.at.0), y.fraction(mark.at.1), SYMBOLS[k % SYMBOLS.len()]);
        }
        let mut text = heading(&self.title, &self.y.name(y.exponent));
        text += &with_axes(&canvas.rows(), (&self.x, &x), &y, gutter);
        let curves =
            self.curves.iter().enumerate().filter(|_| many > 1 || self.curves.iter().any(|c| !c.name.is_empty()));
        let curves = curves.map(|(k, c)| (if many > 1 { letter(k) } else { '⠒' }, c.name.as_str()));
        let rules = self.rules.iter().map(|r| {
            let sign = if r.from != r.to {
                '∙'
            } else if r.across_x {
                '┊'
            } else {
                '┄'
            };
            (sign, r.name.as_str())
        });
        let marks = self.marks.iter().enumerate().map(|(k, m)| (SYMBOLS[k % SYMBOLS.len()], m.name.as_str()));
        text + &legend(curves.chain(rules).chain(marks), width)
    }
}

impl Map {
    /// The map as text, `width` columns wide (at least 40); darker is larger.
    pub fn terminal(&self, width: usize) -> String {
        let [x, y, value] = self.scales(4);
        let gutter = y.labels.iter().map(|l| l.width()).max().unwrap_or(0);
        let columns = width.max(40).saturating_sub(gutter + 2).clamp(20, 100);
        // A character is about twice as tall as it is wide.
        let rows = if self.x.unit == self.y.unit {
            let ratio = (y.high - y.low) / (x.high - x.low);
            ((columns as f64 * ratio / 2.0) as usize).clamp(4, 40)
        } else {
            ROWS
        };
        let mut canvas = CharacterCanvas::new(columns, rows);
        for row in 0..rows {
            for column in 0..columns {
                let (i, j) = (column * self.columns / columns, (rows - 1 - row) * self.rows() / rows);
                let Some(v) = self.cells.get(j * self.columns + i).filter(|v| v.is_finite()) else { continue };
                let shade = (value.fraction(*v).clamp(0.0, 1.0) * SHADES.len() as f64) as usize;
                canvas.signs[row * columns + column] = SHADES[shade.min(SHADES.len() - 1)];
            }
        }
        for (k, mark) in self.marks.iter().enumerate() {
            canvas.put(x.fraction(mark.at.0), y.fraction(mark.at.1), SYMBOLS[k % SYMBOLS.len()]);
        }
        let mut text = heading(&self.title, &self.y.name(y.exponent));
        text += &with_axes(&canvas.rows(), (&self.x, &x), &y, gutter);
        let step = (value.high - value.low) / SHADES.len() as f64;
        let unit = 10f64.powi(value.exponent);
        let from = |k: usize| short((value.low + step * k as f64) / unit);
        let shades: Vec<String> = (0..SHADES.len()).map(|k| format!("{}…{}", from(k), from(k + 1))).collect();
        text += &format!("{}:\n", clean(&self.value.name(value.exponent)));
        text += &legend(SHADES.into_iter().zip(shades.iter().map(String::as_str)), width);
        let marks = self.marks.iter().enumerate().map(|(k, m)| (SYMBOLS[k % SYMBOLS.len()], m.name.as_str()));
        text + &legend(marks, width)
    }
}

impl Drawing {
    /// The drawing as text, `width` columns wide (at least 40), with letters for its labels.
    pub fn terminal(&self, width: usize) -> String {
        let [x, y] = self.extent();
        // A character is about twice as tall as it is wide.
        let rows = |columns: usize| (columns as f64 * (y.1 - y.0) / (x.1 - x.0) / 2.0) as usize;
        let scale =
            |axis: &Axis, (low, high): (f64, f64)| axis.clone().within(low, high).fit(std::iter::empty(), 4, false);
        let (x, y) = (scale(&self.x, x), scale(&self.y, y));
        let gutter = y.labels.iter().map(|l| l.width()).max().unwrap_or(0);
        let columns = width.max(40).saturating_sub(gutter + 2).clamp(20, 72);
        let mut canvas = CharacterCanvas::new(columns, rows(columns).clamp(4, 40));
        for shape in &self.shapes {
            let closing = shape.points.first().filter(|_| shape.style == LineStyle::Area);
            let points = shape.points.iter().chain(closing);
            let dots: Vec<_> = points.map(|p| canvas.dot(x.fraction(p.0), y.fraction(p.1))).collect();
            for pair in dots.windows(2) {
                if let [Some(from), Some(to)] = *pair {
                    canvas.line(from, to);
                }
            }
        }
        for (k, label) in self.labels.iter().enumerate() {
            canvas.put(x.fraction(label.at.0), y.fraction(label.at.1), letter(k));
        }
        for (k, mark) in self.marks.iter().enumerate() {
            canvas.put(x.fraction(mark.at.0), y.fraction(mark.at.1), SYMBOLS[k % SYMBOLS.len()]);
        }
        let mut text = heading(&self.title, &self.y.name(y.exponent));
        text += &with_axes(&canvas.rows(), (&self.x, &x), &y, gutter);
        let named = |name: &str| !name.is_empty();
        let lines = self.shapes.iter().map(|s| ('⠒', s.name.as_str())).filter(|l| named(l.1)).collect::<Vec<_>>();
        let lines = lines.iter().enumerate().filter(|(k, l)| !lines[..*k].contains(l)).map(|(_, l)| *l);
        let labels = self.labels.iter().enumerate().map(|(k, l)| (letter(k), l.name.as_str()));
        let marks = self.marks.iter().enumerate().map(|(k, m)| (SYMBOLS[k % SYMBOLS.len()], m.name.as_str()));
        text + &legend(lines.chain(marks).chain(labels), width)
    }
}

/// Three significant digits.
fn short(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { (2 - x.abs().log10().floor() as i32).clamp(0, 6) as usize };
    format!("{x:.digits$}").replace('-', "−")
}

fn letter(k: usize) -> char {
    (b'a' + (k % 26) as u8) as char
}

/// Text without control characters.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn heading(title: &str, name: &str) -> String {
    [title, name].into_iter().filter(|t| !t.is_empty()).map(|t| clean(t) + "\n").collect()
}

/// The cells, of `count`, that an interval of an axis covers.
fn span(scale: &Scale, low: f64, high: f64, count: usize) -> std::ops::Range<usize> {
    let at = |v: f64| (scale.fraction(v) * count as f64).clamp(0.0, count as f64 - 1.0) as usize;
    if low.is_nan() || high.is_nan() || low > scale.high || high < scale.low { 0..0 } else { at(low)..at(high) + 1 }
}

/// Rows with the y axis before them and the x axis below.
fn with_axes(rows: &[String], (axis, x): (&Axis, &Scale), y: &Scale, gutter: usize) -> String {
    let mut text = String::new();
    for (r, row) in rows.iter().enumerate() {
        let here = |t: &f64| rows.len() - 1 - ((y.fraction(*t) * rows.len() as f64) as usize).min(rows.len() - 1) == r;
        let tick = y.ticks.iter().position(here);
        let (label, edge) = tick.map_or(("", '│'), |k| (y.labels[k].as_str(), '┤'));
        text += format!("{}{label} {edge}{row}", " ".repeat(gutter - label.width())).trim_end();
        text.push('\n');
    }
    let columns = rows.first().map_or(0, |r| r.chars().count());
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
    let margin = " ".repeat(gutter + 1);
    let name = clean(&axis.name(x.exponent));
    let before = " ".repeat((columns.saturating_sub(name.width())) / 2);
    text += &format!("{margin}└{}\n{margin} {labels}\n", edge.into_iter().collect::<String>());
    text + format!("{margin} {before}{name}").trim_end() + "\n"
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

/// A canvas of characters with two by four dots each.
struct CharacterCanvas {
    columns: usize,
    dots: Vec<u8>,
    /// Characters in place of dots; space if none.
    signs: Vec<char>,
    /// Background characters.
    background: Vec<char>,
}

impl CharacterCanvas {
    fn new(columns: usize, rows: usize) -> Self {
        let blank = vec![' '; columns * rows];
        CharacterCanvas { columns, dots: vec![0; columns * rows], signs: blank.clone(), background: blank }
    }

    fn height(&self) -> usize {
        self.dots.len() / self.columns
    }

    /// The dot at these fractions of width and height, if inside.
    fn dot(&self, x: f64, y: f64) -> Option<(i64, i64)> {
        let (wide, tall) = (2 * self.columns, 4 * self.height());
        let within = |v: f64| (-1e-9..=1.0 + 1e-9).contains(&v);
        let at = |v: f64, count: usize| ((v * count as f64) as i64).clamp(0, count as i64 - 1);
        (within(x) && within(y)).then(|| (at(x, wide), at(1.0 - y, tall)))
    }

    fn set(&mut self, (x, y): (i64, i64)) {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let (x, y) = (x as usize, y as usize);
        self.dots[y / 4 * self.columns + x / 2] |= BITS[x % 2][y % 4];
    }

    fn line(&mut self, from: (i64, i64), to: (i64, i64)) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for k in 0..=steps {
            let at = |a: i64, b: i64| a + ((b - a) as f64 * k as f64 / steps as f64).round() as i64;
            self.set((at(from.0, to.0), at(from.1, to.1)));
        }
    }

    fn put(&mut self, x: f64, y: f64, sign: char) {
        if let Some((a, b)) = self.dot(x, y).filter(|_| sign.width() == Some(1)) {
            self.signs[b as usize / 4 * self.columns + a as usize / 2] = sign;
        }
    }

    fn fill(&mut self, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>, sign: char) {
        for row in rows {
            self.background[row * self.columns..][columns.clone()].fill(sign);
        }
    }

    fn rows(&self) -> Vec<String> {
        let cell = |k: usize| match (self.signs[k], self.dots[k]) {
            (' ', 0) => self.background[k],
            (' ', dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
            (sign, _) => sign,
        };
        (0..self.height()).map(|r| (r * self.columns..(r + 1) * self.columns).map(cell).collect()).collect()
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

//! The SVG elements of a chart.

use armdyn_core::escape_xml as escaped;
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Width in pixels; the maximum for a map.
pub(super) const WIDTH: f64 = 720.0;
/// Font size of text.
pub(super) const TEXT: f64 = 12.0;
/// Font size of the title.
pub(super) const TITLE: f64 = 15.0;
/// Line spacing.
pub(super) const LINE: f64 = 18.0;

/// The colours of Okabe and Ito, in the order of their contrast on white and black; the text colour last.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor"];
const DASHES: [&str; 5] = ["", "8 3", "2.5 2.5", "9 3 2.5 3", "14 4"];

/// Attributes of a thick grey line.
pub(super) const BODY: &str = "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.45\" stroke-width=\"7\" \
                               stroke-linecap=\"round\" stroke-linejoin=\"round\"";

/// Attributes of a tinted area.
pub(super) const AREA: &str =
    "fill=\"currentColor\" fill-opacity=\"0.1\" stroke=\"currentColor\" stroke-opacity=\"0.6\"";

const EVENT_DASHES: [&str; 4] = ["6 3", "2 3", "10 3 2 3", "1 4"];

/// Attributes of the line of the k-th event.
pub(super) fn event(k: usize) -> String {
    let dash = EVENT_DASHES[k % EVENT_DASHES.len()];
    format!("stroke=\"currentColor\" stroke-dasharray=\"{dash}\" stroke-opacity=\"0.75\"")
}

/// Attributes of an axis (0: x, 1: y, 2: z) of a frame.
pub(super) fn axis(k: usize) -> String {
    let colour = [COLOURS[1], COLOURS[2], COLOURS[0]][k % 3];
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linecap=\"round\"")
}

/// Attributes of a thin line.
pub(super) const THIN: &str = "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.7\" stroke-width=\"1.4\"";

/// Attributes of a thin dashed line.
pub(super) const RULE: &str = "stroke=\"currentColor\" stroke-dasharray=\"5 4\" stroke-opacity=\"0.75\"";

/// The colour of the k-th series.
pub(super) fn colour(k: usize) -> &'static str {
    COLOURS[k % COLOURS.len()]
}

/// Attributes of the k-th curve.
pub(super) fn stroke(k: usize) -> String {
    let dash = DASHES[k % DASHES.len()];
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{dash}", colour(k))
}

/// Upper estimate of the width of a text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    0.62 * size * text.width() as f64
}

/// Text shortened to a width with an ellipsis.
pub(super) fn shortened(text: &str, size: f64, widest: f64) -> String {
    if width(text, size) <= widest {
        return text.to_string();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, size) + width("…", size) > widest {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

/// Horizontal alignment of a text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The SVG elements of a chart.
pub(super) struct Canvas {
    body: String,
    pub width: f64,
}

impl Canvas {
    /// An empty canvas of a width.
    pub fn new(width: f64) -> Self {
        Canvas { body: String::new(), width }
    }

    /// Adds an element.
    pub fn put(&mut self, element: std::fmt::Arguments) {
        let _ = writeln!(self.body, "{element}");
    }

    /// Adds a text with its baseline at (x, y). A text wider than `widest` is shortened and has a tooltip.
    pub fn text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str, widest: f64) {
        self.transformed_text(x, y, size, anchor, text, widest, "");
    }

    fn transformed_text(&mut self, x: f64, y: f64, size: f64, anchor: Anchor, text: &str, widest: f64, extra: &str) {
        let anchor = format!("{anchor:?}").to_lowercase();
        let short = shortened(text, size, widest);
        let whole = if short == text { String::new() } else { format!("<title>{}</title>", escaped(text)) };
        let text = escaped(&short);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\"{extra}>{whole}{text}</text>"
        ));
    }

    /// Adds a vertical text, centred at (x, y).
    pub fn vertical_text(&mut self, x: f64, y: f64, text: &str, widest: f64) {
        let extra = format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"");
        self.transformed_text(x, y, TEXT, Anchor::Middle, text, widest, &extra);
    }

    /// Adds a thin line in the text colour.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), extra: &str) {
        self.put(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"currentColor\"{extra}/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), attributes: &str) {
        self.put(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {attributes}/>"
        ));
    }

    /// Adds the symbol of the k-th marked point.
    pub fn symbol(&mut self, k: usize, x: f64, y: f64) {
        let d = match k % 4 {
            0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - 4.0),
            1 => format!("M{:.1} {:.1}h9l-4.5 -8.5z", x - 4.5, y + 4.0),
            2 => format!("M{:.1} {:.1}h8v8h-8z", x - 4.0, y - 4.0),
            _ => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
        };
        self.put(format_args!("<path d=\"{d}\" fill=\"#111\" stroke=\"#fff\" stroke-width=\"1.2\"/>"));
    }

    /// Adds a dot.
    pub fn dot(&mut self, colour: &str, (x, y): (f64, f64)) {
        self.put(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\" fill-opacity=\"0.65\"/>"
        ));
    }

    /// The elements.
    pub fn into_elements(self) -> String {
        self.body
    }

    /// The SVG: as a separate file with a background, within a page without.
    pub fn finish(self, title: &str, height: f64) -> String {
        let (title, width) = (escaped(title), self.width);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"armdyn\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\" fill=\"currentColor\" \
             font-family=\"'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif\">\n\
             <style>svg.armdyn:root{{color:#1f2328;background:#fff}}\
             @media screen and (prefers-color-scheme:dark){{svg.armdyn:root{{color:#e6edf3;background:#0d1117}}}}</style>\n\
             {}</svg>\n",
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shortened() {
        let short = shortened("a very long name of a joint", 12.0, 100.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 100.0 && short.starts_with("a very"));
        assert_eq!(shortened("short", 12.0, 100.0), "short");
        assert_eq!(shortened("名前", 12.0, 1.0), "…");
    }
}

//! Pictures of results: curves, bars and heat maps, as SVG, as PNG and in a terminal's characters.
//!
//! An SVG stands alone: no script, no file beside it, text that can be selected. Lines and letters have the colour of the
//! text around them, so that a page may be light or dark; alone, it follows the reader's own choice, and prints dark on
//! white. Curves are of the eight colours of Okabe and Ito 2008, heat maps of viridis, which people who see few colours can
//! tell apart too, and curves differ by their dashes as well. Names may hold any character.
//!
//! ```
//! use armdyn_analysis::plot::{Axis, Chart, png};
//! let swing = (0..=90).map(|d| (d as f64, (d as f64).to_radians().sin()));
//! let chart = Chart::new("A pendulum", Axis::new("angle", "°"), Axis::new("torque", "N m")).curve("weight", swing);
//! assert!(chart.svg().contains("torque [N m]"));
//! assert!(chart.terminal(72).contains("torque [N m]"));
//! assert!(png(&chart.svg()).unwrap().starts_with(b"\x89PNG"));
//! ```

mod axis;
mod bars;
mod chart;
mod drawing;
mod map;
mod png;
mod sheet;
mod terminal;

pub use axis::Axis;
pub use chart::Chart;
pub use drawing::{Drawing, Look};
pub use map::Map;
pub use png::png;

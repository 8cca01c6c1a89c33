//! Pictures of results: curves, bars and heat maps, as SVG, as PNG and in a terminal's characters.
//!
//! An SVG stands alone: no script, no file beside it, text that can be selected. Lines and letters have the colour of the
//! text around them, so that a page may be light or dark; alone, it follows the reader's own choice, and prints dark on
//! white. Curves are of the eight colours of Okabe and Ito 2008, heat maps of viridis, which people who see few colours can
//! tell apart too, and curves differ by their dashes as well. Names may hold any character.
//!
//! ```
//! use crate::{Axis, Chart};
//! let swing = (0..=90).map(|d| (d as f64, (d as f64).to_radians().sin()));
//! let chart = Chart::new("A pendulum", Axis::new("angle", "°"), Axis::new("torque", "N m")).curve("weight", swing);
//! assert!(chart.svg().contains("torque [N m]"));
//! assert!(chart.terminal(72).contains("torque [N m]"));
//! ```

mod axis;
mod bars;
mod chart;
mod drawing;
mod map;
#[cfg(feature = "png")]
mod png;
mod sheet;
mod skeleton;
mod terminal;

pub use axis::Axis;
pub use chart::Chart;
pub use drawing::{Drawing, Look};
pub use map::Map;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use skeleton::skeleton;

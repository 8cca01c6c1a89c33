//! Charts of results: curves, bars, heat maps and drawings as SVG, PNG and terminal text.
//!
//! An SVG is self-contained: no scripts, no other files, selectable text. Lines and text have the colour of the surrounding
//! text, so that it fits light and dark pages; a separate file follows the reader's colour scheme. Curves have the colours
//! of Okabe and Ito 2008 and different dashes, heat maps have viridis: both suit colour-blind readers.
//!
//! ```
//! use armdyn_plot::{Axis, Chart};
//! let swing = (0..=90).map(|d| (d as f64, (d as f64).to_radians().sin()));
//! let chart = Chart::new("A pendulum", Axis::new("angle", "°"), Axis::new("torque", "N m")).curve("weight", swing);
//! assert!(chart.svg().contains("torque [N m]"));
//! assert!(chart.terminal(72).contains("torque [N m]"));
//! ```

mod areas;
mod axis;
mod bars;
mod canvas;
mod chart;
mod drawing;
mod figure;
mod map;
mod panels;
#[cfg(feature = "png")]
mod png;
mod skeleton;
mod terminal;

pub use axis::Axis;
pub use chart::Chart;
pub use drawing::{Drawing, LineStyle};
pub use map::{Map, of_neighbours};
pub use panels::Panels;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use skeleton::skeleton;

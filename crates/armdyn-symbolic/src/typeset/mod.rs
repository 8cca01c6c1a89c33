//! Typesetting of equations: Unicode text, LaTeX, HTML with MathML, Markdown.

mod document;
mod html;
mod latex;
mod markdown;
pub(crate) mod math;
mod plain;
mod read;
mod supplements;
mod trace;
mod unicode;
mod verify;

pub use html::{STYLE, html, html_body, html_expression};
pub(crate) use latex::math as latex_math;
pub use latex::{latex, latex_expression};
pub use markdown::markdown;
pub use math::MotionTerms;
pub use plain::{plain_expression, plain_motion, plain_quotient};
pub use read::{ReadError, TextFormat};
pub use supplements::direction_name;
pub use trace::TracePage;
pub(crate) use unicode::math as unicode_math;
pub use unicode::{unicode, unicode_expression};
pub use verify::{Comparison, STATES as VERIFIED_STATES, Verification, VerifyError, verify};

//! Descriptions out: armdyn's own TOML, which can say everything, and URDF, with a list of what it cannot say.

mod toml;
mod urdf;

pub use toml::to_toml;
pub use urdf::to_urdf;

use armdyn_core::Rotation;
use std::fmt;

/// Something that a format cannot say, or says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The link, joint, … it is about: `joint \`elbow\``.
    pub who: String,
    /// What is left out or changed, and what is written instead.
    pub what: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.who, self.what)
    }
}

/// Why a robot cannot be written in a format at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub Vec<Lost>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the robot cannot be written in this format:")?;
        self.0.iter().try_for_each(|reason| write!(f, "\n  - {reason}"))
    }
}

impl std::error::Error for Refused {}

/// Roll, pitch and yaw: the rotation is Rz(yaw)·Ry(pitch)·Rx(roll). Where pitch is a right angle to rounding, yaw is not
/// determined and is zero; roll is what is left once yaw and pitch are undone.
pub fn roll_pitch_yaw(m: &Rotation<f64>) -> [f64; 3] {
    let [[xx, xy, xz], [yx, yy, yz], [zx, ..]] = m.to_rows();
    let level = xx.hypot(yx);
    let (yaw, pitch) = (if level > 1e-15 { yx.atan2(xx) } else { 0.0 }, (-zx).atan2(level));
    let (s, c) = yaw.sin_cos();
    [(s * xz - c * yz).atan2(c * yy - s * xy), pitch, yaw]
}

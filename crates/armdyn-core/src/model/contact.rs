//! Contacts of the base with the ground: wheels and feet.

use crate::spatial::Vec3;
use alloc::format;
use alloc::string::{String, ToString};

/// A contact of the base with the ground: a wheel or a foot.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Contact {
    /// Name, unique among the contacts.
    pub name: String,
    /// Contact point in the base's frame \[m\].
    pub position: [f64; 3],
    /// Kind.
    pub kind: ContactKind,
    /// Rolling direction of a fixed or driven wheel: a unit vector in the base's frame.
    pub rolling_direction: [f64; 3],
    /// Friction, as far as it is known.
    pub friction: ContactFriction,
    /// Vertical stiffness \[N/m\], if known.
    pub stiffness: Option<f64>,
    /// Radius of the wheel \[m\], if known.
    pub radius: Option<f64>,
}

impl Contact {
    /// A contact that rolls along x, without friction coefficients.
    pub fn new(name: &str, kind: ContactKind, position: [f64; 3]) -> Self {
        Contact {
            name: name.to_string(),
            position,
            kind,
            rolling_direction: [1.0, 0.0, 0.0],
            friction: ContactFriction::default(),
            stiffness: None,
            radius: None,
        }
    }

    /// What is wrong with it, if anything.
    pub(super) fn problem(&self) -> Option<String> {
        if self.position.iter().any(|x| !x.is_finite()) {
            return Some("its position is not finite".to_string());
        }
        let length = Vec3::<f64>::lift(self.rolling_direction).norm();
        if self.kind.is_directed() && (length.is_nan() || (length - 1.0).abs() > 1e-9) {
            return Some(format!("its rolling direction must be a unit vector; its length is `{length}`"));
        }
        let ContactFriction { static_friction, sliding_friction, rolling_resistance } = self.friction;
        let coefficients = [static_friction, sliding_friction, rolling_resistance];
        if coefficients.into_iter().flatten().any(|x| x.is_nan() || x < 0.0) {
            return Some("its friction coefficients must not be negative".to_string());
        }
        let sizes = [self.stiffness, self.radius];
        let valid = sizes.into_iter().flatten().all(|x| x > 0.0 && x.is_finite());
        (!valid).then(|| "its stiffness and radius must be positive and finite".to_string())
    }
}

/// Kind of a contact: the directions in which the ground constrains it, and whether it is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// A foot: constrained in every direction.
    Foot,
    /// A swivelling wheel: free in every direction.
    Castor,
    /// A wheel that rolls freely and is constrained sideways.
    Fixed,
    /// A fixed wheel with a motor, which constrains it along its rolling direction too.
    Driven,
    /// A driven wheel that can roll in any direction.
    Omni,
}

impl ContactKind {
    /// All kinds.
    pub const ALL: [ContactKind; 5] =
        [ContactKind::Foot, ContactKind::Castor, ContactKind::Fixed, ContactKind::Driven, ContactKind::Omni];

    /// Whether it has a rolling direction.
    #[must_use]
    pub fn is_directed(self) -> bool {
        matches!(self, ContactKind::Fixed | ContactKind::Driven)
    }

    /// The word for it in robot files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ContactKind::Foot => "foot",
            ContactKind::Castor => "castor",
            ContactKind::Fixed => "fixed",
            ContactKind::Driven => "driven",
            ContactKind::Omni => "omni",
        }
    }
}

/// Coefficients of friction on the ground, each as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFriction {
    /// Static friction.
    pub static_friction: Option<f64>,
    /// Sliding (kinetic) friction.
    pub sliding_friction: Option<f64>,
    /// Rolling resistance: force per newton of load.
    pub rolling_resistance: Option<f64>,
}

//! Events of a simulation.

use serde::Serialize;
use std::fmt;

/// What happens at a degree of freedom or to the robot.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A joint (the motor of a flexible joint) comes to rest and sticks.
    Sticks {
        /// The degree of freedom.
        joint: String,
    },
    /// A joint (the motor of a flexible joint) at rest breaks away.
    Slips {
        /// The degree of freedom.
        joint: String,
    },
    /// A joint hits a stop.
    HitsStop {
        /// The degree of freedom.
        joint: String,
        /// Its velocity before \[rad/s or m/s\].
        velocity: f64,
        /// Unit of the velocity.
        unit: &'static str,
    },
    /// A joint comes to rest at a stop.
    RestsAtStop {
        /// The degree of freedom.
        joint: String,
    },
    /// A joint that rested at a stop leaves it.
    LeavesStop {
        /// The degree of freedom.
        joint: String,
    },
    /// The commanded torque exceeds the effort limit from here on.
    Saturates {
        /// The degree of freedom.
        joint: String,
    },
    /// The commanded torque is within the effort limit again.
    Desaturates {
        /// The degree of freedom.
        joint: String,
    },
    /// A payload is attached.
    PayloadAttached {
        /// Its name.
        payload: String,
    },
    /// A payload is removed.
    PayloadRemoved {
        /// Its name.
        payload: String,
    },
    /// An external wrench starts to act.
    WrenchStarts {
        /// The link it acts on.
        link: String,
    },
    /// An external wrench ends.
    WrenchEnds {
        /// The link it acted on.
        link: String,
    },
    /// A wheel or the base starts, stops or slips, or the robot tips over.
    #[serde(untagged)]
    Base(armdyn_mobile::EventKind),
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventKind::Sticks { joint } => write!(f, "`{joint}` sticks"),
            EventKind::Slips { joint } => write!(f, "`{joint}` starts to move"),
            EventKind::HitsStop { joint, velocity, unit } => {
                write!(f, "`{joint}` hits its stop with {} {unit}", armdyn_core::four_digits(*velocity))
            }
            EventKind::RestsAtStop { joint } => write!(f, "`{joint}` rests at its stop"),
            EventKind::LeavesStop { joint } => write!(f, "`{joint}` leaves its stop"),
            EventKind::Saturates { joint } => write!(f, "`{joint}` reaches its effort limit"),
            EventKind::Desaturates { joint } => write!(f, "`{joint}` is within its effort limit again"),
            EventKind::PayloadAttached { payload } => write!(f, "payload `{payload}` attached"),
            EventKind::PayloadRemoved { payload } => write!(f, "payload `{payload}` removed"),
            EventKind::WrenchStarts { link } => write!(f, "wrench on `{link}` starts"),
            EventKind::WrenchEnds { link } => write!(f, "wrench on `{link}` ends"),
            EventKind::Base(kind) => kind.fmt(f),
        }
    }
}

/// An event and its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// Time \[s\].
    pub t: f64,
    /// What happens.
    #[serde(flatten)]
    pub kind: EventKind,
}

//! Drives of joints: rotor and gear, friction, limits.
//!
//! Dry friction, for a joint that moves (Hess & Soom's form of the Stribeck curve):
//!
//!   τ_f = b q̇ + sign(q̇) [c± + e / (1 + (q̇/v_s)²)]
//!
//! c± is the Coulomb level of the direction of motion, e the excess of static friction over it. At rest friction is any value
//! from −(c₋ + e) to c₊ + e (Lin p. 41, corrected: sgn 0 = 0). A joint at rest that is asked to accelerate breaks away: friction has
//! the static limit of the direction of q̈ ([`Friction::breakaway_torque`]). The recursions take friction at rest as 0;
//! [`Model::add_breakaway_torques`](crate::Model::add_breakaway_torques) completes inverse dynamics, and
//! [`stiction`](crate::stiction()) determines friction at rest in forward dynamics.

use crate::matrix::four_digits;
use crate::scalar::Real;
use core::fmt;
use core::ops::Add;

/// Friction of one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction<T> {
    /// Viscous coefficient b \[N m s/rad or N s/m\].
    pub viscous: T,
    /// Coulomb level for q̇ > 0, ≥ 0 \[N m or N\].
    pub coulomb_forward: T,
    /// Coulomb level for q̇ < 0, ≥ 0 \[N m or N\].
    pub coulomb_backward: T,
    /// Excess of static over Coulomb friction, e ≥ 0 \[N m or N\].
    pub stribeck: T,
    /// Speed at which the Stribeck term has fallen to half, > 0 \[rad/s or m/s\].
    pub stribeck_speed: T,
}

impl<T: Real> Friction<T> {
    /// No friction.
    pub fn none() -> Self {
        Friction {
            viscous: T::zero(),
            coulomb_forward: T::zero(),
            coulomb_backward: T::zero(),
            stribeck: T::zero(),
            stribeck_speed: T::one(),
        }
    }

    /// Another scalar.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Friction<U> {
        Friction {
            viscous: f(self.viscous),
            coulomb_forward: f(self.coulomb_forward),
            coulomb_backward: f(self.coulomb_backward),
            stribeck: f(self.stribeck),
            stribeck_speed: f(self.stribeck_speed),
        }
    }

    /// The torque that the drive must supply against friction.
    #[inline(always)]
    pub fn torque(&self, qd: T) -> T {
        self.viscous_torque(qd) + self.dry_torque(qd)
    }

    /// Viscous term of the torque that the drive must supply.
    #[inline(always)]
    pub fn viscous_torque(&self, qd: T) -> T {
        self.viscous * qd
    }

    /// Dry term (Coulomb and Stribeck) of the torque that the drive must supply.
    #[inline(always)]
    pub fn dry_torque(&self, qd: T) -> T {
        let [_, forward, backward, stribeck] = self.levels(qd);
        forward.mul_add(self.coulomb_forward, backward.mul_add(self.coulomb_backward, stribeck * self.stribeck))
    }

    /// Derivatives of the torque by the viscous coefficient, the Coulomb levels forward and backward, and the Stribeck level.
    #[inline(always)]
    pub fn levels(&self, qd: T) -> [T; 4] {
        let (s, one, half) = (qd.sign(), T::one(), T::lift(0.5));
        let moving = s.sqr();
        // ½ (1 + s) s² is 1 forward, 0 backward and at rest, and within [0, 1] where an interval holds them all.
        let (forward, backward) = (half * (one + s) * moving, -(half * (one - s) * moving));
        [qd, forward, backward, s / self.fall(qd)]
    }

    /// 1 + (q̇/v_s)².
    #[inline(always)]
    fn fall(&self, qd: T) -> T {
        (qd / self.stribeck_speed).sqr() + T::one()
    }

    /// The range of friction at rest, −(c₋ + e) to c₊ + e.
    #[must_use]
    pub fn static_limits(&self) -> [T; 2] {
        [-(self.coulomb_backward + self.stribeck), self.coulomb_forward + self.stribeck]
    }

    /// The static friction that a joint at rest (q̇ = 0) overcomes to accelerate: c₊ + e forward, −(c₋ + e) backward. 0 for a joint
    /// that moves, whose friction is [`torque`](Friction::torque), and for one that is held (q̈ = 0), whose friction has any value
    /// within its [`static_limits`](Friction::static_limits).
    ///
    /// ```
    /// let friction = armdyn_core::Drive::ideal().coulomb(5.0, 3.0).stribeck(1.0, 0.1).friction;
    /// let starts = [2.0, -0.1, 0.0].map(|qdd| friction.breakaway_torque(0.0, qdd));
    /// assert_eq!((starts, friction.breakaway_torque(0.5, 2.0)), ([6.0, -4.0, 0.0], 0.0));
    /// ```
    #[must_use]
    pub fn breakaway_torque(&self, qd: T, qdd: T) -> T {
        let at_rest = T::one() - qd.sign().sqr();
        let ([_, forward, backward, _], [low, high]) = (self.levels(qdd), self.static_limits());
        at_rest * (forward * high - backward * low)
    }

    /// ∂τ_f/∂q̇ away from rest.
    #[inline(always)]
    pub fn slope(&self, qd: T) -> T {
        let (x, fall, two) = (qd / self.stribeck_speed, self.fall(qd), T::lift(2.0));
        self.viscous - two * qd.sign() * self.stribeck * x / (fall.sqr() * self.stribeck_speed)
    }
}

impl Friction<f64> {
    /// Whether there is friction at rest.
    #[must_use]
    pub fn is_dry(&self) -> bool {
        self.static_limits() != [0.0; 2]
    }
}

/// A rotor and its gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotor {
    /// Moment of inertia about its axis \[kg m²\].
    pub inertia: f64,
    /// Gear ratio: rotor revolutions per joint revolution (rad/m for a prismatic joint).
    pub gear: f64,
    /// Its axis in the frame of the link that carries it (the joint's parent), to count its gyroscopic effect as
    /// well; `None` counts its reflected inertia alone, as most tools do. Its mass, and its inertia as a rigid
    /// part, belong to that link.
    pub axis: Option<[f64; 3]>,
}

/// The torques or forces that a drive can produce at its joint, from `lower` to `upper` \[N m or N\].
///
/// A number is the range from its negative to itself: `EffortRange::from(20.0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffortRange {
    /// Minimum, usually negative.
    pub lower: f64,
    /// Maximum.
    pub upper: f64,
}

impl EffortRange {
    /// No limit.
    pub const UNLIMITED: EffortRange = EffortRange { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// Whether both directions have the same limit.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.lower == -self.upper
    }

    /// Whether both directions have a limit.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.lower.is_finite() && self.upper.is_finite()
    }

    /// Whether a torque is within the range.
    #[must_use]
    pub fn contains(&self, torque: f64) -> bool {
        self.lower <= torque && torque <= self.upper
    }

    /// Centre of the range.
    #[must_use]
    pub fn centre(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }

    /// Half the width of the range: the limit, where both directions have the same.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        0.5 * (self.upper - self.lower)
    }

    /// A torque relative to the limit of its direction, without its sign; none without such a limit, infinite if the drive
    /// cannot act in that direction.
    ///
    /// ```
    /// let hoist = armdyn_core::EffortRange { lower: -100.0, upper: 20.0 };
    /// assert_eq!((hoist.utilization(10.0), hoist.utilization(-10.0)), (Some(0.5), Some(0.1)));
    /// ```
    #[must_use]
    pub fn utilization(&self, torque: f64) -> Option<f64> {
        let limit = if torque < 0.0 { -self.lower } else { self.upper };
        match limit {
            f64::INFINITY => None,
            _ if torque == 0.0 => Some(0.0),
            limit => Some(torque.abs() / limit.max(0.0)),
        }
    }

    /// What is left of the range between two limits; the nearest limit if it is outside.
    #[must_use]
    pub fn clamped(&self, to: EffortRange) -> EffortRange {
        let clamp = |x: f64| x.min(to.upper).max(to.lower);
        EffortRange { lower: clamp(self.lower), upper: clamp(self.upper) }
    }

    /// The range times a factor, which reverses it if it is negative.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> EffortRange {
        match factor {
            0.0 => 0.0.into(),
            f if f < 0.0 => EffortRange { lower: self.upper * f, upper: self.lower * f },
            f => EffortRange { lower: self.lower * f, upper: self.upper * f },
        }
    }
}

/// The range of the sum of two efforts.
impl Add for EffortRange {
    type Output = EffortRange;

    fn add(self, other: EffortRange) -> EffortRange {
        EffortRange { lower: self.lower + other.lower, upper: self.upper + other.upper }
    }
}

impl From<f64> for EffortRange {
    fn from(limit: f64) -> Self {
        EffortRange { lower: -limit, upper: limit }
    }
}

impl fmt::Display for EffortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_symmetric() {
            true => write!(f, "{}", four_digits(self.upper)),
            false => write!(f, "{} … {}", four_digits(self.lower), four_digits(self.upper)),
        }
    }
}

/// Limits of a joint and its drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Minimum position \[rad or m\].
    pub lower: f64,
    /// Maximum position \[rad or m\].
    pub upper: f64,
    /// Maximum speed \[rad/s or m/s\].
    pub speed: f64,
    /// Torques or forces that the drive can produce at the joint \[N m or N\].
    pub effort: EffortRange,
    /// Continuous (RMS) rating of the drive, limited by heat \[N m or N\].
    pub continuous: f64,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        speed: f64::INFINITY,
        effort: EffortRange::UNLIMITED,
        continuous: f64::INFINITY,
    };
}

/// Drive of one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Drive {
    /// Rotor and gear.
    pub rotor: Option<Rotor>,
    /// Inertia at the joint's side, added to the reflected rotor's \[kg m² or kg\].
    pub armature: f64,
    /// Friction at the joint's side.
    pub friction: Friction<f64>,
    /// Limits.
    pub limits: Limits,
}

impl Drive {
    /// An ideal drive: no inertia, no friction, no limits.
    pub fn ideal() -> Self {
        Drive { rotor: None, armature: 0.0, friction: Friction::none(), limits: Limits::NONE }
    }

    /// With a geared rotor of `inertia`; only its reflected inertia is modelled.
    pub fn rotor(mut self, inertia: f64, gear: f64) -> Self {
        self.rotor = Some(Rotor { inertia, gear, axis: None });
        self
    }

    /// With a rotor about `axis`, fixed to the joint's parent link, its gyroscopic effect included.
    pub fn gyroscopic_rotor(mut self, inertia: f64, gear: f64, axis: [f64; 3]) -> Self {
        self.rotor = Some(Rotor { inertia, gear, axis: Some(axis) });
        self
    }

    /// With inertia at the joint's side.
    pub fn armature(mut self, inertia: f64) -> Self {
        self.armature = inertia;
        self
    }

    /// With viscous friction.
    pub fn viscous(mut self, b: f64) -> Self {
        self.friction.viscous = b;
        self
    }

    /// With Coulomb friction, forward and backward.
    pub fn coulomb(mut self, forward: f64, backward: f64) -> Self {
        self.friction.coulomb_forward = forward;
        self.friction.coulomb_backward = backward;
        self
    }

    /// With static friction that exceeds Coulomb friction by `excess`, of which half is left at `speed`.
    pub fn stribeck(mut self, excess: f64, speed: f64) -> Self {
        self.friction.stribeck = excess;
        self.friction.stribeck_speed = speed;
        self
    }

    /// With limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

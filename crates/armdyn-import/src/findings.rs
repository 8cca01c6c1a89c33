//! Findings: errors, warnings and notes about a robot file, each with a stable code.

use crate::source::{Place, Sources};
use std::fmt;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Information; nothing is wrong.
    Note,
    /// The model can be evaluated, but probably differs from the intended robot.
    Warning,
    /// The file cannot be read, or its model is not physical.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Category {
    /// Syntax, formats, fields, units.
    Syntax,
    /// Links and joints form a tree.
    Topology,
    /// Masses and inertias are those of rigid bodies.
    Physics,
    /// Friction, limits and rotors.
    Drive,
    /// Referenced files exist.
    Assets,
    /// Content that has no effect on the model.
    Ignored,
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Category::Syntax => "syntax",
            Category::Topology => "topology",
            Category::Physics => "physics",
            Category::Drive => "drive",
            Category::Assets => "assets",
            Category::Ignored => "ignored",
        })
    }
}

/// A kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `A101`.
    pub id: &'static str,
    /// Short description.
    pub title: &'static str,
    /// Severity.
    pub severity: Severity,
    /// Consequence for the computed dynamics.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

impl Code {
    /// Category, given by the hundreds digit of the code.
    pub fn category(&self) -> Category {
        match self.id.as_bytes().get(1) {
            Some(b'1') => Category::Topology,
            Some(b'2') => Category::Physics,
            Some(b'3') => Category::Drive,
            Some(b'4') => Category::Assets,
            Some(b'5') => Category::Ignored,
            _ => Category::Syntax,
        }
    }
}

/// A problem or a note about a robot file.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Kind of finding.
    pub code: &'static Code,
    /// What is wrong, with names and values.
    pub message: String,
    /// Location in the source.
    pub place: Option<Place>,
    /// Suggested fix, if more specific than the code's.
    pub fix: Option<String>,
}

impl Finding {
    /// A finding at a place; without one for [`Place::nowhere`].
    pub fn at(code: &'static Code, place: &Place, message: impl Into<String>) -> Self {
        let place = (*place != Place::nowhere()).then(|| place.clone());
        Finding { code, message: message.into(), place, fix: None }
    }

    /// A finding about the whole file.
    pub fn of_file(code: &'static Code, message: impl Into<String>) -> Self {
        Finding { code, message: message.into(), place: None, fix: None }
    }

    /// Sets a specific fix.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The suggested fix: the specific one, or the code's.
    pub fn suggestion(&self) -> &str {
        self.fix.as_deref().unwrap_or(self.code.fix)
    }

    /// One line: `file:line:column: error[A201]: …`.
    pub fn line(&self, sources: &Sources) -> String {
        let place = self.place.as_ref().map(|p| sources.location(p));
        let file = || sources.files.first().map(|f| f.path.display().to_string()).unwrap_or_default();
        format!("{}: {}[{}]: {}", place.unwrap_or_else(file), self.code.severity, self.code.id, self.message)
    }
}

macro_rules! codes {
    ($($id:ident $severity:ident $title:literal, $why:literal, $fix:literal;)*) => {
        $(#[doc = concat!($title, ".")]
        pub const $id: &Code = &Code {
            id: stringify!($id), title: $title, severity: Severity::$severity, why: $why, fix: $fix,
        };)*

        /// All codes, in order.
        pub const ALL: &[&Code] = &[$($id),*];
    };
}

codes! {
    A001 Error "file cannot be read",
        "there is no robot to compute",
        "check the path; the file must be text and smaller than 64 MiB";
    A002 Error "syntax error",
        "nothing after the error can be trusted",
        "fix the syntax at the location shown";
    A003 Error "unknown file format",
        "the same text means different robots in different formats",
        "name the file .toml, .urdf, .xacro or .xml (MJCF)";
    A004 Error "required value is missing",
        "the value would have to be guessed",
        "add the missing value";
    A005 Error "invalid value",
        "the value would have to be guessed",
        "write a value of the expected type and count";
    A006 Error "unknown unit",
        "a length in the wrong unit scales gravity torques by the ratio, and inertias by the ratio squared",
        "use one of the units listed in the message";
    A007 Error "unsupported format version",
        "fields may have another meaning",
        "set `version = 1`, or use a newer armdyn";
    A008 Error "unknown joint kind",
        "the degrees of freedom would have to be guessed",
        "use one of the kinds listed in the message";
    A009 Error "include or macro cannot be resolved",
        "part of the robot is missing",
        "see the message; `xacro robot.xacro > robot.urdf` expands everything";
    A010 Error "unknown field",
        "a misspelt field would be ignored silently",
        "correct the spelling, or remove the field";
    A011 Error "unsupported feature",
        "part of the robot would be missing",
        "see the message; MuJoCo's `mj_saveLastXML` writes a model without it";
    A101 Error "duplicate link name",
        "joints refer to links by name",
        "rename one of them";
    A102 Error "duplicate joint or contact name",
        "values are assigned by name",
        "rename one of them";
    A103 Error "joint refers to an unknown link",
        "part of the robot is not connected",
        "correct the name, or add the link";
    A104 Error "link is not connected to the root",
        "its mass would be missing from all torques",
        "connect it with a joint, or remove it";
    A105 Error "kinematic loop",
        "armdyn models are trees",
        "open the loop at one joint";
    A106 Error "link is the child of two joints",
        "armdyn models are trees",
        "remove one of the joints";
    A107 Error "several root links",
        "only one link can be the base",
        "connect them with fixed joints";
    A108 Note "mimic joint",
        "it has no coordinate of its own: it moves with the other joint, whose torque includes its own times the multiplier",
        "no action if this is intended";
    A109 Note "robot has no moving joint",
        "there are no torques to compute",
        "add joints that move";
    A110 Warning "constraint is not modelled",
        "armdyn models are trees: constraint forces are missing from all torques",
        "no action if the open tree is intended";
    A111 Warning "mimic joint cannot follow",
        "it is independent: it has a coordinate and a torque of its own",
        "name another joint that exists and has one degree of freedom";
    A112 Note "effort limit of a mimic joint",
        "it adds to the effort limit of the joint that it follows, times the multiplier",
        "no action if the mimic joint has a drive of its own; otherwise remove its effort limit";
    A201 Error "negative mass",
        "gravity and inertia torques of the link change sign",
        "correct the mass";
    A202 Error "value is not finite",
        "every torque that depends on it is NaN",
        "correct the value";
    A203 Error "inertia is not positive definite",
        "the mass matrix may not be positive definite: forward dynamics fails or diverges",
        "correct the tensor; check its signs and the order of its elements";
    A204 Warning "inertia violates the triangle inequality",
        "no rigid body has this inertia; energies and accelerations are wrong",
        "correct the tensor: each principal moment is at most the sum of the other two";
    A205 Warning "centre of mass lies outside the link's geometry",
        "gravity torques are wrong in proportion",
        "check the origin of the inertial frame and its unit";
    A206 Warning "inertia does not fit the link's size",
        "inertia torques are wrong by the square of the ratio",
        "check the unit (kg m²) and the reference point of the tensor";
    A207 Warning "value appears to be in another unit",
        "results that depend on it are wrong by the factor between the units",
        "check the unit: m, kg, kg m², rad, rad/s and N m are expected, not mm, g, kg mm², degrees and N mm";
    A208 Warning "inertia appears to be about the wrong point",
        "m c² is counted twice",
        "write the tensor about the centre of mass (URDF, MJCF), or declare that it is about the origin (TOML)";
    A209 Warning "several links have the same inertia",
        "placeholder values remain: torques are those of another robot",
        "measure or compute the inertia of each link";
    A210 Error "joint moves no inertia",
        "the mass matrix is singular: forward dynamics has no solution",
        "add a mass to its link, or a rotor to its drive";
    A211 Warning "left and right sides differ",
        "torques of one side are wrong",
        "check mass, centre of mass and tensor of the mirrored link";
    A212 Warning "link has inertia but no mass",
        "it resists rotation but has no weight",
        "add a mass, or remove the tensor";
    A213 Warning "moving link has no inertia",
        "its weight is missing from the torques of all joints that carry it",
        "add its inertial, or merge it with a fixed joint";
    A214 Warning "axis is not a unit vector",
        "armdyn normalizes it; other tools may scale the motion instead",
        "write a unit vector";
    A215 Warning "force is not modelled",
        "torques differ by this force",
        "no action if the robot without it is intended";
    A216 Warning "inertia does not fit the link's shape",
        "moments of inertia about different axes are interchanged",
        "check the order of the moments and their axes";
    A217 Warning "inertia of a fixed part is not positive definite",
        "the body that it is fixed to is physical as a whole, and the model is computed with it",
        "correct the tensor; check its signs and the order of its elements";
    A301 Warning "effort limit is zero",
        "a controller that enforces the limit cannot move the joint",
        "set the drive's effort limit";
    A302 Note "joint has no friction",
        "real drives have friction: torques are too low",
        "identify viscous and Coulomb friction";
    A303 Warning "velocity limit is zero",
        "a controller that enforces the limit cannot move the joint",
        "set the drive's velocity limit";
    A304 Error "invalid limits",
        "no motion satisfies them",
        "write lower ≤ upper, and effort and velocity as positive values";
    A305 Note "joint has no limits",
        "ranges and sizing need them",
        "set position, velocity and effort limits";
    A306 Error "negative friction or drive inertia",
        "it would feed energy into the robot",
        "correct the sign";
    A307 Warning "incomplete limits",
        "a missing effort or velocity is unlimited here, a missing position is 0; other readers reject the file, or use zero for all",
        "write lower, upper, velocity and effort";
    A401 Note "package not found",
        "meshes do not affect the dynamics, but their sizes cannot be checked",
        "set ROS_PACKAGE_PATH, or pass --package NAME=DIR";
    A402 Note "referenced file not found",
        "meshes do not affect the dynamics, but their sizes cannot be checked",
        "correct the path";
    A403 Error "mesh that defines a mass cannot be used",
        "mass and inertia of the body follow from its volume",
        "see the message; or add an <inertial> to the body";
    A404 Note "size of a link is unknown",
        "its mass, centre of mass and inertia could only be compared with the joint distances",
        "provide its mesh as STL, OBJ or DAE; set ROS_PACKAGE_PATH, or pass --package NAME=DIR";
    A501 Note "element ignored",
        "it has no effect on the model",
        "no action if it is irrelevant to the dynamics";
    A502 Note "attribute ignored",
        "it has no effect on the model",
        "no action if it is irrelevant to the dynamics";
    A503 Note "fixed joint merged",
        "the link's mass is added to its parent's",
        "no action; the link remains listed and keeps its frame";
    A504 Note "inertia of the root affects no joint",
        "it is used for the base wrench and the centre of mass",
        "no action";
    A505 Note "tool chosen by a site's name",
        "payloads and external forces act at the tool",
        "pass --tool LINK to use another one";
}

/// Looks up a code by its id, ignoring case.
pub fn code(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|c| c.id.eq_ignore_ascii_case(id))
}

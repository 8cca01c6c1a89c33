//! What a reader or the check has to say of a file: findings, each with a stable code.

use crate::source::{Place, Sources};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// The model can be computed with, but is likely not what was meant.
    Warning,
    /// There is no model, or none that any machine could be.
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

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Whether the file can be read as what it claims to be.
    Syntax,
    /// Whether links and joints make a tree.
    Topology,
    /// Whether a body could have these masses and inertias.
    Physics,
    /// Whether the drives make sense.
    Drive,
    /// Whether the files that it names are there.
    Assets,
    /// What was read and not used.
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

/// A kind of finding: its code, and what is always true of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `A101`.
    pub id: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Why it matters: what it does to the torques.
    pub why: &'static str,
    /// What to do about it.
    pub fix: &'static str,
}

impl Code {
    /// What it is about, by its hundreds.
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

/// Something found in a file.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its kind.
    pub code: &'static Code,
    /// What is wrong, with the link's or joint's name and the figures.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
    /// The suggested fix, if it is more particular than the code's.
    pub fix: Option<String>,
}

impl Finding {
    /// A finding at a place.
    pub fn at(code: &'static Code, place: &Place, message: impl Into<String>) -> Self {
        Finding { code, message: message.into(), place: Some(place.clone()), fix: None }
    }

    /// A finding about a file as a whole.
    pub fn of_file(code: &'static Code, message: impl Into<String>) -> Self {
        Finding { code, message: message.into(), place: None, fix: None }
    }

    /// With a particular fix.
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// The fix to suggest.
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
    A001 Error "the file cannot be read",
        "there is nothing to compute with", "check the path, and that it is a text file of less than 64 MiB";
    A002 Error "the text is not well formed",
        "nothing after the fault can be trusted", "mend the syntax at the place shown";
    A003 Error "the format is not known",
        "the same text means different robots in different formats", "name the file .toml, .urdf, .xacro or .xml (MJCF)";
    A004 Error "something that must be there is missing",
        "a value would have to be guessed", "add what is missing";
    A005 Error "a value is not what is asked for",
        "a value would have to be guessed", "give a number (or as many numbers) as asked for";
    A006 Error "the unit is not known",
        "a length in the wrong unit changes gravity torques by its ratio, and inertias by the ratio squared",
        "use one of the units that the message lists";
    A007 Error "the version of the format is not supported",
        "fields may mean something else", "set `version = 1`, or use a newer armdyn";
    A008 Error "the kind of joint is not known",
        "its degrees of freedom would have to be guessed", "use one of the kinds that the message lists";
    A009 Error "an include or macro cannot be resolved",
        "part of the robot is missing", "see the message; `xacro robot.xacro > robot.urdf` expands everything";
    A010 Error "a field is not known here",
        "a misspelt field would be ignored in silence", "correct the spelling, or remove it";
    A011 Error "something is beyond what is read",
        "part of the robot would be missing", "see the message; MuJoCo's `mj_saveLastXML` writes a model without it";
    A101 Error "two links have one name",
        "joints cannot tell them apart", "rename one of them";
    A102 Error "two joints, or two contacts, have one name",
        "values by name cannot tell them apart", "rename one of them";
    A103 Error "a joint names a link that is not there",
        "part of the robot hangs in the air", "correct the name, or add the link";
    A104 Error "a link is not connected to the root",
        "its mass would be missing from every torque", "connect it with a joint, or remove it";
    A105 Error "joints form a loop",
        "armdyn's models are trees", "open the loop at one joint";
    A106 Error "a link hangs on two joints",
        "armdyn's models are trees", "remove one of the joints";
    A107 Error "there are several roots",
        "only one of them can be the base", "connect them with fixed joints";
    A108 Warning "a joint follows another one",
        "it is kept as a joint of its own: give its q, q̇, q̈ as the other's times the multiplier, and add its torque times the \
         multiplier to the other's",
        "nothing, if you mean that";
    A109 Note "nothing moves",
        "there are no torques to compute", "add joints that move";
    A110 Warning "a constraint is not modelled",
        "armdyn's models are trees: the constraint's forces are missing from every torque", "nothing, if you mean the open tree";
    A201 Error "a mass is negative",
        "gravity and inertia torques of the link change sign", "correct the mass";
    A202 Error "a figure is not finite",
        "every torque it enters is NaN", "correct the figure";
    A203 Error "an inertia is not positive definite",
        "the mass matrix may lose definiteness: forward dynamics fails or runs away", "correct the tensor; check its signs and order";
    A204 Warning "an inertia breaks the triangle inequality",
        "no body has it; energy and acceleration are off", "correct the tensor: each principal moment is at most the sum of the others";
    A205 Warning "a centre of mass lies outside the link's geometry",
        "gravity torques are off in proportion", "check the origin of the inertial frame and its unit";
    A206 Warning "an inertia does not fit the link's size",
        "inertia torques are off by the square of the ratio", "check the unit (kg m²) and the point that the tensor is about";
    A207 Warning "a figure looks off by a power of ten",
        "torques are off by that factor", "check the unit: mm for m, g for kg, kg mm² for kg m²";
    A208 Warning "an inertia looks taken about the wrong point",
        "m c² is counted twice", "give the tensor about the centre of mass (URDF, MJCF), or say that it is about the origin (TOML)";
    A209 Warning "several links have one and the same inertia",
        "placeholders were left in: torques are those of another robot", "measure or compute each link's inertia";
    A210 Error "a joint moves no inertia",
        "the mass matrix is singular: forward dynamics has no solution", "give its link a mass, or its drive a rotor";
    A211 Warning "left and right differ",
        "one side's torques are off", "check the mirrored link's mass, centre and tensor";
    A212 Warning "a link has inertia but no mass",
        "it resists turning but has no weight", "give it a mass, or remove the tensor";
    A213 Warning "a moving link has no inertia",
        "its weight is missing from every torque before it", "add its inertial, or merge it with a fixed joint";
    A214 Warning "an axis is not of unit length",
        "it is scaled to unit length here; other tools may scale the motion instead", "write a unit vector";
    A215 Warning "a force is not modelled",
        "torques differ by it", "nothing, if you mean the robot without it";
    A216 Warning "an inertia does not fit the link's shape",
        "turning about one axis is taken as heavy that is light, and the other way round",
        "check the order of the moments and the axes that they are about";
    A301 Warning "a joint can exert no effort",
        "a controller that honours the limit cannot move it", "give the drive's effort limit";
    A302 Note "a joint has no friction",
        "real drives have some: torques come out too low", "identify viscous and Coulomb friction";
    A303 Warning "a joint has no speed",
        "a controller that honours the limit cannot move it", "give the drive's speed limit";
    A304 Error "limits are in disorder",
        "no motion is within them", "put the lower limit below the upper; write effort and speed as amounts";
    A305 Note "a joint has no limits",
        "ranges and sizing need them", "give position, speed and effort limits";
    A306 Error "friction or inertia of a drive is negative",
        "it would feed energy into the robot", "correct the sign";
    A307 Warning "a limit is not complete",
        "a missing effort or speed is taken as unlimited here, a missing position as 0; other readers refuse the file, or take \
         all as zero",
        "give lower, upper, velocity and effort";
    A401 Warning "a package cannot be found",
        "meshes are not part of the dynamics; sizes cannot be checked", "set ROS_PACKAGE_PATH, or give --package NAME=DIR";
    A402 Warning "a file that is named is not there",
        "meshes are not part of the dynamics; sizes cannot be checked", "correct the path";
    A403 Error "a mesh that gives mass cannot be used",
        "the body's mass and inertia are its volume's", "see the message; or give the body an <inertial>";
    A501 Note "an element was not used",
        "what it says has no effect on the model", "nothing, if it has no part in the dynamics";
    A502 Note "an attribute was not used",
        "what it says has no effect on the model", "nothing, if it has no part in the dynamics";
    A503 Note "a fixed joint was merged",
        "its link's mass is counted with the link before it", "nothing; the link stays listed and keeps its frame";
    A504 Note "the root's inertia bears on no joint",
        "it is kept for the base wrench and the centre of mass", "nothing";
}

/// The code with this id.
pub fn code(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|c| c.id.eq_ignore_ascii_case(id))
}

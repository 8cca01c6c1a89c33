//! Robots: loading, names, limits, and variants with a payload or locked joints.

use crate::pointers::{self, Input, Output};
use crate::status::{Failure, Status, c_text, guard, value};
use armdyn_core::{Inertia, JointId, Limits, LinkId, Model, Sym3, Tool, Transform, Vec3, parameters};
use armdyn_import::{Format, LoadError, Loaded, Options, check, find, load_text};
use std::ffi::{CString, c_char};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A robot: links, joints, drives, payloads, gravity. It never changes: any number of threads may use it at the same time.
pub struct Robot(pub(crate) Arc<Inner>);

/// What a robot shares with workspaces.
pub struct Inner {
    pub model: Model<f64>,
    name: CString,
    links: Vec<CString>,
    joints: Vec<CString>,
    dofs: Vec<CString>,
    coordinates: Vec<CString>,
    parameters: Vec<CString>,
    values: Vec<f64>,
    tool: Result<Tool, armdyn_core::Error>,
    findings: Arc<CString>,
}

impl Robot {
    fn new(model: Model<f64>, findings: Arc<CString>) -> Self {
        let all = |names: &[String]| names.iter().map(|name| c_text(name)).collect();
        let parameters = parameters(&model);
        Robot(Arc::new(Inner {
            name: c_text(model.name()),
            links: model.links().iter().map(|l| c_text(&l.name)).collect(),
            joints: model.joints().iter().map(|j| c_text(&j.name)).collect(),
            dofs: all(model.dof_names()),
            coordinates: all(&model.coordinate_names()),
            parameters: parameters.iter().map(|p| c_text(&p.name)).collect(),
            values: parameters.iter().map(|p| p.value).collect(),
            tool: model.tool(),
            model,
            findings,
        }))
    }

    fn loaded(name: &str, loaded: Loaded) -> Result<Self, Failure> {
        let Loaded { description, mut findings, sources } = loaded;
        let Some(description) = description else {
            return Err(LoadError::Invalid { robot: name.to_string(), findings, sources }.into());
        };
        findings.extend(check(&description));
        let model = description.model().map_err(LoadError::Build)?;
        let lines: Vec<String> = findings.iter().map(|f| f.line(&sources)).collect();
        Ok(Robot::new(model, Arc::new(c_text(&lines.join("\n")))))
    }

    fn variant(&self, model: Model<f64>) -> Self {
        Robot::new(model, self.0.findings.clone())
    }
}

/// The link that stands for the robot's tool.
const TOOL: usize = usize::MAX;

impl Inner {
    /// The link of an argument, and the pose of the tool in it if the argument is the tool.
    pub fn link(&self, link: usize) -> Result<(LinkId, Option<Transform<f64>>), Failure> {
        if link == TOOL {
            let tool = self.tool.as_ref().map_err(Clone::clone)?;
            return Ok((tool.link, Some(tool.pose)));
        }
        in_range("link", link, self.links.len()).map(|link| (LinkId::new(link), None))
    }
}

fn in_range(what: &str, index: usize, count: usize) -> Result<usize, Failure> {
    if index < count {
        return Ok(index);
    }
    let message = format!("there is no {what} {index}; the robot has {count}, counted from 0");
    Err(Failure::new(Status::InvalidArgument, message))
}

/// A position in a list of names.
fn position(
    names: &[CString],
    name: &str,
    missing: impl FnOnce(String) -> armdyn_core::Error,
) -> Result<usize, Failure> {
    let found = names.iter().position(|n| n.to_bytes() == name.as_bytes());
    found.ok_or_else(|| missing(name.to_string()).into())
}

/// A name of a list; null if there is none.
fn name_of(robot: *const Robot, what: &'static str, index: usize, names: fn(&Inner) -> &[CString]) -> *const c_char {
    value(std::ptr::null(), || {
        let names = names(&pointers::shared("robot", robot)?.0);
        Ok(names[in_range(what, index, names.len())?].as_ptr())
    })
}

/// A property of a robot.
fn of<T>(robot: *const Robot, otherwise: T, property: impl FnOnce(&Inner) -> T) -> T {
    value(otherwise, || Ok(property(&pointers::shared("robot", robot)?.0)))
}

/// The names of the bundled robots.
fn bundled() -> &'static [CString] {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    NAMES.get_or_init(|| armdyn_import::library::ROBOTS.iter().map(|r| c_text(r.name)).collect())
}

/// Format of a robot's text.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TextFormat(pub i32);

/// URDF (xacro included) or MJCF, as the root element says, otherwise TOML.
pub const ARMDYN_FORMAT_AUTO: TextFormat = TextFormat(0);
/// armdyn's TOML.
pub const ARMDYN_FORMAT_TOML: TextFormat = TextFormat(1);
/// URDF, xacro included: what ROS 2 has in `robot_description`.
pub const ARMDYN_FORMAT_URDF: TextFormat = TextFormat(2);
/// MuJoCo's MJCF.
pub const ARMDYN_FORMAT_MJCF: TextFormat = TextFormat(3);

/// A limit of each degree of freedom.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub i32);

/// Minimum position [rad or m].
pub const ARMDYN_LIMIT_LOWER: Limit = Limit(0);
/// Maximum position [rad or m].
pub const ARMDYN_LIMIT_UPPER: Limit = Limit(1);
/// Maximum speed [rad/s or m/s].
pub const ARMDYN_LIMIT_VELOCITY: Limit = Limit(2);
/// Minimum torque or force of the drive [N m or N], usually negative.
pub const ARMDYN_LIMIT_EFFORT_LOWER: Limit = Limit(3);
/// Maximum torque or force of the drive [N m or N].
pub const ARMDYN_LIMIT_EFFORT_UPPER: Limit = Limit(4);
/// Continuous (RMS) rating of the drive [N m or N].
pub const ARMDYN_LIMIT_CONTINUOUS: Limit = Limit(5);

/// Number of bundled robots.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_bundled_count() -> usize {
    value(0, || Ok(bundled().len()))
}

/// Name of a bundled robot, counted from 0, such as `panda`; null if there is none. Valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_bundled_name(index: usize) -> *const c_char {
    value(std::ptr::null(), || Ok(bundled()[in_range("bundled robot", index, bundled().len())?].as_ptr()))
}

/// Loads a bundled robot by its name, or a file: TOML, URDF, xacro or MJCF.
///
/// A file with errors gives `ARMDYN_STATUS_INVALID_ROBOT`, and the message lists them with file and line; `armdyn_robot_findings` returns
/// warnings and notes of a robot that was loaded. `robot` receives a new robot (null on failure); release it with `armdyn_robot_release`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_load(name_or_path: *const c_char, robot: *mut *mut Robot) -> Status {
    guard(|| {
        pointers::give("robot", robot, || {
            let name = pointers::text("name_or_path", name_or_path)?;
            Robot::loaded(name, find(Path::new(name), &Options::default())?)
        })
    })
}

/// Loads a robot from the text of a file, such as ROS 2's `robot_description`.
///
/// `text` has `length` bytes (UTF-8) and needs no zero at its end. Relative paths in it are relative to the working directory; meshes are
/// read only where they define inertia (MJCF). Errors as in `armdyn_robot_load`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_load_text(
    text: *const c_char,
    length: usize,
    format: TextFormat,
    robot: *mut *mut Robot,
) -> Status {
    guard(|| {
        pointers::give("robot", robot, || {
            let text = pointers::long_text("text", text, length)?;
            let format = match format {
                ARMDYN_FORMAT_AUTO => Format::of_text(text),
                ARMDYN_FORMAT_TOML => Format::Toml,
                ARMDYN_FORMAT_URDF => Format::Urdf,
                ARMDYN_FORMAT_MJCF => Format::Mjcf,
                TextFormat(other) => return Err(unknown("format", other)),
            };
            let loaded = load_text(Path::new("<text>"), text.to_string(), format, &Options::default());
            Robot::loaded("<text>", loaded)
        })
    })
}

/// The error of a constant that the header does not have.
pub fn unknown(what: &str, number: i32) -> Failure {
    Failure::new(Status::InvalidArgument, format!("unknown {what} {number}; use a constant of armdyn.h"))
}

/// Releases a robot; null is ignored. Workspaces and programs that were created from it remain valid; names of it do not.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_release(robot: *mut Robot) {
    value((), || {
        pointers::release(robot);
        Ok(())
    });
}

/// What was found about the robot's file: one line per error, warning and note, each with its place and a code that
/// `armdyn check --explain` describes. Empty if there is nothing; null if `robot` is. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_findings(robot: *const Robot) -> *const c_char {
    of(robot, std::ptr::null(), |r| r.findings.as_ptr())
}

/// The robot with a payload.
///
/// `link`: link that carries it, or `ARMDYN_TOOL`. `mass` [kg]; `centre`: 3 numbers, its centre of mass [m]; `inertia`: 6 numbers, xx, xy,
/// xz, yy, yz, zz, its inertia tensor about its centre of mass [kg m²], or null and 0 for a point mass: both in the frame of the link, or of
/// the tool. `loaded` receives a new robot.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_with_payload(
    robot: *const Robot,
    link: usize,
    mass: f64,
    centre: *const f64,
    centre_length: usize,
    inertia: *const f64,
    inertia_length: usize,
    loaded: *mut *mut Robot,
) -> Status {
    guard(|| {
        pointers::give("loaded", loaded, || {
            let robot = pointers::shared("robot", robot)?;
            let (link, tool) = robot.0.link(link)?;
            let centre = Input { what: "centre", data: centre, length: centre_length, expected: 3 };
            let tensor = if inertia.is_null() && inertia_length == 0 { 0 } else { 6 };
            let inertia = Input { what: "inertia", data: inertia, length: inertia_length, expected: tensor };
            pointers::arrays([centre, inertia], [], |[centre, tensor], []| {
                let centre = Vec3::lift([centre[0], centre[1], centre[2]]);
                let payload = match *tensor {
                    [xx, xy, xz, yy, yz, zz] => Inertia::about_centre(mass, centre, Sym3 { xx, xy, xz, yy, yz, zz }),
                    _ => Inertia::point(mass, centre),
                };
                let pose = tool.unwrap_or_else(Transform::identity);
                Ok(robot.variant(robot.0.model.with_payload("payload", link, payload, pose)?))
            })
        })
    })
}

/// The robot without its payloads. `bare` receives a new robot.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_without_payloads(robot: *const Robot, bare: *mut *mut Robot) -> Status {
    guard(|| {
        pointers::give("bare", bare, || {
            let robot = pointers::shared("robot", robot)?;
            Ok(robot.variant(robot.0.model.without_payloads()))
        })
    })
}

/// The robot with another gravity: 3 numbers, in the axes of the base [m/s²]; (0, 0, -9.81) where a file says nothing else. `other`
/// receives a new robot.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_with_gravity(
    robot: *const Robot,
    gravity: *const f64,
    gravity_length: usize,
    other: *mut *mut Robot,
) -> Status {
    guard(|| {
        pointers::give("other", other, || {
            let robot = pointers::shared("robot", robot)?;
            let gravity = Input { what: "gravity", data: gravity, length: gravity_length, expected: 3 };
            pointers::arrays([gravity], [], |[g], []| {
                if g.iter().any(|x| !x.is_finite()) {
                    let joint = robot.0.model.name().to_string();
                    return Err(armdyn_core::Error::NotFinite { what: "gravity", joint }.into());
                }
                Ok(robot.variant(robot.0.model.with_gravity(Vec3::lift([g[0], g[1], g[2]]))))
            })
        })
    })
}

/// The robot without friction in its joints. `other` receives a new robot.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_without_friction(robot: *const Robot, other: *mut *mut Robot) -> Status {
    guard(|| {
        pointers::give("other", other, || {
            let robot = pointers::shared("robot", robot)?;
            Ok(robot.variant(robot.0.model.without_friction()))
        })
    })
}

/// The robot with some of its joints locked: they become fixed joints, and nq and nv fall.
///
/// `joints`: `count` indices of joints; `q`: nq positions, of which those of the locked joints are used [rad or m]. `locked` receives a new
/// robot.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_with_locked(
    robot: *const Robot,
    joints: *const usize,
    count: usize,
    q: *const f64,
    q_length: usize,
    locked: *mut *mut Robot,
) -> Status {
    guard(|| {
        pointers::give("locked", locked, || {
            let robot = pointers::shared("robot", robot)?;
            let m = &robot.0.model;
            let joints = pointers::slice("joints", joints, count)?;
            let q = Input { what: "q", data: q, length: q_length, expected: m.nq() };
            pointers::arrays([q], [], |[q], []| {
                let at = |&joint: &usize| {
                    let joint = JointId::new(in_range("joint", joint, m.joints().len())?);
                    Ok((joint, q[m.joints()[joint].q.clone()].to_vec()))
                };
                let all = joints.iter().map(at).collect::<Result<Vec<_>, Failure>>()?;
                Ok(robot.variant(m.with_locked(&all)?))
            })
        })
    })
}

/// Number of joint positions (length of q); 0 if `robot` is null. It differs from nv if a joint has a quaternion.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_nq(robot: *const Robot) -> usize {
    of(robot, 0, |r| r.model.nq())
}

/// Number of degrees of freedom (length of qd, qdd and tau); 0 if `robot` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_nv(robot: *const Robot) -> usize {
    of(robot, 0, |r| r.model.nv())
}

/// Number of joints, fixed ones included; 0 if `robot` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_joint_count(robot: *const Robot) -> usize {
    of(robot, 0, |r| r.joints.len())
}

/// Number of links; link 0 is the base. 0 if `robot` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_link_count(robot: *const Robot) -> usize {
    of(robot, 0, |r| r.links.len())
}

/// The robot's name; null if `robot` is. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_name(robot: *const Robot) -> *const c_char {
    of(robot, std::ptr::null(), |r| r.name.as_ptr())
}

/// Name of a joint, counted from 0, fixed ones included; null if there is none. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_joint_name(robot: *const Robot, joint: usize) -> *const c_char {
    name_of(robot, "joint", joint, |r| &r.joints)
}

/// Name of a link, counted from 0; null if there is none. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_link_name(robot: *const Robot, link: usize) -> *const c_char {
    name_of(robot, "link", link, |r| &r.links)
}

/// Name of a degree of freedom, an element of qd, qdd and tau: that of its joint if the joint has no other. Null if there is none. Valid
/// while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_dof_name(robot: *const Robot, dof: usize) -> *const c_char {
    name_of(robot, "degree of freedom", dof, |r| &r.dofs)
}

/// Name of a coordinate, an element of q; null if there is none. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_coordinate_name(robot: *const Robot, coordinate: usize) -> *const c_char {
    name_of(robot, "coordinate", coordinate, |r| &r.coordinates)
}

/// Index of a link.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_link_index(robot: *const Robot, name: *const c_char, link: *mut usize) -> Status {
    guard(|| {
        let (robot, name) = (pointers::shared("robot", robot)?, pointers::text("name", name)?);
        let missing = |name| armdyn_core::Error::NoSuchLink { name };
        pointers::put("link", link, position(&robot.0.links, name, missing)?)
    })
}

/// Index of a joint, fixed ones included.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_joint_index(robot: *const Robot, name: *const c_char, joint: *mut usize) -> Status {
    guard(|| {
        let (robot, name) = (pointers::shared("robot", robot)?, pointers::text("name", name)?);
        let missing = |name| armdyn_core::Error::NoSuchJoint { name };
        pointers::put("joint", joint, position(&robot.0.joints, name, missing)?)
    })
}

/// Positions of a joint in q and in qd, qdd and tau: the index of its first element, and their number; 0 of a fixed joint and of one that
/// follows another.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_joint_range(
    robot: *const Robot,
    joint: usize,
    first_q: *mut usize,
    q_count: *mut usize,
    first_v: *mut usize,
    v_count: *mut usize,
) -> Status {
    guard(|| {
        let robot = pointers::shared("robot", robot)?;
        let info = &robot.0.model.joints()[in_range("joint", joint, robot.0.joints.len())?];
        let places = [("first_q", first_q), ("q_count", q_count), ("first_v", first_v), ("v_count", v_count)];
        places.iter().try_for_each(|(what, place)| pointers::check_place(what, *place))?;
        pointers::put("first_q", first_q, info.q.start)?;
        pointers::put("q_count", q_count, info.q.len())?;
        pointers::put("first_v", first_v, info.v.start)?;
        pointers::put("v_count", v_count, info.v.len())
    })
}

/// Whether a degree of freedom is rotational (rad, N m), not translational (m, N). False if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_is_rotational(robot: *const Robot, dof: usize) -> bool {
    value(false, || {
        let robot = pointers::shared("robot", robot)?;
        Ok(robot.0.model.is_rotational(in_range("degree of freedom", dof, robot.0.dofs.len())?))
    })
}

/// A limit of each degree of freedom: nv numbers, infinite where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_limits(
    robot: *const Robot,
    limit: Limit,
    limits: *mut f64,
    limits_length: usize,
) -> Status {
    guard(|| {
        let robot = pointers::shared("robot", robot)?;
        let of = match limit {
            ARMDYN_LIMIT_LOWER => |l: &Limits| l.lower,
            ARMDYN_LIMIT_UPPER => |l: &Limits| l.upper,
            ARMDYN_LIMIT_VELOCITY => |l: &Limits| l.speed,
            ARMDYN_LIMIT_EFFORT_LOWER => |l: &Limits| l.effort.lower,
            ARMDYN_LIMIT_EFFORT_UPPER => |l: &Limits| l.effort.upper,
            ARMDYN_LIMIT_CONTINUOUS => |l: &Limits| l.continuous,
            Limit(other) => return Err(unknown("limit", other)),
        };
        let all = robot.0.model.limits();
        let limits = Output { what: "limits", data: limits, length: limits_length, expected: all.len() };
        pointers::arrays([], [limits], |[], [limits]| {
            limits.iter_mut().zip(all).for_each(|(value, limits)| *value = of(limits));
            Ok(())
        })
    })
}

/// Mass of all links, rotors and payloads [kg], the base included; 0 if `robot` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_mass(robot: *const Robot) -> f64 {
    of(robot, 0.0, |r| r.model.total_mass())
}

/// Number of inertial and friction parameters: columns of the regressor (`ARMDYN_QUANTITY_REGRESSOR`). 0 if `robot` is null.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_parameter_count(robot: *const Robot) -> usize {
    of(robot, 0, |r| r.parameters.len())
}

/// Name of a parameter, such as `panda_link4.m`; null if there is none. Valid while the robot is.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_parameter_name(robot: *const Robot, parameter: usize) -> *const c_char {
    name_of(robot, "parameter", parameter, |r| &r.parameters)
}

/// Values of the parameters p, of which torques are the regressor times p: `armdyn_robot_parameter_count` numbers, in SI units. Of a link
/// the mass, the first moments, and the tensor about the origin of its frame.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_parameters(robot: *const Robot, values: *mut f64, values_length: usize) -> Status {
    guard(|| {
        let all = &pointers::shared("robot", robot)?.0.values;
        let values = Output { what: "values", data: values, length: values_length, expected: all.len() };
        pointers::arrays([], [values], |[], [values]| {
            values.copy_from_slice(all);
            Ok(())
        })
    })
}

/// Gravity: 3 numbers [m/s²], in the axes of the base.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_gravity(robot: *const Robot, gravity: *mut f64, gravity_length: usize) -> Status {
    guard(|| {
        let robot = pointers::shared("robot", robot)?;
        let gravity = Output { what: "gravity", data: gravity, length: gravity_length, expected: 3 };
        pointers::arrays([], [gravity], |[], [gravity]| {
            gravity.copy_from_slice(&robot.0.model.gravity().to_array());
            Ok(())
        })
    })
}

/// The robot's tool: its link, and its pose in the link's frame (4 × 4, row-major, [m]). `ARMDYN_STATUS_NOT_FOUND` if it is not known.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_tool(
    robot: *const Robot,
    link: *mut usize,
    pose: *mut f64,
    pose_length: usize,
) -> Status {
    guard(|| {
        let robot = pointers::shared("robot", robot)?;
        let tool = robot.0.tool.as_ref().map_err(Clone::clone)?;
        pointers::check_place("link", link)?;
        let pose = Output { what: "pose", data: pose, length: pose_length, expected: 16 };
        pointers::arrays([], [pose], |[], [pose]| {
            write_pose(&tool.pose, pose);
            pointers::put("link", link, tool.link.index())
        })
    })
}

/// Writes a pose as a homogeneous matrix, row-major.
pub fn write_pose(pose: &Transform<f64>, out: &mut [f64]) {
    let (rows, p) = (pose.rotation.to_rows(), pose.translation.to_array());
    for (k, row) in out.chunks_exact_mut(4).enumerate() {
        match rows.get(k) {
            Some(rotation) => row.copy_from_slice(&[rotation[0], rotation[1], rotation[2], p[k]]),
            None => row.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]),
        }
    }
}

/// The configuration in which every joint is at its placement: zeros, and unit quaternions. `q`: nq numbers.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_neutral(robot: *const Robot, q: *mut f64, q_length: usize) -> Status {
    guard(|| {
        let m = &pointers::shared("robot", robot)?.0.model;
        let q = Output { what: "q", data: q, length: q_length, expected: m.nq() };
        pointers::arrays([], [q], |[], [q]| Ok(m.neutral(q)?))
    })
}

/// The configuration `next` (nq) that is reached from `q` (nq) with the velocity `v` (nv), constant in the axes of each link, in a unit of
/// time: q + v, except for quaternions. To move by a time step, multiply the velocities by it.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_integrate(
    robot: *const Robot,
    q: *const f64,
    q_length: usize,
    v: *const f64,
    v_length: usize,
    next: *mut f64,
    next_length: usize,
) -> Status {
    guard(|| {
        let m = &pointers::shared("robot", robot)?.0.model;
        let q = Input { what: "q", data: q, length: q_length, expected: m.nq() };
        let v = Input { what: "v", data: v, length: v_length, expected: m.nv() };
        let next = Output { what: "next", data: next, length: next_length, expected: m.nq() };
        pointers::arrays([q, v], [next], |[q, v], [next]| Ok(m.integrate(q, v, next)?))
    })
}

/// The velocity `v` (nv) that leads from the configuration `from` (nq) to `to` (nq) in a unit of time: to - from, except for quaternions.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_robot_difference(
    robot: *const Robot,
    from: *const f64,
    from_length: usize,
    to: *const f64,
    to_length: usize,
    v: *mut f64,
    v_length: usize,
) -> Status {
    guard(|| {
        let m = &pointers::shared("robot", robot)?.0.model;
        let from = Input { what: "from", data: from, length: from_length, expected: m.nq() };
        let to = Input { what: "to", data: to, length: to_length, expected: m.nq() };
        let v = Output { what: "v", data: v, length: v_length, expected: m.nv() };
        pointers::arrays([from, to], [v], |[from, to], [v]| Ok(m.difference(from, to, v)?))
    })
}

//! Workspaces, and the recursions over a model: one state per call, nothing is allocated.

use crate::pointers::{self, Input, Output};
use crate::robot::{Inner, Robot, unknown, write_pose};
use crate::status::{Failure, Status, guard, value};
use armdyn_core::{
    AbaData, Boundary, CoriolisData, CrbaData, DerivativesData, Error, Force, FrameMotionData, JacobianFrame,
    KinematicsData, LinkId, MinverseData, Model, Motion, RneaData, Transform, Vec3, WrenchFrame, aba, aba_derivatives,
    coriolis, crba, frame_motions, kinematics, minverse, rnea, rnea_derivatives,
};
use std::sync::Arc;

/// Memory for the computations of a robot, so that calls allocate nothing. One thread at a time may use it; create one for each thread.
pub struct Data {
    robot: Arc<Inner>,
    without_friction: Model<f64>,
    inverse: RneaData<f64>,
    /// Without external wrenches: gravity and bias torques.
    bias: RneaData<f64>,
    forward: Box<AbaData<f64>>,
    mass: CrbaData<f64>,
    inverse_mass: MinverseData<f64>,
    coriolis: CoriolisData<f64>,
    derivatives: Box<DerivativesData<f64>>,
    kinematics: KinematicsData<f64>,
    /// Whether `kinematics` is that of a configuration.
    has_configuration: bool,
    motion: FrameMotionData<f64>,
    columns: Vec<Motion<f64>>,
    zero: Vec<f64>,
    /// Of `armdyn_joint_wrenches`, where they are not asked for.
    torques: Vec<f64>,
}

impl Data {
    fn new(robot: Arc<Inner>) -> Self {
        let m = &robot.model;
        Data {
            without_friction: m.without_friction(),
            inverse: RneaData::new(m),
            bias: RneaData::new(m),
            forward: Box::new(AbaData::new(m)),
            mass: CrbaData::new(m),
            inverse_mass: MinverseData::new(m),
            coriolis: CoriolisData::new(m),
            derivatives: Box::new(DerivativesData::new(m)),
            kinematics: KinematicsData::new(m),
            has_configuration: false,
            motion: FrameMotionData::new(m),
            columns: vec![Motion::zero(); m.nv()],
            zero: vec![0.0; m.nv()],
            torques: vec![0.0; m.nv()],
            robot,
        }
    }

    /// The conditions that external wrenches are part of.
    fn boundaries(&mut self) -> [&mut Boundary<f64>; 3] {
        [&mut self.inverse.boundary, &mut self.forward.boundary, &mut self.derivatives.boundary]
    }
}

/// Axes and reference point of a Jacobian or a wrench.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Frame(pub i32);

/// Axes and origin of the link, or of the tool.
pub const ARMDYN_FRAME_LOCAL: Frame = Frame(0);
/// Axes of the base; the point that is at the base's origin.
pub const ARMDYN_FRAME_WORLD: Frame = Frame(1);
/// Axes of the base; origin of the link, or of the tool.
pub const ARMDYN_FRAME_LOCAL_WORLD_ALIGNED: Frame = Frame(2);
/// Axes and origin of the link that the joint starts from. Wrenches only.
pub const ARMDYN_FRAME_PARENT: Frame = Frame(3);

/// Joint positions, of one state.
fn positions(m: &Model<f64>, data: *const f64, length: usize) -> Input<f64> {
    Input { what: "q", data, length, expected: m.nq() }
}

/// A vector of one number per degree of freedom.
fn rates(m: &Model<f64>, what: &'static str, data: *const f64, length: usize) -> Input<f64> {
    Input { what, data, length, expected: m.nv() }
}

/// A result.
fn result(what: &'static str, data: *mut f64, length: usize, expected: usize) -> Output<f64> {
    Output { what, data, length, expected }
}

/// `Err` if an input is not finite. A number that is not finite may cancel: a position about a vertical axis does not change gravity
/// torques.
#[inline]
fn check_finite<const N: usize>(m: &Model<f64>, inputs: [(&'static str, &[f64]); N]) -> Result<(), Failure> {
    let finite = inputs.iter().all(|(_, values)| values.iter().fold(true, |all, x| all & x.is_finite()));
    if finite { Ok(()) } else { Err(not_finite(m, &inputs)) }
}

#[cold]
fn not_finite(m: &Model<f64>, inputs: &[(&'static str, &[f64])]) -> Failure {
    let first = inputs.iter().find_map(|(what, values)| {
        let k = values.iter().position(|x| !x.is_finite())?;
        let names = if *what == "q" { m.coordinate_names() } else { m.dof_names().to_vec() };
        let joint = names.get(k).cloned().unwrap_or_else(|| m.name().to_string());
        Some(Error::NotFinite { what, joint })
    });
    match first {
        Some(error) => error.into(),
        None => Failure::new(Status::Internal, "all inputs are finite"),
    }
}

/// The pose of a point of a link, or of the tool, in the link.
fn placement(link: &(LinkId, Option<Transform<f64>>), point: &[f64]) -> Option<Transform<f64>> {
    let [x, y, z] = *point else { return link.1 };
    let at = Transform::from_translation(Vec3::lift([x, y, z]));
    Some(link.1.map_or(at, |tool| tool.compose(&at)))
}

/// A point, or none.
fn point_of(data: *const f64, length: usize) -> Input<f64> {
    let expected = if data.is_null() && length == 0 { 0 } else { 3 };
    Input { what: "point", data, length, expected }
}

/// Force and moment, or linear and angular velocity.
fn write_pair(linear: Vec3<f64>, angular: Vec3<f64>, out: &mut [f64]) {
    out[..3].copy_from_slice(&linear.to_array());
    out[3..].copy_from_slice(&angular.to_array());
}

/// Creates the memory for computations of a robot. It keeps what it needs of the robot, which may be released before it. `data` receives
/// it (null on failure); release it with `armdyn_data_release`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_data_create(robot: *const Robot, data: *mut *mut Data) -> Status {
    guard(|| pointers::give("data", data, || Ok(Data::new(pointers::shared("robot", robot)?.0.clone()))))
}

/// Releases the memory; null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_data_release(data: *mut Data) {
    value((), || {
        pointers::release(data);
        Ok(())
    });
}

/// Adds an external wrench, exerted by the environment on a link in the calls of `armdyn_rnea`, `armdyn_aba`, `armdyn_joint_wrenches` and
/// the derivatives that follow, until `armdyn_data_clear_wrenches`. Gravity and bias torques are without it.
///
/// `link`: index of a link, or `ARMDYN_TOOL`. `force`: 3 numbers [N], acting at the origin of the link's (tool's) frame; `moment`: 3 numbers
/// [N m]; both in its axes.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_data_add_wrench(
    data: *mut Data,
    link: usize,
    force: *const f64,
    force_length: usize,
    moment: *const f64,
    moment_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let force = Input { what: "force", data: force, length: force_length, expected: 3 };
        let moment = Input { what: "moment", data: moment, length: moment_length, expected: 3 };
        pointers::arrays([force, moment], [], |[force, moment], []| {
            let robot = d.robot.clone();
            check_finite(&robot.model, [("force", force), ("moment", moment)])?;
            let (link, tool) = robot.link(link)?;
            let vector = |x: &[f64]| Vec3::lift([x[0], x[1], x[2]]);
            let wrench = Force::new(vector(moment), vector(force));
            let wrench = tool.map_or(wrench, |pose| pose.force(wrench));
            for boundary in d.boundaries() {
                boundary.add_external_wrench(&robot.model, link, wrench)?;
            }
            Ok(())
        })
    })
}

/// Removes all external wrenches.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_data_clear_wrenches(data: *mut Data) -> Status {
    guard(|| {
        pointers::exclusive("data", data)?.boundaries().into_iter().for_each(Boundary::clear_wrenches);
        Ok(())
    })
}

/// Inverse dynamics (recursive Newton-Euler): the joint torques `tau` (nv) [N m or N] of the motion `q` (nq) [rad or m], `qd` (nv) [rad/s
/// or m/s], `qdd` (nv) [rad/s² or m/s²], with rotors and friction. Friction at rest (qd = 0) is 0.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_rnea(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    qdd: *const f64,
    qdd_length: usize,
    tau: *mut f64,
    tau_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length), rates(m, "qdd", qdd, qdd_length)];
        pointers::arrays(inputs, [result("tau", tau, tau_length, m.nv())], |[q, qd, qdd], [tau]| {
            check_finite(m, [("q", q), ("qd", qd), ("qdd", qdd)])?;
            Ok(rnea(m, &mut d.inverse, q, qd, qdd, tau)?)
        })
    })
}

/// Forward dynamics (articulated bodies): the accelerations `qdd` (nv) [rad/s² or m/s²] of the torques `tau` (nv) [N m or N] at `q` (nq),
/// `qd` (nv). Friction at rest (qd = 0) is 0.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_aba(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    tau: *const f64,
    tau_length: usize,
    qdd: *mut f64,
    qdd_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length), rates(m, "tau", tau, tau_length)];
        pointers::arrays(inputs, [result("qdd", qdd, qdd_length, m.nv())], |[q, qd, tau], [qdd]| {
            check_finite(m, [("q", q), ("qd", qd), ("tau", tau)])?;
            Ok(aba(m, &mut d.forward, q, qd, tau, qdd)?)
        })
    })
}

/// Mass matrix (composite rigid bodies): `mass` (nv × nv, symmetric) [kg m², kg m or kg] at `q` (nq), with the inertia of rotors.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_crba(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    mass: *mut f64,
    mass_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let mass = result("mass", mass, mass_length, m.nv() * m.nv());
        pointers::arrays([positions(m, q, q_length)], [mass], |[q], [mass]| {
            check_finite(m, [("q", q)])?;
            Ok(crba(m, &mut d.mass, q, mass)?)
        })
    })
}

/// Inverse of the mass matrix: `inverse` (nv × nv, symmetric) at `q` (nq).
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_minverse(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    inverse: *mut f64,
    inverse_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let inverse = result("inverse", inverse, inverse_length, m.nv() * m.nv());
        pointers::arrays([positions(m, q, q_length)], [inverse], |[q], [inverse]| {
            check_finite(m, [("q", q)])?;
            Ok(minverse(m, &mut d.inverse_mass, q, inverse)?)
        })
    })
}

/// Coriolis matrix C of Christoffel symbols: `matrix` (nv × nv, row-major) at `q` (nq), `qd` (nv). C qd are the velocity torques.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_coriolis(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    matrix: *mut f64,
    matrix_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.without_friction;
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length)];
        let matrix = result("matrix", matrix, matrix_length, m.nv() * m.nv());
        pointers::arrays(inputs, [matrix], |[q, qd], [matrix]| {
            check_finite(m, [("q", q), ("qd", qd)])?;
            Ok(coriolis(m, &mut d.coriolis, q, qd, matrix)?)
        })
    })
}

/// Gravity torques: `tau` (nv) [N m or N] that hold the robot still at `q` (nq).
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_gravity(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    tau: *mut f64,
    tau_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.without_friction;
        let tau = result("tau", tau, tau_length, m.nv());
        pointers::arrays([positions(m, q, q_length)], [tau], |[q], [tau]| {
            check_finite(m, [("q", q)])?;
            Ok(rnea(m, &mut d.bias, q, &d.zero, &d.zero, tau)?)
        })
    })
}

/// Bias torques: `tau` (nv) [N m or N], gravity, Coriolis and centrifugal torques at `q` (nq), `qd` (nv), without friction.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_bias(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    tau: *mut f64,
    tau_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.without_friction;
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length)];
        pointers::arrays(inputs, [result("tau", tau, tau_length, m.nv())], |[q, qd], [tau]| {
            check_finite(m, [("q", q), ("qd", qd)])?;
            Ok(rnea(m, &mut d.bias, q, qd, &d.zero, tau)?)
        })
    })
}

/// Derivatives of inverse dynamics at `q` (nq), `qd` (nv), `qdd` (nv): `dtau_dq` and `dtau_dqd`, each nv × nv, row-major: element (i, j) is
/// the derivative of torque i by coordinate j. The derivative by qdd is the mass matrix. For a quaternion, the derivative is by a small
/// rotation in the axes of the link.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_rnea_derivatives(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    qdd: *const f64,
    qdd_length: usize,
    dtau_dq: *mut f64,
    dtau_dq_length: usize,
    dtau_dqd: *mut f64,
    dtau_dqd_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let square = m.nv() * m.nv();
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length), rates(m, "qdd", qdd, qdd_length)];
        let outputs =
            [result("dtau_dq", dtau_dq, dtau_dq_length, square), result("dtau_dqd", dtau_dqd, dtau_dqd_length, square)];
        pointers::arrays(inputs, outputs, |[q, qd, qdd], [by_q, by_qd]| {
            check_finite(m, [("q", q), ("qd", qd), ("qdd", qdd)])?;
            Ok(rnea_derivatives(m, &mut d.derivatives, q, qd, qdd, by_q, by_qd)?)
        })
    })
}

/// Derivatives of forward dynamics at `q` (nq), `qd` (nv), `tau` (nv): `dqdd_dq`, `dqdd_dqd` and `dqdd_dtau` (the inverse mass matrix), each
/// nv × nv, row-major.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_aba_derivatives(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    tau: *const f64,
    tau_length: usize,
    dqdd_dq: *mut f64,
    dqdd_dq_length: usize,
    dqdd_dqd: *mut f64,
    dqdd_dqd_length: usize,
    dqdd_dtau: *mut f64,
    dqdd_dtau_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let square = m.nv() * m.nv();
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length), rates(m, "tau", tau, tau_length)];
        let outputs = [
            result("dqdd_dq", dqdd_dq, dqdd_dq_length, square),
            result("dqdd_dqd", dqdd_dqd, dqdd_dqd_length, square),
            result("dqdd_dtau", dqdd_dtau, dqdd_dtau_length, square),
        ];
        pointers::arrays(inputs, outputs, |[q, qd, tau], [by_q, by_qd, by_tau]| {
            check_finite(m, [("q", q), ("qd", qd), ("tau", tau)])?;
            Ok(aba_derivatives(m, &mut d.derivatives, q, qd, tau, by_q, by_qd, by_tau)?)
        })
    })
}

/// The wrench that each joint transmits to its child link in the motion `q` (nq), `qd` (nv), `qdd` (nv): drive and constraint. `wrenches`
/// (joints × 6, row-major, fixed joints included): force [N], then moment [N m], in the axes and about the point of `frame`.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_joint_wrenches(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    qdd: *const f64,
    qdd_length: usize,
    frame: Frame,
    wrenches: *mut f64,
    wrenches_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let frame = match frame {
            ARMDYN_FRAME_LOCAL => WrenchFrame::Local,
            ARMDYN_FRAME_WORLD => WrenchFrame::World,
            ARMDYN_FRAME_LOCAL_WORLD_ALIGNED => WrenchFrame::LocalWorldAligned,
            ARMDYN_FRAME_PARENT => WrenchFrame::Parent,
            Frame(other) => return Err(unknown("frame", other)),
        };
        let inputs = [positions(m, q, q_length), rates(m, "qd", qd, qd_length), rates(m, "qdd", qdd, qdd_length)];
        let wrenches = result("wrenches", wrenches, wrenches_length, 6 * m.joints().len());
        pointers::arrays(inputs, [wrenches], |[q, qd, qdd], [wrenches]| {
            check_finite(m, [("q", q), ("qd", qd), ("qdd", qdd)])?;
            rnea(m, &mut d.inverse, q, qd, qdd, &mut d.torques)?;
            for (joint, out) in m.joint_ids().zip(wrenches.chunks_exact_mut(6)) {
                let total = d.inverse.wrench(m, joint, frame)?.total;
                write_pair(total.force, total.moment, out);
            }
            Ok(())
        })
    })
}

/// Forward kinematics: poses and screws of all links at `q` (nq), which `armdyn_pose` and `armdyn_jacobian` read.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_kinematics(data: *mut Data, q: *const f64, q_length: usize) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        pointers::arrays([positions(m, q, q_length)], [], |[q], []| {
            d.has_configuration = false;
            check_finite(m, [("q", q)])?;
            kinematics(m, &mut d.kinematics, q)?;
            d.has_configuration = true;
            Ok(())
        })
    })
}

/// `Err` unless there are poses.
fn check_configuration(d: &Data) -> Result<(), Failure> {
    if d.has_configuration {
        return Ok(());
    }
    let message = "the configuration is not known; call `armdyn_kinematics` first, which must succeed";
    Err(Failure::new(Status::InvalidArgument, message))
}

/// Pose of a link in the base at the configuration of the last `armdyn_kinematics`: `pose` (4 × 4, row-major; the position [m] is the last
/// column).
///
/// `link`: index of a link, or `ARMDYN_TOOL`. `point`: 3 numbers, a point of its frame [m] that is the origin of the pose, or null and 0.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_pose(
    data: *const Data,
    link: usize,
    point: *const f64,
    point_length: usize,
    pose: *mut f64,
    pose_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::shared("data", data)?;
        check_configuration(d)?;
        let link = d.robot.link(link)?;
        let pose = result("pose", pose, pose_length, 16);
        pointers::arrays([point_of(point, point_length)], [pose], |[point], [pose]| {
            let at = placement(&link, point);
            write_pose(&d.kinematics.frame_pose(&d.robot.model, link.0, at.as_ref())?, pose);
            Ok(())
        })
    })
}

/// Jacobian of a link at the configuration of the last `armdyn_kinematics`: `jacobian` (6 × nv, row-major): linear velocity, then angular
/// velocity, per joint velocity, in the axes and of the point of `frame`.
///
/// `link`: index of a link, or `ARMDYN_TOOL`. `point`: 3 numbers, a point of its frame [m], or null and 0.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_jacobian(
    data: *mut Data,
    link: usize,
    point: *const f64,
    point_length: usize,
    frame: Frame,
    jacobian: *mut f64,
    jacobian_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        check_configuration(d)?;
        let m = &d.robot.model;
        let link = d.robot.link(link)?;
        let frame = match frame {
            ARMDYN_FRAME_LOCAL => JacobianFrame::Local,
            ARMDYN_FRAME_WORLD => JacobianFrame::World,
            ARMDYN_FRAME_LOCAL_WORLD_ALIGNED => JacobianFrame::LocalWorldAligned,
            Frame(other) => return Err(unknown("frame of a Jacobian", other)),
        };
        let jacobian = result("jacobian", jacobian, jacobian_length, 6 * m.nv());
        pointers::arrays([point_of(point, point_length)], [jacobian], |[point], [jacobian]| {
            let at = placement(&link, point);
            d.kinematics.frame_jacobian(m, link.0, at.as_ref(), frame, &mut d.columns)?;
            for (v, c) in d.columns.iter().enumerate() {
                let column = c.linear.to_array().into_iter().chain(c.angular.to_array());
                column.enumerate().for_each(|(k, x)| jacobian[k * m.nv() + v] = x);
            }
            Ok(())
        })
    })
}

/// Velocity and acceleration of a link in the motion `q` (nq), `qd` (nv), `qdd` (nv), in the axes of the base: `velocity` and
/// `acceleration` (6 each): linear [m/s, m/s²], then angular [rad/s, rad/s²]. With qdd = 0 the acceleration is the term dJ/dt qd.
///
/// `link`: index of a link, or `ARMDYN_TOOL`. `point`: 3 numbers, a point of its frame [m], or null and 0.
#[unsafe(no_mangle)]
pub extern "C" fn armdyn_motion(
    data: *mut Data,
    q: *const f64,
    q_length: usize,
    qd: *const f64,
    qd_length: usize,
    qdd: *const f64,
    qdd_length: usize,
    link: usize,
    point: *const f64,
    point_length: usize,
    velocity: *mut f64,
    velocity_length: usize,
    acceleration: *mut f64,
    acceleration_length: usize,
) -> Status {
    guard(|| {
        let d = pointers::exclusive("data", data)?;
        let m = &d.robot.model;
        let link = d.robot.link(link)?;
        let inputs = [
            positions(m, q, q_length),
            rates(m, "qd", qd, qd_length),
            rates(m, "qdd", qdd, qdd_length),
            point_of(point, point_length),
        ];
        let outputs = [
            result("velocity", velocity, velocity_length, 6),
            result("acceleration", acceleration, acceleration_length, 6),
        ];
        pointers::arrays(inputs, outputs, |[q, qd, qdd, point], [velocity, acceleration]| {
            check_finite(m, [("q", q), ("qd", qd), ("qdd", qdd)])?;
            frame_motions(m, &mut d.motion, q, qd, qdd)?;
            let found = d.motion.frame(m, link.0, placement(&link, point).as_ref())?;
            write_pair(found.velocity.linear, found.velocity.angular, velocity);
            write_pair(found.acceleration.linear, found.acceleration.angular, acceleration);
            Ok(())
        })
    })
}

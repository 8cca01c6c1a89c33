"""Against Pinocchio, MuJoCo, Robotics Toolbox, PyTorch and JAX: their objects, their values, their documentation's examples."""

import warnings

import armdyn
import numpy as np
import pytest
from conftest import states

pytestmark = pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
#: Relative to the largest number of a result; some rounding errors of M⁻¹ are those of its condition.
CLOSE = 1e-10


def same(found, expected, tolerance=CLOSE):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-3)


def rotation(random):
    q, r = np.linalg.qr(random.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else q[:, [1, 0, 2]]


def tensor(random, mass):
    """A physical inertia tensor about the centre of mass: of points."""
    points = random.normal(size=(6, 3)) * 0.1
    points -= points.mean(axis=0)
    return mass / 6 * sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)


# Pinocchio.

PINOCCHIO_KINDS = [
    "RX", "RY", "RZ", "PX", "PY", "PZ", "RevoluteUnaligned", "PrismaticUnaligned", "RUBX", "RUBZ", "Spherical", "Translation",
    "FreeFlyer",
]


def pinocchio_tree(random, count, kinds=PINOCCHIO_KINDS):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.name = "tree"
    model.gravity.linear = random.normal(size=3) * 5
    for k in range(count):
        kind = "FreeFlyer" if k == 0 and random.random() < 0.5 and "FreeFlyer" in kinds else kinds[random.integers(len(kinds))]
        make = getattr(pin, f"JointModel{kind}")
        axis = random.normal(size=3)
        joint = make(axis / np.linalg.norm(axis)) if "Unaligned" in kind else make()
        placement = pin.SE3(rotation(random), random.normal(size=3) * 0.3)
        # Pinocchio needs branches one after the other: the parent is the joint before, or one of those that carry it.
        supports = list(model.supports[model.njoints - 1])
        at = model.addJoint(int(supports[-1 - int(len(supports) * random.random() ** 2)]), joint, placement, f"joint{k}")
        mass = random.uniform(0.5, 3)
        model.appendBodyToJoint(at, pin.Inertia(mass, random.normal(size=3) * 0.2, tensor(random, mass)), pin.SE3.Identity())
        if random.random() < 0.5:
            model.addBodyFrame(f"body{k}", at, pin.SE3.Identity(), 0)
    model.addFrame(pin.Frame("camera", at, 0, pin.SE3(rotation(random), random.normal(size=3)), pin.FrameType.OP_FRAME))
    model.armature = random.uniform(0, 0.1, model.nv) * np.array([j.nv == 1 for j in list(model.joints)[1:] for _ in range(j.nv)])
    return pin, model


def ours(model, q):
    """The coordinates of joints without bounds are their angles."""
    parts = []
    for joint in list(model.joints)[1:]:
        part = q[joint.idx_q : joint.idx_q + joint.nq]
        parts.append([np.arctan2(part[1], part[0])] if joint.nq == 2 else part)
    return np.concatenate(parts)


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def compare_with_pinocchio(pin, model, robot, random, coordinates=ours):
    data = model.createData()
    assert robot.nv == model.nv and robot.joint_names[0].startswith(model.names[1])
    for _ in range(3):
        q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        v, a = random.normal(size=model.nv), random.normal(size=model.nv)
        x = coordinates(model, q)
        tau = pin.rnea(model, data, q, v, a)
        same(robot.rnea(x, v, a), tau)
        same(robot.crba(x), symmetric(pin.crba(model, data, q)))
        same(robot.minverse(x), symmetric(pin.computeMinverse(model, data, q)), 1e-9)
        same(robot.nle(x, v), pin.nonLinearEffects(model, data, q, v))
        same(robot.gravity(x), pin.computeGeneralizedGravity(model, data, q))
        same(robot.aba(x, v, tau), pin.aba(model, data, q, v, tau), 1e-9)
        same(robot.coriolis(x, v), pin.computeCoriolisMatrix(model, data, q, v))
        for found, expected in zip(robot.rnea_derivatives(x, v, a), pin.computeRNEADerivatives(model, data, q, v, a)):
            same(found, expected)
        for found, expected in zip(robot.aba_derivatives(x, v, tau), pin.computeABADerivatives(model, data, q, v, tau)):
            same(found, symmetric(expected) if np.allclose(np.tril(expected, -1), 0) else expected, 1e-8)
        # `computeKineticEnergy` of 4.1 has other armatures than `crba` where joints have several degrees of freedom.
        same(robot.energy(x, v).kinetic, 0.5 * v @ symmetric(pin.crba(model, data, q)) @ v)
        if not model.armature.any():
            same(robot.energy(x, v).kinetic, pin.computeKineticEnergy(model, data, q, v))
        same(robot.energy(x, v).potential, pin.computePotentialEnergy(model, data, q))
        pin.computeCentroidalMomentum(model, data, q, v)
        momentum = robot.momentum(x, v)
        same(momentum.linear, data.hg.linear), same(momentum.angular, data.hg.angular)
        centre, velocity = robot.com(x, v)
        same(centre, pin.centerOfMass(model, data, q, v)), same(velocity, data.vcom[0])
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        axes = {"link": pin.LOCAL, "base": pin.LOCAL_WORLD_ALIGNED, "origin": pin.WORLD}
        for k, frame in enumerate(model.frames):
            if frame.name not in robot.link_names or not str(frame.type).endswith(("BODY", "OP_FRAME")):
                continue
            same(robot.fk(x, frame.name), data.oMf[k].homogeneous)
            for name, theirs in axes.items():
                same(robot.jacobian(x, frame.name, axes=name), pin.getFrameJacobian(model, data, k, theirs))


@pytest.mark.parametrize("seed", range(12))
def test_a_random_tree_of_pinocchio(seed):
    random = np.random.default_rng(seed)
    pin, model = pinocchio_tree(random, 8)
    compare_with_pinocchio(pin, model, armdyn.from_pinocchio(model), random)


@pytest.mark.parametrize("name", ["Manipulator", "Humanoid", "HumanoidRandom"])
def test_sample_models_of_pinocchio(name, random):
    pin = pytest.importorskip("pinocchio")
    model = getattr(pin, f"buildSampleModel{name}")()
    # Pinocchio's algorithms ignore its friction.
    compare_with_pinocchio(pin, model, armdyn.from_pinocchio(model).without_friction(), random)


def test_a_planar_joint_of_pinocchio(random):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelPlanar(), pin.SE3(rotation(random), random.normal(size=3)), "base")
    model.appendBodyToJoint(1, pin.Inertia(2.0, random.normal(size=3), tensor(random, 2.0)), pin.SE3.Identity())
    robot, data = armdyn.from_pinocchio(model), model.createData()
    x, y, angle = 0.3, -0.2, 0.7
    c, s = np.cos(angle), np.sin(angle)
    # Velocities here are rates of x and y, there those along the axes of the body.
    turn = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    M = pin.crba(model, data, np.array([x, y, c, s]))
    same(robot.crba([x, y, angle]), turn.T @ symmetric(M) @ turn)
    same(robot.gravity([x, y, angle]), turn.T @ pin.computeGeneralizedGravity(model, data, np.array([x, y, c, s])))


def test_joints_that_cannot_be_read_from_pinocchio():
    pin = pytest.importorskip("pinocchio")
    with pytest.raises(armdyn.Error, match="joint `.*` is a JointModelMimic.*load the robot's URDF or MJCF"):
        armdyn.from_pinocchio(pin.buildSampleModelManipulator(True))
    model = pin.Model()
    model.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "ankle")
    with pytest.raises(armdyn.Error, match="joint `ankle` is a JointModelSphericalZYX"):
        armdyn.from_pinocchio(model)


def test_drives_of_joints_with_several_degrees_of_freedom():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    model.appendBodyToJoint(1, pin.Inertia(2.0, np.array([0.5, 0, 0]), np.eye(3)), pin.SE3.Identity())
    armdyn.from_pinocchio(model)
    model.armature = np.array([0.1, 0, 0])
    with pytest.warns(armdyn.RobotWarning, match="ignored: armature, damping and friction of joint `ball`"):
        armdyn.from_pinocchio(model)


def test_friction_and_limits_of_pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.addJoint(0, pin.JointModelRY(), pin.SE3.Identity(), "hinge")
    model.lowerPositionLimit, model.upperPositionLimit = np.array([-1.0]), np.array([2.0])
    model.lowerEffortLimit, model.upperEffortLimit = np.array([-7.0]), np.array([6.0])
    model.upperVelocityLimit, model.lowerVelocityLimit = np.array([3.0]), np.array([-3.0])
    model.damping, model.lowerDryFrictionLimit, model.upperDryFrictionLimit = np.array([0.3]), np.array([-0.1]), np.array([0.2])
    model.appendBodyToJoint(1, pin.Inertia(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3))), pin.SE3.Identity())
    robot = armdyn.from_pinocchio(model)
    assert (robot.lower, robot.upper, robot.velocity_limits) == ([-1], [2], [3]) and robot.effort_limits.tolist() == [[-7, 6]]
    # Pinocchio stores these, and does not use them: m g r cos q, friction 0.2 sign v + 0.3 v.
    same(robot.rnea([0.4], [1.5], [0.0]), [-2 * 9.81 * 0.5 * np.cos(0.4) + 0.2 + 0.3 * 1.5])
    same(robot.rnea([0.4], [-1.5], [0.0]), [-2 * 9.81 * 0.5 * np.cos(0.4) - 0.1 - 0.3 * 1.5])
    same(robot.without_friction().rnea([0.4], [1.5], [0.0]), pin.rnea(model, model.createData(), *np.array([[0.4], [1.5], [0.0]])))


@pytest.mark.parametrize("seed", range(6))
def test_to_pinocchio_and_back(seed):
    random = np.random.default_rng(100 + seed)
    kinds = [kind for kind in PINOCCHIO_KINDS if "RUB" not in kind]
    pin, model = pinocchio_tree(random, 7, kinds)
    robot = armdyn.from_pinocchio(model)
    again = robot.to_pinocchio()
    assert list(again.names) == list(model.names) and again.nq == model.nq
    compare_with_pinocchio(pin, again, robot, random, lambda _, q: q)
    same(armdyn.from_pinocchio(again).crba(robot.random(seed=3)), robot.crba(robot.random(seed=3)))


def test_bundled_robots_in_pinocchio(random):
    pin = pytest.importorskip("pinocchio")
    compared = 0
    for name in armdyn.ROBOTS:
        robot = armdyn.load(name, quiet=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", armdyn.RobotWarning)
                model = robot.to_pinocchio()
        except armdyn.Error as error:
            assert "which Pinocchio does not have" in str(error)
            continue
        except armdyn.RobotWarning as warning:
            assert "cannot represent all rotors" in str(warning)
            continue
        compared += 1
        compare_with_pinocchio(pin, model, robot.without_friction(), random, lambda _, q: q)
        friction = robot.friction
        assert np.array_equal(model.damping, friction["viscous"])
        assert np.array_equal(model.upperPositionLimit, robot.upper) and np.array_equal(model.effortLimit, robot.effort_limits[:, 1])
    assert compared >= 15
    follower = armdyn.load(
        '<robot name="grip"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><link name="c"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="k" type="continuous"><parent link="a"/><child link="c"/><mimic joint="j" multiplier="-1"/></joint></robot>'
    )
    with pytest.raises(armdyn.Error, match="joint `k` follows another joint"):
        follower.to_pinocchio()


def test_the_order_of_joints_in_pinocchio(random):
    pin = pytest.importorskip("pinocchio")
    body = {"mass": 1.0, "centre": (0.1, 0.2, 0.3), "inertia": (0.1, 0.1, 0.1), "axis": (1, 0, 0), "rpy": (0.1, 0.2, 0.3), "viscous": 0.1}
    tree = [("a", None), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "c")]
    links = [{"name": name, "parent": parent, **body, "armature": 0.1 * k, "limits": (-1 - k, 1)} for k, (name, parent) in enumerate(tree)]
    robot = armdyn.Robot.from_links(links)
    assert robot.joint_names == [f"joint{k}" for k in range(1, 6)]
    with pytest.warns(armdyn.RobotWarning, match="another order in Pinocchio.*: joint1, joint2, joint4, joint3, joint5"):
        model = robot.to_pinocchio()
    order = [int(name[-1]) - 1 for name in list(model.names)[1:]]
    q, v, a = random.normal(size=(3, 5))
    same(robot.without_friction().rnea(q, v, a)[order], pin.rnea(model, model.createData(), q[order], v[order], a[order]))
    same(robot.crba(q)[order][:, order], symmetric(pin.crba(model, model.createData(), q[order])))
    assert np.array_equal(model.lowerPositionLimit, robot.lower[order]) and np.array_equal(model.armature, robot.armature[order])


def test_coupled_rotors_in_pinocchio():
    pytest.importorskip("pinocchio")
    robot = armdyn.load("puma560", quiet=True)
    with pytest.warns(armdyn.RobotWarning, match="cannot represent all rotors"):
        coupled(robot).to_pinocchio()


def coupled(robot):
    """The robot with a rotor that two joints turn."""
    first, second = robot.joint_names[:2]
    return armdyn.load(robot.to_toml() + f'\n[[coupled_rotor]]\ninertia = 1e-3\ngears = {{ {first} = 50.0, {second} = 20.0 }}\n', quiet=True)


def test_pinocchio_overview(random):
    """Its "overview-simple" and "inverse kinematics (clik)"."""
    pin = pytest.importorskip("pinocchio")
    model = pin.buildSampleModelManipulator()
    data = model.createData()
    robot = armdyn.from_pinocchio(model)
    q = pin.neutral(model)
    pin.forwardKinematics(model, data, q)
    for name, placement in zip(list(model.names)[1:], list(data.oMi)[1:]):
        link = robot.link_names[1:][list(model.names)[1:].index(name)]
        same(robot.fk(robot.neutral(), link), placement.homogeneous)
    # Closed-loop inverse kinematics in the joint's axes, as the example writes it, with the functions of either.
    joint, link = model.njoints - 1, robot.link_names[model.njoints - 1]
    pin.forwardKinematics(model, data, np.array([0.3, 0.4, -0.2, 0.5, 0.1, -0.3]))
    goal = data.oMi[joint].copy()
    theirs, mine = q.copy(), robot.neutral()
    for _ in range(60):
        pin.forwardKinematics(model, data, theirs)
        error = pin.log6(data.oMi[joint].actInv(goal)).vector
        J = pin.computeJointJacobian(model, data, theirs, joint)
        theirs = pin.integrate(model, theirs, 0.5 * J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error))
        error = pin.log6(pin.SE3(robot.fk(mine, link)).actInv(goal)).vector
        J = robot.jacobian(mine, link, axes="link")
        mine = robot.integrate(mine, 0.5 * J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), error))
    same(mine, theirs, 1e-9)
    found = robot.ik(goal.homogeneous, link=link, start=q)
    assert found.success and np.allclose(robot.fk(found.q, link), goal.homogeneous, atol=1e-9)


def test_pinocchio_external_forces_and_regressor(random):
    """Its `rnea` with external forces, and "joint torque regressor"."""
    pin, model = pinocchio_tree(random, 6, ["RX", "RZ", "PY", "RevoluteUnaligned"])
    data, robot = model.createData(), armdyn.from_pinocchio(model)
    q, v, a = random.normal(size=(3, model.nv))
    wrench = random.normal(size=6)
    forces = pin.StdVec_Force()
    forces.extend([pin.Force(np.zeros(6)) for _ in range(model.njoints)])
    forces[4] = pin.Force(wrench)
    tau = pin.rnea(model, data, q, v, a, forces)
    link = robot.link_names[4]
    same(robot.rnea(q, v, a) - robot.jacobian(q, link, axes="link").T @ wrench, tau)
    names, values = robot.parameters()
    Y, theirs = robot.regressor(q, v, a), pin.computeJointTorqueRegressor(model, data, q, v, a)
    same(Y @ values, pin.rnea(model, data, q, v, a))
    # Pinocchio's order: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
    for k in range(1, model.njoints):
        link = robot.link_names[k]
        own = [names.index(f"{link}.{name}") for name in ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")]
        same(Y[:, own], theirs[:, 10 * (k - 1) : 10 * k])


def test_pinocchio_pendulum(random):
    """Its "simulation of a pendulum": symplectic Euler steps of `aba`, with damping as a torque."""
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    parent = 0
    for k in range(3):
        at = pin.SE3(np.eye(3), np.array([0, 0, 1.0 if k else 0.0]))
        parent = model.addJoint(parent, pin.JointModelRX(), at, f"joint_{k + 1}")
        model.appendBodyToJoint(parent, pin.Inertia.FromSphere(1.0, 0.1), pin.SE3(np.eye(3), np.array([0, 0, 1.0])))
    data, robot = model.createData(), armdyn.from_pinocchio(model)
    (q1, v1), (q2, v2) = [(np.array([0.3, -0.2, 0.5]), np.zeros(3)) for _ in range(2)]
    for _ in range(500):
        v1 = v1 + 1e-3 * pin.aba(model, data, q1, v1, -0.1 * v1)
        q1 = pin.integrate(model, q1, 1e-3 * v1)
        v2 = v2 + 1e-3 * robot.aba(q2, v2, -0.1 * v2)
        q2 = robot.integrate(q2, 1e-3 * v2)
    same(q2, q1), same(v2, v1)


# MuJoCo.

ARM = """<mujoco model="arm"><option gravity="0.3 -0.2 -9.7"/><compiler angle="radian"/><worldbody>
<body name="upper" pos="0.1 0.2 0.3" quat="0.9 0.1 0.3 -0.2">
  <joint name="shoulder" axis="1 2 -1" pos="0.1 0 0.05" ref="0.3" damping="0.2" armature="0.05" range="-2 2" limited="true"/>
  <joint name="twist" axis="0 1 1" pos="-0.1 0.1 0"/>
  <inertial mass="2" pos="0.1 0.2 -0.1" quat="0.8 0.2 0.4 0.1" diaginertia="0.2 0.15 0.1"/>
  <body name="lower" pos="0.3 0 0.2" quat="0.7 -0.1 0.1 0.3">
    <joint name="slider" type="slide" axis="0.6 0 0.8" ref="0.2" armature="0.3"/>
    <inertial mass="1.5" pos="0 0.1 0" diaginertia="0.05 0.04 0.06"/>
    <body name="bracket" pos="0 0 0.1" quat="0.5 0.5 0.5 0.5"><inertial mass="0.3" pos="0 0 0.1" diaginertia="0.01 0.01 0.01"/>
      <body name="hand" pos="0.2 0.1 0"><joint name="wrist" axis="0 0 1"/><inertial mass="0.7" pos="0.05 0 0" diaginertia="0.01 0.02 0.015"/></body>
    </body>
  </body>
  <body name="side" pos="-0.2 0 0"><joint name="elbow" axis="1 0 0"/><inertial mass="0.4" pos="0 0 0.2" diaginertia="0.01 0.01 0.02"/></body>
</body></worldbody>
<actuator><motor joint="wrist" gear="3" forcerange="-2 5" forcelimited="true"/></actuator></mujoco>"""


def test_an_arm_of_mujoco(random):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(ARM)
    data, robot = mujoco.MjData(model), armdyn.from_mujoco(model)
    assert robot.joint_names == ["shoulder", "twist", "slider", "wrist", "elbow"] and robot.name == "arm"
    assert (robot.lower[0], robot.upper[0]) == (-2, 2) and robot.effort_limits[3].tolist() == [-6, 15]
    for _ in range(5):
        q, v, a = random.uniform(-1, 1, (3, 5))
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        mujoco.mj_inverse(model, data)
        same(robot.rnea(q, v, a), data.qfrc_inverse)
        mujoco.mj_forward(model, data)
        same(robot.nle(q, v), data.qfrc_bias)
        M = np.zeros((5, 5))
        mujoco_mass(mujoco, model, data, M)
        same(robot.crba(q), M)
        data.qfrc_applied[:] = a
        mujoco.mj_forward(model, data)
        same(robot.aba(q, v, a), data.qacc)
        for name in ("upper", "lower", "bracket", "hand", "side"):
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
            linear, angular, point = np.zeros((3, 5)), np.zeros((3, 5)), np.array(data.xipos[body])
            mujoco.mj_jac(model, data, linear, angular, point, body)
            at = (np.linalg.inv(robot.fk(q, name)) @ np.r_[point, 1])[:3]
            same(robot.jacobian(q, name, point=at), np.vstack([linear, angular]))
            same(robot.fk(q, name)[:3, :3], np.array(data.xmat[body]).reshape(3, 3))
    # The file itself is the same robot, but for the point of a link that is its origin.
    same(armdyn.load(ARM).rnea(q, v, a), robot.rnea(q, v, a))


def mujoco_mass(mujoco, model, data, M):
    try:
        mujoco.mj_fullM(model, M, data.qM)
    except (TypeError, AttributeError):
        mujoco.mj_fullM(model, data, M)


def of_mujoco(qpos, qvel):
    """The state of a robot whose first joint is free: quaternion x, y, z, w; linear velocity in the axes of the body."""
    import mujoco

    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, qpos[3:7])
    q = np.concatenate([qpos[:3], np.roll(qpos[3:7], -1), qpos[7:]])
    v = np.concatenate([turn.reshape(3, 3).T @ qvel[:3], qvel[3:]])
    return q, v, turn.reshape(3, 3)


def test_a_floating_body_of_mujoco(random):
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/><inertial mass="3" pos="0.1 0 0" diaginertia="0.2 0.3 0.25"/>
    <body name="ball" pos="0.2 0.1 0"><joint type="ball" pos="0.05 0 0"/><inertial mass="1" pos="0 0 0.2" diaginertia="0.02 0.03 0.01"/>
    </body></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data, robot = mujoco.MjData(model), armdyn.from_mujoco(model)
    assert (robot.nq, robot.nv) == (model.nq, model.nv) == (11, 9)
    qpos, qvel = random.normal(size=11), random.normal(size=9)
    qpos[3:7] /= np.linalg.norm(qpos[3:7])
    qpos[7:] /= np.linalg.norm(qpos[7:])
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    q, v, turn = of_mujoco(qpos, qvel)
    q[7:] = np.roll(qpos[7:], -1)
    M = np.zeros((9, 9))
    mujoco_mass(mujoco, model, data, M)
    change = np.eye(9)
    change[:3, :3] = turn
    same(robot.crba(q), change.T @ M @ change)
    # Its linear acceleration is that along fixed axes: here minus ω × v.
    acceleration = change.T @ data.qacc
    acceleration[:3] -= np.cross(v[3:6], v[:3])
    same(robot.aba(q, v, np.zeros(9)), acceleration)


def test_what_mujoco_has_more():
    mujoco = pytest.importorskip("mujoco")
    two = """<mujoco><worldbody><body><joint name="a" axis="0 0 1" {spring}/><geom size="0.1"/></body>
    <body pos="1 0 0"><joint name="b" axis="0 0 1"/><geom size="0.1"/></body></worldbody>{more}</mujoco>"""
    model = mujoco.MjModel.from_xml_string(two.format(spring="", more='<equality><joint joint1="b" joint2="a"/></equality>'))
    with pytest.raises(armdyn.Error, match="joint `b` follows an equality constraint.*armdyn.load"):
        armdyn.from_mujoco(model)
    model = mujoco.MjModel.from_xml_string(two.format(spring='stiffness="3"', more=""))
    with pytest.warns(armdyn.RobotWarning, match="ignored of the MuJoCo model: springs"):
        armdyn.from_mujoco(model)
    damped = '<mujoco><worldbody><body name="b"><joint name="ball" type="ball" damping="0.1"/><geom size="0.1"/></body></worldbody></mujoco>'
    with pytest.warns(armdyn.RobotWarning, match="ignored: armature, damping and friction of joint `ball`"):
        armdyn.from_mujoco(mujoco.MjModel.from_xml_string(damped))
    with pytest.raises(armdyn.Error, match="no joints"):
        armdyn.from_mujoco(mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"))


# Robotics Toolbox.

def toolbox(name):
    rtb = pytest.importorskip("roboticstoolbox")
    return getattr(rtb.models.DH, name)()


@pytest.mark.parametrize("name", ["Puma560", "Panda", "Stanford", "IRB140", "UR3", "UR5", "UR10", "TwoLink"])
def test_an_arm_of_the_toolbox(name, random):
    theirs = toolbox(name)
    robot, n = armdyn.from_roboticstoolbox(theirs), theirs.n
    for _ in range(3):
        q, v, a = random.normal(size=(3, n))
        same(robot.fk(q), theirs.fkine(q).A)
        same(robot.jacobian(q), theirs.jacob0(q)), same(robot.jacobian(q, axes="link"), theirs.jacobe(q))
        tau = theirs.rne(q, v, a)
        same(robot.rnea(q, v, a), tau), same(robot.crba(q), theirs.inertia(q)), same(robot.gravity(q), theirs.gravload(q))
        same(robot.coriolis(q, v) @ v, theirs.coriolis(q, v) @ v)
        if np.linalg.cond(theirs.inertia(q)) < 1e6:
            same(robot.aba(q, v, tau), theirs.accel(q, v, tau), 1e-9)
    Q, V, A = random.normal(size=(3, 20, n))
    same(robot.rnea(Q, V, A), theirs.rne(Q, V, A))


@pytest.mark.parametrize("name", ["Jaco", "Mico", "Sawyer", "Baxter", "LWR4", "Orion5", "Ball"])
def test_kinematics_of_the_toolbox(name, random):
    theirs = toolbox(name)
    robot = armdyn.from_roboticstoolbox(theirs)
    q = random.normal(size=theirs.n)
    same(robot.fk(q), theirs.fkine(q).A), same(robot.jacobian(q), theirs.jacob0(q))


def test_a_tilted_base_of_the_toolbox(random):
    """The weight of links is the gradient of their potential energy; 1.5.0 has another one in its compiled `rne`."""
    theirs = toolbox("P8")
    robot = armdyn.from_roboticstoolbox(theirs)
    q = random.normal(size=8)

    def potential(q):
        poses = theirs.fkine_all(q)
        return -sum(link.m * theirs.gravity @ (pose.A @ np.r_[np.ravel(link.r), 1])[:3] for link, pose in zip(theirs.links, list(poses)[1:]))

    gradient = [(potential(q + 1e-5 * e) - potential(q - 1e-5 * e)) / 2e-5 for e in np.eye(8)]
    assert np.allclose(robot.gravity(q), gradient, atol=1e-7)


def test_links_of_the_toolbox(random):
    rtb = pytest.importorskip("roboticstoolbox")
    from roboticstoolbox import ET, Link

    motor = {"Jm": 1e-4, "G": 50, "B": 1e-3, "Tc": [0.4, -0.3]}
    first = Link(ET.tx(0.1) * ET.Rz(), m=2, r=[0.2, 0.1, 0], I=[0.1, 0.2, 0.3, 0.01, 0.02, 0.03], name="first", **motor)
    second = Link(ET.tx(0.4) * ET.Rx(0.3) * ET.Ry(), m=1, r=[0.1, 0, 0.1], I=[0.1, 0.2, 0.3, 0, 0, 0], name="second", parent=first)
    third = Link(ET.tz(0.3) * ET.tx(), m=1.5, r=[0.1, 0, 0.1], I=[0.1, 0.2, 0.3, 0, 0, 0], name="third", parent=second)
    end = Link(ET.tz(0.3) * ET.Ry(0.3), m=0.5, r=[0.1, 0, 0.1], name="end", parent=third)
    theirs = rtb.Robot([first, second, third, end], name="own", gravity=[0, 1, -9.81])
    robot = armdyn.from_roboticstoolbox(theirs)
    for _ in range(3):
        q, v, a = random.normal(size=(3, 3))
        same(robot.fk(q), theirs.fkine(q).A), same(robot.jacobian(q), theirs.jacob0(q))
        same(robot.rnea(q, v, a), theirs.rne(q, v, a)), same(robot.crba(q), theirs.inertia(q))


def test_joints_of_the_toolbox_in_another_order():
    rtb = pytest.importorskip("roboticstoolbox")
    from roboticstoolbox import ET, Link

    first = Link(ET.Rz(jindex=1), m=1, name="first")
    second = Link(ET.tx(0.4) * ET.Ry(jindex=0), m=1, name="second", parent=first)
    with pytest.raises(armdyn.Error, match=r"the joints of swapped are numbered \[1, 0\] along its links"):
        armdyn.from_roboticstoolbox(rtb.Robot([first, second], name="swapped"))


def test_a_flipped_joint_of_the_toolbox(random):
    """The sign of the torque of 1.5.0 is that of the axis before it is flipped: gravity is compared with the potential energy."""
    rtb = pytest.importorskip("roboticstoolbox")
    from roboticstoolbox import ET, Link

    first = Link(ET.tx(0.4) * ET.Ry(flip=True), m=1.5, r=[0.1, 0, 0.1], name="first")
    end = Link(ET.tz(0.3) * ET.Ry(0.3), m=0.5, r=[0.1, 0, 0.1], name="end", parent=first)
    theirs = rtb.Robot([first, end], name="flipped")
    robot = armdyn.from_roboticstoolbox(theirs)

    def potential(q):
        return sum(9.81 * link.m * (theirs.fkine([q], end=link).A @ np.r_[np.ravel(link.r), 1])[2] for link in (first, end))

    q = 0.4
    same(robot.fk([q]), theirs.fkine([q]).A), same(robot.jacobian([q]), theirs.jacob0([q]))
    assert np.isclose(robot.gravity([q])[0], (potential(q + 1e-5) - potential(q - 1e-5)) / 2e-5, rtol=1e-8)


def test_the_dynamics_chapter_of_the_toolbox():
    """`rne`, `gravload`, `itorque`, `nofriction`, `coriolis`, `inertia_x`, `payload`, `accel` and `fdyn` of the Puma 560."""
    theirs = toolbox("Puma560")
    puma = armdyn.from_roboticstoolbox(theirs)
    zero, one, qn = np.zeros(6), np.ones(6), theirs.qn
    v = np.array([1.0, 0, 0, 0, 0, 0])
    same(puma.rnea(qn, zero, zero), theirs.rne(qn, zero, zero)), same(puma.rnea(qn, v, zero), theirs.rne(qn, v, zero))
    same(puma.with_gravity(1.62).gravity(qn), theirs.gravload(qn, gravity=[0, 0, -1.62]))
    same(puma.crba(qn) @ one, theirs.itorque(qn, one))
    same(puma.without_friction().rnea(qn, v, zero), theirs.nofriction(coulomb=True, viscous=True).rne(qn, v, zero))
    same(puma.coriolis(qn, 0.5 * one), theirs.coriolis(qn, 0.5 * one))
    inverse = np.linalg.inv(puma.jacobian(qn))
    same(inverse.T @ puma.crba(qn) @ inverse, theirs.inertia_x(qn, Ji=np.linalg.inv(theirs.jacob0(qn))))
    same(puma.aba(qn, v, one), theirs.accel(qn, v, one), 1e-9)
    theirs.payload(2.5, [0.01, 0.02, 0.1])
    theirs.dynchanged()
    heavy = puma.with_payload(2.5, (0.01, 0.02, 0.1))
    same(heavy.gravity(qn), theirs.gravload(qn)), same(heavy.crba(qn), theirs.inertia(qn))


def test_a_falling_arm_of_the_toolbox():
    theirs = toolbox("Puma560")
    free = armdyn.from_roboticstoolbox(theirs).without_friction()
    fall = free.simulate(q=theirs.qn, controller="none", duration=0.3)
    energy = free.energy(fall.table["q"], fall.table["qd"])
    assert np.ptp(energy.kinetic + energy.potential) < 1e-6 * energy.kinetic.max()
    # Without `dt` its results are those of steps; otherwise interpolated.
    same_fall = theirs.nofriction(coulomb=True, viscous=True).fdyn(0.3, theirs.qn, solver_args={"rtol": 1e-8, "atol": 1e-10})
    assert same_fall.t[-1] == pytest.approx(0.3) == fall.table["t"][-1]
    assert np.abs(fall.table["q"][-1] - same_fall.q[-1]).max() < 1e-6


# PyTorch and JAX.


@pytest.mark.parametrize("quantity", ["rnea", "aba"])
@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_torch(name, quantity, random):
    torch = pytest.importorskip("torch")
    robot = armdyn.load(name).without_friction()
    module = robot.torch_module(quantity)
    for shape in [(robot.nv,), (3, robot.nv), (2, 3, robot.nv)]:
        x = [torch.tensor(0.5 * random.normal(size=shape), requires_grad=True) for _ in range(3)]
        # Of differences: the second derivatives of accelerations of a light wrist are large.
        assert torch.autograd.gradcheck(module, x, atol=1e-3, rtol=1e-4)
        rows = [y.detach().numpy().reshape(-1, robot.nv) for y in x]
        same(module(*x).detach().numpy().reshape(-1, robot.nv), getattr(robot, quantity)(*rows))
    single = [y.detach().float().requires_grad_() for y in x]
    result = module(*single)
    result.sum().backward()
    assert result.dtype == single[0].grad.dtype == torch.float32
    # An argument of one state is repeated, and its gradient summed.
    q = torch.zeros(robot.nv, dtype=torch.float64, requires_grad=True)
    v = torch.tensor(random.normal(size=(5, robot.nv)))
    module(q, v, v).sum().backward()
    by_q = (robot.rnea_derivatives if quantity == "rnea" else robot.aba_derivatives)(np.zeros(robot.nv), v.numpy(), v.numpy())[0]
    same(q.grad.numpy(), by_q.sum(axis=(0, 1)), 1e-9)
    assert name in repr(module)
    # Whole numbers are no reason to round results.
    whole = [torch.arange(robot.nv)] * 3
    assert module(*whole).dtype == torch.float32 and (module(*whole) % 1).any()


def test_torch_errors():
    torch = pytest.importorskip("torch")
    robot = armdyn.load("panda")
    with pytest.raises(TypeError, match="`q` requires a gradient: pass `q.detach\\(\\)`, or use `robot.torch_module\\(\\)`"):
        robot.gravity(torch.zeros(7, requires_grad=True))
    with pytest.raises(ValueError, match='expected "rnea" or "aba"'):
        robot.torch_module("crba")
    floating = armdyn.Robot.from_links([armdyn.Link("body", kind="free", mass=1.0, inertia=(1, 1, 1))])
    with pytest.raises(armdyn.Error, match="7 coordinates for 6 degrees of freedom"):
        floating.torch_module()
    with pytest.raises(armdyn.StateError, match="panda_joint1"):
        robot.torch_module()(*[torch.full((7,), float("nan"))] * 3)


@pytest.mark.parametrize("quantity", ["rnea", "aba"])
def test_jax(quantity, random):
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    robot = armdyn.load("panda").without_friction()
    function = robot.jax_function(quantity)
    q, v, third = random.normal(size=(3, 7))
    same(jax.jit(function)(q, v, third), getattr(robot, quantity)(q, v, third))
    from jax.test_util import check_grads

    check_grads(function, (q, v, third), order=1, modes=("fwd", "rev"), atol=1e-4, rtol=1e-4)
    expected = [*robot.rnea_derivatives(q, v, third), robot.crba(q)] if quantity == "rnea" else robot.aba_derivatives(q, v, third)
    for transform in (jax.jacfwd, jax.jacrev):
        for found, part in zip(transform(function, argnums=(0, 1, 2))(q, v, third), expected):
            same(found, part)
    whole = np.arange(7)
    same(function(whole, whole, whole), getattr(robot, quantity)(whole, whole, whole))
    rows = jnp.asarray(random.normal(size=(6, 7)))
    same(jax.vmap(function, in_axes=(0, None, None))(rows, v, third), getattr(robot, quantity)(np.asarray(rows), v, third))
    gradients = jax.jit(jax.vmap(jax.grad(lambda q: function(q, v, third).sum())))(rows)
    by_q = (robot.rnea_derivatives if quantity == "rnea" else robot.aba_derivatives)(np.asarray(rows), v, third)[0]
    same(gradients, by_q.sum(axis=1))


def test_arrays_of_other_libraries(robot, random):
    """Any CPU array with `__dlpack__` or `__array__` is an argument; results are NumPy arrays."""
    q, v, a = states(robot, random, 30)
    expected = robot.rnea(q, v, a)
    torch = pytest.importorskip("torch")
    assert np.array_equal(robot.rnea(torch.tensor(q), torch.tensor(v), torch.tensor(a)), expected)
    assert robot.gravity(torch.tensor(q).float()).dtype == np.float32
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    assert np.array_equal(robot.rnea(*map(jax.numpy.asarray, (q, v, a))), expected)

    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert np.array_equal(robot.rnea(Exporter(q), Exporter(v), Exporter(a)), expected)

    class OnGpu(Exporter):
        def __dlpack_device__(self):
            return 2, 0

    with pytest.raises(TypeError, match="`q` is on a device that is not the CPU"):
        robot.gravity(OnGpu(q))

"""Robots of other libraries.

Each is written as a robot file in memory, so that it has names, limits and checks as any other.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ._errors import Error, RobotWarning
from ._robot import Robot, _toml

#: Larger limits are none.
_ENDLESS = 1e300
#: Axes of joints whose kind names them.
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def from_pinocchio(model: Any) -> Robot:
    """A robot from a `pinocchio.Model`: joints, inertias, limits, armature, damping, friction and gravity.

    Bodies and operational frames are links; a joint without a body has a link with its name. Positions and velocities are those of
    Pinocchio, but for two kinds of joints: joints without bounds (`JointModelRUBZ`) have one coordinate, their angle, where Pinocchio has
    its cosine and sine; planar joints have x, y and the angle, and their rates. Pinocchio's algorithms ignore `damping` and `friction`:
    `robot.without_friction()` computes what they compute. As there, `armature` has the inertia of rotors; `rotorInertia` is not used.

    Raises:
        Error: names the joint that cannot be read.
    """
    links, names, joint_links = [], set(), {0: None}
    bodies = [f for f in model.frames if str(f.type).endswith(("BODY", "OP_FRAME"))]

    def unique(name):
        while name in names:
            name += "_"
        names.add(name)
        return name

    def parent_of(frame):
        return frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent

    base = next((f.name for f in bodies if parent_of(f) == 0 and f.placement.isIdentity(1e-12)), "base")
    names.add(base)
    carried = {}
    for i in range(1, model.njoints):
        joint, placement, inertia = model.joints[i], model.jointPlacements[i], model.inertias[i]
        own = next((f for f in bodies if parent_of(f) == i and f.placement.isIdentity(1e-12)), None)
        name = unique(own.name if own is not None else model.names[i])
        if own is not None:
            carried[own.name] = True
        joint_links[i] = name
        kind = _pinocchio_kind(joint, model.names[i])
        kind["name"] = model.names[i]
        kind["origin"] = _origin(placement.translation, placement.rotation)
        v, nv = joint.idx_v, joint.nv
        if nv == 1:
            limits = _pinocchio_limits(model, joint)
            if limits:
                kind["limits"] = limits
            if model.armature[v]:
                kind["drive"] = {"armature": float(model.armature[v])}
            backward, forward = (float(x[v]) for x in _both_sides(model, "DryFriction", "friction"))
            friction = {"viscous": float(model.damping[v]), "coulomb": {"forward": forward, "backward": -backward}}
            if model.damping[v] or forward or backward:
                kind["friction"] = friction
        else:
            dofs = slice(v, v + nv)
            both = _both_sides(model, "DryFriction", "friction")
            _warn_of_drives(model.names[i], model.armature[dofs], model.damping[dofs], *(x[dofs] for x in both))
        parent = joint_links[model.parents[i]]
        links.append(_table(name, parent or base, kind, inertia.mass, inertia.lever, inertia.inertia))
    for f in bodies:
        if f.name in carried or f.name == base:
            continue
        at = parent_of(f)
        name = unique(f.name)
        joint = {"name": unique(f"{name}_fixed"), "kind": "fixed", "origin": _origin(f.placement.translation, f.placement.rotation)}
        links.append({"name": name, "parent": joint_links[at] or base, "joint": joint})
    gravity = np.asarray(model.gravity.linear, dtype=float)
    return _robot(model.name or "robot", gravity, links, base, inertia=model.inertias[0])


def _pinocchio_kind(joint, name):
    kind = joint.shortname().removeprefix("JointModel")
    simple = {"FreeFlyer": "free", "Spherical": "spherical", "Planar": "planar", "Translation": "translation"}
    if kind in simple:
        return {"kind": simple[kind]}
    for start, ours in [("RevoluteUnboundedUnaligned", "revolute"), ("RevoluteUnaligned", "revolute"), ("PrismaticUnaligned", "prismatic")]:
        if kind == start:
            return {"kind": ours, "axis": [float(x) for x in joint.extract().axis] if hasattr(joint, "extract") else _axis(joint)}
    for start, ours in [("RUB", "revolute"), ("R", "revolute"), ("P", "prismatic")]:
        if kind.startswith(start) and kind.removeprefix(start) in _AXES:
            return {"kind": ours, "axis": list(_AXES[kind.removeprefix(start)])}
    raise Error(
        f"joint `{name}` is a {joint.shortname()}, which cannot be read from Pinocchio: load the robot's URDF or MJCF file with `armdyn.load`"
    )


def _warn_of_drives(joint, *quantities):
    """Drives belong to joints with one degree of freedom."""
    if any(np.any(x) for x in quantities):
        text = f"ignored: armature, damping and friction of joint `{joint}`, which has several degrees of freedom"
        warnings.warn(text, RobotWarning, stacklevel=3)


def _both_sides(model, name, symmetric):
    """Lower and upper limits of the joints; they are symmetric before Pinocchio 4."""
    if hasattr(model, f"upper{name}Limit"):
        return getattr(model, f"lower{name}Limit"), getattr(model, f"upper{name}Limit")
    return -getattr(model, symmetric), getattr(model, symmetric)


def _pinocchio_limits(model, joint):
    """The limits of a joint with one degree of freedom; 0 and infinity are none."""
    q, v = joint.idx_q, joint.idx_v
    limits = {}
    if joint.nq == 1:
        lower, upper = model.lowerPositionLimit[q], model.upperPositionLimit[q]
        if lower or upper:
            limits = {"lower": float(lower), "upper": float(upper)}
    low, high = (float(x[v]) for x in _both_sides(model, "Effort", "effortLimit"))
    if low < 0 < high and np.isfinite([low, high]).any():
        limits["effort"] = {"lower": low, "upper": high}
    slow, fast = (float(x[v]) for x in _both_sides(model, "Velocity", "velocityLimit"))
    if slow < 0 < fast:
        limits["speed"] = min(-slow, fast)
    finite = {key: x for key, x in limits.items() if isinstance(x, dict) or abs(x) < _ENDLESS}
    effort = finite.get("effort")
    if effort is not None:
        finite["effort"] = {key: x for key, x in effort.items() if abs(x) < _ENDLESS}
    return {key: x for key, x in finite.items() if x != {}}


def _axis(joint):
    """The axis of an unaligned joint: its motion subspace."""
    data = joint.createData()
    if joint.nq == 1:
        joint.calc(data, np.zeros(joint.idx_q + 1))
    subspace = np.asarray(data.S).ravel()
    return [float(x) for x in (subspace[3:] if np.any(subspace[3:]) else subspace[:3])]


def from_mujoco(model: Any) -> Robot:
    """A robot from a `mujoco.MjModel`: bodies, joints, limits, armature, damping, friction loss, actuator forces and gravity.

    Positions and velocities are those of `qpos` and `qvel`, but the quaternions of ball and free joints are x, y, z, w, and the linear
    velocity of a free joint is in the axes of its body. Contacts are not part of a robot; a warning lists what else is ignored: springs,
    tendons, equality constraints of bodies, fluids, gravity compensation.

    Raises:
        Error: if an equality constraint couples joints, or nothing moves.
    """
    import mujoco

    for e in range(model.neq):
        if model.eq_type[e] == mujoco.mjtEq.mjEQ_JOINT and model.eq_active0[e]:
            joint = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, model.eq_obj1id[e])
            raise Error(
                f"joint `{joint}` follows an equality constraint: load the MJCF file with `armdyn.load`, which reads it as a mimic joint"
            )
    ignored = {
        "springs": np.any(model.jnt_stiffness),
        "tendons": model.ntendon,
        "equality constraints": np.any(model.eq_active0),
        "the medium": model.opt.density or model.opt.viscosity,
        "gravity compensation": np.any(model.body_gravcomp),
    }
    if any(ignored.values()):
        listed = ", ".join(what for what, present in ignored.items() if present)
        warnings.warn(f"ignored of the MuJoCo model: {listed}", RobotWarning, stacklevel=2)

    def name_of(kind, i, prefix):
        return mujoco.mj_id2name(model, kind, i) or f"{prefix}{i}"

    links, last, shift = [], {0: "world"}, {0: np.zeros(3)}
    effort = {}
    for a in range(model.nu):
        if model.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT or not model.actuator_forcelimited[a]:
            continue
        gear = model.actuator_gear[a, 0]
        low, high = sorted(gear * model.actuator_forcerange[a])
        effort[model.actuator_trnid[a, 0]] = {"lower": float(low), "upper": float(high)}
    for b in range(1, model.nbody):
        name = name_of(mujoco.mjtObj.mjOBJ_BODY, b, "body")
        parent = model.body_parentid[b]
        rotation = _rotation(model.body_quat[b])
        at, turn = model.body_pos[b] - shift[parent], rotation
        carrier = last[parent]
        first, count = model.body_jntadr[b], model.body_jntnum[b]
        offset = np.zeros(3)
        pieces = []
        for j in range(first, first + count):
            kind = int(model.jnt_type[j])
            joint = {"name": name_of(mujoco.mjtObj.mjOBJ_JOINT, j, "joint")}
            q, v = model.jnt_qposadr[j], model.jnt_dofadr[j]
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                joint |= {"kind": "free"}
                # The coordinates of a free joint are its pose in the world.
                at, turn, pos = np.zeros(3), np.eye(3), np.zeros(3)
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                joint |= {"kind": "spherical"}
                pos = model.jnt_pos[j]
            else:
                axis, pos, zero = model.jnt_axis[j], model.jnt_pos[j], model.qpos0[q]
                revolute = kind == mujoco.mjtJoint.mjJNT_HINGE
                joint |= {"kind": "revolute" if revolute else "prismatic", "axis": [float(x) for x in axis]}
                limits = {}
                if model.jnt_limited[j]:
                    limits["lower"], limits["upper"] = map(float, model.jnt_range[j])
                if j in effort:
                    limits["effort"] = effort[j]
                if limits:
                    joint["limits"] = limits
                friction = {"viscous": _first(model.dof_damping[v]), "coulomb": float(model.dof_frictionloss[v])}
                if any(friction.values()):
                    joint["friction"] = friction
                if model.dof_armature[v]:
                    joint["drive"] = {"armature": float(model.dof_armature[v])}
            if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                dofs = slice(v, v + (6 if kind == mujoco.mjtJoint.mjJNT_FREE else 3))
                _warn_of_drives(joint["name"], model.dof_armature[dofs], model.dof_damping[dofs], model.dof_frictionloss[dofs])
            at, offset = at + turn @ (pos - offset), pos
            if kind == mujoco.mjtJoint.mjJNT_HINGE and zero:
                turn = turn @ _about(axis, -zero)
            elif kind == mujoco.mjtJoint.mjJNT_SLIDE and zero:
                at = at - turn @ (zero * axis)
            joint["origin"] = _origin(at, turn)
            pieces.append(joint)
            at, turn = np.zeros(3), np.eye(3)
        if not pieces:
            pieces.append({"name": f"{name}_fixed", "kind": "fixed", "origin": _origin(at, turn)})
        for k, joint in enumerate(pieces):
            own = k == len(pieces) - 1
            table = {"name": name if own else f"{name}_{k + 1}", "parent": carrier, "joint": joint}
            if own:
                axes = _rotation(model.body_iquat[b])
                tensor = axes @ np.diag(model.body_inertia[b]) @ axes.T
                table |= _body(model.body_mass[b], model.body_ipos[b] - offset, tensor)
            links.append(table)
            carrier = table["name"]
        last[b], shift[b] = carrier, offset
    if model.nv == 0:
        raise Error("the MuJoCo model has no joints")
    name = model.names[: model.names.index(b"\0")].decode() or "robot"
    return _robot(name, np.asarray(model.opt.gravity, dtype=float), links, "world")


def from_roboticstoolbox(robot: Any) -> Robot:
    """A robot from a Robotics Toolbox `DHRobot` or `ERobot`: links, inertias, motors, friction, limits, base, tool and gravity.

    The Toolbox refers motor inertia and friction to the motor: here they act at the joint, with the square of the gear ratio.
    """
    base = np.asarray(robot.base.A if hasattr(robot.base, "A") else np.eye(4), dtype=float)
    tool = np.asarray(robot.tool.A if hasattr(robot.tool, "A") else np.eye(4), dtype=float)
    import roboticstoolbox

    # Former versions stated the upward acceleration of the base that has the effect of gravity, as their default shows.
    default = roboticstoolbox.DHRobot([roboticstoolbox.RevoluteDH(a=1.0, m=1.0)]).gravity
    gravity = np.asarray(robot.gravity, dtype=float).ravel() * (-1.0 if default[2] > 0 else 1.0)
    modified = bool(getattr(robot, "mdh", 0))
    tables, named = [], {None: "base"}
    at_distal = hasattr(robot.links[0], "alpha")
    before = base
    numbers = [] if at_distal else [link.jindex for link in robot.links if link.isjoint]
    if numbers != list(range(len(numbers))):
        raise Error(f"the joints of {robot.name} are numbered {numbers} along its links: expected 0, 1, 2, …")
    for k, link in enumerate(robot.links):
        name = link.name or f"link{k + 1}"
        name = name if name not in named.values() else f"{name}_{k + 1}"
        named[link] = name
        parent = (tables[-1]["name"] if tables else "base") if at_distal else named[link.parent]
        joint = {"name": f"joint{k + 1}"}
        if at_distal:
            sliding, axis = bool(link.sigma), np.array([0.0, 0.0, 1.0])
            offset, flip = float(link.offset or 0), bool(getattr(link, "isflip", getattr(link, "flip", False)))
            a, alpha, d, theta = (float(getattr(link, x) or 0) for x in ("a", "alpha", "d", "theta"))
            screw = _homogeneous(_about(axis, theta if sliding else offset), [0, 0, offset if sliding else d])
            fixed = _homogeneous(_about([1, 0, 0], alpha), [a, 0, 0])
            if modified:
                origin, after = fixed @ screw, np.eye(4)
            else:
                origin, after = screw, fixed
            moves = True
        else:
            moves = bool(link.isjoint)
            origin, after = np.asarray(link.Ts if link.Ts is not None else np.eye(4), dtype=float), np.eye(4)
            axis, sliding, flip = np.array([0.0, 0.0, 1.0]), False, False
            if moves:
                kind = link.v.kind if hasattr(link.v, "kind") else link.v.axis
                axis, sliding, flip = np.array(_AXES[kind[1].upper()]), kind[0] == "t", bool(link.v.isflip)
        if at_distal or parent == "base":
            origin = before @ origin
        before = after if at_distal else (base if parent == "base" else np.eye(4))
        joint["kind"] = ("prismatic" if sliding else "revolute") if moves else "fixed"
        joint["origin"] = _origin(origin[:3, 3], origin[:3, :3])
        if moves:
            joint["axis"] = [float(x) for x in (-axis if flip else axis)]
            limits = link.qlim
            if limits is not None and np.all(np.isfinite(limits)) and limits[0] < limits[1]:
                joint["limits"] = {"lower": float(limits[0]), "upper": float(limits[1])}
            gear = abs(float(link.G or 1)) or 1.0
            if link.Jm:
                joint["drive"] = {"rotor": float(link.Jm), "gear": gear}
            friction = [gear**2 * float(link.B or 0), *(gear * abs(float(x)) for x in np.ravel(link.Tc if link.Tc is not None else (0, 0)))]
            if any(friction):
                joint["friction"] = {"viscous": friction[0], "coulomb": {"forward": friction[1], "backward": friction[-1]}}
        # Mass and centre of the Toolbox are in the frame behind a and alpha, the tensor is about the centre.
        centre = np.asarray(link.r if link.r is not None else np.zeros(3), dtype=float).ravel()
        tensor = np.asarray(link.I if link.I is not None else np.zeros((3, 3)), dtype=float).reshape(3, 3)
        centre, tensor = after[:3, :3] @ centre + after[:3, 3], after[:3, :3] @ tensor @ after[:3, :3].T
        tables.append({"name": name, "parent": parent, "joint": joint, **_body(float(link.m or 0), centre, tensor)})
    # The frame of `fkine`. Of several end links no one is the tool.
    last = tables[-1]["name"] if at_distal else (named[robot.ee_links[0]] if len(robot.ee_links) == 1 else None)
    end = before @ tool if at_distal else tool
    if last is not None and not np.allclose(end, np.eye(4)):
        joint = {"name": "tool_fixed", "kind": "fixed", "origin": _origin(end[:3, 3], end[:3, :3])}
        tables.append({"name": "tool", "parent": last, "joint": joint})
        last = "tool"
    return _robot(robot.name or "robot", gravity, tables, "base", tool_link=last)


def to_pinocchio(robot: Robot) -> Any:
    """The robot as a `pinocchio.Model`: joints, links as frames, inertias, limits, armature, damping, friction and gravity.

    Configurations and velocities are the same numbers in both. Rotors are part of `armature`.

    Raises:
        Error: names a joint that Pinocchio does not have, or that follows another one.
    """
    import pinocchio

    structure = robot._structure()
    model = pinocchio.Model()
    model.name = robot.name
    model.gravity.linear = np.asarray(robot.gravity_vector)
    links = {link["name"]: link for link in structure["links"]}

    def attach(name, joint, placement, frame):
        link = links[name]
        # Its constructor refuses the bodies of idealised robots, such as thin rods.
        inertia = pinocchio.Inertia.Zero()
        inertia.mass, inertia.lever, inertia.inertia = link["mass"], np.array(link["centre"]), np.array(link["inertia"])
        if link["mass"] or np.any(link["inertia"]):
            model.appendBodyToJoint(joint, inertia, placement)
        return joint, placement, model.addBodyFrame(name, joint, placement, frame)

    # Of each link its Pinocchio joint, its pose in the frame of that joint, and its Pinocchio frame.
    base = structure["links"][0]["name"]
    at = {base: attach(base, 0, pinocchio.SE3.Identity(), 0)}
    kinds = {joint["name"]: _to_pinocchio_joint(pinocchio, joint) for joint in structure["joints"] if joint["kind"] != "fixed"}
    ordered = _depth_first(structure["joints"], base)
    for joint in ordered:
        parent, pose, frame = at[joint["parent"]]
        placement = pose * pinocchio.SE3(np.array(joint["placement"]))
        if joint["kind"] == "fixed":
            fixed = pinocchio.Frame(joint["name"], parent, frame, placement, pinocchio.FrameType.FIXED_JOINT)
            at[joint["child"]] = attach(joint["child"], parent, placement, model.addFrame(fixed))
            continue
        own = model.addJoint(parent, kinds[joint["name"]], placement, joint["name"])
        at[joint["child"]] = attach(joint["child"], own, pinocchio.SE3.Identity(), model.addJointFrame(own, frame))
    if ordered != structure["joints"]:
        names = ", ".join(list(model.names)[1:])
        warnings.warn(f"joints have another order in Pinocchio, which needs branches one after the other: {names}", RobotWarning, stacklevel=3)
    # Where each joint's numbers are here, and there.
    efforts, friction, at = robot.effort_limits, robot.friction, 0
    columns = np.zeros(robot.nv, dtype=int)
    for name, kind in kinds.items():
        joint = model.joints[model.getJointId(name)]
        columns[joint.idx_v : joint.idx_v + kind.nv] = np.arange(at, at + kind.nv)
        if kind.nq == kind.nv:
            place, own = slice(joint.idx_q, joint.idx_q + kind.nq), slice(at, at + kind.nv)
            model.lowerPositionLimit[place], model.upperPositionLimit[place] = robot.lower[own], robot.upper[own]
        at += kind.nv
    backward, forward, speed = friction["coulomb_backward"][columns], friction["coulomb_forward"][columns], robot.velocity_limits[columns]
    model.armature, model.damping = robot.armature[columns], friction["viscous"][columns]
    if hasattr(model, "upperEffortLimit"):
        model.lowerEffortLimit, model.upperEffortLimit = efforts[columns, 0], efforts[columns, 1]
        model.lowerVelocityLimit, model.upperVelocityLimit = -speed, speed
        model.lowerDryFrictionLimit, model.upperDryFrictionLimit = -backward, forward
    else:
        model.effortLimit, model.velocityLimit = np.abs(efforts[columns]).min(axis=1), speed
        model.friction = np.maximum(forward, backward)
    _compare_with_pinocchio(pinocchio, robot, model, ordered == structure["joints"])
    return model


def _depth_first(joints, base):
    """The joints of a tree, each branch completely before the next one."""
    found, waiting = [], [base]
    while waiting:
        link = waiting.pop()
        if link != base:
            found += [joint for joint in joints if joint["child"] == link]
        waiting += [joint["child"] for joint in reversed(joints) if joint["parent"] == link]
    return found


def _to_pinocchio_joint(pinocchio, joint):
    if joint["follows"]:
        raise Error(f"joint `{joint['name']}` follows another joint: Pinocchio's algorithms have no such joints; lock it, or let it move freely")
    kind = joint["kind"]
    if kind in ("revolute", "prismatic"):
        unaligned = {"revolute": pinocchio.JointModelRevoluteUnaligned, "prismatic": pinocchio.JointModelPrismaticUnaligned}[kind]
        for letter, axis in _AXES.items():
            if tuple(joint["axis"]) == axis:
                return getattr(pinocchio, f"JointModel{kind[0].upper()}{letter}")()
        return unaligned(np.array(joint["axis"]))
    others = {"free": "FreeFlyer", "spherical": "Spherical", "translation": "Translation"}
    if kind not in others:
        raise Error(f"joint `{joint['name']}` is {kind}, which Pinocchio does not have with these coordinates")
    return getattr(pinocchio, f"JointModel{others[kind]}")()


def _compare_with_pinocchio(pinocchio, robot, model, same_order):
    """Warns if the torques differ: rotors can be coupled, and turn with their links."""
    rigid, data = robot.without_friction(), model.createData()
    q, v = (rigid.random(seed=1), np.linspace(0.5, 1.5, robot.nv)) if same_order else (rigid.neutral(), np.ones(robot.nv))
    ours, theirs = rigid.rnea(q, v, v), pinocchio.rnea(model, data, q if same_order else pinocchio.neutral(model), v, v)
    if not np.allclose(np.sort(ours), np.sort(theirs), rtol=1e-9, atol=1e-9 * np.abs(ours).max(initial=0)):
        warnings.warn(f"Pinocchio cannot represent all rotors of {robot.name}: torques differ", RobotWarning, stacklevel=4)


# Tables of a robot file.


def _origin(xyz, rotation):
    origin = {"xyz": [float(x) for x in np.ravel(xyz)]}
    rotation = np.asarray(rotation, dtype=float)
    if not np.array_equal(rotation, np.eye(3)):
        origin["rotation"] = [[float(x) for x in row] for row in rotation]
    return origin


def _table(name, parent, joint, mass, centre, tensor):
    return {"name": name, "parent": parent, "joint": joint, **_body(mass, centre, tensor)}


def _body(mass, centre, tensor):
    tensor = 0.5 * (np.asarray(tensor, dtype=float) + np.asarray(tensor, dtype=float).T)
    body = {"mass": float(mass)}
    if mass:
        body["centre"] = [float(x) for x in np.ravel(centre)]
    if np.any(tensor):
        numbers = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        body["inertia"] = {"about": "centre" if mass else "origin", **{key: float(tensor[at]) for key, at in numbers.items()}}
    return body


def _robot(name, gravity, links, base, *, inertia=None, tool_link=None):
    header = {"name": base}
    if inertia is not None and inertia.mass > 0:
        header |= _body(inertia.mass, inertia.lever, inertia.inertia)
    return Robot(_toml(name, gravity, links, base=header, tool_link=tool_link))


def _rotation(quaternion):
    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def _about(axis, angle):
    half = 0.5 * angle
    return _rotation([np.cos(half), *(np.sin(half) * np.asarray(axis, dtype=float) / np.linalg.norm(axis))])


def _homogeneous(rotation, translation):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, translation
    return pose


def _first(value):
    return float(np.ravel(value)[0])

"""Robots of other libraries.

Each is written as a robot file in memory, so that it has names, limits and checks as any other.
"""

from __future__ import annotations

import numpy as np

from ._errors import Error
from ._robot import Robot, _toml

#: In place of an infinite limit.
_ENDLESS = 1e300
#: Axes of joints whose kind names them.
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def from_pinocchio(model):
    """A robot from a `pinocchio.Model`: joints, inertias, limits, armature, rotors, damping, friction and gravity.

    Joints without bounds (`JointModelRUBZ`) have one coordinate, their angle, where Pinocchio has its cosine and sine. Bodies are links;
    a joint without a body has a link with its name.

    Raises:
        Error: names the joint that armdyn cannot represent.
    """
    links, names, joint_links = [], set(), {0: None}
    bodies = [f for f in model.frames if str(f.type).endswith("BODY")]

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
        v, q, nv = joint.idx_v, joint.idx_q, joint.nv
        if nv == 1 and joint.nq == 1:
            limits = {
                "lower": model.lowerPositionLimit[q],
                "upper": model.upperPositionLimit[q],
            }
        else:
            limits = {}
        if nv == 1:
            limits["speed"] = model.velocityLimit[v]
            limits["effort"] = model.effortLimit[v]
            limits = {k: float(x) for k, x in limits.items() if np.isfinite(x) and abs(x) < 1e300}
            # A limit of 0 means none.
            limits = {k: x for k, x in limits.items() if k in ("lower", "upper") or x > 0}
            if limits.get("lower", 0) == 0 and limits.get("upper", 0) == 0:
                limits.pop("lower", None), limits.pop("upper", None)
            if limits:
                kind["limits"] = limits
            drive = {"armature": float(model.armature[v])} if hasattr(model, "armature") else {}
            if model.rotorInertia[v] > 0 and model.rotorGearRatio[v] != 0:
                drive |= {"rotor": float(model.rotorInertia[v]), "gear": float(abs(model.rotorGearRatio[v]))}
            if any(drive.values()):
                kind["drive"] = drive
            friction = {"viscous": float(model.damping[v]), "coulomb": float(model.friction[v])} if hasattr(model, "damping") else {}
            if any(friction.values()):
                kind["friction"] = friction
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
    return _robot(model.name or "robot", gravity, links, base, model.inertias[0])


def _pinocchio_kind(joint, name):
    kind = joint.shortname().removeprefix("JointModel")
    if kind.startswith("Mimic") or "Composite" in kind:
        raise Error(f"joint `{name}` is a {joint.shortname()}, which armdyn cannot read from Pinocchio: load its URDF or MJCF file")
    simple = {"FreeFlyer": "free", "Spherical": "spherical", "Planar": "planar", "Translation": "translation"}
    if kind in simple:
        return {"kind": simple[kind]}
    for start, ours in [("RevoluteUnboundedUnaligned", "revolute"), ("RevoluteUnaligned", "revolute"), ("PrismaticUnaligned", "prismatic")]:
        if kind == start:
            return {"kind": ours, "axis": [float(x) for x in joint.extract().axis] if hasattr(joint, "extract") else _axis(joint)}
    for start, ours in [("RUB", "revolute"), ("R", "revolute"), ("P", "prismatic")]:
        if kind.startswith(start) and kind.removeprefix(start) in _AXES:
            return {"kind": ours, "axis": list(_AXES[kind.removeprefix(start)])}
    raise Error(f"joint `{name}` is a {joint.shortname()}, which armdyn does not have")


def _axis(joint):
    """The axis of an unaligned joint: its motion subspace."""
    data = joint.createData()
    if joint.nq == 1:
        joint.calc(data, np.zeros(joint.idx_q + 1))
    subspace = np.asarray(data.S).ravel()
    return [float(x) for x in (subspace[3:] if np.any(subspace[3:]) else subspace[:3])]


def from_mujoco(model):
    """A robot from a `mujoco.MjModel`: bodies, joints, limits, armature, damping, friction loss, actuator forces and gravity.

    Contacts, tendons, equality constraints and springs are not part of a robot. Positions are those of `qpos`.

    Raises:
        Error: if nothing moves.
    """
    import mujoco

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
    return _robot(name, np.asarray(model.opt.gravity, dtype=float), links, "world", None)


def from_roboticstoolbox(robot):
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
    for k, link in enumerate(robot.links):
        name = link.name or f"link{k + 1}"
        name = name if name not in named.values() else f"{name}_{k + 1}"
        named[link] = name
        parent = (tables[-1]["name"] if tables else "base") if at_distal else named[link.parent]
        joint = {"name": f"joint{k + 1}"}
        if at_distal:
            sliding, axis = bool(link.sigma), np.array([0.0, 0.0, 1.0])
            offset, flip = float(link.offset or 0), bool(getattr(link, "flip", False))
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
                kind = link.v.axis
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
    end = before @ tool if at_distal else tool
    if not np.allclose(end, np.eye(4)):
        joint = {"name": "tool_fixed", "kind": "fixed", "origin": _origin(end[:3, 3], end[:3, :3])}
        tables.append({"name": "tool", "parent": tables[-1]["name"], "joint": joint})
    return _robot(robot.name or "robot", gravity, tables, "base", None)


def to_pinocchio(robot):
    """The robot as a `pinocchio.Model`."""
    import pinocchio

    # Its reader takes no infinite limits: they are set afterwards.
    text = robot._convert("urdf")[0].replace('="inf"', f'="{_ENDLESS!r}"')
    model = pinocchio.buildModelFromXML(text)
    for limits in (model.effortLimit, model.velocityLimit):
        limits[limits >= _ENDLESS] = np.inf
    armature, friction = robot.armature, robot.friction
    names = {name: i for i, name in enumerate(robot.joint_names)}
    for i in range(1, model.njoints):
        joint = model.joints[i]
        v = names.get(model.names[i])
        if v is None:
            continue
        at = joint.idx_v
        model.armature[at] = armature[v]
        # Pinocchio multiplies these two into an inertia of their own.
        model.rotorInertia[at] = 0.0
        model.damping[at] = friction["viscous"][v]
        model.friction[at] = max(friction["coulomb_forward"][v], friction["coulomb_backward"][v])
    model.gravity.linear = np.asarray(robot.gravity_vector)
    model.name = robot.name
    return model


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


def _robot(name, gravity, links, base, inertia):
    header = {"name": base}
    if inertia is not None and inertia.mass > 0:
        header |= _body(inertia.mass, inertia.lever, inertia.inertia)
    return Robot(_toml(name, gravity, links, base=header))


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

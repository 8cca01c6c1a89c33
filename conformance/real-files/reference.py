"""What Pinocchio and MuJoCo make of each robot file in OUT/files: M, g and torques at random states, or why they refuse.

Written to OUT/reference, one JSON file a robot file, and OUT/packages.json with the folders that `package://` and
`$(find …)` mean, in the conventions of NOTATION.md: quaternions x, y, z, w; the
velocity of a free joint linear then angular, both in the link's axes; that of a planar joint as rates of x, y, angle.

Pinocchio: `buildModelFromUrdf` of the file as it is (a .xacro file: of what xacro makes of it), base fixed, joints that mimic kept as joints of their own, no
armature, no friction. MuJoCo: M with armature, g and torques from `qfrc_bias`; contacts, limits, springs, damping and
other passive forces are no part of either.
"""

import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

STATES = 20


def formats(path):
    """How a file is written: `urdf`, `xacro`, `mjcf`, or nothing for what is no robot."""
    if path.suffix in (".urdf", ".xacro"):
        return path.suffix[1:]
    if path.suffix in (".xml", ".mjcf"):
        try:
            for _, element in ElementTree.iterparse(path, events=("start",)):
                return "mjcf" if element.tag == "mujoco" else None
        except ElementTree.ParseError:
            return "mjcf" if "<mujoco" in path.read_text(errors="replace") else None
    return None


def turn(quaternion):
    """The rotation of a quaternion w, x, y, z."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def within(random, lower, upper):
    """A position within limits, or within ±π where there are none."""
    bounded = np.isfinite(lower) and np.isfinite(upper) and lower < upper and upper - lower < 100
    return random.uniform(lower, upper) if bounded else random.uniform(-np.pi, np.pi)


def quaternion(random):
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def expanded(path, packages):
    """The text that xacro makes of a file."""
    import xacro
    from xacro import substitution_args

    substitution_args._eval_find = lambda name: str(packages[name])
    return xacro.process_file(str(path)).toxml()


def pinocchio(path, random, text=None):
    import pinocchio as pin

    model = pin.buildModelFromXML(text) if text else pin.buildModelFromUrdf(str(path))
    data = model.createData()
    joints, states = [], []
    for k in range(1, model.njoints):
        joint = model.joints[k]
        kind = {1: "one", 3: "planar" if joint.nq == 4 else "spherical", 6: "free"}[joint.nv]
        joints.append({"name": model.names[k], "kind": kind})
    if model.nv == 0:
        return joints, states
    for _ in range(STATES):
        # `ours` are coordinates as NOTATION.md has them, v = E q̇ + what turns with it.
        q, ours, e, e_dot = pin.neutral(model), [], np.eye(model.nv), np.zeros((model.nv, model.nv))
        order = []
        qd, qdd = random.uniform(-1, 1, model.nv), random.uniform(-1, 1, model.nv)
        for k in range(1, model.njoints):
            joint, at = model.joints[k], model.idx_qs[k]
            v = model.idx_vs[k]
            order += range(v, v + joint.nv)
            if joint.nv == 1:
                x = within(random, *(limits[at] for limits in (model.lowerPositionLimit, model.upperPositionLimit)))
                if joint.nq == 2:
                    x = random.uniform(-np.pi, np.pi)
                    q[at : at + 2] = np.cos(x), np.sin(x)
                else:
                    q[at] = x
                ours.append(x)
            elif joint.nv == 6:
                position, turned = random.uniform(-1, 1, 3), quaternion(random)
                q[at : at + 7] = *position, *turned
                ours += [*position, *turned]
            elif joint.nq == 4:
                x, y, angle = random.uniform(-1, 1, 3)
                q[at : at + 4] = x, y, np.cos(angle), np.sin(angle)
                ours += [x, y, angle]
                # Pinocchio's velocity is in the link's axes.
                c, s, w = np.cos(angle), np.sin(angle), qd[v + 2]
                e[v : v + 2, v : v + 2] = [[c, s], [-s, c]]
                e_dot[v : v + 2, v : v + 2] = [[-s * w, c * w], [-c * w, -s * w]]
            else:
                raise ValueError(f"joint {model.names[k]} has {joint.nq} coordinates")
        mass = pin.crba(model, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        gravity = pin.computeGeneralizedGravity(model, data, q)
        tau = pin.rnea(model, data, q, e @ qd, e @ qdd + e_dot @ qd)
        states.append(state(ours, qd[order], qdd[order], (e.T @ mass @ e)[np.ix_(order, order)],
                            (e.T @ gravity)[order], (e.T @ tau)[order]))
    return joints, states


def mujoco(path, random):
    import mujoco as mj

    model = mj.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)
    joints, states = [], []
    for k in range(model.njnt):
        kind = ["free", "spherical", "one", "one"][model.jnt_type[k]]
        joints.append({"name": model.joint(k).name, "kind": kind, "body": model.body(model.jnt_bodyid[k]).name})
    if model.nv == 0:
        return joints, states
    for _ in range(STATES):
        # Theirs: v = E q̇, and v̇ = E (q̈ + Ė q̇).
        ours, e, turning = [], np.eye(model.nv), np.zeros(model.nv)
        qd, qdd = random.uniform(-1, 1, model.nv), random.uniform(-1, 1, model.nv)
        for k in range(model.njnt):
            at, v, kind = model.jnt_qposadr[k], model.jnt_dofadr[k], model.jnt_type[k]
            if kind == mj.mjtJoint.mjJNT_FREE:
                position, turned = random.uniform(-1, 1, 3), quaternion(random)
                data.qpos[at : at + 7] = *position, *turned
                ours += [*position, *turned[1:], turned[0]]
                # The linear velocity is the world's.
                e[v : v + 3, v : v + 3] = turn(turned)
                turning[v : v + 3] = np.cross(qd[v + 3 : v + 6], qd[v : v + 3])
            elif kind == mj.mjtJoint.mjJNT_BALL:
                turned = quaternion(random)
                data.qpos[at : at + 4] = turned
                ours += [*turned[1:], turned[0]]
            else:
                limits = model.jnt_range[k] if model.jnt_limited[k] else (-np.inf, np.inf)
                data.qpos[at] = within(random, *limits)
                # Where the body stands as the file has it, q is 0.
                ours.append(data.qpos[at])
        data.qvel[:] = 0
        mj.mj_fwdPosition(model, data)
        mj.mj_fwdVelocity(model, data)
        gravity = data.qfrc_bias.copy()
        data.qvel[:] = e @ qd
        mj.mj_fwdPosition(model, data)
        mj.mj_fwdVelocity(model, data)
        mass = np.zeros((model.nv, model.nv))
        mj.mj_fullM(model, data, mass)
        tau = mass @ (e @ (qdd + turning)) + data.qfrc_bias
        states.append(state(ours, qd, qdd, e.T @ mass @ e, e.T @ gravity, e.T @ tau))
    return joints, states


def state(q, qd, qdd, mass, gravity, tau):
    values = {"q": q, "qd": qd, "qdd": qdd, "M": mass.ravel(), "g": gravity, "tau": tau}
    return {name: [float(x) for x in value] for name, value in values.items()}


def reference(job):
    """Writes what a peer makes of one file."""
    path, name, kind, packages, to = job
    random = np.random.default_rng(zlib.crc32(name.encode()))
    found = {"file": name, "format": kind, "refused": None, "joints": [], "states": []}
    # The URDF parser prints why it refuses.
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
        try:
            if kind == "mjcf":
                found["joints"], found["states"] = mujoco(path, random)
            else:
                text = expanded(path, packages) if kind == "xacro" else None
                if text and "<link" not in text:
                    return  # Macros for other files, and no robot.
                found["joints"], found["states"] = pinocchio(path, random, text)
        except Exception as error:  # whatever a peer raises is its refusal
            printed.seek(0)
            message = f"{printed.read().decode(errors='replace')} {error}" if kind == "urdf" else str(error)
            message = " ".join(message.split()).replace(str(path.parent) + "/", "").replace(str(to.parent.parent), "…")
            # Where in its own source the parser is does not matter.
            found["refused"] = re.sub(r" at line \d+ in \S+", ";", message)[:160]
    to.write_text(json.dumps(found))


def packages_of(folder):
    """The folders of the packages that the robot files in a folder name, where they are there."""
    names, folders = set(), {}
    for path in (p for p in folder.rglob("*") if p.suffix in (".urdf", ".xacro")):
        names.update(re.findall(r"package://([^/\"]+)|\$\(find ([^)]+)\)", path.read_text(errors="replace")))
    # A folder beside the file is no package, though some write it so.
    names = {name for pair in names for name in pair if name} - {"meshes", "assets"}
    there = sorted((p for p in folder.rglob("*") if p.is_dir()), key=lambda p: len(p.parts))
    for name in sorted(names):
        # Some were renamed when they were packed.
        called = (name, name.removesuffix("_support"), name + "_description")
        folders.update({name: path for path in reversed(there) if path.name in called})
    return folders


def main(out):
    files, to = out / "files", out / "reference"
    to.mkdir(exist_ok=True)
    here = Path(__file__).parent
    made_of = "".join((here / name).read_text() for name in ("packages.txt", "peers.txt", "unpack.py", "reference.py"))
    stamp = to / ".made"
    if stamp.is_file() and stamp.read_text() == str(zlib.crc32(made_of.encode())):
        return
    for old in to.glob("*.json"):
        old.unlink()
    jobs = []
    found = {folder.name: packages_of(folder) for folder in sorted(files.iterdir())}
    for path in sorted(p for p in files.rglob("*") if p.is_file()):
        if kind := formats(path):
            name = str(path.relative_to(files))
            jobs.append((path, name, kind, found[name.split("/")[0]], to / (name.replace("/", "__") + ".json")))
    packages = {name: {k: str(p.relative_to(files)) for k, p in folders.items()} for name, folders in found.items()}
    (out / "packages.json").write_text(json.dumps(packages, indent=1))
    print("reference of", len(jobs), "files", flush=True)
    with ProcessPoolExecutor() as pool:
        list(pool.map(reference, jobs, chunksize=8))
    stamp.write_text(str(zlib.crc32(made_of.encode())))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

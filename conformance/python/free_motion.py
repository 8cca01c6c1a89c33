"""Free motion in MuJoCo: a robot that swings under gravity must move in `armdyn simulate --controller none` as it moves there.

Usage: free_motion.py ARMDYN_BINARY

Contacts, limits, friction and drives are off in both; MuJoCo takes Runge-Kutta steps of 0.1 ms.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

DURATION = 2.0
STEP = 1e-4
RATE = 10
TOLERANCE = 1e-6  # rad, m: a fourth-order step of 0.1 ms is far more accurate

FLOATING = """<mujoco model="floating"><compiler autolimits="true"/><worldbody>
  <body name="hull"><freejoint name="hull"/>
    <inertial pos="0.1 0 0.05" mass="5" fullinertia="0.3 0.4 0.5 0.01 0.02 -0.03"/>
    <body name="arm" pos="0.3 0 0.1"><joint name="ball" type="ball"/>
      <inertial pos="0.05 0.1 0.2" mass="2" fullinertia="0.05 0.04 0.03 0.001 0 0.002"/>
      <body name="hand" pos="0 0.2 0.4"><joint name="hinge" type="hinge" axis="0 1 0"/>
        <inertial pos="0.1 0 0.1" mass="1" fullinertia="0.02 0.03 0.01 0 0 0"/></body></body>
    <body name="mast" pos="-0.2 0.1 0"><joint name="mast" type="slide" axis="0.6 0 0.8"/>
      <inertial pos="0 0 0.1" mass="1.5" fullinertia="0.02 0.02 0.01 0 0 0"/></body>
  </body>
</worldbody></mujoco>"""


def converted(armdyn, robot):
    """MuJoCo's text of a bundled robot."""
    urdf = subprocess.run([armdyn, "convert", robot, "--to", "urdf"], check=True, capture_output=True, text=True).stdout
    head = urdf.index(">", urdf.index("<robot")) + 1
    options = '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
    return urdf[:head] + options + urdf[head:]


def compiled(text):
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    return model


def simulated(armdyn, robot, q, qd, folder):
    """The columns of armdyn's output, by name."""
    out = Path(folder) / "run.csv"
    line = [armdyn, "simulate", robot, "--controller", "none", "--no-stops", "--no-drives", "--duration", str(DURATION)]
    line += ["--rate", str(RATE), "--out", str(out), "--gravity", "0,0,-9.81"]
    for option, values in (("--q", q), ("--qd", qd)):
        if values:
            line += [option, ",".join(f"{name}={x!r}" for name, x in values.items())]
    subprocess.run(line, check=True, capture_output=True)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def check(armdyn, robot, text, q, qd, folder):
    model = compiled(text)
    model.opt.gravity[:] = [0, 0, -9.81]
    data = mujoco.MjData(model)
    for name, x in q.items():
        data.joint(name).qpos[:] = x
    for name, x in qd.items():
        joint, _, part = name.partition(".")
        velocities = data.joint(joint).qvel
        rotation = len(velocities) - 3
        places = {"": 0, "x": 0, "y": 1, "z": 2, "roll": rotation, "pitch": rotation + 1, "yaw": rotation + 2}
        velocities[places[part]] = x
    result = simulated(armdyn, robot, q, qd, folder)
    worst, moved = 0.0, 0.0
    for k, t in enumerate(result["t"]):
        while data.time < t - STEP / 2:
            mujoco.mj_step(model, data)
        for j in range(model.njnt):
            name = model.joint(j).name
            qpos = data.joint(name).qpos
            kind = mujoco.mjtJoint(model.jnt_type[j])
            if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                found = result[f"q_{name}"]
                worst = max(worst, abs(qpos[0] - found[k]))
                moved = max(moved, abs(found[k] - found[0]))
                continue
            quaternion = np.array([result[f"q_{name}.{part}"][k] for part in ("qw", "qx", "qy", "qz")])
            theirs = qpos[-4:]
            worst = max(worst, min(np.abs(quaternion - theirs).max(), np.abs(quaternion + theirs).max()))
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                place = np.array([result[f"q_{name}.{axis}"][k] for axis in "xyz"])
                worst = max(worst, np.abs(place - qpos[:3]).max())
    print(f"{model.njnt} joints of {Path(robot).stem}: moved by {moved:.2f}, MuJoCo is off by {worst:.1e} (m, rad) at most")
    assert moved > 0.3, "the robot must move"
    assert worst < TOLERANCE, f"{robot}: {worst}"


if __name__ == "__main__":
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        panda = dict(zip((f"panda_joint{k}" for k in range(1, 8)), (0.3, 0.8, -0.4, -1.2, 0.5, 1.9, 0.2)))
        check(binary, "panda", converted(binary, "panda"), panda, {"panda_joint1": 0.5}, folder)
        arms = converted(binary, "two-arms")
        names = [compiled(arms).joint(j).name for j in range(compiled(arms).njnt)]
        start = {name: 0.2 + 0.1 * k for k, name in enumerate(names)}
        check(binary, "two-arms", arms, start, {}, folder)
        file = Path(folder) / "floating.xml"
        file.write_text(FLOATING)
        spin = {"hull.x": 0.5, "hull.y": -0.2, "hull.roll": 1.0, "hull.yaw": -0.7, "ball.pitch": 1.5, "hinge": 2.0, "mast": 0.3}
        check(binary, str(file), FLOATING, {}, spin, folder)

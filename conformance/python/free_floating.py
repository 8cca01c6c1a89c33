"""A free-floating base in MuJoCo: the motion that `armdyn simulate --base floating` tells must be that of the torques it tells.

Usage: free_floating.py ARMDYN_BINARY

armdyn moves the arm along a prescribed motion and returns the joint torques while the base reacts. MuJoCo gets these torques, at the
instants of its Runge-Kutta stages, and nothing else: base and joints must then go the same way.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

STEP = 1e-3
TOLERANCE = 1e-4  # m, rad: required tolerance; a fourth-order Runge-Kutta step is far more accurate

CASES = [
    # robot, from, to, time
    ("ur5e", "0,-1.2,1.4,0.3,0.2,0", "1.5,-0.4,0.6,-0.8,1.0,0.7", 2.0),
    ("panda", "0,0.3,0,-1.8,0,1.5,0", "1.2,0.9,-0.5,-0.9,0.8,2.2,0.4", 1.5),
]


def floating(armdyn, robot):
    """The robot in MuJoCo with its base free, without gravity, drives, limits and contacts."""
    urdf = subprocess.run([armdyn, "convert", robot, "--to", "urdf"], check=True, capture_output=True, text=True).stdout
    head = urdf.index(">", urdf.index("<robot")) + 1
    options = '<mujoco><compiler fusestatic="false" discardvisual="true" balanceinertia="false"/></mujoco>'
    spec = mujoco.MjSpec.from_string(urdf[:head] + options + urdf[head:])
    spec.worldbody.first_body().add_freejoint()
    model = spec.compile()
    model.opt.gravity[:] = 0
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    return model


def simulated(armdyn, robot, start, end, time, folder):
    """The columns of armdyn's output, by name."""
    out = Path(folder) / "run.csv"
    move = f"from {start} to {end} in {time}"
    line = [armdyn, "simulate", robot, "--base", "floating", "--no-drives", "--move", move]
    subprocess.run([*line, "--rate", str(2 / STEP), "--out", str(out)], check=True, capture_output=True)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def check(armdyn, robot, start, end, time, folder):
    result = simulated(armdyn, robot, start, end, time, folder)
    model = floating(armdyn, robot)
    names = [model.joint(j).name for j in range(1, model.njnt)]
    tau = np.stack([result[f"tau_{name}"] for name in names], axis=1)
    q = np.stack([result[f"q_{name}"] for name in names], axis=1)
    data = mujoco.MjData(model)
    data.qpos[7:] = q[0]

    def torque(_, data):
        stage = min(round(2 * data.time / STEP), len(tau) - 1)
        data.qfrc_applied[6:] = tau[stage]

    mujoco.set_mjcb_control(torque)
    worst = 0.0
    try:
        for k in range(round(time / STEP)):
            mujoco.mj_step(model, data)
            at = 2 * (k + 1)
            place = np.abs(data.qpos[:3] - [result[axis][at] for axis in "xyz"]).max()
            quaternion = np.array([result[part][at] for part in ("qw", "qx", "qy", "qz")])
            turn = 2 * np.sqrt(max(0.0, 1 - min(1.0, abs(np.dot(quaternion, data.qpos[3:7]))) ** 2))
            joints = np.abs(data.qpos[7:] - q[at]).max()
            worst = max(worst, place, turn, joints)
    finally:
        mujoco.set_mjcb_control(None)
    moved = np.linalg.norm([result[axis][-1] for axis in "xyz"])
    print(f"{robot}: the base moved {moved:.3f} m; MuJoCo is off by {worst:.1e} (m, rad) at most")
    assert moved > 1e-2, "the base must move"
    assert worst < TOLERANCE, f"{robot}: {worst}"


if __name__ == "__main__":
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            check(binary, *case, folder)

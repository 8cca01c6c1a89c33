"""Time-optimal motion of Panda along ten random paths: armdyn against toppra (`pip install toppra pin`).

Usage: compare.py ARMDYN_BINARY

Both follow the natural cubic spline through six random waypoints, with the same limits of speed, acceleration and torque (rigid
bodies, no friction) on a grid of 1000 intervals. Prints durations, computing times and the largest excess over a limit at ten times the grid; fails
if a motion of armdyn lasts more than 0.5 % longer, exceeds a limit by more than 0.1 %, or if it takes longer to compute. The
time of armdyn is that of the whole command, which also checks the motion; that of toppra is of its computation alone.
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pinocchio
import toppra
import toppra.algorithm
import toppra.constraint

ACCELERATIONS = np.array([15, 7.5, 10, 12.5, 15, 20, 20.0])
INTERVALS = 1000
toppra.setup_logging("ERROR")


def robot(armdyn, folder):
    urdf = folder / "panda.urdf"
    subprocess.run([armdyn, "convert", "panda", "--out", urdf], check=True, capture_output=True)
    return pinocchio.buildModelFromUrdf(str(urdf))


def by_armdyn(armdyn, folder, names, waypoints, torque):
    table, out = folder / "waypoints.csv", folder / "motion.npz"
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([[f"q_{name}" for name in names], *waypoints])
    values = ",".join(map(str, ACCELERATIONS))
    command = [armdyn, "trajectory", "panda", "--waypoints", table, "--profile", "time-optimal", "--no-drives"]
    command += ["--accelerations", values, "--json", *([] if torque else ["--effort", "1e9"])]
    begun = time.perf_counter()
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    took = time.perf_counter() - begun
    if result.returncode == 2:
        sys.exit(result.stderr)
    report = json.loads(result.stdout)
    rate = 10 * INTERVALS / report["duration"]
    subprocess.run([*command, "--rate", str(rate), "--out", out], check=False, capture_output=True)
    arrays = np.load(out)
    return report["duration"], took, arrays["q"], arrays["qd"], arrays["qdd"]


def by_toppra(model, waypoints, torque):
    speeds, efforts = model.velocityLimit, model.effortLimit
    steps = np.linalg.norm(np.diff(waypoints, axis=0) / speeds, axis=1)
    parameters = np.concatenate([[0], np.cumsum(steps)])
    data = model.createData()
    begun = time.perf_counter()
    path = toppra.SplineInterpolator(parameters, waypoints, bc_type="natural")
    both = lambda x: np.stack([-x, x], axis=1)
    limits = [
        toppra.constraint.JointVelocityConstraint(both(speeds)),
        toppra.constraint.JointAccelerationConstraint(both(ACCELERATIONS)),
    ]
    if torque:
        inverse = lambda q, qd, qdd: pinocchio.rnea(model, data, q, qd, qdd)
        none = np.zeros(model.nv)
        limits.append(toppra.constraint.SecondOrderConstraint.joint_torque_constraint(
            inverse, both(efforts), none,
            discretization_scheme=toppra.constraint.DiscretizationType.Interpolation))
    grid = np.linspace(0, parameters[-1], INTERVALS + 1)
    motion = toppra.algorithm.TOPPRA(limits, path, gridpoints=grid, solver_wrapper="seidel",
                                     parametrizer="ParametrizeConstAccel").compute_trajectory(0, 0)
    took = time.perf_counter() - begun
    t = np.linspace(0, motion.duration, 10 * INTERVALS)
    return motion.duration, took, motion(t), motion(t, 1), motion(t, 2)


def excess(model, q, qd, qdd, torque):
    data = model.createData()
    worst = max(np.max(np.abs(qd) / model.velocityLimit), np.max(np.abs(qdd) / ACCELERATIONS))
    if torque:
        taus = np.array([pinocchio.rnea(model, data, *state) for state in zip(q, qd, qdd)])
        worst = max(worst, np.max(np.abs(taus) / model.effortLimit))
    return worst - 1


def main(armdyn):
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = robot(armdyn, folder)
        names = list(model.names)[1:]
        random = np.random.default_rng(1)
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        print("path limits     armdyn [s]  toppra [s]  difference [%]  armdyn [ms]  toppra [ms]  excess [%] armdyn  toppra")
        for k in range(10):
            waypoints = (low + high) / 2 + 0.4 * (high - low) * random.uniform(-1, 1, (6, model.nv))
            for torque in (False, True):
                own, took, *states = by_armdyn(armdyn, folder, names, waypoints, torque)
                theirs, took_theirs, *states_theirs = by_toppra(model, waypoints, torque)
                worst = excess(model, *states, torque)
                failed |= own > 1.005 * theirs or worst > 1e-3 or took > took_theirs
                print(f"{k:4} {'with torque' if torque else 'kinematic  '} {own:10.4f} {theirs:11.4f} "
                      f"{100 * (own / theirs - 1):15.3f} {1e3 * took:12.1f} {1e3 * took_theirs:12.1f} "
                      f"{100 * worst:18.4f} {100 * excess(model, *states_theirs, torque):7.4f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))

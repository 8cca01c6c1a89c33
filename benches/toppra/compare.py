"""Time-optimal motion of Panda along ten random paths: armdyn against toppra (`pip install toppra pin`).

Usage: compare.py ARMDYN_BINARY EXAMPLE_BINARY

The binaries are those of `cargo build --release -p armdyn-cli` and `cargo build --release -p armdyn-motion --example time_optimal`. Both tools follow the
natural cubic spline through six random waypoints on a grid of 1000 intervals, as rigid bodies without friction: under limits of speed
and acceleration, and under limits of speed and torque (60 % of the robot's). Prints durations, computing times (the best of five, for
path, constraints and solution) and the largest excess over a limit at ten times the grid; fails if a motion of armdyn lasts more than 0.5 % longer,
exceeds a limit by more than 0.1 %, or takes longer to compute.
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
RUNS = 5
INTERVALS = 1000
toppra.setup_logging("ERROR")


def robot(armdyn, folder):
    urdf = folder / "panda.urdf"
    subprocess.run([armdyn, "convert", "panda", "--out", urdf], check=True, capture_output=True)
    return pinocchio.buildModelFromUrdf(str(urdf))


def by_armdyn(armdyn, example, folder, names, waypoints, accelerations, efforts):
    table, out = folder / "waypoints.csv", folder / "motion.npz"
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([[f"q_{name}" for name in names], *waypoints])
    accelerations, efforts = (",".join(map(str, x)) for x in (accelerations, efforts))
    command = [armdyn, "trajectory", "panda", "--waypoints", table, "--profile", "time-optimal", "--no-drives"]
    command += ["--accelerations", accelerations, "--effort", efforts, "--json"]
    report = subprocess.run(command, check=False, capture_output=True, text=True)
    if report.returncode == 2:
        sys.exit(report.stderr)
    duration = json.loads(report.stdout)["duration"]
    subprocess.run([*command, "--rate", str(10 * INTERVALS / duration), "--out", out], check=False, capture_output=True)
    arrays = np.load(out)
    timed = subprocess.run([example, table, accelerations, efforts, str(RUNS)], check=True, capture_output=True, text=True)
    again, took = map(float, timed.stdout.split())
    assert abs(again / duration - 1) < 1e-9
    return duration, took, arrays["q"], arrays["qd"], arrays["qdd"]


def by_toppra(model, waypoints, accelerations, efforts):
    speeds = model.velocityLimit
    steps = np.linalg.norm(np.diff(waypoints, axis=0) / speeds, axis=1)
    parameters = np.concatenate([[0], np.cumsum(steps)])
    data, none = model.createData(), np.zeros(model.nv)
    both = lambda x: np.stack([-x, x], axis=1)
    inverse = lambda q, qd, qdd: pinocchio.rnea(model, data, q, qd, qdd)
    shortest = np.inf
    for _ in range(RUNS):
        begun = time.perf_counter()
        path = toppra.SplineInterpolator(parameters, waypoints, bc_type="natural")
        limits = [toppra.constraint.JointVelocityConstraint(both(speeds))]
        if max(accelerations) < 1e6:
            limits.append(toppra.constraint.JointAccelerationConstraint(both(accelerations)))
        if max(efforts) < 1e6:
            limits.append(toppra.constraint.SecondOrderConstraint.joint_torque_constraint(
                inverse, both(efforts), none, discretization_scheme=toppra.constraint.DiscretizationType.Interpolation))
        grid = np.linspace(0, parameters[-1], INTERVALS + 1)
        motion = toppra.algorithm.TOPPRA(limits, path, gridpoints=grid, solver_wrapper="seidel",
                                         parametrizer="ParametrizeConstAccel").compute_trajectory(0, 0)
        shortest = min(shortest, time.perf_counter() - begun)
    t = np.linspace(0, motion.duration, 10 * INTERVALS)
    return motion.duration, shortest, motion(t), motion(t, 1), motion(t, 2)


def excess(model, q, qd, qdd, accelerations, efforts):
    data = model.createData()
    taus = np.array([pinocchio.rnea(model, data, *state) for state in zip(q, qd, qdd)])
    limits = [(qd, model.velocityLimit), (qdd, accelerations), (taus, efforts)]
    return max(np.max(np.abs(values) / limit) for values, limit in limits) - 1


def main(armdyn, example):
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = robot(armdyn, folder)
        names = list(model.names)[1:]
        random = np.random.default_rng(1)
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        none = np.full(model.nv, 1e9)
        print("path limits        armdyn [s]  toppra [s]  difference [%]  armdyn [ms]  toppra [ms]  excess [%] armdyn  toppra")
        for k in range(10):
            waypoints = (low + high) / 2 + 0.4 * (high - low) * random.uniform(-1, 1, (6, model.nv))
            for kind, *limits in (("acceleration", ACCELERATIONS, none), ("torque", none, 0.6 * model.effortLimit)):
                try:
                    theirs, took_theirs, *states_theirs = by_toppra(model, waypoints, *limits)
                except Exception as error:  # noqa: BLE001: toppra raises several kinds
                    print(f"{k:4} {kind:12} toppra fails: {error}")
                    theirs, took_theirs, states_theirs = np.inf, np.inf, None
                own, took, *states = by_armdyn(armdyn, example, folder, names, waypoints, *limits)
                worst = excess(model, *states, *limits)
                worst_theirs = excess(model, *states_theirs, *limits) if states_theirs else np.nan
                failed |= own > 1.005 * theirs or worst > 1e-3 or took > took_theirs
                print(f"{k:4} {kind:12} {own:12.4f} {theirs:11.4f} {100 * (own / theirs - 1):15.3f} "
                      f"{1e3 * took:12.1f} {1e3 * took_theirs:12.1f} {100 * worst:18.3f} {100 * worst_theirs:7.3f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*(Path(x).resolve() for x in sys.argv[1:3])))

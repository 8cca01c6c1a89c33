"""Compares `armdyn range` with extremes found by another method: a dense grid, then L-BFGS-B from the best of it.

    python check.py ARMDYN ROBOTS

runs the command ARMDYN on jpl-rrp-loaded and puma560, whose files are in ROBOTS. Values must agree within 1e-6 relative
(of the maximum for gravity), and the bounds of --guaranteed must enclose ours.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
from arm import Arm
from scipy.optimize import minimize

STEPS, STARTS, CLOSE = 9, 8, 1e-6


def grid(arm):
    """A grid over all joints except the first, which rotates about the vertical and has no effect."""
    ends = [np.linspace(low, high, STEPS) for low, high in arm.ranges[1:]]
    poses = np.stack(np.meshgrid(*ends, indexing="ij"), -1).reshape(-1, len(ends))
    return np.hstack([np.full((len(poses), 1), arm.ranges[0].mean()), poses])


def apart(places):
    """The best points that are not neighbours of a better one."""
    chosen = []
    for place in places:
        if len(chosen) < STARTS and all(np.abs(place - other).max() > 1.5 / STEPS for other in chosen):
            chosen.append(place)
    return chosen


def maximum(arm, pick, sign, poses, seen):
    """The maximum of what `pick` selects, or with sign -1 the minimum."""
    if np.ptp(seen) <= 1e-12 * np.abs(seen).max():
        return seen[0]
    low, high = arm.ranges.T
    width = high - low

    def downhill(x):
        q = low + width * x
        step = 1e-5 * width
        around = np.vstack([q, q + np.diag(step), q - np.diag(step)])
        values = -sign * pick(arm.coefficients(around))
        n = len(q)
        return values[0], (values[1 : n + 1] - values[n + 1 :]) / (2.0 * step) * width

    best = (sign * seen).max()
    for start in apart((poses[np.argsort(-sign * seen)[:400]] - low) / width):
        found = minimize(downhill, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(low),
                         options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 300})
        best = max(best, -found.fun)
    return sign * best


def extremes(arm):
    """By joint: minimum and maximum D_ii, minimum and maximum |D_i|."""
    poses = grid(arm)
    parts = [arm.coefficients(part) for part in np.array_split(poses, 16)]
    inertia, gravity = (np.vstack([part[k] for part in parts]) for k in range(2))
    heaviest = np.abs(gravity).max()
    for i in range(len(arm.joints)):
        own = [maximum(arm, lambda c: c[0][:, i], sign, poses, inertia[:, i]) for sign in (-1.0, 1.0)]
        low, high = 0.0, 0.0
        # What rounding leaves of no weight at all is none.
        if np.abs(gravity[:, i]).max() > 1e-9 * heaviest:
            low, high = (maximum(arm, lambda c: c[1][:, i], sign, poses, gravity[:, i]) for sign in (-1.0, 1.0))
        smallest = 0.0 if low <= 0.0 <= high else min(abs(low), abs(high))
        yield own[0], own[1], smallest, max(abs(low), abs(high))


def result(armdyn, robot, *options):
    line = [armdyn, "range", robot, "--json", *options]
    return json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def main(armdyn, robots):
    wrong, seen = [], 0
    for robot in ("jpl-rrp-loaded", "puma560"):
        found = result(armdyn, robot)
        proven = result(armdyn, robot, "--guaranteed", "--gap", "2%", "--budget", "2s")
        for loaded, (one, bounds) in enumerate(zip(found["payloads"], proven["payloads"], strict=True)):
            arm = Arm(pathlib.Path(robots) / f"{robot}.toml", bool(loaded))
            ranges = [(r["lower"], r["upper"]) for r in found["ranges"]]
            if not np.allclose(ranges, arm.ranges, rtol=1e-12, atol=0.0):
                wrong.append(f"{robot}: the joint ranges are {ranges}, by the file {arm.ranges.tolist()}")
            for joint, with_bounds, ours in zip(one["joints"], bounds["joints"], extremes(arm), strict=True):
                names = [("inertia", "minimum"), ("inertia", "maximum"), ("gravity", "minimum"), ("gravity", "maximum")]
                for (kind, end), value in zip(names, ours, strict=True):
                    seen += 1
                    where = f"{robot}, {one['payload']}, {joint['joint']}: {end} {kind}"
                    said, bound = joint[kind][end]["value"], with_bounds[kind][end]["bound"]
                    # Gravity that is negligible for this arm is not compared.
                    slack = CLOSE * abs(value) + (1e-9 * 100.0 if kind == "gravity" else 0.0)
                    if abs(said - value) > slack:
                        wrong.append(f"{where} is {said}, by a grid and L-BFGS-B {value}")
                    beyond = value - bound if end == "maximum" else bound - value
                    if bound is None or beyond > 1e-9 * abs(value) + (1e-9 if kind == "gravity" else 0.0):
                        wrong.append(f"{where} is bounded by {bound}, but {value} was found")
    for line in wrong:
        print(f"extremes: {line}", file=sys.stderr)
    print(f"{seen} extremes of two robots by another method: {len(wrong)} disagree")
    return 1 if wrong or seen != 72 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

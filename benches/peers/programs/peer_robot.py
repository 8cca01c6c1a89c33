"""The exported robot and its states, and the measurement: as in common.hpp."""

import json
import statistics
import time

import numpy as np


class Robot:
    def __init__(self, path):
        words = open(f"{path}.txt").read().split()
        self.name, (self.nq, self.nv, count, self.states, self.checked) = words[0], map(int, words[1:6])
        self.floating = self.nq != self.nv
        words = iter(words[6:])

        def array(size):
            return np.array([float(next(words)) for _ in range(size)])

        self.gravity, self.joints = array(3), []
        for _ in range(count):
            parent, kind = int(next(words)), next(words)
            rotation, position, mass, center, (xx, xy, xz, yy, yz, zz) = array(9).reshape(3, 3), array(3), array(1)[0], array(3), array(6)
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            self.joints.append((parent, kind, rotation, position, mass, center, inertia))
        data, at, n = np.fromfile(f"{path}.states"), 0, self.nv

        def rows(count, width):
            nonlocal at
            at += count * width
            return data[at - count * width : at].reshape(count, width)

        self.q, self.qd, self.qdd, self.tau = rows(self.states, self.nq), *(rows(self.states, n) for _ in range(3))
        self.inverse, self.mass, self.forward, self.inverse_mass = (rows(self.checked, width) for width in (n, n * n, n, n * n))
        self.coriolis, self.derivatives, self.forward_derivatives = (rows(self.checked, width) for width in (n, 2 * n * n, 3 * n * n))


def error_of(expected, results):
    """The largest error, relative to the largest expected value of the state."""
    worst = 0.0
    for right, found in zip(expected, results):
        error = np.abs(np.asarray(found, float).ravel() - right).max() / np.abs(right).max()
        worst = max(worst, error if np.isfinite(error) else 1e300)
    return worst


def median(seconds, pool, call):
    """The median time of a call in rounds of about 0.1 ms or one call [ns]."""
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < 5e-3:
        call(calls % pool)
        calls += 1
    batch, times, i, start = max(1, calls // 50), [], 0, time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < seconds:
        begin = time.perf_counter_ns()
        for _ in range(batch):
            call(i)
            i = i + 1 if i + 1 < pool else 0
        times.append((time.perf_counter_ns() - begin) / batch)
    return statistics.median(times)


def report(algorithm, ns, error, **more):
    print(json.dumps({"algo": algorithm, "ns": round(ns, 2), "error": float(f"{error:.2e}"), **more}), flush=True)

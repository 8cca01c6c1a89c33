"""Times of the Python package: one state, and batches beside those of Rust and of other libraries.

    cargo build --release -p armdyn-benches
    python benches/python/compare.py target/release/armdyn-benches

Needs the package armdyn; Pinocchio (`pin`) is measured where it is installed. All series take turns, and of the rounds the minimum
counts.
"""

import argparse
import json
import subprocess
import time

import armdyn
import numpy as np

STATES = [1_000, 100_000, 1_000_000]


def per_call(f, seconds):
    """Nanoseconds per call."""
    f()
    start = time.perf_counter()
    f()
    count = max(1, int(seconds / (time.perf_counter() - start + 1e-9)))
    start = time.perf_counter()
    for _ in range(count):
        f()
    return (time.perf_counter() - start) / count * 1e9


def single(robot):
    """Calls with one state."""
    rng = np.random.default_rng(1)
    q, v, a = robot.random(seed=1), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    tau, mass = np.empty(robot.nv), np.empty((robot.nv, robot.nv))
    calls = {
        "armdyn rnea, out=": lambda: robot.rnea(q, v, a, out=tau),
        "armdyn rnea": lambda: robot.rnea(q, v, a),
        "armdyn aba": lambda: robot.aba(q, v, a),
        "armdyn crba, out=": lambda: robot.crba(q, out=mass),
        "armdyn rnea_derivatives": lambda: robot.rnea_derivatives(q, v, a),
    }
    try:
        import pinocchio
    except ImportError:
        return calls
    model = robot.to_pinocchio()
    data = model.createData()
    return calls | {
        "Pinocchio rnea": lambda: pinocchio.rnea(model, data, q, v, a),
        "Pinocchio aba": lambda: pinocchio.aba(model, data, q, v, a),
        "Pinocchio crba": lambda: pinocchio.crba(model, data, q),
        "Pinocchio computeRNEADerivatives": lambda: pinocchio.computeRNEADerivatives(model, data, q, v, a),
    }


def rust(program, name, count, seconds):
    command = [program, "--json", "--robot", name, "--algo", "inverse-batch", "--states", str(count), "--seconds", str(seconds)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])["ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the program armdyn-benches")
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    robot = armdyn.load(options.robot)

    calls, best = single(robot), {}
    for _ in range(options.rounds):
        for name, call in calls.items():
            best[name] = min(best.get(name, np.inf), per_call(call, 0.2))
    print(f"{'one state of ' + options.robot:36} ns per call")
    for name, ns in best.items():
        print(f"{name:36} {ns:11.0f}")

    print(f"\n{'inverse dynamics, ns per state':36} {'Rust':>8} {'Python':>8} {'ratio':>6} {'new array':>10} {'ratio':>6}")
    rng = np.random.default_rng(2)
    for count in STATES:
        q = robot.random(1024, seed=2)[rng.integers(0, 1024, count)]
        v, a, out = rng.normal(size=(count, robot.nv)), rng.normal(size=(count, robot.nv)), np.empty((count, robot.nv))
        times = np.full(3, np.inf)
        for _ in range(options.rounds):
            of_rust = rust(options.program, options.robot, count, 0.4)
            given = per_call(lambda: robot.rnea(q, v, a, out=out), 0.3) / count
            new = per_call(lambda: robot.rnea(q, v, a), 0.3) / count
            times = np.minimum(times, [of_rust, given, new])
        a, b, c = times
        print(f"{count:36,} {a:8.2f} {b:8.2f} {b / a:6.2f} {c:10.2f} {c / a:6.2f}")


if __name__ == "__main__":
    main()

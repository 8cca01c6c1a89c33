"""Simulation of Panda by armdyn and by MuJoCo, in one run on one core (`pip install mujoco`; needs gcc).

Usage: compare.py ARMDYN_BINARY EXAMPLE_BINARY [ROUNDS]

The binaries are those of `cargo build --release -p armdyn-cli` and `cargo build --release -p armdyn-motion --example simulation_speed`. Both tools
simulate the same robot (`armdyn convert --to mjcf`, no contacts, limits or friction) with steps of 1 ms, swinging freely or with computed torque
sampled at 1 kHz. MuJoCo is driven from C (simulate.c), with its library of the Python package: no Python is in a loop. Times are those of the
simulation alone, without starting and loading, the best of ROUNDS (10) that alternate. armdyn also records 100 samples and energies per second, and
its default integrator has joint limits on with computed torque. Fails if the final positions differ by more than rounding grows, if armdyn is slower with the
same integrator, or if computed torque runs below 300 times real time.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

# Scenario, title, simulated time, and the time after which the positions are compared [s]: free swing is chaotic, rounding grows quickly.
SCENARIOS = (("swing", "free swing", 5, 1), ("control", "computed torque", 20, 20))
TOLERANCE = 1e-9
INTEGRATORS = (("euler", "semi-implicit Euler, 1 ms"), ("rk4", "Runge-Kutta 4, 1 ms"), ("default", "Dormand-Prince 8(5,3), default"))


def build(folder):
    package = Path(mujoco.__file__).parent
    library = next(package.glob("libmujoco.so*"))
    program = folder / "simulate"
    source = Path(__file__).parent / "simulate.c"
    command = ["gcc", "-O2", "-o", program, source, f"-I{package / 'include'}", library, f"-Wl,-rpath,{package}", "-lm"]
    subprocess.run(command, check=True)
    return program


def measure(command):
    numbers = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout.split()
    return float(numbers[0]), np.array(numbers[1:], dtype=float)


def main(armdyn, example, rounds=10):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        robot = folder / "panda.xml"
        subprocess.run([armdyn, "convert", "panda", "--to", "mjcf", "--out", robot], check=True, capture_output=True)
        program = build(folder)
        print(f"times real time, the best of {rounds}; armdyn and MuJoCo {mujoco.__version__}, one core")
        print(f"{'scenario':16} {'integrator':30} {'armdyn':>8} {'MuJoCo':>8} {'ratio':>6} {'difference of ends':>19}")
        for scenario, title, seconds, compared in SCENARIOS:
            for integrator, label in INTEGRATORS:
                both = integrator != "default"
                own, theirs = [example, scenario, integrator], [program, robot, scenario, integrator]
                gap = np.abs(measure([*own, compared])[1] - measure([*theirs, compared])[1]).max() if both else np.nan
                took, took_theirs = np.inf, np.inf
                for _ in range(rounds):
                    took = min(took, measure([*own, seconds])[0])
                    if both:
                        took_theirs = min(took_theirs, measure([*theirs, seconds])[0])
                speed, speed_theirs = seconds / took, seconds / took_theirs
                theirs_text = f"{speed_theirs:8.0f} {speed / speed_theirs:6.2f} {gap:19.0e}" if both else ""
                print(f"{title:16} {label:30} {speed:8.0f} {theirs_text}", flush=True)
                failed |= both and (gap > TOLERANCE or speed < speed_theirs)
                failed |= scenario == "control" and speed < 300
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*(Path(x).resolve() for x in sys.argv[1:3]), *map(int, sys.argv[3:])))

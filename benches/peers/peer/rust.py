"""Other Rust crates: dynibo, phyz, featherstone (single precision), built for this processor. Fixed-base robots only."""

import os
import subprocess

from . import ARMS, CHAINS, PROGRAMS, Missing, Series, progress, version_of

CRATES = {"dynibo": ("0.5.3", "f64"), "phyz": ("0.4.0", "f64"), "featherstone": ("0.1.0", "f32")}


def prepare(setup):
    folder = setup.work / "rust"
    progress("building the Rust crates")
    command = ["cargo", "build", "--release", "-q", "--locked", "--manifest-path", PROGRAMS / "rust" / "Cargo.toml", "--target-dir", folder]
    if subprocess.run(command, env={**os.environ, "RUSTFLAGS": "-C target-cpu=native"}).returncode:
        raise Missing("the crates do not build")
    series = []
    for crate, (version, precision) in CRATES.items():
        setup.peers[crate] = {"version": version, "build": f"{version_of(['rustc', '--version'])}, -C target-cpu=native"}
        for section, robots in (("calls", ARMS), ("chains", CHAINS)):
            for robot in setup.selected(*robots) if setup.has(section) else []:
                command = [folder / "release" / "rust-peers", crate, setup.robot(robot), setup.options.seconds]
                series.append(Series(section, crate, "Rust", robot, command, precision=precision))
    return series

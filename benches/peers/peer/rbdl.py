"""RBDL. On no registry: measured where `--rbdl` names its installation (or where Debian's librbdl-dev is installed)."""

import pathlib
import re

from . import ARMS, CHAINS, HUMANOID, PROGRAMS, Missing, Series, version_of

NAME = "RBDL"


def prepare(setup):
    prefix = pathlib.Path(setup.options.rbdl or "/usr").resolve()
    configuration = prefix / "include" / "rbdl" / "rbdl_config.h"
    if not configuration.exists():
        raise Missing("it is on no package registry of this system; give its folder with --rbdl")
    numbers = re.search(r"RBDL_API_VERSION \(?(\d+) << 16\) \+ \((\d+) << 8\) \+ (\d+)", configuration.read_text())
    version = ".".join(numbers.groups()) if numbers else "unknown"
    clang = setup.tool("clang++-14", "clang++")
    # Eigen's allocation differs between C++14 and C++17: as the library's.
    flags = f"-O3 -march=native -std=c++14 -DNDEBUG -w -I/usr/include/eigen3 -I{prefix}/include".split()
    library = [f"-L{prefix}/lib", "-lrbdl", f"-Wl,-rpath,{prefix}/lib"]
    program = setup.build("rbdl", [clang, *flags, PROGRAMS / "rbdl.cpp", *library], "rbdl.cpp")
    setup.peers[NAME] = {"version": version, "build": f"{version_of([clang, '--version'])}, -O3 -march=native"}
    return [
        Series(section, NAME, "C++", robot, [program, setup.robot(robot), setup.options.seconds])
        for section, robots in (("calls", (*ARMS, HUMANOID)), ("chains", CHAINS)) if setup.has(section)
        for robot in setup.selected(*robots)
    ]

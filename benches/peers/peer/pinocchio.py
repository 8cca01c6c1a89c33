"""Pinocchio in C++, built for this processor with and without Eigen's vectorisation, and as its Python package is.

The headers are those of the PyPI package. Requires clang++ and Eigen (Debian: clang-14 libomp-14-dev libeigen3-dev).
"""

from . import ARMS, CHAINS, HUMANOID, PROGRAMS, Series, version_of

NAME = "Pinocchio"
VERSION = "4.1.0"
BUILDS = {"not vectorised": ("pinocchio-plain", ["-DEIGEN_DONT_VECTORIZE"]), "vectorised": ("pinocchio-vectorised", [])}
SIZES = [10**k for k in range(6)]
# Eigen's include folder of Debian; Boost's lists are too short for Pinocchio's joints.
FLAGS = """-std=c++17 -DNDEBUG -I/usr/include/eigen3 -w -fopenmp -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -DBOOST_VARIANT_USE_RELAXED_GET_BY_DEFAULT""".split()


def compiler(setup):
    return setup.tool("clang++-14", "clang++")


def headers(setup):
    return setup.site(setup.python("venv", *setup.options.packages)) / "cmeel.prefix" / "include"


def prepare(setup):
    clang = compiler(setup)
    include = headers(setup)
    setup.peers[NAME] = {"version": VERSION, "build": f"{version_of([clang, '--version'])}, -O3 -march=native; the fastest of two builds and two conventions"}
    series = []
    for label, (name, flags) in BUILDS.items():
        source = PROGRAMS / "pinocchio.cpp"
        command = [clang, "-O3", "-march=native", *flags, *FLAGS, f"-I{include}", source]
        program = setup.build(name, command, "pinocchio.cpp", "pinocchio_model.hpp")
        rename = {f"{algorithm} {convention}": (f"{label}, {convention}", algorithm) for algorithm in ("crba", "aba") for convention in ("LOCAL", "WORLD")}

        def add(section, robot, *more, cores=1):
            command = [program, setup.robot(robot), setup.options.seconds, *more]
            series.append(Series(section, NAME, label, robot, command, cores, rename=rename))

        for robot in setup.selected(*ARMS, HUMANOID) if setup.has("calls") else []:
            add("calls", robot)
        for robot in setup.selected(*CHAINS) if setup.has("chains") else []:
            add("chains", robot)
        for robot in setup.selected("panda"):
            for size in SIZES if setup.has("sizes") else []:
                add("sizes", robot, "--states", size)
            for threads in range(1, setup.options.threads + 1) if setup.has("threads") else []:
                add("threads", robot, "--states", 16_384, "--threads", threads, cores=threads)
    return series + wheel(setup)


def wheel(setup):
    """Calls from Python, of the library in the package."""
    python = setup.python("venv", *setup.options.packages)
    setup.peers["Pinocchio, Python"] = {"version": VERSION, "build": "PyPI package pin"}
    program = PROGRAMS / "pinocchio_wheel.py"
    return [
        Series("calls", "Pinocchio, Python", "wheel", robot, [python, program, setup.robot(robot), setup.options.seconds])
        for robot in (setup.selected(*ARMS, HUMANOID) if setup.has("calls") else [])
    ]

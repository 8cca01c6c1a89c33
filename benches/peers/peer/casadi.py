"""CasADi: C code from recursions over its SX, compiled by gcc; also its `map` of inverse dynamics."""

from . import ARMS, PROGRAMS, Series, version_of

NAME = "CasADi"
VERSION = "3.8.2"


def prepare(setup):
    python = setup.python("venv", *setup.options.packages)
    gcc, gxx = setup.tool("gcc"), setup.tool("g++")
    program = setup.build("casadi-run", [gxx, "-O2", "-march=native", "-std=c++17", PROGRAMS / "casadi.cpp", "-ldl"], "casadi.cpp")
    folder = setup.work / "casadi"
    folder.mkdir(exist_ok=True)
    setup.peers[NAME] = {"version": VERSION, "build": f"C code, {version_of([gcc, '--version'])}, -O3 -march=native"}
    series = []
    for robot in setup.selected(*ARMS) if setup.has("calls") else []:
        command = [python, PROGRAMS / "casadi_generate.py", setup.robot(robot), folder, gcc, "-O3", "-march=native"]
        setup.generate(NAME, folder, robot, command)
        rename = {"rnea map": ("map of 512", "rnea")}
        series.append(Series("calls", NAME, "C", robot, [program, setup.robot(robot), setup.options.seconds, folder], rename=rename))
    return series

"""CppADCodeGen on Pinocchio's algorithms. On no registry: measured where `--cppadcodegen` names a folder with the headers of it and of CppAD."""

import pathlib

from . import ARMS, PROGRAMS, Missing, Series, version_of
from .pinocchio import FLAGS, compiler, headers

NAME = "CppADCodeGen"


def prepare(setup):
    if not setup.options.cppadcodegen:
        raise Missing("it is on no package registry; give its folder with --cppadcodegen")
    prefix = pathlib.Path(setup.options.cppadcodegen).resolve()
    for header in ("cppad/cg.hpp", "cppad/cppad.hpp"):
        if not (prefix / "include" / header).exists():
            raise Missing(f"{prefix} has no include/{header}")
    clang = compiler(setup)
    library = [f"-L{prefix / 'lib'}", "-lcppad_lib", f"-Wl,-rpath,{prefix / 'lib'}", "-ldl"]
    # The generator may be slow; what it generates is compiled with all optimisations.
    command = [clang, "-O1", *FLAGS, f"-I{prefix / 'include'}", f"-I{headers(setup)}", PROGRAMS / "cppadcodegen.cpp", *library]
    program = setup.build("cppadcodegen", command, "cppadcodegen.cpp", "pinocchio_model.hpp")
    code = compiler(setup).replace("++", "")
    setup.peers[NAME] = {"version": setup.options.cppadcodegen_version, "build": f"C code of Pinocchio's algorithms, {version_of([clang, '--version'])}, -O3 -march=native -ffast-math"}
    folder = setup.work / "cppadcodegen-code"
    folder.mkdir(exist_ok=True)
    series = []
    for robot in setup.selected(*ARMS) if setup.has("calls") else []:
        setup.generate(NAME, folder, robot, [program, "generate", setup.robot(robot), folder, code])
        series.append(Series("calls", NAME, "C", robot, [program, "run", setup.robot(robot), setup.options.seconds, folder]))
    return series

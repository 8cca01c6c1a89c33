"""MuJoCo: its C library in the PyPI package, and MJX on this processor. Requires g++."""

from . import ARMS, CHAINS, HUMANOID, PROGRAMS, Missing, Series, progress

VERSION, MJX = "4.0.0", "3.17.0"


def prepare(setup):
    package = setup.site(setup.python("venv", *setup.options.packages)) / "mujoco"
    library = next(package.glob("libmujoco.so*"))
    gcc = setup.tool("g++")
    command = [gcc, "-O2", "-march=native", f"-I{package / 'include'}", PROGRAMS / "mujoco.cpp", library, f"-Wl,-rpath,{package}"]
    program = setup.build("mujoco", command, "mujoco.cpp")
    setup.peers["MuJoCo"] = {"version": VERSION, "build": "library of the PyPI package, smooth dynamics only"}
    series = [
        Series(section, "MuJoCo", "C", robot, [program, setup.robot(robot), setup.options.seconds])
        for section, robots in (("calls", (*ARMS, HUMANOID)), ("chains", CHAINS)) if setup.has(section)
        for robot in setup.selected(*robots)
    ]
    try:
        python = setup.python("venv-mjx", f"mujoco-mjx=={MJX}", "jax")
        setup.peers["MJX"] = {"version": MJX, "build": "JAX on the CPU, jit and vmap, 64-bit"}
        series += [
            Series("calls", "MJX", "batch", robot, [python, PROGRAMS / "mjx.py", setup.robot(robot), setup.options.seconds], environment={"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})
            for robot in (setup.selected("panda") if setup.has("calls") else [])
        ]
    except Missing as reason:
        progress(f"MJX is not measured: {reason}")
        setup.peers["MJX"] = {"not installed": str(reason)}
    return series

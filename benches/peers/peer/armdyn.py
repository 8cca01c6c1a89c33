"""armdyn: the recursions, compiled programs in single calls, and batches in double and single precision.

The build is the portable one, which chooses its code at run time; `AVX2` and `baseline` force narrower code.
"""

from . import ARMS, CHAINS, HUMANOID, Series, run_checked

NAME = "armdyn"
RECURSION = ["rnea", "crba", "aba", "minverse", "coriolis", "regressor", "drnea", "daba"]
COMPILED = {
    "inverse": "rnea", "mass": "crba", "forward": "aba", "inverse-mass": "minverse", "regressor": "regressor",
    "derivatives": "drnea", "forward-derivatives": "daba",
}
# Tier → prefix and suffix of the algorithm, precision.
TIERS = {"single call": ("", "-call", "f64"), "batch": ("", "-batch", "f64"), "batch, f32": ("single-", "-batch", "f32")}
STATES = 512
SIZES = [10**k for k in range(8)]


def prepare(setup):
    program = setup.options.armdyn
    setup.peers[NAME] = {"version": setup.options.version, "build": "cargo --release, portable; widest instructions of the processor at run time"}
    series = []

    def add(section, label, robot, algorithms, cores=1, precision="f64", rename=(), environment=None, more=()):
        command = [program, "--json", "--seconds", setup.options.seconds, "--robot", robot, "--algo", ",".join(algorithms), *more]
        series.append(Series(section, NAME, label, robot, command, cores, precision, environment or {}, dict(rename)))

    def compiled(tier, quantities):
        before, after, precision = TIERS[tier]
        names = {before + quantity + after: COMPILED[quantity] for quantity in quantities}
        return names, precision

    for robot in setup.selected(*ARMS, HUMANOID) if setup.has("calls") else []:
        add("calls", "recursion", robot, RECURSION)
        # The regressor and the derivatives of a humanoid are long programs: no tier of it is meant for them.
        wanted = list(COMPILED) if robot in ARMS else ["inverse", "mass", "forward", "derivatives"]
        for tier in TIERS:
            names, precision = compiled(tier, wanted)
            rename = {name: (tier, ours) for name, ours in names.items()}
            more = ["--states", STATES] if "batch" in tier else []
            add("calls", tier, robot, names, precision=precision, rename=rename, more=more)
            if robot in ARMS and tier != "single call":
                label = f"{tier}, AVX2"
                rename = {name: (label, ours) for name, ours in names.items()}
                add("calls", label, robot, names, precision=precision, rename=rename, environment={"ARMDYN_SIMD": "avx2"}, more=more)
    for robot in setup.selected(*CHAINS) if setup.has("chains") else []:
        add("chains", "recursion", robot, RECURSION)
        for tier in ("single call", "batch"):
            names, precision = compiled(tier, ["inverse"])
            add("chains", tier, robot, names, precision=precision, rename={name: (tier, ours) for name, ours in names.items()}, more=["--states", STATES])
    for robot in setup.selected("panda"):
        for tier in ("batch", "batch, f32"):
            names, precision = compiled(tier, ["inverse"])
            rename = {name: (tier, ours) for name, ours in names.items()}
            for size in SIZES if setup.has("sizes") else []:
                add("sizes", tier, robot, names, precision=precision, rename=rename, more=["--states", size])
        for threads in range(1, setup.options.threads + 1) if setup.has("threads") else []:
            names, precision = compiled("batch", ["inverse", "mass", "forward", "derivatives", "forward-derivatives"])
            rename = {name: ("batch", ours) for name, ours in names.items()}
            add("threads", "batch", robot, names, cores=threads, rename=rename, environment={"RAYON_NUM_THREADS": str(threads)}, more=["--states", 16_384])
    if setup.has("compile"):
        compile_times(setup, program)
    return series


def compile_times(setup, program):
    """Generation of the program, its check against the recursion and machine code for single calls, together."""
    from . import json

    names = {f"{quantity}-compile": ours for quantity, ours in COMPILED.items()}
    for robot in setup.selected(*ARMS):
        out = run_checked([program, "--json", "--seconds", setup.options.seconds, "--robot", robot, "--algo", ",".join(names)])
        for line in map(json.loads, out.splitlines()):
            setup.compile.append({"peer": NAME, "robot": robot, "algo": names[line["algo"]], "compile_s": round(line["ns"] * 1e-9, 5)})

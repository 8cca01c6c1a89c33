"""The ratios that armdyn aims for, and whether the results meet them."""

ARMS = {"panda": "Panda", "ur5e": "UR5e", "iiwa14": "iiwa 14"}
NAMES = {"rnea": "inverse dynamics", "crba": "M", "aba": "forward dynamics", "drnea": "∂τ/∂(q, q̇)", "daba": "∂q̈/∂(q, q̇, τ)"}
# Tier of armdyn, algorithm, how many times Pinocchio's time must be longer.
BATCH = [("batch", "rnea", 26), ("batch", "crba", 20), ("batch", "aba", 32), ("batch", "drnea", 13), ("batch", "daba", 10),
         ("batch, f32", "rnea", 50), ("batch, AVX2", "rnea", 21)]


def targets(results):
    """Rows of robot, what, limit, measured, met; those that were not measured are left out."""
    rows = []

    def at_least(robot, what, factor, slow, fast):
        if slow and fast:
            rows.append({"robot": robot, "what": what, "limit": f"≥ {factor:g}", "measured": f"{slow / fast:.2f}", "met": slow / fast >= factor})

    def at_most(robot, what, factor, own, other):
        if own and other:
            rows.append({"robot": robot, "what": what, "limit": f"≤ {factor:g}", "measured": f"{own / other:.2f}", "met": own / other <= factor})

    for robot, name in ARMS.items():
        for tier, algorithm, factor in BATCH:
            at_least(name, f"Pinocchio / {tier}: {NAMES[algorithm]}", factor, results.ns("Pinocchio", None, robot, algorithm), results.ns("armdyn", tier, robot, algorithm))
        generated = lambda algorithm: min(filter(None, (results.ns(peer, "C", robot, algorithm) for peer in ("CppADCodeGen", "CasADi"))), default=None)
        for algorithm in ("rnea", "crba", "aba"):
            at_most(name, f"single call / best generated code: {NAMES[algorithm]}", 0.5, results.ns("armdyn", "single call", robot, algorithm), generated(algorithm))
        for algorithm in ("drnea", "daba"):
            at_most(name, f"single call / CppADCodeGen: {NAMES[algorithm]}", 0.6, results.ns("armdyn", "single call", robot, algorithm), results.ns("CppADCodeGen", "C", robot, algorithm))
    for algorithm in ("rnea", "crba", "aba", "drnea"):
        at_least("Talos", f"own recursion / batch: {NAMES[algorithm]}", 8, results.ns("armdyn", "recursion", "talos_ff", algorithm), results.ns("armdyn", "batch", "talos_ff", algorithm))
    for algorithm in NAMES:
        points = dict(results.series("threads", "armdyn", "batch", "panda", algorithm, "threads"))
        at_least("Panda", f"batch on one core / on two: {NAMES[algorithm]}", 1.9, points.get(1), points.get(2))
    return rows

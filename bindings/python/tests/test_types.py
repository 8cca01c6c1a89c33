"""Types: the stubs are those of the module, and a user's program passes `mypy --strict`.

`python tests/test_types.py` writes `_analyses.pyi`, the types of the methods that are made of the commands' options.
"""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import armdyn
import pytest
from armdyn import _analyses, _armdyn, _commands

PACKAGE = Path(armdyn.__file__).parent
HEADER = '''"""The analyses of the command line as methods of robots. Written by `tests/test_types.py`."""

from typing import Any, Literal

from ._results import Result
from ._types import File, Progress, Table, Value

METHODS: dict[str, list[str]]
PROGRESS: str

def arguments(command: str) -> dict[str, dict[str, Any]]: ...

class Analyses:
'''
USER = '''
from pathlib import Path

import armdyn
import numpy as np

robot = armdyn.load(Path("panda.urdf")) if armdyn.ROBOTS == [] else armdyn.load("panda")
q = np.zeros(7)
tau = robot.rnea(q, [0.0] * 7, q)
total: float = float(tau.sum() + robot.crba(q, out=np.empty((7, 7))).trace())
heavy = robot.with_payload(2.0, centre=(0, 0, 0.1)).lock("panda_joint7", panda_joint1=0.5).with_gravity(1.62)
pose = robot.ik(robot.fk(q), start=q)
if pose.success:
    total += robot.energy(pose.q, 0 * q).kinetic
every = robot.ik([0.4, 0.0, 0.5], all=True)
first: armdyn.Pose = every[0]
by_q, by_v = robot.rnea_derivatives(q, q, q)
J = robot.jacobian(q, "panda_link7", axes="link", point=(0, 0, 0.1))
explained = robot.explain(q, by="link", progress=print)
rows = explained.torques[0].contributions
table = robot.trajectory(from_=q, to=q + 0.1, profile="time-optimal").table
if table is not None:
    robot.simulate(trajectory=table, controller="computed-torque").to_pandas().plot()
code = str(robot.emit("c", what="inverse"))
arm = armdyn.Robot.from_dh([{"a": 1.0, "mass": 1.0}], convention="modified")
same: armdyn.Robot = armdyn.from_pinocchio(robot.to_pinocchio())
try:
    robot.gravity([np.nan] * 7)
except armdyn.StateError as error:
    print(error.rows, error.reasons)
robot.view(q).save("panda.html")
'''
WRONG = '''
import armdyn
robot = armdyn.load("panda")
robot.explain(by="colour")
robot.range(guaranteed="yes")
robot.range(gaps=1)
robot.ik([0.0, 0.0, 0.5]).qs
robot.jacobian([0.0] * 7, axes="tool")
'''


def stub():
    """The text of `_analyses.pyi`."""
    text = HEADER
    for command, positional in _analyses.METHODS.items():
        lines, named = [], False
        for name, option in _analyses.arguments(command).items():
            if name not in positional and not named:
                lines.append("*,")
                named = True
            if option["flag"]:
                lines.append(f"{name}: bool = False,")
                continue
            if option["choices"]:
                kind = f"Literal[{', '.join(repr(choice) for choice in option['choices'])}]".replace("'", '"')
            elif option["name"] in _commands.TABLES:
                kind = "Table"
            else:
                kind = "File" if option["value"] in ("FILE", "DIR") else "Value"
            lines.append(f"{name}: {kind} | None = None,")
        if not named:
            lines.append("*,")
        lines.append("progress: Progress | None = None,")
        text += f"    def {command}(\n        self,\n" + "".join(f"        {line}\n" for line in lines) + "    ) -> Result: ...\n"
    return text


def test_the_stub_of_the_analyses():
    written = (PACKAGE / "_analyses.pyi").read_text(encoding="utf-8")
    assert written == stub(), "run `python tests/test_types.py`"


def compare_class(described, stub):
    """The methods and properties of a class, with their arguments and defaults."""
    methods = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    own = {name for name in vars(described) if not name.startswith("__") or name == "__new__"}
    assert own == set(methods)
    for name, node in methods.items():
        if any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list):
            assert not callable(getattr(described, name)), name
            continue
        found = inspect.signature(described if name == "__new__" else getattr(described, name))
        names = [p for p in found.parameters if p != "self"]
        stubbed = [a.arg for a in node.args.args if a.arg not in ("self", "cls")] + [a.arg for a in node.args.kwonlyargs]
        assert names == stubbed, name
        positional = [p.name for p in found.parameters.values() if p.kind != p.KEYWORD_ONLY and p.name != "self"]
        assert len(positional) == len(stubbed) - len(node.args.kwonlyargs), name
        defaults = [p.default for p in found.parameters.values() if p.default is not p.empty]
        given = [ast.literal_eval(d) for d in [*node.args.defaults, *node.args.kw_defaults] if d is not None]
        assert defaults == given, name


def test_the_stub_of_the_native_module():
    """Each name of the module is in the stub, with the same arguments, and nothing else is."""
    tree = ast.parse((PACKAGE / "_armdyn.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and hasattr(_armdyn, node.name)}
    for name, node in classes.items():
        compare_class(getattr(_armdyn, name), node)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names = {name for name in vars(_armdyn) if not name.startswith("__")}
    variables = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and node.value is None}
    assert names == set(functions) | set(classes) | (variables - {"__version__"})
    for name, node in functions.items():
        assert list(inspect.signature(getattr(_armdyn, name)).parameters) == [a.arg for a in node.args.args]


def mypy(tmp_path, program, *options):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent", "--cache-dir", str(tmp_path / "cache"), *options, "program.py"]
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)} if "site-packages" not in str(PACKAGE) else None
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)


def test_a_program_of_a_user(tmp_path):
    done = mypy(tmp_path, USER)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = mypy(tmp_path, WRONG).stdout
    for line, words in [(4, '"by"'), (5, '"guaranteed"'), (6, '"gaps"'), (7, '"qs"'), (8, '"axes"')]:
        assert any(text.startswith(f"program.py:{line}:") and words in text for text in wrong.splitlines()), wrong


if __name__ == "__main__":
    (PACKAGE / "_analyses.pyi").write_text(stub(), encoding="utf-8")

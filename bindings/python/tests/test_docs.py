"""The examples of docstrings and documents run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import armdyn
import numpy as np
import pytest
from armdyn import _armdyn

OPTIONAL = {"_jax": "jax", "_torch": "torch"}
MODULES = [m.name for m in pkgutil.iter_modules(armdyn.__path__) if m.name not in ("_armdyn", "__main__")] + [None]
DOCS = Path(__file__).parents[3] / "docs"


def run(found, name):
    np.set_printoptions(legacy=False)
    namespace = {"armdyn": armdyn, "np": np, "robot": armdyn.load("panda"), "q": np.array([0, -0.7, 0, -2, 0, 1.5, 0.8])}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    count = 0
    for test in found:
        test.globs = dict(namespace)
        failed, tried = runner.run(test)
        assert failed == 0, f"{name}: {test.name}"
        count += tried
    return count


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    module = importlib.import_module(f"armdyn.{name}" if name else "armdyn")
    run(doctest.DocTestFinder().find(module), name)


def test_each_quantity_has_an_example():
    for name in [n for n in dir(_armdyn.Robot) if not n.startswith("_")]:
        method = getattr(_armdyn.Robot, name)
        assert method.__doc__, name
        if callable(method):
            parser = doctest.DocTestParser()
            test = parser.get_doctest(method.__doc__, {}, name, None, 0)
            assert run([test], name) or name in ("parameters", "neutral", "integrate", "difference"), name


def blocks(path):
    """The Python blocks of a document, one after the other."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S))


@pytest.mark.parametrize("name", ["how-to/python.md", "../bindings/python/README.md"])
def test_document(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(DOCS / name), name, "exec"), {"__name__": "document"})


PEERS = [("from-pinocchio", ["pinocchio"]), ("from-robotics-toolbox", ["roboticstoolbox"]), ("from-mujoco", ["mujoco", "pybullet"])]


@pytest.mark.parametrize("name, peers", PEERS)
@pytest.mark.filterwarnings("ignore::armdyn.RobotWarning")
def test_migration(name, peers, tmp_path, monkeypatch):
    """The blocks of a migration page run, and both columns of its tables have the same values."""
    for peer in peers:
        pytest.importorskip(peer)
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "how-to" / f"{name}.md").read_text(encoding="utf-8")
    namespace, compared = {"__name__": "document"}, 0
    for found in re.finditer(r"^```python\n(?P<code>.*?)^```|^\| (?P<row>`[^\n]*) \|$", text, re.M | re.S):
        if found["code"]:
            exec(compile(found["code"], name, "exec"), namespace)
            continue
        cells = [re.match("`(.*?)`", cell)[1] for cell in found["row"].split(" | ")]
        theirs, ours = (np.asarray(eval(cell, namespace), dtype=float) for cell in cells)
        assert theirs.shape == ours.shape, cells
        assert np.abs(theirs - ours).max() <= 1e-10 * max(1, np.abs(theirs).max()), cells
        compared += 1
    assert compared >= 10

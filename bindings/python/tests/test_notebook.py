"""A notebook: what its cells show."""

import re

import pytest

CELLS = [
    "import armdyn, numpy as np\nrobot = armdyn.load('panda')\nq = np.array([0, -0.7, 0, -2, 0, 1.5, 0.8])\nrobot",
    "robot.explain(q)",
    "armdyn.load('lin-rr').derive()",
    "armdyn.load('lin-rr').trace('newton-euler', symbolic=True)",
    "robot.view(q)",
    "robot.check()",
    "move = robot.trajectory(from_=q, to=q + 0.2)\naxes = move.plot()",
    "move.to_pandas().head()",
    "sized = robot.size(random_moves=3, progress=True)",
    "robot.explain([9.0] * 6)",
]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The executed notebook; also `notebook.html`, as `jupyter nbconvert` makes it."""
    for needed in ("matplotlib", "pandas", "tqdm", "ipykernel"):
        pytest.importorskip(needed)
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(made, timeout=120, allow_errors=True).execute()
    return made


def shown(notebook, cell):
    """What a cell shows: its texts by type."""
    found = {}
    for output in notebook.cells[CELLS.index(cell)].outputs:
        assert output.output_type != "error", output
        found.update(output.get("data", {}))
        if output.output_type == "stream":
            found[output.name] = found.get(output.name, "") + output.text
    return found


def test_a_robot(notebook):
    html = shown(notebook, CELLS[0])["text/html"]
    assert "<svg" in html and html.count("<table") >= 2 and "panda_joint4" in html


def test_where_torques_come_from(notebook):
    html = shown(notebook, CELLS[1])["text/html"]
    # Bars of the contributions.
    assert html.count("<rect") >= 6 and "<table" in html


@pytest.mark.parametrize("cell", CELLS[2:4])
def test_equations(notebook, cell):
    data = shown(notebook, cell)
    assert "$$" in data["text/markdown"] and "text/html" not in data and "$$" not in data["text/plain"]


def test_a_scene(notebook):
    html = shown(notebook, CELLS[4])["text/html"]
    assert re.match(r'<iframe srcdoc="[^"]*" style="[^"]*" sandbox="allow-scripts"></iframe>$', html, re.S)


def test_no_colours_of_a_terminal(notebook):
    assert not any("\x1b" in text for cell in CELLS[:6] for text in shown(notebook, cell).values())


def test_plots_and_tables(notebook):
    assert "image/png" in shown(notebook, CELLS[6])
    assert "q_panda_joint1" in shown(notebook, CELLS[7])["text/html"]


def test_a_bar(notebook):
    outputs = notebook.cells[8].outputs
    assert outputs and "size" in str(outputs)


def test_an_error(notebook):
    (error,) = notebook.cells[9].outputs
    assert error.ename == "Error" and "7" in error.evalue

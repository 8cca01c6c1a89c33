"""What calls return."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from numpy.typing import NDArray


class Energy(NamedTuple):
    """Energies [J]: numbers, or arrays of one per state."""

    kinetic: Any
    potential: Any


class Momentum(NamedTuple):
    """Linear momentum [kg m/s], and angular momentum about the centre of mass [kg m²/s]."""

    linear: NDArray[np.floating[Any]]
    angular: NDArray[np.floating[Any]]


class Pose(NamedTuple):
    """Joint positions for a pose of the tool.

    Attributes:
        q: joint positions.
        success: whether the pose was reached within limits.
        position_error: distance from the wanted position [m].
        rotation_error: angle from the wanted orientation [rad].
        iterations: of all starts; 0 for a closed form.
        starts: number of starting configurations.
    """

    q: NDArray[np.float64]
    success: bool
    position_error: float
    rotation_error: float
    iterations: int
    starts: int


class Record(dict[str, Any]):
    """An object of a result: its fields are attributes and keys."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no field `{name}`; there are {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


def parse(text: str) -> Any:
    """JSON with objects as records, and rectangular lists of numbers as arrays."""
    return _arrays(json.loads(text, object_hook=Record))


def _arrays(value: Any) -> Any:
    if isinstance(value, dict):
        for key in value:
            value[key] = _arrays(value[key])
    elif isinstance(value, list) and value:
        value = [_arrays(x) for x in value]
        kinds = {type(x) for x in value}
        if kinds <= {float, int}:
            return np.array(value)
        if kinds <= {float, int, type(None)} and kinds & {float, int}:
            return np.array([np.nan if x is None else x for x in value], dtype=float)
        if kinds == {np.ndarray} and len({x.shape for x in value}) == 1:
            return np.array(value)
    return value


#: Analyses that a notebook shows with their plots: computing them again takes no time.
PICTURED = {"explain", "tipover", "deflect"}
STYLE = """<style>
.armdyn table { border-collapse: collapse; margin: .5em 0 }
.armdyn th, .armdyn td { padding: .15em .7em; font-variant-numeric: tabular-nums }
.armdyn .left, .armdyn .long { text-align: left !important }
.armdyn .right { text-align: right !important }
.armdyn.explain td.left:last-child { font-family: monospace; white-space: pre }
.armdyn svg { max-width: 100%; height: auto; background: #fff }
.armdyn pre { white-space: pre; overflow-x: auto }
</style>"""


class Result:
    """The result of an analysis.

    Its fields are those of the command's `--json`, as attributes; `print(result)` shows the command's text, a notebook its tables.

    Attributes:
        data: all fields, as a dictionary.
        table: samples over time or states, as a dictionary of arrays; None if the analysis has none.
        messages: warnings and notes, as pairs of a level and a text.
        partial: whether the computation was ended early.
        ok: whether all requirements hold: `check` found nothing, `size` no exceeded limit, …
    """

    def __init__(
        self,
        command: str,
        reply: dict[str, Any],
        table: dict[str, NDArray[Any]] | None = None,
        replot: Callable[[], dict[str, Any]] | None = None,
        markdown: Callable[[], str] | str | None = None,
        joints: tuple[str, ...] | list[str] = (),
    ) -> None:
        self.command = command
        self._joints = list(joints)
        self.data: Any = parse(reply["json"])
        self.table = table
        self.messages: list[tuple[str, str]] = reply["messages"]
        self.partial: bool = reply["partial"]
        self.ok = reply["exit_code"] == 0
        self._text: str = reply["text"]
        self._html: str = reply["html"]
        self._charts: list[dict[str, Any]] = json.loads(reply["charts"])
        self._replot = replot
        self._markdown = markdown

    def __getattr__(self, name: str) -> Any:
        data = self.__dict__.get("data")
        if isinstance(data, dict) and name in data:
            return data[name]
        fields = ", ".join(data) if isinstance(data, dict) else ""
        raise AttributeError(f"the result of `{self.__dict__.get('command')}` has no field `{name}`; there are {fields}")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self.data if isinstance(self.data, dict) else ())]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_markdown_(self) -> str | None:
        # Equations, which a notebook typesets with MathJax.
        if self._markdown is None:
            return None
        if callable(self._markdown):
            self._markdown = self._markdown()
        return self._markdown

    def _repr_html_(self) -> str | None:
        if self._markdown is not None:
            return None
        if self.command in PICTURED:
            self.charts
        return f'{STYLE}<div class="armdyn {self.command}">{self._html or f"<pre>{html.escape(self._text)}</pre>"}</div>'

    def __getstate__(self) -> dict[str, Any]:
        # A pickled result does not compute plots again: it carries them.
        self.charts
        return {**self.__dict__, "_replot": None, "_markdown": self._repr_markdown_()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def charts(self) -> list[dict[str, Any]]:
        """The data of the plots, as dictionaries; empty if the analysis has no plots."""
        if not self._charts and self._replot is not None:
            replot, self._replot = self._replot, None
            reply = replot()
            self._charts = json.loads(reply["charts"])
            if self.command in PICTURED:
                self._html = reply["html"]
        return self._charts

    def plot(self, which: int | str | None = None, *, ax: Any = None) -> Any:
        """Draws the plots with matplotlib.

        Args:
            which: the number or a part of the title of one plot; by default all.
            ax: axes for one plot.

        Returns:
            The axes, or a list of the axes of each plot.
        """
        from . import _plot

        if not self.charts:
            raise ValueError(f"`{self.command}` has no plot of this result")
        charts = self.charts
        if isinstance(which, int):
            charts = [charts[which]]
        elif which is not None:
            charts = [chart for chart in charts if which.lower() in _plot.title(chart).lower()]
            if not charts:
                titles = ", ".join(repr(_plot.title(chart)) for chart in self.charts)
                raise ValueError(f"no plot has {which!r} in its title; there are {titles}")
        if ax is not None and len(charts) > 1:
            raise ValueError(f"there are {len(charts)} plots for one `ax`: choose one with `which`")
        axes = [_plot.draw(chart, ax) for chart in charts]
        return axes[0] if len(axes) == 1 else axes

    def columns(self) -> dict[str, Any]:
        """The table as columns of one number per row, named as in files: `q_JOINT`, `tau_JOINT`, …"""
        if self.table is not None:
            columns = {}
            for key, values in self.table.items():
                if values.ndim == 1:
                    columns[key] = values
                    continue
                values = values.reshape(len(values), -1)
                names = self._joints if values.shape[1] == len(self._joints) else range(values.shape[1])
                columns.update({f"{key}_{name}": values[:, i] for i, name in enumerate(names)})
            return columns
        rows = next((v for v in self.data.values() if _is_table(v)), None) if isinstance(self.data, dict) else self.data
        if not _is_table(rows):
            raise ValueError(f"the result of `{self.command}` is not a table: use its fields")
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [row.get(name) for row in rows] for name in names}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_arrow(self) -> pyarrow.Table:
        """The table as a pyarrow Table."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(values) for name, values in self.columns().items()})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table for libraries that read Arrow: polars, pyarrow, DuckDB, pandas."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)

"""Plots of results with matplotlib. Colours are those of armdyn's own plots (Okabe and Ito 2008; viridis)."""

from __future__ import annotations

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
DASHES = ["-", "--", "-.", ":"]


def title(chart):
    data = chart["data"]
    return data["title"] if "title" in data else data["figure"]["title"]


def draw(chart, ax=None):
    """Draws a chart into axes, or into a new figure. Returns the axes."""
    import matplotlib.pyplot as plt

    kind, data = chart["kind"], chart["data"]
    if kind == "panels":
        return _panels(plt, data)
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
    {"chart": _chart, "map": _map, "drawing": _drawing}[kind](ax, data)
    return ax


def _panels(plt, data):
    columns = min(data["columns"], len(data["charts"]) or 1)
    rows = -(-len(data["charts"]) // columns)
    width = 8 if columns == 1 else 4.5 * columns
    figure, axes = plt.subplots(rows, columns, figsize=(width, 2.4 * rows + 0.6), squeeze=False, layout="constrained")
    figure.suptitle(data["title"])
    axes = list(axes.flat)
    for ax, chart in zip(axes, data["charts"]):
        _chart(ax, chart)
    for ax in axes[len(data["charts"]):]:
        ax.set_visible(False)
    return axes[: len(data["charts"])]


def _label(axis):
    return f"{axis['label']} [{axis['unit']}]" if axis["unit"] else axis["label"]


def _frame(ax, figure):
    ax.set_title(figure["title"], fontsize=11)
    ax.set_xlabel(_label(figure["x"]))
    ax.set_ylabel(_label(figure["y"]))
    if figure["x"]["range"]:
        ax.set_xlim(figure["x"]["range"])
    if figure["y"]["range"]:
        ax.set_ylim(figure["y"]["range"])


def _marks(ax, marks):
    for i, mark in enumerate(marks):
        x, y = mark["at"]
        ax.plot([x], [y], "osD^v*"[i % 6], color="black", label=mark["name"], zorder=5)


def _legend(ax):
    handles, labels = ax.get_legend_handles_labels()
    unique = dict(zip(labels, handles))
    if unique:
        ax.legend(unique.values(), unique.keys(), fontsize=8)


def _chart(ax, data):
    figure = data["figure"]
    if data["bars"]:
        return _bars(ax, figure, data["bars"])
    if data["areas"]:
        _areas(ax, data["areas"])
    for k, curve in enumerate(data["curves"]):
        x = [p[0] if p[0] is not None else float("nan") for p in curve["points"]]
        y = [p[1] if p[1] is not None else float("nan") for p in curve["points"]]
        colour = "black" if data["areas"] else COLOURS[k % len(COLOURS)]
        ax.plot(x, y, DASHES[k // len(COLOURS) % len(DASHES)], color=colour, label=curve["name"], linewidth=1.4)
    for rule in data["rules"]:
        low, high = rule["from"], rule["to"]
        if low == high:
            (ax.axvline if rule["across_x"] else ax.axhline)(low, color="grey", linestyle="--", linewidth=1, label=rule["name"])
        else:
            (ax.axvspan if rule["across_x"] else ax.axhspan)(low, high, color="grey", alpha=0.15, label=rule["name"])
    _marks(ax, figure["marks"])
    ax.grid(alpha=0.25)
    _frame(ax, figure)
    _legend(ax)


def _bars(ax, figure, bars):
    import numpy as np

    groups, series = bars["groups"], bars["series"]
    at = np.arange(len(groups), dtype=float)
    height = 0.8 if bars["stacked"] else 0.8 / max(len(series), 1)
    positive, negative = np.zeros(len(groups)), np.zeros(len(groups))
    for k, (name, values) in enumerate(series):
        values = np.array([0.0 if v is None else v for v in values] + [0.0] * (len(groups) - len(values)))
        colour = COLOURS[k % len(COLOURS)]
        if bars["stacked"]:
            ax.barh(at, values, height, left=np.where(values >= 0, positive, negative), color=colour, label=name)
            positive += np.maximum(values, 0)
            negative += np.minimum(values, 0)
        else:
            ax.barh(at - 0.4 + height * (k + 0.5), values, height, color=colour, label=name)
    ax.set_yticks(at, groups)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(axis="x", alpha=0.25)
    ax.set_title(figure["title"], fontsize=11)
    ax.set_xlabel(_label(figure["x"]))
    _legend(ax)


def _areas(ax, areas):
    import numpy as np

    x = np.array(areas["x"])
    low, high = np.zeros(len(x)), np.zeros(len(x))
    for k, (name, values) in enumerate(areas["series"]):
        values = np.array([0.0 if v is None else v for v in values])
        up, down = high + np.maximum(values, 0), low + np.minimum(values, 0)
        colour = COLOURS[k % len(COLOURS)]
        ax.fill_between(x, high, up, color=colour, alpha=0.8, linewidth=0, label=name)
        ax.fill_between(x, low, down, color=colour, alpha=0.8, linewidth=0)
        low, high = down, up


def _map(ax, data):
    import numpy as np

    figure = data["figure"]
    cells = np.array([np.nan if c is None else c for c in data["cells"]], dtype=float)
    columns = data["columns"]
    rows = -(-len(cells) // columns)
    cells = np.concatenate([cells, np.full(rows * columns - len(cells), np.nan)]).reshape(rows, columns)
    extent = [*figure["x"]["range"], *figure["y"]["range"]]
    limits = data["value"]["range"] or (None, None)
    image = ax.imshow(cells, origin="lower", extent=extent, aspect="auto", cmap="viridis", vmin=limits[0], vmax=limits[1])
    ax.figure.colorbar(image, ax=ax, label=_label(data["value"]))
    for name, points in data["outlines"]:
        ax.plot([p[0] for p in points], [p[1] for p in points], color="black", linewidth=1, label=name)
    _marks(ax, figure["marks"])
    _frame(ax, figure)
    _legend(ax)


def _drawing(ax, data):
    styles = {
        "body": {"color": "grey", "linewidth": 4, "solid_capstyle": "round"},
        "thin": {"color": "grey", "linewidth": 0.8},
        "dashed": {"color": "grey", "linewidth": 0.8, "linestyle": "--"},
    }
    for shape in data["shapes"]:
        x, y = [p[0] for p in shape["points"]], [p[1] for p in shape["points"]]
        style, label = shape["style"], shape["name"] or None
        if style == "area":
            ax.fill(x, y, alpha=0.2, color=COLOURS[0], label=label)
        elif isinstance(style, dict):
            (kind, k), = style.items()
            colour = ["#D55E00", "#009E73", "#0072B2"][k % 3] if kind == "axis" else COLOURS[k % len(COLOURS)]
            ax.plot(x, y, color=colour, label=label, linewidth=1.4)
        else:
            ax.plot(x, y, label=label, **styles[style])
    for label in data["labels"]:
        ax.annotate(label["name"], label["at"], textcoords="offset points", xytext=(4, 4), fontsize=8)
    _marks(ax, data["figure"]["marks"])
    _frame(ax, data["figure"])
    ax.set_aspect("equal")
    if not data["axes"]:
        ax.axis("off")
    _legend(ax)

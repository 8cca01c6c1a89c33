"""Charts as SVG, in the style of armdyn's own: the text follows the page's colours, light or dark."""

import html
import math

WIDTH, LEFT, RIGHT, TOP = 720, 76, 20, 40
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f", "#b22222")
STYLE = ("<style>svg.armdyn:root{color:#1f2328;background:#fff}@media screen and (prefers-color-scheme:dark)"
         "{svg.armdyn:root{color:#e6edf3;background:#0d1117}}</style>")


class Drawing:
    def __init__(self, title, height):
        self.height, self.lines = height, []
        self.title = title
        self.text(WIDTH / 2, 22, title, 15)

    def text(self, x, y, text, size=12, anchor="middle", more=""):
        self.lines.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{more}>{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, opacity):
        self.lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" stroke-opacity="{opacity}"/>')

    def add(self, line):
        self.lines.append(line)

    def finish(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" class="armdyn" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" height="{self.height}" role="img" '
                f'aria-label="{html.escape(self.title)}" fill="currentColor" font-family="\'Segoe UI\', \'Helvetica Neue\', \'DejaVu Sans\', sans-serif">')
        return "\n".join([head, STYLE, *self.lines, "</svg>"]) + "\n"


def tick_label(x):
    power = round(math.log10(x))
    if x >= 10_000 and abs(x - 10.0**power) < 1e-6 * x:
        return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))
    return f"{x:g}"


def ticks(low, high):
    """Round numbers of a logarithmic axis: powers of ten, with 2 and 5 if there are few."""
    steps = (1,) if high / low > 3e3 else (1, 2, 5)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [x for x in (step * 10.0**power for power in powers for step in steps) if low * 0.999 <= x <= high * 1.001]


def marker(kind, x, y, colour):
    if kind % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    if kind % 3 == 1:
        return f'<rect x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - 4.2:.1f}l4 7h-8z" fill="{colour}"/>'


def legend(drawing, names, y):
    """Entries in rows of three."""
    for k, name in enumerate(names):
        x, row = LEFT + (k % 3) * 215, y + 18 * (k // 3)
        drawing.add(f'<line x1="{x}" y1="{row - 4}" x2="{x + 24}" y2="{row - 4}" stroke="{COLOURS[k % len(COLOURS)]}" stroke-width="2"/>')
        drawing.add(marker(k, x + 12, row - 4, COLOURS[k % len(COLOURS)]))
        drawing.text(x + 30, row, name, anchor="start")


def lines(title, x_label, y_label, series, x_ticks=None):
    """Curves over logarithmic axes. `series` maps a name to a list of (x, y)."""
    rows = (len(series) + 2) // 3
    plot, height = 260, TOP + 260 + 56 + 18 * rows
    drawing = Drawing(title, height)
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    x_range, y_range = (min(xs), max(xs)), (min(ys) / 1.15, max(ys) * 1.15)

    def place(value, bounds, start, length):
        return start + length * math.log(value / bounds[0]) / math.log(bounds[1] / bounds[0])

    at_x = lambda x: place(x, x_range, LEFT, WIDTH - LEFT - RIGHT)
    at_y = lambda y: place(y, y_range, TOP + plot, -plot)
    for x in x_ticks or ticks(*x_range):
        drawing.line(at_x(x), TOP, at_x(x), TOP + plot, 0.14)
        drawing.text(at_x(x), TOP + plot + 17, tick_label(x))
    for y in ticks(*y_range):
        drawing.line(LEFT, at_y(y), WIDTH - RIGHT, at_y(y), 0.14)
        drawing.text(LEFT - 8, at_y(y) + 4, tick_label(y), anchor="end")
    drawing.line(LEFT, TOP + plot, WIDTH - RIGHT, TOP + plot, 0.6)
    drawing.line(LEFT, TOP, LEFT, TOP + plot, 0.6)
    drawing.text((LEFT + WIDTH - RIGHT) / 2, TOP + plot + 36, x_label)
    middle = TOP + plot / 2
    drawing.text(18, middle, y_label, more=f' transform="rotate(-90 18 {middle:.1f})"')
    for k, points in enumerate(series.values()):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in points)
        drawing.add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        drawing.lines += [marker(k, at_x(x), at_y(y), colour) for x, y in points]
    legend(drawing, series, TOP + plot + 60)
    return drawing.finish()


def bars(title, x_label, values):
    """Horizontal bars over a logarithmic axis, the smallest first. `values`: (name, value, whether it is ours)."""
    values = sorted(values, key=lambda value: value[1])
    left, plot = 200, 22 * len(values)
    drawing = Drawing(title, TOP + plot + 50)
    numbers = [value for _, value, _ in values]
    low, high = 10 ** math.floor(math.log10(min(numbers))), max(numbers) * 2
    at = lambda x: left + (WIDTH - left - RIGHT) * math.log(x / low) / math.log(high / low)
    for x in ticks(low, high):
        drawing.line(at(x), TOP, at(x), TOP + plot, 0.14)
        drawing.text(at(x), TOP + plot + 17, tick_label(x))
    for k, (name, value, own) in enumerate(values):
        y = TOP + 22 * k
        drawing.text(left - 8, y + 15, name, anchor="end")
        drawing.add(f'<rect x="{left}" y="{y + 4}" width="{at(value) - left:.1f}" height="14" fill="{COLOURS[0 if own else 1]}"/>')
        drawing.text(at(value) + 6, y + 15, number(value), anchor="start")
    drawing.line(left, TOP, left, TOP + plot, 0.6)
    drawing.text((left + WIDTH - RIGHT) / 2, TOP + plot + 36, x_label)
    return drawing.finish()


def number(x):
    """Three significant digits at least, no exponent."""
    digits = 0 if x >= 100 else 1 if x >= 10 else 2 if x >= 1 else 3
    return f"{x:.{digits}f}"

"""Plots as SVG that stands in a page: by matplotlib where it is installed, by hand where it is not.

Colors are those of the page (CSS variables), so that a plot follows its choice of dark or light.
"""

import html
import io
import math
import re

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
except ImportError:
    matplotlib = None

# What stands in the SVG of matplotlib for a variable of the page.
COLORS = {"#010203": "var(--text)", "#010204": "var(--faint)", "#010205": "var(--line)"}
TEXT, FAINT, LINE = COLORS
SERIES = [f"#01030{i}" for i in range(8)]
COLORS |= {color: f"var(--series{i})" for i, color in enumerate(SERIES)}
WIDTH = 860


def ratios(series):
    """A row for each name, a point for each series: {series: {name: ratio}}. The axis is logarithmic, with a line at 1."""
    names = list(dict.fromkeys(name for points in series.values() for name in points))
    return (_ratios if matplotlib else _ratios_by_hand)(series, names)


def growth(series, unit):
    """Lines of seconds by size on logarithmic axes: {series: {size: seconds}}."""
    return (_growth if matplotlib else _growth_by_hand)(series, unit)


# -- matplotlib


def _figure(height):
    figure, axes = pyplot.subplots(figsize=(WIDTH / 100, height / 100), layout="constrained")
    figure.patch.set_alpha(0)
    axes.patch.set_alpha(0)
    axes.tick_params(which="both", colors=TEXT, labelcolor=TEXT, labelsize=9)
    for spine in axes.spines.values():
        spine.set_color(LINE)
    axes.grid(color=LINE, linewidth=0.7)
    return figure, axes


def _number(value, _=None):
    return f"{value:,.10g}" if value < 1e6 else f"{value:.0e}".replace("e+0", "e")


def _svg(figure):
    text = io.StringIO()
    with pyplot.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irrewrite", "font.family": "sans-serif"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    svg = re.sub(r"^.*?(?=<svg)", "", text.getvalue(), flags=re.S)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    for color, variable in COLORS.items():
        svg = svg.replace(color, variable)
    return re.sub(r'(<svg [^>]*?)width="[^"]*"', r"\1", re.sub(r'(<svg [^>]*?)height="[^"]*"', r"\1", svg, count=1), count=1)


def _ratios(series, names):
    figure, axes = _figure(80 + 19 * len(names) + 24 * (len(series) > 1))
    for (label, points), color, marker in zip(series.items(), SERIES, "os^DvPX*"):
        known = [name for name in names if name in points]
        axes.scatter([points[name] for name in known], [names.index(name) for name in known], color=color, marker=marker, s=26, label=label, zorder=3)
    axes.set_xscale("log")
    axes.axvline(1, color=FAINT, linewidth=1.2)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}x")
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    if len(series) > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4, frameon=False, labelcolor=TEXT, fontsize=9)
    return _svg(figure)


def _growth(series, unit):
    figure, axes = _figure(380)
    styles = zip(series.items(), [SERIES[i % 8] for i in range(64)], [style for style in ("-", "--", ":", "-.") for _ in range(8)])
    for (label, points), color, style in styles:
        axes.plot(list(points), list(points.values()), color=color, linestyle=style, marker="o", markersize=3.5, linewidth=1.5, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(unit, color=TEXT, fontsize=9)
    axes.set_ylabel("seconds", color=TEXT, fontsize=9)
    sizes = sorted({size for points in series.values() for size in points})
    if len(sizes) <= 8:
        axes.set_xticks(sizes)
        axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_formatter(_number)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, labelcolor=TEXT, fontsize=9)
    return _svg(figure)


# -- by hand


class _Drawing:
    def __init__(self, height):
        self.height, self.parts = height, []

    def text(self, x, y, text, anchor="start", color=TEXT):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="12">{html.escape(text)}</text>')

    def line(self, points, color, width=1.0, dash=""):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dashes}/>')

    def point(self, x, y, color, title):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"><title>{html.escape(title)}</title></circle>')

    def svg(self):
        text = f'<svg viewBox="0 0 {WIDTH} {self.height}" xmlns="http://www.w3.org/2000/svg">{"".join(self.parts)}</svg>'
        for color, variable in COLORS.items():
            text = text.replace(color, variable)
        return text


def _axis(values, begin, end):
    """A logarithmic axis: where a value stands, and values for its lines."""
    low, high = math.log10(min(values)), math.log10(max(values))
    margin = max((high - low) * 0.04, 0.05)
    low, high = low - margin, high + margin
    place = lambda value: begin + (math.log10(value) - low) / (high - low) * (end - begin)
    marks = [factor * 10.0**e for e in range(math.floor(low), math.ceil(high) + 1) for factor in ((1, 2, 5) if high - low < 3 else (1,))]
    return place, [mark for mark in marks if low <= math.log10(mark) <= high]


def _ratios_by_hand(series, names):
    top, left = 30, 290
    drawing = _Drawing(top + 19 * len(names) + 30)
    bottom = top + 19 * len(names)
    place, marks = _axis([1] + [value for points in series.values() for value in points.values()], left, WIDTH - 15)
    for mark in marks:
        drawing.line([(place(mark), top), (place(mark), bottom)], FAINT if mark == 1 else LINE)
        drawing.text(place(mark), bottom + 16, f"{mark:g}x", "middle")
    for row, name in enumerate(names):
        drawing.text(left - 10, top + 19 * row + 14, name, "end")
    for number, (label, points) in enumerate(series.items()):
        color = SERIES[number % 8]
        if len(series) > 1:
            drawing.point(left + 8 + 140 * number, 14, color, label)
            drawing.text(left + 18 + 140 * number, 18, label)
        for name, value in points.items():
            drawing.point(place(value), top + 19 * names.index(name) + 10, color, f"{name}, {label}: {value:.2f}x")
    return drawing.svg()


def _growth_by_hand(series, unit):
    top, left, right = 12, 70, WIDTH - 250
    drawing = _Drawing(max(360, 40 + 18 * len(series)))
    bottom = 320
    measured = sorted({size for points in series.values() for size in points})
    across, sizes = _axis(measured, left, right)
    sizes = measured if len(measured) <= 8 else sizes
    up, marks = _axis([value for points in series.values() for value in points.values()], bottom, top)
    for size in sizes:
        drawing.line([(across(size), top), (across(size), bottom)], LINE)
        drawing.text(across(size), bottom + 16, _number(size), "middle")
    for mark in marks:
        drawing.line([(left, up(mark)), (right, up(mark))], LINE)
        drawing.text(left - 8, up(mark) + 4, f"{mark:g} s", "end")
    drawing.text((left + right) / 2, bottom + 34, unit, "middle")
    for number, (label, points) in enumerate(series.items()):
        color, dash = SERIES[number % 8], ("", "6 3", "2 3", "8 3 2 3")[number // 8 % 4]
        drawing.line([(across(size), up(value)) for size, value in points.items()], color, 1.8, dash)
        for size, value in points.items():
            drawing.point(across(size), up(value), color, f"{label}, {size:,}: {value:.3g} s")
        drawing.line([(right + 15, top + 8 + 18 * number), (right + 40, top + 8 + 18 * number)], color, 1.8, dash)
        drawing.text(right + 46, top + 12 + 18 * number, label)
    return drawing.svg()

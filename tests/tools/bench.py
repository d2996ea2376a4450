#!/usr/bin/env python3
"""The page of `make bench`: made measurements become plots, by matplotlib and without it, and a page that needs nothing else.

- Each measurement has a point in its plot, to the right of another one exactly if it is larger; its numbers stand in the table.
- The machine and the date, and the tables as they were printed, stand in the page.
- In Chromium, if it is installed: no error, and plots in the colors of the page, dark and light.
- The scripts write measurements where BENCH_RESULTS names a file, and nowhere else.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import explorer
from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "tests/bench"
RATIOS = {"dot <product>": {"1 thread": 0.98, "2 threads": 1.02}, "k-means": {"1 thread": 0.5, "2 threads": 4.0}, "Q6": {"1 thread": 0.03}}
GROWTH = {"chain": {1000: 0.01, 2000: 0.02, 4000: 0.05}, "nest": {1000: 0.5, 2000: 2.0, 4000: 8.5}}
PAGE = "import sys; sys.path.insert(0, sys.argv[1]); {} ; import runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0] + '/page.py', run_name='__main__')"


def measured(folder):
    """The lines of made measurements, as the scripts write them."""
    script = "import sys; sys.path.insert(0, sys.argv[1]); import results\n"
    for name, series in RATIOS.items():
        script += "".join(f"results.ratio('Against others', {name!r}, {other!r}, {ratio}, 1.0)\n" for other, ratio in series.items())
    for name, points in GROWTH.items():
        script += "".join(f"results.growth('How it grows', {name!r}, {size}, {seconds})\n" for size, seconds in points.items())
    path = folder / "results"
    for environment in ({}, {"BENCH_RESULTS": str(path)}):
        kept = {key: value for key, value in os.environ.items() if key != "BENCH_RESULTS"}
        subprocess.run([sys.executable, "-c", script, str(BENCH)], env=kept | environment, cwd=folder, check=True)
        yield path.exists()
    yield [json.loads(line) for line in path.read_text().splitlines()]


def in_order(points, values):
    """A point is to the right of another one exactly if its value is larger."""
    return len(points) == len(values) and [v for _, v in sorted(zip(points, values))] == sorted(values)


def positions(svg):
    """Of the points of a plot: circles, or copies of a marker, in the order of the text."""
    found = []
    for part in svg.iter():
        name = part.tag.split("}")[-1]
        if name == "circle" and part.find("{http://www.w3.org/2000/svg}title") is not None:
            found.append((float(part.get("cx")), float(part.get("cy"))))
        if name == "use" and part.get("style", "").find("--series") >= 0:
            found.append((float(part.get("x")), float(part.get("y"))))
    return found


class Bench(Tally):
    def __init__(self, folder):
        super().__init__("bench")
        self.folder = folder

    def page(self, python, prepare):
        out = self.folder / "bench.html"
        subprocess.run([python, "-c", PAGE.format(prepare), str(BENCH), str(self.folder / "results"), str(self.folder / "tables"), str(out)],
                       cwd=ROOT, check=True, capture_output=True)
        return out

    def check(self, how, path):
        text = path.read_text()
        outside = [word for word in re.findall(r"https?://[^\"' <]+", text) if "w3.org" not in word]
        self.expect(not outside and not re.search(r"<script|<link|@import|\bsrc=", text), f"{how}: refers to something outside: {outside}")
        self.expect(datetime.date.today().isoformat() in text and "cores</dd>" in text and "a &lt;table&gt;" in text, f"{how}: date, machine, tables")
        plots = [xml.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]
        self.expect(len(plots) == 2, f"{how}: {len(plots)} plots")
        words = ["".join(plot.itertext()) for plot in plots]
        self.expect(all(name in words[0] for name in [*RATIOS, "1 thread", "2 threads"]) and all(name in words[1] for name in GROWTH), f"{how}: names")
        ratios = [RATIOS[name][series] for series in ("1 thread", "2 threads") for name in RATIOS if series in RATIOS[name]]
        points = [x for x, y in positions(plots[0]) if y != 14][:len(ratios)] # without the legend
        self.expect(in_order(points, ratios), f"{how}: points of ratios: {points}")
        seconds = [s for each in GROWTH.values() for s in each.values()]
        heights = [-y for _, y in positions(plots[1])][:len(seconds)]
        self.expect(in_order(heights, seconds), f"{how}: points of growth: {heights}")
        for row in ("<td>Q6</td><td>1 thread</td><td>0.03</td><td>1</td><td>0.03x</td>", "<td>nest</td><td>4,000</td><td>8.5</td><td>2.04</td>"):
            self.expect(row in text, f"{how}: no row {row}")
        self.expect("1 thread 0.24x" in text, f"{how}: geometric means")
        self.expect("--series0" in text and "#010203" not in text and "#010300" not in text, f"{how}: colors of the page")

    def in_browser(self, how, browser, path):
        browser.open(path)
        colors = set()
        for scheme in ("dark", "light"):
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            colors.add(browser.ask("getComputedStyle([...document.querySelectorAll('svg text')][0]).fill"))
        self.expect(not browser.errors and len(colors) == 2, f"{how}: errors {browser.errors}, colors {colors}")
        self.expect(browser.ask("[...document.querySelectorAll('svg')].every((svg) => svg.getBoundingClientRect().width > 300)"), f"{how}: the size of plots")


def main():
    with tempfile.TemporaryDirectory() as name:
        test = Bench(pathlib.Path(name))
        without, with_file, lines = measured(test.folder)
        test.expect(not without and with_file and len(lines) == 11, f"measurements: {without}, {with_file}, {lines}")
        (test.folder / "tables").write_text("a <table>\n")
        chromium = os.environ.get("CHROMIUM") or explorer.shutil.which("chromium") or explorer.shutil.which("chromium-browser")
        browser = explorer.Browser(chromium) if chromium else None
        ways = [("by hand", sys.executable, "sys.modules['matplotlib'] = None")]
        for python in (sys.executable, "/usr/bin/python3"):
            if len(ways) == 1 and subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
                ways.append(("by matplotlib", python, "pass"))
        if len(ways) == 1:
            print("there is no matplotlib: plots are drawn by hand alone")
        for how, python, prepare in ways:
            path = test.page(python, prepare)
            test.check(how, path)
            if browser:
                test.in_browser(how, browser, path)
        if browser:
            browser.close()
        return test.end()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""page.py RESULTS TABLES PAGE: the measurements of `make bench` as one HTML page.

RESULTS are the lines that tests/bench/results.py has written, TABLES is what the scripts printed. The page needs no network: ratios
against peers as points, growth as lines on logarithmic axes, each with its numbers, and the tables as they were printed; the machine,
the compiler and the date stand at its top.
"""

import argparse
import datetime
import html
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

import plots

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1d2330; --faint: #687083; --line: #d9dde5; --raised: #f5f6f8;
  --series0: #1f5fd0; --series1: #d1570f; --series2: #2a8a3e; --series3: #b3267d; --series4: #6b4fc9; --series5: #93740a;
  --series6: #0f8a99; --series7: #c0392b; }
@media (prefers-color-scheme: dark) { :root { --back: #14171d; --text: #dfe3ea; --faint: #929bad; --line: #343b48; --raised: #1c2129;
  --series0: #7fb0ff; --series1: #ff9d5c; --series2: #6fcf86; --series3: #f08cc8; --series4: #b5a2ff; --series5: #e0c158;
  --series6: #5fd0de; --series7: #ff8a7a; } }
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 0 auto; padding: 16px; }
h1 { font-size: 22px; } h2 { font-size: 17px; margin-top: 34px; }
svg { width: 100%; height: auto; } svg text { font-family: system-ui, sans-serif; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; } dt { color: var(--faint); } dd { margin: 0; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
td, th { border-bottom: 1px solid var(--line); padding: 2px 10px; text-align: right; } td:first-child, th:first-child { text-align: left; }
pre { background: var(--raised); padding: 10px; overflow-x: auto; font-size: 12px; }
p, summary { color: var(--faint); } section { break-inside: avoid; }
"""


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return ""


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def machine():
    try:
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (OSError, ValueError):
        memory = ""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    peers = [name for name in ("maude", "mlir-opt-16") if shutil.which(name)]
    rows = {"date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"), "processor": f"{processor()}, {os.cpu_count()} cores",
            "memory": memory, "system": f"{platform.system()} {platform.release()}", "compiler": first_line(["g++", "--version"]),
            "revision": first_line(["git", "describe", "--always", "--dirty"]), "load at the end": load, "peers": ", ".join(peers)}
    return {name: text for name, text in rows.items() if text}


def table(head, rows):
    cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
    return "<table>" + cells(head, "th") + "".join(cells(row, "td") for row in rows) + "</table>"


def by_plot(lines, kind):
    found = {}
    for line in lines:
        if line["kind"] == kind:
            found.setdefault(line["plot"], []).append(line)
    return found


def shown(value):
    return f"{value:.3g}"


def ratio_section(title, lines):
    series, rows = {}, []
    for line in lines:
        value = line["ours"] / line["theirs"]
        series.setdefault(line["series"], {})[line["name"]] = value
        rows.append([line["name"], line["series"], shown(line["ours"]), shown(line["theirs"]), f"{value:.2f}x"])
    means = ", ".join(f"{name} {statistics.geometric_mean(points.values()):.2f}x" for name, points in series.items())
    return (f"<section><h2>{html.escape(title)}</h2><p>Our time divided by theirs: left of 1 is faster. Geometric means: {html.escape(means)}.</p>"
            f"{plots.ratios(series)}<details><summary>Numbers</summary>"
            f"{table(['', 'against', 'ours', 'theirs', 'ratio'], rows)}</details></section>")


def growth_section(title, lines):
    series = {}
    for line in lines:
        if line["seconds"] > 0:
            series.setdefault(line["series"], {})[line["size"]] = line["seconds"]
    rows = []
    for name, points in series.items():
        sizes = sorted(points)
        exponent = (math.log(points[sizes[-1]] / points[sizes[0]]) / math.log(sizes[-1] / sizes[0])) if len(sizes) > 1 else None
        for size in sizes:
            rows.append([name, f"{size:,}", shown(points[size]), f"{exponent:.2f}" if exponent is not None and size == sizes[-1] else ""])
    return (f"<section><h2>{html.escape(title)}</h2><p>Seconds of CPU by size, on logarithmic axes.</p>"
            f"{plots.growth(series, lines[0]['unit'])}<details><summary>Numbers</summary>"
            f"{table(['', lines[0]['unit'], 'seconds', 'exponent'], rows)}</details></section>")


def page(lines, printed):
    facts = "".join(f"<dt>{name}</dt><dd>{html.escape(text)}</dd>" for name, text in machine().items())
    sections = [ratio_section(title, some) for title, some in by_plot(lines, "ratio").items()]
    sections += [growth_section(title, some) for title, some in by_plot(lines, "growth").items()]
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
            f"<title>irrewrite: measurements</title><style>{STYLE}</style></head><body><h1>Measurements of irrewrite</h1><dl>{facts}</dl>"
            + "\n".join(sections) + f"<h2>Tables</h2><pre>{html.escape(printed)}</pre></body></html>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("results", "tables", "page"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.results.read_text().splitlines()] if options.results.exists() else []
    options.page.write_text(page(lines, options.tables.read_text(errors="replace") if options.tables.exists() else ""))
    print(f"\nplots of these tables: {options.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

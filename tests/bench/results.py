"""Measurements for the page of `make bench`: each script adds its own to the file that BENCH_RESULTS names, one line of JSON each.

Without BENCH_RESULTS nothing is written: the tables are printed either way.
"""

import json
import os


def ratio(plot, name, series, ours, theirs):
    """Our time and another one's for the same work."""
    add({"kind": "ratio", "plot": plot, "name": name, "series": series, "ours": ours, "theirs": theirs})


def growth(plot, series, size, seconds, unit="operations"):
    """The time that one size of a program takes."""
    add({"kind": "growth", "plot": plot, "series": series, "size": size, "seconds": seconds, "unit": unit})


def add(line):
    path = os.environ.get("BENCH_RESULTS")
    if path:
        with open(path, "a") as file:
            file.write(json.dumps(line) + "\n")

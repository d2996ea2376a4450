"""Random cases, numbered: each is the same whenever it is tried."""

import argparse
import itertools
import pathlib
import random
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main(description, wrong, cases, least, what):
    """Tries so many cases. `wrong(tool, rng, folder)` gives what is wrong with one and whether it is one that tests something; or
    None, to leave it out. The share of those that do is at least `least`, or nothing was tested: `what` says how so."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    passed = failed = telling = 0
    for number in itertools.count(options.seed):
        if passed + failed == options.cases:
            break
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            case = wrong(options.tool, random.Random(number), folder)
            if case is None:
                continue
            why, tells = case
            passed, failed, telling = passed + (not why), failed + bool(why), telling + tells
            if why:
                print(f"FAILED number {number}: {why}")
                print(*((folder / file).read_text() for file in ("r.rules", "t.ir")), sep="\n")
    if telling < least * options.cases:
        print(f"FAILED {what} in {telling} of {options.cases} cases only")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed))

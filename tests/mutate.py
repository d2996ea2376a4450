#!/usr/bin/env python3
"""Mutants of the shipped rules: each rule is made wrong in small ways, and `-check` must see every one of them.

tests/mutants.py says how rules are changed. A mutant that the rule files refuse is none. All others must be refuted,
or found to apply hardly ever, but those that are as right as the rule they come from: these are listed with the
reason in tests/mutants.txt, or proven by a solver (`--prove`). Of those that `--instances` did not refute there are
tried `--again` times as many; one that is listed and refuted is an error of the list.

`--sample N`: about so many of them, the same each time; `--filter REGEX`: of rules whose name, FILE.SET.RULE, has this
in it; `--list`: what the mutants are; `--survivors FILE`: where to write those that nobody caught.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "tests" / "mutants.txt"


def equivalent():
    """(pattern of 'RULE  KIND  TEXT', reason) of each entry of the list; one that starts with '*' has it for anything."""
    found, reason = [], ""
    for line in EQUIVALENT.read_text().split("\n"):
        if line.startswith("# "):
            reason = line[2:]
        elif line.strip():
            parts = line.split("*") if line.startswith("*") else [line]  # products have a '*' too
            found.append((re.compile(".*".join(re.escape(part) for part in parts)), reason))
    return found


def listed(mutant, allowed):
    return any(pattern.fullmatch(mutant.key()) for pattern, _ in allowed)


class Batch:
    """Mutants of one rule file, one a line of a rule file of their own."""

    def __init__(self, tool, folder, name, some):
        self.tool, self.path = tool, folder / f"mutants-{name}.rules"
        self.name, self.some = name, list(some)
        self.refused = 0

    def write(self):
        lines, self.at = [f'import "{self.name}.rules"'], {}
        sets = collections.defaultdict(list)
        for mutant in self.some:
            sets[mutant.header].append(mutant)
        for header, members in sets.items():
            lines.append(header)
            for k, mutant in enumerate(members):
                self.at[len(lines) + 1] = mutant
                lines.append(f"  {mutant.rule}-{k}: {mutant.text}")
            lines.append("}")
        self.path.write_text("\n".join(lines) + "\n")

    def run(self, *options):
        command = [self.tool, *options, "-rules", str(self.path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    def load(self):
        """Leaves out what is not a rule."""
        while self.some:
            self.write()
            run = self.run("-check", "-instances", "0", "-quiet")
            if run.returncode in (0, 3):
                return
            wrong = {int(n) for n in re.findall(rf"{re.escape(self.path.name)}:(\d+):\d+: error", run.stderr)}
            bad = {self.at[n] for n in wrong if n in self.at}
            if not bad:
                raise RuntimeError(f"{self.name}: {run.stderr[:2000]}")
            self.refused += len(bad)
            self.some = [m for m in self.some if m not in bad]

    def verdicts(self, options, how):
        """What was said of each: {mutant: verdict}."""
        if not self.some:
            return {}
        self.write()
        run = self.run(*how, "-stats", "-j", str(options.jobs))
        found = {}
        for line, verdict in re.findall(rf"{re.escape(self.path.name)}:(\d+):\d+: ([a-z ]+): ", run.stdout):
            found[self.at[int(line)]] = verdict
        if run.returncode not in (0, 3) or (how[0] == "-check" and len(found) != len(self.some)):
            raise RuntimeError(f"{self.name}: exit code {run.returncode}: {run.stderr[:2000]}")
        return found


def proven(batch, options):
    """Of the survivors those that a solver proves."""
    said = batch.verdicts(options, ["-prove"])
    return {m for m in batch.some if said.get(m) == "proven"}


class Count:
    def __init__(self):
        self.all = self.refused = self.killed = self.hardly = self.listed = self.proven = 0
        self.survivors, self.mislisted = [], []
        self.kinds = collections.Counter()


def survey(options, folder, name, some, count, allowed):
    batch = Batch(options.tool, folder, name, some)
    count.all += len(batch.some)
    batch.load()
    count.refused += batch.refused
    for instances in (options.instances, options.instances * options.again):
        check = ["-check", "-instances", str(instances), "-seed", str(options.seed)]
        said = batch.verdicts(options, check)
        count.killed += sum(v == "wrong" for v in said.values())
        count.kinds.update(m.kind for m, v in said.items() if v == "wrong")
        count.mislisted += [m for m in batch.some if said[m] == "wrong" and m.kind != "cost" and listed(m, allowed)]
        batch.some = [m for m in batch.some if said[m] != "wrong"]
        hardly = {m for m in batch.some if said[m] == "hardly checked"}
        known = {m for m in batch.some if listed(m, allowed)}
        if instances == options.instances:
            count.listed += len(known)
            batch.some = [m for m in batch.some if m not in known]
    count.hardly += len(hardly)
    batch.some = [m for m in batch.some if m not in hardly]
    if options.prove and batch.some:
        good = proven(batch, options)
        count.proven += len(good)
        batch.some = [m for m in batch.some if m not in good]
    count.survivors += batch.some


def report(count, options):
    for mutant in count.survivors:
        print(f"survived: {mutant.key()}")
    for mutant in count.mislisted:
        print(f"refuted, and listed as right: {mutant.key()}")
    if options.survivors:
        pathlib.Path(options.survivors).write_text("".join(m.key() + "\n" for m in count.survivors))
    valid = count.all - count.refused
    print(f"{count.all} mutants, {count.refused} of them no rules; of {valid} rules {count.killed} refuted, {count.hardly} hardly "
          f"ever applicable, {count.listed} as right as the rule, {count.proven} proven, {len(count.survivors)} survived")
    different = valid - count.listed - count.proven
    if different:
        print(f"score: {100 * (count.killed + count.hardly) / different:.2f}%")
    print(f"{count.killed + count.hardly} passed, {len(count.survivors) + len(count.mislisted)} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--instances", type=int, default=500)
    parser.add_argument("--again", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--survivors", default="")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    chosen = collections.defaultdict(list)
    every = [m for path in sorted((ROOT / "rules").glob("*.rules")) for m in mutants.of_file(path) if re.search(options.filter, m.name())]
    step = max(len(every) // options.sample, 1) if options.sample else 1
    for mutant in every[::step]:
        chosen[mutant.file].append(mutant)
    if options.list:
        print("".join(m.key() + "\n" for some in chosen.values() for m in some), end="")
        return 0
    count, allowed = Count(), equivalent()
    with tempfile.TemporaryDirectory() as folder:
        for name, some in chosen.items():
            survey(options, pathlib.Path(folder), name, some, count, allowed)
    report(count, options)
    return 1 if count.survivors or count.mislisted or not count.killed else 0


if __name__ == "__main__":
    sys.exit(main())

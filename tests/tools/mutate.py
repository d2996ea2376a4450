#!/usr/bin/env python3
"""Mutants of the shipped rules: each rule is made wrong in small ways, and `-check` must see every one of them.

tests/tools/mutants.py says how rules are changed. A mutant that the rule files refuse is none. All others must be refuted,
or found to apply hardly ever, but those that are as right as the rule they come from: these are listed with the
reason in tests/tools/mutants.txt, or proven by a solver where there is one. A reason that begins with "Not seen:" says what
-check cannot see yet: such a mutant counts as one that nobody caught, and is no failure. Of those that `--instances` did not refute there
are tried `--again` times as many; one that is listed and refuted is an error of the list.

`--sample N`: about so many of them, the same each time; `--filter REGEX`: of rules whose name, FILE.SET.RULE, has this
in it; `--list`: what the mutants are; `--survivors FILE`: where to write those that nobody caught; `--jobs N`: so many
at a time; `--limit SECONDS`: of each, after which there is no verdict, as where the tool crashes: it fails; `--progress`: a line for each batch.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EQUIVALENT = ROOT / "tests" / "tools" / "mutants.txt"
NOT_SEEN = "Not seen:"


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


def not_seen(mutant, allowed):
    return any(reason.startswith(NOT_SEEN) and pattern.fullmatch(mutant.key()) for pattern, reason in allowed)


class Batch:
    """Mutants of one rule file, one a line of a rule file of their own."""

    def __init__(self, options, folder, number, some):
        self.tool, self.limit, self.path = options.tool, options.limit, folder / f"mutants-{number}.rules"
        self.name, self.some = some[0].file, list(some)
        self.refused = 0
        self.late = []  # of which nothing was said in time

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
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=self.limit)

    def load(self):
        """Leaves out what is not a rule."""
        while self.some:
            self.write()
            run = self.run("-check", "-instances", "0", "-quiet")
            if run.returncode in (0, 3):
                return
            wrong = {int(n) for n in re.findall(rf"{re.escape(self.path.name)}:(\d+):\d+: error", run.stderr)}
            # What a rule lacks at its end is missed at the next line that is none.
            bad = {self.at[max(k for k in self.at if k <= n)] for n in wrong if n >= min(self.at)}
            if not bad:
                raise RuntimeError(f"{self.name}: {run.stderr[:2000]}")
            self.refused += len(bad)
            self.some = [m for m in self.some if m not in bad]

    def verdicts(self, how):
        """What was said of each: {mutant: verdict}. One by one where all together take too long, or end badly."""
        if not self.some:
            return {}
        self.write()
        try:
            run = self.run(*how, "-stats")
        except subprocess.TimeoutExpired:
            return self.one_by_one(how)
        if run.returncode not in (0, 3):
            return self.one_by_one(how)
        found = {}
        for line, verdict in re.findall(rf"{re.escape(self.path.name)}:(\d+):\d+: ([a-z ]+): ", run.stdout):
            found[self.at[int(line)]] = verdict
        if how[0] == "-check" and len(found) != len(self.some):
            raise RuntimeError(f"{self.name}: {run.stderr[:2000]}")
        return found

    def one_by_one(self, how):
        every, found = self.some, {}
        if len(every) == 1:
            self.late, self.some = self.late + every, []
            return {}
        for half in (every[:len(every) // 2], every[len(every) // 2:]):
            self.some = half
            found.update(self.verdicts(how))
        self.some = [m for m in every if m not in self.late]
        return found


def proven(batch):
    """Of the survivors those that a solver proves."""
    said = batch.verdicts(["-prove"])
    return {m for m in batch.some if said.get(m) == "proven"}


class Count:
    def __init__(self):
        self.all = self.refused = self.killed = self.hardly = self.listed = self.gaps = self.proven = 0
        self.survivors, self.mislisted, self.late = [], [], []

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def survey(options, folder, number, some, allowed):
    began = time.monotonic()
    batch, count = Batch(options, folder, number, some), Count()
    count.all = len(batch.some)
    batch.load()
    count.refused = batch.refused
    hardly = set()
    for instances in (options.instances, options.instances * options.again):
        said = batch.verdicts(["-check", "-instances", str(instances), "-seed", str(options.seed)])
        count.killed += sum(v == "wrong" for v in said.values())
        count.mislisted += [m for m in batch.some if said[m] == "wrong" and m.kind != "cost" and listed(m, allowed)]
        batch.some = [m for m in batch.some if said[m] != "wrong"]
        hardly = {m for m in batch.some if said[m] == "hardly checked"}
        known = {m for m in batch.some if listed(m, allowed)}
        if instances == options.instances:
            count.gaps += sum(not_seen(m, allowed) for m in known)
            count.listed += sum(not not_seen(m, allowed) for m in known)
            batch.some = [m for m in batch.some if m not in known]
    count.hardly += len(hardly)
    batch.some = [m for m in batch.some if m not in hardly]
    if options.prove and batch.some:
        good = proven(batch)
        count.proven += len(good)
        batch.some = [m for m in batch.some if m not in good]
    count.survivors, count.late = batch.some, batch.late
    if options.progress:
        print(f"{some[0].name()}: {count.all} mutants, {count.killed} refuted, {len(count.survivors)} survived, "
              f"{len(count.late)} without a verdict, {time.monotonic() - began:.0f} s", flush=True)
    return count


def unread(options, paths, names):
    """Rules that are refused as they are: what is made of them would say nothing."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(paths):
            every = [m for m in mutants.unchanged(path) if m.name() in names]
            if not every:
                continue
            batch = Batch(options, pathlib.Path(folder), number, every)
            batch.load()
            found += [m for m in every if m not in batch.some]
    return found


def report(count, options):
    for mutant in count.survivors:
        print(f"survived: {mutant.key()}")
    for mutant in count.late:
        print(f"no verdict in time: {mutant.key()}")
    for mutant in count.mislisted:
        print(f"refuted, and listed as right: {mutant.key()}")
    if options.survivors:
        pathlib.Path(options.survivors).write_text("".join(m.key() + "\n" for m in count.survivors + count.late))
    valid = count.all - count.refused
    print(f"{count.all} mutants, {count.refused} of them no rules; of {valid} rules {count.killed} refuted, {count.hardly} hardly "
          f"ever applicable, {count.listed} as right as the rule, {count.proven} proven, {count.gaps} known not to be seen, {len(count.survivors)} survived, {len(count.late)} without a verdict")
    different = valid - count.listed - count.proven
    if different:
        print(f"score: {100 * (count.killed + count.hardly) / different:.2f}%")
    print(f"{count.killed + count.hardly} passed, {len(count.survivors) + len(count.mislisted) + len(count.late)} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--instances", type=int, default=500)
    parser.add_argument("--again", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=900)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--prove", action=argparse.BooleanOptionalAction, default=bool(shutil.which("z3") or shutil.which("cvc5")))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--survivors", default="")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    chosen = collections.defaultdict(list)
    paths = sorted((ROOT / "rules").glob("*.rules"))
    every = [m for path in paths for m in mutants.of_file(path) if re.search(options.filter, m.name())]
    step = max(len(every) // options.sample, 1) if options.sample else 1
    for mutant in every[::step]:
        chosen[mutant.file].append(mutant)
    if options.list:
        print("".join(m.key() + "\n" for some in chosen.values() for m in some), end="")
        return 0
    refused = unread(options, paths, {m.name() for m in every})
    for rule in refused:
        print(f"not read as it is written for mutants: {rule.name()}: {rule.text}")
    if refused:
        print(f"0 passed, {len(refused)} failed")
        return 1
    # Of one rule each where nothing is left out: what takes long is seen.
    batches = []
    for some in chosen.values():
        for mutant in some:
            together = batches and batches[-1][0].file == mutant.file and len(batches[-1]) < options.batch
            if together and (options.sample or batches[-1][0].name() == mutant.name()):
                batches[-1].append(mutant)
            else:
                batches.append([mutant])
    count, allowed = Count(), equivalent()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        counts = pool.map(lambda b: survey(options, pathlib.Path(folder), b[0], b[1], allowed), enumerate(batches))
        for one in counts:
            count.add(one)
    report(count, options)
    return 1 if count.survivors or count.mislisted or count.late or not count.killed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Change equations by one token and see whether the cases notice.

    mutate.py [--count 600] [--seed 1] [--op NAME] [--build build/release]

A change is noticed when a case of its op fails. Changes that do not even read as an equation are not counted. At least
95 % must be noticed; a change that means the same as the original stands in equivalent.txt with the reason and is left
out of the share. The last line is `N passed, N failed, N skipped`: noticed, survived, equivalent; survivors within the
5 % are no failures, but they are named.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

import cases
import mutants
import table

SHARE = 0.95
NOTICED = ("wrong value", "refused")
SECONDS = 20  # of one judgement; the cases of an op take a tenth of a second


def limit():
    """A changed equation may ask for anything: low priority, and an end to memory."""
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


class Judge:
    """Runs the cases of one op on a changed text."""

    def __init__(self, build, folder):
        self.program, self.folder = build / "bin/equation-cases", folder
        self.tables = {}

    def table_of(self, op):
        if op not in self.tables:
            self.tables[op] = self.folder / f"{op}.cases"
            table.write(self.tables[op], op)
        return self.tables[op]

    def __call__(self, mutant):
        """-> wrong value, refused, survived, unreadable, or what went wrong with the judge itself."""
        path = self.folder / "mutant.eq"
        path.write_text(mutant.text)
        command = [self.program, f"--op={mutant.op}", self.table_of(mutant.op), path]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=limit, check=False)
        except subprocess.TimeoutExpired:
            return "slow"
        assert done.returncode != 3, done.stderr
        noticed = "wrong value" if re.search(r": element \d+ is ", done.stdout) else "refused"
        return {0: "survived", 1: noticed, 2: "unreadable"}.get(done.returncode, "crashed")


def all_mutants(op):
    for path in cases.EQUATIONS:
        for mutant in mutants.mutants(path.read_text()):
            if op in (None, mutant.op):
                yield mutant


def read_equivalent():
    """The changed lines that mean the same, each under a comment with the reason."""
    path = pathlib.Path(__file__).with_name("equivalent.txt")
    return {line.strip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")}


def judge_all(options, judge, equivalent):
    """Counts by outcome; prints whatever is not simply noticed."""
    pool = sorted(all_mutants(options.op), key=lambda mutant: (mutant.key, mutant.text))
    random.Random(options.seed).shuffle(pool)
    counts, kinds = collections.Counter(), collections.defaultdict(collections.Counter)
    for mutant in pool:
        if sum(counts.values()) == options.count:
            break
        outcome = judge(mutant)
        if outcome == "unreadable":
            continue
        if outcome == "survived" and mutant.key in equivalent:
            outcome = "equivalent"
        elif mutant.key in equivalent:
            print(f"stands in equivalent.txt but is {outcome}: {mutant.key}")
            outcome = "wrongly excused"
        elif outcome not in NOTICED:
            print(f"{outcome}: {mutant.kind}: {mutant.key}")
        counts[outcome] += 1
        kinds[mutant.kind][outcome] += 1
    for kind, by_outcome in sorted(kinds.items()):
        print(f"{kind:10}", ", ".join(f"{number} {outcome}" for outcome, number in sorted(by_outcome.items())))
    return counts, len(pool)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--op")
    parser.add_argument("--build", type=pathlib.Path, default=cases.ROOT / "build/release")
    options = parser.parse_args()
    begun = time.monotonic()
    cases.load()
    with tempfile.TemporaryDirectory() as folder:
        counts, possible = judge_all(options, Judge(options.build, pathlib.Path(folder)), read_equivalent())
    # A crash is noticed, but an evaluator that crashes is a mistake of its own.
    wrong = counts["crashed"] + counts["slow"] + counts["wrongly excused"]
    noticed = sum(counts[outcome] for outcome in NOTICED)
    judged = noticed + counts["survived"] + wrong
    share = noticed / max(judged, 1)
    print(f"{noticed} of {judged} noticed, {100 * share:.1f} %: {counts['wrong value']} by a wrong value, {counts['refused']} by "
          f"a shape or a refusal; {possible} changes are possible; {time.monotonic() - begun:.0f} s")
    failed = wrong + (counts["survived"] if share < SHARE else 0)
    print(f"{noticed} passed, {failed} failed, {counts['equivalent']} skipped")
    sys.exit(1 if failed or not judged else 0)


if __name__ == "__main__":
    main()

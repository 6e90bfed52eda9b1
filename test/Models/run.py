#!/usr/bin/env python3
"""Whole networks: compiled, run in every way, and held against ONNX Runtime or the evaluator.

    run.py [--match TEXT,...] [--only CHECK,...] [--threads N,...] [--target CPU] [--sample N] FILE...

A FILE is one of cases/: it yields the cases. Each is compiled in each of its builds, which go through the case's checks
(checks.py): every way to run it near the right answers, with the same bits by each way and for every number of threads,
and what else the case asks for. `--sample N` takes every Nth case, chosen by a seed. Prints a line for each case and each
failure; the last line is `N passed, N failed, N skipped`, counted in checks by build and set of inputs.
"""
import argparse
import collections
import dataclasses
import importlib
import os
import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import checks
import tool
from case import Missing

FILES = sorted(path.stem for path in (tool.HERE / "cases").glob("*.py"))


class Tally:
    """Counts attempts and prints what becomes of them."""

    def __init__(self, verbose):
        self.verbose = verbose
        self.passed = self.failed = self.skipped = 0

    def attempt(self, name, action):
        begun = time.monotonic()
        try:
            text, good = action(), True
        except tool.Failure as failure:
            text, good = str(failure), False
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if self.verbose or not good:
            seconds = time.monotonic() - begun
            print(f"{'ok' if good else 'FAILED'} {name}: {text or ''} ({seconds:.1f} s)", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped {name}: {why}", flush=True)


def run_builds(name, case, options, folder, tally):
    network = checks.Network(case, folder)
    wanted = [check for check in case.checks if not options.only or check in options.only]
    for label, flags in case.builds.items():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            target = ["--target", options.target] if options.target else []
            trial = checks.Trial(case, network, wanted, [*flags, *target], pathlib.Path(scratch))
            for check in wanted:
                what = " ".join(filter(None, [name, label, check]))
                try:
                    for part, action in checks.CHECKS[check](trial):
                        tally.attempt(f"{what} {part}".rstrip(), action)
                except tool.Failure as failure:  # there is nothing to hold answers against
                    tally.attempt(what, lambda failure=failure: fail(failure))


def fail(failure):
    raise failure


def run_case(file, case, options, tally):
    name, begun, before = f"{file} {case.name}", time.monotonic(), (tally.passed, tally.failed)
    with tempfile.TemporaryDirectory(prefix="models-", dir=tool.ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        try:
            if case.action:
                tally.attempt(name, lambda: case.action(folder))
            else:
                run_builds(name, case, options, folder, tally)
        except Missing as why:
            tally.skip(name, why)
    passed, failed = tally.passed - before[0], tally.failed - before[1]
    print(f"{name}: {passed} ok, {failed} failed, {time.monotonic() - begun:.1f} s", flush=True)


def chosen(file, options):
    """The cases of a file that the options ask for."""
    cases = [case for case in importlib.import_module(f"cases.{file}").cases()
             if not options.match or any(text in case.name for text in options.match)]  # fmt: skip
    if options.sample > 1:
        count = -(-len(cases) // options.sample)
        kept = set(random.Random(f"{options.seed} {file}").sample(range(len(cases)), count))
        cases = [case for number, case in enumerate(cases) if number in kept]
    if options.threads:
        cases = [dataclasses.replace(case, threads=options.threads) for case in cases]
    return cases


def parse_options():
    words, numbers = lambda text: text.split(","), lambda text: tuple(int(word) for word in text.split(","))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", choices=FILES, help=", ".join(FILES))
    parser.add_argument("--match", type=words, help="cases whose name holds one of these")
    parser.add_argument("--only", type=words, help=f"some of {', '.join(checks.CHECKS)}")
    parser.add_argument("--threads", type=numbers, help="for all cases")
    parser.add_argument("--target", help="for all builds")
    parser.add_argument("--sample", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="only name the cases")
    parser.add_argument("--verbose", action="store_true", help="a line for each check, too")
    return parser.parse_args()


def main():
    options, counts = parse_options(), collections.Counter()
    tally = Tally(options.verbose)
    for file in options.files:
        for case in chosen(file, options):
            counts[file] += 1
            if options.list:
                print(f"{file} {case.name}")
            else:
                run_case(file, case, options, tally)
    print("cases: " + ", ".join(f"{file} {count}" for file, count in counts.items()))
    if not options.list and not (tally.passed or tally.failed or tally.skipped):
        sys.exit("run.py: no case was chosen")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compile every op at sizes around vectors and tiles, in every type, and compare with the evaluator.

    sizes.py [--all | --few] [--build build/release] [--jobs N] [--target CPU] [--guard] [OP[:TYPE]...]

With --guard each case also runs with every buffer between guard pages. Prints how many cases there are by op and type, each that is wrong, and the reasons of those that are not compiled. An op
without cases fails. Without --all a fixed sample is taken, with --few a quarter of it. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import cases
import more_cases  # noqa: F401  its recipes join those of cases

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH = 48
# Cases per op and type in the sample: the leading type of an op is tested more.
SAMPLE = {True: 40, False: 12}
# What has no way to code yet: (op, type) or op -> words of the reason. Anything else that is refused is a failure.
REFUSED = {}


def names_of_ops():
    text = "".join(file.read_text() for file in sorted((ROOT / "kumiko/Nn").glob("*.eq")))
    return re.findall(r"^op (\w+)\(", text, re.M)


def all_cases(only, everything, share):
    """(op, type, line) of the chosen cases; without `everything` one in `share` of the sample."""
    for op, (types, recipe) in cases.recipes.items():
        for number, element in enumerate(types):
            if only and op not in only and f"{op}:{element}" not in only:
                continue
            lines = list(dict.fromkeys(recipe(op, element)))
            count = SAMPLE[number == 0] // share
            if not everything and len(lines) > count:
                lines = random.Random(f"{op} {element}").sample(lines, count)
            yield from ((op, element, line) for line in lines)


def run(command, lines):
    """The verdict for each line. A batch that ends badly is cut in two until the case that did it is alone."""
    with tempfile.NamedTemporaryFile("w", suffix=".cases") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        try:
            result = subprocess.run([*command, file.name], capture_output=True, text=True, timeout=120 + 10 * len(lines))
            verdicts, ending = result.stdout.splitlines(), result.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            verdicts, ending = [], ["it takes too long"]
    whole = len(verdicts) == len(lines)
    if whole and len(set(verdicts)) > 1 or whole and not verdicts[0].startswith("wrong"):
        return verdicts
    if len(lines) == 1:
        return verdicts if whole else [f"wrong it ends badly: {' '.join(ending)}"]
    half = len(lines) // 2
    return run(command, lines[:half]) + run(command, lines[half:])


def expected_refusal(op, element, why):
    words = REFUSED.get((op, element), REFUSED.get(op))
    return words is not None and words in why


def report(counts):
    by_type = sorted({element for op in counts.values() for element in op})
    for op, types in counts.items():
        print(f"{op:24}" + " ".join(f"{element} {types[element]}" for element in by_type if types[element]))
    totals = collections.Counter()
    for types in counts.values():
        totals.update(types)
    print("by type: " + ", ".join(f"{element} {count}" for element, count in totals.most_common()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--all", action="store_true")
    how_many.add_argument("--few", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--target", default="host")
    parser.add_argument("--guard", action="store_true")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    chosen = list(all_cases(options.only, options.all, 4 if options.few else 1))
    command = [options.build / "bin/size-cases", "--target", options.target, *["--guard"] * options.guard]
    # Of every two cases one computes its tables itself: numbers of the evaluator are not judged by the evaluator.
    batches = [(flags, half[i:i + BATCH]) for flags, half in [([], chosen[::2]), (["--no-tables"], chosen[1::2])]
               for i in range(0, len(half), BATCH)]
    counts = {op: collections.Counter() for op in (cases.recipes if options.only else names_of_ops())}
    passed = failed = 0
    skipped = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda batch: run([*command, *batch[0]], [line for _, _, line in batch[1]]), batches)
        for (_, batch), verdicts in zip(batches, results):
            for (op, element, line), verdict in zip(batch, verdicts):
                word, _, why = verdict.partition(" ")
                if word == "ok":
                    passed += 1
                    counts.setdefault(op, collections.Counter())[element] += 1
                elif word == "refused" and expected_refusal(op, element, why):
                    skipped[f"{op}: {why}"] += 1
                else:
                    failed += 1
                    print(f"FAILED {line}\n  {verdict}")
    if not options.only:
        for op in counts:
            if not counts[op]:
                print(f"FAILED {op} has no case that passes")
                failed += 1
    report(counts)
    for why, count in skipped.items():
        print(f"skipped {count} of {why}")
    print(f"{passed} passed, {failed} failed, {sum(skipped.values())} skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Two builds of Kumiko beside each other: which kernels differ, and how long whole models take, in turns.

    old_new.py OLD NEW [--models a,b|real|light|all] [--target NAME] [--threads 1] [--rounds 5] [--code-only]

OLD and NEW are two `kumiko` programs. Each compiles each model; kernels whose machine code is equal need no clock, and
a model all of whose kernels and calls are equal is not timed. The others are timed by `kumiko bench` of NEW on both
libraries, in an order that changes every round. The minimum of all rounds counts.
The last lines are the geometric mean of old over new time and the lowest ratio. Exit code 1 when a build fails on a
model, else 0.
"""
import argparse
import collections
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import probe
from side_by_side import MODELS, REAL, find_model, real_models
from systems import last_line


def code_of(path):
    """Kernel name -> machine code with its relocations, of an ELF object with a section for each function."""
    data = path.read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * number) for number in range(count)]

    def name(section):
        start = sections[names][4] + section[0]
        return data[start : data.index(b"\0", start)].decode()

    return {name(s)[6:]: data[s[4] : s[4] + s[5]] for s in sections if name(s).startswith(".text.k_")}


class Build:
    """One of the two programs, and what it made of a model."""

    def __init__(self, label, program, folder):
        self.label, self.program, self.folder = label, program, folder

    def call(self, threads, *arguments):
        done = subprocess.run([*probe.pinned(threads), self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{self.label}: exit {done.returncode}: {last_line(done.stderr)}")
        return done.stdout

    def compile(self, model, target):
        self.library, object_file = self.folder / f"{self.label}.so", self.folder / f"{self.label}.o"
        for out in (object_file, self.library):
            self.call(2, "compile", model, "-o", out, f"--target={target}")
        self.code = code_of(object_file)
        object_file.unlink()


def differing(old, new):
    """How many kernels of the new build have machine code that the old one does not have."""
    before = collections.Counter(old.code.values())
    after = collections.Counter(new.code.values())
    return sum((after - before).values())


def measure(model, builds, options):
    """-> one row of the table, as data."""
    old, new = builds
    for build in builds:
        build.compile(model, options.target)
    row = {"model": model.stem, "kernels": len(new.code), "before": len(old.code), "differ": differing(old, new)}
    if options.code_only or (row["differ"] == 0 and row["kernels"] == row["before"] and not options.always):
        return row
    best = {}
    for number in range(options.rounds):
        for build in builds if number % 2 == 0 else reversed(builds):
            text = new.call(options.threads, "bench", build.library, "--inputs", model.with_suffix(".npz"), "--threads",
                            options.threads, "--json")
            best[build.label] = min(best.get(build.label, math.inf), json.loads(text)["min_ms"])
    row |= {"old_ms": best["old"], "new_ms": best["new"], "ratio": best["old"] / best["new"]}
    return row


def line_of(row):
    text = f"{row['model']:24} {row['kernels']:4} kernels, {row['differ']:3} differ"
    if row["kernels"] != row["before"]:
        text += f" ({row['before']} before)"
    if "ratio" in row:
        text += f"  {row['old_ms']:9.3f} -> {row['new_ms']:9.3f} ms  {row['ratio']:.3f}"
    return text


def models_named(words):
    for word in words:
        if word in ("real", "all"):
            yield from (REAL / f"{name}.onnx" for name in real_models() if (REAL / f"{name}.onnx").exists())
        if word in ("light", "all"):
            yield from sorted(MODELS.glob("*.onnx"))
        if word not in ("real", "light", "all"):
            yield find_model(word)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--models", type=lambda text: text.split(","), default=["all"])
    parser.add_argument("--target", default="host")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--code-only", action="store_true", help="compare machine code, time nothing")
    parser.add_argument("--always", action="store_true", help="time equal code, too: how noisy is this machine?")
    return parser.parse_args()


def main():
    options, rows, failed = parse_options(), [], False
    with tempfile.TemporaryDirectory(prefix="kumiko-bench-") as folder:
        builds = [Build("old", options.old, pathlib.Path(folder)), Build("new", options.new, pathlib.Path(folder))]
        for model in models_named(options.models):
            try:
                rows.append(measure(model, builds, options))
                print(line_of(rows[-1]), flush=True)
            except RuntimeError as error:
                failed = True
                print(f"{model.stem:24} {error}", flush=True)
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    print(f"{sum(row['differ'] == 0 for row in rows)} of {len(rows)} models: all kernels equal")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} timed, {options.threads} threads: geometric mean {mean:.3f}, lowest {min(ratios):.3f}")
    sys.exit(failed)


if __name__ == "__main__":
    main()

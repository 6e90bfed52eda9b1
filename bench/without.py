#!/usr/bin/env python3
"""What each part of the graph level brings: a model compiled with everything, and without one part at a time.

    without.py [--threads N] [--rounds N] [--parts NAME,...] MODEL...

A model is a file of build/models or build/real without its ending, compiled with its sizes left open and run on the inputs
beside it. Parts are passes, rules and `fusion` (docs/reference/optimisations.md); `none` is without all of the graph level.
Libraries are timed in turns; a number is the time without the part over the time with everything: above 1 the part pays.
"""
import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import probe
from systems import GRAPH_LEVEL, KUMIKO, Failure, last_line

FOLDERS = [probe.ROOT / "build" / "models", probe.ROOT / "build" / "real"]


def find(name):
    for folder in FOLDERS:
        if (folder / f"{name}.onnx").exists():
            return folder / f"{name}.onnx"
    raise SystemExit(f"without.py: no {name}.onnx in build/models or build/real")


def call(threads, *arguments):
    done = subprocess.run([*probe.pinned(threads), KUMIKO, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise Failure(last_line(done.stderr))
    return done.stdout


def build(model, parts, library):
    options = [word for part in parts for word in ("--without", part)]
    return len(json.loads(call(2, "compile", model, *options, "--explain=json", "-o", library))["kernels"])


def measure(name, options, folder):
    model = find(name)
    variants = {"all": [], **{part: [part] for part in options.parts}, "none": GRAPH_LEVEL}
    kernels, best, failed = {}, {}, {}
    for variant, parts in variants.items():
        try:
            kernels[variant] = build(model, parts, folder / f"{variant}.so")
        except Failure as failure:
            failed[variant] = str(failure)
    for _ in range(options.rounds):
        for variant in kernels:
            text = call(options.threads, "bench", folder / f"{variant}.so", "--inputs", model.with_suffix(".npz"),
                        "--threads", options.threads, "--json")  # fmt: skip
            best[variant] = min(best.get(variant, math.inf), json.loads(text)["min_ms"])
    print(f"{name}: {best['all']:.3f} ms, {kernels['all']} kernels")
    for variant in list(variants)[1:]:
        if variant in failed:
            print(f"  {variant:28} {failed[variant]}")
        else:
            print(f"  {variant:28} {best[variant] / best['all']:6.2f}x {kernels[variant]:6} kernels")
    return {variant: best[variant] / best["all"] for variant in best}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=GRAPH_LEVEL, help="comma separated")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    ratios = {}
    for name in options.models:
        with tempfile.TemporaryDirectory(prefix="kumiko-without-") as folder:
            for variant, ratio in measure(name, options, pathlib.Path(folder)).items():
                ratios.setdefault(variant, []).append(ratio)
    print("geometric means: " + ", ".join(
        f"{variant} {math.exp(sum(map(math.log, list_)) / len(list_)):.2f}x" for variant, list_ in ratios.items()))  # fmt: skip


if __name__ == "__main__":
    main()

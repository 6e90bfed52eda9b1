#!/usr/bin/env python3
"""Kumiko beside other engines: same model, same inputs, taking turns in one run.

    side_by_side.py [--models a,b] [--systems kumiko,onnxruntime] [--threads 1,2] [--rounds 5]

Outputs are compared before anything is timed. Then, for each model and number of threads, the systems
run in turns, in an order that changes every round; the FMA peak is measured in the same rounds. The
minimum counts, the median stands beside it. Models are names in build/models, paths of .onnx files with a
.npz of inputs beside them, or `real`: all of test/Models/real.tsv on their first inputs (`get_real.py` brings
them). Writes a table to standard output and JSON to build/bench.
"""
import argparse
import csv
import json
import math
import pathlib
import statistics
import sys
import tempfile

import macs
import numpy as np
import probe
from systems import Failure, open_system

MODELS = probe.ROOT / "build" / "models"
REAL = probe.ROOT / "build" / "real"
OURS = ("kumiko", "plain")
TOLERANCE = 1e-5  # of the largest magnitude of an output


def real_models():
    """Name -> tolerance."""
    with open(probe.ROOT / "test" / "Models" / "real.tsv", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["name"]: float(row["tolerance"]) for row in rows}


def say(text):
    print(text, file=sys.stderr, flush=True)


def difference(got, wanted):
    """Largest difference over all outputs, each relative to its largest magnitude."""
    worst = 0.0
    for name, reference in wanted.items():
        if name not in got or got[name].shape != reference.shape:
            return math.inf
        scale = np.abs(reference).max() or 1.0
        error = np.abs(got[name].astype(np.float64) - reference).max() / scale
        worst = max(worst, error if np.isfinite(error) else math.inf)
    return float(worst)


def open_all(kinds, model, threads, folder):
    """-> (systems by name, failures by name)."""
    systems, failures = {}, {}
    for kind in kinds:
        try:
            systems[kind] = open_system(kind, model, model.with_suffix(".npz"), threads, folder)
        except Failure as failure:
            failures[kind] = str(failure)
    return systems, failures


def compare(systems, failures, tolerance):
    """Take out systems whose answer differs from the first peer's; they are not timed. -> differences."""
    reference = next((s for s in systems.values() if s.name not in OURS), None)
    if not reference:
        return {}
    wanted, differences = reference.outputs(), {}
    for kind, system in list(systems.items()):
        if system is reference:
            continue
        try:
            differences[kind] = difference(system.outputs(), wanted)
            if differences[kind] > tolerance:
                failures[kind] = f"differs from {reference.name} by {differences[kind]:.1e} of the largest magnitude"
        except Failure as failure:
            failures[kind] = str(failure)
        if kind in failures:
            systems.pop(kind).close()
    return differences


def time_rounds(systems, threads, rounds, seconds):
    """-> (times by system: [(min, median)], FMA peak): turns, the order reversed every other round."""
    times, peak = {kind: [] for kind in systems}, 0.0
    for number in range(rounds):
        peak = max(peak, probe.fma_peak(threads))
        order = list(systems) if number % 2 == 0 else list(reversed(systems))
        for kind in order:
            times[kind].append(systems[kind].burst(seconds))
    return times, peak


def measure(model, threads, options):
    """One line of the table, as data."""
    with tempfile.TemporaryDirectory(prefix="kumiko-bench-") as folder:
        systems, failures = open_all(options.systems, model, threads, pathlib.Path(folder))
        tolerance = real_models().get(model.stem, TOLERANCE) if model.parent == REAL else TOLERANCE
        differences = compare(systems, failures, tolerance)
        times, peak = time_rounds(systems, threads, options.rounds, options.seconds)
        row = {"model": model.stem, "threads": threads, "gmac": macs.count(model) * 1e-9, "fma_peak_gflops": peak}
        row["systems"] = {}
        for kind in options.systems:
            if kind in failures:
                row["systems"][kind] = {"failure": failures[kind]}
                continue
            low = min(pair[0] for pair in times[kind])
            row["systems"][kind] = {
                "min_ms": low,
                "median_ms": statistics.median(pair[1] for pair in times[kind]),
                "share_of_peak": 2e3 * row["gmac"] / low / peak,
                "version": systems[kind].version,
                "setting": systems[kind].setting,
                "difference": differences.get(kind),
                "peak_bytes": systems[kind].peak_bytes(),
            }
        for system in systems.values():
            system.close()
    return row


def print_table(rows, kinds):
    heads = "".join(f"  {kind + ' min / median ms':>28} {'of peak':>7}" for kind in kinds)
    print(f"{'model':20} {'thr':>3} {'GMAC':>6} {'GFLOP/s':>7}{heads}  ratio")
    for row in rows:
        line = f"{row['model']:20} {row['threads']:3} {row['gmac']:6.2f} {row['fma_peak_gflops']:7.1f}"
        for kind in kinds:
            result = row["systems"][kind]
            if "failure" in result:
                line += f"  {'fails':>28} {'':7}"
            else:
                both = f"{result['min_ms']:.2f} / {result['median_ms']:.2f}"
                share = f"{100 * result['share_of_peak']:6.1f}%" if row["gmac"] else "-"
                line += f"  {both:>28} {share:>7}"
        print(line + ratio_text(row))
    for row in rows:
        for kind, result in row["systems"].items():
            if "failure" in result:
                print(f"{row['model']}, {row['threads']} threads, {kind}: {result['failure']}")


def best_ratio(row):
    """The best peer's minimum over ours: above one, Kumiko is faster. None where one of them fails."""
    ours = row["systems"].get("kumiko", {}).get("min_ms")
    peers = [r["min_ms"] for kind, r in row["systems"].items() if kind not in OURS and "min_ms" in r]
    return min(peers) / ours if ours and peers else None


def ratio_text(row):
    return f"  {best_ratio(row):.2f}x" if best_ratio(row) else "  -"


def print_means(rows):
    """How fast Kumiko is beside the best peer, over all models that both can do."""
    for threads in sorted({row["threads"] for row in rows}):
        ratios = [best_ratio(row) for row in rows if row["threads"] == threads and best_ratio(row)]
        if len(ratios) > 1:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{threads} threads: geometric mean {mean:.2f}x over {len(ratios)} models, lowest {min(ratios):.2f}x")


def print_foot(rows, options):
    print(f"\n{probe.cpu_name()}; {options.rounds} rounds of {options.seconds} s, systems in turns; single precision")
    told = set()
    for row in rows:
        for kind, result in row["systems"].items():
            if "version" in result and kind not in told:
                told.add(kind)
                print(f"{kind} {result['version']}: {result['setting']}")
    print("of peak: multiply-adds of Conv, Gemm and MatMul against 256-bit FMA measured in the same rounds")


def find_models(names):
    for name in names:
        yield from [find_model(REAL / f"{each}.onnx") for each in real_models()] if name == "real" else [find_model(name)]


def find_model(name):
    path = pathlib.Path(name) if str(name).endswith(".onnx") else MODELS / f"{name}.onnx"
    for wanted in (path, path.with_suffix(".npz")):
        if not wanted.exists():
            sys.exit(f"side_by_side.py: no {wanted}; make models with test/Models/make_models.py, get_real.py")
    return path


def parse_options():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=words, default=["light_resnet50", "bert_encoder"])
    parser.add_argument("--systems", type=words, default=["kumiko", "onnxruntime"])
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a peer's turn")
    parser.add_argument("--json", type=pathlib.Path, default=probe.BUILT / "side_by_side.json")
    return parser.parse_args()


def main():
    options = parse_options()
    models = list(find_models(options.models))
    rows = []
    for model in models:
        for threads in options.threads:
            say(f"{model.stem}, {threads} threads")
            rows.append(measure(model, threads, options))
    print_table(rows, options.systems)
    print_means(rows)
    print_foot(rows, options)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"cpu": probe.cpu_name(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

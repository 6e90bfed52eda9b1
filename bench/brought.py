#!/usr/bin/env python3
"""What the graph level brings: each model without it, with it, and with the peers, in turns; time and peak memory.

    brought.py [--models NAME,...] [--threads 1,2] [--rounds 3] [--seconds 0.5]

Models are as in side_by_side.py; without names, all of test/Models/real.tsv and of build/models. `plain` is Kumiko
without rewrites, layouts and fusion. Memory is what a process has resident at most, less what the same system has with
a model of one addition: weights, buffers and whatever the engine keeps for itself.
"""
import argparse
import math
import pathlib
import tempfile

import numpy as np
import onnx
import probe
import side_by_side
from systems import Failure, open_system

SYSTEMS = ["plain", "kumiko", "onnxruntime", "openvino"]


def small_model(folder):
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "x"], ["y"])], "small", values[:1], values[1:])
    path = folder / "small.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    np.savez(path.with_suffix(".npz"), x=np.ones(4, np.float32))
    return path


def memory_of_nothing():
    """Bytes by system."""
    with tempfile.TemporaryDirectory() as name:
        folder, bytes_ = pathlib.Path(name), {}
        model = small_model(folder)
        for kind in SYSTEMS:
            system = open_system(kind, model, model.with_suffix(".npz"), 1, folder)
            system.outputs()
            bytes_[kind] = system.peak_bytes()
            system.close()
        return bytes_


def texts(row, nothing):
    """Milliseconds and megabytes of each system."""
    for kind in SYSTEMS:
        result = row["systems"][kind]
        if "failure" in result:
            yield f"{'fails':>11} {'-':>6}"
        else:
            yield f"{result['min_ms']:11.2f} {max(0, result['peak_bytes'] - nothing[kind]) / 1e6:6.1f}"


def gain(row, kind):
    """How many times as fast as `plain` Kumiko is."""
    systems = row["systems"]
    return systems["plain"]["min_ms"] / systems[kind]["min_ms"] if "min_ms" in systems["plain"] else math.nan


def mean(numbers):
    numbers = [number for number in numbers if number and number == number]
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=lambda text: text.split(","))
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    options.systems = SYSTEMS
    names = options.models or ["real", *sorted(path.stem for path in side_by_side.MODELS.glob("*.onnx"))]
    nothing, rows = memory_of_nothing(), []
    print(f"{'model':20} thr" + "".join(f"  {kind:>11} {'MB':>6}" for kind in SYSTEMS) + "   gain  ratio")
    for model in side_by_side.find_models(names):
        for threads in options.threads:
            try:
                row = side_by_side.measure(model, threads, options)
            except Failure as failure:
                print(f"{model.stem:20} {threads:3} {failure}", flush=True)
                continue
            rows.append(row)
            ratio = side_by_side.best_ratio(row)
            print(f"{row['model']:20} {threads:3}  " + "  ".join(texts(row, nothing)) +
                  f"  {gain(row, 'kumiko'):4.2f}x  " + (f"{ratio:.2f}x" if ratio else "-"), flush=True)  # fmt: skip
    for threads in options.threads:
        chosen = [row for row in rows if row["threads"] == threads]
        ratios = [side_by_side.best_ratio(row) for row in chosen]
        print(f"{threads} threads: gain {mean(gain(row, 'kumiko') for row in chosen):.2f}x, over the best peer "
              f"{mean(ratios):.2f}x, lowest {min(filter(None, ratios)):.2f}x")  # fmt: skip
    print(f"{probe.cpu_name()}; {options.rounds} rounds of {options.seconds} s, systems in turns")


if __name__ == "__main__":
    main()

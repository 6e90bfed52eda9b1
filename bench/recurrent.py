#!/usr/bin/env python3
"""Recurrent layers beside ONNX Runtime, in turns.

    recurrent.py [--layers LSTM,GRU] [--hidden 10,128] [--batch 1,8] [--threads 1,2] [--rounds 3]

One layer over 50 steps with as many inputs as units, without lengths or peepholes; `GRU-linear` is the one whose linear
part comes first. Outputs are compared before anything is timed. A step is what counts: the table has microseconds of one.
"""
import argparse
import sys
import types

import numpy as np
import onnx
import probe
import side_by_side

sys.path.insert(0, str(probe.ROOT / "test" / "Models"))
from cases import recurrent as layers

STEPS = 50
FOLDER = probe.BUILT / "recurrent"


def make(layer, hidden, batch):
    """-> the path of a model, its inputs beside it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{layer}_{hidden}_{batch}.onnx"
    kind, linear = layer.removesuffix("-linear"), {"linear_before_reset": 1} if layer.endswith("-linear") else {}
    model, feeds = layers.layer(kind, STEPS, batch, hidden, hidden, initial=False, **linear)
    onnx.save(model, path)
    np.savez(path.with_suffix(".npz"), **feeds)
    return path


def parse_options():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=lambda text: text.split(","), default=["RNN", "GRU", "GRU-linear", "LSTM"])
    parser.add_argument("--hidden", type=numbers, default=[10, 50, 128, 256])
    parser.add_argument("--batch", type=numbers, default=[1, 8])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def main():
    options = parse_options()
    how = types.SimpleNamespace(systems=["kumiko", "onnxruntime"], rounds=options.rounds, seconds=1.0)
    print(f"{'layer':11} {'hidden':>6} {'batch':>5} {'thr':>3} {'kumiko us':>10} {'onnxruntime us':>15}  ratio")
    rows = []
    for layer in options.layers:
        for hidden in options.hidden:
            for batch in options.batch:
                model = make(layer, hidden, batch)
                for threads in options.threads:
                    row = side_by_side.measure(model, threads, how)
                    rows.append(row)
                    times = [row["systems"][kind].get("min_ms", float("nan")) * 1e3 / STEPS for kind in how.systems]
                    print(f"{layer:11} {hidden:6} {batch:5} {threads:3} {times[0]:10.2f} {times[1]:15.2f}"
                          f"{side_by_side.ratio_text(row)}", flush=True)
    side_by_side.print_means(rows)
    print(f"{probe.cpu_name()}; minima of {options.rounds} rounds in turns")


if __name__ == "__main__":
    main()

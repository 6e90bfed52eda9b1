#!/usr/bin/env python3
"""How near single kernels come to the FMA peak: the shapes of shapes.tsv as one-node models.

    kernel_shapes.py [--threads 1] [--seconds 0.7] [FILTER...]

Each shape is compiled and run alone. `kernel` is the time of its longest call, `run` that of the whole
program with the copies that a network would not have at this place. The peak is measured again beside each
shape. Convolutions read and write NHWC, the order inside networks. A FILTER picks lines that contain it.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
import probe
from onnx import helper, numpy_helper
from systems import KUMIKO, Failure, last_line

BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", probe.ROOT / "build" / "release"))
TOLERANCE = 1e-5  # of the largest magnitude
SHAPES = pathlib.Path(__file__).with_name("shapes.tsv")


def to_model(nodes, inputs, output, weights):
    declare, single = helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    initializers = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    declared = [declare(name, single, shape) for name, shape in inputs.items()]
    graph = helper.make_graph(nodes, "shape", declared, [declare("y", single, output)], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def convolution(fields, random):
    """-> (text, model, multiply-adds). Transposes at both ends make the model's own order NHWC."""
    channels, size, filters, kernel, stride, pad = map(int, fields[:6])
    out = (size + 2 * pad - kernel) // stride + 1
    weight = random.standard_normal((filters, channels, kernel, kernel), np.float32)
    nodes = [
        helper.make_node("Transpose", ["x"], ["x1"], "in", perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["x1", "w"], ["y1"], "kernel", kernel_shape=[kernel] * 2, pads=[pad] * 4, strides=[stride] * 2),
        helper.make_node("Transpose", ["y1"], ["y"], "out", perm=[0, 2, 3, 1]),
    ]
    model = to_model(nodes, {"x": [1, size, size, channels]}, [1, out, out, filters], {"w": weight})
    text = f"conv {kernel}x{kernel}/{stride} {channels:4}-{filters:4} @{size}"
    return text, model, out * out * filters * channels * kernel * kernel


def product(fields, random):
    """-> (text, model, multiply-adds)."""
    batch, rows, columns, inner = map(int, fields[:4])
    lead = [batch] if batch > 1 else []
    inputs, weights = {"a": lead + [rows, inner]}, {}
    if fields[4] == "constant":
        weights["b"] = random.standard_normal((inner, columns), np.float32)
    else:
        inputs["b"] = lead + [inner, columns]
    nodes = [helper.make_node("MatMul", ["a", "b"], ["y"], "kernel")]
    text = f"gemm {batch}x {rows}x{columns}x{inner} {fields[4]}"
    return text, to_model(nodes, inputs, lead + [rows, columns], weights), batch * rows * columns * inner


def read_shapes(filters):
    for line in SHAPES.read_text().splitlines():
        network, kind, *fields = line.split("\t") if not line.startswith("#") else ["#", "#"]
        if network == "#":
            continue
        made = (convolution if kind == "conv" else product)(fields, np.random.default_rng(len(line)))
        text = f"{network:8} {made[0]}"
        if not filters or any(word in text for word in filters):
            yield text, *made[1:], int(fields[-1])


def timer():
    """The program around the runtime's profile hook, built against the runtime of this build."""
    library = next(iter(sorted(BUILD.glob("**/libkumiko_runtime.a"))), None)
    if not library:
        raise SystemExit(f"kernel_shapes.py: no libkumiko_runtime.a under {BUILD}; run ./scripts/build first")
    program = probe.BUILT / "time_calls"
    probe.BUILT.mkdir(parents=True, exist_ok=True)
    source, headers = pathlib.Path(__file__).with_name("time_calls.c"), probe.ROOT / "runtime" / "include"
    command = ["clang-22", "-std=c11", "-O1", "-I", headers, source, library, "-lm", "-ldl", "-pthread", "-o", program]
    subprocess.run(command, check=True)
    return program


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise Failure(last_line(done.stderr))
    return done.stdout


def check_answer(model, artefact, folder):
    """A fast wrong answer is no result."""
    random, inputs = np.random.default_rng(1), {}
    for info in model.graph.input:
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        inputs[info.name] = random.standard_normal(shape, np.float32)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    wanted = session.run(None, inputs)[0]
    np.savez(folder / "in.npz", **inputs)
    call([KUMIKO, "run", artefact, "--inputs", folder / "in.npz", "--outputs", folder / "out.npz"])
    got = np.load(folder / "out.npz")["y"]
    if got.shape != wanted.shape or not np.abs(got - wanted).max() <= TOLERANCE * np.abs(wanted).max():
        raise Failure("differs from onnxruntime")


def measure(model, threads, seconds, program, folder):
    """-> report of time_calls, after the answer has been compared."""
    source, artefact = folder / "shape.onnx", folder / "shape.so"
    onnx.save(model, source)
    call([KUMIKO, "compile", source, "-o", artefact])
    check_answer(model, artefact, folder)
    return json.loads(call([*probe.pinned(threads), program, artefact, threads, seconds]))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--json", type=pathlib.Path, default=probe.BUILT / "kernel_shapes.json")
    parser.add_argument("filters", nargs="*", metavar="FILTER")
    return parser.parse_args()


def main():
    options = parse_options()
    program, rows = timer(), []
    print(f"{'shape':40} {'MMAC':>7} {'GFLOP/s':>8} {'kernel ms':>10} {'of peak':>8} {'run ms':>8} {'of peak':>8}")
    with tempfile.TemporaryDirectory(prefix="kumiko-shapes-") as folder:
        for text, model, macs, times in read_shapes(options.filters):
            peak = probe.fma_peak(options.threads)
            row = {"shape": text, "macs": macs, "times": times, "fma_peak_gflops": peak}
            rows.append(row)
            try:
                report = measure(model, options.threads, options.seconds, program, pathlib.Path(folder))
            except (Failure, subprocess.TimeoutExpired) as failure:
                row["failure"] = str(failure)
                print(f"{text:40} fails: {failure}", flush=True)
                continue
            row |= {"kernel_ms": max(c["min_ms"] for c in report["calls"]), "run_ms": report["min_ms"]}
            row["share"], row["run_share"] = (2e-6 * macs / row[key] / peak for key in ("kernel_ms", "run_ms"))
            print(
                f"{text:40} {macs / 1e6:7.1f} {peak:8.1f} {row['kernel_ms']:10.4f} {100 * row['share']:7.1f}%"
                f" {row['run_ms']:8.4f} {100 * row['run_share']:7.1f}%",
                flush=True,
            )
    finish(rows, options)


def finish(rows, options):
    shares = [row["share"] for row in rows if "share" in row]
    if shares:
        print(f"median {100 * statistics.median(shares):.1f} % of the FMA peak over {len(shares)} shapes, ", end="")
        print(f"{options.threads} threads; {probe.cpu_name()}")
    options.json.write_text(json.dumps({"cpu": probe.cpu_name(), "threads": options.threads, "rows": rows}, indent=1) + "\n")
    sys.exit(0 if len(shares) == len(rows) else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Quantised graphs, compiled for each target that this machine can run, against ONNX Runtime.

    quantized.py [--threads 1,2,3]

Integer ops must give ONNX Runtime's very integers, QLinear* those of the evaluator (ONNX Runtime rounds before it adds
the zero point, the specification's reference after it, which is a step where a sum lies between two). QDQ graphs may be one step from the float reading,
which is ONNX Runtime with its optimisations off; with `--allow=exact` they are that reading, rounding aside. The same
bits for every number of threads. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
import onnxruntime
import quantized_cases
import tool

# builder of cases, steps that an 8-bit result may differ
GROUPS = {"integers": (quantized_cases.integer_products, 0), "qlinear": (quantized_cases.linear_ops, 0),
          "qdq": (quantized_cases.paired_ops, 1), "dynamic": (quantized_cases.dynamic_ops, 0)}
BY_EVALUATOR = {"qlinear"}
VARIANTS = {"host": [], "host exact": ["--allow=exact"], "x86-64-v3": ["--target=x86-64-v3"],
            "x86-64-v2": ["--target=x86-64-v2"]}


def float_reading(path, values):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return dict(zip((output.name for output in session.get_outputs()), session.run(None, values)))


def distance(got, wanted, steps):
    """-> what is wrong with one result, or nothing."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype}{got.shape} instead of {wanted.dtype}{wanted.shape}"
    far = np.abs(got.astype(np.float64) - wanted).max(initial=0)
    limit = steps if wanted.dtype != np.float32 else 1e-6 * np.abs(wanted).max()
    return f"{far} away, at most {limit} allowed" if far > limit else ""


def evaluated(model, inputs, near, folder):
    """The evaluator's answers, which are at most a step from `near`."""
    path = folder / "reference.npz"
    tool.call([tool.KUMIKO, "run", model, "--reference", "--inputs", inputs, "--outputs", path])
    answers = dict(np.load(path))
    for case, values in near.items():
        if text := distance(answers[case], values, 1):
            raise SystemExit(f"the evaluator and ONNX Runtime disagree about {case}: {text}")
    return answers


def check(name, variant, wanted, library, inputs, threads, folder):
    """-> (passed, failed)"""
    answers = {count: tool.run_model(library, inputs, count, folder) for count in threads}
    first = answers[threads[0]]
    wrong = {case: distance(first[case], wanted[case], GROUPS[name][1]) for case in wanted}
    for count in threads[1:]:
        for case in wanted:
            if not wrong[case] and answers[count][case].tobytes() != first[case].tobytes():
                wrong[case] = f"other bits with {count} threads than with {threads[0]}"
    for case, text in wrong.items():
        if text:
            print(f"FAIL {name}, {variant}: {case}: {text}")
    failed = sum(map(bool, wrong.values()))
    return len(wrong) - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="1,2,3")
    parser.add_argument("groups", nargs="*", default=list(GROUPS))
    arguments = parser.parse_args()
    threads = [int(count) for count in arguments.threads.split(",")]
    passed = failed = 0
    for name in arguments.groups:
        graph = GROUPS[name][0]()
        with tempfile.TemporaryDirectory(prefix="quantized-", dir=tool.ROOT / "build") as scratch:
            folder = pathlib.Path(scratch)
            model, inputs, library = folder / f"{name}.onnx", folder / "inputs.npz", folder / "model.so"
            onnx.save(graph.model(), model)
            np.savez(inputs, **graph.values)
            wanted = float_reading(model, graph.values)
            if name in BY_EVALUATOR:
                wanted = evaluated(model, inputs, wanted, folder)
            for variant, options in VARIANTS.items():
                try:
                    tool.compile_model(model, library, *options)
                    counts = check(name, variant, wanted, library, inputs, threads, folder)
                except tool.Failure as failure:
                    print(f"FAIL {name}, {variant}: {failure}")
                    counts = (0, len(wanted))
                passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

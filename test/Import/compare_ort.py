#!/usr/bin/env python3
"""Compares the evaluator with ONNX Runtime on small models of one node each, for what the ONNX suite does not test.

    compare_ort.py [FAMILY...]     all families without names

Ends with `N passed, N failed, N skipped`.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import elementwise_cases
import movement_cases
import ort_cases
import quantize_cases
import recurrent_cases
import reduction_cases
import resize_cases
import window_cases

FAMILIES = {
    "elementwise": elementwise_cases, "movement": movement_cases, "quantize": quantize_cases, "recurrent": recurrent_cases,
    "reduction": reduction_cases, "resize": resize_cases, "window": window_cases,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", help=", ".join(FAMILIES))
    parser.add_argument("--tool", default="build/release/bin/onnx-import")
    parser.add_argument("--keep", help="write the cases here, a new folder, and leave them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cases = ort_cases.Cases(arguments.keep or scratch)
        for family in arguments.families or FAMILIES:
            cases.begin()
            FAMILIES[family].add(cases)
        folders = [os.path.join(cases.root, name) for name in cases.names]
        result = subprocess.run([arguments.tool, "--suite", *folders], stdout=subprocess.PIPE, text=True, check=False)
    lines = dict(line.split(" ", 1) for line in result.stdout.splitlines() if " " in line)
    wrong = {name: lines.get(name, "no answer") for name in cases.names if lines.get(name) != "ok"}
    for name, why in wrong.items():
        print(f"{name}: {why}")
    for line in cases.refused:
        print(f"ONNX Runtime has no answer to {line}")
    print(f"{len(cases.names) - len(wrong)} passed, {len(wrong)} failed, {len(cases.refused)} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

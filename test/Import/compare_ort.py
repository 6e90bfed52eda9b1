#!/usr/bin/env python3
"""Compares the evaluator with ONNX Runtime on small models of one node each, for what the ONNX suite does not test.

    compare_ort.py [FAMILY...]     all families without names
    compare_ort.py --mode=compiled compiled code instead of the evaluator; recurrent layers are not compiled yet

Ends with `N passed, N failed, N skipped`.
"""
import argparse
import subprocess
import sys
import tempfile

import elementwise_cases
import empty_cases
import irregular_cases
import microsoft_cases
import microsoft_quantized_cases
import movement_cases
import ort_cases
import quantize_cases
import recurrent_cases
import reduction_cases
import resize_cases
import signal_cases
import version_cases
import window_cases

FAMILIES = {
    "elementwise": elementwise_cases, "empty": empty_cases, "irregular": irregular_cases, "microsoft": microsoft_cases,
    "microsoft-quantized": microsoft_quantized_cases, "movement": movement_cases, "quantize": quantize_cases,
    "recurrent": recurrent_cases, "reduction": reduction_cases, "resize": resize_cases, "signal": signal_cases,
    "version": version_cases, "window": window_cases,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", help=", ".join(FAMILIES))
    parser.add_argument("--mode", choices=("evaluator", "compiled"), default="evaluator")
    parser.add_argument("--tool", default="build/release/bin/kumiko-onnx-suite")
    parser.add_argument("--keep", help="write the cases here, a new folder, and leave them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        cases = ort_cases.Cases(arguments.keep or scratch)
        for family in arguments.families or FAMILIES:
            cases.begin()
            FAMILIES[family].add(cases)
        command = [arguments.tool, f"--mode={arguments.mode}", "--expected=/dev/null", f"--fewest={len(cases.names)}"]
        result = subprocess.run([*command, "--data", cases.root], stdout=subprocess.PIPE, text=True, check=False)
    *lines, counts = result.stdout.splitlines() or ["0 passed, 1 failed, 0 skipped"]
    for line in lines:
        print(line)
    for line in cases.refused:
        print(f"ONNX Runtime has no answer to {line}")
    print(counts.replace("0 skipped", f"{len(cases.refused)} skipped"))
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""However an exporter spelled it, it ends as one kernel.

    spellings.py [TEXT...]

Each case of spellings_cases.py (or those whose names hold a TEXT) is compiled with numbers for its sizes and with open
ones; both must have one kernel, and give what ONNX Runtime gives. Sizes are such that vectors have a rest, and one of
them is 1. The last line is `N passed, N failed, N skipped`.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
import onnx.parser
import tool
from compare import check_close, reference
from spellings_cases import CASES

SIZES = {"B": 1, "S": 10, "H": 6, "W": 7, "C": 5}


def model_of(arguments, text, results):
    """Numbers and lists among the operands become Constant nodes."""
    nodes, constants = [], {}

    def constant(match):
        value = match.group(0)
        name = constants.setdefault(value, f"k{len(constants)}")
        kind = "value_ints" if value[0] == "[" else "value_float"
        if f"{name} =" not in "".join(nodes):
            nodes.append(f"{name} = Constant<{kind}={value}>()")
        return name

    for node in re.split(r"[;\n]", text):
        head, operands = node.strip().rsplit("(", 1)
        operands = re.sub(r"-?\d+\.\d+|\[[^\]]*\]", constant, operands)
        nodes.append(f"{head}({operands}")
    return onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]>\nspelling (' + arguments + ") => (" +
                                   results + ") {\n" + "\n".join(nodes) + "\n}")


def feeds_of(model):
    random, feeds = np.random.default_rng(7), {}
    for given in model.graph.input:
        shape = [d.dim_value or SIZES[d.dim_param] for d in given.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(given.type.tensor_type.elem_type)
        values = random.standard_normal(shape)
        feeds[given.name] = values > -0.5 if kind == bool else values.astype(kind)
    return feeds


def check(case, folder):
    model = model_of(*CASES[case])
    path, library, inputs = folder / "model.onnx", folder / "model.so", folder / "in.npz"
    onnx.save(model, path)
    feeds = feeds_of(model)
    np.savez(inputs, **feeds)
    wanted = reference(path, feeds)
    named = {d.dim_param for given in model.graph.input for d in given.type.tensor_type.shape.dim if d.dim_param}
    numbers = [part for name in sorted(named) for part in ("--dim", f"{name}={SIZES[name]}")]
    for kind, options in (("with numbers", numbers), ("with open sizes", [])):
        account = json.loads(tool.compile_model(path, library, "--explain=json", *options))
        kernels = len(account["kernels"])
        if kernels != 1:
            raise tool.Failure(f"{kind}: {kernels} kernels, expected 1")
        check_close(tool.run_model(library, inputs, 1, folder), wanted)


def main():
    failed = 0
    cases = [case for case in CASES if not sys.argv[1:] or any(text in case for text in sys.argv[1:])]
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(case, pathlib.Path(folder))
            except tool.Failure as failure:
                failed += 1
                print(f"FAIL {case}: {failure}")
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

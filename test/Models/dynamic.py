#!/usr/bin/env python3
"""One compiled model for every size, against ONNX Runtime.

    dynamic.py [NAME...]

Each case of dynamic_cases.py is compiled once, with nothing said about sizes, and the library is run on inputs of
several sizes: shapes as inputs, shape arithmetic, sizes that data decide, recurrences and control flow. Outputs within
1e-5 of the largest magnitude, integers equal, the same bits on one thread and on three. Inputs whose sizes contradict
each other must be refused by name. The last line is `N passed, N failed, N skipped`.
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
import tool
from compare import check_bits, check_close, reference
from dynamic_cases import CASES, Builder


def describe(array):
    return f"{array.dtype}{list(array.shape)} {array.ravel()[:8].tolist()}"


def judge(got, wanted):
    for name, values in wanted.items():
        # Of a loop without turns ONNX Runtime does not know how large its results would have been.
        if values.size == got[name].size == 0 and values.ndim == got[name].ndim:
            continue
        if values.size and np.issubdtype(values.dtype, np.floating):
            check_close({name: got[name]}, {name: values})
        elif got[name].shape != values.shape or not np.array_equal(got[name], values):
            raise tool.Failure(f"{name} is {describe(got[name])}, expected {describe(values)}")


def check(name, folder):
    function, sets = CASES[name]
    builder = Builder()
    model, library, inputs = folder / "model.onnx", folder / "model.so", folder / "in.npz"
    onnx.save(builder.model(function(builder)), model)
    tool.compile_model(model, library)
    for number, at in enumerate(sets):
        feeds = builder.feeds(at, number)
        np.savez(inputs, **feeds)
        try:
            one = tool.run_model(library, inputs, 1, folder)
            judge(one, reference(model, feeds))
            check_bits(tool.run_model(library, inputs, 3, folder), one, "on three threads")
        except tool.Failure as failure:
            raise tool.Failure(f"at {at}: {failure}") from None


def check_contradiction(folder):
    """`n` of two inputs must be one number, and the message says which."""
    builder = Builder()
    model, inputs = folder / "model.onnx", folder / "in.npz"
    onnx.save(builder.model([builder.Concat(builder.draw("x", "n", 2), builder.draw("y", "n", 3), axis=1)]), model)
    np.savez(inputs, x=np.zeros((4, 2), np.float32), y=np.zeros((5, 3), np.float32))
    try:
        tool.run_model(model, inputs, 1, folder)
    except tool.Failure as failure:
        if "exit 3" not in str(failure) or '"y"' not in str(failure) and "'y'" not in str(failure):
            raise tool.Failure(f"refused, but with: {failure}") from None
    else:
        raise tool.Failure("4 and 5 were both taken for n")


def check_outside(folder):
    """A scatter may not write outside of a size that is known only when it runs."""
    library, inputs = folder / "model.so", folder / "in.npz"
    for name, places in (("ScatterElements", [[0], [5]]), ("ScatterND", [[5, 0], [0, 0]]), ("ScatterND", [[0, 0], [-9, 0]])):
        builder = Builder()
        model = folder / "model.onnx"
        where = builder.give("where", ["k", len(places[0])], lambda at: at["places"])
        new = builder.draw("new", *(["k", 1] if name == "ScatterElements" else ["k"]))
        scatter = getattr(builder, name)(builder.draw("x", "n", 2), where, new)
        onnx.save(builder.model([builder.Neg(scatter)]), model)
        tool.compile_model(model, library)
        feeds = builder.feeds(dict(places=places, k=2, n=5), 0)
        np.savez(inputs, **feeds)
        for way in (library, model):
            try:
                tool.run_model(way, inputs, 1, folder)
            except tool.Failure as failure:
                if "out of range" not in str(failure):
                    raise tool.Failure(f"{name} of {way.name} ended, but with: {failure}") from None
            else:
                raise tool.Failure(f"{name} of {way.name} wrote outside")


def check_verify(folder):
    """Each call and each pass can be judged also where the turns of loops are found in the data."""
    function, sets = CASES["loops_until"]
    builder = Builder()
    model, inputs = folder / "model.onnx", folder / "in.npz"
    onnx.save(builder.model(function(builder)), model)
    np.savez(inputs, **builder.feeds(sets[0], 0))
    for way in ("--each-op", "--each-pass"):
        tool.call([tool.KUMIKO, "verify", model, "--inputs", inputs, way])


def main():
    checks = {name: lambda folder, name=name: check(name, folder) for name in CASES}
    checks["contradiction"] = check_contradiction
    checks["outside"] = check_outside
    checks["verify"] = check_verify
    wanted = sys.argv[1:] or list(checks)
    if unknown := set(wanted) - set(checks):
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    passed = failed = 0
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix="kumiko-dynamic-") as folder:
            try:
                checks[name](pathlib.Path(folder))
                passed += 1
            except tool.Failure as failure:
                print(f"FAILED {name}: {failure}", flush=True)
                failed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

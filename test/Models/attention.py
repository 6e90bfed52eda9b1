#!/usr/bin/env python3
"""Attention in one kernel, at sizes around its vectors, tiles and chunks, against the evaluator.

    attention.py [TEXT...]

Heads are split off by reshapes and transposes, scores are scaled, masked and go through a softmax. Each size (or those
whose text holds a TEXT) is compiled with numbers and run; one library with open sizes runs all of them. One thread and
two must give the same bits. Masks of minus infinity cover whole rows: what the evaluator makes of these is the rule. The
last line is `N passed, N failed, N skipped`.
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
import onnx.parser
import tool

# batch, queries, keys, heads, columns of a head
SIZES = [(1, 1, 1, 1, 1), (1, 1, 17, 1, 3), (2, 1, 40, 3, 7), (2, 5, 16, 3, 7), (1, 200, 1, 2, 8), (3, 2, 9, 2, 3),
         (2, 17, 33, 3, 17), (1, 200, 40, 2, 1), (1, 6, 130, 2, 80), (2, 49, 50, 2, 64), (1, 7, 131, 2, 72),
         (1, 64, 64, 2, 16), (1, 31, 8, 1, 33), (1, 30, 7, 1, 33), (1, 150, 512, 1, 24), (0, 5, 12, 2, 8), (2, 0, 12, 2, 8),
         (2, 5, 0, 2, 8)]
OPEN_HEADS, OPEN_COLUMNS = 3, 20


def model_of(batch, queries, keys, heads, columns):
    wide = heads * columns
    kept = "perm=[0,2,1,3]"
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
        attention (float[{batch},{queries},{wide}] q, float[{batch},{keys},{wide}] k, float[{batch},{keys},{wide}] v,
                   float[{batch},1,1,{keys}] mask) => (float[{batch},{queries},{wide}] y)
        <int64[4] split = {{0, 0, {heads}, {columns}}}, int64[3] merge = {{0, 0, {wide}}}, float scale = {{0.3}}> {{
          qs = Reshape(q, split); ks = Reshape(k, split); vs = Reshape(v, split)
          qt = Transpose<{kept}>(qs); kt = Transpose<perm=[0,2,3,1]>(ks); vt = Transpose<{kept}>(vs)
          s = MatMul(qt, kt); t = Mul(s, scale); m = Add(t, mask); p = Softmax<axis=-1>(m); o = MatMul(p, vt)
          ot = Transpose<{kept}>(o); y = Reshape(ot, merge)
        }}""".replace("; ", "\n"))


def feeds_of(batch, queries, keys, heads, columns):
    random, wide = np.random.default_rng(5), heads * columns
    feeds = {name: random.standard_normal((batch, rows, wide)).astype(np.float32)
             for name, rows in (("q", queries), ("k", keys), ("v", keys))}
    feeds["mask"] = np.where(random.random((batch, 1, 1, keys)) < 0.2, -np.inf, 0).astype(np.float32)
    feeds["mask"][1:2] = -np.inf  # all rows of one batch
    return feeds


def check(model, library, size, folder):
    inputs = folder / "in.npz"
    np.savez(inputs, **feeds_of(*size))
    tool.call([tool.KUMIKO, "verify", library, "--model", model, "--inputs", inputs])
    one, two = (tool.run_model(library, inputs, threads, folder)["y"] for threads in (1, 2))
    if one.tobytes() != two.tobytes():
        raise tool.Failure("two threads give other bits than one")


def main():
    passed = failed = 0

    def attempt(name, action):
        nonlocal passed, failed
        if sys.argv[1:] and not any(text in name for text in sys.argv[1:]):
            return
        try:
            action()
            passed += 1
        except tool.Failure as failure:
            failed += 1
            print(f"FAIL {name}: {failure}")

    def compiled(size, folder):
        path = folder / "model.onnx"
        onnx.save(model_of(*size), path)
        tool.compile_model(path, folder / "model.so")
        return path, folder / "model.so"

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for size in SIZES:
            attempt(f"{size}", lambda: check(*compiled(size, folder), size, folder))
        model, library = compiled(("B", "S", "T", OPEN_HEADS, OPEN_COLUMNS), folder)
        for size in SIZES:
            given = size[:3] + (OPEN_HEADS, OPEN_COLUMNS)
            attempt(f"open {given}", lambda: check(model, library, given, folder))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

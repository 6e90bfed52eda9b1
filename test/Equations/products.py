#!/usr/bin/env python3
"""Sums of products in every form that an equation may give them, compiled, beside NumPy.

    products.py [--build build/release] [--seed N] [--count N]

Matrix products come with their dimensions in random order: some batch, rows, columns and depth, dimensions of one element,
constants. Windows come in all the ways that a convolution and its gradients are written. Each is a network of one node,
run by `kumiko run` and compared with NumPy in f64. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
TOLERANCE = {"f32": 1e-5, "f16": 2e-3, "i8": 0}


def products(rng, count):
    """-> name, statement, arrays, result, whether the second is a constant."""
    for number in range(count):
        sizes = {letter: rng.choice([1, 2, 3, 5, 8, 17]) for letter in "pqmnuvkl"}
        roles = {"batch": "pq"[: rng.randint(0, 2)], "rows": "mu"[: rng.randint(1, 2)],
                 "columns": "nv"[: rng.randint(1, 2)], "depth": "kl"[: rng.randint(1, 2)]}
        sizes["m"], sizes["n"] = rng.choice([16, 33, 48]), rng.choice([7, 16, 40])
        first, second, result = ("".join(rng.sample(s, len(s))) for s in (
            roles["batch"] + roles["rows"] + roles["depth"], roles["batch"] + roles["columns"] + roles["depth"],
            roles["batch"] + roles["rows"] + roles["columns"]))
        element = rng.choice(["f32", "f32", "f32", "f16", "i8"])
        draw = np.random.default_rng(number)
        arrays = []
        for letters in (first, second):
            shape = [sizes[letter] for letter in letters]
            values = draw.integers(-128, 128, shape) if element == "i8" else draw.standard_normal(shape)
            arrays.append(values.astype(TYPES[element]))
        wide = np.int32 if element == "i8" else np.float64
        wanted = np.einsum(f"{first},{second}->{result}", *(each.astype(wide) for each in arrays))
        reads = [f"{name}({', '.join(letters)})" for name, letters in (("a", first), ("b", second))]
        if element == "i8":
            reads = [f"i32({read})" for read in reads]
        statement = f"y({', '.join(result)}) += {reads[0]} * {reads[1]}"
        yield f"{first},{second}->{result} {element}", statement, arrays, wanted, rng.random() < 0.3, element


def points(*extents):
    return np.ndindex(*extents)


def window(x, w, stride, dilation, shift, out):
    """y[n, f, o] = sum of x[n, c, o * stride + k * dilation + shift] * w[f, c, k], 0 beside x."""
    y = np.zeros((x.shape[0], w.shape[0], out))
    for o, k in points(out, w.shape[2]):
        at = o * stride + k * dilation + shift
        if 0 <= at < x.shape[2]:
            y[:, :, o] += x[:, :, at] @ w[:, :, k].T
    return y


def data_gradient(g, w, stride, dilation, shift, size):
    y = np.zeros((g.shape[0], w.shape[1], size))
    for o, k in points(g.shape[2], w.shape[2]):
        at = o * stride + k * dilation + shift
        if 0 <= at < size:
            y[:, :, at] += g[:, :, o] @ w[:, :, k]
    return y


def weight_gradient(g, x, stride, dilation, shift, taps):
    y = np.zeros((g.shape[1], x.shape[1], taps))
    for o, k in points(g.shape[2], taps):
        at = o * stride + k * dilation + shift
        if 0 <= at < x.shape[2]:
            y[:, :, k] += g[:, :, o].T @ x[:, :, at]
    return y


def windows(rng):
    draw = np.random.default_rng(7)
    normal = lambda *shape: draw.standard_normal(shape).astype(np.float32)
    for stride, dilation, shift, taps in ((1, 1, 0, 3), (2, 1, -1, 3), (3, 2, -2, 4), (2, 3, 1, 2), (4, 1, 0, 4)):
        x, w, out = normal(3, 8, 40), normal(16, 8, taps), 8
        numbers = f"{stride}*o + {dilation}*k + {shift}"
        y = window(x, w, stride, dilation, shift, out)
        for constant in (False, True):
            yield (f"window {numbers}", f"y(n, f, o) += (a(n, c, {numbers}) else 0) * b(f, c, k)  where o in {out}", [x, w], y,
                   constant, "f32")
        yield (f"window, channels last {numbers}", f"y(n, o, f) += (a(n, {numbers}, c) else 0) * b(k, c, f)  where o in {out}",
               [np.moveaxis(x, 1, 2).copy(), w.transpose(2, 1, 0).copy()], np.moveaxis(y, 1, 2), rng.random() < 0.5, "f32")
        flipped = f"{stride}*o - {dilation}*k + {shift + dilation * (taps - 1)}"
        yield (f"window {flipped}", f"y(f, o, n) += b(k, f, c) * (a(n, c, {flipped}) else 0)  where o in {out}",
               [x, w[:, :, ::-1].transpose(2, 0, 1).copy()], y.transpose(1, 2, 0), rng.random() < 0.5, "f32")
        g, size = normal(3, 16, 9), 30
        y = data_gradient(g, w, stride, dilation, shift, size)
        for constant in (False, True):
            yield (f"data gradient to {numbers}", f"y(n, c, {numbers}) += a(n, f, o) * b(f, c, k)  where y : (3, 8, {size})",
                   [g, w], y, constant, "f32")
            place = f"i - {dilation}*k - {shift}"
            rest = f", mod({place}, {stride}) == 0" if stride > 1 else ""
            at = f"floordiv({place}, {stride})" if stride > 1 else place
            yield (f"data gradient from {at}",
                   f"y(n, c, i) += (a(n, f, {at}) else 0) * b(f, c, k)  where i in {size}{rest}", [g, w], y, constant, "f32")
        y = weight_gradient(g, x, stride, dilation, shift, taps)
        yield (f"weight gradient {numbers}", f"y(f, c, k) += a(n, f, o) * (b(n, c, {numbers}) else 0)  where k in {taps}",
               [g, x], y, False, "f32")
    x, w = normal(2, 12, 21), normal(8, 3, 3)
    y = np.concatenate([window(x[:, 3 * g : 3 * g + 3], w[2 * g : 2 * g + 2], 1, 1, 0, 19) for g in range(4)], 1)
    yield ("window in groups", "y(n, (g, f), o) += a(n, (g, c), o + k) * b((g, f), c, k)  where g in 4", [x, w], y, False, "f32")


def run(tool, folder, statement, arrays, constant, element):
    (folder / "op.eq").write_text(f"op p(a: T, b: T) -> y: {'i32' if element == 'i8' else 'T'} {{ {statement} }}\n"
                                  "  from onnx org.example.P-1 (a, b)\n")
    helper = onnx.helper
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[element]))
    values = [helper.make_tensor_value_info(name, kind, array.shape) for name, array in zip("ab", arrays)]
    rows = [onnx.numpy_helper.from_array(arrays[1], "b")] if constant else []
    result = helper.make_tensor_value_info("y", onnx.TensorProto.INT32 if element == "i8" else kind, None)
    graph = helper.make_graph([helper.make_node("P", ["a", "b"], ["y"], domain="org.example")], "g",
                              values[: 2 - len(rows)], [result], rows)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("org.example", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), folder / "m.onnx")
    np.savez(folder / "in.npz", **dict(zip("ab"[: 2 - len(rows)], arrays)))
    command = [tool, "run", folder / "m.onnx", "--ops", folder / "op.eq", "--inputs", folder / "in.npz", "--outputs",
               folder / "out.npz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return (np.load(folder / "out.npz")["y"], "") if done.returncode == 0 else (None, done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        for title, statement, arrays, wanted, constant, element in [*products(rng, options.count), *windows(rng)]:
            got, error = run(options.build / "bin/kumiko", pathlib.Path(name), statement, arrays, constant, element)
            bound = TOLERANCE[element] * max(1, np.abs(wanted).max())
            if got is not None and got.shape == wanted.shape and np.abs(got - wanted).max() <= bound:
                passed += 1
                continue
            failed += 1
            print(f"FAILED {title}: {statement}\n  {error or f'off by {np.abs(got - wanted).max()}'}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()

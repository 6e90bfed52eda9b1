#!/usr/bin/env python3
"""Code for every target that can be run here: levels of x86-64 by this machine, aarch64 by qemu-user.

    targets.py [--sample N] [TARGET...]

For each target every Nth test of the ONNX suite, and on x86-64 every conversion between 16-bit floats and f32 that can
go wrong, bit by bit, scatters of extremes among which are NaNs, gathers at places of which one may not exist (also for
the host), and two networks against ONNX Runtime. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Models"))

import ml_dtypes
import numpy as np
import onnx
import tool
from onnx import TensorProto, helper

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]
NETWORKS = ["light_squeezenet", "light_shufflenet"]
CROSS = pathlib.Path("/usr/aarch64-linux-gnu")
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


def cross_compile(sources, program, *flags):
    """A C program for aarch64: Debian's C library, no compiler's own."""
    library = CROSS / "lib"
    command = ["clang-22", "--target=aarch64-linux-gnu", "-nostdlibinc", "-isystem", CROSS / "include", "-std=c11", "-O1"]
    command += ["-Wall", "-Wextra", "-Werror", "-fuse-ld=lld", "-nostdlib", "-I", tool.ROOT / "runtime/include", *flags]
    start, end = [library / "crt1.o", library / "crti.o"], [library / "crtn.o"]
    tool.call([*command, *start, *sources, f"-L{library}", "-lc", "-lm", *end, "-o", program])


def counted(command):
    """Runs something that counts. -> passed, failed, skipped"""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=tool.ROOT)
    print("".join(f"  {line}\n" for line in done.stdout.splitlines() if not line.startswith("skipped,")), end="")
    found = COUNTS.findall(done.stdout)
    if not found:
        print(f"FAILED {command[0]}: {done.stderr.strip()}")
        return 0, 1, 0
    return tuple(map(int, found[-1]))


def suite(target, sample, folder):
    command = [tool.BUILD / "bin/kumiko-onnx-suite", "--mode=compiled", "--target", target, "--sample", sample]
    if target == "aarch64":
        program = folder / "run_library"
        cross_compile([HERE.parent / "Models/run_object.c"], program)
        command += ["--runner", f"qemu-aarch64 -L {CROSS} {program}"]
    return counted(command)


def object_file(folder):
    """The sample as an aarch64 object file in a C program, beside the same model here. -> passed, failed, skipped"""
    model, built, program = tool.ROOT / "examples/sample/sample.onnx", folder / "sample.o", folder / "run_sample"
    archive = next(tool.BUILD.glob("**/KumikoRuntime-aarch64.a"))
    picture = np.random.default_rng(0).uniform(0, 1, (1, 1, 28, 28)).astype(np.float32)
    np.savez(folder / "in.npz", picture=picture)
    picture.tofile(folder / "in.raw")
    try:
        tool.compile_model(model, built, "--target=aarch64")
        cross_compile([HERE.parent / "Models/run_object.c", built, archive], program, "-I", folder,
                      '-DMODEL_HEADER="sample.h"', "-DMODEL_ARTEFACT=sample_artefact")  # fmt: skip
        tool.call(["qemu-aarch64", "-L", CROSS, program, "2", "input", "picture", folder / "in.raw",
                   "output", "probability", folder / "out.raw"])  # fmt: skip
        got = np.fromfile(folder / "out.raw", np.float32)
        wanted = tool.run_model(model, folder / "in.npz", 1, folder)["probability"].ravel()
        text = "" if np.allclose(got, wanted, rtol=0, atol=1e-6) else f"{got} where {wanted} is expected"
    except tool.Failure as failure:
        text = str(failure)
    print(f"  {'FAILED' if text else 'ok'} the sample as an object file {text}")
    return int(not text), int(bool(text)), 0


def cast_model(source, target, count, path):
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=target)], "cast",
        [helper.make_tensor_value_info("x", source, [count])], [helper.make_tensor_value_info("y", target, [count])])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)


def near_halves(small):
    """Every number of a 16-bit type as f32, with its neighbours and the ties between them."""
    codes = np.arange(65536, dtype=np.uint16)
    exact = codes.view(small).astype(np.float32)
    bits = exact.view(np.uint32)
    step = np.uint32(1 << (23 - (10 if small == np.float16 else 7)) - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        around = [bits, bits + 1, bits - 1, bits + step, bits + step + 1, bits + step - 1]
    return np.concatenate(around).view(np.float32)


def same_bits(got, wanted):
    """A NaN is a NaN: which one is nobody's promise."""
    nan = np.isnan(wanted.astype(np.float32))
    return np.array_equal(np.isnan(got.astype(np.float32)), nan) and np.array_equal(
        got.view(np.uint16 if got.itemsize == 2 else np.uint32)[~nan],
        wanted.view(np.uint16 if got.itemsize == 2 else np.uint32)[~nan])


def casts(target, folder):
    passed = failed = 0
    for name, small, number in [("f16", np.float16, TensorProto.FLOAT16), ("bf16", ml_dtypes.bfloat16, TensorProto.BFLOAT16)]:
        wide = near_halves(small)
        codes = np.arange(65536, dtype=np.uint16).view(small)
        for what, x, to, kind in [(f"f32 to {name}", wide, small, number), (f"{name} to f32", codes, np.float32, TensorProto.FLOAT)]:
            model, inputs, outputs = folder / "cast.onnx", folder / "x.npz", folder / "y.npz"
            cast_model(TensorProto.FLOAT if x is wide else number, kind, x.size, model)
            # npz has no bf16; two bytes without a meaning stand for it.
            np.savez(inputs, x=x.view("V2") if x.dtype == ml_dtypes.bfloat16 else x)
            try:
                tool.call([tool.KUMIKO, "run", model, "--inputs", inputs, "--outputs", outputs, "--target", target])
                got = np.load(outputs)["y"]
                with np.errstate(over="ignore", invalid="ignore"):
                    good = same_bits(got.view(to), x.astype(to))
                text = "" if good else "other bits than NumPy"
            except tool.Failure as failure:
                good, text = False, str(failure)
            passed, failed = passed + good, failed + (not good)
            print(f"  {'ok' if good else 'FAILED'} {what}, {x.size} values {text}")
    return passed, failed, 0


def beside_numpy(what, cases, target, folder):
    """Runs what `cases` yields: a name, a model, its inputs, and what NumPy says of `y`. -> passed, failed, skipped"""
    passed = failed = 0
    model, inputs, outputs = folder / "model.onnx", folder / "in.npz", folder / "out.npz"
    for name, network, operands, wanted in cases:
        onnx.save(network, model)
        np.savez(inputs, **operands)
        try:
            tool.call([tool.KUMIKO, "run", model, "--inputs", inputs, "--outputs", outputs, "--target", target, "--threads", "2"])
            got = np.load(outputs)["y"]
            got = got.view(wanted.dtype) if got.dtype.kind == "V" else got  # bfloat16
            same = got.dtype == wanted.dtype and np.array_equal(*(x.astype(np.float64) for x in (got, wanted)), equal_nan=True)
            text = "" if same else "other numbers than NumPy"
        except tool.Failure as failure:
            text = str(failure)
        passed, failed = passed + (not text), failed + bool(text)
        if text:
            print(f"  FAILED {name}: {text}")
    print(f"  {passed} of {passed + failed} {what} ok")
    return passed, failed, 0


def scatter_model(kind, number, data, places):
    shapes = [("data", number, data.shape), ("places", TensorProto.INT64, places.shape), ("points", number, places.shape)]
    graph = helper.make_graph(
        [helper.make_node("ScatterElements", ["data", "places", "points"], ["y"], axis=0, reduction=kind)], "scatter",
        [helper.make_tensor_value_info(*shape) for shape in shapes],
        [helper.make_tensor_value_info("y", number, data.shape)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def some_special(rng, shape, small, share):
    """Numbers of which a few are infinite or NaN, of either sign."""
    special = np.array([np.inf, -np.inf, np.nan, -np.nan], np.float32)
    numbers = np.where(rng.random(shape) < share, rng.choice(special, shape), rng.uniform(-9, 9, shape))
    return numbers.astype(small)


def extremes():
    """The largest or smallest of what goes to a place, and NaN where one does: few and many places, with none and with
    some from the end."""
    rng = np.random.default_rng(0)
    types = [(np.float32, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE), (np.float16, TensorProto.FLOAT16),
             (ml_dtypes.bfloat16, TensorProto.BFLOAT16)]  # fmt: skip
    forms = [((5,), (400,), 0), ((300,), (1000,), 0), ((300,), (1000,), -300), ((300, 3), (500, 3), 0)]
    for (small, number), (kind, ufunc), (shape, count, low) in itertools.product(
            types, [("max", np.maximum), ("min", np.minimum)], forms):  # fmt: skip
        data, points = some_special(rng, shape, small, 0.1), some_special(rng, count, small, 0.01)
        places = rng.integers(low, shape[0], count)
        raw = lambda x: x.view("V2") if x.dtype == ml_dtypes.bfloat16 else x
        wanted = data.astype(np.float64)
        with np.errstate(invalid="ignore"):
            ufunc.at(wanted, (places % shape[0], *np.indices(count)[1:]), points.astype(np.float64))
        name = f"{kind} of {np.dtype(small).name}{list(shape)} by {list(count)} from {low}"
        operands = {"data": raw(data), "places": places, "points": raw(points)}
        yield name, scatter_model(kind, number, data, places), operands, wanted.astype(small)


def gather_model(number, data, places, path):
    graph = helper.make_graph(
        [helper.make_node("GatherElements", ["data", "places"], ["y"], axis=1)], "gather",
        [helper.make_tensor_value_info("data", number, data.shape),
         helper.make_tensor_value_info("places", helper.np_dtype_to_tensor_dtype(places.dtype), places.shape)],
        [helper.make_tensor_value_info("y", number, places.shape)])  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), path)


def places(target, folder):
    """Elements of short and long rows at places from the start and the end, and an error where one of them does not
    exist. For the host also in more pages than it knows, all over them and near each other. -> passed, failed, skipped"""
    passed = failed = 0
    rng = np.random.default_rng(1)
    types = [(np.float32, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE), (np.int8, TensorProto.INT8)]
    shapes = [((83, 99), 1), ((83, 9), 2), ((83, 99), 5), ((83, 99), 13), ((83, 300), 17), ((83, 40), 40), ((3, 40000), 70)]
    cases = [(*case, None) for case in itertools.product(types, shapes, [np.int64, np.int32])]
    if target == "host":
        far = [((4000, 1100), 1), ((40, 120000), 60)]
        cases += itertools.product(types[:2], far, [np.int64], [None, 10])
    model, inputs, outputs = folder / "gather.onnx", folder / "in.npz", folder / "out.npz"
    for (kind, number), (shape, count), index, span in cases:
        data = rng.integers(-100, 100, shape).astype(kind)
        span = span or shape[1]
        chosen = rng.integers(-span, span, (shape[0], count)).astype(index)
        gather_model(number, data, chosen, model)
        wrong = [shape[1], -shape[1] - 1, np.iinfo(index).min, np.iinfo(index).max]
        for bad in [None, wrong[rng.integers(len(wrong))]]:
            if bad is not None:
                chosen[rng.integers(shape[0]), rng.integers(count)] = bad
            np.savez(inputs, data=data, places=chosen)
            try:
                tool.call([tool.KUMIKO, "run", model, "--inputs", inputs, "--outputs", outputs, "--target", target])
                wanted = None if bad is not None else np.take_along_axis(data, chosen % shape[1], 1)
                text = "" if bad is None and np.array_equal(np.load(outputs)["y"], wanted) else "no error" if bad else "wrong"
            except tool.Failure as failure:
                text = "" if bad is not None and "index in the data is out of range" in str(failure) else str(failure)
            passed, failed = passed + (not text), failed + bool(text)
            if text:
                print(f"  FAILED {np.dtype(kind).name}{list(shape)} by {count} {np.dtype(index).name}, one {bad}: {text}")
    print(f"  {passed} of {passed + failed} gathers ok")
    return passed, failed, 0


def column_model(number, shape, places, chosen):
    """The columns `places` of a table: a Slice, or a Gather of what input `i` says."""
    bounds = [helper.make_tensor(name, TensorProto.INT64, [1], [value])
              for name, value in [("from", places[0]), ("to", places[-1] + 1), ("axis", 1)]]  # fmt: skip
    node = (helper.make_node("Gather", ["x", "i"], ["y"], axis=1) if chosen
            else helper.make_node("Slice", ["x", "from", "to", "axis"], ["y"]))  # fmt: skip
    graph = helper.make_graph(
        [node], "columns",
        [helper.make_tensor_value_info("x", number, shape),
         helper.make_tensor_value_info("i", TensorProto.INT64, [len(places)])],
        [helper.make_tensor_value_info("y", number, (shape[0], len(places)))], bounds)  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def columns():
    """A few columns of a table whose rows are in more pages than a processor knows; and of one whose rows share a set of
    the first cache, as they lie and by data."""
    for width, chosen in [(1100, False), (2048, False), (2048, True)]:
        table = np.random.default_rng(2).integers(-100, 100, (4000, width))
        for kind, count in itertools.product([np.float32, np.float64, np.int8], [1, 2, 5, 8, 20, 33]):
            places = np.arange(3, 3 + count)
            network = column_model(helper.np_dtype_to_tensor_dtype(np.dtype(kind)), table.shape, places.tolist(), chosen)
            name = f"{count} {'chosen ' * chosen}columns of {width}, {np.dtype(kind).name}"
            yield name, network, {"x": table.astype(kind), "i": places}, table[:, places].astype(kind)


def planes():
    """Transpositions whose planes, or lines of the result, share a set of the first cache."""
    shapes = [((count, 2048, size), (1, 0, 2)) for count in (3, 4, 5, 9, 33) for size in (3, 5, 13)]
    shapes += [((2048, count), (1, 0)) for count in (1, 7, 40, 101)] + [((3, 512, 49), (0, 2, 1))]
    for (shape, order), kind in itertools.product(shapes, [np.float32, np.float64, np.float16, np.int8]):
        data = np.random.default_rng(3).integers(-100, 100, shape).astype(kind)
        number = helper.np_dtype_to_tensor_dtype(data.dtype)
        graph = helper.make_graph(
            [helper.make_node("Transpose", ["x"], ["y"], perm=order)], "planes",
            [helper.make_tensor_value_info("x", number, shape)], [helper.make_tensor_value_info("y", number, None)])  # fmt: skip
        network = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        yield f"{data.dtype}{list(shape)} to {order}", network, {"x": data}, data.transpose(order)


def layouts(target, folder):
    """What only moves, at sizes that share sets of the first cache or fill more pages than are known."""
    return np.add(beside_numpy("columns", columns(), target, folder), beside_numpy("transpositions", planes(), target, folder))


def runs_here(target, folder):
    """None, or why a target cannot be run."""
    if target == "aarch64":
        missing = [name for name in ("qemu-aarch64",) if not shutil.which(name)]
        return f"{missing[0]} is not installed" if missing else None if CROSS.is_dir() else f"there is no {CROSS}"
    cast_model(TensorProto.FLOAT, TensorProto.FLOAT16, 1, folder / "one.onnx")
    try:
        tool.call([tool.KUMIKO, "run", folder / "one.onnx", "--input", "x=random", "--target", target])
    except tool.Failure as failure:
        return str(failure) if "cannot run code" in str(failure) else None
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET")
    options = parser.parse_args()
    total = np.zeros(3, dtype=int)
    with tempfile.TemporaryDirectory(prefix="targets-", dir=tool.ROOT / "build") as name:
        print("host:", flush=True)
        total += places("host", pathlib.Path(name))
        total += layouts("host", pathlib.Path(name))
    for target in options.targets:
        with tempfile.TemporaryDirectory(prefix="targets-", dir=tool.ROOT / "build") as name:
            folder = pathlib.Path(name)
            why = runs_here(target, folder)
            if why:
                print(f"{target}: skipped, {why}")
                total += (0, 0, 1)
                continue
            print(f"{target}:", flush=True)
            total += suite(target, options.sample, folder)
            if target == "aarch64":
                total += object_file(folder)
            else:
                total += casts(target, folder)
                total += beside_numpy("scatters of extremes", extremes(), target, folder)
                total += places(target, folder)
                total += layouts(target, folder)
                compare = [sys.executable, HERE.parent / "Models/run.py", "published", "--match", ",".join(NETWORKS), "--only", ".so",
                           "--target", target]  # fmt: skip
                total += counted(compare)
    print("{} passed, {} failed, {} skipped".format(*total))
    sys.exit(1 if total[1] else 0)


if __name__ == "__main__":
    main()

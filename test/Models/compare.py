#!/usr/bin/env python3
"""Compiled models against ONNX Runtime, by every way to run them.

    compare.py [--models FOLDER] [--threads 1,2,3,5,8,16] [--target CPU] [NAME...]

For each model: outputs of the JIT, of a C program around the object file and of the shared library, each
within 1e-5 of the largest magnitude of ONNX Runtime's; the same bits for every number of threads; the same
bytes from two compilations in different folders. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import filecmp
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnxruntime
import tool
from make_models import MODELS, NAMES

TOLERANCE = 1e-5


def reference(model, inputs):
    """ONNX Runtime's outputs by name."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return dict(zip((output.name for output in session.get_outputs()), session.run(None, inputs)))


def check_close(got, wanted):
    """-> text with the largest error relative to each output's largest magnitude."""
    worst, place = 0.0, ""
    for name, values in wanted.items():
        if name not in got:
            raise tool.Failure(f"no output named {name}")
        if got[name].shape != values.shape or got[name].dtype != values.dtype:
            found = f"{got[name].dtype}{list(got[name].shape)}"
            raise tool.Failure(f"{name} is {found}, expected {values.dtype}{list(values.shape)}")
        error = np.abs(got[name].astype(np.float64) - values).max() / max(np.abs(values).max(), 1e-30)
        if not error <= worst:  # also true for NaN
            worst, place = error, name
    if not worst <= TOLERANCE:
        raise tool.Failure(f"{place} is off by {worst:.1e} of its largest magnitude")
    return f"error {worst:.1e}"


def check_bits(got, wanted, what):
    for name, values in wanted.items():
        if got[name].tobytes() != values.tobytes():
            raise tool.Failure(f"{name} has other bits {what}")


class ModelTest:
    """All checks of one model; each is counted by itself."""

    def __init__(self, model, threads, folder, target):
        self.model, self.threads, self.folder = model, threads, folder
        self.target = ["--target", target]
        self.input_path = model.with_suffix(".npz")
        self.inputs = dict(np.load(self.input_path))
        self.wanted = reference(model, self.inputs)

    def jit(self):
        return check_close(tool.run_model(self.model, self.input_path, 2, self.folder, *self.target), self.wanted)

    def shared_library(self):
        self.library = self.folder / "model.so"
        start = time.monotonic()
        tool.compile_model(self.model, self.library, *self.target)
        took = time.monotonic() - start
        self.answer = tool.run_model(self.library, self.input_path, 2, self.folder)
        return f"{check_close(self.answer, self.wanted)}, compiled in {took:.1f} s"

    def object_file(self):
        self.object = self.folder / "model.o"
        tool.compile_model(self.model, self.object, *self.target)
        program = tool.link_object(self.object)
        got = tool.run_object(program, self.inputs, self.wanted, 2, self.folder)
        program.unlink()
        return check_close(got, self.wanted)

    def bits(self):
        if not hasattr(self, "answer"):
            raise tool.Failure("no shared library to run")
        for count in self.threads:
            got = tool.run_model(self.library, self.input_path, count, self.folder)
            check_bits(got, self.answer, f"with {count} threads")
        return f"threads {','.join(map(str, self.threads))}"

    def bytes(self):
        """The same file elsewhere, compiled from elsewhere with one job, gives the same artefacts."""
        other = self.folder / "another folder"
        other.mkdir()
        place_copy(self.model, other / self.model.name)
        compared = []
        for first in (getattr(self, "library", None), getattr(self, "object", None)):
            if first is None or not first.exists():
                raise tool.Failure("no artefact to compare with")
            second = other / first.name
            tool.compile_model(self.model.name, second, "--jobs", 1, *self.target, folder=other)
            if not filecmp.cmp(first, second, shallow=False):
                raise tool.Failure(f"{first.name} differs between two folders")
            compared.append(first.suffix)
            second.unlink()
        return "identical " + ", ".join(compared)


CHECKS = {
    "JIT": ModelTest.jit,
    ".so": ModelTest.shared_library,
    ".o": ModelTest.object_file,
    "bits": ModelTest.bits,
    "bytes": ModelTest.bytes,
}


def place_copy(source, target):
    """A second name costs nothing; across file systems it must be a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def test_model(model, threads, only, target):
    """-> (passed, failed); prints a line for each check."""
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="compare-", dir=tool.ROOT / "build") as folder:
        test = ModelTest(model, threads, pathlib.Path(folder), target)
        for name, check in CHECKS.items():
            if only and name not in only:
                continue
            start = time.monotonic()
            try:
                text, good = check(test), True
            except tool.Failure as failure:
                text, good = str(failure), False
            passed, failed = passed + good, failed + (not good)
            verdict = "ok" if good else "FAILED"
            print(f"{model.stem:20} {name:6} {time.monotonic() - start:6.1f} s  {verdict:6}  {text}", flush=True)
    return passed, failed


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=MODELS)
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2, 3, 5, 8, 16])
    parser.add_argument("--only", type=lambda text: text.split(","), help=f"some of {','.join(CHECKS)}")
    parser.add_argument("--target", default="host")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def main():
    options = parse_options()
    passed = failed = 0
    for name in options.names or NAMES:
        model = options.models / f"{name}.onnx"
        if not model.exists():
            sys.exit(f"compare.py: no {model}; run test/Models/make_models.py first")
        more = test_model(model, options.threads, options.only, options.target)
        passed, failed = passed + more[0], failed + more[1]
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

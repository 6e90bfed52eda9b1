#!/usr/bin/env python3
"""What bad models and wrong inputs are told, word for word.

    errors.py [--update] [NAME...]    all cases, or those named
    errors.py --write FOLDER          only writes the bad models

Each function of cases_graph.py and cases_node.py makes one bad model, which `kumiko compile --stop-after=import` must
refuse: whatever is wrong is found before any code is made. Each entry of INPUTS is a wrong input of a good model, which
`kumiko run` must refuse. Errors/NAME.txt holds the exit code and the text; --update writes these files anew, to be
read before they are committed. Every run has limits of memory and time. The last line is `N passed, N failed, N skipped`.
"""
import difflib
import inspect
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

import cases_graph
import cases_node
from onnx_parts import model, node, value

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "Errors"
BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", HERE.parents[1] / "build" / "release"))
KUMIKO = BUILD / "bin" / "kumiko"
SECONDS = 20  # of the CPU; the clock gets more, because machines are not quiet
MEMORY = 2 << 30  # bytes of address space: most of it is the compiler itself
# A sanitizer reserves far more address space than it uses.
SANITIZED = "asan" in BUILD.name

# name -> inputs for a model that takes x: f32[1,3,32,32]
INPUTS = {
    "input_shape": {"x": np.zeros((1, 3, 16, 32), np.float32)},
    "input_type": {"x": np.zeros((1, 3, 32, 32), np.float64)},
    "input_name": {"img": np.zeros((1, 3, 32, 32), np.float32)},
    "input_missing": {},
}


def models():
    """name -> the function that makes it."""
    found = {}
    for module in (cases_graph, cases_node):
        for name, function in vars(module).items():
            own = inspect.isfunction(function) and function.__module__ == module.__name__
            if own and all(word == "folder" for word in inspect.signature(function).parameters):
                found[name] = function
    return found


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def told(folder, *words):
    """What the tool answers: its exit code and its words."""
    try:
        done = subprocess.run([KUMIKO, *words], cwd=folder, capture_output=True, timeout=6 * SECONDS, preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return f"more than {6 * SECONDS} s\n"
    text = done.stderr.decode(errors="backslashreplace")
    if done.stdout:
        text = f"{len(done.stdout)} bytes on standard output\n" + text
    return f"exit {done.returncode}\n{text}"


def bytes_of(make, folder):
    """The model, and beside it in `folder` the files that it refers to."""
    made = make(folder) if inspect.signature(make).parameters else make()
    return made if isinstance(made, bytes) else made.SerializeToString()


def write_models(target):
    """Every bad model as target/NAME.onnx; files beside them are left out."""
    target.mkdir(parents=True, exist_ok=True)
    for name, make in models().items():
        with tempfile.TemporaryDirectory() as folder:
            (target / f"{name}.onnx").write_bytes(bytes_of(make, pathlib.Path(folder)))


def refused_model(folder, make):
    (folder / "bad.onnx").write_bytes(bytes_of(make, folder))
    return told(folder, "compile", "bad.onnx", "--stop-after=import")


def refused_input(folder, arrays):
    good = model([node("Relu", "x", "y", "relu")], [value("x", [1, 3, 32, 32])], [value("y", [1, 3, 32, 32])])
    (folder / "good.onnx").write_bytes(good.SerializeToString())
    np.savez(folder / "in.npz", **arrays)
    return told(folder, "run", "good.onnx", "--inputs", "in.npz", "--outputs", "out.npz")


def answers(wanted):
    """(name, what the tool says) of each case."""
    cases = {name: (refused_model, make) for name, make in models().items()}
    cases |= {name: (refused_input, arrays) for name, arrays in INPUTS.items()}
    unknown = [name for name in wanted if name not in cases]
    if unknown:
        sys.exit(f"no case is called {', '.join(unknown)}")
    for name, (run, what) in cases.items():
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield name, run(pathlib.Path(folder), what)


def main():
    words = sys.argv[1:]
    if words[:1] == ["--write"]:
        return write_models(pathlib.Path(words[1]))
    update = "--update" in words
    wanted = [word for word in words if word != "--update"]
    passed = failed = 0
    seen = set()
    for name, text in answers(wanted):
        golden = GOLDEN / f"{name}.txt"
        seen.add(golden)
        if update:
            golden.write_text(text)
        expected = golden.read_text() if golden.exists() else ""
        difference = list(difflib.unified_diff(expected.splitlines(), text.splitlines(), str(golden), "now", lineterm=""))
        # No golden file may bless a model that is let through, a crash or a defect.
        refused = text.startswith(("exit 2\n", "exit 3\n", "exit 4\n")) and "\n  help: " in text
        if difference or not refused:
            print(f"{name}: " + ("differs" if difference else "is not refused as it should be"))
            print("\n".join(difference or [text]))
            failed += 1
        else:
            passed += 1
    for stray in sorted(set(GOLDEN.glob("*.txt")) - seen) if not wanted else []:
        print(f"{stray} belongs to no case")
        failed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()

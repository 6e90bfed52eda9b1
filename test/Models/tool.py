"""Drives the command line of Kumiko and the C compiler for the model tests; each failure is one line of text."""
import os
import pathlib
import re
import resource
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("KUMIKO_BUILD", ROOT / "build" / "release"))
KUMIKO = pathlib.Path(os.environ.get("KUMIKO", BUILD / "bin" / "kumiko"))
os.environ.setdefault("KUMIKO_CACHE", "0")  # what is tested is compiled
MEMORY = 8_000_000 * 1024  # bytes of address space: a compiler that runs away is stopped, not the machine
SECONDS = 300


class Failure(Exception):
    """What went wrong, in one line."""


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def call(command, folder=None):
    """Run a command in its bounds. -> its standard output."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, preexec_fn=bounded, cwd=folder)
    except FileNotFoundError:
        raise Failure(f"no program {command[0]}") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{pathlib.Path(command[0]).name} took more than {SECONDS} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        text = next((line for line in said if "error" in line), said[-1])
        raise Failure(f"{pathlib.Path(command[0]).name} {command[1]}: exit {done.returncode}: {text}")
    return done.stdout


def compile_model(model, artefact, *options, folder=None):
    return call([KUMIKO, "compile", model, "-o", artefact, *options], folder)


def run_model(model, inputs, threads, folder, *options):
    """Outputs of a model file or shared library, by name."""
    path = folder / f"outputs-{threads}.npz"
    call([KUMIKO, "run", model, "--inputs", inputs, "--outputs", path, "--threads", threads, *options])
    with np.load(path) as arrays:
        outputs = dict(arrays)
    path.unlink()
    return outputs


def runtime_library():
    found = sorted(BUILD.glob("**/libkumiko_runtime.a"))
    if not found:
        raise Failure(f"no libkumiko_runtime.a under {BUILD}")
    return found[0]


def link_object(artefact):
    """A program around an object file, linked with the runtime and libc alone. -> its path."""
    header = artefact.with_suffix(".h")
    function = re.search(r"(\w+_artefact)\(void\)", header.read_text())
    if not function:
        raise Failure(f"{header.name} declares no artefact function")
    program = artefact.with_suffix("")
    command = ["clang-22", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fuse-ld=lld"]
    command += ["-I", ROOT / "runtime" / "include", f'-DMODEL_HEADER="{header}"', f"-DMODEL_ARTEFACT={function[1]}"]
    call([*command, HERE / "run_object.c", artefact, runtime_library(), "-lm", "-pthread", "-o", program])
    return program


def write_inputs(inputs, folder):
    """Bare files for run_object. -> its arguments."""
    words = []
    for number, (name, value) in enumerate(inputs.items()):
        path = folder / f"input-{number}.bin"
        path.write_bytes(np.ascontiguousarray(value).tobytes())
        words += ["input", name, path]
    return words


def run_object(program, inputs, like, threads, folder):
    """Outputs of a linked program; `like` tells names, shapes and types."""
    words = write_inputs(inputs, folder)
    paths = {name: folder / f"output-{number}.bin" for number, name in enumerate(like)}
    for name, path in paths.items():
        words += ["output", name, path]
    call([program, threads, *words])
    return {n: np.frombuffer(p.read_bytes(), like[n].dtype).reshape(like[n].shape) for n, p in paths.items()}

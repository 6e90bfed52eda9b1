"""What networks do besides answering: the README's example really happens, and one that waits leaves the processor alone.

And what the runner does: it notices answers that are a little wrong.
"""
import difflib
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import onnx
import tool
from case import Case
from onnx import helper, numpy_helper

PERIOD_MS, SECONDS, LIMIT = 20, 3, 0.6


def small_convolution(random):
    """-> (model, inputs)."""
    declare, single = helper.make_tensor_value_info, onnx.TensorProto.FLOAT
    weight = numpy_helper.from_array(random.standard_normal((32, 32, 3, 3), np.float32), "w")
    node = helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    shape = [1, 32, 28, 28]
    graph = helper.make_graph([node], "idle", [declare("x", single, shape)], [declare("y", single, shape)], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"x": random.standard_normal(shape, np.float32)}


def processor_seconds(folder):
    model, inputs = small_convolution(np.random.default_rng(20))
    path = folder / "idle.onnx"
    onnx.save(model, path)
    artefact = folder / "idle.o"
    tool.compile_model(path, artefact)
    program = tool.link_object(artefact)
    words = tool.write_inputs(inputs, folder)
    return float(tool.call([program, 2, *words, "pace", PERIOD_MS, SECONDS]))


def check_idle(folder):
    """One small convolution now and then, two threads, and little processor time in between."""
    seconds = processor_seconds(folder)
    said = f"{seconds:.2f} processor seconds for {SECONDS} s of one run every {PERIOD_MS} ms, limit {LIMIT}"
    if seconds > LIMIT:
        raise tool.Failure(said)
    return said


def example():
    """The console block, line by line."""
    text = (tool.ROOT / "README.md").read_text()
    block = re.search(r"```console\n(.*?)```", text, re.S)
    return block[1].splitlines() if block else []


def replay(lines):
    """The same block with what the commands print now."""
    environment = dict(os.environ, PATH=f"{tool.KUMIKO.parent}{os.pathsep}{os.environ['PATH']}")
    played = []
    for line in lines:
        if line.startswith("$ "):
            run = ["bash", "-euc", line[2:]]
            done = subprocess.run(run, cwd=tool.ROOT, env=environment, capture_output=True, text=True, timeout=tool.SECONDS)
            played += [line, *done.stdout.splitlines()]
            if done.returncode:
                played += [f"exit {done.returncode}", *done.stderr.splitlines()]
    return played


def check_readme(_):
    """The lines that begin with `$ ` print what the README says, with the tools of the build first in the path."""
    written = example()
    played = replay(written)
    if not written or written != played:
        raise tool.Failure("\n".join(difflib.unified_diff(written, played, "README.md", "what happens", lineterm="")))


def check_spoiled(folder):
    """Answers with a wrong element fail by each way; those with a wrong bit on three threads fail there and nowhere else."""
    wrapper = folder / "kumiko"
    wrapper.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(tool.HERE / 'spoil.py'))} \"$@\"\n")
    wrapper.chmod(0o755)
    command = [sys.executable, tool.HERE / "run.py", "recurrent", "dynamic", "--match", "RNN-1-1-1-1,topk"]
    # RNN by JIT, .so and bits, and .o, which has other bits than the rest; three sets of a dynamic network, one is empty.
    for how, wanted in (("value", {"JIT": 1, ".so": 3, ".o": 1}), ("bits", {"bits": 3})):
        environment = {**os.environ, "KUMIKO": str(wrapper), "KUMIKO_GOOD": str(tool.KUMIKO), "KUMIKO_SPOIL": how}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=tool.SECONDS)
        failed = re.findall(r"^FAILED \w+ [\w-]+ (\S+?):? ", done.stdout, re.M)
        if done.returncode != 1 or {way: failed.count(way) for way in set(failed)} != wanted:
            raise tool.Failure(f"spoiled by {how}: {sorted(failed)} failed, expected {wanted}\n{done.stdout}{done.stderr}")


def cases():
    yield Case("spoiled", action=check_spoiled)
    yield Case("idle", action=check_idle)
    yield Case("readme", action=check_readme)

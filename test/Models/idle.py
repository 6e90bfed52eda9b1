#!/usr/bin/env python3
"""A model that is used now and then must not keep the processor busy in between.

    idle.py

One small convolution every 20 ms for 3 s, two threads: at most 0.6 processor seconds. The last line is
`N passed, N failed, N skipped`.
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np
import onnx
import tool
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


def main():
    try:
        with tempfile.TemporaryDirectory(prefix="kumiko-idle-") as folder:
            seconds = processor_seconds(pathlib.Path(folder))
        good = seconds <= LIMIT
        print(f"{seconds:.2f} processor seconds for {SECONDS} s of one run every {PERIOD_MS} ms, limit {LIMIT}")
    except tool.Failure as failure:
        good = False
        print(failure)
    print("1 passed, 0 failed, 0 skipped" if good else "0 passed, 1 failed, 0 skipped")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""One peer with one model, driven line by line over pipes, so that systems can take turns.

    peer.py onnxruntime|openvino MODEL INPUTS.npz THREADS

Commands on standard input, one JSON answer each on standard output:
    save PATH      run once and store the outputs as npz       -> {"saved": PATH}
    burst SECONDS  run for that long, at least three times     -> {"ms": [time of each run]}
The first line out says {"version": ..., "setting": ...}.
"""
import json
import sys
import time

import numpy as np


class OnnxRuntime:
    """All optimisations, inputs and outputs bound beforehand: nothing is copied inside the timed part."""

    def __init__(self, model, inputs, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]
        self.binding = self.session.io_binding()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, np.ascontiguousarray(value))
        for name in self.names:
            self.binding.bind_output(name, "cpu")
        self.version = onnxruntime.__version__
        self.setting = "all optimisations, intra_op_num_threads, spinning, inputs and outputs bound"

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return dict(zip(self.names, self.binding.copy_outputs_to_cpu()))


class OpenVino:
    """Latency hint and full single precision, inputs set beforehand."""

    def __init__(self, model, inputs, threads):
        import openvino

        core = openvino.Core()
        hints = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
        }
        compiled = core.compile_model(core.read_model(model), "CPU", hints)
        self.request = compiled.create_infer_request()
        for name, value in inputs.items():
            self.request.set_tensor(name, openvino.Tensor(np.ascontiguousarray(value)))
        self.names = [output.get_any_name() for output in compiled.outputs]
        self.version = openvino.__version__.split("-")[0]
        self.setting = "LATENCY hint, INFERENCE_NUM_THREADS, INFERENCE_PRECISION_HINT=f32"

    def run(self):
        self.request.infer()

    def outputs(self):
        return {name: self.request.get_tensor(name).data.copy() for name in self.names}


PEERS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def burst(run, seconds):
    """Times in ms of back-to-back runs."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def main(kind, model, inputs, threads):
    def answer(value):
        print(json.dumps(value), flush=True)

    peer = PEERS[kind](model, dict(np.load(inputs)), int(threads))
    peer.run()
    answer({"version": peer.version, "setting": peer.setting})
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "save":
            peer.run()
            np.savez(argument, **peer.outputs())
            answer({"saved": argument})
        else:
            answer({"ms": burst(peer.run, float(argument))})


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])

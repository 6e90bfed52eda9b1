"""How the time of the graph level grows: import, optimize and fuse on networks of 1,000 to 100,000 nodes.

    graph_level.py [--nodes 1000,10000,100000] [MODEL.onnx...]

The networks are residual blocks of what exporters write (a normalisation and GELU in primitive nodes, products, pairs of
transposes, shape arithmetic) with shared weights, so that only the number of nodes grows, and a fan: one value that
thousands read. Times are those of
`kumiko compile --timing --jobs 1`, on one core, best of three; a model is timed as it is.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import probe
from systems import KUMIKO

WIDTH = 16
STAGES = ("import", "optimize", "fuse")


class Network:
    """Collects nodes; methods return the name of the value they made."""

    def __init__(self):
        self.nodes = []
        random = np.random.default_rng(7)
        square = random.standard_normal((WIDTH, WIDTH), np.float32) / np.float32(WIDTH**0.5)
        row = random.standard_normal(WIDTH, np.float32)
        constants = {"w": square, "b": row, "two": np.float32(2), "half": np.float32(0.5), "one": np.float32(1),
                     "root": np.float32(2**0.5), "tiny": np.float32(1e-5), "last": np.array([WIDTH], np.int64),
                     "first": np.array([0], np.int64)}
        self.weights = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]

    def node(self, op, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"n{len(self.nodes)}", **attributes))
        return output

    def norm(self, x):
        centered = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1]))
        variance = self.node("ReduceMean", self.node("Pow", centered, "two"), axes=[-1])
        scaled = self.node("Div", centered, self.node("Sqrt", self.node("Add", variance, "tiny")))
        return self.node("Add", self.node("Mul", scaled, "b"), "b")

    def gelu(self, x):
        erf = self.node("Erf", self.node("Div", x, "root"))
        return self.node("Mul", self.node("Mul", x, self.node("Add", erf, "one")), "half")

    def turned(self, x):
        there = self.node("Transpose", x, perm=[1, 0])
        return self.node("Transpose", self.node("Relu", there), perm=[1, 0])

    def reshaped(self, x):
        rows = self.node("Gather", self.node("Shape", x), "first")
        return self.node("Reshape", x, self.node("Concat", rows, "last", axis=0))

    def block(self, x):
        y = self.node("Add", self.node("MatMul", self.norm(x), "w"), "b")
        y = self.node("MatMul", self.gelu(y), "w")
        return self.node("Add", x, self.reshaped(self.turned(y)))

    def blocks(self, nodes):
        """One block after the other."""
        x = "x"
        while len(self.nodes) < nodes:
            x = self.block(x)
        return x

    def fan(self, nodes):
        """A value that all others read, whose sums are one tree."""
        x = self.node("Exp", "x")
        self.weights += [numpy_helper.from_array(np.float32(i), f"c{i}") for i in range(nodes // 3)]
        ends = [self.node("Mul", self.node("Add", x, f"c{i}"), x) for i in range(nodes // 3)]
        while len(ends) > 1:
            ends = [self.node("Add", *ends[i:i + 2]) if i + 1 < len(ends) else ends[i] for i in range(0, len(ends), 2)]
        return ends[0]

    def save(self, path, x):
        shape = ["rows", WIDTH]
        graph = helper.make_graph(self.nodes, "blocks", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info(x, TensorProto.FLOAT, shape)], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def stage_times(model):
    """Seconds by stage, the least of three runs."""
    best = {}
    for _ in range(3):
        command = [*probe.pinned(1), KUMIKO, "compile", model, "--stop-after=fuse", "--timing", "--jobs", "1"]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"graph_level.py: {model}: {run.stderr.strip().splitlines()[0]}")
        for line in run.stderr.splitlines():
            stage, *seconds = line.split()
            if stage in STAGES:
                best[stage] = min(best.get(stage, float("inf")), float(seconds[0]))
    return best


def print_row(name, nodes, times):
    level = times["optimize"] + times["fuse"]
    print(f"{name:24} {nodes:8} " + " ".join(f"{times[stage]:9.3f}" for stage in STAGES)
          + f" {level:9.3f} {1e6 * level / nodes:10.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", default="1000,10000,100000", help="sizes of the made networks, comma separated")
    parser.add_argument("models", nargs="*", type=pathlib.Path, help="models to time as they are")
    options = parser.parse_args()
    print(f"{'network':24} {'nodes':>8} " + " ".join(f"{stage:>9}" for stage in STAGES) + "     level    us/node")
    for path in options.models:
        print_row(path.stem, len(onnx.load(path, load_external_data=False).graph.node), stage_times(path))
    with tempfile.TemporaryDirectory() as folder:
        for wanted in map(int, options.nodes.split(",")):
            for make in (Network.blocks, Network.fan):
                path, network = pathlib.Path(folder) / f"{wanted}.onnx", Network()
                network.save(path, make(network, wanted))
                print_row(make.__name__, len(network.nodes), stage_times(path))


if __name__ == "__main__":
    main()

"""A transformer decoder unrolled over its steps, some 6,000 nodes: what a generating loop becomes in a trace.

Each step takes one embedded token; keys and values of all steps before are concatenated to, so every step's attention
has shapes of its own. Normalisations and GELU are spelled in primitive nodes, as exporters before opset 17 do.
"""
import math

import numpy as np
import onnx
from onnx import helper, numpy_helper

STEPS, LAYERS, WIDTH, HEADS, HIDDEN = 28, 4, 256, 4, 1024
HEAD_WIDTH = WIDTH // HEADS


class Decoder:
    """Collects nodes; weights are made once and shared by all steps. Methods return the name of the value they made."""

    def __init__(self, random):
        self.random = random
        self.nodes, self.weights = [], {}

    def node(self, op, inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"n{len(self.nodes)}", **attributes))
        return output

    def weight(self, name, make):
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(np.asarray(make()), name)
        return name

    def normal(self, name, shape, deviation):
        return self.weight(name, lambda: self.random.standard_normal(shape, np.float32) * np.float32(deviation))

    def number(self, value):
        return self.weight(f"number_{value}", lambda: np.float32(value))

    def shape(self, *extents):
        return self.weight("shape_" + "_".join(map(str, extents)), lambda: np.array(extents, np.int64))

    def linear(self, x, inner, outer, name):
        product = self.node("MatMul", [x, self.normal(f"{name}.weight", (inner, outer), 1 / math.sqrt(inner))])
        return self.node("Add", [product, self.normal(f"{name}.bias", (outer,), 0.02)])

    def layer_norm(self, x, name):
        centered = self.node("Sub", [x, self.node("ReduceMean", [x], axes=[-1])])
        squares = self.node("Pow", [centered, self.number(2.0)])
        variance = self.node("Add", [self.node("ReduceMean", [squares], axes=[-1]), self.number(1e-5)])
        scaled = self.node("Div", [centered, self.node("Sqrt", [variance])])
        scaled = self.node("Mul", [scaled, self.normal(f"{name}.weight", (WIDTH,), 1.0)])
        return self.node("Add", [scaled, self.normal(f"{name}.bias", (WIDTH,), 0.1)])

    def heads(self, x):
        return self.node("Transpose", [self.node("Reshape", [x, self.shape(1, 1, HEADS, HEAD_WIDTH)])], perm=[0, 2, 1, 3])

    def attention(self, x, past, name):
        q, k, v = (self.heads(self.linear(x, WIDTH, WIDTH, f"{name}.{part}")) for part in "qkv")
        if past:
            k = self.node("Concat", [past[0], k], axis=2)
            v = self.node("Concat", [past[1], v], axis=2)
        scores = self.node("MatMul", [q, self.node("Transpose", [k], perm=[0, 1, 3, 2])])
        weights = self.node("Softmax", [self.node("Div", [scores, self.number(math.sqrt(HEAD_WIDTH))])], axis=-1)
        mixed = self.node("Transpose", [self.node("MatMul", [weights, v])], perm=[0, 2, 1, 3])
        rows = self.node("Reshape", [mixed, self.shape(1, 1, WIDTH)])
        return self.linear(rows, WIDTH, WIDTH, f"{name}.out"), (k, v)

    def gelu(self, x):
        erf = self.node("Erf", [self.node("Div", [x, self.number(math.sqrt(2.0))])])
        return self.node("Mul", [self.node("Mul", [x, self.node("Add", [erf, self.number(1.0)])]), self.number(0.5)])

    def layer(self, x, past, name):
        mixed, past = self.attention(self.layer_norm(x, f"{name}.before"), past, f"{name}.attention")
        x = self.node("Add", [x, mixed])
        hidden = self.gelu(self.linear(self.layer_norm(x, f"{name}.between"), WIDTH, HIDDEN, f"{name}.up"))
        return self.node("Add", [x, self.linear(hidden, HIDDEN, WIDTH, f"{name}.down")]), past


def build_decoder(random, steps=STEPS, layers=LAYERS):
    """-> (model, {input name: array}). The input has one row for each step, and so has the output."""
    decoder = Decoder(random)
    rows = [f"row{step}" for step in range(steps)]
    decoder.nodes.append(helper.make_node("Split", ["tokens"], rows, name="split", axis=1))
    pasts, results = [None] * layers, []
    for x in rows:
        for number in range(layers):
            x, pasts[number] = decoder.layer(x, pasts[number], f"layer{number}")
        results.append(decoder.layer_norm(x, "last"))
    decoder.nodes.append(helper.make_node("Concat", results, ["states"], name="states", axis=1))
    declare = helper.make_tensor_value_info
    shape = [1, steps, WIDTH]
    body = helper.make_graph(
        decoder.nodes,
        "unrolled_decoder",
        [declare("tokens", onnx.TensorProto.FLOAT, shape)],
        [declare("states", onnx.TensorProto.FLOAT, shape)],
        list(decoder.weights.values()),
    )
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="kumiko tests")
    return model, {"tokens": random.standard_normal(shape, np.float32)}

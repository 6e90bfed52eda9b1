"""A BERT-base encoder, node for node as PyTorch's exporter writes it at opset 17, with seeded weights."""
import math

import numpy as np
import onnx
from onnx import helper, numpy_helper

LAYERS, WIDTH, HEADS, HIDDEN, SEQUENCE = 12, 768, 12, 3072, 128
HEAD_WIDTH = WIDTH // HEADS


class Graph:
    """Collects nodes and initialisers; every method returns the name of the value it made."""

    def __init__(self, random):
        self.random = random
        self.nodes, self.initializers = [], []

    def weight(self, name, values):
        self.initializers.append(numpy_helper.from_array(values, name))
        return name

    def normal(self, name, shape, deviation):
        return self.weight(name, self.random.standard_normal(shape, np.float32) * np.float32(deviation))

    def node(self, op, inputs, name, **attributes):
        output = f"{name}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def constant(self, value, name):
        return self.node("Constant", [], name, value=numpy_helper.from_array(np.asarray(value)))

    def linear(self, x, inner, outer, name):
        """x W + b. The deviation keeps the size of activations of unit size."""
        w = self.normal(f"{name}.weight", (inner, outer), 1 / math.sqrt(inner))
        b = self.normal(f"{name}.bias", (outer,), 0.02)
        return self.node("Add", [b, self.node("MatMul", [x, w], f"{name}/MatMul")], f"{name}/Add")

    def layer_norm(self, x, name):
        scale = self.weight(f"{name}.weight", 1 + self.random.standard_normal(WIDTH, np.float32) * np.float32(0.1))
        bias = self.normal(f"{name}.bias", (WIDTH,), 0.1)
        return self.node("LayerNormalization", [x, scale, bias], f"{name}/LayerNormalization", axis=-1, epsilon=1e-12)

    def heads(self, x, perm, name):
        """[1, S, WIDTH] -> [1, HEADS, ...] in the order that `perm` asks for."""
        shape = self.constant(np.array([1, SEQUENCE, HEADS, HEAD_WIDTH], np.int64), f"{name}/Constant")
        split = self.node("Reshape", [x, shape], f"{name}/Reshape")
        return self.node("Transpose", [split], f"{name}/Transpose", perm=perm)

    def attention(self, x, mask, name):
        q = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/query"), [0, 2, 1, 3], f"{name}/q")
        k = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/key"), [0, 2, 3, 1], f"{name}/k")
        v = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/value"), [0, 2, 1, 3], f"{name}/v")
        scores = self.node("MatMul", [q, k], f"{name}/MatMul")
        root = self.constant(np.float32(math.sqrt(HEAD_WIDTH)), f"{name}/Constant")
        scaled = self.node("Div", [scores, root], f"{name}/Div")
        masked = self.node("Add", [scaled, mask], f"{name}/Add")
        weights = self.node("Softmax", [masked], f"{name}/Softmax", axis=-1)
        mixed = self.node("MatMul", [weights, v], f"{name}/MatMul_1")
        rows = self.node("Transpose", [mixed], f"{name}/Transpose", perm=[0, 2, 1, 3])
        shape = self.constant(np.array([1, SEQUENCE, WIDTH], np.int64), f"{name}/Constant_1")
        return self.node("Reshape", [rows, shape], f"{name}/Reshape")

    def gelu(self, x, name):
        root = self.constant(np.float32(math.sqrt(2.0)), f"{name}/Constant")
        one = self.constant(np.float32(1.0), f"{name}/Constant_1")
        half = self.constant(np.float32(0.5), f"{name}/Constant_2")
        erf = self.node("Erf", [self.node("Div", [x, root], f"{name}/Div")], f"{name}/Erf")
        product = self.node("Mul", [x, self.node("Add", [erf, one], f"{name}/Add")], f"{name}/Mul")
        return self.node("Mul", [product, half], f"{name}/Mul_1")

    def layer(self, x, mask, name):
        mixed = self.linear(self.attention(x, mask, f"{name}/attention/self"), WIDTH, WIDTH, f"{name}/attention/output/dense")
        x = self.layer_norm(
            self.node("Add", [mixed, x], f"{name}/attention/output/Add"), f"{name}/attention/output/LayerNorm"
        )
        hidden = self.gelu(self.linear(x, WIDTH, HIDDEN, f"{name}/intermediate/dense"), f"{name}/intermediate/gelu")
        narrow = self.linear(hidden, HIDDEN, WIDTH, f"{name}/output/dense")
        return self.layer_norm(self.node("Add", [narrow, x], f"{name}/output/Add"), f"{name}/output/LayerNorm")


def build_bert(random, layers=LAYERS):
    """-> (model, {input name: array}). The mask is added to the scores and hides the last eighth of the words."""
    graph = Graph(random)
    x = "embeddings"
    for number in range(layers):
        x = graph.layer(x, "mask", f"/encoder/layer.{number}")
    graph.nodes[-1].output[0] = "last_hidden_state"
    declare = helper.make_tensor_value_info
    inputs = [
        declare("embeddings", onnx.TensorProto.FLOAT, [1, SEQUENCE, WIDTH]),
        declare("mask", onnx.TensorProto.FLOAT, [1, 1, 1, SEQUENCE]),
    ]
    outputs = [declare("last_hidden_state", onnx.TensorProto.FLOAT, [1, SEQUENCE, WIDTH])]
    body = helper.make_graph(graph.nodes, "bert_encoder", inputs, outputs, graph.initializers)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="kumiko tests")
    mask = np.zeros((1, 1, 1, SEQUENCE), np.float32)
    mask[..., SEQUENCE - SEQUENCE // 8 :] = -10000.0
    return model, {"embeddings": random.standard_normal((1, SEQUENCE, WIDTH), np.float32), "mask": mask}

"""Short names for the parts of ONNX models, for cases that are mostly wrong: nothing here checks anything."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

F32, I64, BOOL, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING


def value(name, shape, element=F32):
    return helper.make_tensor_value_info(name, element, shape)


def weight(name, *shape):
    """A float initializer; its numbers do not matter."""
    return numpy_helper.from_array(np.zeros(shape, np.float32), name)


def ints(name, *numbers):
    """A list of int64 as an initializer."""
    return numpy_helper.from_array(np.array(numbers, np.int64), name)


def node(op, inputs, outputs, name, domain="", **attributes):
    """Inputs and outputs as words: `node("Add", "a b", "y", "sum")`; `-` is an input left out."""
    names = ["" if word == "-" else word for word in inputs.split()]
    return helper.make_node(op, names, outputs.split(), name=name, domain=domain, **attributes)


def model(nodes, inputs, outputs, weights=(), opset=17, functions=(), domains=()):
    graph = helper.make_graph(list(nodes), "bad", list(inputs), list(outputs), initializer=list(weights))
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


def one(op, shapes, weights=(), out="y", result=(1,), opset=17, inputs=None, domains=(), **attributes):
    """A model of one node `block/OP`, whose operands are graph inputs of these shapes (`x0`, `x1`, ...) and then the
    weights. A shape may be a pair of shape and element type."""
    given = [shape if isinstance(shape, tuple) else (shape, F32) for shape in shapes]
    values = [value(f"x{i}", shape, element) for i, (shape, element) in enumerate(given)]
    if inputs is None:
        inputs = " ".join([info.name for info in values] + [tensor.name for tensor in weights])
    made = node(op, inputs, out, f"block/{op}", **attributes)
    return model([made], values, [value("y", list(result))], weights, opset, domains=domains)

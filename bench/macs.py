"""Multiply-adds of a model's convolutions and matrix products, for shares of the FMA peak."""
import math

import onnx
from onnx import shape_inference


def shapes_of(model):
    """Name -> dimensions, for every value whose shape is known. Empties large weights of `model`."""
    shapes = {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > 1024:
            tensor.raw_data = b""  # Inference copies the model; of large weights it needs the shape alone.
    inferred = shape_inference.infer_shapes(model, data_prop=True)
    for info in [*inferred.graph.input, *inferred.graph.value_info, *inferred.graph.output]:
        shapes.setdefault(info.name, [dim.dim_value for dim in info.type.tensor_type.shape.dim])
    return shapes


def node_macs(node, shapes):
    """Multiply-adds of one node; zero for what is not a sum of products."""
    used = [shapes.get(name) for name in [*node.input[:2], *node.output[:1]]]
    if not all(shape and min(shape) > 0 for shape in used):
        return 0  # a size is not known
    if node.op_type == "Conv":
        return math.prod(shapes[node.output[0]]) * math.prod(shapes[node.input[1]][1:])
    if node.op_type == "MatMul":
        return math.prod(shapes[node.output[0]]) * shapes[node.input[0]][-1]
    if node.op_type == "Gemm":
        transposed = next((a.i for a in node.attribute if a.name == "transA"), 0)
        return math.prod(shapes[node.output[0]]) * shapes[node.input[0]][0 if transposed else 1]
    return 0


def count(path):
    """Multiply-adds of the model at `path`."""
    model = onnx.load(path)
    shapes = shapes_of(model)
    return sum(node_macs(node, shapes) for node in model.graph.node)

"""The light models of the onnx package, with weights that make every layer count.

In the package their weights are ConstantOfShape nodes with one value everywhere: a wrong layout or a
swapped channel changes nothing. Here each becomes an initialiser drawn from a seeded generator, scaled
so that activations neither vanish nor explode.
"""
import pathlib

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.loader import DATA_DIR

LIGHT = pathlib.Path(DATA_DIR) / "light"

# Its initialisers stay graph inputs too, as files of IR version 3 have them; the others get a newer
# version, since a runtime must treat such weights as variable and then cannot prepare them.
KEEPS_WEIGHTS_AS_INPUTS = "light_squeezenet"


def light_names():
    return sorted(path.stem for path in LIGHT.glob("*.onnx"))


class Uses:
    """Where each value of a graph is read: name -> [(node, operand number)]."""

    def __init__(self, graph):
        self.readers = {}
        for node in graph.node:
            for position, name in enumerate(node.input):
                self.readers.setdefault(name, []).append((node, position))

    def role(self, name):
        """(op, operand number, reader) that says what a weight means; looks through Unsqueeze."""
        node, position = self.readers[name][0]
        if node.op_type == "Unsqueeze":
            return self.role(node.output[0])
        return node.op_type, position, node


def fan_in(shape, node):
    """How many products are summed into one output element."""
    if node.op_type == "Gemm":
        transposed = next((a.i for a in node.attribute if a.name == "transB"), 0)
        return shape[1] if transposed else shape[0]
    return int(np.prod(shape[1:]))


def draw(shape, role, random):
    """Seeded values for a weight by the part it plays."""
    op, position, node = role
    if op == "BatchNormalization" and position in (1, 4):  # scale, variance
        return np.ones(shape, np.float32)
    values = random.standard_normal(shape, np.float32)
    if op in ("Conv", "Gemm") and position == 1:
        return values * np.float32(np.sqrt(2.0 / fan_in(shape, node)))  # He et al., for ReLU networks
    if op == "Mul":
        return 1 + values * np.float32(0.1)
    return values * np.float32(0.1)


def reseed(graph, random):
    """Replace ConstantOfShape weights by initialisers and redraw the float initialisers."""
    uses = Uses(graph)
    shapes = {tensor.name: tensor for tensor in graph.initializer}
    fillers = [node for node in graph.node if node.op_type == "ConstantOfShape" and node.input[0] in shapes]
    drawn = {}
    for node in fillers:
        shape = tuple(numpy_helper.to_array(shapes[node.input[0]]).tolist())
        drawn[node.output[0]] = draw(shape, uses.role(node.output[0]), random)
        graph.node.remove(node)
    for tensor in list(graph.initializer):
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.name in uses.readers:
            drawn[tensor.name] = draw(tuple(tensor.dims), uses.role(tensor.name), random)
    replace_initializers(graph, drawn)


def replace_initializers(graph, drawn):
    """Put `drawn` in, and take out what nothing reads any more."""
    read = {name for node in graph.node for name in node.input}
    kept = [t for t in graph.initializer if t.name not in drawn and t.name in read]
    dropped = {t.name for t in graph.initializer if t.name not in read}
    del graph.initializer[:]
    graph.initializer.extend(kept)
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in drawn.items())
    inputs = [info for info in graph.input if info.name not in dropped]
    del graph.input[:]
    graph.input.extend(inputs)


def set_inputs(model, with_weights):
    """Graph inputs: the data alone, or every initialiser too."""
    graph = model.graph
    weights = {tensor.name: tensor for tensor in graph.initializer}
    data = [info for info in graph.input if info.name not in weights]
    listed = []
    if with_weights:
        listed = [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in weights.values()]
    else:
        model.ir_version = 8
    del graph.input[:]
    graph.input.extend(data + listed)
    return data


def expose_logits(graph):
    """A final Softmax saturates and hides errors: its input becomes a second output."""
    last = graph.node[-1]
    if last.op_type != "Softmax":
        return
    shape = [dim.dim_value for dim in graph.output[0].type.tensor_type.shape.dim]
    graph.output.append(helper.make_tensor_value_info(last.input[0], onnx.TensorProto.FLOAT, shape))


def build_light(name, random):
    """-> (model, {input name: array})."""
    model = onnx.load(LIGHT / f"{name}.onnx")
    reseed(model.graph, random)
    data = set_inputs(model, with_weights=name == KEEPS_WEIGHTS_AS_INPUTS)
    expose_logits(model.graph)
    inputs = {}
    for info in data:
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        inputs[info.name] = random.standard_normal(shape, np.float32)
    return model, inputs

"""Bad models whose fault lies in the file or in the graph, not in one node."""
import os

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from onnx_parts import F32, I64, STRING, ints, model, node, one, value, weight


def relu(**attributes):
    return one("Relu", [[2]], result=[2], **attributes)


def with_tensor(tensor, shape=(4,)):
    """y = x + tensor."""
    made = node("Add", "x w", "y", "sum")
    return model([made], [value("x", list(shape), tensor.data_type)], [value("y", list(shape))], [tensor])


def tensor(dims, element=F32, **fields):
    return TensorProto(name="w", dims=dims, data_type=element, **fields)


def external(location, dims=(4,), **entries):
    made = tensor(dims, data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **entries}.items():
        made.external_data.add(key=key, value=str(text))
    return with_tensor(made)


# ---- the nine bad models (ten files) that other engines were tried on


def unknown_op():
    made = node("FancyNorm", "x", "y", "block3/fancy_norm")
    return model([made], [value("x", [1, 8])], [value("y", [1, 8])])


def unknown_domain():
    made = node("FancyNorm", "x", "y", "block3/fancy_norm", domain="com.acme")
    return model([made], [value("x", [1, 8])], [value("y", [1, 8])], domains=["com.acme"])


def conv_channels():
    nodes = [node("Relu", "x", "h", "relu_x"), node("Conv", "h w", "y", "conv_y")]
    return model(nodes, [value("x", [1, 4, 8, 8])], [value("y", [1, 16, 6, 6])], [weight("w", 16, 3, 3, 3)])


def matmul_inner():
    made = node("MatMul", "a b", "y", "decoder/proj")
    return model([made], [value("a", [2, 5]), value("b", [4, 7])], [value("y", [2, 7])])


def add_two_types():
    made = node("Add", "x i", "y", "decoder/add")
    return model([made], [value("x", [2]), value("i", [2], I64)], [value("y", [2])])


def cycle():
    nodes = [node("Add", "x b", "a", "add_a"), node("Relu", "a", "b", "relu_b"), node("Neg", "b", "y", "neg_y")]
    return model(nodes, [value("x", [2])], [value("y", [2])])


def opset_of_the_future():
    return relu(opset=99)


def truncated():
    return relu().SerializeToString()[:60]


def png():
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0"


def external_missing():
    return external("gone.bin")


# ---- the file


def empty_file():
    return b""


def not_protobuf():
    return b"This is a text and no model.\n"


def huge_field():
    """A file of a few bytes whose graph claims 2 GB."""
    return b"\x08\x08\x3a\xff\xff\xff\xff\x07" + b"\0" * 20


def oversized_varint():
    return b"\x08" + b"\xff" * 11 + b"\x01"


def nested_too_deep():
    """Subgraphs in subgraphs, 10,000 deep, written by hand: no library would."""

    def field(number, data):
        size, length = len(data), b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + data

    graph = b""
    for _ in range(10_000):
        attribute = field(1, b"then_branch") + field(6, graph) + b"\xa0\x01\x05"
        graph = field(1, field(4, b"If") + field(5, attribute))
    return b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11")


def no_graph():
    bare = relu()
    bare.ClearField("graph")
    return bare


def no_opset():
    bare = relu()
    bare.ClearField("opset_import")
    return bare


def opset_zero():
    return relu(opset=0)


def opset_twice():
    twice = relu()
    twice.opset_import.append(helper.make_opsetid("ai.onnx", 18))
    return twice


def domain_not_imported():
    made = node("FancyNorm", "x", "y", "block3/fancy_norm", domain="com.acme")
    return model([made], [value("x", [1, 8])], [value("y", [1, 8])])


def op_of_a_later_opset():
    return one("Gelu", [[2]], result=[2], opset=19)


def misspelt_op():
    return one("Softmaxx", [[2, 3]], result=[2, 3])


def node_without_op():
    bare = relu()
    bare.graph.node[0].ClearField("op_type")
    return bare


# ---- names and order


def undefined_name():
    made = node("Add", "x nowhere", "y", "sum")
    return model([made], [value("x", [2])], [value("y", [2])])


def undefined_output():
    return one("Relu", [[2]], out="z", result=[2])


def no_outputs():
    return model([node("Relu", "x", "y", "relu")], [value("x", [2])], [])


def self_loop():
    made = node("Add", "x y", "y", "accumulate")
    return model([made], [value("x", [2])], [value("y", [2])])


def two_cycles():
    nodes = [node("Add", "x b", "a", "add_a"), node("Relu", "a", "b", "relu_b")]
    nodes += [node("Mul", "x d", "c", "mul_c"), node("Neg", "c", "d", "neg_d"), node("Add", "b d", "y", "both")]
    return model(nodes, [value("x", [2])], [value("y", [2])])


def defined_twice():
    nodes = [node("Relu", "x", "h", "first"), node("Neg", "x", "h", "second"), node("Exp", "h", "y", "third")]
    return model(nodes, [value("x", [2])], [value("y", [2])])


def output_hides_input():
    nodes = [node("Relu", "x", "x", "relu"), node("Neg", "x", "y", "neg")]
    return model(nodes, [value("x", [2])], [value("y", [2])])


def input_twice():
    made = node("Relu", "x", "y", "relu")
    return model([made], [value("x", [2]), value("x", [3])], [value("y", [2])])


def initializer_twice():
    made = node("Add", "x w", "y", "sum")
    return model([made], [value("x", [2])], [value("y", [2])], [weight("w", 2), weight("w", 2)])


# ---- what inputs and outputs say


def output_of_other_type():
    made = node("Cast", "x", "y", "to_integers", to=I64)
    return model([made], [value("x", [2])], [value("y", [2])])


def output_declared_a_sequence():
    made = node("Relu", "x", "y", "relu")
    return model([made], [value("x", [2])], [helper.make_tensor_sequence_value_info("y", F32, [2])])


def input_without_type():
    bare = relu()
    bare.graph.input[0].ClearField("type")
    return bare


def input_of_unknown_type():
    bare = relu()
    bare.graph.input[0].type.tensor_type.elem_type = 99
    return bare


def input_of_strings():
    made = node("Identity", "x", "y", "same")
    return model([made], [value("x", [2], STRING)], [value("y", [2], STRING)])


def input_is_a_sequence():
    made = node("SequenceLength", "x", "y", "count")
    return model([made], [helper.make_tensor_sequence_value_info("x", F32, [2])], [value("y", [], I64)])


def input_too_large():
    return one("Relu", [[1 << 40, 1 << 10]], result=[1 << 40, 1 << 10])


# ---- functions


def function(name, nodes, domain="local"):
    return helper.make_function(domain, name, ["a"], ["b"], nodes, [helper.make_opsetid("", 17)])


def call_of(functions):
    made = node("F", "x", "y", "call", domain="local")
    return model([made], [value("x", [2])], [value("y", [2])], functions=functions, domains=["local"])


def function_calls_itself():
    return call_of([function("F", [node("F", "a", "b", "again", domain="local")])])


def functions_call_each_other():
    there = function("F", [node("G", "a", "b", "to_g", domain="local")])
    return call_of([there, function("G", [node("F", "a", "b", "to_f", domain="local")])])


def function_bomb():
    """Each function calls the next one ten times: ten million nodes from eight functions."""
    functions = []
    for depth in range(8):
        names = ["a"] + [f"v{i}" for i in range(9)] + ["b"]
        op, domain = (f"F{depth + 1}", "local") if depth < 7 else ("Relu", "")
        nodes = [node(op, names[i], names[i + 1], f"n{i}", domain=domain) for i in range(10)]
        functions.append(function(f"F{depth}" if depth else "F", nodes))
    return call_of(functions)


def node_in_a_function():
    """The place says which function, and which node calls it."""
    return call_of([function("F", [node("Softmax", "a", "b", "inner", axis=3)])])


# ---- tensors


def negative_dimension():
    return with_tensor(tensor([-4], raw_data=b"\0" * 16))


def elements_past_64_bits():
    return with_tensor(tensor([1 << 40, 1 << 40], raw_data=b"\0" * 16))


def raw_data_too_short():
    return with_tensor(tensor([4], raw_data=b"\0" * 12))


def typed_data_too_long():
    return with_tensor(tensor([4], float_data=[0.0] * 5))


def raw_and_typed_data():
    return with_tensor(tensor([4], raw_data=b"\0" * 16, float_data=[0.0] * 4))


def data_of_another_type():
    return with_tensor(tensor([4], int32_data=[1, 2, 3, 4]))


def unknown_element_type():
    return with_tensor(tensor([4], 99, raw_data=b"\0" * 16))


def odd_nibbles():
    """Five 4-bit integers take three bytes; here are two."""
    return with_tensor(tensor([5], TensorProto.INT4, raw_data=b"\x12\x34"), [5])


def string_initializer():
    return with_tensor(tensor([1], STRING, string_data=[b"text"]), [1])


# ---- external data


def external_absolute():
    return external("/etc/passwd")


def external_above_the_folder():
    return external("weights/../../w.bin")


def external_link(folder):
    os.symlink("/dev/zero", folder / "link.bin")
    return external("link.bin")


def external_folder(folder):
    (folder / "weights.d").mkdir()
    return external("weights.d")


def external_pipe(folder):
    os.mkfifo(folder / "pipe")
    return external("pipe")


def external_past_the_end(folder):
    (folder / "w.bin").write_bytes(b"\0" * 20)
    return external("w.bin", offset=8, length=16)


def external_negative_offset(folder):
    (folder / "w.bin").write_bytes(b"\0" * 20)
    return external("w.bin", offset=-8, length=16)


def external_petabytes(folder):
    (folder / "w.bin").write_bytes(b"\0" * 20)
    return external("w.bin", offset=1 << 60, length=16)


def external_wrong_length(folder):
    (folder / "w.bin").write_bytes(b"\0" * 64)
    return external("w.bin", length=1 << 50)


# ---- all at once


def all_at_once():
    """Five faults in one file, and nothing about the nodes that only follow from them."""
    nodes = [
        node("FancyNorm", "x", "a", "one"),
        node("Relu", "a", "b", "follows"),
        node("MatMul", "x x", "c", "two"),
        node("Relu", "nowhere", "d", "three"),
        node("Softmax", "x", "e", "four", axis=7),
        node("Concat", "x w", "f", "five", axis=0),
    ]
    return model(nodes, [value("x", [2, 3])], [value("b", [2, 3])], [weight("w", 2, 5)])

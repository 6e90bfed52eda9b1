"""Bad models with one bad node: arity, attributes, types, ranks, shapes, sizes."""
from onnx import AttributeProto, TensorProto, helper

from onnx_parts import BOOL, F32, I64, ints, model, node, one, value, weight

IMAGE = [1, 4, 8, 8]

# ---- arity


def too_few_inputs():
    return one("Conv", [IMAGE], result=IMAGE)


def too_many_inputs():
    return one("Relu", [[2], [2]], result=[2])


def too_many_outputs():
    return one("Relu", [[2]], out="y z", result=[2])


def required_input_left_out():
    return one("Add", [[2]], inputs="- x0", result=[2])


def output_that_was_not_asked_for():
    return one("Split", [[4]], [ints("sizes", 1, 3)], out="y z v", result=[1], axis=0)


# ---- attributes


def attribute_of_other_type():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, strides=2)


def attribute_lies_about_its_type():
    confused = one("Softmax", [[2, 3]], result=[2, 3], axis=1)
    confused.graph.node[0].attribute[0].type = AttributeProto.GRAPH
    return confused


def attribute_missing():
    return one("Concat", [[2], [2]], result=[4])


def attribute_unknown():
    return one("Relu", [[2]], result=[2], alpha=0.5)


def attribute_twice():
    twice = one("Softmax", [[2, 3]], result=[2, 3], axis=1)
    twice.graph.node[0].attribute.append(helper.make_attribute("axis", 0))
    return twice


def attribute_word():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, auto_pad="SAME")


def cast_to_unknown_type():
    return one("Cast", [[2]], result=[2], to=99)


def cast_to_strings():
    return one("Cast", [[2]], result=[2], to=TensorProto.STRING)


# ---- types


def logic_on_floats():
    return one("And", [[2], [2]], result=[2])


def sine_of_integers():
    return one("Sin", [([2], I64)], result=[2])


def condition_of_floats():
    return one("Where", [[2], [2], [2]], result=[2])


def concat_of_two_types():
    return one("Concat", [[2], ([2], I64)], result=[4], axis=0)


def float_indices():
    return one("Gather", [[4, 2], [3]], result=[3, 2])


def float_shape():
    return one("Reshape", [[4]], [weight("shape", 2)], result=[2, 2])


# ---- ranks and axes


def conv_of_a_matrix():
    return one("Conv", [[4, 8]], [weight("w", 4, 4, 3, 3)], result=[4, 8])


def gemm_of_rank_3():
    return one("Gemm", [[2, 3, 4], [4, 5]], result=[2, 5])


def matmul_of_a_scalar():
    return one("MatMul", [[], [4, 5]], result=[4, 5])


def axis_outside():
    return one("Softmax", [[2, 3]], result=[2, 3], axis=2)


def axis_twice():
    return one("ReduceSum", [[2, 3]], [ints("axes", 1, -1)], result=[2, 1])


def permutation_twice():
    return one("Transpose", [[2, 3, 4]], result=[2, 2, 4], perm=[0, 0, 2])


def permutation_too_short():
    return one("Transpose", [[2, 3, 4]], result=[2, 3], perm=[1, 0])


def squeeze_of_a_full_axis():
    return one("Squeeze", [[2, 3]], [ints("axes", 1)], result=[2])


def unsqueeze_twice():
    return one("Unsqueeze", [[2, 3]], [ints("axes", 1, 1)], result=[2, 1, 1, 3])


# ---- shapes


def broadcast():
    return one("Add", [[2, 3], [2, 4]], result=[2, 4])


def concat_shapes():
    return one("Concat", [[2, 3], [2, 4]], result=[4, 3], axis=0)


def reshape_count():
    return one("Reshape", [[2, 3]], [ints("shape", 4, 2)], result=[4, 2])


def reshape_two_unknown():
    return one("Reshape", [[2, 3]], [ints("shape", -1, -1)], result=[2, 3])


def reshape_no_divisor():
    return one("Reshape", [[2, 3]], [ints("shape", -1, 4)], result=[2, 4])


def reshape_keeps_a_missing_axis():
    return one("Reshape", [[6]], [ints("shape", 6, 0)], result=[6, 1])


def split_sizes():
    return one("Split", [[6, 2]], [ints("sizes", 2, 3)], out="y z", result=[2, 2], axis=0)


def split_outputs():
    return one("Split", [[6, 2]], [ints("sizes", 2, 4)], out="y z v", result=[2, 2], axis=0)


def split_in_no_parts():
    return one("Split", [[6, 2]], out="y z", result=[2, 2], opset=18, axis=0, num_outputs=0)


def expand_shapes():
    return one("Expand", [[2, 3]], [ints("shape", 2, 4)], result=[2, 4])


def gemm_inner():
    return one("Gemm", [[2, 3], [3, 4]], result=[2, 4], transB=1)


def gemm_bias():
    return one("Gemm", [[2, 3], [3, 4]], [weight("bias", 5)], result=[2, 4])


def batch_norm_scale():
    statistics = [weight(name, 4) for name in ("bias", "mean", "variance")]
    return one("BatchNormalization", [IMAGE], [weight("scale", 3)] + statistics, result=IMAGE)


def layer_norm_scale():
    return one("LayerNormalization", [[2, 8]], [weight("scale", 7)], result=[2, 8])


def einsum_letters():
    return one("Einsum", [[2, 3], [4, 5]], result=[2, 5], equation="ij,jk->ik")


def einsum_grammar():
    return one("Einsum", [[2, 3]], result=[2], equation="ij->i->")


def pad_lengths():
    return one("Pad", [[2, 3]], [ints("pads", 1, 1, 1)], result=[4, 3])


def slice_step_zero():
    bounds = [ints("starts", 0), ints("ends", 2), ints("axes", 0), ints("steps", 0)]
    return one("Slice", [[4]], bounds, result=[2])


def slice_lists_differ():
    return one("Slice", [[4, 4]], [ints("starts", 0, 1), ints("ends", 2)], result=[2, 4])


def tile_repeats():
    return one("Tile", [[2, 3]], [ints("repeats", 2)], result=[4, 3])


def depth_to_space():
    return one("DepthToSpace", [[1, 6, 2, 2]], result=[1, 1, 4, 4], blocksize=2)


# ---- convolutions and windows


def group_does_not_divide():
    return one("Conv", [IMAGE], [weight("w", 6, 1, 3, 3)], result=IMAGE, group=3)


def group_of_outputs():
    return one("Conv", [IMAGE], [weight("w", 5, 2, 3, 3)], result=IMAGE, group=2)


def group_zero():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, group=0)


def kernel_shape_differs():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, kernel_shape=[5, 5])


def conv_bias():
    return one("Conv", [IMAGE], [weight("w", 8, 4, 3, 3), weight("bias", 4)], result=[1, 8, 6, 6])


def stride_zero():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, strides=[0, 1])


def pads_too_few():
    return one("Conv", [IMAGE], [weight("w", 4, 4, 3, 3)], result=IMAGE, pads=[1, 1])


def window_larger_than_image():
    return one("MaxPool", [IMAGE], result=IMAGE, kernel_shape=[9, 9])


def window_missing():
    return one("MaxPool", [IMAGE], result=IMAGE)


# ---- bombs: small files that ask for the moon

MOON = 1 << 44


def bomb_constant_of_shape():
    return one("ConstantOfShape", [], [ints("shape", 1 << 20, 1 << 24)], result=[1])


def bomb_expand():
    return one("Expand", [[1]], [ints("shape", MOON)], result=[MOON])


def bomb_tile():
    return one("Tile", [[2, 3]], [ints("repeats", MOON, MOON)], result=[1, 1])


def bomb_range():
    limits = [ints("start", 0), ints("limit", MOON), ints("step", 1)]
    for scalar in limits:
        del scalar.dims[:]
    return one("Range", [], limits, result=[MOON])


def bomb_pad():
    return one("Pad", [[2]], [ints("pads", 0, MOON)], result=[MOON])


def bomb_resize():
    return one("Resize", [IMAGE], [ints("sizes", 1, 4, 1 << 22, 1 << 22)], inputs="x0 - - sizes", result=[1])


def bomb_one_hot():
    depth = ints("depth", MOON)
    del depth.dims[:]
    return one("OneHot", [([2], I64)], [depth, weight("values", 2)], result=[2, MOON])


def bomb_einsum():
    return one("Einsum", [[1 << 20], [1 << 20]], result=[1 << 20, 1 << 20], equation="i,j->ij")


def bomb_outer_product():
    nodes = [node("Mul", "a b", "y", "outer")]
    return model(nodes, [value("a", [1 << 22, 1]), value("b", [1, 1 << 22])], [value("y", [1 << 22, 1 << 22])])


def shape_arithmetic_overflows():
    """-1 in a Reshape whose other sizes multiply past 64 bits."""
    return one("Reshape", [[2, 3]], [ints("shape", -1, 1 << 40, 1 << 40)], result=[1])


def shape_product_overflows():
    """Numbers for a shape that wrap around when they are multiplied at import."""
    nodes = [node("Mul", "a a", "square", "square"), node("Reshape", "x square", "y", "reshape")]
    return model(nodes, [value("x", [6])], [value("y", [6])], [ints("a", 3_037_000_500)])


def bomb_chain_at_folding():
    """Doubled forty times, a small constant is a terabyte."""
    nodes = [node("Concat", f"c{i} c{i}", f"c{i + 1}", f"double{i}", axis=0) for i in range(40)]
    nodes.append(node("Reshape", "x c40", "y", "reshape"))
    return model(nodes, [value("x", [6])], [value("y", [6])], [ints("c0", 6)])

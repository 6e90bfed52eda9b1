"""Convolutions and pools: paddings, strides, dilations, groups, ceil_mode, over ranks and opsets.

Values are small whole numbers wherever sums are taken, so that the order of a sum does not matter.
"""
import itertools

import numpy as np


def _image(cases, *shape, dtype=np.float32):
    return cases.whole(-4, 4, *shape, dtype=dtype)


def _pick(cases, *choices):
    return choices[cases.rng.integers(len(choices))]


def _list(cases, count, low, high):
    return [int(each) for each in cases.rng.integers(low, high, count, endpoint=True)]


def _convolutions(cases):
    for number in range(60):
        rank = 1 + number % 3
        group, inner, features = _pick(cases, 1, 1, 2, 3), _pick(cases, 1, 2), _pick(cases, 1, 2)
        extents = _list(cases, rank, 6, 9) if rank < 3 else _list(cases, rank, 5, 6)
        kernel = _list(cases, rank, 1, 3)
        attributes = {"group": group, "strides": _list(cases, rank, 1, 3)}
        padding = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")[number % 4]
        if padding == "NOTSET":
            attributes["pads"] = _list(cases, 2 * rank, 0, 2)
            attributes["dilations"] = _list(cases, rank, 1, 2)
        else:
            attributes["auto_pad"] = padding
        if number % 2:
            attributes["kernel_shape"] = kernel
        inputs = [_image(cases, 2, group * inner, *extents), _image(cases, group * features, inner, *kernel)]
        if number % 5:
            inputs.append(_image(cases, group * features))
        cases.add(f"conv_{number}", "Conv", inputs, attributes, opset=(7, 11, 17, 22)[number // 4 % 4], constant=(1, 2)[: number % 3])


def _transposed(cases):
    for number in range(48):
        rank = 1 + number % 2
        group, inner, features = _pick(cases, 1, 1, 2), _pick(cases, 1, 2), _pick(cases, 1, 3)
        kernel, strides = _list(cases, rank, 1, 3), _list(cases, rank, 1, 3)
        padding = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "shape")[number % 6]
        if padding not in ("NOTSET", "VALID"):
            # A result that is larger than the windows reach: ONNX Runtime makes it smaller or refuses.
            kernel = [max(each) for each in zip(kernel, strides)]
        attributes = {"group": group, "strides": strides}
        if padding == "NOTSET":
            attributes["pads"] = [min(each, 1) for each in _list(cases, 2 * rank, 0, 1)]
            attributes["dilations"] = _list(cases, rank, 1, 2)
            attributes["output_padding"] = [int(cases.rng.integers(0, max(s, d))) for s, d in zip(strides, attributes["dilations"])]
        elif padding == "shape":
            attributes["output_shape"] = [3 * s + int(cases.rng.integers(1, k + 1)) for s, k in zip(strides, kernel)]
        else:
            attributes["auto_pad"] = padding
        inputs = [_image(cases, 2, group * inner, *[4] * rank), _image(cases, group * inner, features, *kernel)]
        if number % 3:
            inputs.append(_image(cases, group * features))
        cases.add(f"conv_transpose_{number}", "ConvTranspose", inputs, attributes, opset=(7, 11, 22)[number % 3])


def _pool_attributes(cases, number, rank, dilated):
    attributes = {"kernel_shape": _list(cases, rank, 1, 3), "strides": _list(cases, rank, 1, 3)}
    padding = ("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")[number % 5]
    if padding == "NOTSET":
        attributes["pads"] = [int(cases.rng.integers(0, each)) for each in attributes["kernel_shape"]] * 2
        attributes["ceil_mode"] = number // 5 % 2
    else:
        attributes["auto_pad"] = padding
        # Windows with gaps between them: ONNX Runtime makes the padding negative, in one dimension it then refuses.
        attributes["strides"] = [min(each) for each in zip(attributes["strides"], attributes["kernel_shape"])]
    if dilated and number % 3 == 0 and padding == "NOTSET":
        attributes["dilations"] = _list(cases, rank, 1, 2)
    return attributes


def _pools(cases):
    for number in range(60):
        rank = 1 + number % 3
        extents = _list(cases, rank, 5, 8)
        x = _image(cases, 2, 2, *extents)
        attributes = _pool_attributes(cases, number, rank, dilated=True)
        outputs = 1 + number % 2
        if outputs == 2 and number % 4 == 1:
            attributes["storage_order"] = 1
        opset = (10, 11, 12, 22)[number // 3 % 4]
        cases.add(f"max_pool_{number}", "MaxPool", [x], attributes, opset=opset, outputs=outputs)
        dilated = number % 4 == 3
        attributes = _pool_attributes(cases, number + 1, rank, dilated)
        attributes["count_include_pad"] = number % 2
        opset = (19, 22)[number % 2] if dilated else (10, 11, 19)[number % 3]
        cases.add(f"average_pool_{number}", "AveragePool", [x], attributes, opset=opset)
    for number in range(24):
        rank = 1 + number % 2
        attributes = _pool_attributes(cases, number, rank, dilated=False)
        attributes.pop("ceil_mode", None)
        attributes["p"] = 1 + number % 3
        cases.add(f"lp_pool_{number}", "LpPool", [cases.real(2, 2, *_list(cases, rank, 5, 8))], attributes,
                  opset=(7, 11, 18, 22)[number % 4])
    for bytes_type in (np.int8, np.uint8):
        x = cases.whole(0, 100, 1, 2, 6, 7, dtype=bytes_type)
        cases.add(f"max_pool_{bytes_type.__name__}", "MaxPool", [x], {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1]}, opset=12)
    for op, rank in itertools.product(("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"), (1, 2, 3)):
        cases.add(f"{op.lower()}_{rank}", op, [_image(cases, 2, 3, *[4, 3, 2][:rank])], {"p": 3} if "Lp" in op else {})


def _unpool(cases):
    for number, (kernel, stride) in enumerate((([2, 2], [2, 2]), ([2], [2]), ([3, 2], [3, 2]))):
        x = cases.rng.permutation(int(np.prod([2, 2, *[6] * len(kernel)]))).reshape(2, 2, *[6] * len(kernel)).astype(np.float32)
        pooled, index = _pooled(x, kernel, stride)
        given = {"kernel_shape": kernel, "strides": stride}
        cases.add(f"max_unpool_{number}", "MaxUnpool", [pooled, index], given, opset=11)


def _pooled(x, kernel, stride):
    """MaxPool without padding where windows do not overlap."""
    spatial = x.shape[2:]
    out = [extent // s for extent, s in zip(spatial, stride)]
    y, index = np.zeros((*x.shape[:2], *out), x.dtype), np.zeros((*x.shape[:2], *out), np.int64)
    numbers = np.arange(x.size).reshape(x.shape)
    for o in itertools.product(range(x.shape[0]), range(x.shape[1]), *map(range, out)):
        window = (o[0], o[1], *[slice(p * s, p * s + k) for p, s, k in zip(o[2:], stride, kernel)])
        best = np.argmax(x[window])
        y[o], index[o] = x[window].reshape(-1)[best], numbers[window].reshape(-1)[best]
    return y, index


def add(cases):
    _convolutions(cases)
    _transposed(cases)
    _pools(cases)
    _unpool(cases)

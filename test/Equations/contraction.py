"""Cases of kumiko/Nn/contraction.eq."""
import itertools
import math

import numpy as np

from table import case, normal


def points(*extents):
    return itertools.product(*map(range, extents))


def matrices():
    a, b = normal(2, 1, 3, 5), normal(4, 5, 2)
    case("matmul", "leading dimensions broadcast", [a, b], [np.matmul(a, b)])
    case("matmul", "of integers", [np.int32([[1, -2]]), np.int32([[3], [4]])], [np.int32([[-5]])])
    # Bytes at both ends of their range: products of 16 bits and their sums of more must not be cut.
    bytes_, weights = np.uint8([[[255, 255, 0]], [[1, 128, 255]]]), np.int8([[-128, 127], [-128, 3], [5, -7]])
    case("integer_matmul", "of bytes with and without a sign, broadcast", [bytes_, weights],
         [np.matmul(bytes_.astype(np.int32), weights.astype(np.int32))])
    case("integer_matmul", "of nothing", [np.zeros((2, 0), np.int8), np.zeros((0, 3), np.uint8)], [np.zeros((2, 3), np.int32)])
    case("matmul", "of nothing", [np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)], [np.zeros((2, 3), np.float32)])


def conv(x, w, bias, stride, dilation, lo, hi, group=1):
    """Convolution of x(n, c, spatial...), one product after the other."""
    spatial = len(stride)
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), *zip(lo, hi)))
    out = [(padded.shape[2 + d] - dilation[d] * (w.shape[2 + d] - 1) - 1) // stride[d] + 1 for d in range(spatial)]
    features, inner = w.shape[0] // group, w.shape[1]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    for n, f in points(x.shape[0], w.shape[0]):
        for o in points(*out):
            for c in range(inner):
                for k in points(*w.shape[2:]):
                    at = tuple(o[d] * stride[d] + k[d] * dilation[d] for d in range(spatial))
                    y[(n, f, *o)] += padded[(n, f // features * inner + c, *at)] * w[(f, c, *k)]
            y[(n, f, *o)] += 0 if bias is None else bias[f]
    return y.astype(np.float32)


def convolutions():
    x, w, bias = normal(2, 4, 7, 6), normal(6, 2, 3, 2), normal(6)
    uneven = dict(stride=[2, 1], dilation=[1, 3], lo=[1, 2], hi=[2, 0])
    case("conv", "two groups, everything uneven", [x, w, bias], [conv(x, w, bias, **uneven, group=2)], group=2, **uneven)
    case("conv", "no bias", [x, w, None], [conv(x, w, None, **uneven, group=2)], group=2, **uneven)
    case("conv", "channels last", [np.moveaxis(x, 1, -1), w, bias], [np.moveaxis(conv(x, w, bias, **uneven, group=2), 1, -1)],
         group=2, channel=3, **uneven)
    case("conv", "groups that the weights do not have", [x, w, None], None, group=1, **uneven)
    row, kernel = normal(1, 3, 8), normal(2, 3, 3)
    one = dict(stride=[3], dilation=[2], lo=[0], hi=[1])
    case("conv", "one dimension, one group by default", [row, kernel, None], [conv(row, kernel, None, **one)], **one)
    cube, kernel = normal(1, 2, 3, 4, 3), normal(2, 1, 2, 1, 2)
    three = dict(stride=[1, 2, 1], dilation=[1, 1, 2], lo=[0, 1, 0], hi=[1, 0, 0])
    case("conv", "three dimensions, depthwise", [cube, kernel, None], [conv(cube, kernel, None, **three, group=2)], group=2, **three)


def integer_convolutions():
    x = (np.arange(2 * 4 * 7 * 6) * 37 % 256).astype(np.uint8).reshape(2, 4, 7, 6)
    w = (np.arange(6 * 2 * 3 * 2) * 29 % 256 - 128).astype(np.int8).reshape(6, 2, 3, 2)
    uneven = dict(stride=[2, 1], dilation=[1, 3])
    whole = conv(x, w.astype(float), None, **uneven, lo=[0, 0], hi=[0, 0], group=2).astype(np.int32)
    case("integer_conv", "two groups, everything uneven", [x, w], [whole], group=2, **uneven)
    case("integer_conv", "channels last", [np.moveaxis(x, 1, -1), w], [np.moveaxis(whole, 1, -1)], group=2, channel=3, **uneven)
    case("integer_conv", "one group by default", [x, w], None, **uneven)
    row, kernel = x[:1, :3, :, 0], np.int8([[[1, -2], [3, 4], [-5, 6]]])
    one = dict(stride=[3], dilation=[2])
    case("integer_conv", "one dimension", [row, kernel],
         [conv(row, kernel.astype(float), None, **one, lo=[0], hi=[0]).astype(np.int32)], **one)


def conv_transpose(x, w, bias, stride, dilation, lo, out, group=1):
    inner, features = w.shape[0] // group, w.shape[1]
    y = np.zeros((x.shape[0], group * features, *out))
    for n, c, f in points(x.shape[0], w.shape[0], features):
        for i in points(*x.shape[2:]):
            for k in points(*w.shape[2:]):
                at = tuple(i[d] * stride[d] + k[d] * dilation[d] - lo[d] for d in range(len(stride)))
                if all(0 <= p < extent for p, extent in zip(at, out)):
                    y[(n, c // inner * features + f, *at)] += float(x[(n, c, *i)]) * w[(c, f, *k)]
    if bias is not None:
        y += bias.reshape(-1, *[1] * len(stride))
    return y.astype(np.float32)


def transposed():
    x, w, bias = normal(3, 4, 3, 4), normal(4, 5, 3, 2), normal(10)
    uneven = dict(stride=[2, 3], dilation=[1, 2], lo=[1, 0], out=[7, 12])
    case("conv_transpose", "two groups, everything uneven", [x, w, bias], [conv_transpose(x, w, bias, **uneven, group=2)], group=2, **uneven)
    case("conv_transpose", "no bias", [x, w, None], [conv_transpose(x, w, None, **uneven, group=2)], group=2, **uneven)
    case("conv_transpose", "channels last", [np.moveaxis(x, 1, -1), w, bias],
         [np.moveaxis(conv_transpose(x, w, bias, **uneven, group=2), 1, -1)], group=2, channel=3, **uneven)
    case("conv_transpose", "groups that the bias does not have", [x, w, bias], None, group=1, **uneven)
    row, kernel, bias = normal(1, 2, 4), normal(2, 3, 3), normal(3)
    one = dict(stride=[2], dilation=[1], lo=[2], out=[6])
    case("conv_transpose", "one dimension, one group by default", [row, kernel, bias], [conv_transpose(row, kernel, bias, **one)], **one)


def attend(q, k, v, bias, scale, softcap):
    """The five stages of attention, in double precision: y, raw, capped, biased, probabilities."""
    batch, heads, rows, _ = q.shape
    repeat = heads // k.shape[1]
    raw = np.zeros((batch, heads, rows, k.shape[2]))
    for b, h, i, j in points(*raw.shape):
        raw[b, h, i, j] = scale * np.dot(q[b, h, i].astype(float), k[b, h // repeat, j])
    capped = softcap * np.tanh(raw / softcap) if softcap > 0 else raw
    biased = capped + (0 if bias is None else bias.astype(float))
    prob = np.zeros(raw.shape)
    y = np.zeros((*raw.shape[:3], v.shape[3]))
    for b, h, i in points(batch, heads, rows):
        row = biased[b, h, i]
        if row.max() > -math.inf:
            e = np.exp(row - row.max())
            prob[b, h, i] = e / e.sum()
        y[b, h, i] = prob[b, h, i] @ v[b, h // repeat].astype(float)
    return [each.astype(q.dtype) for each in (y, raw, capped, biased, prob)]


def attention():
    q, k, v = normal(2, 4, 3, 5), normal(2, 2, 6, 5), normal(2, 2, 6, 2)
    types = dict(acc="f32", soft="f32")
    bias = normal(1, 4, 3, 6)
    bias[0, 1, 2] = -math.inf
    bias[0, 2, 0, 3:] = -math.inf
    case("attention", "grouped heads", [q, k, v, None], attend(q, k, v, None, 0.4, 0), scale=0.4, softcap=0.0, **types)
    case("attention", "mask with an empty row", [q, k, v, bias], attend(q, k, v, bias, 0.7, 0), scale=0.7, softcap=0.0, **types)
    case("attention", "soft cap", [q, k, v, bias], attend(q, k, v, bias, 0.7, 1.5), scale=0.7, softcap=1.5, **types)
    case("attention", "soft cap below 1", [q, k, v, None], attend(q, k, v, None, 0.7, 0.5), scale=0.7, softcap=0.5, **types)
    large = q * 300
    case("attention", "large scores", [large, k, v, None], attend(large, k, v, None, 1.0, 0), 2e-5, scale=1.0, softcap=0.0, **types)
    half = [each.astype(np.float16) for each in (q, k, v)]
    case("attention", "f16 computed in f32", [*half, bias], attend(*half, bias, 0.7, 0), scale=0.7, softcap=0.0, **types)
    narrow = attend(*half, None, 0.7, 0)
    case("attention", "f16 softmax", [*half, None], narrow, 5e-3, scale=0.7, softcap=0.0, acc="f32", soft="f16")


def linear_step(q, k, v, decay, beta, state, scale):
    batch, heads, depth, width = state.shape
    repeat = q.shape[1] // heads
    state = state.astype(float)
    o = np.zeros((batch, q.shape[1], width))
    for b, h in points(batch, heads):
        if decay is not None:
            state[b, h] *= np.exp(decay[b, h].astype(float))[:, None]
        write = v[b, h].astype(float)
        if beta is not None:
            write = beta[b, h] * (write - k[b, h].astype(float) @ state[b, h])
        state[b, h] += np.outer(k[b, h], write)
        for r in range(repeat):
            o[b, h * repeat + r] = scale * (q[b, h * repeat + r].astype(float) @ state[b, h])
    return [o.astype(np.float32), state.astype(np.float32)]


def recurrent_attention():
    q, k, v, state = normal(2, 6, 4), normal(2, 3, 4), normal(2, 3, 5), normal(2, 3, 4, 5)
    decay, beta = normal(2, 3, 4), normal(2, 3)
    for name, d, b in [("plain", None, None), ("decay", decay, None), ("delta rule", None, beta), ("decay and delta rule", decay, beta)]:
        case("linear_attention_step", name, [q, k, v, d, b, state], linear_step(q, k, v, d, b, state, 0.6), scale=0.6)


def deform_conv(x, w, offset, mask, bias, stride, dilation, lo, group, out):
    batch, channels, height, width = x.shape
    features, inner = w.shape[0] // group, w.shape[1]
    per_offset = channels // offset.shape[1]

    def pixel(n, c, i, j):
        return float(x[n, c, i, j]) if 0 <= i < height and 0 <= j < width else 0.0

    y = np.zeros((batch, w.shape[0], *out))
    for n, f, h, v in points(*y.shape):
        for e, k, l in points(inner, w.shape[2], w.shape[3]):
            c = f // features * inner + e
            d = c // per_offset
            r = h * stride[0] + k * dilation[0] - lo[0] + float(offset[n, d, k, l, 0, h, v])
            s = v * stride[1] + l * dilation[1] - lo[1] + float(offset[n, d, k, l, 1, h, v])
            i, j = math.floor(r), math.floor(s)
            value = ((i + 1 - r) * (j + 1 - s) * pixel(n, c, i, j) + (i + 1 - r) * (s - j) * pixel(n, c, i, j + 1)
                     + (r - i) * (j + 1 - s) * pixel(n, c, i + 1, j) + (r - i) * (s - j) * pixel(n, c, i + 1, j + 1))
            y[n, f, h, v] += value * w[f, e, k, l] * (1 if mask is None else mask[n, d, k, l, h, v])
        y[n, f, h, v] += 0 if bias is None else bias[f]
    return y.astype(np.float32)


def deformed():
    x, w, bias = normal(2, 4, 6, 7), normal(6, 2, 2, 3), normal(6)
    shape = dict(stride=[2, 1], dilation=[3, 2], lo=[1, 3], group=2, out=[4, 5])
    for groups in (1, 2):
        offset, mask = normal(2, groups, 2, 3, 2, 4, 5) * 2, normal(2, groups, 2, 3, 4, 5)
        case("deform_conv", f"mask and bias, {groups} offset groups", [x, w, offset, mask, bias],
             [deform_conv(x, w, offset, mask, bias, **shape)], 1e-5, **shape)
        case("deform_conv", f"no mask, no bias, {groups} offset groups", [x, w, offset, None, None],
             [deform_conv(x, w, offset, None, None, **shape)], 1e-5, **shape)
    zero = np.zeros((2, 1, 2, 3, 2, 4, 5), np.float32)
    case("deform_conv", "zero offset is conv", [x, w, zero, None, None],
         [conv(x, w, None, [2, 1], [3, 2], [1, 3], [3, 0], 2)[:, :, :4, :5]], **shape)
    case("deform_conv", "groups that the weights do not have", [x, w, zero, None, None], None, **dict(shape, group=1))
    tall = dict(stride=[1, 3], dilation=[2, 1], lo=[0, 1], group=1, out=[2, 2])
    w = normal(1, 4, 3, 2)
    offset = normal(2, 4, 3, 2, 2, 2, 2)
    case("deform_conv", "as many offset groups as channels", [x, w, offset, None, None], [deform_conv(x, w, offset, None, None, **tall)], 1e-5, **tall)


matrices()
convolutions()
integer_convolutions()
transposed()
attention()
recurrent_attention()
deformed()

"""Cases of kumiko/Nn/window.eq."""
import itertools
import math

import numpy as np

from table import case, f32, normal


def points(*extents):
    return itertools.product(*map(range, extents))


def taps(x, kernel, stride, dilation, lo, out):
    """(result point, the points of its window, outside ones included)."""
    for n, c in points(*x.shape[:2]):
        for o in points(*out):
            at = [tuple(o[d] * stride[d] + k[d] * dilation[d] - lo[d] for d in range(len(out))) for k in points(*kernel)]
            yield (n, c, *o), [(n, c, *p) for p in at]


def inside(point, shape):
    return all(0 <= p < extent for p, extent in zip(point, shape))


def out_shape(x, kernel, stride, dilation, lo, hi):
    return [(x.shape[2 + d] + lo[d] + hi[d] - dilation[d] * (kernel[d] - 1) - 1) // stride[d] + 1 for d in range(len(kernel))]


def max_pool(x, kernel, stride, dilation, lo, hi, channel=1):
    """`channel` says in which layout positions are counted."""
    out = out_shape(x, kernel, stride, dilation, lo, hi)
    y, index = np.zeros((*x.shape[:2], *out), x.dtype), np.zeros((*x.shape[:2], *out), np.int64)
    numbers = np.moveaxis(np.arange(x.size).reshape(np.moveaxis(x, 1, channel).shape), channel, 1)
    for o, window in taps(x, kernel, stride, dilation, lo, out):
        window = [p for p in window if inside(p, x.shape)]
        values = [x[p] for p in window]
        best = next((i for i, value in enumerate(values) if value != value), int(np.argmax(values)))
        y[o], index[o] = values[best], numbers[window[best]]
    return [np.moveaxis(y, 1, channel), np.moveaxis(index, 1, channel)]


def largest():
    x = normal(2, 3, 7, 6)
    uneven = dict(kernel=[3, 2], stride=[2, 1], dilation=[1, 2], lo=[1, 0], hi=[0, 1])
    case("max_pool", "everything uneven", [x], max_pool(x, **uneven), **uneven)
    case("max_pool", "channels last", [np.moveaxis(x, 1, -1)], max_pool(x, **uneven, channel=3), channel=3, **uneven)
    case("max_pool", "all below zero", [-np.abs(x)], max_pool(-np.abs(x), **uneven), **uneven)
    row = dict(kernel=[3], stride=[2], dilation=[1], lo=[1], hi=[1])
    whole = np.int8([[[-9, -128, -3, 5, 5, 5, 1]]])
    case("max_pool", "integers with ties", [whole], max_pool(whole, **row), **row)
    nan = f32(1, math.nan, 3, 2, 0, 7, math.nan)[None, None]
    case("max_pool", "NaN wins", [nan], max_pool(nan, **row), **row)
    cube = normal(1, 2, 3, 4, 3)
    three = dict(kernel=[2, 2, 1], stride=[1, 2, 1], dilation=[1, 1, 1], lo=[0, 1, 0], hi=[1, 0, 0])
    case("max_pool", "three dimensions", [cube], max_pool(cube, **three), **three)


def avg_pool(x, kernel, stride, dilation, lo, hi, extra, count_pad):
    out = out_shape(x, kernel, stride, dilation, lo, [a + b for a, b in zip(hi, extra)])
    y = np.zeros((*x.shape[:2], *out))
    for o, window in taps(x, kernel, stride, dilation, lo, out):
        total = sum(float(x[p]) for p in window if inside(p, x.shape))
        counted = [all(p[2 + d] < x.shape[2 + d] + hi[d] for d in range(len(lo))) for p in window] if count_pad else [
            inside(p, x.shape) for p in window]
        y[o] = total / sum(counted)
    return y.astype(np.float32)


def averages():
    x = normal(2, 3, 7, 6)
    uneven = dict(kernel=[4, 2], stride=[2, 2], dilation=[1, 2], lo=[1, 0], hi=[1, 0])
    for extra in ([0, 0], [1, 1]):
        for count in (False, True):
            given = dict(uneven, extra=extra, count_pad=count)
            name = f"{'counting' if count else 'not counting'} padding, extra {extra}"
            case("avg_pool", name, [x], [avg_pool(x, **given)], **given)
            case("avg_pool", name + ", channels last", [np.moveaxis(x, 1, -1)], [np.moveaxis(avg_pool(x, **given), 1, -1)],
                 channel=3, **given)
    row = normal(1, 1, 5)
    for lo, hi, extra in ((1, 3, 0), (3, 1, 2), (0, 2, 3), (2, 0, 1)):
        for count in (False, True):
            given = dict(kernel=[4], stride=[1], dilation=[1], lo=[lo], hi=[hi], extra=[extra], count_pad=count)
            if not count and hi + extra > 3:
                continue  # a window without an element has no average
            case("avg_pool", f"padding {lo}, {hi}, {extra}, counted {count}", [row], [avg_pool(row, **given)], **given)


def lrn(x, size, alpha, beta, bias):
    y = np.empty(x.shape)
    for c in range(x.shape[1]):
        low, high = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + math.ceil((size - 1) / 2))
        y[:, c] = x[:, c] / (bias + alpha / size * (x[:, low:high + 1].astype(float) ** 2).sum(1)) ** beta
    return y.astype(np.float32)


def local_response():
    x = normal(2, 7, 3, 2)
    for size in (1, 3, 4, 5):
        case("lrn", f"visible alpha, size {size}", [x], [lrn(x, size, 0.9, 0.6, 2.0)], size=size, alpha=0.9, beta=0.6, bias=2.0)
    case("lrn", "channels last", [np.moveaxis(x, 1, -1)], [np.moveaxis(lrn(x, 3, 0.9, 0.75, 2.0), 1, -1)],
         size=3, alpha=0.9, bias=2.0, channel=3)
    large = x * 300
    case("lrn", "defaults", [large], [lrn(large, 3, 0.0001, 0.75, 1.0)], size=3)
    case("lrn", "bias by default", [x], [lrn(x, 3, 0.9, 0.75, 1.0)], size=3, alpha=0.9)


def col2im(x, image, kernel, stride, dilation, lo, out):
    channels = x.shape[1] // math.prod(kernel)
    y = np.zeros((x.shape[0], channels, *image))
    for n, c in points(x.shape[0], channels):
        for number, k in enumerate(points(*kernel)):
            for window, o in enumerate(points(*out)):
                at = tuple(o[d] * stride[d] + k[d] * dilation[d] - lo[d] for d in range(len(image)))
                if inside(at, image):
                    y[(n, c, *at)] += x[n, c * math.prod(kernel) + number, window]
    return y.astype(np.float32)


def columns():
    uneven = dict(image=[5, 6], kernel=[2, 3], stride=[2, 1], dilation=[1, 2], lo=[1, 0], out=[3, 2])
    x = normal(2, 18, 6)
    case("col2im", "everything uneven", [x], [col2im(x, **uneven)], **uneven)
    row = dict(image=[5], kernel=[3], stride=[1], dilation=[1], lo=[1], out=[5])
    x = normal(1, 6, 5)
    case("col2im", "one dimension", [x], [col2im(x, **row)], **row)


largest()
averages()
local_response()
columns()

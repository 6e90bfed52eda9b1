"""Cases of kumiko/Nn/normalize.eq and quantize.eq."""
import ml_dtypes
import numpy as np

from table import case, f32, integers, normal

BF16 = ml_dtypes.bfloat16


def batch():
    x, scale, bias, mean, var = normal(2, 3, 4, 2), normal(3), normal(3), normal(3), np.abs(normal(3))

    def reference(v, eps):
        return ((v - mean) / np.sqrt(var + eps) * scale + bias).astype(np.float32)

    last = np.moveaxis(x, 1, -1)
    case("batch_norm", "channels second by default", [x, scale, bias, mean, var], [np.moveaxis(reference(last, 0.3), -1, 1)], eps=0.3)
    case("batch_norm", "channels last", [last, scale, bias, mean, var], [reference(last, 0.01)], eps=0.01, channel=3)
    zero = np.zeros(3, np.float32)
    case("batch_norm", "variance 0", [x, scale, bias, mean, zero],
         [np.moveaxis(((last - mean) / np.sqrt(np.float32(0.5)) * scale + bias).astype(np.float32), -1, 1)], eps=0.5)
    half = normal(2, 3).astype(np.float16)
    wide = (half.astype(np.float32) - mean) / np.sqrt(var + np.float32(0.1))
    case("batch_norm", "statistics wider than data", [half, scale.astype(np.float16), bias.astype(np.float16), mean, var],
         [wide.astype(np.float16) * scale.astype(np.float16) + bias.astype(np.float16)], eps=0.1)


def layer():
    x = normal(2, 3, 4, 5)
    for axis in (1, 2, 3):
        shape = x.shape[axis:]
        over = tuple(range(axis, 4))
        scale, bias = normal(*shape), normal(*shape)
        wide = x.astype(float)
        mean = wide.mean(over)
        keep = mean.reshape(mean.shape + (1,) * len(shape))
        rstd = 1 / np.sqrt(((wide - keep) ** 2).mean(over) + 0.7)
        scaled = (wide - keep) * rstd.reshape(keep.shape) * scale
        stats = [mean.astype(np.float32), rstd.astype(np.float32)]
        case("layer_norm", f"from axis {axis}", [x, scale, bias], [(scaled + bias).astype(np.float32), *stats], axis=axis, eps=0.7)
        case("layer_norm", f"from axis {axis}, no bias", [x, scale, None], [scaled.astype(np.float32), *stats], axis=axis, eps=0.7)
        r = 1 / np.sqrt((wide**2).mean(over, keepdims=True) + 0.7)
        case("rms_norm", f"from axis {axis}", [x, scale], [(wide * r * scale).astype(np.float32)], axis=axis, eps=0.7)
    half = (normal(2, 64) + 40).astype(np.float16)
    wide = half.astype(float)
    rstd = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    ones = np.ones(64, np.float16)
    case("layer_norm", "f16 is summed in f32", [half, ones, ones * 0],
         [((wide - wide.mean(1, keepdims=True)) * rstd).astype(np.float16), wide.mean(1).astype(np.float32), rstd[:, 0].astype(np.float32)],
         axis=1, eps=1e-5)
    large = np.full((1, 4), 300, np.float16)
    case("rms_norm", "f16 squares do not overflow", [large, ones[:4]], [ones[None, :4]], axis=1, eps=1e-5)
    case("rms_norm", "scale is wider", [half, np.ones(64, np.float32)],
         [(wide / np.sqrt((wide**2).mean(1, keepdims=True))).astype(np.float32)], axis=1, eps=0.0)


def group():
    x, scale, bias = normal(2, 6, 3, 2), normal(6), normal(6)

    def reference(groups, eps):
        y = np.empty(x.shape)
        size = 6 // groups
        for n in range(2):
            for g in range(groups):
                part = x[n, g * size:(g + 1) * size].astype(float)
                y[n, g * size:(g + 1) * size] = (part - part.mean()) / np.sqrt(part.var() + eps)
        return (y * scale[:, None, None] + bias[:, None, None]).astype(np.float32)

    case("group_norm", "two groups", [x, scale, bias], [reference(2, 0.4)], groups=2, eps=0.4)
    case("group_norm", "three groups", [x, scale, bias], [reference(3, 0.1)], groups=3, eps=0.1)
    case("group_norm", "instances", [x, scale, bias], [reference(6, 1e-3)], groups=6, eps=1e-3)
    case("group_norm", "channels last", [np.moveaxis(x, 1, -1), scale, bias], [np.moveaxis(reference(2, 0.4), 1, -1)],
         groups=2, eps=0.4, channel=3)
    half = (normal(1, 2, 40) + 40).astype(np.float16)
    wide = half.astype(float)
    ones = np.ones(2, np.float16)
    case("group_norm", "f16 is summed in f32", [half, ones, ones * 0],
         [((wide - wide.mean((1, 2), keepdims=True)) / np.sqrt(wide.var((1, 2), keepdims=True) + 1e-5)).astype(np.float16)],
         groups=1, eps=1e-5)


def quantize():
    common = dict(whole=True, acc="f32", to="u8", lo=0.0, hi=255.0)
    x = f32(-9, -1.25, -1.0, -0.25, 0.25, 0.75, 1.25, 1.0, 200)
    case("quantize", "ties go to even, then the zero point", [x, f32(0.5), np.uint8([3])],
         [np.uint8([0, 1, 1, 3, 3, 5, 5, 5, 255])], axis=0, block=9, **common)
    case("quantize", "no zero point", [x, f32(0.5), None], [np.uint8([0, 0, 0, 0, 0, 2, 2, 2, 255])], axis=0, block=9, **common)
    y = normal(2, 6, 3) * 20
    scale, zero = np.abs(normal(2, 3, 3)) + np.float32(0.5), integers(100, 150, 2, 3, 3, dtype=np.uint8)
    wide = np.clip(np.rint(y / scale.repeat(2, 1)) + zero.repeat(2, 1), 0, 255)
    case("quantize", "blocks of two", [y, scale, zero], [wide.astype(np.uint8)], axis=1, block=2, **common)
    narrow = dict(common, to="i8", lo=-5.0, hi=6.0)
    case("quantize", "clamped to a narrow range", [f32(-7, -5, 5.4, 6.6, 9), f32(1), None], [np.int8([-5, -5, 5, 6, 6])], axis=0, block=5, **narrow)
    small = f32(0.3, -1.7, 500, 1000)
    wanted = np.clip(small / np.float32(0.5), -448, 448).astype(ml_dtypes.float8_e4m3fn)
    case("quantize", "to a small float nothing is rounded before", [small, f32(0.5), None], [wanted], 0, axis=0, block=4,
         whole=False, acc="f32", to="f8e4m3fn", lo=-448.0, hi=448.0)
    case("quantize", "divides in f32", [np.array([3], np.float16), np.array([0.1], np.float16), None],
         [np.uint8([np.rint(np.float32(3) / np.float32(np.float16(0.1)))])], axis=0, block=1, **common)
    q = integers(0, 256, 2, 6, 3, dtype=np.uint8)
    wanted = (q.astype(np.float32) - zero.repeat(2, 1).astype(np.float32)) * scale.repeat(2, 1)
    case("dequantize", "blocks of two", [q, scale, zero], [wanted], axis=1, block=2, to="f32")
    case("dequantize", "no zero point", [q, scale, None], [q.astype(np.float32) * scale.repeat(2, 1)], axis=1, block=2, to="f32")
    signed = integers(-128, 128, 4, dtype=np.int8)
    case("dequantize", "difference is wider than the type", [signed, f32(1), np.int8([-128])],
         [signed.astype(np.float32) + 128], axis=0, block=4, to="f32")
    case("dequantize", "as f16", [signed, f32(0.3), None], [(signed * np.float32(0.3)).astype(np.float16)], 1e-3, axis=0, block=4, to="f16")


batch()
layer()
group()
quantize()

"""Cases of kumiko/Nn/elementwise.eq."""
import math

import ml_dtypes
import numpy as np

from table import case, f32, integers, normal

INF, NAN = np.inf, np.nan


def apply(function, x):
    """A function of Python's math, element by element, in double precision."""
    return np.array([function(float(each)) for each in x.reshape(-1)]).reshape(x.shape).astype(x.dtype)


def functions_of_one():
    x = np.concatenate([normal(9) * 2, f32(0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5)]).reshape(2, 8)
    inside = np.clip(x / 4, -0.99, 0.99)
    above = np.abs(x) + np.float32(1.25)
    for name, function, argument in [
        ("abs", abs, x), ("neg", lambda v: -v, x), ("floor", math.floor, x), ("ceil", math.ceil, x),
        ("round", round, x), ("sqrt", math.sqrt, np.abs(x)), ("exp", math.exp, x), ("log", math.log, np.abs(x) + f32(0.3)),
        ("sin", math.sin, x), ("cos", math.cos, x), ("tan", math.tan, inside), ("asin", math.asin, inside),
        ("acos", math.acos, inside), ("atan", math.atan, x), ("sinh", math.sinh, x), ("cosh", math.cosh, x),
        ("tanh", math.tanh, x), ("asinh", math.asinh, x), ("acosh", math.acosh, above), ("atanh", math.atanh, inside),
        ("erf", math.erf, x), ("sigmoid", lambda v: 1 / (1 + math.exp(-v)), x), ("sign", np.sign, x),
    ]:
        case(name, "of numbers on both sides of 0", [argument], [apply(function, argument)])
    case("sqrt", "below zero", [f32(-1, INF)], [f32(NAN, INF)])
    case("log", "of zero", [f32(0, -1, INF)], [f32(-INF, NAN, INF)])
    case("sign", "of NaN", [f32(NAN, -INF)], [f32(NAN, -1)])
    case("sigmoid", "far out", [f32(-1000, 1000)], [f32(0, 1)])
    case("abs", "of integers", [np.int8([-5, 0, 7])], [np.int8([5, 0, 7])])
    case("not", "of booleans", [np.array([True, False])], [np.array([False, True])])
    case("not", "of integers inverts bits", [np.uint8([0, 1, 200])], [np.uint8([255, 254, 55])])
    case("cast", "drops the fraction", [f32(-1.7, 2.9, 300.5)], [np.int32([-1, 2, 300])], to="i32")
    case("cast", "to b1", [f32(0, -0.1, NAN)], [np.array([False, True, True])], to="b1")
    case("cast", "rounds to bf16", [f32(1.00390625, 3.1415927)], [np.array([1.0, 3.140625], ml_dtypes.bfloat16)], 0, to="bf16")


def activations():
    x = np.concatenate([normal(10) * 2, f32(0, -0.25)]).reshape(3, 4)
    wide = x.astype(float)
    case("relu", "both signs", [x], [np.maximum(x, 0)])
    case("relu", "of NaN and integers' signs", [f32(NAN, -INF, INF)], [f32(NAN, 0, INF)])
    case("leaky_relu", "default slope", [x], [np.where(x < 0, np.float32(0.01) * x, x)])
    case("leaky_relu", "large slope", [x], [np.where(x < 0, np.float32(3) * x, x)], slope=3.0)
    case("leaky_relu", "at zero", [f32(-0.0, 0.0)], [f32(0, 0)], slope=INF)
    slope = normal(4)
    case("prelu", "slope per column", [x, slope], [np.where(x < 0, slope * x, x)])
    case("prelu", "at zero", [f32(0.0), f32(INF)], [f32(0)])
    case("elu", "defaults", [x], [np.where(x > 0, wide, np.expm1(wide)).astype(np.float32)])
    case("elu", "all attributes", [x], [(2.5 * np.where(x > 0, wide, 1.7 * np.expm1(0.6 * wide))).astype(np.float32)],
         alpha=1.7, rate=0.6, gain=2.5)
    alpha, gamma = 1.67326319217681884765625, 1.05070102214813232421875
    case("selu", "defaults", [x], [(gamma * np.where(x > 0, wide, alpha * np.expm1(wide))).astype(np.float32)], 1e-6)
    case("selu", "both attributes", [x], [(0.5 * np.where(x > 0, wide, 3 * np.expm1(wide))).astype(np.float32)],
         alpha=3.0, gamma=0.5)
    case("softplus", "both signs", [x], [np.logaddexp(wide, 0).astype(np.float32)])
    case("softplus", "far out", [f32(1000, -1000, -20)], [f32(1000, 0, math.log1p(math.exp(-20)))], 1e-15)
    case("gelu", "exact", [x], [apply(lambda v: v * 0.5 * (1 + math.erf(v / math.sqrt(2))), x)])
    case("gelu", "not the tanh form by default", [x * 2], [apply(lambda v: v * 0.5 * math.erfc(-v / math.sqrt(2)), x * 2)])
    case("gelu", "tanh form", [x], [apply(lambda v: v * 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))), x)],
         tanh_form=True)
    case("swish", "default", [x], [apply(lambda v: v / (1 + math.exp(-v)), x)])
    case("swish", "alpha", [x], [apply(lambda v: v / (1 + math.exp(-1.702 * v)), x)], alpha=1.702)


def arithmetic():
    a, b = normal(2, 3, 4), normal(3, 1)
    whole, divisor = np.int32([7, -7, 7, -7, 6]), np.int32([3, 3, -3, -3, 3])
    case("add", "broadcasts", [a, b], [a + b])
    case("sub", "broadcasts", [a, b], [a - b])
    case("mul", "broadcasts", [a, b], [a * b])
    case("div", "broadcasts", [a, b], [a / b])
    case("div", "of integers truncates", [whole, divisor], [np.int32([2, -2, -2, 2, 2])])
    case("mod", "has the sign of the divisor", [whole, divisor], [np.int32([1, 2, -2, -1, 0])])
    case("mod", "of floats", [f32(5.5, -5.5), f32(2, 2)], [f32(1.5, 0.5)])
    case("rem", "has the sign of the dividend", [whole, divisor], [np.int32([1, -1, 1, -1, 0])])
    case("rem", "of floats", [f32(5.5, -5.5), f32(2, 2)], [f32(1.5, -1.5)])
    case("pow", "broadcasts", [np.abs(a), b], [np.power(np.abs(a), b)])
    case("pow", "has the type of its base", [np.int32([2, 3, -2]), f32(10, 2, 3)], [np.int32([1024, 9, -8])])
    case("max", "broadcasts", [a, b], [np.maximum(a, b)])
    case("min", "broadcasts", [a, b], [np.minimum(a, b)])
    case("max", "of NaN", [f32(NAN, 1), f32(1, NAN)], [f32(NAN, NAN)])
    case("min", "of NaN", [f32(NAN, 1), f32(1, NAN)], [f32(NAN, NAN)])


def bits_and_choices():
    t, f = np.array([True, True, False, False]), np.array([True, False, True, False])
    p, q = integers(0, 256, 6, dtype=np.uint8), integers(0, 256, 6, dtype=np.uint8)
    case("and", "of booleans", [t, f], [t & f])
    case("or", "of booleans", [t, f], [t | f])
    case("xor", "of booleans", [t, f], [t ^ f])
    case("and", "of bits", [p, q], [p & q])
    case("or", "of bits", [p, q], [p | q])
    case("xor", "of bits", [p, q], [p ^ q])
    shift = np.uint8([0, 1, 2, 3, 4, 7])
    case("shl", "drops high bits", [p, shift], [p << shift])
    case("shr", "of unsigned", [p, shift], [p >> shift])
    x, y = f32(1, 2, 3, NAN), f32(2, 2, 2, NAN)
    case("eq", "three orders and NaN", [x, y], [x == y])
    case("lt", "three orders and NaN", [x, y], [x < y])
    case("le", "three orders and NaN", [x, y], [x <= y])
    large = np.int64([2**60, 2**60 + 1])
    case("eq", "of large integers", [large, large[::-1]], [np.array([False, False])])
    case("lt", "of large integers", [large, large[::-1]], [np.array([True, False])])
    choose, a, b = integers(0, 2, 3, 1).astype(bool), normal(2, 3, 4), normal(4)
    case("select", "broadcasts", [choose, a, b], [np.where(choose, a, b)])
    case("select", "does not spread NaN", [np.array([True, False]), f32(1, NAN), f32(NAN, 2)], [f32(1, 2)])


functions_of_one()
activations()
arithmetic()
bits_and_choices()

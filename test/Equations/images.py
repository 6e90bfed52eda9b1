"""Cases of kumiko/Nn/signal.eq."""
import itertools
import math

import numpy as np

from table import case, normal


def points(*extents):
    return itertools.product(*map(range, extents))


def transforms():
    x = normal(2, 5, 3, 2)
    real = normal(2, 6, 1)
    wide = x[..., 0].astype(float) + 1j * x[..., 1]

    def parts(z):
        return np.stack([z.real, z.imag], -1).astype(np.float32)

    case("dft", "complex", [x], [parts(np.fft.fft(wide, axis=1))], axis=1, n=5, out=5, inverse=False)
    case("dft", "inverse", [x], [parts(np.fft.ifft(wide, axis=1))], axis=1, n=5, out=5, inverse=True)
    case("dft", "inverse, a part of it", [x], [parts(np.fft.ifft(wide, axis=1))[:, :3]], axis=1, n=5, out=3, inverse=True)
    case("dft", "longer than the signal", [x], [parts(np.fft.fft(wide, 7, axis=1))], axis=1, n=7, out=7, inverse=False)
    case("dft", "shorter than the signal", [x], [parts(np.fft.fft(wide, 2, axis=2))], axis=2, n=2, out=2, inverse=False)
    case("dft", "real, one side", [real], [parts(np.fft.rfft(real[..., 0].astype(float), axis=1))], axis=1, n=6, out=4, inverse=False)
    long = normal(700, 1)
    case("dft", "of many samples", [long], [parts(np.fft.rfft(long[:, 0].astype(float)))[:9]], 1e-5, axis=0, n=700, out=9, inverse=False)
    signal, window = normal(2, 11, 2), normal(4)
    cut = np.stack([signal[:, t * 3:t * 3 + 4] for t in range(3)], 1)
    case("frames", "window", [signal, window], [cut * window[:, None]], hop=3, n=4, out=3)
    case("frames", "no window", [signal, None], [cut], hop=3, n=4, out=3)
    case("frames", "fewer than fit", [signal, None], [cut[:, :2]], hop=3, n=4, out=2)


def kernel_weight(kernel, a, d):
    """Linear hat or Keys' cubic at distance d >= 0."""
    if kernel == "linear":
        return max(0.0, 1 - d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def resize(x, axis, out, gain, shift, kernel, a, shrink, exclude, crop, value):
    """Every position of the integer line weighs in, not only the taps."""
    x = np.moveaxis(x.astype(float), axis, 0)
    n = x.shape[0]
    y = np.zeros((out, *x.shape[1:]))
    for o in range(out):
        c = o * gain + shift
        if crop and not 0 <= c <= n - 1:
            y[o] = value
            continue
        total = 0.0
        for p in range(-60, n + 60):
            weight = kernel_weight(kernel, a, abs(p - c) * shrink)
            if exclude and not 0 <= p < n:
                continue
            total += weight
            y[o] += weight * x[min(max(p, 0), n - 1)]
        y[o] /= total
    return np.moveaxis(y, 0, axis).astype(np.float32)


def resampling():
    x = normal(2, 5, 3)
    plain = dict(axis=1, kernel="linear", a=-0.75, shrink=1.0, exclude=False, crop=False, value=0.0)
    up = dict(out=9, gain=0.55, shift=-0.225)
    cubic = dict(plain, kernel="cubic")
    for name, taps, given in [
        ("linear up", 2, dict(plain, **up)),
        ("linear on the points", 2, dict(plain, out=5, gain=1.0, shift=0.0)),
        ("linear down, spread", 4, dict(plain, out=2, gain=2.0, shift=0.4, shrink=0.5)),
        ("linear down, spread and excluded", 6, dict(plain, out=2, gain=2.5, shift=0.75, shrink=0.4, exclude=True)),
        ("cubic up", 4, dict(cubic, **up)),
        ("cubic, another coefficient", 4, dict(cubic, **up, a=-0.5)),
        ("cubic on the points", 4, dict(cubic, out=5, gain=1.0, shift=0.0)),
        ("cubic, excluded", 4, dict(cubic, **up, exclude=True)),
        ("cubic down, spread", 8, dict(cubic, out=2, gain=2.0, shift=0.4, shrink=0.5)),
        ("cubic down, spread and excluded", 8, dict(cubic, out=3, gain=1.9, shift=0.1, shrink=0.5, exclude=True)),
        ("cubic with taps to spare", 8, dict(cubic, **up)),
        ("crop", 2, dict(plain, out=9, gain=0.75, shift=-1.0, crop=True, value=10.0)),
        ("crop ends on the last point", 2, dict(plain, out=3, gain=2.0, shift=0.0, crop=True, value=10.0)),
        ("no crop", 2, dict(plain, out=9, gain=0.75, shift=-1.0, value=10.0)),
        ("crop and exclude", 4, dict(cubic, out=9, gain=0.75, shift=-1.0, crop=True, exclude=True, value=10.0)),
        ("far outside", 4, dict(cubic, out=6, gain=2.0, shift=-4.0)),
        ("first axis", 2, dict(plain, axis=0, out=3, gain=0.5, shift=0.2)),
    ]:
        case("resize_axis", name, [x, None], [resize(x, **given)], taps=taps, **given)
    spread = dict(plain, out=2, gain=2.0, shift=0.4, shrink=0.5)
    case("resize_axis", "the map is an operand", [x, np.array([2.0, 0.4, 0.5])], [resize(x, **spread)], taps=4,
         **dict(spread, gain=7.0, shift=7.0, shrink=7.0))


def rotations():
    x, angle = normal(2, 3, 4, 6), normal(2, 4, 3)
    cos, sin = np.cos(angle), np.sin(angle)
    y = np.empty_like(x)
    for b, h, s, k in points(2, 3, 4, 3):
        c, t = cos[b, s, k], sin[b, s, k]
        y[b, h, s, k] = x[b, h, s, k] * c - x[b, h, s, k + 3] * t
        y[b, h, s, k + 3] = x[b, h, s, k] * t + x[b, h, s, k + 3] * c
    case("rotary", "halves", [x, cos, sin], [y], interleaved=False)
    assert np.allclose((y**2).sum(), (x**2).sum()), "a rotation keeps the norm"
    y = np.empty_like(x)
    for b, h, s, k in points(2, 3, 4, 3):
        turned = (x[b, h, s, 2 * k] + 1j * x[b, h, s, 2 * k + 1]) * (cos[b, s, k] + 1j * sin[b, s, k])
        y[b, h, s, 2 * k], y[b, h, s, 2 * k + 1] = turned.real, turned.imag
    case("rotary", "neighbours", [x, cos, sin], [y], interleaved=True)


def reflect(v, low, high):
    """Folds v into [low, high] at both ends."""
    if low == high:
        return low
    while v < low or v > high:
        v = 2 * low - v if v < low else 2 * high - v
    return v


def border_of(v, n, border, align, whole):
    if border == "border":
        # A border is repeated tap by tap. Two points outside all taps are on it: further out nothing changes.
        return min(max(v, 0), n - 1) if whole else min(max(v, -2), n + 1)
    if border == "reflection":
        return reflect(v, 0, n - 1) if align else reflect(v, -0.5, n - 0.5)
    return v


def neighbours(grid, which, n, mode, border, align, taps):
    """Positions and weights along one axis, coordinate by coordinate."""
    shape = grid.shape[:-1]
    first, *rest = shape
    place, weight = np.zeros((first, taps, *rest), np.int64), np.zeros((first, taps, *rest))
    for p in points(*shape):
        v = float(grid[(*p, which)])
        v = (v + 1) / 2 * (n - 1) if align else ((v + 1) * n - 1) / 2
        c = border_of(round(v) if mode == "nearest" else v, n, border, align, whole=False)
        for a in range(taps):
            j = round(c) if mode == "nearest" else math.floor(c) + a - (taps // 2 - 1)
            d = abs(c - j)
            weight[(p[0], a, *p[1:])] = {"nearest": 1.0, "linear": 1 - d, "cubic": kernel_weight("cubic", -0.75, d)}[mode]
            place[(p[0], a, *p[1:])] = round(border_of(j, n, border, align, whole=True))
    return place, weight


def sampling():
    grid = np.random.default_rng(11).random((2, 5, 6, 2)) * 6 - 3
    grid[0, 0, 0], grid[0, 0, 1] = [-1, 1], [1, -1]
    for mode, taps in (("nearest", 1), ("linear", 2), ("cubic", 4)):
        for border, align in itertools.product(("zeros", "border", "reflection"), (False, True)):
            for which, n in ((0, 7), (1, 4)):
                given = dict(which=which, n=n, mode=mode, border=border, align=align, taps=taps)
                case("sample_axis", f"{mode}, {border}, align {align}, {n} points", [grid], list(neighbours(grid, **given)), 1e-9, **given)
    for border, align, (mode, taps) in itertools.product(("border", "reflection"), (False, True), (("linear", 2), ("cubic", 4))):
        given = dict(which=0, n=1, mode=mode, border=border, align=align, taps=taps)
        case("sample_axis", f"one point, {mode}, {border}, align {align}", [grid], list(neighbours(grid, **given)), 1e-9, **given)
    iy, ix = integers_around(4, 2, 2, 5), integers_around(7, 2, 3, 5)
    for to in np.int32, np.int64:
        p = np.full((2, 2, 3, 5), -1, to)
        for n, a, b, o in points(2, 2, 3, 5):
            i, j = iy[n, a, o], ix[n, b, o]
            if 0 <= i < 4 and 0 <= j < 7:
                p[n, a, b, o] = 7 * i + j
        case("places", f"-1 outside, {p.dtype}", [iy, ix], [p], rows=4, columns=7, to="i32" if to is np.int32 else "i64")
    x, p, v = normal(2, 3, 28), integers_around(28, 2, 6, 5), normal(2, 6, 5)
    y = np.zeros((2, 3, 5))
    for n, c, k, o in points(2, 3, 6, 5):
        if 0 <= p[n, k, o] < 28:
            y[n, c, o] += float(x[n, c, p[n, k, o]]) * v[n, k, o]
    case("sample", "outside is 0", [x, p, v], [y.astype(np.float32)])


def integers_around(n, *shape):
    """Positions in a dimension of n points, some of them outside."""
    return np.random.default_rng(n).integers(-1, n + 1, shape)


transforms()
resampling()
rotations()
sampling()

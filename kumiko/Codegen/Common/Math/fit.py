#!/usr/bin/env python3
"""Find the polynomials of Coefficients.h: weighted minimax fits, rounded coefficient by coefficient.

    fit.py [NAME ...]       (needs mpmath; prints C++ arrays and the error of each fit in bits)

Each entry says what is approximated, where, and which error counts: `weight` times the difference is made small, so
that the entry's result is good relative to the function built from it. After a coefficient is rounded to its type,
the others are fitted again around it; the lowest power, which matters most, is rounded first.
"""
import re
import struct
import sys

from mpmath import asin, atan, atanh, cos, cosh, erf, erfc, expm1, log, pi, sin, sinh, sqrt, tanh
from mpmath import floor, lu_solve, matrix, mp, mpf, nint

mp.dps = 70


def to_single(value):
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def to_double(value):
    return mpf(float(value))


def value(coefficients, t):
    result = mpf(0)
    for coefficient in reversed(coefficients):
        result = result * t + coefficient
    return result


def solve(target, weight, low, high, powers, fixed):
    """Nearly minimax coefficients of the given powers, some of them fixed: Lawson's reweighted least squares."""
    free = [power for power in powers if power not in fixed]
    grid = [low + (high - low) * (1 - cos(pi * (i + mpf(0.5)) / 160)) / 2 for i in range(160)]
    scale = [weight(t) for t in grid]
    right = [w * (target(t) - sum(c * t**power for power, c in fixed.items())) for t, w in zip(grid, scale)]
    rows = [[w * t**power for power in free] for t, w in zip(grid, scale)]
    share = [mpf(1) / len(grid)] * len(grid)
    best, least = None, mpf("inf")
    for _ in range(30):
        normal, side = matrix(len(free), len(free)), matrix(len(free), 1)
        for a in range(len(free)):
            side[a] = sum(s * row[a] * g for s, row, g in zip(share, rows, right))
            for b in range(a, len(free)):
                normal[a, b] = normal[b, a] = sum(s * row[a] * row[b] for s, row in zip(share, rows))
        solution = lu_solve(normal, side)
        errors = [abs(g - sum(solution[a] * row[a] for a in range(len(free)))) for row, g in zip(rows, right)]
        if max(errors) < least:
            best, least = solution, max(errors)
        share = [s * e for s, e in zip(share, errors)]
        total = sum(share)
        if not total:
            break
        share = [s / total + mpf(10) ** -30 for s in share]
    return {power: best[a] for a, power in enumerate(free)}


def fit(target, weight, low, high, degree, rounding, keep=()):
    """Rounded coefficients, lowest power first, and the weighted error that remains."""
    low, high = mpf(low), mpf(high)
    fixed = dict(enumerate(mpf(k) for k in keep))
    powers = list(range(degree + 1))
    for power in powers:
        if power in fixed:
            continue
        found = solve(target, weight, low, high, powers, fixed)
        fixed[power] = rounding(found[power])
    coefficients = [fixed[power] for power in powers]
    grid = [low + (high - low) * i / 2000 for i in range(2001)]
    return coefficients, max(abs(weight(t) * (target(t) - value(coefficients, t))) for t in grid)


def at_zero(function, limit):
    """A function with a removable gap at 0."""
    return lambda t: mpf(limit) if t == 0 else function(t)


ln2 = log(mpf(2))
root = lambda t: sqrt(t) if t > 0 else mpf(0)
tiny = mpf(10) ** -12

FITS = {
    # exp(r) = 1 + r + r^2 P(r); relative to expm1, which shares it.
    "expTail": lambda: (at_zero(lambda r: (expm1(r) - r) / r**2, 0.5), lambda r: abs(r) if r else tiny,
                        -ln2 / 2 - 1e-6, ln2 / 2 + 1e-6, 4, to_single),
    # 2^r = 1 + r P(r), for exp2; and for erf, where it is scaled by at most erfc(1).
    "exp2Short": lambda: (at_zero(lambda r: expm1(r * ln2) / r, ln2), lambda r: abs(r) if r else tiny,
                          mpf(-0.5), mpf(0.5), 4, to_single),
    "exp2Tail": lambda: (at_zero(lambda r: expm1(r * ln2) / r, ln2), lambda r: abs(r) if r else tiny,
                         mpf(-0.5), mpf(0.5), 5, to_single),
    # log(1 + f) = f - f^2/2 + f^3 P(f); relative to log.
    "logTail": lambda: (at_zero(lambda f: (log(1 + f) - f + f * f / 2) / f**3, mpf(1) / 3),
                        lambda f: f * f if f else tiny, mpf(-1) / 3, mpf(1) / 3, 7, to_single),
    # erf(x) = x + x P(x^2) for |x| <= 1.
    "erfSmall": lambda: (at_zero(lambda t: erf(sqrt(t)) / sqrt(t) - 1, 2 / sqrt(pi) - 1), lambda t: mpf(1),
                         mpf(0), mpf(1), 5, to_single),
    # tanh(x) = x + x^3 P(x^2) for |x| <= 5/8.
    "tanhSmall": lambda: (at_zero(lambda u: (tanh(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 3), lambda u: u if u else tiny,
                          mpf(0), mpf(0.391), 4, to_single),
    # erfc(x) = 2^P(x) for 1 <= x <= 4; what counts is the error of erfc beside erf.
    "erfcLog2": lambda: (lambda x: log(erfc(x)) / ln2, lambda x: erfc(x) * ln2, mpf(1), mpf(4), 6, to_single),
    # atan(t) = t + t^3 P(t^2) for t <= 1.
    "atanTail": lambda: (at_zero(lambda u: (atan(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 3), lambda u: u if u else tiny,
                         mpf(0), mpf(1), 8, to_single),
    # sin(pi/2 f) = f P(f^2), cos(pi/2 f) = P(f^2), |f| <= 1/2.
    "sineTurn": lambda: (at_zero(lambda u: sin(pi / 2 * sqrt(u)) / sqrt(u), pi / 2), lambda u: mpf(1), mpf(0),
                         mpf(0.2501), 4, to_double),
    "cosineTurn": lambda: (lambda u: cos(pi / 2 * root(u)), lambda u: mpf(1), mpf(0), mpf(0.2501), 4, to_double),
    # sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4.
    "sineTail": lambda: (at_zero(lambda u: (sin(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 6),
                         lambda u: u if u else tiny, mpf(0), mpf("0.61686"), 2, to_single),
    "cosineTail": lambda: (at_zero(lambda u: (cos(sqrt(u)) - 1 + u / 2) / u**2, mpf(1) / 24),
                           lambda u: u * u if u else tiny, mpf(0), mpf("0.61686"), 2, to_single),
    # log(m) = 2 s + s^3 P(s^2) with s = (m - 1) / (m + 1), m from 2/3 to 4/3.
    "logRatio": lambda: (at_zero(lambda u: (log((1 + sqrt(u)) / (1 - sqrt(u))) / sqrt(u) - 2) / u, mpf(2) / 3),
                         lambda u: u if u else tiny, mpf(0), mpf("0.0401"), 4, to_double),
    # 2^r = even(r^2) + r odd(r^2), |r| <= 1/2.
    "exp2Even": lambda: (lambda u: cosh(root(u) * ln2), lambda u: mpf(1), mpf(0), mpf(0.2501), 3, to_double),
    "exp2Odd": lambda: (at_zero(lambda u: sinh(sqrt(u) * ln2) / sqrt(u), ln2), lambda u: mpf(1), mpf(0), mpf(0.2501), 3,
                        to_double),
    # asin(x) = x + x^3 P(x^2), |x| <= 1/2.
    "asinTail": lambda: (at_zero(lambda u: (asin(sqrt(u)) / sqrt(u) - 1) / u, mpf(1) / 6), lambda u: u if u else tiny,
                         mpf(0), mpf(0.2501), 5, to_double),
    # In double precision. exp(r) = 1 + r + r^2 P(r), relative to expm1; 2^r = 1 + r P(r).
    "expTail64": lambda: (at_zero(lambda r: (expm1(r) - r) / r**2, 0.5), lambda r: abs(r) if r else tiny,
                          -ln2 / 2 - mpf(2) ** -30, ln2 / 2 + mpf(2) ** -30, 10, to_double),
    "exp2Tail64": lambda: (at_zero(lambda r: expm1(r * ln2) / r, ln2), lambda r: abs(r) if r else tiny,
                           mpf(-0.5), mpf(0.5), 10, to_double),
    # tanh(x) = x + x^3 P(x^2) for |x| <= 5/8; sinh alike for |x| <= 1.
    "tanhSmall64": lambda: (at_zero(lambda u: (tanh(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 3),
                            lambda u: u if u else tiny, mpf(0), mpf(0.391), 10, to_double),
    "sinhSmall64": lambda: (at_zero(lambda u: (sinh(sqrt(u)) / sqrt(u) - 1) / u, mpf(1) / 6),
                            lambda u: u if u else tiny, mpf(0), mpf(1), 7, to_double),
    # log(m) = 2 s + s^3 P(s^2) with s = (m - 1) / (m + 1), m from sqrt(1/2) to sqrt(2).
    "logRatio64": lambda: (at_zero(lambda u: (log((1 + sqrt(u)) / (1 - sqrt(u))) / sqrt(u) - 2) / u, mpf(2) / 3),
                           lambda u: u if u else tiny, mpf(0), mpf("0.02945"), 6, to_double),
    # The same for pow, behind more terms: atanh(s) = s + s^3 / 3 + s^5 P(s^2).
    "atanhRatio64": lambda: (at_zero(lambda u: ((atanh(sqrt(u)) / sqrt(u) - 1) / u - mpf(1) / 3) / u, mpf(1) / 5),
                             lambda u: u * u if u else tiny, mpf(0), mpf("0.02945"), 7, to_double),
    # erf(x) = x + x P(x^2) for |x| <= 1; erfc(1 + t) = 2^P(t) for t <= 5, with the error of erfc beside erf.
    "erfSmall64": lambda: (at_zero(lambda t: erf(sqrt(t)) / sqrt(t) - 1, 2 / sqrt(pi) - 1), lambda t: mpf(1),
                           mpf(0), mpf(1), 11, to_double),
    "erfcLog2Far64": lambda: (lambda t: log(erfc(1 + t)) / ln2, lambda t: erfc(1 + t) * ln2, mpf(0), mpf(5), 17,
                              to_double),
    # atan(t) = t + t^3 P(t^2) for |t| <= 7/16; asin alike for |x| <= 1/2.
    "atanTail64": lambda: (at_zero(lambda u: (atan(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 3),
                           lambda u: u if u else tiny, mpf(0), mpf("0.1915"), 10, to_double),
    "asinTail64": lambda: (at_zero(lambda u: (asin(sqrt(u)) / sqrt(u) - 1) / u, mpf(1) / 6),
                           lambda u: u if u else tiny, mpf(0), mpf("0.2501"), 11, to_double),
    # sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4.
    "sineTail64": lambda: (at_zero(lambda u: (sin(sqrt(u)) / sqrt(u) - 1) / u, mpf(-1) / 6),
                           lambda u: u if u else tiny, mpf(0), mpf("0.61686"), 5, to_double),
    "cosineTail64": lambda: (at_zero(lambda u: (cos(sqrt(u)) - 1 + u / 2) / u**2, mpf(1) / 24),
                             lambda u: u * u if u else tiny, mpf(0), mpf("0.61686"), 5, to_double),
}


def print_turns():
    """(2/pi 2^s) mod 4 in three pieces, of which the first two have 29 bits: times a float they are exact doubles."""
    mp.prec = 300
    print("inline constexpr Turns turns[] = {")
    for shift in range(0, 97, 24):
        whole = 2 / pi * mpf(2) ** shift
        whole -= 4 * floor(whole / 4)
        first = nint(whole * mpf(2) ** 27) / mpf(2) ** 27
        second = nint((whole - first) * mpf(2) ** 56) / mpf(2) ** 56
        pieces = ", ".join(float(piece).hex() for piece in (mpf(2) ** -shift, first, second, whole - first - second))
        print(f"    {{{pieces}}},")
    print("};")


def main():
    if not sys.argv[1:]:
        print_turns()
    for name in sys.argv[1:] or FITS:
        target, weight, low, high, degree, rounding = FITS[name]()
        coefficients, error = fit(target, weight, low, high, degree, rounding)
        print(f"// 2^{float(log(error) / ln2):.1f}", flush=True)
        suffix = "f" if rounding is to_single else ""
        digits = lambda c: re.sub(r"0+p", "p", float(c).hex()) + suffix
        kind = "float" if rounding is to_single else "double"
        print(f"inline constexpr {kind} {name}[] = {{{', '.join(map(digits, coefficients))}}};")


if __name__ == "__main__":
    main()

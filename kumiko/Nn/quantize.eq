# Between real numbers and small integers or floats. One scale per tensor, per slice of `axis`, or per `block` elements.

# x / scale + zero, rounded when `whole`, clamped to [lo, hi], as type `to`; `acc` is the type of the division.
op quantize(x: T, scale: S, zero?: Q;
            axis: int, block: int, lo: float, hi: float, whole: bool, acc: type, to: type) -> y: to {
  q(i..., j at axis) = cast(x(i..., j at axis), acc) / cast(scale(i..., j / block at axis), acc)
  r(i..., j at axis) = (whole ? round(q(i..., j at axis)) : q(i..., j at axis))
    + cast(zero(i..., j / block at axis) else 0, acc)
  y(i..., j at axis) = cast(clamp(r(i..., j at axis), lo, hi), to)
}

# (x - zero) * scale, as type `to`.
op dequantize(x: Q, scale: S, zero?: Q; axis: int, block: int, to: type) -> y: to {
  y(i..., j at axis) = cast((cast(x(i..., j at axis), f32) - f32(zero(i..., j / block at axis) else 0))
                            * f32(scale(i..., j / block at axis)), to)
}

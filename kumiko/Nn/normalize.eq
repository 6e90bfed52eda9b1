# Normalisations. `acc` is the type they compute in.

# Scales each channel by statistics that are given (inference).
op batch_norm(x: T, scale: S, bias: S, mean: M, var: M; eps: float, channel: int = 1) -> y: T {
  y(n, i..., c at channel) =
    T((cast(x(n, i..., c at channel), M) - mean(c)) / sqrt(var(c) + eps)) * T(scale(c)) + T(bias(c))
}

# Normalises over the dimensions from `axis` on; also gives the mean and the reciprocal of the standard deviation.
op layer_norm(x: T, scale: T, bias?: T; axis: int, eps: float, acc: type = "f32") -> (y: T, mean: acc, rstd: acc) {
  s(i...) += cast(x(i..., k...), acc)  where rank i = axis
  mean(i...) = s(i...) / prod(dims(x, axis))
  c(i..., k...) = cast(x(i..., k...), acc) - mean(i...)
  v(i...) += c(i..., k...) * c(i..., k...)  where rank i = axis
  rstd(i...) = 1 / sqrt(v(i...) / prod(dims(x, axis)) + eps)
  y(i..., k...) = T(c(i..., k...) * rstd(i...)) * scale(k...) + (bias(k...) else 0)  where rank i = axis
}

# Divides by the root of the mean square over the dimensions from `axis` on.
op rms_norm(x: T, scale: S; axis: int, eps: float, acc: type = "f32") -> y: S {
  v(i...) += cast(x(i..., k...), acc) * cast(x(i..., k...), acc)  where rank i = axis
  r(i...) = 1 / sqrt(v(i...) / prod(dims(x, axis)) + eps)
  y(i..., k...) = S(cast(x(i..., k...), acc) * r(i...)) * scale(k...)  where rank i = axis
}

# Normalises each of `groups` groups of channels by itself; groups = channels is instance normalisation.
op group_norm(x: T, scale: T, bias: T; groups: int, eps: float, acc: type = "f32", channel: int = 1) -> y: T {
  s(n, g) += cast(x(n, i..., (g, c) at channel), acc)  where g in groups
  m(n, g) = s(n, g) / (prod(dims(x, 1)) / groups)
  z(n, g, c, i...) = cast(x(n, i..., (g, c) at channel), acc) - m(n, g)
  v(n, g) += z(n, g, c, i...) * z(n, g, c, i...)
  r(n, g) = 1 / sqrt(v(n, g) / (prod(dims(x, 1)) / groups) + eps)
  y(n, i..., (g, c) at channel) = T(z(n, g, c, i...) * r(n, g)) * scale((g, c)) + bias((g, c))
}

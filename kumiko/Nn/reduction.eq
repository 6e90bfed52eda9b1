# Many elements come together in one. Reduced dimensions are dropped; an empty range gives the identity.

# Combines the elements along `axes`; kind is "+", "*", "max", "min", "and" or "or".
op reduce(x: T; kind: combine, axes: ints) -> y: T { y(i...) [kind]= x(i..., r... at axes) }

# The average along `axes`.
op mean(x: T; axes: ints) -> y: T {
  s(i...) += x(i..., r... at axes)
  y(i...) = s(i...) / prod(dims(x, axes))
}

# log of the sum of exp along `axes`; the largest element is taken out first so that exp does not overflow.
op logsumexp(x: T; axes: ints) -> y: T {
  m(i...) max= x(i..., r... at axes)
  b(i...) = isinf(m(i...)) ? T(0) : m(i...)
  s(i...) += exp(x(i..., r... at axes) - b(i...))
  y(i...) = log(s(i...)) + b(i...)
}

# Where along `axis` the "max" or "min" is, and its value; ties keep the first, a NaN wins.
op argreduce(x: T; kind: combine, axis: int) -> (y: i64, best: T) { best(i...), y(i...) [kind]= x(i..., k at axis), k }

# Running combination along `axis`, from the other end when `reverse`; `exclusive` leaves the element itself out.
op cumulate(x: T; kind: combine, axis: int, exclusive: bool = false, reverse: bool = false) -> y: T {
  y(i..., j at axis) [kind]= x(i..., k at axis)
    where j in dim(x, axis), reverse ? (exclusive ? k > j : k >= j) : (exclusive ? k < j : k <= j)
}

# exp(x), scaled so that it sums to 1 along `axis`.
op softmax(x: T; axis: int) -> y: T {
  m(i...) max= x(i..., k at axis)
  e(i..., k at axis) = exp(x(i..., k at axis) - m(i...))
  s(i...) += e(i..., k at axis)
  y(i..., k at axis) = e(i..., k at axis) / s(i...)
}

# The logarithm of softmax.
op log_softmax(x: T; axis: int) -> y: T {
  m(i...) max= x(i..., k at axis)
  s(i...) += exp(x(i..., k at axis) - m(i...))
  y(i..., k at axis) = x(i..., k at axis) - m(i...) - log(s(i...))
}

# Loss and weight per element for the class numbers `t`; a number that is `ignore` weighs 0.
op nll_loss(x: T, t: I, w?: T; ignore: int, has_ignore: bool) -> (loss: T, weight: T) {
  weight(n, d...) = has_ignore and t(n, d...) == ignore ? T(0) : T(w(t(n, d...)) else 1)
  loss(n, d...) = -(x(n, t(n, d...), d...) else 0) * weight(n, d...)
}

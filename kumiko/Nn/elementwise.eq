# Element by element: the result at a point depends on the operands at that point. Operands broadcast.

# ---- functions of one operand

# Absolute value.
op abs(x: T) -> y: T { y(i...) = abs(x(i...)) }
  from onnx Abs (x)

# The negated value.
op neg(x: T) -> y: T { y(i...) = -x(i...) }
  from onnx Neg (x)

# -1, 0 or 1; NaN stays NaN.
op sign(x: T) -> y: T { y(i...) = sign(x(i...)) }
  from onnx Sign-9 (x)

# The largest whole number that is not above the element.
op floor(x: T) -> y: T { y(i...) = floor(x(i...)) }
  from onnx Floor (x)

# The smallest whole number that is not below the element.
op ceil(x: T) -> y: T { y(i...) = ceil(x(i...)) }
  from onnx Ceil (x)

# The nearest whole number; halves go to the even one.
op round(x: T) -> y: T { y(i...) = round(x(i...)) }
  from onnx Round-11 (x)

# Square root; NaN below zero.
op sqrt(x: T) -> y: T { y(i...) = sqrt(x(i...)) }
  from onnx Sqrt (x)

# e to the power of the element.
op exp(x: T) -> y: T { y(i...) = exp(x(i...)) }
  from onnx Exp (x)

# Natural logarithm.
op log(x: T) -> y: T { y(i...) = log(x(i...)) }
  from onnx Log (x)

# Sine; the element is in radians.
op sin(x: T) -> y: T { y(i...) = sin(x(i...)) }
  from onnx Sin-7 (x)

# Cosine; the element is in radians.
op cos(x: T) -> y: T { y(i...) = cos(x(i...)) }
  from onnx Cos-7 (x)

# Tangent; the element is in radians.
op tan(x: T) -> y: T { y(i...) = tan(x(i...)) }
  from onnx Tan-7 (x)

# Inverse sine, in radians.
op asin(x: T) -> y: T { y(i...) = asin(x(i...)) }
  from onnx Asin-7 (x)

# Inverse cosine, in radians.
op acos(x: T) -> y: T { y(i...) = acos(x(i...)) }
  from onnx Acos-7 (x)

# Inverse tangent, in radians.
op atan(x: T) -> y: T { y(i...) = atan(x(i...)) }
  from onnx Atan-7 (x)

# Hyperbolic sine.
op sinh(x: T) -> y: T { y(i...) = sinh(x(i...)) }
  from onnx Sinh-9 (x)

# Hyperbolic cosine.
op cosh(x: T) -> y: T { y(i...) = cosh(x(i...)) }
  from onnx Cosh-9 (x)

# Hyperbolic tangent.
op tanh(x: T) -> y: T { y(i...) = tanh(x(i...)) }
  from onnx Tanh (x)

# Inverse hyperbolic sine.
op asinh(x: T) -> y: T { y(i...) = asinh(x(i...)) }
  from onnx Asinh-9 (x)

# Inverse hyperbolic cosine.
op acosh(x: T) -> y: T { y(i...) = acosh(x(i...)) }
  from onnx Acosh-9 (x)

# Inverse hyperbolic tangent.
op atanh(x: T) -> y: T { y(i...) = atanh(x(i...)) }
  from onnx Atanh-9 (x)

# The error function.
op erf(x: T) -> y: T { y(i...) = erf(x(i...)) }
  from onnx Erf-9 (x)

# 1 / (1 + exp(-x)).
op sigmoid(x: T) -> y: T { y(i...) = sigmoid(x(i...)) }
  from onnx Sigmoid (x)

# Logical not of b1, every bit inverted for integers.
op not(x: T) -> y: T { y(i...) = not x(i...) }
  from onnx Not (x)
  from onnx BitwiseNot-18 (x)

# The same number in another element type.
op cast(x: T; to: type) -> y: to { y(i...) = cast(x(i...), to) }

# ---- activations

# The element where it is positive, else 0.
op relu(x: T) -> y: T { y(i...) = max(x(i...), 0) }
  from onnx Relu (x)

# Scales negative elements by `slope`.
op leaky_relu(x: T; slope: float = 0.01) -> y: T { y(i...) = x(i...) < 0 ? slope * x(i...) : x(i...) }
  from onnx LeakyRelu (x; alpha -> slope)

# Scales negative elements by a slope that is a tensor, for example one per channel.
op prelu(x: T, slope: T) -> y: T { y(i...) = x(i...) < 0 ? slope(i...) * x(i...) : x(i...) }
  from onnx PRelu-7 (x, slope)

# The exponential linear unit: runs smoothly to -alpha on the negative side.
op elu(x: T; alpha: float = 1.0, rate: float = 1.0, gain: float = 1.0) -> y: T {
  y(i...) = gain * (x(i...) > 0 ? x(i...) : alpha * (exp(rate * x(i...)) - 1))
}
  from onnx Elu (x; alpha)

# elu with the constants that keep mean 0 and variance 1 through layers.
op selu(x: T; alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323) -> y: T {
  y(i...) = gamma * (x(i...) > 0 ? x(i...) : alpha * (exp(x(i...)) - 1))
}
  from onnx Selu-6 (x; alpha, gamma)

# log(1 + exp(x)), written so that it does not overflow.
op softplus(x: T) -> y: T { y(i...) = max(x(i...), 0) + log1p(exp(-abs(x(i...)))) }
  from onnx Softplus (x)

# x times the normal distribution function of x, exact or in its tanh approximation.
op gelu(x: T; tanh_form: bool = false) -> y: T {
  y(i...) = tanh_form
    ? 0.5 * x(i...) * (1 + tanh(0.7978845608028654 * (x(i...) + 0.044715 * x(i...) * x(i...) * x(i...))))
    : 0.5 * x(i...) * (1 + erf(x(i...) * 0.7071067811865476))
}

# x * sigmoid(alpha x); SiLU for alpha = 1.
op swish(x: T; alpha: float = 1.0) -> y: T { y(i...) = x(i...) * sigmoid(alpha * x(i...)) }
  from onnx Swish-24 (x; alpha)

# ---- of two or three operands

# Sum.
op add(a: T, b: T) -> y: T { y(i...) = a(i...) + b(i...) }
  from onnx Add-7 (a, b)

# Difference.
op sub(a: T, b: T) -> y: T { y(i...) = a(i...) - b(i...) }
  from onnx Sub-7 (a, b)

# Product.
op mul(a: T, b: T) -> y: T { y(i...) = a(i...) * b(i...) }
  from onnx Mul-7 (a, b)

# Quotient; integers are truncated towards zero.
op div(a: T, b: T) -> y: T { y(i...) = a(i...) / b(i...) }
  from onnx Div-7 (a, b)

# Remainder with the sign of the divisor.
op mod(a: T, b: T) -> y: T { y(i...) = mod(a(i...), b(i...)) }

# Remainder with the sign of the dividend.
op rem(a: T, b: T) -> y: T { y(i...) = rem(a(i...), b(i...)) }

# `a` to the power of `b`, in the type of `a`.
op pow(a: T, b: U) -> y: T { y(i...) = pow(a(i...), b(i...)) }
  from onnx Pow-7 (a, b)

# The larger of two; NaN if one of them is.
op max(a: T, b: T) -> y: T { y(i...) = max(a(i...), b(i...)) }

# The smaller of two; NaN if one of them is.
op min(a: T, b: T) -> y: T { y(i...) = min(a(i...), b(i...)) }

# Logical and of b1, bitwise and of integers.
op and(a: T, b: T) -> y: T { y(i...) = a(i...) & b(i...) }
  from onnx And-7 (a, b)
  from onnx BitwiseAnd-18 (a, b)

# Logical or of b1, bitwise or of integers.
op or(a: T, b: T) -> y: T { y(i...) = a(i...) | b(i...) }
  from onnx Or-7 (a, b)
  from onnx BitwiseOr-18 (a, b)

# Exclusive or of b1, bitwise for integers.
op xor(a: T, b: T) -> y: T { y(i...) = a(i...) ^ b(i...) }
  from onnx Xor-7 (a, b)
  from onnx BitwiseXor-18 (a, b)

# `a` shifted left by `b` bits.
op shl(a: T, b: T) -> y: T { y(i...) = a(i...) << b(i...) }

# `a` shifted right by `b` bits.
op shr(a: T, b: T) -> y: T { y(i...) = a(i...) >> b(i...) }

# Whether two elements are equal; NaN equals nothing.
op eq(a: T, b: T) -> y: b1 { y(i...) = a(i...) == b(i...) }
  from onnx Equal-7 (a, b)

# Whether `a` is below `b`.
op lt(a: T, b: T) -> y: b1 { y(i...) = a(i...) < b(i...) }
  from onnx Less-7 (a, b)
  from onnx Greater-7 (b, a)

# Whether `a` is below or equal to `b`.
op le(a: T, b: T) -> y: b1 { y(i...) = a(i...) <= b(i...) }
  from onnx LessOrEqual-12 (a, b)
  from onnx GreaterOrEqual-12 (b, a)

# `a` where `c` holds, else `b`.
op select(c: b1, a: T, b: T) -> y: T { y(i...) = c(i...) ? a(i...) : b(i...) }
  from onnx Where-9 (c, a, b)

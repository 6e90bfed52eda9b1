// Pieces of networks as exporters write them: convolutions and what surrounds them, normalisations and activations in
// one op or in primitive ones, products, attention, quantised arithmetic.
#include "test/Graphs/GraphMaker.h"
#include <numeric>

using namespace kumiko;
using namespace kumiko::graphs;
using ElementType::F32;
using mlir::Value;

static ElementType someFloat(GraphMaker &m) {
  return m.random.of({ElementType::F32, ElementType::F32, ElementType::F32, ElementType::F64, ElementType::F16});
}

/// A weight: nearly always a constant.
static Value weight(GraphMaker &m, ElementType element, Shape shape, Flavour flavour = Flavour::Plain) {
  return m.given(randomTensor(element, shape, flavour, m.random), m.random.chance(90));
}

/// An image N C H W with few elements; one that is there when the graph has one.
static Value image(GraphMaker &m, ElementType element, int64_t spatial) {
  Value found = m.random.chance(60) ? m.any([&](Value v) {
    return m.elementOf(v) == element && int64_t(m.shapeOf(v).size()) == spatial + 2 && m.tensorOf(v).count() <= 1024;
  })
                                    : Value();
  if (found)
    return found;
  llvm::SmallVector<int64_t> shape{m.random.of<int64_t>({1, 1, 2}), m.random.of<int64_t>({1, 2, 3, 4, 8})};
  for (int64_t i = 0; i < spatial; ++i)
    shape.push_back(m.random.of<int64_t>({1, 2, 3, 4, 5, 7, 8, 9}));
  return m.use(element, shape);
}

static llvm::SmallVector<int64_t> each(GraphMaker &m, int64_t count, std::initializer_list<int64_t> choices) {
  llvm::SmallVector<int64_t> list;
  for (int64_t i = 0; i < count; ++i)
    list.push_back(m.random.of(choices));
  return list;
}

/// Scale and shift of channels, as batch normalisation, in primitive ops, or half of it.
static Value normalizeChannels(GraphMaker &m, Value x) {
  if (!x)
    return {};
  ElementType element = m.elementOf(x);
  int64_t channels = m.shapeOf(x)[1];
  if (m.random.chance(50)) {
    Value scale = weight(m, element, channels), bias = weight(m, element, channels);
    Value mean = weight(m, element, channels), variance = weight(m, element, channels, Flavour::Positive);
    return m.make("batch_norm", {x, scale, bias, mean, variance}, m.real("eps", 1e-5));
  }
  llvm::SmallVector<int64_t> shape(m.shapeOf(x).size() - 1, 1);
  shape[0] = channels;
  if (m.random.chance(20))
    shape.back() = m.shapeOf(x).back(); // no longer one per channel
  if (m.random.chance(80))
    x = m.make(m.random.of({"mul", "mul", "div"}), {x, weight(m, element, shape, Flavour::Positive)});
  return m.random.chance(80) ? m.make(m.random.of({"add", "sub"}), {x, weight(m, element, shape)}) : x;
}

static Value convolve(GraphMaker &m, Value x, int64_t features, int64_t group) {
  int64_t spatial = m.shapeOf(x).size() - 2, channels = m.shapeOf(x)[1];
  if (channels == 0 || channels % group || features % group)
    group = 1;
  llvm::SmallVector<int64_t> shape{features, channels / group};
  llvm::append_range(shape, each(m, spatial, {1, 1, 2, 3}));
  llvm::SmallVector<Value> operands{x, weight(m, m.elementOf(x), shape)};
  if (m.random.chance(50))
    operands.push_back(weight(m, m.elementOf(x), features));
  return m.make("conv", operands,
                {m.numbers("stride", each(m, spatial, {1, 1, 2})),
                 m.numbers("dilation", each(m, spatial, {1, 1, 1, 2})), m.numbers("lo", each(m, spatial, {0, 0, 1, 2})),
                 m.numbers("hi", each(m, spatial, {0, 0, 1})), m.number("group", group)});
}

static Value activate(GraphMaker &m, Value x) {
  if (!x)
    return {};
  switch (m.random.below(5)) {
  case 0:
    return m.make(m.random.of({"relu", "sigmoid", "leaky_relu", "elu", "gelu", "swish", "softplus"}), x);
  case 1: // clip
    return m.make("min", {m.make("max", {x, m.splat(m.elementOf(x), {}, 0)}), m.splat(m.elementOf(x), {}, 6)});
  case 2: // hard swish
    return m.make("mul", {x, m.make("div", {m.make("relu", m.make("add", {x, m.splat(m.elementOf(x), {}, 3)})),
                                            m.splat(m.elementOf(x), {}, 6)})});
  case 3: // gelu in primitive ops
    return m.make("mul", {m.make("mul", {x, m.splat(m.elementOf(x), {}, 0.5)}),
                          m.make("add", {m.make("erf", m.make("div", {x, m.splat(m.elementOf(x), {}, 1.4142135)})),
                                         m.splat(m.elementOf(x), {}, 1)})});
  default:
    return m.make("mul", {x, m.make("sigmoid", x)});
  }
}

static bool addConvolutions(GraphMaker &m) {
  Value x = image(m, someFloat(m), m.random.of<int64_t>({1, 2, 2, 2, 3})), first = x;
  if (m.random.chance(25)) {
    llvm::SmallVector<int64_t> pad(m.shapeOf(x).size(), 0);
    for (size_t i = 2; i < pad.size(); ++i)
      pad[i] = m.random.between(0, 2);
    x = m.make("pad", x, {m.numbers("lo", pad), m.numbers("hi", pad)});
  }
  for (int64_t layers = m.random.between(1, 2); layers > 0 && x; --layers) {
    int64_t features = m.random.of<int64_t>({1, 2, 3, 4, 8});
    bool isDepthwise = m.random.chance(25);
    x = convolve(m, x, isDepthwise ? std::max<int64_t>(m.shapeOf(x)[1], 1) : features,
                 isDepthwise ? m.shapeOf(x)[1] : m.random.of<int64_t>({1, 1, 2}));
    if (m.random.chance(70))
      x = normalizeChannels(m, x);
    if (m.random.chance(60))
      x = activate(m, x);
    if (x && m.random.chance(30) && m.shapeOf(x) == m.shapeOf(first) && m.elementOf(x) == m.elementOf(first))
      x = m.make("add", {x, first});
  }
  return bool(x);
}

static bool addTransposedConvolution(GraphMaker &m) {
  Value x = image(m, F32, m.random.of<int64_t>({1, 2}));
  int64_t spatial = m.shapeOf(x).size() - 2, features = m.random.of<int64_t>({1, 2, 3});
  auto stride = each(m, spatial, {1, 2, 2, 3}), kernel = each(m, spatial, {1, 2, 3}), lo = each(m, spatial, {0, 0, 1});
  llvm::SmallVector<int64_t> shape{m.shapeOf(x)[1], features}, out;
  llvm::append_range(shape, kernel);
  for (int64_t i = 0; i < spatial; ++i)
    out.push_back(std::max<int64_t>(
        (m.shapeOf(x)[i + 2] - 1) * stride[i] + kernel[i] - lo[i] - m.random.of<int64_t>({0, 0, 1}), 0));
  Value y = m.make("conv_transpose", {x, weight(m, F32, shape)},
                   {m.numbers("stride", stride), m.numbers("dilation", llvm::SmallVector<int64_t>(spatial, 1)),
                    m.numbers("lo", lo), m.numbers("out", out)});
  return bool(m.random.chance(60) ? normalizeChannels(m, y) : y);
}

static bool addPooling(GraphMaker &m) {
  Value x = image(m, someFloat(m), m.random.of<int64_t>({1, 2, 2}));
  int64_t spatial = m.shapeOf(x).size() - 2;
  auto kernel = each(m, spatial, {1, 2, 3});
  if (m.random.chance(20))
    kernel.assign(m.shapeOf(x).begin() + 2, m.shapeOf(x).end());
  llvm::SmallVector<mlir::NamedAttribute> attributes{
      m.numbers("kernel", kernel), m.numbers("stride", each(m, spatial, {1, 1, 2})),
      m.numbers("dilation", llvm::SmallVector<int64_t>(spatial, 1)), m.numbers("lo", each(m, spatial, {0, 0, 1})),
      m.numbers("hi", each(m, spatial, {0, 0, 1}))};
  if (m.random.chance(50))
    return m.makeOp("max_pool", x, attributes);
  attributes.push_back(m.numbers("extra", each(m, spatial, {0, 0, 1})));
  attributes.push_back(m.named("count_pad", m.builder.getBoolAttr(m.random.chance(50))));
  return m.makeOp("avg_pool", x, attributes);
}

/// Matrices whose factors are transposed, scaled and shifted; several products of one factor.
static bool addProducts(GraphMaker &m) {
  ElementType element = someFloat(m);
  int64_t rows = randomExtent(m.random), inner = randomExtent(m.random), columns = randomExtent(m.random);
  llvm::SmallVector<int64_t> left{rows, inner};
  if (m.random.chance(30))
    left.insert(left.begin(), m.random.of<int64_t>({1, 2, 3}));
  Value x = m.use(element, left), y;
  for (int64_t count = m.random.of({1, 1, 2, 3}); count > 0; --count) {
    Value w = weight(m, element, m.random.chance(30) ? Shape{columns, inner} : Shape{inner, columns});
    if (m.shapeOf(w)[0] != inner)
      w = m.transpose(w, {1, 0});
    y = m.make("matmul", {x, w});
    if (m.random.chance(40))
      y = m.make(m.random.of({"mul", "div"}),
                 {y, weight(m, element, m.random.chance(60) ? Shape{columns} : Shape{}, Flavour::Positive)});
    if (m.random.chance(60))
      y = m.make("add", {y, weight(m, element, m.random.chance(80) ? Shape{columns} : Shape{rows, 1})});
    if (m.random.chance(30))
      y = activate(m, y);
  }
  if (y && m.random.chance(30)) {
    llvm::SmallVector<int64_t> perm(m.shapeOf(y).size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    Value t = m.transpose(y, perm);
    y = m.random.chance(50) ? m.make("matmul", {t, y}) : m.make("matmul", {y, t});
  }
  return bool(y);
}

/// exp(x - max) / sum, dimension by dimension; one op or five, perhaps over rows that are flattened before.
static Value softmax(GraphMaker &m, Value x) {
  if (!x || m.shapeOf(x).empty())
    return {};
  if (m.shapeOf(x).size() > 2 && m.random.chance(25)) {
    llvm::SmallVector<int64_t> open(m.shapeOf(x));
    int64_t rows = 1;
    for (int64_t extent : llvm::ArrayRef(open).drop_back())
      rows *= extent;
    return m.reshape(softmax(m, m.reshape(x, {rows, open.back()})), open);
  }
  int64_t axis = m.random.chance(80) ? m.shapeOf(x).size() - 1 : m.random.below(m.shapeOf(x).size());
  if (m.random.chance(40))
    return m.make("softmax", x, m.number("axis", axis));
  llvm::SmallVector<int64_t> kept(m.shapeOf(x));
  kept[axis] = 1;
  auto along = [&](Value v, llvm::StringRef kind) { return m.reshape(v ? m.reduce(v, kind, axis) : v, kept); };
  Value e = m.make("exp", m.make("sub", {x, along(x, "max")}));
  return m.make("div", {e, along(e, "+")});
}

static Value matrixLike(GraphMaker &m, ElementType element) {
  Value found = m.any([&](Value v) { return m.elementOf(v) == element && m.shapeOf(v).size() >= 2; });
  return found ? found
               : m.use(element, {m.random.of<int64_t>({1, 2, 3}), randomExtent(m.random), randomExtent(m.random)});
}

static bool addSoftmax(GraphMaker &m) {
  Value x = matrixLike(m, someFloat(m));
  if (m.random.chance(40))
    x = m.make("mul", {x, m.splat(m.elementOf(x), {}, 0.125)});
  return bool(softmax(m, x));
}

static bool addLayerNorm(GraphMaker &m) {
  Value x = matrixLike(m, someFloat(m));
  ElementType element = m.elementOf(x);
  int64_t axis = m.shapeOf(x).size() - 1, width = m.shapeOf(x).back();
  Value scale = weight(m, element, width), bias = weight(m, element, width);
  if (m.random.chance(40))
    return m.makeOp("layer_norm", {x, scale, bias}, {m.number("axis", axis), m.real("eps", 1e-5)});
  if (width == 0)
    return false;
  llvm::SmallVector<int64_t> kept(m.shapeOf(x));
  kept.back() = 1;
  auto mean = [&](Value v) {
    if (m.random.chance(50))
      return m.reshape(m.make("mean", v, m.numbers("axes", axis)), kept);
    return m.make("div", {m.reshape(v ? m.reduce(v, "+", axis) : v, kept), m.splat(element, {}, double(width))});
  };
  Value c = m.make("sub", {x, mean(x)});
  Value v = mean(m.random.chance(50) ? m.make("mul", {c, c}) : m.make("pow", {c, m.splat(element, {}, 2)}));
  Value root = m.make("sqrt", m.make("add", {v, m.splat(element, {}, 1e-3)}));
  Value y = m.random.chance(50) ? m.make("div", {c, root})
                                : m.make("mul", {c, m.make("div", {m.splat(element, {}, 1), root})});
  return bool(m.make("add", {m.make("mul", {y, scale}), bias}));
}

/// What is added to scores where `allowed` says so, in two spellings.
static Value maskOf(GraphMaker &m, Value allowed) {
  Value low = m.splat(F32, {}, -50);
  if (m.random.chance(50))
    return m.make("select", {allowed, m.splat(F32, {}, 0), low});
  return m.make("mul", {m.make("sub", {m.splat(F32, {}, 1), m.cast(allowed, F32)}), low});
}

/// Two products around a softmax, with scale and mask.
static bool addAttention(GraphMaker &m) {
  int64_t heads = m.random.of<int64_t>({1, 2, 3}), rows = m.random.of<int64_t>({1, 2, 3, 7, 8});
  int64_t columns = m.random.of<int64_t>({1, 2, 3, 7, 9}), depth = m.random.of<int64_t>({1, 2, 4, 8});
  Value q = m.use(F32, {heads, rows, depth}), v = m.use(F32, {heads, columns, depth});
  Value k = m.random.chance(60) ? m.transpose(m.use(F32, {heads, columns, depth}), {0, 2, 1})
                                : m.use(F32, {heads, depth, columns});
  Value s = m.make("matmul", {q, k});
  if (m.random.chance(70))
    s = m.make(m.random.of({"mul", "div"}), {s, m.splat(F32, {}, m.random.of({0.5, 0.25, 2.0}))});
  llvm::SmallVector<int64_t> mask{rows, columns};
  if (m.random.chance(50))
    mask.erase(mask.begin());
  if (m.random.chance(60))
    s = m.make("add", {s, m.random.chance(50) ? m.use(F32, mask) : maskOf(m, m.use(ElementType::B1, mask))});
  return bool(m.make("matmul", {softmax(m, s), v}));
}

struct Quantized {
  Value value, scale, zero;
};

/// A tensor of bytes with one scale, or one per slice of dimension 0.
static Quantized bytes(GraphMaker &m, Shape shape, bool isConstant) {
  ElementType element = m.random.of({ElementType::U8, ElementType::I8});
  llvm::SmallVector<int64_t> parameters(shape.size(), 1);
  if (isConstant && m.random.chance(40))
    parameters[0] = shape[0];
  Quantized result;
  result.value = isConstant ? weight(m, element, shape) : m.use(element, shape);
  result.scale = m.given(randomTensor(F32, parameters, Flavour::Positive, m.random), true);
  if (m.random.chance(70))
    result.zero = m.given(randomTensor(element, parameters, Flavour::Positive, m.random), true);
  return result;
}

static Value dequantize(GraphMaker &m, const Quantized &q) {
  int64_t block = m.shapeOf(q.scale)[0] == 1 ? std::max<int64_t>(m.shapeOf(q.value)[0], 1) : 1;
  mlir::Operation *op = m.makeOp("dequantize", {q.value, q.scale, q.zero},
                                 {m.number("axis", 0), m.number("block", block), m.type("to", F32)});
  return op ? op->getResult(0) : Value();
}

static Value quantize(GraphMaker &m, Value x) {
  if (!x || m.shapeOf(x).empty())
    return {};
  llvm::SmallVector<int64_t> parameters(m.shapeOf(x).size(), 1);
  ElementType element = m.random.of({ElementType::U8, ElementType::I8});
  bool isUnsigned = element == ElementType::U8;
  Value scale = m.given(randomTensor(F32, parameters, Flavour::Positive, m.random), true);
  Value zero = m.given(randomTensor(element, parameters, Flavour::Positive, m.random), true);
  Value q = m.make("quantize", {x, scale, zero},
                   {m.number("axis", 0), m.number("block", std::max<int64_t>(m.shapeOf(x)[0], 1)),
                    m.real("lo", isUnsigned ? 0 : -128), m.real("hi", isUnsigned ? 255 : 127),
                    m.named("whole", m.builder.getBoolAttr(true)), m.type("acc", F32), m.type("to", element)});
  return q && m.random.chance(60) ? dequantize(m, {q, scale, zero}) : q;
}

static bool addQuantized(GraphMaker &m) {
  bool isConvolution = m.random.chance(50);
  int64_t rows = m.random.of<int64_t>({1, 2, 3, 8}), inner = m.random.of<int64_t>({1, 2, 4, 7}),
          columns = m.random.of<int64_t>({1, 2, 3, 9});
  Value x = dequantize(m, bytes(m, isConvolution ? Shape{1, inner, rows, 4} : Shape{rows, inner}, false));
  Value w = dequantize(m, bytes(m, isConvolution ? Shape{columns, inner, 1, 2} : Shape{inner, columns}, true));
  if (m.random.chance(20))
    x = m.make("relu", x);
  if (m.random.chance(20) && x)
    x = m.transpose(x, isConvolution ? Shape{0, 1, 2, 3} : Shape{0, 1});
  Value y = isConvolution ? m.make("conv", {x, w},
                                   {m.numbers("stride", {1, 1}), m.numbers("dilation", {1, 1}), m.numbers("lo", {0, 1}),
                                    m.numbers("hi", {0, 0})})
                          : m.make("matmul", {x, w});
  if (m.random.chance(30))
    y = m.make("relu", y);
  return m.random.chance(60) ? bool(quantize(m, y)) : bool(y);
}

/// Products in i32 of bytes minus their zero points.
static bool addIntegerProduct(GraphMaker &m) {
  int64_t rows = randomExtent(m.random), inner = randomExtent(m.random), columns = randomExtent(m.random);
  auto factor = [&](Shape shape, bool isConstant) {
    ElementType element = m.random.of({ElementType::U8, ElementType::I8});
    Value x = isConstant ? weight(m, element, shape) : m.use(element, shape);
    x = m.cast(x, ElementType::I32);
    if (m.random.chance(60))
      x = m.make("sub", {x, m.given(randomTensor(ElementType::I32, m.random.chance(80) ? Shape{} : Shape{shape[1]},
                                                 Flavour::Positive, m.random),
                                    m.random.chance(70))});
    return x;
  };
  Value x = factor({rows, inner}, false), w = factor({inner, columns}, m.random.chance(70));
  return bool(m.make("matmul", {x, w}));
}

/// The same meaning again, by way of a global average and a squeeze: the tail of a classifier.
static bool addClassifier(GraphMaker &m) {
  Value x = image(m, F32, 2);
  int64_t channels = m.shapeOf(x)[1];
  Value y = m.make("mean", x, m.numbers("axes", {2, 3}));
  if (m.random.chance(50) && y)
    y = m.reshape(m.reshape(y, {m.shapeOf(x)[0], channels, 1, 1}), {m.shapeOf(x)[0], channels});
  y = m.make("matmul", {y, weight(m, F32, {channels, 3})});
  return bool(m.random.chance(50) ? softmax(m, y) : y);
}

llvm::ArrayRef<Step> graphs::networkPatterns() {
  static constexpr Step steps[] = {addConvolutions, addConvolutions, addConvolutions, addTransposedConvolution,
                                   addPooling,      addProducts,     addProducts,     addSoftmax,
                                   addLayerNorm,    addAttention,    addQuantized,    addIntegerProduct,
                                   addClassifier};
  return steps;
}

bool graphs::isWild(uint64_t number) { return number % 8 == 7; }

TestCase graphs::makeGraph(mlir::MLIRContext &context, uint64_t seed, uint64_t number) {
  Random random(seed, number);
  GraphMaker maker(context, random, isWild(number));
  maker.fresh(random.chance(60) ? F32 : randomElement(random), randomShape(random, 256));
  // Whoever reads these later finds values of the type they need.
  for (int64_t steps = random.between(2, 10); steps > 0; --steps) {
    int64_t kind = random.below(100);
    if (kind < 45)
      addSampledOp(maker);
    else
      random.of<Step>(kind < 75 ? plainPatterns() : kind < 98 ? networkPatterns() : irregularPatterns())(maker);
  }
  return maker.finish();
}

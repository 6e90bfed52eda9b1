// Small things that an optimiser removes, composes or moves, and others that only look like them.
#include "kumiko/Nn/Nn.h"
#include "test/Graphs/GraphMaker.h"

using namespace kumiko;
using namespace kumiko::graphs;
using mlir::Value;

static Value anyFloat(GraphMaker &m) {
  Value found = m.any([&](Value value) { return isFloat(m.elementOf(value)); });
  return found ? found : m.fresh(ElementType::F32, randomShape(m.random, 256));
}

static Value anyNumber(GraphMaker &m) {
  Value found = m.any([&](Value value) { return m.elementOf(value) != ElementType::B1; });
  return found ? found : m.fresh(randomElement(m.random), randomShape(m.random, 256));
}

static Value anyOfRank(GraphMaker &m, size_t least) {
  Value found = m.any([&](Value value) { return m.shapeOf(value).size() >= least; });
  if (found)
    return found;
  auto shape = randomShape(m.random, 256);
  while (shape.size() < least)
    shape.push_back(randomExtent(m.random));
  return m.fresh(randomElement(m.random), shape);
}

/// A shape that broadcasts against `shape`, often without changing it.
static llvm::SmallVector<int64_t> partOf(GraphMaker &m, Shape shape) {
  llvm::SmallVector<int64_t> part(shape);
  if (m.random.chance(40))
    part.clear();
  for (int64_t &extent : part)
    if (m.random.chance(30))
      extent = 1;
  if (m.random.chance(30))
    part.erase(part.begin(), part.begin() + m.random.below(part.size() + 1));
  if (m.random.chance(10))
    part.insert(part.begin(), m.random.of<int64_t>({1, 2}));
  return part;
}

static llvm::SmallVector<int64_t> permutation(GraphMaker &m, size_t rank) {
  llvm::SmallVector<int64_t> perm;
  for (size_t i = 0; i < rank; ++i)
    perm.push_back(i);
  m.random.shuffle(perm);
  return perm;
}

static llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> perm) {
  llvm::SmallVector<int64_t> back(perm.size());
  for (auto [to, from] : llvm::enumerate(perm))
    back[from] = to;
  return back;
}

static bool applyNeutral(GraphMaker &m) {
  Value x = anyNumber(m);
  auto [name, value] = m.random.of<std::pair<const char *, double>>(
      {{"add", 0.0},  {"add", -0.0}, {"sub", 0.0}, {"sub", -0.0}, {"mul", 1.0},  {"mul", -1.0},
       {"mul", 0.0},  {"div", 1.0},  {"pow", 1.0}, {"pow", 2.0},  {"pow", 0.5},  {"pow", -1.0},
       {"pow", 0.0},  {"pow", 3.0},  {"max", 0.0}, {"min", 0.0},  {"div", 2.0},  {"div", 3.0},
       {"div", -1.0}, {"or", 0.0},   {"and", 0.0}, {"xor", 0.0},  {"shl", 0.0},  {"shr", 1.0},
       {"mod", 1.0},  {"rem", 2.0},  {"mul", 2.0}, {"add", 1.0},  {"and", -1.0}, {"or", -1.0}});
  Value c = m.splat(m.elementOf(x), partOf(m, m.shapeOf(x)), value);
  return bool(m.random.chance(75) ? m.make(name, {x, c}) : m.make(name, {c, x}));
}

static bool applyTwice(GraphMaker &m) {
  Value x = anyNumber(m);
  llvm::StringRef name = m.random.of({"neg", "abs", "relu", "not", "sign", "floor", "ceil", "round", "sqrt"});
  Value once = m.make(name, x);
  return bool(m.make(m.random.chance(70) ? name : m.random.of({"neg", "abs", "relu"}), once));
}

static bool combineWithItself(GraphMaker &m) {
  Value x = m.any([](Value) { return true; });
  if (!x)
    return false;
  llvm::StringRef name = m.random.of({"add", "sub", "mul", "div", "max", "min", "and", "or", "xor", "eq", "lt", "le"});
  return bool(m.make(name, {x, x}));
}

/// (x op c) op d, x*a + x*b and their like.
static bool chainConstants(GraphMaker &m) {
  Value x = anyNumber(m);
  llvm::StringRef name = m.random.of({"add", "mul", "sub", "max", "min", "div"});
  auto constant = [&] {
    auto shape = partOf(m, m.shapeOf(x));
    return m.given(randomTensor(m.elementOf(x), shape, Flavour::Positive, m.random), m.random.chance(80));
  };
  Value c = constant(), d = constant();
  if (m.random.chance(30))
    return bool(
        m.make(m.random.of({"add", "sub"}), {m.make("mul", {x, c}), m.make("mul", {m.random.chance(80) ? x : d, d})}));
  Value first = m.random.chance(80) ? m.make(name, {x, c}) : m.make(name, {c, x});
  return bool(m.make(m.random.chance(70) ? name : m.random.of({"add", "mul", "sub"}), {first, d}));
}

static bool transposeTwice(GraphMaker &m) {
  Value x = anyOfRank(m, 2);
  auto perm = permutation(m, m.shapeOf(x).size());
  Value y = m.transpose(x, perm);
  if (m.random.chance(50))
    y = m.make(m.random.of({"relu", "neg", "abs", "exp"}), y);
  if (m.random.chance(30) && y)
    y = m.make(m.random.of({"add", "mul"}), {y, m.use(m.elementOf(y), partOf(m, m.shapeOf(y)))});
  return bool(m.transpose(y, m.random.chance(60) ? inverse(perm) : permutation(m, perm.size())));
}

/// Another shape of as many elements: dimensions of 1 come and go, neighbours are merged.
static llvm::SmallVector<int64_t> sameElements(GraphMaker &m, Shape shape) {
  llvm::SmallVector<int64_t> other;
  for (int64_t extent : shape) {
    if (m.random.chance(20))
      other.push_back(1);
    if (!other.empty() && m.random.chance(30))
      other.back() *= extent;
    else if (extent != 1 || m.random.chance(50))
      other.push_back(extent);
  }
  if (other.size() > 5)
    other.assign(1, llvm::cantFail(elementCount(shape)));
  return other;
}

static bool reshapeTwice(GraphMaker &m) {
  Value x = m.any([](Value) { return true; });
  Value y = x ? m.reshape(x, sameElements(m, m.shapeOf(x))) : Value();
  if (y && m.random.chance(50))
    y = m.make(m.random.of({"relu", "neg", "sigmoid"}), y);
  if (y && m.random.chance(40) && m.shapeOf(y).size() > 1)
    y = m.transpose(y, permutation(m, m.shapeOf(y).size()));
  return y &&
         m.reshape(y, m.random.chance(50) ? llvm::SmallVector<int64_t>(m.shapeOf(x)) : sameElements(m, m.shapeOf(y)));
}

static bool castThereAndBack(GraphMaker &m) {
  Value x = m.any([](Value) { return true; });
  if (!x)
    return false;
  Value there = m.cast(x, m.random.chance(20) ? m.elementOf(x) : randomElement(m.random));
  if (m.random.chance(30))
    there = m.make(m.random.of({"abs", "relu", "neg"}), there);
  return bool(m.cast(there, m.random.chance(60) ? m.elementOf(x) : randomElement(m.random)));
}

static Value randomSlice(GraphMaker &m, Value x) {
  if (!x || m.shapeOf(x).empty())
    return {};
  unsigned axis = m.random.below(m.shapeOf(x).size());
  int64_t extent = m.shapeOf(x)[axis];
  if (m.random.chance(15))
    return m.slice(x, axis, extent - 1, -1, extent);
  int64_t start = m.random.below(extent + 1), step = m.random.of<int64_t>({1, 1, 2});
  return m.slice(x, axis, start, step,
                 m.random.chance(30) ? (extent - start + step - 1) / step
                                     : m.random.below((extent - start) / step + 1));
}

static Value randomPad(GraphMaker &m, Value x) {
  if (!x)
    return {};
  llvm::SmallVector<int64_t> lo, hi;
  for (size_t i = 0; i < m.shapeOf(x).size(); ++i) {
    lo.push_back(m.random.of<int64_t>({0, 0, 0, 1, 2, -1}));
    hi.push_back(m.random.of<int64_t>({0, 0, 0, 1, 2, -1}));
  }
  llvm::SmallVector<Value> operands{x};
  if (m.random.chance(30))
    operands.push_back(m.fresh(m.elementOf(x), {}));
  return m.make("pad", operands,
                {m.numbers("lo", lo), m.numbers("hi", hi),
                 m.word("mode", m.random.of({"constant", "constant", "constant", "edge", "reflect", "wrap"}))});
}

static bool moveTwice(GraphMaker &m) {
  Value x = anyOfRank(m, 1);
  for (int i = 0; i < 2 && x; ++i)
    x = m.random.chance(50) ? randomSlice(m, x) : randomPad(m, x);
  return bool(x);
}

/// concat(slice(x), slice(x)), slice(concat(...)), concat of one.
static bool cutAndJoin(GraphMaker &m) {
  Value x = anyOfRank(m, 1);
  unsigned axis = m.random.below(m.shapeOf(x).size());
  int64_t extent = m.shapeOf(x)[axis], at = m.random.below(extent + 1);
  Value a = m.slice(x, axis, 0, 1, at), b = m.slice(x, axis, at, 1, extent - at);
  if (!a || !b)
    return false;
  if (m.random.chance(30))
    a = m.make("relu", a), b = m.make("relu", b);
  llvm::SmallVector<Value> parts{a, b};
  if (m.random.chance(20))
    std::swap(parts[0], parts[1]);
  if (m.random.chance(20))
    parts.push_back(x);
  if (m.random.chance(10))
    parts.resize(1);
  Value joined = m.make("concat", parts, m.number("axis", axis));
  return m.random.chance(50) ? bool(joined) : bool(randomSlice(m, joined));
}

static bool expandAndCombine(GraphMaker &m) {
  Value x = anyNumber(m);
  llvm::SmallVector<int64_t> shape(m.shapeOf(x));
  for (int64_t &extent : shape)
    if (extent == 1)
      extent = randomExtent(m.random);
  if (shape.size() < 5 && m.random.chance(40))
    shape.insert(shape.begin(), randomExtent(m.random));
  Value wide = m.make("expand", x, m.numbers("shape", shape));
  return wide && m.make(m.random.of({"add", "mul", "max"}), {wide, m.use(m.elementOf(x), shape)});
}

static bool selectAround(GraphMaker &m) {
  Value x = m.any([](Value) { return true; });
  if (!x)
    return false;
  llvm::SmallVector<int64_t> shape(m.shapeOf(x));
  Value c = m.random.chance(40) ? m.splat(ElementType::B1, partOf(m, shape), double(m.random.below(2)))
                                : m.use(ElementType::B1, partOf(m, shape));
  Value y = m.random.chance(40) ? x : m.use(m.elementOf(x), shape);
  return bool(m.random.chance(50) ? m.make("select", {c, x, y}) : m.make("select", {c, y, x}));
}

/// Sums of sums, means of transposed values, reductions over dimensions of 1 and of nothing.
static bool reduceTwice(GraphMaker &m) {
  Value x = anyOfRank(m, 1);
  llvm::StringRef kind = m.random.of({"+", "max", "min", "*", "and", "or"});
  for (int i = 0; i < 2 && x && !m.shapeOf(x).empty(); ++i) {
    llvm::SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < m.shapeOf(x).size(); ++axis)
      if (m.random.chance(40))
        axes.push_back(axis);
    if (m.random.chance(30))
      x = m.transpose(x, permutation(m, m.shapeOf(x).size()));
    x = m.random.chance(80) ? m.reduce(x, kind, axes) : m.make("mean", x, m.numbers("axes", axes));
  }
  return bool(x);
}

/// The same op twice, and some that differ in a detail.
static bool repeat(GraphMaker &m) {
  Value x = anyFloat(m);
  llvm::StringRef name = m.random.of({"exp", "relu", "tanh", "neg"});
  Value a = m.make(name, x), b = m.make(m.random.chance(80) ? name : "abs", x);
  return bool(m.make(m.random.of({"add", "sub", "mul"}), {a, b}));
}

static Value inBody(GraphMaker &m, llvm::StringRef name, llvm::ArrayRef<Value> operands) {
  return m.builder
      .create(m.nextLoc(), m.builder.getStringAttr(("nn." + name).str()), operands, {operands[0].getType()})
      ->getResult(0);
}

/// A recurrence s = op(s, x op' w), with what does not change from step to step inside of it.
static bool addScan(GraphMaker &m) {
  Value x =
      m.any([&](Value v) { return isFloat(m.elementOf(v)) && !m.shapeOf(v).empty() && m.tensorOf(v).count() <= 256; });
  if (!x)
    return false;
  Shape slice = m.shapeOf(x).drop_front();
  Value state = m.use(m.elementOf(x), slice), shared = m.use(m.elementOf(x), slice);
  bool isConstant = m.random.chance(20);
  mlir::OpBuilder::InsertionGuard guard(m.builder);
  mlir::Type stack = nn::ScanOp::stackOf(m.shapeOf(x)[0], state.getType());
  auto scan = nn::ScanOp::create(m.builder, m.nextLoc(), state, x, shared, stack, m.random.chance(30));
  mlir::Block &body = scan.getBody().front();
  m.builder.setInsertionPointToEnd(&body);
  Value s = body.getArgument(0), part = body.getArgument(1), w = body.getArgument(2);
  Value outside = inBody(m, m.random.of({"sigmoid", "neg", "abs"}), w);
  Value sequence = inBody(m, m.random.of({"mul", "add", "min"}), {part, m.random.chance(50) ? outside : w});
  Value next = isConstant ? s : inBody(m, m.random.of({"max", "min", "add"}), {s, sequence});
  Value stacked = m.random.chance(50) ? next : m.random.chance(50) ? sequence : inBody(m, "tanh", next);
  nn::YieldOp::create(m.builder, m.nextLoc(), mlir::ValueRange{next, stacked});
  return m.admit(scan);
}

static bool addChoice(GraphMaker &m) {
  Value x = anyFloat(m);
  Value condition = m.use(ElementType::B1, {});
  mlir::OpBuilder::InsertionGuard guard(m.builder);
  auto choice = nn::IfOp::create(m.builder, m.nextLoc(), x.getType(), condition, x);
  for (mlir::Region *region : {&choice.getYes(), &choice.getNo()}) {
    mlir::Block &block = region->emplaceBlock();
    Value inside = block.addArgument(x.getType(), m.nextLoc());
    m.builder.setInsertionPointToEnd(&block);
    for (int64_t ops = m.random.below(3); ops > 0; --ops)
      inside = inBody(m, m.random.of({"relu", "neg", "sigmoid", "abs"}), inside);
    nn::YieldOp::create(m.builder, m.nextLoc(), inside);
  }
  return m.admit(choice);
}

llvm::ArrayRef<Step> graphs::plainPatterns() {
  static constexpr Step steps[] = {applyNeutral,     applyNeutral,   applyNeutral,   applyTwice,     combineWithItself,
                                   chainConstants,   chainConstants, transposeTwice, transposeTwice, reshapeTwice,
                                   castThereAndBack, moveTwice,      moveTwice,      cutAndJoin,     expandAndCombine,
                                   selectAround,     reduceTwice,    repeat,         addScan,        addChoice};
  return steps;
}

#include "test/Graphs/GraphMaker.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Support/Convert.h"
#include "mlir/IR/Verifier.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::graphs;

/// Tensors stay small: what is to be found does not need more, and thousands of graphs a minute do need less.
static constexpr int64_t mostElements = 4096;
/// Floats stay where no type overflows within a few ops.
static constexpr double mostMagnitude = 4096;

GraphMaker::GraphMaker(MLIRContext &context, Random &random, bool wild)
    : random(random), builder(&context), module(ModuleOp::create(builder.getUnknownLoc())), wild(wild) {
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, builder.getUnknownLoc(), "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
}

Location GraphMaker::nextLoc() { return NameLoc::get(builder.getStringAttr("node" + std::to_string(made++))); }

Value GraphMaker::given(Tensor tensor, bool constant) {
  SharedTensor shared = SharedTensor::own(std::move(tensor));
  Value value;
  if (constant) {
    value = optimize::createConstant(builder, nextLoc(), shared.tensor.alias(), "weight");
  } else {
    auto type =
        RankedTensorType::get(shared.tensor.shape(), nn::fromEquation(builder.getContext(), shared.tensor.element()));
    value = main.getBody().front().addArgument(type, nextLoc());
    arguments.push_back(shared);
  }
  values[value] = std::move(shared);
  pool.push_back(value);
  return value;
}

Value GraphMaker::fresh(ElementType element, Shape shape, Flavour flavour, int64_t limit) {
  if (wild && flavour == Flavour::Plain)
    flavour = Flavour::Wild;
  return given(randomTensor(element, shape, flavour, random, limit), random.chance(45));
}

Value GraphMaker::splat(ElementType element, Shape shape, double value) {
  return given(graphs::splat(element, shape, value), /*constant=*/true);
}

/// Not larger than the graph's values are meant to be.
static bool isFit(const Tensor &tensor, bool wild) {
  if (tensor.count() > mostElements)
    return false;
  if (wild || !isFloat(tensor.element()))
    return true;
  for (int64_t i = 0; i < tensor.count(); ++i)
    if (!(std::fabs(valueAt(tensor, i)) <= mostMagnitude)) // NaN is not
      return false;
  return true;
}

bool GraphMaker::admit(Operation *op) {
  auto takeBack = [&](llvm::Error error) {
    llvm::consumeError(std::move(error));
    op->erase();
    return false;
  };
  for (Type type : op->getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape() || cast<RankedTensorType>(type).getNumElements() > mostElements)
      return takeBack(llvm::Error::success());
  // Builders of equations have checked theirs.
  if (op->getNumRegions() != 0 && failed(verify(op)))
    llvm::report_fatal_error("a generated op is not valid");
  GraphOptions options;
  options.unusedResults = true;
  options.limits.points = 1 << 22;
  options.limits.bytes = 1 << 24;
  auto operandAt = [&](Value value) -> const SharedTensor & { return values.find(value)->second; };
  llvm::Expected<SharedTensors> results = evaluateOp(op, operandAt, options);
  if (!results)
    return takeBack(results.takeError());
  if (!llvm::all_of(*results, [&](const SharedTensor &result) { return isFit(result.tensor, wild); }))
    return takeBack(llvm::Error::success());
  for (auto [value, result] : llvm::zip_equal(op->getResults(), *results)) {
    values[value] = std::move(result);
    pool.push_back(value);
  }
  return true;
}

Operation *GraphMaker::makeOp(StringRef name, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  std::string why;
  FailureOr<Operation *> op = nn::buildEquationOp(builder, nextLoc(), name, operands, attributes, why);
  return succeeded(op) && admit(*op) ? *op : nullptr;
}

Value GraphMaker::make(StringRef name, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  if (llvm::is_contained(operands, Value()))
    return {};
  Operation *op = makeOp(name, operands, attributes);
  return op ? op->getResult(0) : Value();
}

Value GraphMaker::reshape(Value x, Shape shape) {
  if (!x || llvm::cantFail(elementCount(shape)) != tensorOf(x).count())
    return {};
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(x.getType()));
  Operation *op = nn::ReshapeOp::create(builder, nextLoc(), type, x);
  return admit(op) ? op->getResult(0) : Value();
}

Value GraphMaker::transpose(Value x, ArrayRef<int64_t> perm) { return make("transpose", x, numbers("perm", perm)); }
Value GraphMaker::cast(Value x, ElementType to) { return make("cast", x, type("to", to)); }
Value GraphMaker::reduce(Value x, StringRef kind, ArrayRef<int64_t> axes) {
  return make("reduce", x, {word("kind", kind), numbers("axes", axes)});
}

Value GraphMaker::slice(Value x, unsigned axis, int64_t start, int64_t step, int64_t count) {
  if (!x)
    return {};
  SmallVector<int64_t> from(shapeOf(x).size(), 0), by(from.size(), 1), out(shapeOf(x));
  from[axis] = start, by[axis] = step, out[axis] = count;
  return make("slice", x, {numbers("start", from), numbers("step", by), numbers("out", out)});
}

NamedAttribute GraphMaker::number(StringRef name, int64_t value) {
  return named(name, builder.getI64IntegerAttr(value));
}
NamedAttribute GraphMaker::numbers(StringRef name, ArrayRef<int64_t> values) {
  return named(name, builder.getDenseI64ArrayAttr(values));
}
NamedAttribute GraphMaker::real(StringRef name, double value) { return named(name, builder.getF64FloatAttr(value)); }
NamedAttribute GraphMaker::type(StringRef name, ElementType value) {
  return named(name, TypeAttr::get(nn::fromEquation(builder.getContext(), value)));
}
NamedAttribute GraphMaker::word(StringRef name, StringRef value) { return named(name, builder.getStringAttr(value)); }

Value GraphMaker::any(llvm::function_ref<bool(Value)> fits) {
  for (int attempt = 0; attempt < 12 && !pool.empty(); ++attempt) {
    // The larger of two draws: late values, which have a history.
    Value value = pool[std::max(random.below(pool.size()), random.below(pool.size()))];
    if (fits(value))
      return value;
  }
  return {};
}

Value GraphMaker::use(ElementType element, Shape shape, Flavour flavour, int64_t limit) {
  if (flavour == Flavour::Plain && random.chance(75)) {
    if (Value same = any([&](Value value) { return elementOf(value) == element && shapeOf(value) == shape; }))
      return same;
    // An integer or a truth value of floats is well defined, but says little about them.
    auto fits = [&](Value value) { return isFloat(elementOf(value)) || elementOf(value) == element; };
    if (Value other = random.chance(70) ? any(fits) : Value())
      if (Value adapted = adapt(other, element, shape))
        return adapted;
  }
  return fresh(element, shape, flavour, limit);
}

/// The elements of `x` under another type and shape, cut, repeated or padded.
Value GraphMaker::adapt(Value x, ElementType element, Shape shape) {
  if (elementOf(x) != element)
    x = cast(x, element);
  if (!x || shapeOf(x) == shape)
    return x;
  if (shapeOf(x).size() <= shape.size() && random.chance(50))
    if (Value wide = make("expand", x, numbers("shape", shape)))
      return wide;
  int64_t wanted = llvm::cantFail(elementCount(shape)), have = tensorOf(x).count();
  if (wanted != have) {
    x = reshape(x, have);
    if (x && have > wanted)
      x = slice(x, 0, random.between(0, have - wanted), 1, wanted);
    else if (x) {
      int64_t lo = random.between(0, wanted - have);
      x = make("pad", x, {numbers("lo", lo), numbers("hi", wanted - have - lo)});
    }
  }
  return x && shapeOf(x) != shape ? reshape(x, shape) : x;
}

TestCase GraphMaker::finish() {
  SmallVector<Value> results;
  for (Value value : pool) {
    bool isSink = value.use_empty() && value.getDefiningOp() && !isa<nn::ConstantOp>(value.getDefiningOp());
    // Most ends are results, some are dead; some values are results and are read, too.
    if (isSink ? random.chance(85) : value.getDefiningOp() && random.chance(6))
      results.push_back(value);
  }
  if (results.empty())
    results.push_back(pool.back());
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  TestCase graph;
  Block &body = main.getBody().front();
  BitVector unread(arguments.size());
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    if (argument.use_empty())
      unread.set(number);
    else
      graph.inputs.push_back(llvm::cantFail(arguments[number].tensor.copy()));
  body.eraseArguments(unread);
  main.setType(builder.getFunctionType(body.getArgumentTypes(), TypeRange(ValueRange(results))));
  graph.module = std::move(module);
  return graph;
}

//===- RuleSamples.cpp - functions that the left side of a rule makes ------===//
#include "RuleSamples.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Support/Convert.h"
#include <limits>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::RuleTerm;
using eq::RuleValue;

/// Shapes at the boundaries.
static const SmallVector<SmallVector<int64_t, 4>> &shapes() {
  static const SmallVector<SmallVector<int64_t, 4>> list = {
      {},        {1},       {3, 0}, {0, 0},    {0},    {3},          {2, 3},       {3, 3},       {1, 3},      {0, 3},
      {2, 1, 3}, {1, 2, 3}, {1, 1}, {3, 2, 2}, {4, 5}, {1, 2, 4, 5}, {2, 2, 3, 3}, {1, 3, 1, 1}, {1, 4, 3, 2}};
  return list;
}

static const RuleValue *findSample(const eq::RuleDef &rule, StringRef name) {
  for (const RuleTerm::Attribute &sample : rule.samples)
    if (sample.name == name)
      return &sample.value;
  return nullptr;
}

bool RuleSampler::isAskedFor(StringRef name, ArrayRef<StringRef> conditions) const {
  return llvm::any_of(rule.when, [&](const eq::RuleCondition &condition) {
    return llvm::is_contained(conditions, condition.name) &&
           llvm::any_of(condition.arguments, [&](const RuleValue &argument) { return argument.text == name; });
  });
}

RuleSampler::Shape RuleSampler::broadcastable() {
  Shape shape = base;
  if (chance(60))
    return shape;
  shape.erase(shape.begin(), shape.begin() + below(int64_t(shape.size()) + 1));
  for (int64_t &extent : shape)
    if (chance(30))
      extent = 1;
  return shape;
}

double RuleSampler::specialValue(ElementType element, bool wild) {
  if (!isFloat(element)) {
    if (element == ElementType::B1)
      return double(below(2));
    bool isSigned = !isUnsigned(element);
    double bits = bytesOf(element) * 8.0 - (isSigned ? 1 : 0);
    double special[] = {0,
                        1,
                        2,
                        5,
                        std::min(std::exp2(bits) - 1, 9007199254740991.0),
                        isSigned ? -1.0 : 3.0,
                        isSigned ? -std::min(std::exp2(bits), 9007199254740992.0) : 4.0};
    return special[below(7)];
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double special[] = {0.0, -0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
                      1.0, -1.0, 0.5,      2.5,       -3.0};
  if (wild && chance(40))
    return special[below(10)];
  return (double(below(2000)) - 1000) / 250;
}

Value RuleSampler::constant(ElementType element, ArrayRef<int64_t> shape, std::optional<double> value, bool wild) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  SmallVector<double> numbers;
  double choices[] = {1,    2, 0.5,  3,    0.1,     -4,      0.25,
                      -0.5, 0, -0.0, 1e30, 0x1p127, 0x1p-14, std::numeric_limits<double>::infinity()};
  bool same = chance(50), modest = !wild || chance(70);
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(value ? *value : same && i > 0 ? numbers[0] : choices[below(modest ? 6 : 14)]);
  llvm::Expected<Tensor> tensor = tensorOfDoubles(element, shape, numbers);
  if (!tensor)
    return llvm::consumeError(tensor.takeError()), Value();
  return createConstant(builder, builder.getUnknownLoc(), std::move(*tensor), "sample");
}

Value RuleSampler::variable(StringRef name) {
  if (Value known = values.lookup(name))
    return known;
  Shape shape = broadcastable();
  ElementType type = element;
  if (const RuleValue *sample = findSample(rule, name); sample && chance(90)) {
    shape.clear();
    for (const RuleValue &extent : sample->operands)
      shape.push_back(extent.integer);
  }
  Value value;
  if (isAskedFor(name, {"small", "constant"}) && large) // more than is computed with
    shape = isAskedFor(name, {"constant"}) ? Shape{400, 400} : name == "c" ? Shape{512, 1} : Shape{1, 512};
  if (isAskedFor(name, {"scalar"}) && chance(80))
    shape.assign(below(2), 1);
  bool known = isAskedFor(name, {"constant", "small", "moderate", "invertible", "power_of_two", "positive"});
  if (name == "i" || (name == "c" && rule.left.name == "select"))
    type = name == "i" ? ElementType::I64 : ElementType::B1;
  if (chance(known ? 85 : 5)) {
    value = constant(type, shape, name == "i" ? std::optional(0.0) : std::nullopt, known);
  } else {
    Type argument = RankedTensorType::get(shape, nn::fromEquation(&context, type));
    (void)function.insertArgument(function.getNumArguments(), argument, {}, builder.getUnknownLoc());
    value = function.getArguments().back();
    std::string why;
    StringRef nonnegative[] = {"relu", "abs", "exp", "sigmoid"};
    if (isAskedFor(name, {"never_negative"}) && chance(70))
      if (auto op = nn::buildEquationOp(builder, builder.getUnknownLoc(), nonnegative[below(4)], {value}, {}, why);
          succeeded(op))
        value = (*op)->getResult(0);
  }
  return values[name] = value;
}

SmallVector<int64_t, 4> RuleSampler::list(StringRef op, StringRef name, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> result;
  int64_t rank = shape.size();
  bool isWindow = op == "conv" || op.ends_with("_pool");
  if (name == "perm" || name == "axes") {
    for (int64_t d = 0; d < rank; ++d)
      if (name == "perm" || chance(50))
        result.push_back(d);
    std::shuffle(result.begin(), result.end(), random);
    if (name == "perm" && rank >= 2 && chance(30)) { // the swap that a product of matrices wants
      llvm::sort(result);
      std::swap(result[rank - 1], result[rank - 2]);
    }
    if (name == "axes" && chance(30)) { // dimensions of one element
      result.clear();
      for (int64_t d = 0; d < rank; ++d)
        if (shape[d] == 1)
          result.push_back(d);
    }
    return result;
  }
  if (name == "shape") {
    for (int64_t extent : base)
      result.push_back(extent);
    if (chance(20))
      result.insert(result.begin(), 2);
    if (!result.empty() && chance(20)) // cuts off instead of repeating
      result[below(result.size())] = 1;
    return result;
  }
  if (name == "start") {
    sliceStart.clear(), sliceStep.clear(), sliceOut.clear();
    for (int64_t extent : shape) {
      int64_t step = below(4) == 0 ? -1 : 1 + below(2);
      int64_t out = extent == 0 ? 0 : below((extent + std::abs(step) - 1) / std::abs(step) + 1);
      int64_t room = extent - 1 - (out - 1) * std::abs(step);
      int64_t first = out == 0 || room <= 0 ? 0 : below(room + 1);
      sliceStart.push_back(step < 0 && out > 0 ? first + (out - 1) : first);
      sliceStep.push_back(step);
      sliceOut.push_back(out);
    }
    return sliceStart;
  }
  if (name == "step" || name == "out")
    return name == "step" ? sliceStep : sliceOut;
  if (name == "kernel" && chance(50) && isWindow && rank > 2) // all of the image
    return SmallVector<int64_t, 4>(shape.drop_front(2));
  for (int64_t d = 0; d < (isWindow ? rank - 2 : rank); ++d)
    result.push_back(name == "lo" || name == "hi"
                         ? (d < 2 && !isWindow && chance(50) ? 0 : below(4) - (chance(20) ? 1 : 0))
                     : name == "extra" ? 0
                                       : 1 + (chance(70) ? 0 : below(2)));
  return result;
}

Attribute RuleSampler::drawn(StringRef op, const eq::AttributeDef &attribute, ArrayRef<int64_t> shape) {
  int64_t rank = shape.size();
  StringRef kinds[] = {"max", "min", "+", "*"};
  ElementType types[] = {ElementType::F32, ElementType::F64, ElementType::F16, ElementType::I32,
                         ElementType::I64, ElementType::I8,  ElementType::U8,  ElementType::B1};
  switch (attribute.kind) {
  case eq::AttributeKind::Int:
    if (attribute.name == "channel")
      return builder.getI64IntegerAttr(chance(50) ? 1 : rank - 1);
    return builder.getI64IntegerAttr(attribute.name == "axis" ? below(std::max<int64_t>(rank, 1)) : 1);
  case eq::AttributeKind::Ints:
    return builder.getDenseI64ArrayAttr(list(op, attribute.name, shape));
  case eq::AttributeKind::Bool:
    return builder.getBoolAttr(chance(50));
  case eq::AttributeKind::Combine:
    return builder.getStringAttr(kinds[below(4)]);
  case eq::AttributeKind::Type:
    return TypeAttr::get(nn::fromEquation(&context, types[below(8)]));
  case eq::AttributeKind::Float:
    return builder.getF64FloatAttr(0.5);
  default:
    return {};
  }
}

Attribute RuleSampler::attribute(const eq::OpDef &op, const eq::AttributeDef &attribute, const RuleTerm &term,
                                 Value first) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(first.getType()).getShape();
  const RuleValue *wanted = nullptr;
  for (const RuleTerm::Attribute &each : term.attributes)
    if (each.name == attribute.name)
      wanted = &each.value;
  Attribute random = drawn(op.name, attribute, shape);
  if (!wanted)
    return attribute.defaultValue && chance(70) ? Attribute() : random;
  switch (wanted->kind) {
  case RuleValue::Kind::Name:
    if (Attribute known = attributes.lookup(wanted->text); known && chance(90))
      return known;
    return attributes[wanted->text] = random;
  case RuleValue::Kind::String:
    return chance(90) ? builder.getStringAttr(wanted->text) : random;
  case RuleValue::Kind::Integer:
    if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(random); list && chance(90))
      return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(list.size(), wanted->integer));
    return attribute.kind == eq::AttributeKind::Int ? builder.getI64IntegerAttr(wanted->integer) : random;
  default:
    return random;
  }
}

Value RuleSampler::apply(const RuleTerm &term) {
  SmallVector<Value, 4> operands;
  for (const RuleTerm &operand : term.operands) {
    operands.push_back(operand.kind == RuleTerm::Kind::Number
                           ? constant(element, chance(50) ? Shape() : broadcastable(),
                                      chance(95) ? std::optional(operand.number) : std::nullopt)
                           : this->term(operand));
    if (!operands.back())
      return {};
  }
  auto first = cast<RankedTensorType>(operands[0].getType());
  if (term.isReshape()) {
    Shape shape = {first.getNumElements()};
    if (chance(50))
      shape.assign(first.getShape().begin(), first.getShape().end()), shape.insert(shape.begin(), 1);
    if (chance(20) && first.getNumElements() % 2 == 0)
      shape = {first.getNumElements() / 2, 2};
    auto type = RankedTensorType::get(shape, first.getElementType());
    return nn::ReshapeOp::create(builder, builder.getUnknownLoc(), type, operands[0]);
  }
  StringRef name = term.name;
  const eq::OpDef *op = nullptr;
  NamedAttrList given;
  if (term.isOpVariable()) {
    SmallVector<const eq::OpDef *> all;
    for (const eq::OpDef &each : nn::allEquations())
      if (eq::isElementwise(each) && each.operands.size() == term.operands.size())
        all.push_back(&each);
    op = all[below(all.size())];
    name = op->name;
  } else {
    op = nn::lookupEquation(term.name);
  }
  for (const eq::AttributeDef &each : op->attributes)
    if (Attribute value = attribute(*op, each, term, operands[0]))
      given.append(each.name, value);
  std::string why;
  FailureOr<Operation *> built = nn::buildEquationOp(builder, builder.getUnknownLoc(), name, operands, given, why);
  return failed(built) ? Value() : (*built)->getResult(0);
}

Value RuleSampler::term(const RuleTerm &term) {
  return term.kind == RuleTerm::Kind::Apply ? apply(term) : variable(term.name);
}

OwningOpRef<func::FuncOp> RuleSampler::draw() {
  values.clear(), attributes.clear();
  ElementType types[] = {ElementType::F32, ElementType::F32, ElementType::F64, ElementType::F16, ElementType::I32,
                         ElementType::I8,  ElementType::I64, ElementType::U8,  ElementType::B1};
  element = types[below(9)];
  base = shapes()[below(shapes().size())];
  large = chance(3);
  OwningOpRef<func::FuncOp> owner(
      func::FuncOp::create(builder.getUnknownLoc(), "sample", builder.getFunctionType({}, {})));
  function = *owner;
  builder.setInsertionPointToEnd(function.addEntryBlock());
  Value root = apply(rule.left);
  if (!root)
    return {};
  SmallVector<Value> results = {root};
  // Another reader of what the rule would replace.
  Operation *producer = root.getDefiningOp();
  if (chance(20))
    for (Value operand : producer->getOperands())
      if (operand.getDefiningOp() && !constantOf(operand))
        results.push_back(operand);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  builder.clearInsertionPoint();
  return owner;
}

std::vector<Tensor> RuleSampler::arguments(func::FuncOp function) {
  std::vector<Tensor> tensors;
  bool wild = chance(60);
  for (Type type : function.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    ElementType element = nn::toEquation(tensor.getElementType());
    SmallVector<double> numbers;
    for (int64_t i = 0; i < tensor.getNumElements(); ++i)
      numbers.push_back(specialValue(element, wild));
    tensors.push_back(llvm::cantFail(tensorOfDoubles(element, tensor.getShape(), numbers)));
  }
  return tensors;
}

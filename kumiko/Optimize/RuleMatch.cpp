//===- RuleMatch.cpp - one rule at one op ----------------------------------===//
#include "kumiko/Optimize/RuleMatch.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/Applied.h"
#include "kumiko/Optimize/Compute.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Remark.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::RuleTerm;
using eq::RuleValue;

/// Every op that works element by element on so many operands.
static bool isElementwiseOf(OperationName name, size_t operands) {
  const eq::OpDef *def = nn::lookupEquation(name.getStringRef());
  return def && def->operands.size() == operands && eq::isElementwise(*def);
}

bool optimize::isAbout(const Rule &rule, OperationName op) {
  const RuleTerm &left = rule.def.left;
  if (rule.def.isCode() || !op.getStringRef().starts_with("nn."))
    return false;
  return left.isOpVariable() ? isElementwiseOf(op, left.operands.size()) : op.stripDialect() == left.name;
}

/// Null when the term does not name it.
static const RuleValue *named(const RuleTerm &term, StringRef attribute) {
  for (const RuleTerm::Attribute &each : term.attributes)
    if (each.name == attribute)
      return &each.value;
  return nullptr;
}

namespace {

class Matcher {
public:
  explicit Matcher(RuleBinding &binding) : binding(binding) {}

  bool op(const RuleTerm &term, Operation *op) {
    if (term.isOpVariable()) {
      Operation *before = binding.op(term.name);
      if (!isElementwiseOf(op->getName(), term.operands.size()) ||
          (before && (before->getName() != op->getName() || before->getAttrs() != op->getAttrs())))
        return false;
    } else if (op->getName().stripDialect() != term.name || op->getName().getDialectNamespace() != "nn") {
      return false;
    }
    // Only the first result is in the equation.
    for (Value result : op->getResults().drop_front())
      if (!result.use_empty())
        return false;
    binding.ops.emplace_back(term.name, op);
    return attributes(term, op) && operands(term, op);
  }

private:
  bool operands(const RuleTerm &term, Operation *op) {
    SmallVector<Value, 4> slots = nn::operandSlots(op);
    if (slots.size() < term.operands.size())
      return false;
    for (auto [slot, value] : llvm::enumerate(slots)) {
      if (slot >= term.operands.size() ? value && !term.rest : !value || !this->value(term.operands[slot], value))
        return false;
    }
    return true;
  }

  bool value(const RuleTerm &term, Value value) {
    switch (term.kind) {
    case RuleTerm::Kind::Variable:
      if (Value before = binding.value(term.name))
        return before == value || (constantOf(value) && constantOf(before) == constantOf(value));
      binding.values.emplace_back(term.name, value);
      return true;
    case RuleTerm::Kind::Number: {
      std::optional<double> splat = splatOf(value);
      bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
      return splat && *splat == term.number && (!isFloat || std::signbit(*splat) == std::signbit(term.number));
    }
    case RuleTerm::Kind::Apply:
      break;
    }
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getResult(0) != value || !op(term, producer))
      return false;
    binding.inner.push_back(producer);
    return true;
  }

  bool attributes(const RuleTerm &term, Operation *op) {
    if (term.isReshape() || term.isOpVariable())
      return true;
    const eq::OpDef *def = nn::definitionOf(op);
    for (const eq::AttributeDef &attribute : def->attributes) {
      const RuleValue *wanted = named(term, attribute.name);
      if (!wanted && term.rest)
        continue;
      Attribute given = op->getAttr(attribute.name), usual;
      if (std::optional<eq::Attribute> value = nn::defaultOf(attribute))
        usual = nn::fromEquation(op->getContext(), *value, attribute.kind);
      if (!given)
        given = usual;
      if (wanted ? !this->attribute(*wanted, given) : given != usual)
        return false;
    }
    return true;
  }

  bool attribute(const RuleValue &wanted, Attribute given) {
    if (wanted.kind == RuleValue::Kind::Name) {
      if (Attribute before = binding.attribute(wanted.text))
        return before == given;
      binding.attributes.emplace_back(wanted.text, given);
      return true;
    }
    if (wanted.kind == RuleValue::Kind::Integer) {
      // For a list: every entry.
      std::optional<Extent> one = nn::extentOf(given);
      std::optional<SmallVector<Extent, 4>> list = nn::extentsOf(given);
      auto isWanted = [&](const Extent &extent) { return extent.is(wanted.integer); };
      return one ? isWanted(*one) : list && llvm::all_of(*list, isWanted);
    }
    std::optional<RuleNumber> value = evaluate(wanted, binding);
    if (!value)
      return false;
    if (value->other)
      return value->other == given;
    std::optional<SmallVector<Extent, 4>> list = nn::extentsOf(given);
    return value->isList && list && *list == value->numbers;
  }

  RuleBinding &binding;
};

/// Makes the ops of the right side.
class RightSide {
public:
  RightSide(const RuleBinding &binding, RewriterBase &builder) : binding(binding), builder(builder) {
    SmallVector<Location> places = {binding.root->getLoc()};
    for (Operation *op : binding.inner)
      places.push_back(op->getLoc());
    loc = builder.getFusedLoc(places);
  }

  /// Null when it does not fit.
  Value whole(const RuleTerm &term) {
    auto type = cast<RankedTensorType>(binding.root->getResult(0).getType());
    if (term.kind == RuleTerm::Kind::Number)
      return number(term.number, type);
    return make(term);
  }
  ArrayRef<Operation *> made() const { return ops; }

private:
  Value number(double number, RankedTensorType type) {
    Type element = type.getElementType();
    RankedTensorType stored = type.hasStaticShape() ? type : RankedTensorType::get({}, element);
    llvm::Expected<Tensor> tensor = tensorOfDoubles(nn::toEquation(element), {}, number);
    if (!tensor)
      return llvm::consumeError(tensor.takeError()), Value();
    auto scalar = dyn_cast<DenseElementsAttr>(attributeOf(builder.getContext(), std::move(*tensor), "number"));
    if (!scalar)
      return {};
    Attribute splat = scalar.getValues<Attribute>()[0];
    Value value = add(nn::ConstantOp::create(builder, loc, stored, DenseElementsAttr::get(stored, splat)));
    if (stored == type)
      return value;
    NamedAttribute shape(builder.getStringAttr("shape"), nn::numbersAttr(builder.getContext(), nn::extentsOf(type)));
    return apply("expand", {value}, {shape});
  }

  Value add(Operation *op) {
    ops.push_back(op);
    return op->getResult(0);
  }

  Value apply(StringRef name, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
    std::string why;
    FailureOr<Operation *> op = nn::buildEquationOp(builder, loc, name, operands, attributes, why);
    if (failed(op))
      return {};
    // What is made of constants is a constant at once, so that the next rule sees one.
    std::optional<SmallVector<Tensor, 2>> known;
    bool allKnown = llvm::all_of(operands, [](Value operand) { return !operand || constantOf(operand); });
    if (allKnown && (*op)->getNumResults() == 1 && (known = compute(*op, why))) {
      builder.eraseOp(*op);
      return add(createConstant(builder, loc, std::move((*known)[0]), "computed").getDefiningOp());
    }
    return add(*op);
  }

  Value make(const RuleTerm &term) {
    if (term.kind == RuleTerm::Kind::Variable)
      return binding.value(term.name);
    SmallVector<Value, 4> operands;
    Type element = getElementTypeOrSelf(binding.root->getResult(0).getType());
    for (const RuleTerm &operand : term.operands) {
      operands.push_back(operand.kind == RuleTerm::Kind::Number ? Value() : make(operand));
      if (operand.kind != RuleTerm::Kind::Number && !operands.back())
        return {};
    }
    for (Value operand : llvm::reverse(operands))
      if (operand)
        element = getElementTypeOrSelf(operand.getType());
    // A number has the type of what it meets.
    for (auto [operand, given] : llvm::zip_equal(operands, term.operands))
      if (given.kind == RuleTerm::Kind::Number)
        operand = number(given.number, RankedTensorType::get({}, element));
    if (term.isReshape())
      return reshape(operands[0]);
    Operation *like = binding.op(term.name);
    if (term.isOpVariable())
      return apply(like->getName().getStringRef(), operands, plainAttributes(like));
    if (term.rest)
      llvm::append_range(operands, ArrayRef(nn::operandSlots(like)).drop_front(operands.size()));
    const eq::OpDef *def = nn::lookupEquation(term.name);
    NamedAttrList attributes;
    for (const eq::AttributeDef &attribute : def->attributes) {
      Attribute value;
      if (const RuleValue *given = named(term, attribute.name)) {
        value = evaluate(*given, attribute.kind, binding);
        if (!value)
          return {};
      } else if (term.rest) {
        value = like->getAttr(attribute.name);
      }
      if (value)
        attributes.append(attribute.name, value);
    }
    return apply(term.name, operands, attributes);
  }

  /// The shape of the whole term.
  Value reshape(Value x) {
    auto whole = cast<RankedTensorType>(binding.root->getResult(0).getType());
    RankedTensorType type = nn::tensorOf(nn::extentsOf(whole), getElementTypeOrSelf(x.getType()));
    if (x.getType() == type)
      return x;
    // Where a broadcast is in between, there are more elements.
    if (product(nn::extentsOf(cast<RankedTensorType>(x.getType()))) != product(nn::extentsOf(type)))
      return {};
    return add(nn::ReshapeOp::create(builder, loc, type, x));
  }

  /// What the equation knows, without what others attached.
  static SmallVector<NamedAttribute, 4> plainAttributes(Operation *op) {
    const eq::OpDef *def = nn::definitionOf(op);
    SmallVector<NamedAttribute, 4> result;
    for (const eq::AttributeDef &attribute : def->attributes)
      if (Attribute value = op->getAttr(attribute.name))
        result.emplace_back(StringAttr::get(op->getContext(), attribute.name), value);
    return result;
  }

  const RuleBinding &binding;
  RewriterBase &builder;
  Location loc = UnknownLoc::get(builder.getContext());
  SmallVector<Operation *, 4> ops;
};

} // namespace

/// Inner ops that nobody else reads, so that they go with the root.
static bool isAlone(const RuleBinding &binding) {
  return llvm::all_of(binding.inner, [](Operation *op) { return op->getResult(0).hasOneUse(); });
}

static RuleOutcome tryLeft(const Rule &rule, const RuleTerm &left, Operation *root, PatternRewriter &rewriter) {
  RuleBinding binding;
  binding.root = root;
  if (!Matcher(binding).op(left, root))
    return RuleOutcome::NoMatch;
  bool alone = isAlone(binding), wantsAlone = false;
  for (const eq::RuleCondition &condition : rule.def.when) {
    if (condition.name == "alone")
      wantsAlone = true;
    else if (!holds(condition, binding))
      return RuleOutcome::NoMatch;
  }
  if (wantsAlone && !alone)
    return RuleOutcome::Shared;
  rewriter.setInsertionPoint(root);
  RightSide right(binding, rewriter);
  Value value = right.whole(rule.def.right);
  if (!value || value.getType() != root->getResult(0).getType()) {
    for (Operation *op : llvm::reverse(right.made()))
      rewriter.eraseOp(op);
    return RuleOutcome::NoMatch;
  }
  int64_t gone = 1 + llvm::count_if(binding.inner, [](Operation *op) { return op->getResult(0).hasOneUse(); });
  int64_t came = llvm::count_if(right.made(), [](Operation *op) { return !isa<nn::ConstantOp>(op); });
  applied(root, rule.def.name, gone - came);
  rewriter.replaceAllUsesWith(root->getResult(0), value);
  rewriter.eraseOp(root);
  return RuleOutcome::Applied;
}

RuleOutcome optimize::applyRule(const Rule &rule, Operation *root, PatternRewriter &rewriter) {
  RuleOutcome outcome = RuleOutcome::NoMatch;
  for (const RuleTerm &left : rule.lefts) {
    RuleOutcome one = tryLeft(rule, left, root, rewriter);
    if (one == RuleOutcome::Applied)
      return one;
    if (one == RuleOutcome::Shared)
      outcome = one;
  }
  return outcome;
}

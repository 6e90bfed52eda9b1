//===- RuleValues.cpp - attributes that a rule computes --------------------===//
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/RuleBinding.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::RuleValue;

static std::optional<RuleNumber> numberOf(Attribute attribute) {
  RuleNumber result;
  if (std::optional<Extent> one = nn::extentOf(attribute)) {
    result.numbers.push_back(*one);
  } else if (auto list = nn::extentsOf(attribute)) {
    result.numbers.assign(list->begin(), list->end());
    result.isList = true;
  } else {
    result.other = attribute;
  }
  return result;
}

static Extent combined(const Extent &a, char op, const Extent &b) {
  return op == '+' ? a + b : op == '-' ? a - b : a * b;
}

/// Entry by entry; a number repeats.
static std::optional<RuleNumber> combined(RuleNumber a, char op, RuleNumber b) {
  if (a.other || b.other || (a.isList && b.isList && a.numbers.size() != b.numbers.size()))
    return std::nullopt;
  if (!a.isList && b.isList)
    a.numbers.resize(b.numbers.size(), Extent(a.numbers[0]));
  if (!b.isList && a.isList)
    b.numbers.resize(a.numbers.size(), Extent(b.numbers[0]));
  a.isList |= b.isList;
  for (auto [left, right] : llvm::zip_equal(a.numbers, b.numbers))
    left = combined(left, op, right);
  return a;
}

static std::optional<RuleNumber> picked(const RuleNumber &list, const RuleNumber &at) {
  RuleNumber result;
  result.isList = at.isList;
  if (!list.isList || at.other)
    return std::nullopt;
  for (const Extent &position : at.numbers) {
    if (!position.isStatic() || position.value() < 0 || position.value() >= int64_t(list.numbers.size()))
      return std::nullopt;
    result.numbers.push_back(list.numbers[position.value()]);
  }
  return result;
}

/// Entries that are neither the batch (0) nor the channels.
static std::optional<RuleNumber> spatial(const RuleNumber &list, const RuleNumber &channel) {
  RuleNumber result;
  result.isList = true;
  if (!list.isList || channel.isList || channel.other || !channel.numbers[0].isStatic())
    return std::nullopt;
  for (auto [d, entry] : llvm::enumerate(list.numbers))
    if (d != 0 && int64_t(d) != channel.numbers[0].value())
      result.numbers.push_back(entry);
  return result;
}

/// The same of a list that is 0 for batch and channels; nothing of any other.
static std::optional<RuleNumber> around(const RuleNumber &list, const RuleNumber &channel) {
  std::optional<RuleNumber> result = spatial(list, channel);
  auto isOutside = [&](size_t d) { return d == 0 || int64_t(d) == channel.numbers[0].value(); };
  for (auto [d, entry] : llvm::enumerate(list.numbers))
    if (result && isOutside(d) && !entry.is(0))
      return std::nullopt;
  return result;
}

/// The positions of a permutation, other way round.
static std::optional<RuleNumber> inverse(const RuleNumber &list) {
  RuleNumber result = list;
  for (auto [d, from] : llvm::enumerate(list.numbers)) {
    if (!list.isList || !from.isStatic() || from.value() < 0 || from.value() >= int64_t(list.numbers.size()))
      return std::nullopt;
    result.numbers[from.value()] = Extent(int64_t(d));
  }
  return result;
}

/// The dimensions `first`, and those that are `second` once the first are gone.
static std::optional<RuleNumber> joined(const RuleNumber &first, const RuleNumber &second) {
  RuleNumber result = first;
  auto isKnown = [](const Extent &number) { return number.isStatic() && number.value() >= 0; };
  if (!first.isList || !second.isList || !llvm::all_of(first.numbers, isKnown) ||
      !llvm::all_of(second.numbers, isKnown))
    return std::nullopt;
  for (const Extent &number : second.numbers) {
    int64_t d = 0;
    for (int64_t left = number.value();; ++d)
      if (!llvm::is_contained(first.numbers, Extent(d)) && left-- == 0)
        break;
    result.numbers.push_back(Extent(d));
  }
  return result;
}

/// dims(x) are the extents of a tensor, axes(x) the numbers of its dimensions, spatial(list, c) what remains of a list
/// with an entry per dimension when batch and channels are left out, outside(list, c) these two, inverse(p) the
/// permutation back, joined(a, b) the dimensions a and those that b names without them.
static std::optional<RuleNumber> call(const RuleValue &value, const RuleBinding &binding) {
  if (value.text == "dims" || value.text == "axes") {
    Value x = binding.value(value.operands[0].text);
    if (!x)
      return std::nullopt;
    RuleNumber result;
    result.isList = true;
    for (auto [d, extent] : llvm::enumerate(nn::extentsOf(cast<RankedTensorType>(x.getType()))))
      result.numbers.push_back(value.text == "dims" ? extent : Extent(int64_t(d)));
    return result;
  }
  std::optional<RuleNumber> a = evaluate(value.operands[0], binding), b;
  if (value.operands.size() > 1)
    b = evaluate(value.operands[1], binding);
  if (value.text == "inverse")
    return a ? inverse(*a) : std::nullopt;
  if (value.text == "spatial")
    return a && b ? spatial(*a, *b) : std::nullopt;
  if (value.text == "around")
    return a && b ? around(*a, *b) : std::nullopt;
  if (value.text == "joined")
    return a && b ? joined(*a, *b) : std::nullopt;
  llvm::report_fatal_error("rules have no function '" + llvm::Twine(value.text) + "'");
}

std::optional<RuleNumber> optimize::evaluate(const RuleValue &value, const RuleBinding &binding) {
  RuleNumber result;
  switch (value.kind) {
  case RuleValue::Kind::Name: {
    Attribute attribute = binding.attribute(value.text);
    return attribute ? numberOf(attribute) : std::nullopt;
  }
  case RuleValue::Kind::Integer:
    result.numbers.push_back(value.integer);
    return result;
  case RuleValue::Kind::Bool:
    result.other = BoolAttr::get(binding.root->getContext(), value.integer);
    return result;
  case RuleValue::Kind::String:
    result.other = StringAttr::get(binding.root->getContext(), value.text);
    return result;
  case RuleValue::Kind::List:
    result.isList = true;
    for (const RuleValue &operand : value.operands) {
      std::optional<RuleNumber> entry = evaluate(operand, binding);
      if (!entry || entry->isList || entry->other)
        return std::nullopt;
      result.numbers.push_back(entry->numbers[0]);
    }
    return result;
  case RuleValue::Kind::Pick:
  case RuleValue::Kind::Binary: {
    std::optional<RuleNumber> a = evaluate(value.operands[0], binding), b = evaluate(value.operands[1], binding);
    if (!a || !b)
      return std::nullopt;
    return value.kind == RuleValue::Kind::Pick ? picked(*a, *b) : combined(std::move(*a), value.op, std::move(*b));
  }
  case RuleValue::Kind::Call:
    return call(value, binding);
  }
  llvm_unreachable("all kinds are named");
}

Attribute optimize::evaluate(const RuleValue &value, eq::AttributeKind kind, const RuleBinding &binding) {
  std::optional<RuleNumber> result = evaluate(value, binding);
  if (!result || result->other)
    return result ? result->other : Attribute();
  if (llvm::any_of(result->numbers, [](const Extent &number) { return number.overflowed(); }))
    return {};
  MLIRContext *context = binding.root->getContext();
  if (result->isList)
    return kind == eq::AttributeKind::Ints ? nn::numbersAttr(context, result->numbers) : Attribute();
  return kind == eq::AttributeKind::Int ? nn::numberAttr(context, result->numbers[0]) : Attribute();
}

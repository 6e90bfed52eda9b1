//===- ReadSizes.cpp - types, and statements about symbols ------------------------------===//
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Import/Text/Reader.h"
#include "kumiko/Nn/Turns.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

std::optional<Extent> Reader::readExtent() {
  size_t begin = source.position();
  auto extent = source.extent();
  return extent ? bound(*extent, begin) : std::nullopt;
}

std::optional<Extent> Reader::bound(Extent extent, size_t begin) {
  SmallVector<StringRef, 2> found;
  extent.symbols(found);
  SmallVector<std::string, 2> names(found.begin(), found.end());
  for (const std::string &name : names) {
    if (auto number = numbers.find(name); number != numbers.end()) {
      usedDims.insert(name);
      extent = nn::withSymbol(extent, name, number->second);
    } else if (!known.contains(name) &&
               !(inCheck && any_of(symbols, [&](const nn::Symbol &each) {
                   return each.name == name; // what was found inside a body may be named by a check behind it
                 }))) {
      source.fail(begin, source.position(), Code::UndefinedName, "there is no symbol '" + printable(name) + "' here")
          .helped("symbols come with the types of inputs, or from `symbol NAME = x[0];`");
      return std::nullopt;
    }
    if (extent.overflowed()) {
      source.fail(begin, source.position(), Code::BadDimension, "the expression has no value");
      return std::nullopt;
    }
  }
  return extent;
}

std::optional<SmallVector<Extent, 4>> Reader::readShape() {
  SmallVector<Extent, 4> shape;
  if (!source.need("["))
    return std::nullopt;
  for (bool more = !source.at("]"); more; more = source.eat(",")) {
    auto extent = readExtent();
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return source.need("]") ? std::optional(shape) : std::nullopt;
}

RankedTensorType Reader::readType() {
  size_t begin = source.position();
  auto word = source.name("a type");
  std::optional<ElementType> element = word ? elementTypeNamed(word->base) : std::nullopt;
  if (!element) {
    if (word)
      source.fail(begin, word->end, Code::BadText, "there is no type '" + printable(word->base) + "'");
    return {};
  }
  std::optional<SmallVector<Extent, 4>> shape = SmallVector<Extent, 4>();
  if (source.at("["))
    shape = readShape();
  return shape ? checkedType(*shape, *element, begin) : RankedTensorType();
}

RankedTensorType Reader::checkedType(ArrayRef<Extent> shape, ElementType element, size_t begin) {
  SmallVector<int64_t> sizes;
  bool negative = element == ElementType::Index;
  for (const Extent &extent : shape) {
    negative |= extent.isStatic() && extent.value() < 0;
    sizes.push_back(extent.isStatic() ? extent.value() : 1);
  }
  std::string why = negative ? "no tensor has such a type" : refusalOf(element, sizes, options.tensorLimit);
  if (why.empty())
    return nn::tensorOf(shape, nn::fromEquation(builder.getContext(), element));
  source.fail(begin, source.position(), negative ? Code::BadDimension : Code::TooLarge, why);
  return {};
}

/// `check equal(a, b) "message";`: what must hold between extents; also `broadcast` and `atmost`.
void Reader::readCheck() {
  using Relation = nn::Check::Relation;
  size_t begin = source.position();
  std::optional<Relation> relation;
  for (auto [word, each] :
       {std::pair("equal", Relation::Equal), {"broadcast", Relation::Broadcast}, {"atmost", Relation::AtMost}})
    if (!relation && source.eat(word))
      relation = each;
  if (!relation) {
    source.expected("equal, broadcast or atmost");
    return;
  }
  if (!source.need("("))
    return;
  inCheck = true;
  auto lhs = readExtent();
  auto rhs = lhs && source.need(",") ? readExtent() : std::nullopt;
  inCheck = false;
  if (!rhs || !source.need(")"))
    return;
  auto message = source.string();
  if (!message || !source.need(";"))
    return;
  nn::Check check{*lhs, *rhs, *relation, *message};
  if (scope->outer)
    nn::CheckOp::create(builder, loc, nn::rowOf(builder.getContext(), check));
  addCheck(std::move(check), begin, /*isWritten=*/true);
}

/// `symbol n = x[1] clamp wrap(E) lower(E) upper(E) node("...");`
void Reader::readSymbolOp() {
  auto name = source.name("a symbol's name");
  if (!name || !source.need("="))
    return;
  size_t begin = source.position();
  Value x = readOperand();
  std::optional<int64_t> at = x && source.need("[") ? source.integer() : std::nullopt;
  if (!at || !source.need("]"))
    return;
  bool clamp = source.eat("clamp");
  std::optional<Extent> wrap, lower, upper;
  for (auto [word, extent] : {std::pair("wrap", &wrap), {"lower", &lower}, {"upper", &upper}})
    if (source.eat(word) && (!source.need("(") || !(*extent = readExtent()) || !source.need(")")))
      return;
  std::optional<std::string> node = name->base;
  if (source.eat("node") && (!source.need("(") || !(node = source.string()) || !source.need(")")))
    return;
  auto type = cast<RankedTensorType>(x.getType());
  Extent count = product(nn::extentsOf(type));
  if (!isSymbolName(name->base) || !type.getElementType().isInteger() || *at < 0 ||
      (count.isStatic() && *at >= count.value())) {
    source.fail(begin, source.position(), Code::OperandType, "no element of " + describe(type) + " can be this symbol")
        .helped("a symbol is an element of a tensor of integers");
    return;
  }
  if (!source.need(";"))
    return;
  if (interpretation && !scope->outer) {
    Tensor &tensor = interpretation->tensors[x].tensor;
    if (*at >= tensor.count()) {
      source.fail(begin, source.position(), Code::OperandShape, "the tensor has no such element");
      return;
    }
    int64_t value = integerAt(tensor, *at);
    auto number = [](const std::optional<Extent> &extent, int64_t otherwise) {
      return extent && extent->isStatic() ? extent->value() : otherwise;
    };
    if (value < 0)
      value += number(wrap, 0);
    int64_t low = number(lower, 0), high = number(upper, std::numeric_limits<int64_t>::max());
    if (clamp)
      value = std::max(low, std::min(value, high));
    if (value < low || value > high || value < 0)
      source.fail(begin, source.position(), Code::OperandValue, "the value " + Twine(value) + " is outside its bounds");
    numbers[name->base] = value;
    return;
  }
  declare(name->base, /*isData=*/true);
  auto attribute = [&](const std::optional<Extent> &extent) {
    return extent ? nn::numberAttr(builder.getContext(), *extent) : mlir::Attribute();
  };
  Location place = NameLoc::get(builder.getStringAttr(*node));
  nn::SymbolOp::create(builder, place, x, builder.getStringAttr(name->base), builder.getI64IntegerAttr(*at),
                       attribute(wrap), attribute(lower), attribute(upper), clamp ? builder.getUnitAttr() : UnitAttr());
}

} // namespace kumiko::text

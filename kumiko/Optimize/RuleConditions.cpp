//===- RuleConditions.cpp - what rules may ask -----------------------------===//
//
// `alone` is not here: it is about the match, not about what the names stand for (RuleMatch.cpp).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Optimize/ConstantTensor.h"
#include "kumiko/Optimize/Permute.h"
#include "kumiko/Optimize/RuleBinding.h"
#include <cmath>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;
using eq::RuleValue;

namespace {

/// The arguments of a condition, by position.
struct Arguments {
  const RuleBinding &binding;
  ArrayRef<RuleValue> list;

  Value value(unsigned number) const { return binding.value(list[number].text); }
  RankedTensorType type(unsigned number) const { return cast<RankedTensorType>(value(number).getType()); }
  ElementType element(unsigned number) const { return nn::toEquation(type(number).getElementType()); }
  ElementsAttr constant(unsigned number) const { return constantOf(value(number)); }
  /// A list of numbers that are known; nothing for any other attribute.
  std::optional<SmallVector<int64_t, 6>> numbers(unsigned number) const {
    std::optional<RuleNumber> result = evaluate(list[number], binding);
    if (!result || result->other || !llvm::all_of(result->numbers, [](const Extent &e) { return e.isStatic(); }))
      return std::nullopt;
    return llvm::map_to_vector<6>(result->numbers, [](const Extent &extent) { return extent.value(); });
  }
  /// The elements of a constant; nothing for any other tensor.
  std::optional<SmallVector<double, 0>> elements(unsigned number) const {
    ElementsAttr attribute = constant(number);
    if (!attribute || attribute.getNumElements() > limit)
      return std::nullopt;
    llvm::Expected<Tensor> tensor = constantTensor(attribute);
    if (!tensor)
      return llvm::consumeError(tensor.takeError()), std::nullopt;
    return doublesOf(*tensor);
  }

  /// Constants above this are not computed with.
  static constexpr int64_t limit = int64_t(1) << 17;
};

using Predicate = bool (*)(const Arguments &);
struct Entry {
  llvm::StringLiteral name;
  unsigned arguments;
  Predicate predicate;
};

} // namespace

template <typename Test> static bool allElements(const Arguments &a, unsigned number, Test test) {
  std::optional<SmallVector<double, 0>> elements = a.elements(number);
  return elements && llvm::all_of(*elements, test);
}

template <typename Test> static bool allNumbers(const Arguments &a, unsigned number, Test test) {
  std::optional<SmallVector<int64_t, 6>> numbers = a.numbers(number);
  return numbers && llvm::all_of(*numbers, test);
}

/// The exponent of the largest power of two; 0 for types that rules leave alone.
static int largestExponent(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 15;
  case ElementType::F32:
  case ElementType::BF16:
    return 127;
  case ElementType::F64:
    return 1023;
  default:
    return 0;
  }
}

/// Zero, or so near to 1 that a product of two such numbers is a normal number.
static bool isModerate(double x, int limit) {
  return x == 0 ? true : std::isfinite(x) && std::abs(std::ilogb(x)) <= limit / 2 - 1;
}

/// 1 / x is a normal number, and so is x.
static bool isInvertible(double x, int limit) { return x != 0 && std::isfinite(x) && std::abs(std::ilogb(x)) < limit; }

static bool isPowerOfTwo(double x) {
  int exponent;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

/// No element is below 0 or -0.0; NaN may be. Seen from the op that makes it, a few steps back.
static bool isNeverNegative(Value x, unsigned depth = 0) {
  Operation *op = x.getDefiningOp();
  if (!op || depth > 4 || !isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return false;
  auto all = [&] { return llvm::all_of(op->getOperands(), [&](Value y) { return isNeverNegative(y, depth + 1); }); };
  if (isa<nn::ReluOp, nn::AbsOp, nn::ExpOp, nn::SigmoidOp, nn::SoftmaxOp>(op))
    return true;
  if (isa<nn::MulOp>(op))
    return op->getOperand(0) == op->getOperand(1) || all();
  if (auto reduce = dyn_cast<nn::ReduceOp>(op))
    return reduce.getKind() == "+" && all();
  if (isa<nn::AddOp, nn::MeanOp, nn::SqrtOp, nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::SliceOp>(op))
    return all();
  std::optional<double> splat = splatOf(x);
  return splat && !std::signbit(*splat);
}

/// All integers of so many bits are there, besides the sign.
static int digits(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 53;
  case ElementType::F32:
    return 24;
  case ElementType::F16:
    return 11;
  case ElementType::BF16:
    return 8;
  case ElementType::B1:
    return 1;
  case ElementType::I2:
  case ElementType::I4:
  case ElementType::U2:
  case ElementType::U4: {
    int bits = type == ElementType::I2 || type == ElementType::U2 ? 2 : 4;
    return isUnsigned(type) ? bits : bits - 1;
  }
  default:
    return int(bytesOf(type)) * 8 - (isUnsigned(type) ? 0 : 1);
  }
}

/// Every value of the first type is one of the second.
static bool isPartOf(ElementType part, ElementType whole) {
  if (part == whole)
    return true;
  if (whole == ElementType::B1)
    return false;
  bool partFloat = isFloat(part), wholeFloat = isFloat(whole);
  if ((partFloat && largestExponent(part) == 0) || (wholeFloat && largestExponent(whole) == 0))
    return false; // small floats have rules of their own
  if (partFloat && !wholeFloat)
    return false;
  if (partFloat)
    return digits(part) <= digits(whole) && largestExponent(part) <= largestExponent(whole);
  if (wholeFloat)
    return digits(part) <= digits(whole) && digits(part) < largestExponent(whole);
  bool hasSign = part != ElementType::B1 && !isUnsigned(part);
  return (!hasSign || !isUnsigned(whole)) && digits(part) <= digits(whole);
}

/// cast(cast(x, to: u), to: v) is cast(x, to: v): nothing is lost in u, and from u to v the same is done as from x. (A
/// float becomes an integer by another rule than an integer does.)
static bool passesThrough(const Arguments &a) {
  auto typeOf = [&](unsigned number) {
    std::optional<RuleNumber> value = evaluate(a.list[number], a.binding);
    auto type = value ? dyn_cast_or_null<TypeAttr>(value->other) : TypeAttr();
    return type ? nn::toEquation(type.getValue()) : ElementType::Invalid;
  };
  ElementType x = a.element(0), u = typeOf(1), v = typeOf(2);
  return isPartOf(x, u) && (isFloat(x) || !isFloat(u) || isFloat(v) || isPartOf(x, v));
}

/// The dimensions that are not in `axes` come in the order they have.
static bool keepsOrder(ArrayRef<int64_t> permutation, ArrayRef<int64_t> axes) {
  SmallVector<int64_t, 6> kept;
  for (auto [d, from] : llvm::enumerate(permutation))
    if (!llvm::is_contained(axes, int64_t(d)))
      kept.push_back(from);
  return llvm::is_sorted(kept);
}

/// The extent of each of these dimensions is 1.
static bool areOnes(const Arguments &a) {
  SmallVector<Extent, 4> extents = nn::extentsOf(a.type(0));
  return allNumbers(a, 1, [&](int64_t d) { return d >= 0 && d < int64_t(extents.size()) && extents[d].is(1); });
}

/// Each of these dimensions has an element, whatever its symbols are.
static bool haveElements(const Arguments &a) {
  SmallVector<Extent, 4> extents = nn::extentsOf(a.type(0));
  return allNumbers(a, 1, [&](int64_t d) {
    return d >= 0 && d < int64_t(extents.size()) && (extents[d] - Extent(1)).knownNonNegative();
  });
}

/// A slice from these positions by these steps to this shape reads elements of the tensor, whatever its symbols are.
static bool staysInside(const Arguments &a) {
  SmallVector<Extent, 4> extents = nn::extentsOf(a.type(0));
  std::optional<RuleNumber> start = evaluate(a.list[1], a.binding), step = evaluate(a.list[2], a.binding),
                            out = evaluate(a.list[3], a.binding);
  if (!start || !step || !out)
    return false;
  return llvm::all_of(llvm::zip_equal(extents, start->numbers, step->numbers, out->numbers), [](auto axis) {
    const auto &[extent, first, by, count] = axis;
    Extent last = first + (count - Extent(1)) * by;
    return count.is(0) || llvm::all_of(ArrayRef{first, last}, [&](const Extent &place) {
             return place.knownNonNegative() && (extent - Extent(1) - place).knownNonNegative();
           });
  });
}

/// An expansion to this shape only repeats: each dimension is the same, or one element.
static bool onlyRepeats(const Arguments &a) {
  SmallVector<Extent, 4> extents = nn::extentsOf(a.type(0));
  std::optional<RuleNumber> shape = evaluate(a.list[1], a.binding);
  if (!shape || !shape->isList || shape->numbers.size() < extents.size())
    return false;
  return llvm::all_of(llvm::zip_equal(extents, ArrayRef(shape->numbers).take_back(extents.size())),
                      [](auto pair) { return std::get<0>(pair).is(1) || std::get<0>(pair) == std::get<1>(pair); });
}

static bool swapsLastTwo(const Arguments &a) {
  std::optional<SmallVector<int64_t, 6>> perm = a.numbers(0);
  if (!perm || perm->size() < 2)
    return false;
  std::swap(perm->back(), (*perm)[perm->size() - 2]);
  return isIdentity(*perm);
}

/// A window as large as the image, alone.
static bool coversImage(const Arguments &a) {
  std::optional<RuleNumber> kernel = evaluate(a.list[0], a.binding), dims = evaluate(a.list[1], a.binding);
  return kernel && dims && kernel->isList && dims->isList && kernel->numbers == dims->numbers;
}

static bool movesNothingAtAll(const Arguments &a) {
  std::optional<SmallVector<int64_t, 6>> perm = a.numbers(1);
  return perm && movesNothing(*perm, a.type(0).getShape());
}

static int64_t count(const Arguments &a, unsigned number) {
  return a.type(number).hasStaticShape() ? a.type(number).getNumElements() : INT64_MAX;
}

static constexpr Entry table[] = {
    // Of types and shapes.
    {"float", 1, [](const Arguments &a) { return largestExponent(a.element(0)) != 0; }},
    {"integer", 1, [](const Arguments &a) { return isInteger(a.element(0)); }},
    {"signed", 1,
     [](const Arguments &a) {
       return largestExponent(a.element(0)) != 0 || (isInteger(a.element(0)) && !isUnsigned(a.element(0)));
     }},
    {"boolean", 1, [](const Arguments &a) { return a.element(0) == ElementType::B1; }},
    {"same_shape", 2, [](const Arguments &a) { return nn::extentsOf(a.type(0)) == nn::extentsOf(a.type(1)); }},
    {"same_rank", 2, [](const Arguments &a) { return a.type(0).getRank() == a.type(1).getRank(); }},
    {"passes", 3, passesThrough},
    // The result has no more elements than this.
    {"shrinks", 1,
     [](const Arguments &a) {
       auto result = cast<RankedTensorType>(a.binding.root->getResult(0).getType());
       return result.hasStaticShape() && result.getNumElements() <= count(a, 0) && count(a, 0) != INT64_MAX;
     }},
    // Of constants.
    {"constant", 1, [](const Arguments &a) { return a.constant(0) && count(a, 0) <= Arguments::limit; }},
    {"small", 2,
     [](const Arguments &a) {
       return a.constant(0) && a.constant(1) && count(a, 0) <= Arguments::limit / std::max<int64_t>(count(a, 1), 1);
     }},
    {"scalar", 1, [](const Arguments &a) { return count(a, 0) == 1; }},
    {"moderate", 1,
     [](const Arguments &a) {
       int limit = largestExponent(a.element(0));
       return limit != 0 && allElements(a, 0, [=](double x) { return isModerate(x, limit); });
     }},
    {"invertible", 1,
     [](const Arguments &a) {
       int limit = largestExponent(a.element(0));
       return limit != 0 && allElements(a, 0, [=](double x) { return isInvertible(x, limit); });
     }},
    {"power_of_two", 1, [](const Arguments &a) { return allElements(a, 0, isPowerOfTwo); }},
    {"positive", 1, [](const Arguments &a) { return allElements(a, 0, [](double x) { return x > 0; }); }},
    // Of values that are not known.
    {"never_negative", 1, [](const Arguments &a) { return isNeverNegative(a.value(0)); }},
    // Of attributes.
    {"nonneg", 1, [](const Arguments &a) { return allNumbers(a, 0, [](int64_t n) { return n >= 0; }); }},
    {"zeros", 1, [](const Arguments &a) { return allNumbers(a, 0, [](int64_t n) { return n == 0; }); }},
    {"ones", 2, areOnes},
    {"repeats", 2, onlyRepeats},
    {"inside", 4, staysInside},
    {"nonempty", 2, haveElements},
    {"moves_nothing", 2, movesNothingAtAll},
    {"keeps_order", 2,
     [](const Arguments &a) {
       auto permutation = a.numbers(0), axes = a.numbers(1);
       return permutation && axes && keepsOrder(*permutation, *axes);
     }},
    {"swaps_last_two", 1, swapsLastTwo},
    {"covers", 2, coversImage},
};

bool optimize::isCondition(StringRef name) {
  return name == "alone" || llvm::any_of(table, [&](const Entry &entry) { return entry.name == name; });
}

bool optimize::holds(const eq::RuleCondition &condition, const RuleBinding &binding) {
  for (const Entry &entry : table)
    if (entry.name == condition.name && entry.arguments == condition.arguments.size())
      return entry.predicate({binding, condition.arguments});
  llvm::report_fatal_error("there is no condition '" + llvm::Twine(condition.text) + "'");
}

//===- Constant.cpp - values that need no input, or only its shape -----------===//
#include "kumiko/Import/Onnx/Real.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

Results importConstant(NodeContext &n) {
  if (const TensorProto *tensor = n.tensor("value"))
    return {n.constantOf(*tensor)};
  if (std::optional<int64_t> value = n.integer("value_int"))
    return {n.constantOf({*value}, {})};
  if (std::optional<Ints> list = n.integers("value_ints"))
    return {n.constantOf(*list, {int64_t(list->size())})};
  if (std::optional<double> value = n.real("value_float"))
    return {n.constantOfReals({float(*value)}, {})};
  if (std::optional<ArrayRef<float>> list = n.reals("value_floats"))
    return {n.constantOfReals(*list, {int64_t(list->size())})};
  if (const SparseTensor *tensor = n.sparse("sparse_value"))
    return {n.constantOf(*tensor)};
  if (n.has("value_string") || n.has("value_strings"))
    n.fail(Code::UnsupportedType, "strings are not supported");
  else if (!n.failed())
    n.fail(Code::AttributeMissing, "the value is missing");
  return {};
}

Results importConstantOfShape(NodeContext &n) {
  std::optional<Sizes> shape = n.sizes(0, "shape");
  const TensorProto *value = n.tensor("value");
  if (!shape || n.failed())
    return {};
  if (any_of(*shape, [](const Extent &size) { return size.isStatic() && size.value() < 0; })) {
    n.fail(Code::OperandValue, "the shape has a negative number");
    return {};
  }
  if (!value)
    return {n.filled(FloatAttr::get(n.builder().getF32Type(), 0), n.builder().getF32Type(), *shape)};
  // A constant of one element, repeated: takes no memory whatever the shape.
  Value one = n.constantOf(*value);
  if (!one)
    return {};
  auto dense = dyn_cast<DenseElementsAttr>(one.getDefiningOp<nn::ConstantOp>().getValue());
  if (!dense || dense.getNumElements() != 1) {
    n.fail(Code::AttributeValue, "value must have exactly one element");
    return {};
  }
  mlir::Attribute element = *dense.getValues<mlir::Attribute>().begin();
  one.getDefiningOp()->erase();
  return {n.filled(element, dense.getElementType(), *shape)};
}

Results importShape(NodeContext &n) {
  Sizes shape = n.sizesOf(n.input(0));
  int64_t rank = shape.size();
  auto bound = [&](int64_t position) {
    return std::clamp<int64_t>(position < 0 ? position + rank : position, 0, rank);
  };
  int64_t start = bound(n.integer("start", 0)), end = std::max(bound(n.integer("end", rank)), start);
  return {n.numbersOf(ArrayRef(shape).slice(start, end - start), {end - start})};
}

Results importSize(NodeContext &n) { return {n.numbersOf({n.elementsOf(n.input(0))}, {})}; }

/// How many numbers from `start` in steps of `delta` come before `limit`; empty when there is no end to them.
std::optional<int64_t> rangeLength(const Tensor &start, const Tensor &limit, const Tensor &delta) {
  if (isFloat(start.element())) {
    double length = std::ceil((valueAt(limit, 0) - valueAt(start, 0)) / valueAt(delta, 0));
    if (!(length < 9e15))
      return std::nullopt;
    return std::max<int64_t>(int64_t(std::max(length, 0.0)), 0);
  }
  __int128 from = integerAt(start, 0), to = integerAt(limit, 0), step = integerAt(delta, 0);
  if (step == 0)
    return std::nullopt;
  __int128 distance = step > 0 ? to - from : from - to, size = step > 0 ? step : -step;
  __int128 length = distance <= 0 ? 0 : (distance + size - 1) / size;
  return length < (__int128(1) << 62) ? std::optional(int64_t(length)) : std::nullopt;
}

/// The length of a range of integers that follow from shapes; nothing where one does not, or delta is no number.
std::optional<Extent> lengthFromShapes(NodeContext &n) {
  if (!n.followsFromShapes(0) || !n.followsFromShapes(1) || !n.followsFromShapes(2))
    return std::nullopt;
  std::optional<Sizes> start = n.sizes(0, "start"), limit = n.sizes(1, "limit"), delta = n.sizes(2, "delta");
  if (n.failed() || start->size() != 1 || limit->size() != 1 || delta->size() != 1 || !delta->front().isStatic() ||
      delta->front().is(0))
    return std::nullopt;
  int64_t step = delta->front().value();
  Extent distance = step > 0 ? limit->front() - start->front() : start->front() - limit->front();
  return ceilDiv(max(distance, 0), step > 0 ? step : -step);
}

/// The same of numbers that only a run can tell: -floor((start - limit) / delta), in f64.
Extent lengthFromData(NodeContext &n) {
  Real start(n, n.input(0)), limit(n, n.input(1)), delta(n, n.input(2));
  return wholeOf(n, max(0 - floor((start - limit) / delta), 0));
}

Results importRange(NodeContext &n) {
  bool inFloat = n.integer("stash_type", 1) == 1;
  auto isScalar = [&](size_t number) {
    Value x = n.input(number);
    return x && n.elementOf(x) == n.elementOf(n.input(0)) && n.agree(n.elementsOf(x), 1, "a range has scalars");
  };
  if (!n.input(0) || !isScalar(0) || !isScalar(1) || !isScalar(2)) {
    n.fail(Code::OperandShape, "start, limit and delta must be scalars of one type");
    return {};
  }
  std::optional<Extent> length;
  if (n.interprets() || !n.takesSymbols() || n.isConstant({0, 1, 2})) {
    std::optional<Tensor> start = n.constant(0, "start"), limit = n.constant(1, "limit"),
                          delta = n.constant(2, "delta");
    if (n.failed())
      return {};
    length = rangeLength(*start, *limit, *delta);
    if (!length) {
      n.fail(Code::OperandValue, "the range has no end").helped("delta must not be 0, and all three must be finite");
      return {};
    }
  } else {
    length = lengthFromShapes(n);
    length = length ? *length : lengthFromData(n);
  }
  if (n.failed() || !n.typeOf({*length}, n.elementOf(n.input(0))))
    return {};
  Value first = n.reshape(n.input(0), {}), step = n.reshape(n.input(2), {});
  mlir::Type element = n.elementOf(first);
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() < 32 && inFloat) {
    first = n.cast(first, n.builder().getF32Type());
    step = n.cast(step, n.builder().getF32Type());
  }
  Value y = n.make("range", {first, step}, {n.is("n", *length)});
  return {n.failed() ? Value() : n.cast(y, element)};
}

/// Row and column numbers of the last two dimensions, as [rows, 1] and [columns].
std::pair<Value, Value> rowsAndColumns(NodeContext &n, Value x) {
  mlir::Type i64 = n.builder().getI64Type();
  auto count = [&](const Extent &size) {
    return n.make("range", {n.scalar(0, i64), n.scalar(1, i64)}, {n.is("n", size)});
  };
  Sizes sizes = n.sizesOf(x);
  const Extent &rows = sizes[sizes.size() - 2], &columns = sizes.back();
  Value row = count(rows);
  return {row ? n.reshape(row, {rows, 1}) : row, count(columns)};
}

Results importEyeLike(NodeContext &n) {
  int64_t offset = n.integer("k", 0);
  std::optional<int64_t> number = n.integer("dtype");
  if (!n.expectRank(0, 2, 2))
    return {};
  std::optional<ElementType> to =
      number ? elementTypeOf(static_cast<DataType>(*number)) : nn::toEquation(n.elementOf(n.input(0)));
  if (!to) {
    n.fail(Code::UnsupportedType, "dtype " + Twine(*number) + " is not supported");
    return {};
  }
  auto [row, column] = rowsAndColumns(n, n.input(0));
  Value shifted = n.make("add", {row, n.constantOf({offset}, {})});
  Value equal = n.make("eq", {shifted, column});
  return {n.failed() ? Value() : n.cast(equal, nn::fromEquation(n.context(), *to))};
}

Results importTrilu(NodeContext &n) {
  bool upper = n.flag("upper", true);
  if (!n.expectRank(0, 2))
    return {};
  Value x = n.input(0), offset = n.input(1);
  auto [row, column] = rowsAndColumns(n, x);
  if (offset)
    row = n.make("add", {row, n.reshape(offset, {})});
  Value keep = upper ? n.make("le", {row, column}) : n.make("le", {column, row});
  return {n.make("select", {keep, x, n.scalar(0, x)})};
}

constexpr OpCode codes[] = {
    {"Constant", 0, 0, 1, importConstant}, {"ConstantOfShape", 1, 1, 1, importConstantOfShape},
    {"EyeLike", 1, 1, 1, importEyeLike},   {"Range", 3, 3, 1, importRange},
    {"Shape", 1, 1, 1, importShape},       {"Size", 1, 1, 1, importSize},
    {"Trilu", 1, 2, 1, importTrilu},
};

} // namespace

ArrayRef<OpCode> constantOps() { return codes; }

} // namespace kumiko::onnx

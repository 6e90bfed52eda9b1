//===- NodeMake.cpp - the half of NodeContext that makes nn ops --------------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

OpBuilder &NodeContext::builder() { return importer.builder; }
MLIRContext *NodeContext::context() { return importer.builder.getContext(); }

NamedAttribute NodeContext::is(StringRef name, int64_t value) {
  return builder().getNamedAttr(name, builder().getI64IntegerAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, double value) {
  return builder().getNamedAttr(name, builder().getF64FloatAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, bool value) {
  return builder().getNamedAttr(name, builder().getBoolAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, ArrayRef<int64_t> value) {
  return builder().getNamedAttr(name, builder().getDenseI64ArrayAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, const Extent &value) {
  return builder().getNamedAttr(name, nn::numberAttr(context(), value.overflowed() ? Extent(0) : value));
}
NamedAttribute NodeContext::is(StringRef name, ArrayRef<Extent> value) {
  Sizes sizes(value);
  for (Extent &size : sizes)
    if (size.overflowed()) {
      fail(Code::TooLarge, "attribute '" + name + "' does not fit in 64 bits");
      size = 0;
    }
  return builder().getNamedAttr(name, nn::numbersAttr(context(), sizes));
}
NamedAttribute NodeContext::is(StringRef name, StringRef value) {
  return builder().getNamedAttr(name, builder().getStringAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, mlir::Type value) {
  return builder().getNamedAttr(name, TypeAttr::get(value));
}

RankedTensorType NodeContext::typeOf(const SizeList &shape, mlir::Type element) {
  // What symbols multiply is checked when the model runs.
  Ints numbers;
  bool fits = true;
  for (const Extent &size : shape.list()) {
    numbers.push_back(size.isStatic() ? size.value() : 1);
    fits &= !size.overflowed();
  }
  std::string why = fits ? refusalOf(nn::toEquation(element), numbers, importer.options.tensorLimit)
                         : "an extent does not fit in 64 bits";
  if (!why.empty()) {
    fail(Code::TooLarge, "the result is too large: " + why)
        .helped("a value may take " + Twine(importer.options.tensorLimit) + " bytes");
    return {};
  }
  return nn::tensorOf(shape, element);
}

Results NodeContext::makeAll(StringRef op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  if (failed() || !typesAgree(nn::lookupEquation(op, attributes), operands))
    return {};
  std::string why;
  bool equation = nn::lookupEquation(op, attributes);
  FailureOr<Operation *> made = equation ? nn::buildEquationOp(builder(), loc, op, operands, attributes, why)
                                         : nn::buildIrregularOp(builder(), loc, op, operands, attributes, why);
  if (mlir::failed(made)) {
    explain(op, operands, attributes, why);
    return {};
  }
  auto isOpen = [](mlir::Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return !tensor.hasStaticShape() && !tensor.getEncoding();
  };
  if (any_of((*made)->getResultTypes(), isOpen)) {
    bool isKnown = all_of((*made)->getOperands(), [&](Value operand) { return importer.valueOf(operand).has_value(); });
    if (isKnown || interprets() || !importer.options.symbols)
      return computeNow(*made);
    made = withDataSymbol(*made);
    if (mlir::failed(made))
      return {};
  }
  collectChecks(*made);
  for (mlir::Type type : (*made)->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!typeOf(ArrayRef<Extent>(nn::extentsOf(tensor)), tensor.getElementType())) {
      (*made)->erase();
      return {};
    }
  }
  return Results((*made)->getResults());
}

Results NodeContext::computeNow(Operation *op) {
  Results results;
  for (Value operand : op->getOperands()) {
    if (importer.valueOf(operand))
      continue;
    op->erase();
    if (importer.interpretation)
      fail(Code::OperandValue, importer.whyUnknown);
    else
      fail(Code::NotConstant, "the size of the result depends on values that are not known when compiling")
          .helped("give the node an input that follows from constants or shapes; such sizes are not compiled yet");
    return {};
  }
  GraphOptions how = importer.evaluation();
  how.unusedResults = true;
  auto computed = evaluateOp(op, [&](Value operand) -> const SharedTensor & { return importer.folded[operand]; }, how);
  if (!computed)
    failEvaluation(computed.takeError());
  else
    for (auto [result, tensor] : zip_equal(op->getResults(), *computed)) {
      ElementType declared = nn::toEquation(elementOf(result));
      results.push_back(importer.interpretation ? importer.temporary(Datum::of(std::move(tensor), declared))
                                                : importer.constant(tensor, loc));
    }
  op->erase();
  return results;
}

Value NodeContext::make(StringRef op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  Results results = makeAll(op, operands, attributes);
  return results.empty() ? Value() : results.front();
}

Value NodeContext::reshape(Value x, const SizeList &shape) {
  if (failed() || sizesOf(x) == shape.list())
    return x;
  RankedTensorType type = typeOf(shape, elementOf(x));
  if (!type)
    return {};
  Extent before = elementsOf(x), after = product(shape.list());
  if (!agree(before, after, "a reshape keeps the number of elements")) {
    if (!failed())
      fail(Code::OperandShape, "cannot give " + describe(x.getType()) + " the shape of " + describe(type) +
                                   ": the number of elements differs")
          .helped(before.str() + " elements cannot become " + after.str());
    return {};
  }
  return nn::ReshapeOp::create(builder(), loc, type, x);
}

Value NodeContext::cast(Value x, mlir::Type element) {
  if (failed() || elementOf(x) == element)
    return x;
  return make("cast", {x}, {is("to", element)});
}

Value NodeContext::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (failed() || llvm::equal(permutation, seq<int64_t>(0, permutation.size())))
    return x;
  return make("transpose", {x}, {is("perm", permutation)});
}

Value NodeContext::scalar(double value, mlir::Type element) {
  if (failed())
    return {};
  auto type = RankedTensorType::get({}, element);
  if (element.isInteger(1))
    return nn::ConstantOp::create(builder(), loc, DenseElementsAttr::get(type, value != 0));
  // By our own conversion: it has an answer for every number and every type.
  ElementType to = nn::toEquation(element);
  uint8_t from[sizeof(double)], bytes[sizeof(double)];
  std::memcpy(from, &value, sizeof(double));
  convertElements(from, ElementType::F64, bytes, to, 1);
  ArrayRef<char> raw(reinterpret_cast<const char *>(bytes), bytesOf(to));
  return nn::ConstantOp::create(builder(), loc, DenseElementsAttr::getFromRawBuffer(type, raw));
}

Value NodeContext::filled(mlir::Attribute value, mlir::Type element, const SizeList &shape) {
  RankedTensorType type = failed() ? RankedTensorType() : typeOf(shape, element);
  if (!type)
    return {};
  // As a constant it would be stored; a file of a few bytes must not make gigabytes of weights.
  constexpr int64_t storedElements = 1 << 16;
  if (!type.hasStaticShape() || type.getNumElements() > storedElements) {
    auto one = DenseElementsAttr::get(RankedTensorType::get({}, element), value);
    Value single = nn::ConstantOp::create(builder(), loc, cast<RankedTensorType>(one.getType()), one);
    return make("expand", {single}, {is("shape", shape.list())});
  }
  return nn::ConstantOp::create(builder(), loc, DenseElementsAttr::get(type, value));
}

Value NodeContext::constantOf(ArrayRef<int64_t> list, ArrayRef<int64_t> shape) {
  if (failed())
    return {};
  auto type = RankedTensorType::get(shape, builder().getI64Type());
  return nn::ConstantOp::create(builder(), loc, DenseElementsAttr::get(type, list));
}

Value NodeContext::constantOfReals(ArrayRef<float> list, ArrayRef<int64_t> shape) {
  RankedTensorType type = failed() ? RankedTensorType() : typeOf(shape, builder().getF32Type());
  return type ? nn::ConstantOp::create(builder(), loc, DenseElementsAttr::get(type, list)) : Value();
}

Value NodeContext::constantOf(const TensorProto &tensor) {
  auto tell = [&](Code code, const Twine &what) -> Problem & { return fail(code, what); };
  return failed() ? Value() : importer.constant(tensor, loc, /*fromNode=*/true, tell);
}

Value NodeContext::constantOf(const SparseTensor &tensor) {
  auto tell = [&](Code code, const Twine &what) -> Problem & { return fail(code, what); };
  return failed() ? Value() : importer.constant(tensor, loc, tell);
}

} // namespace kumiko::onnx

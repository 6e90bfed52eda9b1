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
NamedAttribute NodeContext::is(StringRef name, StringRef value) {
  return builder().getNamedAttr(name, builder().getStringAttr(value));
}
NamedAttribute NodeContext::is(StringRef name, mlir::Type value) {
  return builder().getNamedAttr(name, TypeAttr::get(value));
}

RankedTensorType NodeContext::typeOf(ArrayRef<int64_t> shape, mlir::Type element) {
  if (std::string why = refusalOf(nn::toEquation(element), shape, importer.options.tensorLimit); !why.empty()) {
    fail(Code::TooLarge, "the result is too large: " + why)
        .helped("a value may take " + Twine(importer.options.tensorLimit) + " bytes");
    return {};
  }
  return RankedTensorType::get(shape, element);
}

Results NodeContext::makeAll(StringRef op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  if (failed() || !typesAgree(op, operands))
    return {};
  std::string why;
  bool equation = nn::lookupEquation(op);
  FailureOr<Operation *> made = equation ? nn::buildEquationOp(builder(), loc, op, operands, attributes, why)
                                         : nn::buildIrregularOp(builder(), loc, op, operands, attributes, why);
  if (mlir::failed(made)) {
    explain(op, operands, attributes, why);
    return {};
  }
  auto isOpen = [](mlir::Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); };
  if (any_of((*made)->getResultTypes(), isOpen))
    return computeNow(*made);
  for (mlir::Type type : (*made)->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!typeOf(tensor.getShape(), tensor.getElementType())) {
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

Value NodeContext::reshape(Value x, ArrayRef<int64_t> shape) {
  if (failed() || shapeOf(x) == shape)
    return x;
  RankedTensorType type = typeOf(shape, elementOf(x));
  if (!type)
    return {};
  if (cantFail(elementCount(shape)) != countOf(x)) {
    fail(Code::OperandShape, "cannot give " + describe(x.getType()) + " the shape of " + describe(type) +
                                 ": the number of elements differs")
        .helped(Twine(countOf(x)) + " elements cannot become " + Twine(cantFail(elementCount(shape))));
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

Value NodeContext::filled(mlir::Attribute value, mlir::Type element, ArrayRef<int64_t> shape) {
  RankedTensorType type = failed() ? RankedTensorType() : typeOf(shape, element);
  if (!type)
    return {};
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

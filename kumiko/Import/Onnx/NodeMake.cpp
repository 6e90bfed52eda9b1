//===- NodeMake.cpp - the half of NodeContext that makes nn ops --------------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Build.h"
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
  FailureOr<Operation *> made = nn::buildEquationOp(builder(), loc, op, operands, attributes, why);
  if (mlir::failed(made)) {
    explain(op, operands, attributes, why);
    return {};
  }
  for (mlir::Type type : (*made)->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!typeOf(tensor.getShape(), tensor.getElementType())) {
      (*made)->erase();
      return {};
    }
  }
  return Results((*made)->getResults());
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

Value NodeContext::constantOf(const TensorProto &tensor) {
  auto tell = [&](Code code, const Twine &what) -> Problem & { return fail(code, what); };
  return failed() ? Value() : importer.constant(tensor, loc, /*fromNode=*/true, tell);
}

} // namespace kumiko::onnx

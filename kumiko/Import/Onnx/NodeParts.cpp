//===- NodeParts.cpp - the half of NodeContext for bodies, parts and lists ------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

bool NodeContext::interprets() const { return importer.interpretation != nullptr; }

Value NodeContext::known(Value x) {
  if (failed() || !interprets())
    return x;
  if (!importer.valueOf(x)) {
    fail(Code::OperandValue, importer.whyUnknown);
    return {};
  }
  return importer.temporary(importer.datumOf(x));
}

std::optional<Results> NodeContext::run(const Graph &body, ArrayRef<Value> arguments) {
  return importer.importBody(*this, body, arguments);
}

bool NodeContext::anotherTurn(const Graph &body) { return !failed() && importer.countTurn(*this, body); }

void NodeContext::discard(Value value) {
  // What is not a temporary belongs to a name.
  if (interprets() && value.getParentBlock() == importer.interpretation->work)
    importer.release(value);
}

Value NodeContext::part(Value x, int64_t i) {
  if (failed())
    return {};
  ArrayRef<int64_t> shape = shapeOf(x), rest = shape.drop_front();
  if (!interprets()) {
    Ints start(shape.size(), 0), step(shape.size(), 1), out(shape);
    start[0] = i;
    out[0] = 1;
    return reshape(make("slice", {x}, {is("start", start), is("step", step), is("out", out)}), rest);
  }
  if (!importer.valueOf(x)) {
    fail(Code::OperandValue, importer.whyUnknown);
    return {};
  }
  SharedTensor whole = importer.folded[x].share();
  uint64_t size = whole.tensor.bytes().size() / shape[0];
  Tensor slice = cantFail(Tensor::view(whole.tensor.element(), rest, whole.tensor.bytes().slice(i * size, size)));
  return importer.temporary(Datum::of({whole.owner, std::move(slice)}, nn::toEquation(elementOf(x))));
}

Value NodeContext::stack(ArrayRef<Value> parts, RankedTensorType type) {
  if (!failed() && !parts.empty())
    type = dyn_cast<RankedTensorType>(parts.front().getType());
  if (!failed() && !type)
    fail(Code::OperandType, "only tensors can be collected over the turns of a loop");
  for (Value part : parts)
    if (!failed() && part.getType() != type)
      fail(Code::OperandShape, "one turn gives " + describe(type) + ", another " + describe(part.getType()))
          .helped("what is collected must have one shape in every turn");
  Ints shape{int64_t(parts.size())};
  append_range(shape, failed() ? ArrayRef<int64_t>() : type.getShape());
  RankedTensorType whole = failed() ? RankedTensorType() : typeOf(shape, type.getElementType());
  if (!whole)
    return {};
  if (!interprets() && !parts.empty()) {
    SmallVector<Value, 8> rows;
    shape[0] = 1;
    for (Value part : parts)
      rows.push_back(reshape(part, shape));
    return make("concat", rows, {is("axis", 0)});
  }
  if (!interprets())
    return filled(builder().getZeroAttr(type.getElementType()), type.getElementType(), shape);
  ElementType declared = nn::toEquation(type.getElementType());
  ElementType element = storedAs(declared, importer.interpretation->options.precision);
  Expected<Tensor> tensor = Tensor::zeros(element, shape, importer.options.tensorLimit);
  if (!tensor) {
    failEvaluation(tensor.takeError());
    return {};
  }
  uint8_t *to = tensor->mutableData();
  for (Value part : parts) {
    Datum row = importer.datumOf(part);
    convertElements(row.tensor.tensor.data(), row.tensor.tensor.element(), to, element, row.tensor.tensor.count());
    to += row.tensor.tensor.count() * bytesOf(element);
  }
  return importer.temporary(Datum::of(SharedTensor::own(std::move(*tensor)), declared));
}

Datum NodeContext::datumOf(Value value) { return importer.datumOf(value); }

Value NodeContext::valueOf(Datum datum) {
  Interpretation &run = *importer.interpretation;
  run.points += datum.list().size(); // lists are copied item by item
  if (run.points > run.options.limits.points) {
    fail(Code::TooLarge, "the lists of the model are longer than " + Twine(run.options.limits.points) + " together");
    return {};
  }
  return importer.temporary(std::move(datum));
}

} // namespace kumiko::onnx

//===- Values.cpp - names to values, tensors to constants and back -----------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// Up to here a constant is written out in the IR, where it can be read.
static constexpr int64_t readableElements = 16;
/// Results of folding above this are left to compiled code.
static constexpr uint64_t foldLimit = uint64_t(1) << 20;

Value GraphImporter::lookup(Scope &scope, StringRef name) {
  auto entry = scope.values.find(name);
  if (entry == scope.values.end())
    return {};
  // Weights become ops where they are first needed.
  if (!entry->second.value && entry->second.origin.kind == Origin::Kind::Initializer) {
    const TensorProto &tensor = model.graph.initializers[entry->second.origin.number];
    auto tell = [&](Code code, const Twine &what) -> Problem & {
      return report(code, "initializer \"" + printable(name) + "\": " + what);
    };
    entry->second.value = constant(tensor, NameLoc::get(builder.getStringAttr(name)), /*fromNode=*/false, tell);
    if (!entry->second.value) // reported once; afterwards it is a value that failed
      entry->second.origin.kind = Origin::Kind::Failed;
  }
  return entry->second.value;
}

Value GraphImporter::constant(const TensorProto &tensor, Location loc, bool fromNode, Report tell) {
  std::optional<TensorData> data = dataOf(tensor, *file, options.tensorLimit, tell);
  if (!data)
    return {};
  mlir::Type element = nn::fromEquation(builder.getContext(), data->element);
  auto type = RankedTensorType::get(data->shape, element);
  ArrayRef<char> bytes(data->bytes.data(), data->bytes.size());
  ElementsAttr value;
  if (type.getNumElements() > readableElements) {
    // The blob looks at the file and keeps it mapped; nothing is copied.
    auto release = [owner = file](void *, size_t, size_t) {};
    AsmResourceBlob blob(bytes, /*dataAlignment=*/1, std::move(release), /*dataIsMutable=*/false);
    // Keys are made unique by counting up from 1, which a file full of equal names would make slow; so we count.
    std::string key = fromNode ? (tensor.name + "." + Twine(nodeConstants++)).str() : tensor.name.str();
    value = DenseResourceElementsAttr::get(type, key, std::move(blob));
  } else if (data->element == ElementType::B1) {
    SmallVector<bool> bools(map_range(bytes, [](char byte) { return byte != 0; }));
    value = DenseElementsAttr::get(type, bools);
  } else {
    value = DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return nn::ConstantOp::create(builder, loc, value);
}

/// Computes one op whose operands are all in `folded`; false when it cannot be.
bool GraphImporter::foldOne(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    // A constant is there already.
    uint64_t limit = isa<nn::ConstantOp>(op) ? options.tensorLimit : foldLimit;
    if (auto size = byteSize(nn::toEquation(type.getElementType()), type.getShape(), limit); !size)
      return consumeError(size.takeError()), false;
  }
  GraphOptions evaluation;
  evaluation.limits.bytes = 16 * foldLimit;
  evaluation.limits.points = uint64_t(1) << 24;
  evaluation.unusedResults = true;
  auto results = evaluateOp(op, [&](Value operand) -> const SharedTensor & { return folded[operand]; }, evaluation);
  if (!results)
    return consumeError(results.takeError()), false;
  for (auto [value, tensor] : zip_equal(op->getResults(), *results))
    folded[value] = std::move(tensor);
  return true;
}

std::optional<Tensor> GraphImporter::valueOf(Value wanted) {
  // Depth first, with a list of our own: chains in files can be longer than the stack.
  SmallVector<Value> open{wanted};
  while (!open.empty()) {
    Value value = open.back();
    if (folded.contains(value)) {
      open.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0)
      return std::nullopt;
    size_t before = open.size();
    for (Value operand : op->getOperands())
      if (!folded.contains(operand))
        open.push_back(operand);
    if (open.size() != before)
      continue;
    // References into the map are not kept across insertions: foldOne looks operands up when all of them are there.
    if (!foldOne(op))
      return std::nullopt;
  }
  return folded[wanted].tensor.alias();
}

} // namespace kumiko::onnx

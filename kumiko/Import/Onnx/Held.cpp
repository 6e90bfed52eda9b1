//===- Held.cpp - values that are known, in interpretation --------------------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Order.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// What a datum keeps in memory; weights and inputs are somebody else's.
static uint64_t bytesOf(const Datum &datum) {
  if (datum.isTensor())
    return datum.tensor.owner ? datum.tensor.tensor.bytes().size() : 0;
  uint64_t bytes = 0;
  for (const Datum &item : datum.list())
    bytes += sizeof(Datum) + bytesOf(item);
  return bytes;
}

Datum GraphImporter::datumOf(Value value) {
  if (auto list = interpretation->lists.find(value); list != interpretation->lists.end())
    return list->second.share();
  // A constant is computed when it is first needed.
  if (!folded.contains(value) && value.getDefiningOp<nn::ConstantOp>())
    (void)valueOf(value);
  auto tensor = folded.find(value);
  if (tensor == folded.end())
    return {};
  mlir::Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return Datum::of(tensor->second.share(), nn::toEquation(element));
}

Value GraphImporter::standIn(Datum datum, Block *block) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  mlir::Type type = builder.getNoneType();
  if (datum.isTensor())
    type = RankedTensorType::get(datum.tensor.tensor.shape(), nn::fromEquation(builder.getContext(), datum.declared));
  Location loc = builder.getUnknownLoc();
  Value value = UnrealizedConversionCastOp::create(builder, loc, type, ValueRange()).getResult(0);
  interpretation->heldBytes += bytesOf(datum);
  if (datum.isTensor())
    folded[value] = std::move(datum.tensor);
  else
    interpretation->lists[value] = std::move(datum);
  return value;
}

Value GraphImporter::keep(Value value) {
  if (!interpretation || !value)
    return value;
  return standIn(datumOf(value), interpretation->held);
}

Value GraphImporter::temporary(Datum datum) { return standIn(std::move(datum), interpretation->work); }

/// Forgets what is known about the results of `op` and removes it; not while somebody reads it.
void GraphImporter::release(Value value) {
  Operation *op = interpretation && value ? value.getDefiningOp() : nullptr;
  if (!op || !op->use_empty())
    return;
  bool counted = isa<UnrealizedConversionCastOp>(op);
  for (Value result : op->getResults()) {
    if (counted)
      interpretation->heldBytes -= bytesOf(datumOf(result));
    folded.erase(result);
    interpretation->lists.erase(result);
  }
  op->erase();
}

void GraphImporter::releaseAll(Scope &scope) {
  if (!interpretation)
    return;
  for (auto &[name, entry] : scope.values)
    release(std::exchange(entry.value, Value()));
}

void GraphImporter::releaseAfter(Scope &scope, const Node &node) {
  auto drop = [&](StringRef name) {
    if (auto entry = scope.values.find(name); entry != scope.values.end())
      release(std::exchange(entry->second.value, Value()));
  };
  for (StringRef name : needsOf(node))
    if (auto uses = scope.uses.find(name); uses != scope.uses.end() && --uses->second == 0)
      drop(name);
  for (StringRef name : node.outputs)
    if (!name.empty() && !scope.uses.contains(name))
      drop(name);
}

Operation *GraphImporter::workSoFar() {
  return interpretation && !interpretation->work->empty() ? &interpretation->work->back() : nullptr;
}

void GraphImporter::clearWork(Operation *before) {
  Block &work = *interpretation->work;
  // Readers come after what they read.
  while (!work.empty() && &work.back() != before) {
    if (work.back().getNumResults() == 0)
      work.back().erase();
    else
      release(work.back().getResult(0));
  }
}

/// Computes what the ops after `before` give for `wanted`, in order; each intermediate value goes with its last reader.
bool GraphImporter::computeWork(NodeContext &n, Operation *before, ArrayRef<Value> wanted) {
  // Stands for the readers of the node's outputs.
  auto sink = UnrealizedConversionCastOp::create(builder, n.location(), TypeRange(), wanted);
  Block &work = *interpretation->work;
  auto isKnown = [&](Value value) { return folded.contains(value) || interpretation->lists.contains(value); };
  SmallVector<Operation *> needed;
  llvm::DenseMap<Value, unsigned> readers;
  for (Operation *op = &work.back(); op && op != before; op = op->getPrevNode()) {
    bool read = op == sink || any_of(op->getResults(), [&](Value result) { return readers.contains(result); });
    if (!read || (op != sink && all_of(op->getResults(), isKnown)))
      continue;
    needed.push_back(op);
    for (Value operand : op->getOperands())
      ++readers[operand];
  }
  GraphOptions how = evaluation();
  for (Operation *op : reverse(needed)) {
    if (op == sink)
      break;
    for (Value operand : op->getOperands())
      if (!isKnown(operand))
        (void)datumOf(operand);
    auto results = evaluateOp(op, [&](Value operand) -> const SharedTensor & { return folded[operand]; }, how);
    if (!results) {
      n.failEvaluation(results.takeError());
      return false;
    }
    for (Value operand : op->getOperands())
      if (--readers[operand] == 0 && operand.getParentBlock() == &work &&
          operand.getDefiningOp()->getNumResults() == 1 && !isa<UnrealizedConversionCastOp>(operand.getDefiningOp()))
        folded.erase(operand);
    for (auto [value, tensor] : zip_equal(op->getResults(), *results))
      folded[value] = std::move(tensor);
  }
  sink->erase();
  return true;
}

bool GraphImporter::settle(NodeContext &n, Operation *before, MutableArrayRef<Value> results) {
  SmallVector<Value, 4> wanted;
  for (auto [number, result] : enumerate(results))
    if (n.wants(number))
      wanted.push_back(result);
  if (!computeWork(n, before, wanted))
    return false;
  for (auto [number, result] : enumerate(results))
    result = n.wants(number) ? keep(result) : Value();
  if (interpretation->heldBytes > interpretation->options.limits.heldBytes) {
    n.fail(Code::TooLarge, "the values that are still needed take more than " +
                               Twine(interpretation->options.limits.heldBytes) + " bytes");
    return false;
  }
  return true;
}

} // namespace kumiko::onnx

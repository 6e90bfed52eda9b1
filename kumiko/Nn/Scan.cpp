//===- Scan.cpp - recurrences ----------------------------------------------===//
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::nn;

/// The tensor type of extents; plain `?` where types have lost theirs.
static RankedTensorType typeOf(ArrayRef<kumiko::Extent> extents, Type element) {
  if (llvm::none_of(extents, std::mem_fn(&kumiko::Extent::overflowed)))
    return tensorOf(extents, element);
  auto shape = llvm::map_to_vector(
      extents, [](const kumiko::Extent &extent) { return extent.isStatic() ? extent.value() : ShapedType::kDynamic; });
  return RankedTensorType::get(shape, element);
}

RankedTensorType ScanOp::sliceOf(Type sequence) {
  auto type = cast<RankedTensorType>(sequence);
  return typeOf(ArrayRef(extentsOf(type)).drop_front(), type.getElementType());
}

RankedTensorType ScanOp::stackOf(const kumiko::Extent &steps, Type slice) {
  auto type = cast<RankedTensorType>(slice);
  SmallVector<kumiko::Extent> extents{steps};
  llvm::append_range(extents, extentsOf(type));
  return typeOf(extents, type.getElementType());
}

kumiko::Extent ScanOp::getSteps() {
  return extentsOf(cast<RankedTensorType>(getSequences().front().getType())).front();
}

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange states, ValueRange sequences,
                   ValueRange shared, TypeRange stacked, bool reverse) {
  state.addOperands(states);
  state.addOperands(sequences);
  state.addOperands(shared);
  state.addTypes(states.getTypes());
  state.addTypes(stacked);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {int32_t(states.size()), int32_t(sequences.size()), int32_t(shared.size())};
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Value value : states)
    block->addArgument(value.getType(), state.location);
  for (Value value : sequences)
    block->addArgument(sliceOf(value.getType()), state.location);
  for (Value value : shared)
    block->addArgument(value.getType(), state.location);
}

LogicalResult ScanOp::verify() {
  if (getSequences().empty()) // scan_c1
    return emitOpError() << "has no sequence, so nothing says how many steps there are";
  for (auto [number, sequence] : llvm::enumerate(getSequences().getTypes())) {
    auto type = cast<RankedTensorType>(sequence);
    if (type.getRank() == 0) // scan_c1
      return emitOpError() << "sequence " << number << " has no dimension to take apart: " << type;
    if (kumiko::Extent steps = extentsOf(type).front(); steps != getSteps()) // scan_c1
      return emitOpError() << "sequence " << number << " has " << steps.str() << " positions, the first has "
                           << getSteps().str();
  }
  return success();
}

/// The types on both sides; `what` says which they are.
static LogicalResult compareTypes(ScanOp scan, const Twine &what, TypeRange found, ArrayRef<Type> expected) {
  if (found.size() != expected.size())
    return scan.emitOpError() << "number of " << what.str() << "s: " << found.size() << " vs " << expected.size();
  for (auto [number, pair] : llvm::enumerate(llvm::zip(found, expected)))
    if (std::get<0>(pair) != std::get<1>(pair))
      return scan.emitOpError() << what.str() << " " << number << ": " << std::get<0>(pair) << " vs "
                                << std::get<1>(pair);
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  Block &block = getBody().front();
  SmallVector<Type> arguments(getStates().getTypes());
  for (Type sequence : getSequences().getTypes())
    arguments.push_back(sliceOf(sequence));
  llvm::append_range(arguments, getShared().getTypes());
  if (failed(compareTypes(*this, "argument", block.getArgumentTypes(), arguments))) // scan_c2
    return failure();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "its body does not end in nn.yield";
  SmallVector<Type> states(getStates().getTypes());
  TypeRange yielded = yield.getValues().getTypes(), results = getValues().getTypes();
  if (yielded.size() < states.size() || results.size() < states.size())
    return emitOpError() << "has " << states.size() << " states, but yields " << yielded.size() << " values and has "
                         << results.size() << " results";
  if (failed(compareTypes(*this, "yielded state", yielded.take_front(states.size()), states)) || // scan_c3
      failed(compareTypes(*this, "state result", results.take_front(states.size()), states)))
    return failure();
  SmallVector<Type> stacks;
  for (Type type : yielded.drop_front(states.size())) {
    auto slice = dyn_cast<RankedTensorType>(type);
    if (!slice)
      return emitOpError() << "yields a value that is no ranked tensor: " << type;
    stacks.push_back(stackOf(getSteps(), slice));
  }
  return compareTypes(*this, "stacked result", results.drop_front(states.size()), stacks); // scan_c4
}

//===- Reads.cpp - what a demand would read --------------------------------===//
#include "kumiko/Codegen/Cpu/Reads.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko::cpu;

void Reads::markOpaque(ArrayRef<Form> list) {
  for (const Form &form : list)
    for (auto [slot, coefficient] : form.terms)
      if (slot < opaque.size())
        opaque.set(slot);
}

void Reads::collect(Value tensor, ArrayRef<Form> position) {
  if (known.contains(tensor))
    return;
  auto type = cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (!op) {
    forms.push_back(offsetIn(tensor, position, &strides));
    return;
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    Position dims(generic.getNumLoops());
    AffineMap map = generic.getIndexingMapMatchingResult(cast<OpResult>(tensor));
    for (auto [expr, form] : llvm::zip_equal(map.getResults(), position))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims[dim.getPosition()] = form;
    SmallVector<unsigned> reduced;
    generic.getReductionDims(reduced);
    for (unsigned loop : reduced)
      dims[loop] = Form::ofSlot(nextSlot++);
    return collectBody(generic, dims);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    Position source;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    const Form *next = position.begin();
    for (auto [d, offset, stride] : llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
      source.push_back(dropped.test(d) ? Form(offset) : *next++ * stride + Form(offset));
    return collect(slice.getSource(), source);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    Position source;
    for (const auto &group : expand.getReassociationIndices()) {
      Form whole;
      for (int64_t d : group)
        whole = whole * type.getDimSize(d) + position[d];
      source.push_back(whole);
    }
    return collect(expand.getSrc(), source);
  }
  if (isa<tensor::BitcastOp, tensor::CastOp>(op))
    return collect(op->getOperand(0), position);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
      collapse && strides.empty() && !collapse.getSrc().getDefiningOp()) {
    forms.push_back(linearize(position, type.getShape()));
    return;
  }
  // Pads and inserts test their position, collapses divide it: leave these loops as they are.
  if (isa<tensor::PadOp, tensor::InsertSliceOp, tensor::CollapseShapeOp>(op))
    markOpaque(position);
}

void Reads::collectBody(linalg::GenericOp op, ArrayRef<Form> dims) {
  if (llvm::any_of(op.getBody()->getOperations(),
                   [](Operation &inner) { return isa<linalg::IndexOp, tensor::ExtractOp>(inner); }))
    markOpaque(dims);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getBody()->getArgument(input->getOperandNumber()).use_empty())
      continue;
    Position position;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      position.push_back(applyLinear(expr, dims).value_or(Form()));
    collect(input->get(), position);
  }
}

bool Reads::canMerge(unsigned outer, unsigned inner, int64_t innerExtent) const {
  if (opaque.test(outer) || opaque.test(inner))
    return false;
  return llvm::all_of(
      forms, [&](const Form &form) { return form.coefficientOf(outer) == form.coefficientOf(inner) * innerExtent; });
}

SmallVector<MergedLoop> kumiko::cpu::mergeLoops(const Reads &reads, ArrayRef<unsigned> loops,
                                                ArrayRef<int64_t> extents) {
  SmallVector<MergedLoop> merged;
  for (unsigned loop : llvm::reverse(loops)) {
    if (extents[loop] == 1)
      continue;
    if (!merged.empty() && reads.canMerge(loop, merged.back().loop, merged.back().extent))
      merged.back().extent *= extents[loop];
    else
      merged.push_back({loop, extents[loop]});
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

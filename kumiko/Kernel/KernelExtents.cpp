//===- KernelExtents.cpp - how long the tensors and loops of a kernel are --===//
#include "kumiko/Kernel/KernelExtents.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

Extent KernelExtents::ofIndex(OpFoldResult index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return *number;
  // Some ops give the attribute of a constant-like op in place of its value.
  if (auto attribute = dyn_cast<Attribute>(index))
    return nn::extentOf(attribute).value_or(Extent::overflow());
  auto op = cast<Value>(index).getDefiningOp<nn::ExtentOp>();
  return op ? op.getValue() : Extent::overflow();
}

Extents KernelExtents::ofIndices(ArrayRef<OpFoldResult> indices) {
  return llvm::map_to_vector<6>(indices, [](OpFoldResult index) { return ofIndex(index); });
}

ArrayRef<Extent> KernelExtents::of(Value tensor) {
  if (auto found = known.find(tensor); found != known.end())
    return *found->second;
  auto extents = std::make_unique<Extents>(compute(tensor));
  return *(known[tensor] = std::move(extents));
}

/// An argument's are an attribute of the kernel.
static Extents extentsOf(BlockArgument argument) {
  auto kernel = dyn_cast<nn::KernelOp>(argument.getOwner()->getParentOp());
  auto extents = kernel ? kernel.getArgAttrOfType<nn::ExtentsAttr>(argument.getArgNumber(), nn::extentsAttrName)
                        : nn::ExtentsAttr();
  size_t rank = cast<RankedTensorType>(argument.getType()).getRank();
  if (!extents || extents.getExtents().size() != rank)
    return Extents(rank, Extent::overflow());
  return Extents(extents.getExtents());
}

static Extents extentsOf(tensor::ExtractSliceOp op) {
  Extents extents;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(d))
      extents.push_back(KernelExtents::ofIndex(size));
  return extents;
}

Extents KernelExtents::compute(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return Extents(type.getShape().begin(), type.getShape().end());
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return extentsOf(argument);
  Operation *op = tensor.getDefiningOp();
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return Extents(of(destination.getTiedOpOperand(cast<OpResult>(tensor))->get()));
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return ofIndices(empty.getMixedSizes());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return ofIndices(getMixedValues(type.getShape(), splat.getDynamicSizes(), splat.getContext()));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return extentsOf(slice);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return ofIndices(expand.getMixedOutputShape());
  if (isa<tensor::BitcastOp, tensor::CastOp>(op))
    return Extents(of(op->getOperand(0)));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Extents inner(of(collapse.getSrc())), extents;
    for (const auto &group : collapse.getReassociationIndices()) {
      extents.push_back(1);
      for (int64_t d : group)
        extents.back() *= inner[d];
    }
    return extents;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Extents extents(of(pad.getSource()));
    for (auto [extent, low, high] : llvm::zip_equal(extents, pad.getMixedLowPad(), pad.getMixedHighPad()))
      extent = ofIndex(low) + extent + ofIndex(high);
    return extents;
  }
  return Extents(type.getRank(), Extent::overflow());
}

/// As linalg sees it: a loop is as long as a dimension that it alone walks along. A number says more than an
/// expression.
Extents KernelExtents::loopsOf(linalg::LinalgOp op) {
  Extents extents(op.getNumLoops(), Extent::overflow());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, extent] : llvm::zip_equal(map.getResults(), of(operand.get())))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        Extent &loop = extents[dim.getPosition()];
        if (loop.overflowed() || (!loop.isStatic() && extent.isStatic()))
          loop = extent;
      }
  }
  return extents;
}

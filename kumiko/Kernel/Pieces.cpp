//===- Pieces.cpp - a result as boxes to be written ------------------------===//
#include "kumiko/Kernel/Pieces.h"
#include "kumiko/Kernel/KernelShape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

Extents kumiko::rowMajorStrides(ArrayRef<Extent> shape) {
  Extents strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

/// The strides of a tensor whose dimensions were grouped, from those of the groups.
static Extents ungroup(ArrayRef<ReassociationIndices> groups, ArrayRef<Extent> strides, ArrayRef<Extent> shape) {
  Extents result(shape.size(), 0);
  for (const auto &[group, stride] : llvm::zip_equal(groups, strides)) {
    Extent step = stride;
    for (int64_t d : llvm::reverse(group)) {
      result[d] = step;
      step *= shape[d];
    }
  }
  return result;
}

/// Where the element at `low` of a box goes that starts at `piece`.
static Extent placeOf(const Piece &piece, ArrayRef<Extent> low) {
  Extent place = piece.constant;
  for (const auto &[offset, stride] : llvm::zip_equal(low, piece.strides))
    place += offset * stride;
  return place;
}

/// Whether an insertion goes into a tensor of nothing but insertions: then boxes that are written do not meet. Were the
/// rest written as a box of its own, chunks could write over what other chunks have inserted.
static bool isAssembled(tensor::InsertSliceOp insert) {
  while (insert && insert.getSourceType().getRank() == insert.getDestType().getRank() && insert.hasUnitStride()) {
    Operation *dest = insert.getDest().getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp>(dest))
      return true;
    insert = dyn_cast_or_null<tensor::InsertSliceOp>(dest);
  }
  return false;
}

namespace {
class Tracer {
public:
  Tracer(KernelExtents &extents, bool byRows) : extents(extents), byRows(byRows) {}

  void trace(const Piece &piece);

  Output output;

private:
  KernelExtents &extents;
  bool byRows;
  bool readInside = false; ///< the tensor at hand, or one that it becomes, is read by something else of the kernel
};
} // namespace

void Tracer::trace(const Piece &piece) {
  Operation *op = piece.source.getDefiningOp();
  readInside |= !piece.source.hasOneUse();
  // Rows that are read as a whole are written as a whole.
  bool opens = !byRows || !readInside;
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    Value value = pad.getConstantPaddingValue();
    // A border is filled in contiguous runs, so the padded box must be dense.
    Extents shape(extents.of(piece.source));
    if (opens && value && piece.strides == rowMajorStrides(shape)) {
      Extents low = KernelExtents::ofIndices(pad.getMixedLowPad());
      output.borders.push_back(
          {shape, low, Extents(extents.of(pad.getSource())), piece.strides, piece.constant, value});
      return trace({pad.getSource(), piece.strides, placeOf(piece, low)});
    }
  }
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op); opens && insert && isAssembled(insert)) {
    if (!insert.getDest().getDefiningOp<tensor::EmptyOp>())
      trace({insert.getDest(), piece.strides, piece.constant});
    Extent place = placeOf(piece, KernelExtents::ofIndices(insert.getMixedOffsets()));
    return trace({insert.getSource(), piece.strides, place});
  }
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    Extents strides = ungroup(collapse.getReassociationIndices(), piece.strides, extents.of(collapse.getSrc()));
    return trace({collapse.getSrc(), strides, piece.constant});
  }
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op); expand && onlyAddsUnitDimensions(expand)) {
    ArrayRef<Extent> shape = extents.of(piece.source);
    Extents strides;
    for (const auto &group : expand.getReassociationIndices()) {
      int64_t wide = group.back();
      for (int64_t d : group)
        if (!shape[d].is(1))
          wide = d;
      strides.push_back(piece.strides[wide]);
    }
    return trace({expand.getSrc(), strides, piece.constant});
  }
  output.pieces.push_back(piece);
}

Output kumiko::traceOutput(Value result, KernelExtents &extents, bool byRows, ArrayRef<Extent> strides) {
  Tracer tracer(extents, byRows);
  tracer.trace({result, Extents(strides), 0});
  return std::move(tracer.output);
}

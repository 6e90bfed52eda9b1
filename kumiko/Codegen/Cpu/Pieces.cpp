//===- Pieces.cpp - a result as boxes to be written ------------------------===//
#include "kumiko/Codegen/Cpu/Pieces.h"
#include "kumiko/Schedule/KernelShape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko::cpu;

Form Piece::offsetOf(ArrayRef<Form> position) const {
  Form offset(constant);
  for (auto [form, stride] : llvm::zip_equal(position, strides))
    offset = offset + form * stride;
  return offset;
}

/// The strides of a tensor whose dimensions were grouped, from those of the groups.
static SmallVector<int64_t> ungroup(ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> strides,
                                    ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape.size(), 0);
  for (auto [group, stride] : llvm::zip_equal(groups, strides)) {
    int64_t step = stride;
    for (int64_t d : llvm::reverse(group)) {
      result[d] = step;
      step *= shape[d];
    }
  }
  return result;
}

static void trace(const Piece &piece, Output &output) {
  Operation *op = piece.source.getDefiningOp();
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    TypedAttr value = kumiko::constantScalar(pad.getConstantPaddingValue());
    // A border is filled in contiguous runs, so the padded box must be dense.
    bool dense = ArrayRef(piece.strides) == ArrayRef(rowMajorStrides(piece.shape()));
    if (dense && value) {
      Piece inner{pad.getSource(), piece.strides, piece.constant};
      for (auto [low, stride] : llvm::zip_equal(pad.getStaticLow(), piece.strides))
        inner.constant += low * stride;
      output.borders.push_back({llvm::to_vector(piece.shape()), llvm::to_vector(pad.getStaticLow()),
                                llvm::to_vector(inner.shape()), piece.strides, piece.constant, value});
      return trace(inner, output);
    }
  }
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op);
      insert && insert.getSourceType().getRank() == insert.getDestType().getRank() && insert.hasUnitStride()) {
    // What is inserted later wins, so it is written later.
    if (!insert.getDest().getDefiningOp<tensor::EmptyOp>())
      trace({insert.getDest(), piece.strides, piece.constant}, output);
    Piece inner{insert.getSource(), piece.strides, piece.constant};
    for (auto [offset, stride] : llvm::zip_equal(insert.getStaticOffsets(), piece.strides))
      inner.constant += offset * stride;
    return trace(inner, output);
  }
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    auto shape = cast<RankedTensorType>(collapse.getSrc().getType()).getShape();
    return trace({collapse.getSrc(), ungroup(collapse.getReassociationIndices(), piece.strides, shape), piece.constant},
                 output);
  }
  output.pieces.push_back(piece);
}

Output kumiko::cpu::traceOutput(Value result) {
  Output output;
  trace({result, rowMajorStrides(cast<RankedTensorType>(result.getType()).getShape()), 0}, output);
  return output;
}

//===- SplitMasked.cpp - masked loads no wider than a register -------------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kumiko {
#define GEN_PASS_DEF_SPLITMASKEDPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// The load in parts of `lanes` lanes each, put together.
static Value split(vector::MaskedLoadOp op, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  VectorType whole = op.getVectorType(), part = VectorType::get({lanes}, whole.getElementType());
  auto partOf = [&](Value value, int64_t first) {
    return vector::ExtractStridedSliceOp::create(b, loc, value, ArrayRef{first}, ArrayRef{lanes}, ArrayRef{int64_t(1)});
  };
  Value result = op.getPassThru();
  for (int64_t first = 0; first < whole.getDimSize(0); first += lanes) {
    SmallVector<Value> indices(op.getIndices());
    indices.back() = arith::AddIOp::create(b, loc, indices.back(), arith::ConstantIndexOp::create(b, loc, first));
    Value loaded = vector::MaskedLoadOp::create(b, loc, part, op.getBase(), indices, partOf(op.getMask(), first),
                                                partOf(op.getPassThru(), first));
    result = vector::InsertStridedSliceOp::create(b, loc, loaded, result, ArrayRef{first}, ArrayRef{int64_t(1)});
  }
  return result;
}

namespace {
struct SplitMasked final : kumiko::impl::SplitMaskedPassBase<SplitMasked> {
  using SplitMaskedPassBase::SplitMaskedPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](vector::MaskedLoadOp op) {
      VectorType type = op.getVectorType();
      int64_t lanes = bits / type.getElementTypeBitWidth();
      if (type.getDimSize(0) <= lanes || type.getDimSize(0) % lanes != 0)
        return;
      op.getResult().replaceAllUsesWith(split(op, lanes));
      op.erase();
    });
  }
};
} // namespace

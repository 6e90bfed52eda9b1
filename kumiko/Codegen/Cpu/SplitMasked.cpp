//===- SplitMasked.cpp - masked loads no wider than a register -------------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SPLITMASKEDPASS
#include "kumiko/Codegen/Cpu/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

/// What `value` is where that is known, as it is of numbers of lanes that are compared with a bound.
static Attribute knownValue(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return Attribute();
  SmallVector<Attribute> operands = llvm::map_to_vector(op->getOperands(), knownValue);
  SmallVector<OpFoldResult> folded;
  if (llvm::is_contained(operands, Attribute()) || failed(op->fold(operands, folded)) || folded.empty())
    return Attribute();
  return dyn_cast<Attribute>(folded.front());
}

/// Sets the lanes of which it is known that `mask` does not hold.
static void collectOff(Value mask, llvm::BitVector &off) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    collectOff(both.getLhs(), off);
    collectOff(both.getRhs(), off);
  } else if (auto known = dyn_cast_if_present<DenseElementsAttr>(knownValue(mask))) {
    for (auto [lane, on] : llvm::enumerate(known.getValues<bool>()))
      if (!on)
        off.set(lane);
  }
}

/// The load in parts of `lanes` lanes each, put together. A part that is known to be off is none: LLVM loads it without
/// a mask (AVX2).
static Value split(vector::MaskedLoadOp op, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  VectorType whole = op.getVectorType(), part = VectorType::get({lanes}, whole.getElementType());
  auto partOf = [&](Value value, int64_t first) {
    return vector::ExtractStridedSliceOp::create(b, loc, value, ArrayRef{first}, ArrayRef{lanes}, ArrayRef{int64_t(1)});
  };
  llvm::BitVector off(whole.getDimSize(0));
  collectOff(op.getMask(), off);
  Value result = op.getPassThru();
  for (int64_t first = 0; first < whole.getDimSize(0); first += lanes) {
    if (off.find_first_unset_in(first, first + lanes) < 0)
      continue;
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

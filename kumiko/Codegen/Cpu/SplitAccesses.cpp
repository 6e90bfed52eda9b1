//===- SplitAccesses.cpp - loads and stores no wider than a register ---------===//
#include "kumiko/Codegen/Cpu/Passes.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

namespace kumiko {
#define GEN_PASS_DEF_SPLITACCESSESPASS
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

static Value partOf(OpBuilder &b, Location loc, Value whole, int64_t first, int64_t lanes) {
  return vector::ExtractStridedSliceOp::create(b, loc, whole, ArrayRef{first}, ArrayRef{lanes}, ArrayRef{int64_t(1)});
}

static SmallVector<Value> indicesOf(OpBuilder &b, Location loc, ValueRange indices, int64_t first) {
  SmallVector<Value> moved(indices);
  moved.back() = arith::AddIOp::create(b, loc, moved.back(), arith::ConstantIndexOp::create(b, loc, first));
  return moved;
}

/// How many lanes `mask` has on, where it is known to be those before all others; else 0.
static int64_t knownFirst(Value mask) {
  auto known = dyn_cast_if_present<DenseElementsAttr>(knownValue(mask));
  if (!known)
    return 0;
  int64_t count = 0, last = 0;
  for (auto [lane, on] : llvm::enumerate(known.getValues<bool>()))
    if (on) {
      ++count;
      last = lane + 1;
    }
  return count == last ? count : 0;
}

/// The smallest vector that holds the first `count` lanes and has at least 128 bits, or as many as are loaded.
static int64_t narrowest(VectorType type, int64_t count) {
  int64_t lanes = llvm::PowerOf2Ceil(count);
  bool isWhole = lanes == count && lanes > 1;
  return std::max<int64_t>(lanes, isWhole ? 1 : 128 / type.getElementTypeBitWidth());
}

/// The first lanes that are on by a vector of no more, without a mask where it has no others.
static Value narrow(vector::MaskedLoadOp op, int64_t count, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  VectorType part = VectorType::get({lanes}, op.getVectorType().getElementType());
  Value loaded;
  if (count == lanes)
    loaded = vector::LoadOp::create(b, loc, part, op.getBase(), op.getIndices());
  else
    loaded = vector::MaskedLoadOp::create(b, loc, part, op.getBase(), op.getIndices(),
                                          partOf(b, loc, op.getMask(), 0, lanes),
                                          partOf(b, loc, op.getPassThru(), 0, lanes));
  if (lanes == op.getVectorType().getDimSize(0))
    return loaded;
  return vector::InsertStridedSliceOp::create(b, loc, loaded, op.getPassThru(), ArrayRef{int64_t(0)},
                                              ArrayRef{int64_t(1)});
}

static void narrow(vector::MaskedStoreOp op, int64_t count, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value part = op.getValueToStore();
  if (lanes != op.getVectorType().getDimSize(0))
    part = partOf(b, loc, part, 0, lanes);
  if (count == lanes)
    vector::StoreOp::create(b, loc, part, op.getBase(), op.getIndices());
  else
    vector::MaskedStoreOp::create(b, loc, op.getBase(), op.getIndices(), partOf(b, loc, op.getMask(), 0, lanes), part);
}

/// The load in parts of `lanes` lanes each, put together. A part that is known to be off is none: LLVM loads it without
/// a mask (AVX2).
static Value split(vector::MaskedLoadOp op, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  VectorType whole = op.getVectorType(), part = VectorType::get({lanes}, whole.getElementType());
  llvm::BitVector off(whole.getDimSize(0));
  collectOff(op.getMask(), off);
  Value result = op.getPassThru();
  for (int64_t first = 0; first < whole.getDimSize(0); first += lanes) {
    if (off.find_first_unset_in(first, first + lanes) < 0)
      continue;
    Value loaded = vector::MaskedLoadOp::create(b, loc, part, op.getBase(), indicesOf(b, loc, op.getIndices(), first),
                                                partOf(b, loc, op.getMask(), first, lanes),
                                                partOf(b, loc, op.getPassThru(), first, lanes));
    result = vector::InsertStridedSliceOp::create(b, loc, loaded, result, ArrayRef{first}, ArrayRef{int64_t(1)});
  }
  return result;
}

/// The store in parts, the lowest address first: LLVM would begin with the highest, and stores that go back and forth
/// between cache lines leave the processor late.
static void split(vector::MaskedStoreOp op, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t all = op.getVectorType().getDimSize(0);
  llvm::BitVector off(all);
  collectOff(op.getMask(), off);
  for (int64_t first = 0; first < all; first += lanes)
    if (off.find_first_unset_in(first, first + lanes) >= 0)
      vector::MaskedStoreOp::create(b, loc, op.getBase(), indicesOf(b, loc, op.getIndices(), first),
                                    partOf(b, loc, op.getMask(), first, lanes),
                                    partOf(b, loc, op.getValueToStore(), first, lanes));
}

static void split(vector::StoreOp op, int64_t lanes) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  llvm::MaybeAlign align = op.getMaybeAlign();
  int64_t bytes = lanes * op.getVectorType().getElementTypeBitWidth() / 8;
  for (int64_t first = 0, all = op.getVectorType().getDimSize(0); first < all; first += lanes)
    vector::StoreOp::create(b, loc, partOf(b, loc, op.getValueToStore(), first, lanes), op.getBase(),
                            indicesOf(b, loc, op.getIndices(), first), op.getNontemporal(),
                            align ? llvm::commonAlignment(*align, bytes) : align);
}

namespace {
struct SplitAccesses final : kumiko::impl::SplitAccessesPassBase<SplitAccesses> {
  using SplitAccessesPassBase::SplitAccessesPassBase;

  void runOnOperation() override {
    bits = targetOf(getOperation()).vectorBits;
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<vector::MaskedLoadOp>(op)) {
        if (auto [count, lanes] = firstLanes(load.getMask(), load.getVectorType()); count != 0) {
          load.getResult().replaceAllUsesWith(narrow(load, count, lanes));
          load.erase();
        } else if (int64_t lanes = lanesOfPart(load.getVectorType())) {
          load.getResult().replaceAllUsesWith(split(load, lanes));
          load.erase();
        }
      } else if (auto store = dyn_cast<vector::MaskedStoreOp>(op)) {
        if (auto [count, lanes] = firstLanes(store.getMask(), store.getVectorType()); count != 0) {
          narrow(store, count, lanes);
          store.erase();
        } else if (int64_t lanes = lanesOfPart(store.getVectorType())) {
          split(store, lanes);
          store.erase();
        }
      } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
        if (int64_t lanes = lanesOfPart(store.getVectorType())) {
          split(store, lanes);
          store.erase();
        }
      }
    });
  }

  /// How many lanes are known to be on before all others, and how many a vector has that is enough for them; none where
  /// that is no better.
  std::pair<int64_t, int64_t> firstLanes(Value mask, VectorType type) {
    int64_t count = type.getRank() == 1 && type.getElementTypeBitWidth() >= 8 ? knownFirst(mask) : 0;
    if (count < 2)
      return {0, 0};
    int64_t lanes = narrowest(type, count);
    bool isNarrower = lanes < type.getDimSize(0) || lanes == count;
    return isNarrower && lanes * type.getElementTypeBitWidth() <= bits ? std::pair(count, lanes) : std::pair(0l, 0l);
  }

  /// How many lanes a register has; 0 for a vector that is one register, or no whole number of them.
  int64_t lanesOfPart(VectorType type) {
    int64_t lanes = bits / type.getElementTypeBitWidth();
    bool isWhole = type.getRank() != 1 || type.getDimSize(0) <= lanes || type.getDimSize(0) % lanes != 0;
    return isWhole ? 0 : lanes;
  }

  /// Of a register.
  unsigned bits = 0;
};
} // namespace

//===- ExpandDivision.cpp - integers divided by the float units -------------===//
//
// Machines divide integers one by one, but floats in vectors. A quotient of integers x and y that is not whole is at
// least 1/y away from the next whole number, which is more than the rounding of x / y as long as x fits the mantissa
// with a bit to spare: 16 bits in f32, 32 and up to 51 bits in f64. So the float quotient lies between the same whole
// numbers as the true one, and only has to be cut off.
//
// What is left of a single number divided by a constant, with the sign of the constant, comes from a division of
// numbers that are not below 0: one rounds down there without a correction, and the other sign costs two exclusive ors.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Common/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

namespace kumiko {
#define GEN_PASS_DEF_EXPANDDIVISIONPASS
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;

namespace {
/// One division of vectors, of whatever kind.
class Division {
public:
  explicit Division(Operation *op)
      : op(op), b(op), loc(op->getLoc()), x(op->getOperand(0)), y(op->getOperand(1)),
        type(cast<VectorType>(x.getType())), isUnsigned(isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {}

  Value expand() {
    if (type.getElementType().isIndex())
      return expandIndices();
    unsigned bits = type.getElementTypeBitWidth();
    if (bits <= 16)
      return expandSmall();
    return bits <= 32 ? result(quotientOf32()) : expandWide();
  }

private:
  Type with(Type element) { return type.clone(element); }
  Value constant(TypedAttr value) {
    auto vector = cast<ShapedType>(with(value.getType()));
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, ArrayRef<Attribute>(value)));
  }
  Value extended(Value value, Type element) {
    Type wide = with(element);
    return isUnsigned ? Value(arith::ExtUIOp::create(b, loc, wide, value))
                      : arith::ExtSIOp::create(b, loc, wide, value);
  }

  /// The float quotient cut off as the op says; towards zero where `conversion` does that anyway.
  Value cutOff(Value quotient, bool conversion) {
    if (isa<arith::FloorDivSIOp>(op))
      return math::FloorOp::create(b, loc, quotient);
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return math::CeilOp::create(b, loc, quotient);
    return conversion ? quotient : Value(math::TruncOp::create(b, loc, quotient));
  }

  /// The quotient, or what is left.
  Value result(Value quotient) {
    if (!isa<arith::RemSIOp, arith::RemUIOp>(op))
      return quotient;
    return arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, y));
  }

  Value expandSmall() {
    auto toFloat = [&](Value value) {
      return arith::SIToFPOp::create(b, loc, with(b.getF32Type()), extended(value, b.getI32Type()));
    };
    Value quotient = cutOff(arith::DivFOp::create(b, loc, toFloat(x), toFloat(y)), /*conversion=*/true);
    Value whole = arith::FPToSIOp::create(b, loc, with(b.getI32Type()), quotient);
    return result(arith::TruncIOp::create(b, loc, type, whole));
  }

  Value quotientOf32() {
    Type real = with(b.getF64Type());
    auto toFloat = [&](Value value) {
      return isUnsigned ? Value(arith::UIToFPOp::create(b, loc, real, value))
                        : arith::SIToFPOp::create(b, loc, real, value);
    };
    Value quotient = cutOff(arith::DivFOp::create(b, loc, toFloat(x), toFloat(y)), /*conversion=*/true);
    return isUnsigned ? Value(arith::FPToUIOp::create(b, loc, type, quotient))
                      : arith::FPToSIOp::create(b, loc, type, quotient);
  }

  /// Both sides are rarely large; where one is, the machine divides lane by lane.
  Value expandWide() {
    Value fits = arith::AndIOp::create(b, loc, isNarrow(x), isNarrow(y));
    Value allFit = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, fits);
    auto choice = scf::IfOp::create(b, loc, type, allFit, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, loc, result(quotientOf51()));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, loc, b.clone(*op)->getResult(0));
    return choice.getResult(0);
  }

  /// Whether it takes 51 bits and, unless it is unsigned, a sign.
  Value isNarrow(Value value) {
    constexpr int64_t end = int64_t(1) << 51;
    if (!isUnsigned)
      value = arith::AddIOp::create(b, loc, value, constant(b.getI64IntegerAttr(end)));
    Value limit = constant(b.getI64IntegerAttr(isUnsigned ? end : 2 * end));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, limit);
  }

  /// Not every machine converts 64-bit integers in vectors: 1.5 * 2^52 has so small numbers in its last bits.
  Value quotientOf51() {
    constexpr double magic = 0x1.8p52;
    Value magicReal = constant(b.getF64FloatAttr(magic));
    Value magicBits = constant(b.getI64IntegerAttr(llvm::bit_cast<int64_t>(magic)));
    auto toFloat = [&](Value value) {
      Value bits = arith::AddIOp::create(b, loc, value, magicBits);
      return arith::SubFOp::create(b, loc, arith::BitcastOp::create(b, loc, with(b.getF64Type()), bits), magicReal);
    };
    Value quotient = cutOff(arith::DivFOp::create(b, loc, toFloat(x), toFloat(y)), /*conversion=*/false);
    Value bits = arith::BitcastOp::create(b, loc, type, arith::AddFOp::create(b, loc, quotient, magicReal));
    return arith::SubIOp::create(b, loc, bits, magicBits);
  }

  /// As numbers of 64 bits, which is what they become.
  Value expandIndices() {
    auto numbers = cast<VectorType>(with(b.getI64Type()));
    Value first = arith::IndexCastOp::create(b, loc, numbers, x),
          second = arith::IndexCastOp::create(b, loc, numbers, y);
    OperationState state(loc, op->getName(), {first, second}, {numbers}, op->getAttrs());
    Operation *same = b.create(state);
    Value quotient = Division(same).expand();
    Value indices = arith::IndexCastOp::create(b, loc, type, quotient);
    same->erase();
    return indices;
  }

  Operation *op;
  OpBuilder b;
  Location loc;
  Value x, y;
  VectorType type;
  bool isUnsigned;
};
} // namespace

/// By a constant LLVM multiplies, where the machine has such products in vectors.
static bool isWorthIt(Operation &op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
           arith::CeilDivUIOp>(op))
    return false;
  auto type = dyn_cast<VectorType>(op.getResult(0).getType());
  if (!type || type.getNumElements() < 2)
    return false;
  llvm::APInt divisor;
  bool isWide = type.getElementType().isIndex() || type.getElementTypeBitWidth() == 64;
  return !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) || (isWide && !divisor.isPowerOf2());
}

/// The remainder that `select` moves up by the constant it was divided by where it is below 0; null if it is no such.
/// By a power of two LLVM takes the last bits.
static arith::RemSIOp movedRemainder(arith::SelectOp select) {
  auto rest = select.getFalseValue().getDefiningOp<arith::RemSIOp>();
  auto below = select.getCondition().getDefiningOp<arith::CmpIOp>();
  auto moved = select.getTrueValue().getDefiningOp<arith::AddIOp>();
  llvm::APInt divisor;
  if (!rest || !rest.getType().isInteger(64) || !matchPattern(rest.getRhs(), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive() || divisor.isPowerOf2())
    return {};
  bool isMoved = moved && moved.getLhs() == rest.getResult() && moved.getRhs() == rest.getRhs();
  bool isBelow = below && below.getPredicate() == arith::CmpIPredicate::slt && below.getLhs() == rest.getResult() &&
                 matchPattern(below.getRhs(), m_Zero());
  return isMoved && isBelow ? rest : arith::RemSIOp();
}

/// Of x below 0 the quotient rounded down is the complement of that of the complement of x.
static Value floorRemainder(arith::SelectOp select, arith::RemSIOp rest) {
  OpBuilder b(select);
  Location loc = select.getLoc();
  auto number = [&](int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
  Value x = rest.getLhs(), divisor = rest.getRhs(), sign = arith::ShRSIOp::create(b, loc, x, number(63));
  Value natural = arith::XOrIOp::create(b, loc, x, sign);
  // LLVM does not see that the first bit is 0, without which half of all constants take a longer product.
  natural = arith::AndIOp::create(b, loc, natural, number(std::numeric_limits<int64_t>::max()));
  Value quotient = arith::XOrIOp::create(b, loc, arith::DivUIOp::create(b, loc, natural, divisor), sign);
  return arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, divisor));
}

namespace {
struct ExpandDivision final : kumiko::impl::ExpandDivisionPassBase<ExpandDivision> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isWorthIt(*op))
        divisions.push_back(op);
    });
    for (Operation *op : divisions) {
      op->getResult(0).replaceAllUsesWith(Division(op).expand());
      op->erase();
    }
    getOperation()->walk([](arith::SelectOp select) {
      if (arith::RemSIOp rest = movedRemainder(select)) {
        select.replaceAllUsesWith(floorRemainder(select, rest));
        select.erase();
      }
    });
  }
};
} // namespace

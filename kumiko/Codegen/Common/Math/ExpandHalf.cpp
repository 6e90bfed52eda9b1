#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Codegen/Common/Math/Term.h"
#include "kumiko/Codegen/Common/Math/VectorMath.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace kumiko {
#define GEN_PASS_DEF_EXPANDHALFPASS
#include "kumiko/Codegen/Common/Math/Passes.h.inc"
} // namespace kumiko

using namespace mlir;
using namespace kumiko;

static Term castInteger(Term value, unsigned bits) {
  TermEmitter &emitter = value.getEmitter();
  Type type = value.withElement(emitter.builder.getIntegerType(bits));
  bool wider = bits > value.elementType().getIntOrFloatBitWidth();
  return Term(emitter, wider ? Value(arith::ExtUIOp::create(emitter.builder, emitter.loc, type, value.get()))
                             : arith::TruncIOp::create(emitter.builder, emitter.loc, type, value.get()));
}

/// Signed: both sides are codes of magnitudes.
static Term isLess(Term a, int64_t b) {
  TermEmitter &emitter = a.getEmitter();
  return Term(emitter, arith::CmpIOp::create(emitter.builder, emitter.loc, arith::CmpIPredicate::slt, a.get(),
                                             a.literal(b).get()));
}

/// The exponent is moved to its place and scaled up by 2^112, which is exact also for subnormals; the highest exponent
/// means infinity or NaN in both types.
static Term halfToSingle(Term half) {
  Term bits = castInteger(bitsOf(half), 32);
  Term sign = shiftLeft(bitAnd(bits, bits.literal(int64_t(0x8000))), 16);
  Term size = bitAnd(bits, bits.literal(int64_t(0x7fff)));
  Term finite = bitsOf(fromBits(shiftLeft(size, 13)) * 0x1p112);
  Term special = bitOr(shiftLeft(size, 13), size.literal(int64_t(0x7f800000)));
  return fromBits(bitOr(select(isLess(size, 0x7c00), finite, special), sign));
}

/// To nearest, ties to even. A sum with 0.5 rounds subnormals: its last place is theirs.
static Term singleToHalf(Term single) {
  Term bits = bitsOf(single);
  Term sign = bitAnd(bits, bits.literal(int64_t(INT32_MIN)));
  Term size = bitXor(bits, sign);
  Term odd = bitAnd(shiftRightUnsigned(size, 13), size.literal(int64_t(1)));
  Term normal = shiftRightUnsigned(size + size.literal(int64_t(0xfff) - (int64_t(112) << 23)) + odd, 13);
  Term subnormal = bitsOf(fromBits(size) + 0.5) - size.literal(int64_t(0x3f000000));
  Term special = select(isLess(size, 0x7f800001), size.literal(int64_t(0x7c00)), size.literal(int64_t(0x7e00)));
  Term code = select(isLess(size, 113 << 23), subnormal, select(isLess(size, 143 << 23), normal, special));
  return castInteger(bitOr(code, shiftRightUnsigned(sign, 16)), 16);
}

static Term brainToSingle(Term brain) { return fromBits(shiftLeft(castInteger(bitsOf(brain), 32), 16)); }

/// The same of a scalar in all lanes: each half of a lane gets it, and the upper one stays. LLVM would spread the lanes
/// of a vector of 16 bits to 32, which is one more shuffle.
static Term spreadBrainToSingle(TermEmitter &emitter, Value brain, int64_t lanes) {
  OpBuilder &builder = emitter.builder;
  Type half = builder.getI16Type(), word = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, emitter.loc, half, brain);
  Value halves = vector::BroadcastOp::create(builder, emitter.loc, VectorType::get({2 * lanes}, half), bits);
  Value words = vector::BitCastOp::create(builder, emitter.loc, VectorType::get({lanes}, word), halves);
  return fromBits(shiftLeft(Term(emitter, words), 16));
}

/// The scalar that all lanes of a vector have; null where they do not.
static Value scalarOf(Value vector) {
  auto spread = vector.getDefiningOp<vector::BroadcastOp>();
  bool isOne = spread && !isa<VectorType>(spread.getSourceType()) && spread.getResultVectorType().getRank() == 1;
  return isOne ? spread.getSource() : Value();
}

/// To nearest, ties to even; a NaN keeps its sign and stays one.
static Term singleToBrain(Term single) {
  Term bits = bitsOf(single);
  Term odd = bitAnd(shiftRightUnsigned(bits, 16), bits.literal(int64_t(1)));
  Term rounded = bits + bits.literal(int64_t(0x7fff)) + odd;
  Term quiet = bitOr(bits, bits.literal(int64_t(0x00400000)));
  return castInteger(shiftRightUnsigned(select(unordered(single, single), quiet, rounded), 16), 16);
}

/// Of what bf16 has, too.
static Term exactToBrain(Term single) { return castInteger(shiftRightUnsigned(bitsOf(single), 16), 16); }

/// Whether the result is one of the operands, or has no more digits than they: there is nothing to round.
static bool isExact(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp, math::AbsFOp,
             math::CopySignOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(op);
}

namespace {
struct ExpandHalf final : kumiko::impl::ExpandHalfPassBase<ExpandHalf> {
  using ExpandHalfPassBase::ExpandHalfPassBase;

  void runOnOperation() override {
    f16 = !targetOf(getOperation()).has(Fact::Half);
    SmallVector<Operation *> small;
    getOperation()->walk([&](Operation *op) {
      if (computes(op) && (llvm::any_of(op->getOperandTypes(), [&](Type type) { return isSmall(type); }) ||
                           llvm::any_of(op->getResultTypes(), [&](Type type) { return isSmall(type); })))
        small.push_back(op);
    });
    getOperation()->walk([&](Operation *op) {
      if (choosesHalf(op) && !isSmall(op->getResult(0).getType()))
        small.push_back(op);
    });
    for (Operation *op : small)
      !choosesHalf(op) ? expand(op) : f16 ? choose(op) : chooseSingle(op);
    carryAsIntegers();
  }

private:
  /// The target cannot convert it: f16 is one of the small floats, too.
  bool f16 = false;

  bool isSmall(Type type) const {
    Type element = isa<VectorType>(type) ? cast<VectorType>(type).getElementType() : type;
    return element.isBF16() || (f16 && element.isF16());
  }

  /// Moves, selects and constants only carry bits.
  static bool computes(Operation *op) {
    return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
           !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  }

  Value toSingle(OpBuilder &builder, Location loc, Value value) const {
    TermEmitter emitter{builder, loc};
    Term term(emitter, value);
    if (!term.elementType().isBF16())
      return halfToSingle(term).get();
    Value scalar = scalarOf(value);
    return (scalar ? spreadBrainToSingle(emitter, scalar, cast<VectorType>(value.getType()).getNumElements())
                   : brainToSingle(term))
        .get();
  }

  Value toSmall(OpBuilder &builder, Location loc, Value value, Type type, bool exact) const {
    TermEmitter emitter{builder, loc};
    Term term(emitter, value);
    Term code = !getElementTypeOrSelf(type).isBF16() ? singleToHalf(term)
                : exact                              ? exactToBrain(term)
                                                     : singleToBrain(term);
    return arith::BitcastOp::create(builder, loc, type, code.get());
  }

  /// The op on f32 between conversions; a conversion to or from f32 itself is all conversion.
  void expand(Operation *op) const {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Type f32 = builder.getF32Type(), type = op->getResult(0).getType();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isSmall(operand.getType()) ? toSingle(builder, loc, operand) : operand);
    Type carried = isSmall(type) ? withElement(type, f32) : type;
    Value result = operands[0];
    if (!(isa<arith::ExtFOp, arith::TruncFOp>(op) && result.getType() == carried)) {
      OperationState state(loc, op->getName(), operands, {carried}, op->getAttrs());
      result = builder.create(state)->getResult(0);
    }
    if (isSmall(type))
      result = toSmall(builder, loc, result, type, isExact(op));
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  /// One of two scalars: x86 has no conditional move of f16 and would jump, though nobody foresees which it will be.
  static bool choosesHalf(Operation *op) {
    return isa<arith::MaximumFOp, arith::MinimumFOp>(op) && op->getResult(0).getType().isF16();
  }

  /// In f32, where +0 and -0 are equals.
  static void chooseSingle(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Type f32 = builder.getF32Type();
    Value x = arith::ExtFOp::create(builder, loc, f32, op->getOperand(0));
    Value y = arith::ExtFOp::create(builder, loc, f32, op->getOperand(1));
    Value chosen = isa<arith::MaximumFOp>(op) ? arith::MaximumFOp::create(builder, loc, x, y).getResult()
                                              : arith::MinimumFOp::create(builder, loc, x, y).getResult();
    Type type = op->getResult(0).getType();
    op->getResult(0).replaceAllUsesWith(arith::TruncFOp::create(builder, loc, type, chosen).getResult());
    op->erase();
  }

  /// Where f16 takes long to convert it is chosen by integers, and as one.
  void choose(Operation *op) const {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Type type = op->getResult(0).getType(), i16 = builder.getI16Type();
    bool larger = isa<arith::MaximumFOp>(op);
    constexpr int16_t infinity = 0x7c00;
    auto literal = [&](int16_t value) {
      return arith::ConstantOp::create(builder, loc, builder.getI16IntegerAttr(value)).getResult();
    };
    // In the order of the values, -0 below +0. As unsigned numbers wrap around, the NaNs of both signs are next to each
    // other: beyond the infinity that is looked for.
    auto rank = [&](Value code) {
      Value sign = arith::ShRSIOp::create(builder, loc, code, literal(15));
      Value flipped = arith::AndIOp::create(builder, loc, sign, literal(0x7fff));
      Value ordered = arith::XOrIOp::create(builder, loc, code, flipped);
      return arith::AddIOp::create(builder, loc, ordered, literal(larger ? infinity + 1 : -infinity - 1)).getResult();
    };
    Value first = arith::BitcastOp::create(builder, loc, i16, op->getOperand(0));
    Value second = arith::BitcastOp::create(builder, loc, i16, op->getOperand(1));
    auto predicate = larger ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult;
    Value isFirst = arith::CmpIOp::create(builder, loc, predicate, rank(first), rank(second));
    Value code = arith::SelectOp::create(builder, loc, isFirst, first, second);
    op->getResult(0).replaceAllUsesWith(arith::BitcastOp::create(builder, loc, type, code).getResult());
    op->erase();
  }

  /// What is left only moves, and moves as the integers that stand for it: where a vector is taken apart, LLVM would
  /// convert its elements to f32 and back.
  void carryAsIntegers() {
    Type code = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FloatType type) { return isSmall(type) ? std::optional<Type>(code) : std::nullopt; });
    replacer.addReplacement([&](FloatAttr attr) {
      return isSmall(attr.getType())
                 ? std::optional<Attribute>(IntegerAttr::get(code, attr.getValue().bitcastToAPInt()))
                 : std::nullopt;
    });
    replacer.addReplacement([&](DenseElementsAttr attr) {
      return isSmall(attr.getElementType()) ? std::optional<Attribute>(attr.bitcast(code)) : std::nullopt;
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation()->walk([](arith::BitcastOp op) {
      if (op.getIn().getType() != op.getType())
        return;
      op.replaceAllUsesWith(op.getIn());
      op.erase();
    });
  }
};
} // namespace

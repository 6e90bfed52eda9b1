//===- DemandBody.cpp - bodies of linalg ops, lane by lane -----------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Codegen/Cpu/Reads.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

unsigned Demand::addSlot(Value index, int64_t multipleOf, IndexRange range) {
  slots.push_back({index, multipleOf, range});
  return slots.size() - 1;
}

void Demand::narrow(unsigned width, llvm::function_ref<void()> emit) {
  unsigned whole = std::exchange(lanes, width);
  Extent before = std::exchange(active, width);
  blocks.setLanes(width);
  emit();
  blocks.setLanes(whole);
  lanes = whole;
  active = before;
}

Value Demand::zeroOf(Type type) { return constantOf(b.getZeroAttr(type)); }

/// Outer loops have lower slots, so the sum starts with what changes least and can be hoisted piece by piece.
Value Demand::indexOf(const Form &form) {
  assert(!form.hasLanes() && "a position with lanes is not one index");
  Value sum;
  for (const auto &[slot, coefficient] : form.terms) {
    Value term = slots[slot].index;
    if (!coefficient.is(1))
      term = arith::MulIOp::create(b, loc, term, indexOf(coefficient));
    sum = sum ? arith::AddIOp::create(b, loc, sum, term) : term;
  }
  if (!sum)
    return indexOf(form.constant);
  return form.constant.is(0) ? sum : Value(arith::AddIOp::create(b, loc, sum, indexOf(form.constant)));
}

Value Demand::indexValue(const Form &form) {
  if (!form.hasLanes()) {
    Value number = indexOf(form);
    loopNumbers[number] = form;
    return number;
  }
  int64_t stride = form.lane.isStatic() ? form.lane.value() : 1;
  SmallVector<int64_t> steps;
  for (unsigned lane = 0; lane < lanes; ++lane)
    steps.push_back(lane * stride);
  auto type = VectorType::get({int64_t(lanes)}, b.getIndexType());
  Value offsets = constantOf(DenseIntElementsAttr::get(type, steps));
  if (!form.lane.isStatic())
    offsets = arith::MulIOp::create(b, loc, offsets, spread(indexOf(form.lane)));
  Value numbers = arith::AddIOp::create(b, loc, spread(indexOf(form.atLane(0))), offsets);
  loopNumbers[numbers] = form;
  return numbers;
}

Value Demand::spread(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({int64_t(lanes)}, value.getType());
  // A broadcast constant is a constant: it stays out of the loops.
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constantOf(DenseElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(b, loc, type, value);
}

/// Where the number of active lanes is an expression, the others repeat the last one: they may be computed, but nothing
/// beyond the active ones may be read.
Value Demand::lanewise(Type element, llvm::function_ref<Value(const Extent &)> laneValue) {
  SmallVector<Value> parts;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!active.isStatic() && lane != 0)
      parts.push_back(laneValue(min(lane, active - 1)));
    else
      parts.push_back(!active.isStatic() || lane < active.value() ? laneValue(lane) : zeroOf(element));
  }
  return vector::FromElementsOp::create(b, loc, VectorType::get({int64_t(lanes)}, element), parts);
}

/// max(x, c) with a constant c that is no NaN: one compare and select, which is one instruction and still lets a NaN in
/// x through. The general maximumf costs three.
static Value clampToConstant(OpBuilder &b, Location loc, Operation *op, Value x, Value constant) {
  FloatAttr bound;
  DenseElementsAttr splat;
  if (matchPattern(constant, m_Constant(&splat)) && splat.isSplat())
    bound = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>());
  else if (!matchPattern(constant, m_Constant(&bound)))
    return Value();
  if (!bound || bound.getValue().isNaN() || !isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return Value();
  auto predicate = isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
  Value beyond = arith::CmpFOp::create(b, loc, predicate, x, constant);
  return arith::SelectOp::create(b, loc, beyond, constant, x);
}

Value Demand::elementwise(Operation *op, ArrayRef<Value> operands) {
  if (Value known = decided(op, operands))
    return known;
  if (Value part = divided(op, operands))
    return part;
  if (Value same = compared(op, operands))
    return same;
  SmallVector<Value> values(operands);
  bool wide = llvm::any_of(values, [](Value value) { return isa<VectorType>(value.getType()); });
  if (wide)
    for (Value &value : values)
      value = spread(value);
  if (values.size() == 2)
    for (unsigned side : {0u, 1u})
      if (Value clamped = clampToConstant(b, loc, op, values[1 - side], values[side]))
        return clamped;
  Type type = op->getResult(0).getType();
  if (wide)
    type = VectorType::get({int64_t(lanes)}, type);
  OperationState state(loc, op->getName(), values, {type}, op->getAttrs());
  Operation *clone = b.create(state);
  // Within one statement a product and a sum may become one rounding (class `rounding`). Not in 16 bits: there it would
  // save nothing, for they are computed in f32, and a rounding of theirs is much.
  bool exact = op->getParentOp() && op->getParentOp()->hasAttr(exactAttribute);
  if (auto arith = dyn_cast<arith::ArithFastMathInterface>(clone);
      arith && !exact && getElementTypeOrSelf(type).getIntOrFloatBitWidth() >= 32)
    clone->setAttr(arith.getFastMathAttrName(),
                   arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::contract));
  rememberForm(op, operands, clone->getResult(0));
  return clone->getResult(0);
}

void Demand::given(Value condition, bool holds, llvm::function_ref<void()> emit) {
  auto before = std::exchange(known, {condition, holds});
  emit();
  known = before;
}

SmallVector<Value> Demand::bodyValues(linalg::GenericOp op, ArrayRef<Form> dims, SmallVector<Value> arguments,
                                      ArrayRef<Value> wanted) {
  Block *block = op.getBody();
  // What a known condition follows from is not asked for again.
  llvm::SetVector<Value> needed = neededInside(block, wanted, known.first);
  llvm::DenseMap<Value, Value> values;
  for (auto [argument, value, operand] : llvm::zip_equal(block->getArguments(), arguments, op->getOpOperands())) {
    if (known.first == argument) {
      value = constantOf(b.getBoolAttr(known.second));
    } else if (!value && needed.contains(argument)) {
      value = at(operand.get(), applyMap(op.getMatchingIndexingMap(&operand), dims));
    }
    values[argument] = value;
  }
  auto valueOf = [&](Value value) -> Value {
    if (Value known = values.lookup(value))
      return known;
    if (auto extent = value.getDefiningOp<nn::ExtentOp>())
      return indexOf(extent.getValue());
    TypedAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constantOf(constant);
    return value;
  };
  for (Operation &inner : block->without_terminator()) {
    // What a tensor in a body holds is found when one of its elements is read.
    if (!needed.contains(inner.getResult(0)) || isa<RankedTensorType>(inner.getResult(0).getType()))
      continue;
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        operands.push_back(valueOf(operand));
    if (known.first && inner.getResult(0) == known.first)
      values[known.first] = constantOf(b.getBoolAttr(known.second));
    else if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values[index] = indexValue(dims[index.getDim()]);
    else if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      values[extract] = extracted(extract, operands);
    else if (!inner.hasTrait<OpTrait::ConstantLike>())
      values[inner.getResult(0)] = elementwise(&inner, operands);
  }
  return llvm::map_to_vector(wanted, valueOf);
}

SmallVector<Value> Demand::body(linalg::GenericOp op, ArrayRef<Form> dims, SmallVector<Value> arguments) {
  return bodyValues(op, dims, std::move(arguments), llvm::to_vector(op.getBody()->getTerminator()->getOperands()));
}

Value Demand::bodyValue(linalg::GenericOp op, ArrayRef<Form> dims, Value value) {
  return bodyValues(op, dims, SmallVector<Value>(op->getNumOperands()), value)[0];
}

//===- DemandForms.cpp - indices with lanes that are still linear ------------===//
//
// A body may compute the index at which it reads: (i - k) * 30 + j, or d mod 64. As long as the lanes of such an index
// lie side by side, nothing has to be gathered; so forms are followed through the arithmetic of indices.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

std::optional<Form> Demand::formOf(Value index) {
  if (isa<VectorType>(index.getType())) {
    auto found = loopNumbers.find(index);
    return found == loopNumbers.end() ? std::nullopt : std::optional(found->second);
  }
  if (llvm::APInt number; matchPattern(index, m_ConstantInt(&number)))
    return Form(number.getSExtValue());
  return Form::ofSlot(addSlot(index));
}

static bool isNumber(const Form &form) { return form.isConstant() && form.constant.isStatic(); }

std::optional<Form> Demand::formOf(Operation *op, ArrayRef<Value> operands) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !op->getResult(0).getType().isIndex())
    return std::nullopt;
  std::optional<Form> a = formOf(operands[0]), b = formOf(operands[1]);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *a + *b;
  if (isa<arith::SubIOp>(op))
    return *a + *b * -1;
  if (!isNumber(*a) && !isNumber(*b))
    return std::nullopt;
  return isNumber(*b) ? *a * b->constant : *b * a->constant;
}

void Demand::rememberForm(Operation *op, ArrayRef<Value> operands, Value result) {
  if (!getElementTypeOrSelf(result.getType()).isIndex())
    return;
  if (std::optional<Form> form = formOf(op, operands)) {
    loopNumbers[result] = *form;
    return;
  }
  if (!isa<arith::SelectOp>(op) || !matchPattern(op->getOperand(2), m_Zero()))
    return;
  if (std::optional<Form> form = formOf(operands[1]); form && form->hasLanes())
    guardedNumbers[result] = {*form, operands[0]};
}

Value Demand::divided(Operation *op, ArrayRef<Value> operands) {
  llvm::APInt divisor;
  if (!isa<arith::DivUIOp, arith::RemUIOp>(op) || !isa<VectorType>(operands[0].getType()) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) || divisor.urem(lanes) != 0 || divisor.isZero())
    return Value();
  std::optional<Form> form = formOf(operands[0]);
  if (!form || !form->lane.is(1))
    return Value();
  auto isMultiple = [&](const Extent &number, int64_t multipleOf) {
    return number.isStatic() && number.value() * multipleOf % lanes == 0;
  };
  if (!isMultiple(form->constant, 1) || llvm::any_of(form->terms, [&](const auto &term) {
        return !isMultiple(term.second, slots[term.first].multipleOf);
      }))
    return Value();
  Value first = indexOf(form->atLane(0)), by = indexOf(divisor.getSExtValue());
  if (isa<arith::DivUIOp>(op))
    return arith::DivUIOp::create(b, loc, first, by);
  Form rest = Form::ofSlot(addSlot(arith::RemUIOp::create(b, loc, first, by), lanes));
  rest.lane = 1;
  return indexValue(rest);
}

/// The place of the indices as a position, where those with lanes have forms: nothing has to be gathered.
std::optional<Position> Demand::linearPosition(ArrayRef<Value> indices) {
  Position position;
  for (Value index : indices) {
    std::optional<Form> form = formOf(index);
    if (!form)
      return std::nullopt;
    position.push_back(*form);
  }
  return position;
}

Value Demand::loadGuarded(Value tensor, ArrayRef<Value> indices) {
  Value memref = memory.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!memref || cast<MemRefType>(memref.getType()).getElementType() != element)
    return Value();
  Position position;
  Value condition = mask();
  for (Value index : indices) {
    auto guarded = guardedNumbers.find(index);
    std::optional<Form> form = guarded == guardedNumbers.end() ? formOf(index) : std::optional(guarded->second.form);
    if (!form)
      return Value();
    position.push_back(*form);
    if (guarded != guardedNumbers.end())
      condition = arith::AndIOp::create(b, loc, condition, spread(guarded->second.condition));
  }
  Form offset = storage.offsetIn(tensor, position);
  if (!offset.lane.is(1))
    return Value();
  return vector::MaskedLoadOp::create(b, loc, VectorType::get({int64_t(lanes)}, element), memref,
                                      indexOf(offset.atLane(0)), condition, spread(zeroOf(element)));
}

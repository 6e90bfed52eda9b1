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

std::optional<Form> Demand::knownForm(Value index) {
  if (llvm::APInt number; !isa<VectorType>(index.getType()) && matchPattern(index, m_ConstantInt(&number)))
    return Form(number.getSExtValue());
  auto found = loopNumbers.find(index);
  return found == loopNumbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Form> Demand::formOf(Value index) {
  if (std::optional<Form> known = knownForm(index))
    return known;
  return isa<VectorType>(index.getType()) ? std::nullopt : std::optional(Form::ofSlot(addSlot(index)));
}

/// Whether it is as wide as an index, so that sums and casts of either are those of the other.
static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

std::optional<Form> Demand::formOfNumber(Value number) {
  if (std::optional<Form> known = knownForm(number))
    return known;
  if (!number.getType().isInteger(64))
    return formOf(number);
  return Form::ofSlot(addSlot(arith::IndexCastOp::create(b, loc, b.getIndexType(), number)));
}

static bool isNumber(const Form &form) { return form.isConstant() && form.constant.isStatic(); }

/// Whether the form, but for its constant and its lanes, is so many times another.
static bool isWhole(const Form &form, int64_t divisor) {
  auto isMultiple = [&](const auto &term) { return term.second.isStatic() && term.second.value() % divisor == 0; };
  return divisor > 0 && form.constant.isStatic() && llvm::all_of(form.terms, isMultiple);
}

std::optional<Form> Demand::quotient(const Form &form, int64_t divisor) {
  auto isWhole = [&](const Extent &number) { return number.isStatic() && number.value() % divisor == 0; };
  if (divisor < 1 || !isWhole(form.lane))
    return std::nullopt;
  Form whole, rest;
  whole.lane = Extent(form.lane.value() / divisor);
  bool known = form.constant.isStatic();
  for (const auto &[slot, coefficient] : form.terms) {
    if (isWhole(coefficient)) {
      whole = whole + Form::ofSlot(slot, coefficient.value() / divisor);
    } else {
      rest = rest + Form::ofSlot(slot, coefficient);
      known = false;
    }
  }
  if (known)
    return whole + Form(floorDiv(form.constant, divisor));
  rest = rest + Form(form.constant);
  Value part = arith::FloorDivSIOp::create(b, loc, indexOf(rest), indexOf(divisor));
  return whole + Form::ofSlot(addSlot(part));
}

Value Demand::compared(Operation *op, ArrayRef<Value> operands) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex() ||
      (compare.getPredicate() != arith::CmpIPredicate::eq && compare.getPredicate() != arith::CmpIPredicate::ne))
    return Value();
  bool wide = isa<VectorType>(operands[0].getType());
  std::optional<Form> lhs = wide ? formOf(operands[0]) : knownForm(operands[0]),
                      rhs = wide ? formOf(operands[1]) : knownForm(operands[1]);
  if (!lhs || !rhs)
    return Value();
  Form apart = *lhs + *rhs * -1;
  if (apart.hasLanes() || (!wide && !isNumber(apart)))
    return Value();
  if (!isNumber(apart))
    return arith::CmpIOp::create(b, loc, compare.getPredicate(), indexOf(apart), indexOf(0));
  bool same = apart.constant.is(0);
  return constantOf(b.getBoolAttr(same == (compare.getPredicate() == arith::CmpIPredicate::eq)));
}

std::optional<Form> Demand::formOf(Operation *op, ArrayRef<Value> operands) {
  if (isa<arith::IndexCastOp>(op) && isWide(op->getResult(0).getType()) && isWide(op->getOperand(0).getType()))
    return knownForm(operands[0]);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || !isWide(op->getResult(0).getType()))
    return std::nullopt;
  std::optional<Form> a = formOfNumber(operands[0]), b = formOfNumber(operands[1]);
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
  Type type = getElementTypeOrSelf(result.getType());
  bool wide = isa<VectorType>(result.getType());
  if (!isWide(type) || (!wide && !type.isIndex()))
    return;
  if (!wide && !llvm::all_of(operands, [&](Value operand) { return knownForm(operand).has_value(); }))
    return;
  if (std::optional<Form> form = formOf(op, operands))
    loopNumbers[result] = *form;
}

Value Demand::divided(Operation *op, ArrayRef<Value> operands) {
  llvm::APInt divisor;
  if (isa<arith::FloorDivSIOp, arith::DivUIOp>(op) && op->getResult(0).getType().isIndex() &&
      matchPattern(op->getOperand(1), m_ConstantInt(&divisor))) {
    bool wide = isa<VectorType>(operands[0].getType());
    std::optional<Form> form = wide ? formOf(operands[0]) : knownForm(operands[0]);
    // The number of one row has no lanes; to divide it is worth something where nothing is left to be done at run time.
    bool number = !wide && isa<arith::FloorDivSIOp>(op);
    if (form && (form->hasLanes() || (number && isWhole(*form, divisor.getSExtValue()))))
      if (std::optional<Form> apart = quotient(*form, divisor.getSExtValue()))
        return indexValue(*apart);
  }
  if (isa<arith::RemUIOp>(op) && isa<VectorType>(operands[0].getType()) && op->getResult(0).getType().isIndex() &&
      matchPattern(op->getOperand(1), m_ConstantInt(&divisor))) {
    int64_t by = divisor.getSExtValue();
    std::optional<Form> form = formOf(operands[0]);
    // Lanes as far apart as what they are divided by all leave the same.
    if (form && isWhole(*form, by) && form->lane.isStatic() && form->lane.value() % by == 0 &&
        form->constant.value() >= 0)
      return indexValue(Form(form->constant.value() % by));
  }
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

//===--- what ranges decide ----------------------------------------------------------------------===//

IndexRange IndexRange::ofLoop(const Extent &low, const Extent &high, int64_t step) {
  if (!low.isStatic() || !high.isStatic() || high.value() <= low.value() || high.value() >= farthest)
    return {};
  return {low.value(), low.value() + (high.value() - 1 - low.value()) / step * step};
}

IndexRange Demand::rangeOf(const Form &form) const {
  constexpr int64_t largestFactor = int64_t(1) << 20;
  if (!form.constant.isStatic() || !form.lane.isStatic() || !active.isStatic())
    return {};
  int64_t low = form.constant.value(), high = low;
  auto add = [&](int64_t factor, IndexRange range) {
    low += factor * (factor > 0 ? range.low : range.high);
    high += factor * (factor > 0 ? range.high : range.low);
  };
  add(form.lane.value(), {0, active.value() - 1});
  for (const auto &[slot, factor] : form.terms) {
    if (!slots[slot].range.isKnown() || !factor.isStatic() || std::abs(factor.value()) > largestFactor)
      return {};
    add(factor.value(), slots[slot].range);
    if (low <= -IndexRange::farthest || high >= IndexRange::farthest)
      return {};
  }
  return {low, high};
}

Value Demand::decidedBound(Operation *op, ArrayRef<Value> operands) {
  std::optional<Form> a = knownForm(operands[0]), b = knownForm(operands[1]);
  if (!a || !b)
    return Value();
  IndexRange apart = rangeOf(*a + *b * -1);
  if (apart.low >= 0)
    return operands[isa<arith::MaxSIOp>(op) ? 0 : 1];
  if (apart.high <= 0)
    return operands[isa<arith::MaxSIOp>(op) ? 1 : 0];
  return Value();
}

Value Demand::decidedDivision(Operation *op, ArrayRef<Value> operands) {
  std::optional<Form> a = knownForm(operands[0]), b = knownForm(operands[1]);
  if (!a || !b || !isNumber(*b) || b->constant.value() <= 0)
    return Value();
  int64_t by = b->constant.value();
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op), isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op);
  // Whole multiples of the divisor do not matter for what is left over, where nothing is negative.
  Form whole, rest = *a;
  if (rangeOf(*a).low >= 0)
    for (const auto &[slot, coefficient] : a->terms)
      if (coefficient.isStatic() && coefficient.value() % by == 0) {
        whole = whole + Form::ofSlot(slot, coefficient.value() / by);
        rest = rest + Form::ofSlot(slot, -coefficient.value());
      }
  IndexRange range = rangeOf(rest);
  int64_t quotient = range.low / by;
  if (!range.isKnown() || quotient != range.high / by || ((isUnsigned || !whole.terms.empty()) && range.low < 0))
    return Value();
  return indexValue(isQuotient ? whole + Form(quotient) : rest + Form(-quotient * by));
}

Value Demand::decidedComparison(arith::CmpIPredicate predicate, ArrayRef<Value> operands) {
  std::optional<Form> a = knownForm(operands[0]), b = knownForm(operands[1]);
  if (!a || !b)
    return Value();
  IndexRange apart = rangeOf(*a + *b * -1);
  auto known = [&](bool yes, bool no) { return yes || no ? constantOf(this->b.getBoolAttr(yes)) : Value(); };
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case slt:
    return known(apart.high < 0, apart.low >= 0);
  case sle:
    return known(apart.high <= 0, apart.low > 0);
  case sgt:
    return known(apart.low > 0, apart.high <= 0);
  case sge:
    return known(apart.low >= 0, apart.high < 0);
  case ult:
    if (rangeOf(*a).low < 0 || rangeOf(*b).low < 0)
      return Value();
    return known(apart.high < 0, apart.low >= 0);
  default:
    return Value();
  }
}

Value Demand::decided(Operation *op, ArrayRef<Value> operands) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    BoolAttr condition;
    if (!matchPattern(operands[0], m_Constant(&condition)))
      return Value();
    return operands[condition.getValue() ? 1 : 2];
  }
  if (isa<arith::AndIOp>(op) && op->getResult(0).getType().isInteger(1))
    for (unsigned side : {0u, 1u})
      if (BoolAttr known; matchPattern(operands[side], m_Constant(&known)))
        return operands[known.getValue() ? 1 - side : side];
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex())
    return Value();
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return decidedBound(op, operands);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return decidedDivision(op, operands);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  return compare ? decidedComparison(compare.getPredicate(), operands) : Value();
}

//===- DemandBody.cpp - bodies of linalg ops, lane by lane -----------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/Lower/Exact.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/kumiko.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

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

void Demand::lookAhead(llvm::function_ref<void()> look, llvm::function_ref<void()> quick,
                       llvm::function_ref<void()> sure, Look at) {
  if (knowsPlaces())
    return quick();
  guardsToo = at == Look::Guards;
  if (!doubt)
    doubt = entry.failure();
  Value none = zeroOf(b.getI32Type()), place = zeroOf(b.getIndexType());
  OpBuilder::InsertionGuard guard(b);
  for (bool fromStart : {true, false}) {
    if (!fromStart && at != Look::Places)
      break;
    countsFromStart = fromStart;
    memref::StoreOp::create(b, loc, none, doubt, place);
    places = Places::Hoped;
    look();
    Value found = memref::LoadOp::create(b, loc, doubt, place);
    Value fine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, none);
    auto choice = scf::IfOp::create(b, loc, fine, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    places = Places::Taken;
    quick();
    b.setInsertionPointToStart(choice.elseBlock());
  }
  places = Places::Checked;
  sure();
}

/// x + n, where the index is x < 0 ? x + n : x: one of n where this is one of 2n, which takes fewer steps to find out.
static Value countedFromEnd(OpBuilder &b, Location loc, Value index, const Extent &extent) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto select = (cast ? cast.getIn() : index).getDefiningOp<arith::SelectOp>();
  auto below = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto sum = select ? select.getTrueValue().getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  llvm::APInt n;
  if (!below || below.getPredicate() != arith::CmpIPredicate::slt || below.getLhs() != select.getFalseValue() ||
      !matchPattern(below.getRhs(), m_Zero()) || !sum || sum.getLhs() != below.getLhs() ||
      !matchPattern(sum.getRhs(), m_ConstantInt(&n)) || !extent.is(n.getSExtValue()))
    return Value();
  return cast ? Value(arith::IndexCastOp::create(b, loc, index.getType(), sum)) : sum;
}

/// LLVM keeps the memory in a register.
void Demand::remember(Value wrong) {
  Value &memory = places == Places::Hoped ? doubt : failure;
  if (!memory)
    memory = entry.failure();
  Value any = wrong;
  if (isa<VectorType>(wrong.getType())) {
    // Lanes behind the end of a row hold anything.
    if (!allActive())
      any = arith::AndIOp::create(b, loc, any, mask());
    any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  }
  Value place = zeroOf(b.getIndexType()), status;
  Value before = memref::LoadOp::create(b, loc, memory, place);
  if (places == Places::Hoped) {
    // LLVM makes branches of choices behind each other, the last one first; what is read backwards is fetched late.
    status = arith::OrIOp::create(b, loc, before, arith::ExtUIOp::create(b, loc, b.getI32Type(), any));
  } else {
    status = arith::SelectOp::create(b, loc, any, constantOf(b.getI32IntegerAttr(KUMIKO_E_INDEX)), before);
  }
  memref::StoreOp::create(b, loc, status, memory, place);
}

void Demand::rememberUnless(Value right) {
  Value one = constantOf(b.getBoolAttr(true));
  remember(arith::XOrIOp::create(b, loc, right, isa<VectorType>(right.getType()) ? spread(one) : one));
}

/// The index where it is one of `extent`, else 0; a wrong one is remembered.
Value Demand::insideOrZero(Value index, const Extent &extent) {
  bool wide = isa<VectorType>(index.getType());
  Value shifted = places == Places::Hoped ? countedFromEnd(b, loc, index, extent) : Value();
  Value last = indexOf(shifted ? extent * 2 : extent), zero = zeroOf(b.getIndexType());
  if (wide) {
    last = spread(last);
    zero = spread(zero);
  }
  // As an unsigned number a negative index is too large.
  Value wrong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, shifted ? shifted : index, last);
  remember(wrong);
  return arith::SelectOp::create(b, loc, wrong, zero, index);
}

void Demand::fail() {
  if (!failure)
    failure = entry.failure();
  Value index = constantOf(b.getI32IntegerAttr(KUMIKO_E_INDEX));
  memref::StoreOp::create(b, loc, index, failure, zeroOf(b.getIndexType()));
}

Value Demand::status() {
  if (!failure)
    return constantOf(b.getI32IntegerAttr(0));
  return memref::LoadOp::create(b, loc, failure, zeroOf(b.getIndexType()));
}

/// The places of all lanes at once, in 32 bits. (Gathers of the machine are slower than one load per lane on many.)
Value Demand::gather(Value tensor, ArrayRef<Value> indices) {
  Value memref = memory.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Extent count = storage.extents.elementsOf(tensor);
  if (!memref || !count.isStatic() || count.value() > INT32_MAX)
    return Value();
  Extents strides =
      storage.strides.contains(tensor) ? storage.strides.lookup(tensor) : rowMajorStrides(storage.extents.of(tensor));
  auto type = VectorType::get({int64_t(lanes)}, b.getI32Type());
  Value same = indexOf(0), places;
  for (const auto &[index, stride] : llvm::zip_equal(indices, strides)) {
    if (!isa<VectorType>(index.getType())) {
      same = arith::AddIOp::create(b, loc, same, arith::MulIOp::create(b, loc, index, indexOf(stride)));
      continue;
    }
    Value factor = constantOf(DenseElementsAttr::get(type, b.getI32IntegerAttr(stride.value())));
    Value term = arith::MulIOp::create(b, loc, arith::IndexCastOp::create(b, loc, type, index), factor);
    places = places ? Value(arith::AddIOp::create(b, loc, places, term)) : term;
  }
  unsigned base = addSlot(same);
  return lanewise(element, [&](const Extent &lane) {
    Value place = vector::ExtractOp::create(b, loc, places, placeOf(lane));
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), place);
    return load(memref, Form::ofSlot(base) + Form::ofSlot(addSlot(index)), element);
  });
}

/// A place that takes more scalar operations than a comparison and a choice is taken out of a vector of places.
constexpr unsigned mostScalarSteps = 2;

/// The operations, but for loads and casts, that one lane of `vector` takes by itself; more than `mostScalarSteps`
/// where it cannot be found that way. `mask` is that of the active lanes.
static unsigned scalarSteps(Value vector, Value mask) {
  Operation *op = vector.getDefiningOp();
  auto masked = dyn_cast_or_null<vector::MaskedLoadOp>(op);
  if (!isa<VectorType>(vector.getType()) || matchPattern(vector, m_Constant()) ||
      isa_and_nonnull<vector::BroadcastOp, vector::LoadOp>(op) || (masked && masked.getMask() == mask))
    return 0;
  bool isStep = isa_and_nonnull<arith::SelectOp, arith::CmpIOp>(op);
  if (!isStep && !isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return mostScalarSteps + 1;
  unsigned steps = isStep;
  for (Value operand : op->getOperands())
    steps += scalarSteps(operand, mask);
  return steps;
}

Value Demand::scalarAtLane(Value vector, int64_t lane) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  if (DenseElementsAttr constant; matchPattern(vector, m_Constant(&constant)))
    return constantOf(cast<TypedAttr>(constant.getValues<Attribute>()[lane]));
  auto loaded = [&](Value memref, Value first) -> Value {
    return memref::LoadOp::create(b, loc, memref, arith::AddIOp::create(b, loc, first, indexOf(lane)).getResult());
  };
  Operation *op = vector.getDefiningOp();
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return broadcast.getSource();
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return loaded(load.getBase(), load.getIndices()[0]);
  if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
    return loaded(load.getBase(), load.getIndices()[0]);
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return scalarAtLane(operand, lane); });
  OperationState state(loc, op->getName(), operands, getElementTypeOrSelf(vector.getType()), op->getAttrs());
  return b.create(state)->getResult(0);
}

Value Demand::loadEach(Value tensor, ArrayRef<Value> indices) {
  if (!memory.lookup(tensor) || !active.isStatic())
    return Value();
  SmallVector<std::optional<Form>> forms = llvm::map_to_vector(indices, [&](Value index) { return formOf(index); });
  Value live = allActive() ? Value() : mask();
  for (auto [index, form] : llvm::zip_equal(indices, forms))
    if (!form && scalarSteps(index, live) > mostScalarSteps)
      return Value();
  return lanewise(cast<RankedTensorType>(tensor.getType()).getElementType(), [&](const Extent &lane) {
    Position position;
    for (auto [index, form] : llvm::zip_equal(indices, forms))
      position.push_back(form ? form->atLane(lane) : Form::ofSlot(addSlot(scalarAtLane(index, lane.value()))));
    return at(tensor, position);
  });
}

OpFoldResult Demand::placeOf(const Extent &lane) {
  return lane.isStatic() ? OpFoldResult(b.getI64IntegerAttr(lane.value())) : OpFoldResult(indexOf(lane));
}

Value Demand::extracted(tensor::ExtractOp op, SmallVector<Value> indices) {
  if (auto unsure = op->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute); unsure && places != Places::Taken)
    for (int64_t d : unsure.asArrayRef())
      indices[d] = insideOrZero(indices[d], storage.extents.of(op.getTensor())[d]);
  // An empty tensor has no element at 0 either.
  Extent count = storage.extents.elementsOf(op.getTensor());
  bool mayBeEmpty = op->hasAttr(checkedAttribute) || op->hasAttr(guardedAttribute);
  if (!mayBeEmpty || (count.isStatic() && count.value() > 0))
    return extractedInside(op, indices);
  auto zero = [&] { return zeroOf(op.getType()); };
  if (count.isStatic())
    return zero();
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, indexOf(count), indexOf(0));
  bool wide = llvm::any_of(indices, [](Value index) { return isa<VectorType>(index.getType()); });
  return choose(some, op.getType(), wide, [&] { return extractedInside(op, indices); }, zero);
}

Value Demand::chosenOfFew(Value tensor, ArrayRef<Value> indices) {
  auto hasNoForm = [&](Value index) { return !formOf(index); };
  const Value *place = llvm::find_if(indices, hasNoForm);
  if (!memory.lookup(tensor) || llvm::count_if(indices, hasNoForm) != 1 || !active.isStatic())
    return Value();
  size_t dimension = place - indices.begin();
  Extent count = storage.extents.of(tensor)[dimension];
  if (!count.isStatic() || count.value() > fewPlaces)
    return Value();
  Position position;
  for (Value index : indices)
    position.push_back(index == *place ? Form() : *formOf(index));
  Extent apart = storage.offsetIn(tensor, position).lane;
  if (!apart.isStatic() || std::abs(apart.value()) > fewPlaces)
    return Value();
  Value chosen = spread(at(tensor, position));
  for (int64_t n = 1; n < count.value(); ++n) {
    position[dimension] = Form(n);
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, *place, spread(indexOf(n)));
    chosen = arith::SelectOp::create(b, loc, here, spread(at(tensor, position)), chosen);
  }
  return chosen;
}

Value Demand::extractedInside(tensor::ExtractOp op, ArrayRef<Value> indices) {
  auto scalarAt = [&](ArrayRef<Value> scalars) {
    Position position;
    for (Value index : scalars)
      position.push_back(tracing ? *formOf(index) : Form::ofSlot(addSlot(index)));
    return at(op.getTensor(), position);
  };
  if (llvm::none_of(indices, [](Value index) { return isa<VectorType>(index.getType()); }))
    return scalarAt(indices);
  if (std::optional<Position> position = linearPosition(indices))
    return at(op.getTensor(), *position);
  if (op->hasAttr(guardedAttribute))
    if (Value loaded = loadGuarded(op.getTensor(), indices))
      return loaded;
  if (Value chosen = chosenOfFew(op.getTensor(), indices))
    return chosen;
  if (Value loaded = loadEach(op.getTensor(), indices))
    return loaded;
  if (Value gathered = gather(op.getTensor(), indices))
    return gathered;
  return lanewise(op.getType(), [&](const Extent &lane) {
    OpFoldResult place = placeOf(lane);
    SmallVector<Value> scalars;
    for (Value index : indices)
      scalars.push_back(isa<VectorType>(index.getType()) ? Value(vector::ExtractOp::create(b, loc, index, place))
                                                         : index);
    return scalarAt(scalars);
  });
}

Value Demand::extractedByLane(linalg::GenericOp op, tensor::ExtractOp extract, ArrayRef<Form> dims) {
  SmallVector<Value> wanted(extract.getIndices());
  return lanewise(extract.getType(), [&](const Extent &lane) {
    Position position;
    for (Value index : bodyValues(op, positionAtLane(dims, lane), SmallVector<Value>(op->getNumOperands()), wanted))
      position.push_back(Form::ofSlot(addSlot(index)));
    return at(extract.getTensor(), position);
  });
}

static bool isChecked(OpOperand &use) {
  auto checked = use.getOwner()->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute);
  return checked && llvm::is_contained(checked.asArrayRef(), int64_t(use.getOperandNumber()) - 1);
}

/// Whether `index`, maybe after a cast, is one that is checked and otherwise only compared with numbers of loops.
static bool isCheckedIndex(Value index) {
  if (index.hasOneUse())
    if (auto cast = dyn_cast<arith::IndexCastOp>(*index.user_begin()))
      return isCheckedIndex(cast);
  auto isCompared = [](OpOperand &use) {
    auto compare = dyn_cast<arith::CmpIOp>(use.getOwner());
    return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
           compare.getRhs().getDefiningOp<linalg::IndexOp>();
  };
  return llvm::any_of(index.getUses(), isChecked) &&
         llvm::all_of(index.getUses(), [&](OpOperand &use) { return isChecked(use) || isCompared(use); });
}

/// x, where `op` is x < 0 ? x + n : x and nothing but a checked index: one that counts from the start is x itself.
static Value countedFromStart(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto below = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!below || below.getPredicate() != arith::CmpIPredicate::slt || below.getLhs() != select.getFalseValue() ||
      !matchPattern(below.getRhs(), m_Zero()) || !isCheckedIndex(select))
    return Value();
  return select.getFalseValue();
}

/// Whether `value`, maybe after a cast, is an index of nothing but tensors of at most `most` elements there.
static bool isIndexOf(Value value, int64_t most, KernelExtents &extents) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto cast = dyn_cast<arith::IndexCastOp>(use.getOwner()))
      return isIndexOf(cast, most, extents);
    auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
    if (!extract || use.getOperandNumber() == 0)
      return false;
    Extent extent = extents.of(extract.getTensor())[use.getOperandNumber() - 1];
    return extent.isStatic() && extent.value() <= most;
  });
}

Value Demand::wrapped(Operation *op, Value x) {
  auto sum = op->getOperand(1).getDefiningOp<arith::AddIOp>();
  llvm::APInt n;
  if (!sum || sum.getLhs() != op->getOperand(2) || !matchPattern(sum.getRhs(), m_ConstantInt(&n)) || !n.isPowerOf2() ||
      !isIndexOf(op->getResult(0), n.getSExtValue(), storage.extents))
    return Value();
  Value bits = constantOf(b.getIntegerAttr(op->getResult(0).getType(), n - 1));
  return arith::AndIOp::create(b, loc, x, isa<VectorType>(x.getType()) ? spread(bits) : bits);
}

/// The condition under which the place that `op` chooses is the one from data, where it is an index of guarded reads.
static Value guardOf(Operation &op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto isGuarded = [](Operation *user) { return isa<tensor::ExtractOp>(user) && user->hasAttr(guardedAttribute); };
  bool guards = select && select.getType().isIndex() && llvm::all_of(select->getUsers(), isGuarded);
  return guards ? select.getCondition() : Value();
}

/// Everything inside the body that `value` follows from.
static void collectNeeded(Value value, Block *block, llvm::DenseSet<Value> &needed) {
  if (value.getParentBlock() != block || !needed.insert(value).second || isa<BlockArgument>(value))
    return;
  for (Value operand : value.getDefiningOp()->getOperands())
    collectNeeded(operand, block, needed);
}

SmallVector<Value> Demand::bodyValues(linalg::GenericOp op, ArrayRef<Form> dims, SmallVector<Value> arguments,
                                      ArrayRef<Value> wanted) {
  Block *block = op.getBody();
  llvm::DenseSet<Value> needed;
  // What a known condition follows from is not asked for again.
  if (known.first && known.first.getParentBlock() == block)
    needed.insert(known.first);
  for (Value value : wanted)
    collectNeeded(value, block, needed);
  llvm::DenseMap<Value, Value> values;
  for (auto [argument, value, operand] : llvm::zip_equal(block->getArguments(), arguments, op->getOpOperands())) {
    if (known.first == argument) {
      value = constantOf(b.getBoolAttr(known.second));
    } else if (!value && needed.contains(argument)) {
      Position position;
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
        // Lower keeps maps linear; anything else is read through tensor.extract.
        position.push_back(applyLinear(expr, dims).value_or(Form()));
      value = at(operand.get(), position);
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
  llvm::DenseSet<Value> guards;
  if (guardsToo && places != Places::Checked)
    for (Operation &inner : *block)
      guards.insert(guardOf(inner));
  for (Operation &inner : block->without_terminator()) {
    // What a tensor in a body holds is found when one of its elements is read.
    if (!needed.contains(inner.getResult(0)) || isa<RankedTensorType>(inner.getResult(0).getType()))
      continue;
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      if (!isa<RankedTensorType>(operand.getType()))
        operands.push_back(valueOf(operand));
    Value fromStart = places == Places::Checked ? Value() : countedFromStart(&inner);
    if (fromStart && !countsFromStart)
      fromStart = places == Places::Taken ? wrapped(&inner, valueOf(fromStart)) : Value();
    if (fromStart)
      values[inner.getResult(0)] = valueOf(fromStart);
    else if (met && inner.getResult(0) == met)
      values[met] = constantOf(b.getBoolAttr(true));
    else if (known.first && inner.getResult(0) == known.first)
      values[known.first] = constantOf(b.getBoolAttr(known.second));
    else if (places == Places::Taken && guards.contains(inner.getResult(0)))
      values[inner.getResult(0)] = constantOf(b.getBoolAttr(true));
    else if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values[index] = indexValue(dims[index.getDim()]);
    else if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      values[extract] = met && met.getParentBlock() == block && hasLanes(dims) ? extractedByLane(op, extract, dims)
                                                                               : extracted(extract, operands);
    else if (!inner.hasTrait<OpTrait::ConstantLike>())
      values[inner.getResult(0)] = elementwise(&inner, operands);
    if (places == Places::Hoped && guards.contains(inner.getResult(0)))
      rememberUnless(values[inner.getResult(0)]);
  }
  return llvm::map_to_vector(wanted, valueOf);
}

SmallVector<Value> Demand::body(linalg::GenericOp op, ArrayRef<Form> dims, SmallVector<Value> arguments) {
  return bodyValues(op, dims, std::move(arguments), llvm::to_vector(op.getBody()->getTerminator()->getOperands()));
}

Value Demand::bodyValue(linalg::GenericOp op, ArrayRef<Form> dims, Value value) {
  return bodyValues(op, dims, SmallVector<Value>(op->getNumOperands()), value)[0];
}

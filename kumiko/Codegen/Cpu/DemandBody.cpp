//===- DemandBody.cpp - bodies of linalg ops, loads and stores, by lane ----===//
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
  emit();
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

/// Truth values take a byte in memory; everywhere else they are i1.
static bool isTruth(Type element) { return element.isInteger(1); }

/// Further apart, most of what is loaded would be thrown away.
constexpr int64_t widestSieve = 8;

/// How far behind the start of a group of `step` elements `lowest` is, where buffer and loops consist of such groups;
/// then a group may be read as a whole.
static int64_t placeInGroup(MemRefType type, const Form &lowest, int64_t step) {
  auto whole = [&](const Extent &count) { return count.isStatic() && count.value() % step == 0; };
  bool groups = type.hasStaticShape() && type.getDimSize(0) % step == 0 && lowest.constant.isStatic() &&
                lowest.constant.value() >= 0 &&
                llvm::all_of(lowest.terms, [&](const auto &term) { return whole(term.second); });
  return groups ? lowest.constant.value() % step : -1;
}

Value Demand::loadSome(Value memref, Value index, Type stored, int64_t count) {
  auto type = VectorType::get({int64_t(lanes)}, stored);
  if (count == lanes)
    return vector::LoadOp::create(b, loc, type, memref, index);
  return vector::MaskedLoadOp::create(b, loc, type, memref, index, entry.maskOf(count, lanes), spread(zeroOf(stored)));
}

Value Demand::sieve(Value memref, const Form &offset, Type stored) {
  if (!active.isStatic() || active.is(1) || !offset.lane.isStatic() || lanes < 2)
    return Value();
  int64_t apart = offset.lane.value(), last = active.value() - 1, count = lanes;
  int64_t step = std::abs(apart);
  if (apart == 0 || step > widestSieve)
    return Value();
  Form lowest = offset.atLane(apart < 0 ? last : 0);
  // Reads of the same groups at other places share their vectors.
  int64_t first = placeInGroup(cast<MemRefType>(memref.getType()), lowest, step);
  lowest = lowest + Form(-std::max<int64_t>(first, 0));
  // Else from the lowest place on; the last vector ends with the highest, so that nothing beyond it is touched.
  int64_t end = first < 0 ? last * step + 1 : (last + 1) * step, lastStart = std::max<int64_t>(end - count, 0);
  first = std::max<int64_t>(first, 0);
  Value result;
  for (int64_t n = 0; n * count < end; ++n) {
    int64_t start = std::min(n * count, lastStart);
    Value vector = loadSome(memref, indexOf(lowest + Form(start)), stored, std::min(count, end - start));
    // Of the lanes, those that this vector is the first to have.
    SmallVector<int64_t> choice;
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t place = (apart < 0 ? last - lane : lane) * step + first;
      bool here = place >= start && place < start + count && place >= n * count && place < end;
      choice.push_back(here ? count + place - start : lane);
    }
    result = vector::ShuffleOp::create(b, loc, result ? result : vector, vector, choice);
  }
  return result;
}

Value Demand::load(Value memref, const Form &offset, Type element) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  auto truth = [&](Value byte) -> Value {
    if (!isTruth(element) || stored == element)
      return byte;
    Value zero = isa<VectorType>(byte.getType()) ? spread(zeroOf(stored)) : zeroOf(stored);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, byte, zero);
  };
  if (!offset.hasLanes())
    return truth(memref::LoadOp::create(b, loc, memref, indexOf(offset)));
  if (!offset.lane.is(1))
    if (Value lanesOfBlock = blocks.at(memref, offset, [&](const Form &place) { return indexOf(place); }))
      return truth(lanesOfBlock);
  if (!offset.lane.is(1)) {
    if (Value sieved = sieve(memref, offset, stored))
      return truth(sieved);
    return lanewise(element, [&](const Extent &lane) { return load(memref, offset.atLane(lane), element); });
  }
  auto type = VectorType::get({int64_t(lanes)}, stored);
  Value index = indexOf(offset.atLane(0));
  if (allActive())
    return truth(vector::LoadOp::create(b, loc, type, memref, index));
  return truth(vector::MaskedLoadOp::create(b, loc, type, memref, index, mask(), spread(zeroOf(stored))));
}

Value Demand::asStored(Value value, Value memref) {
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  if (!isTruth(getElementTypeOrSelf(value.getType())) || isTruth(stored))
    return value;
  Type wide = isa<VectorType>(value.getType()) ? Type(VectorType::get({int64_t(lanes)}, stored)) : stored;
  return arith::ExtUIOp::create(b, loc, wide, value);
}

bool Demand::mayGoPast(const Form &offset, VectorType type) const {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto whole = [&](const Extent &count, int64_t multipleOf) {
    return count.isStatic() && count.value() * multipleOf * bytes % bytesPastCaches == 0;
  };
  return allActive() && whole(offset.constant, 1) && whole(type.getNumElements(), 1) &&
         llvm::all_of(offset.terms, [&](const auto &term) {
           return whole(term.second, slots[term.first].multipleOf % bytesPastCaches);
         });
}

void Demand::store(Value value, Value memref, const Form &offset) {
  value = asStored(value, memref);
  if (!offset.hasLanes()) {
    memref::StoreOp::create(b, loc, value, memref, indexOf(offset));
    return;
  }
  value = spread(value);
  // One lane is stored by itself: x86 code generation of LLVM 22 turns a truncation that is stored under a mask of one
  // lane into a store of the wide value, which writes beyond the end.
  if (!offset.lane.is(1) || active.is(1))
    return storeLanes(value, memref, offset);
  Value index = indexOf(offset.atLane(0));
  if (pastCaches && mayGoPast(offset.atLane(0), cast<VectorType>(value.getType())))
    vector::StoreOp::create(b, loc, value, memref, index, /*nontemporal=*/true, llvm::Align(bytesPastCaches));
  else if (allActive())
    vector::StoreOp::create(b, loc, value, memref, index);
  else
    vector::MaskedStoreOp::create(b, loc, memref, index, mask(), value);
}

/// The byte that a truth value was loaded from; null where it is another one.
static Value byteOf(Value value) {
  auto isSet = value.getDefiningOp<arith::CmpIOp>();
  return isSet && isSet.getPredicate() == arith::CmpIPredicate::ne && isSet.getLhs().getDefiningOp<memref::LoadOp>() &&
                 isSet.getLhs().getType().isInteger(8) && matchPattern(isSet.getRhs(), m_Zero())
             ? isSet.getLhs()
             : Value();
}

void Demand::storeTogether(ArrayRef<Value> scalars, Value memref, const Form &first) {
  auto together = [&](ArrayRef<Value> values) -> Value {
    auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
    return vector::FromElementsOp::create(b, loc, type, values);
  };
  SmallVector<Value> bytes = llvm::map_to_vector(scalars, byteOf);
  Value vector;
  if (llvm::all_of(bytes, [](Value byte) { return bool(byte); })) {
    // Each is made 0 or 1 when all are there.
    vector = together(bytes);
    Value one = constantOf(DenseElementsAttr::get(cast<VectorType>(vector.getType()), b.getI8IntegerAttr(1)));
    vector = arith::MinUIOp::create(b, loc, vector, one);
  } else {
    vector = together(llvm::map_to_vector(scalars, [&](Value scalar) { return asStored(scalar, memref); }));
  }
  vector::StoreOp::create(b, loc, vector, memref, indexOf(first));
}

void Demand::storeInterleaved(ArrayRef<Value> values, Value memref, const Form &first) {
  int64_t parts = values.size(), count = lanes, end = active.value() * parts;
  for (int64_t vector = 0; vector * count < end; ++vector) {
    Value woven = values[0];
    for (int64_t part = 0; part < parts; ++part) {
      SmallVector<int64_t> choice;
      for (int64_t lane = 0; lane < count; ++lane) {
        int64_t place = vector * count + lane;
        bool keeps = place % parts != part && part != 0;
        choice.push_back(keeps ? lane : part == 0 ? place / parts : count + place / parts);
      }
      woven = vector::ShuffleOp::create(b, loc, woven, values[part], choice);
    }
    Value index = indexOf(first.atLane(0) + Form(vector * count));
    int64_t rest = end - vector * count;
    if (rest == 1) // see store()
      memref::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, woven, 0), memref, index);
    else if (rest < count)
      vector::MaskedStoreOp::create(b, loc, memref, index, entry.maskOf(rest, lanes), woven);
    else
      vector::StoreOp::create(b, loc, woven, memref, index);
  }
}

void Demand::storeLanes(ArrayRef<Value> values, Value memref, ArrayRef<Form> offsets) {
  SmallVector<Value> stored = llvm::map_to_vector(values, [&](Value value) { return spread(asStored(value, memref)); });
  bool closed = llvm::all_of(offsets, [&](const Form &offset) { return offset.lane.is(int64_t(values.size())); });
  if (active.isStatic() && values.size() > 1 && closed)
    return storeInterleaved(stored, memref, offsets.front());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (active.isStatic() && lane >= active.value())
      return;
    OpBuilder::InsertionGuard guard(b);
    if (!active.isStatic()) {
      Value live = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, indexOf(lane), indexOf(active));
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, live, /*withElseRegion=*/false).thenBlock());
    }
    for (auto [value, offset] : llvm::zip_equal(stored, offsets))
      memref::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, value, int64_t(lane)), memref,
                              indexOf(offset.atLane(lane)));
  }
}

/// max(x, c) with a constant c that is no NaN: one compare and select, which is one instruction and still lets a NaN in
/// x through. The general maximumf costs four.
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

void Demand::lookAhead(llvm::function_ref<void()> look, llvm::function_ref<void()> quick,
                       llvm::function_ref<void()> sure) {
  if (!doubt)
    doubt = entry.failure();
  Value none = zeroOf(b.getI32Type()), place = zeroOf(b.getIndexType());
  OpBuilder::InsertionGuard guard(b);
  for (bool fromStart : {true, false}) {
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

/// The index where it is one of `extent`, else 0; a wrong one is remembered. LLVM keeps the memory in a register.
Value Demand::insideOrZero(Value index, const Extent &extent) {
  Value &memory = places == Places::Hoped ? doubt : failure;
  if (!memory)
    memory = entry.failure();
  bool wide = isa<VectorType>(index.getType());
  Value shifted = places == Places::Hoped ? countedFromEnd(b, loc, index, extent) : Value();
  Value last = indexOf(shifted ? extent * 2 : extent), zero = zeroOf(b.getIndexType());
  if (wide) {
    last = spread(last);
    zero = spread(zero);
  }
  // As an unsigned number a negative index is too large.
  Value wrong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, shifted ? shifted : index, last), any = wrong;
  if (wide) {
    // Lanes behind the end of a row hold anything.
    if (!allActive())
      any = arith::AndIOp::create(b, loc, any, mask());
    any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  }
  Value place = zeroOf(b.getIndexType());
  Value before = memref::LoadOp::create(b, loc, memory, place);
  Value status = constantOf(b.getI32IntegerAttr(KUMIKO_E_INDEX));
  memref::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, any, status, before), memory, place);
  return arith::SelectOp::create(b, loc, wrong, zero, index);
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

/// Places among which lanes choose, at most, where all of them are read.
constexpr int64_t fewPlaces = 4;

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
      position.push_back(Form::ofSlot(addSlot(index)));
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

/// Whether `use` is an index that is checked, maybe after a cast.
static bool isChecked(OpOperand &use) {
  if (auto cast = dyn_cast<arith::IndexCastOp>(use.getOwner()))
    return llvm::all_of(cast->getUses(), isChecked);
  auto checked = use.getOwner()->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute);
  return checked && llvm::is_contained(checked.asArrayRef(), int64_t(use.getOperandNumber()) - 1);
}

/// x, where `op` is x < 0 ? x + n : x and nothing but a checked index: one that counts from the start is x itself.
static Value countedFromStart(Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  auto below = select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  if (!below || below.getPredicate() != arith::CmpIPredicate::slt || below.getLhs() != select.getFalseValue() ||
      !matchPattern(below.getRhs(), m_Zero()) || !llvm::all_of(select->getUses(), isChecked))
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
  for (Value value : wanted)
    collectNeeded(value, block, needed);
  llvm::DenseMap<Value, Value> values;
  for (auto [argument, value, operand] : llvm::zip_equal(block->getArguments(), arguments, op->getOpOperands())) {
    if (!value && needed.contains(argument)) {
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
    else if (auto index = dyn_cast<linalg::IndexOp>(inner))
      values[index] = indexValue(dims[index.getDim()]);
    else if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      values[extract] = met && met.getParentBlock() == block && hasLanes(dims) ? extractedByLane(op, extract, dims)
                                                                               : extracted(extract, operands);
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

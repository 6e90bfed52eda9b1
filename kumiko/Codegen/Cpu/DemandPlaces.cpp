//===- DemandPlaces.cpp - reads at places that data choose ------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Codegen/Cpu/Registers.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/kumiko.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

void Demand::lookAhead(llvm::function_ref<void()> look, llvm::function_ref<void()> quick,
                       llvm::function_ref<void()> sure, Look at) {
  if (knowsPlaces())
    return quick();
  guardsToo = at == Look::Guards;
  if (!doubt)
    doubt = entry.failure();
  Value none = zeroOf(b.getI32Type()), place = zeroOf(b.getIndexType());
  auto isNone = [&](Value memory) -> Value {
    Value found = memref::LoadOp::create(b, loc, memory, place);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, found, none);
  };
  OpBuilder::InsertionGuard guard(b);
  for (bool fromStart : {true, false}) {
    if (!fromStart && at != Look::Places)
      break;
    countsFromStart = fromStart;
    places = Places::Hoped;
    if (fromStart && at == Look::Places) {
      // Where some have counted from the end, others will.
      if (!endCounts)
        endCounts = entry.failure();
      memref::StoreOp::create(b, loc, memref::LoadOp::create(b, loc, endCounts, place), doubt, place);
      auto hopes = scf::IfOp::create(b, loc, isNone(endCounts), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(hopes.thenBlock());
      look();
    } else {
      memref::StoreOp::create(b, loc, none, doubt, place);
      look();
    }
    auto choice = scf::IfOp::create(b, loc, isNone(doubt), /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    places = Places::Taken;
    quick();
    b.setInsertionPointToStart(choice.elseBlock());
    if (fromStart && at == Look::Places)
      memref::StoreOp::create(b, loc, constantOf(b.getI32IntegerAttr(1)), endCounts, place);
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

/// The index where it is one of `extent`, else 0; a wrong one is remembered, and `right`, which gathers ask for, is
/// false there.
Value Demand::insideOrZero(Value index, const Extent &extent, Value &right) {
  bool wide = isa<VectorType>(index.getType());
  Value shifted = places == Places::Hoped ? countedFromEnd(b, loc, index, extent) : Value();
  Value last = indexOf(shifted ? extent * 2 : extent), zero = zeroOf(b.getIndexType());
  if (wide) {
    last = spread(last);
    zero = spread(zero);
  }
  // As an unsigned number a negative index is too large.
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, shifted ? shifted : index, last);
  };
  Value wrong = compare(arith::CmpIPredicate::uge);
  if (wide && gathers) {
    Value inside = compare(arith::CmpIPredicate::ult);
    right = right ? arith::AndIOp::create(b, loc, right, inside).getResult() : inside;
  }
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
  Wanted asked{indices, Value()};
  llvm::SaveAndRestore<Wanted *> restore(wanted, nullptr);
  if (auto unsure = op->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute); unsure && places != Places::Taken) {
    for (int64_t d : unsure.asArrayRef())
      indices[d] = insideOrZero(indices[d], storage.extents.of(op.getTensor())[d], asked.right);
    wanted = asked.right ? &asked : nullptr;
  }
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

Value Demand::chosenOfRow(Value tensor, ArrayRef<Value> indices) {
  Value memref = memory.lookup(tensor);
  if (!memref || storage.strides.contains(tensor) || formOf(indices.back()) || !active.isStatic())
    return Value();
  Position position;
  for (Value index : indices.drop_back()) {
    std::optional<Form> form = formOf(index);
    if (!form || form->hasLanes())
      return Value();
    position.push_back(*form);
  }
  const Extent &length = storage.extents.of(tensor).back();
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  if (!fitsRegisters(length, stored, lanes))
    return Value();
  position.push_back(Form(0));
  Form first = storage.offsetIn(tensor, position);
  SmallVector<Value> parts;
  for (int64_t n = 0; n < length.value(); n += lanes)
    parts.push_back(loadSome(memref, indexOf(first + Form(n)), stored, std::min<int64_t>(lanes, length.value() - n)));
  return fromStored(chooseFromRow(b, loc, parts, length.value(), indices.back()),
                    getElementTypeOrSelf(tensor.getType()));
}

void Demand::addUpPlaces(Value tensor, MutableArrayRef<Value> indices) {
  if (tracing || !memory.lookup(tensor) || storage.strides.contains(tensor))
    return;
  ArrayRef<Extent> extents = storage.extents.of(tensor);
  auto isPlace = [&](Value index) { return !isa<VectorType>(index.getType()) && !knownForm(index); };
  for (size_t d = 1; d < indices.size(); ++d) {
    if (!isPlace(indices[d - 1]) || !isPlace(indices[d]))
      continue;
    Value before = arith::MulIOp::create(b, loc, indices[d - 1], indexOf(extents[d]));
    indices[d] = arith::AddIOp::create(b, loc, before, indices[d]);
    indices[d - 1] = zeroOf(b.getIndexType());
  }
}

Value Demand::extractedInside(tensor::ExtractOp op, SmallVector<Value> indices) {
  addUpPlaces(op.getTensor(), indices);
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
  if (behind)
    return gather(op.getTensor(), indices);
  if (Value chosen = chosenOfFew(op.getTensor(), indices))
    return chosen;
  if (Value chosen = chosenOfRow(op.getTensor(), indices))
    return chosen;
  if (Value loaded = gathers ? Value() : loadEach(op.getTensor(), indices))
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

//===- DemandPlaces.cpp - reads at places that data choose ------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Lower/Checked.h"
#include "kumiko/kumiko.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Remembers that `wrong` was true for an active lane. LLVM keeps the memory in a register.
void Demand::remember(Value wrong) {
  if (!failure)
    failure = entry.failure();
  Value any = wrong;
  if (isa<VectorType>(wrong.getType())) {
    // Lanes behind the end of a row hold anything.
    if (!allActive())
      any = arith::AndIOp::create(b, loc, any, mask());
    any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  }
  Value place = zeroOf(b.getIndexType());
  Value before = memref::LoadOp::create(b, loc, failure, place);
  Value status = arith::SelectOp::create(b, loc, any, constantOf(b.getI32IntegerAttr(KUMIKO_E_INDEX)), before);
  memref::StoreOp::create(b, loc, status, failure, place);
}

/// The index where it is one of `extent`, else 0; a wrong one is remembered.
Value Demand::insideOrZero(Value index, const Extent &extent) {
  Value last = indexOf(extent), zero = zeroOf(b.getIndexType());
  if (isa<VectorType>(index.getType())) {
    last = spread(last);
    zero = spread(zero);
  }
  // As an unsigned number a negative index is too large.
  Value wrong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, index, last);
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

/// The places of all lanes at once, in 32 bits.
Value Demand::gather(Value tensor, ArrayRef<Value> indices) {
  Value memref = memory.lookup(tensor);
  Extent count = storage.extents.elementsOf(tensor);
  if (!memref || !count.isStatic() || count.value() > INT32_MAX)
    return Value();
  Extents strides =
      storage.strides.contains(tensor) ? storage.strides.lookup(tensor) : rowMajorStrides(storage.extents.of(tensor));
  auto type = VectorType::get({int64_t(lanes)}, b.getI32Type());
  Value same = indexOf(0), places;
  for (const auto &[d, stride] : llvm::enumerate(strides)) {
    if (!isa<VectorType>(indices[d].getType())) {
      same = arith::AddIOp::create(b, loc, same, arith::MulIOp::create(b, loc, indices[d], indexOf(stride)));
      continue;
    }
    Value factor = constantOf(DenseElementsAttr::get(type, b.getI32IntegerAttr(stride.value())));
    Value term = arith::MulIOp::create(b, loc, arith::IndexCastOp::create(b, loc, type, indices[d]), factor);
    places = places ? Value(arith::AddIOp::create(b, loc, places, term)) : term;
  }
  unsigned base = addSlot(same);
  return lanewise(cast<RankedTensorType>(tensor.getType()).getElementType(), [&](const Extent &lane) {
    Value place = vector::ExtractOp::create(b, loc, places, placeOf(lane));
    Value index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), place);
    return load(memref, Form::ofSlot(base) + Form::ofSlot(addSlot(index)),
                cast<RankedTensorType>(tensor.getType()).getElementType());
  });
}

OpFoldResult Demand::placeOf(const Extent &lane) {
  return lane.isStatic() ? OpFoldResult(b.getI64IntegerAttr(lane.value())) : OpFoldResult(indexOf(lane));
}

Value Demand::extracted(tensor::ExtractOp op, SmallVector<Value> indices) {
  if (auto unsure = op->getAttrOfType<DenseI64ArrayAttr>(checkedAttribute))
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

void Demand::addUpPlaces(Value tensor, MutableArrayRef<Value> indices) {
  if (!memory.lookup(tensor) || storage.strides.contains(tensor))
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
      position.push_back(Form::ofSlot(addSlot(index)));
    return at(op.getTensor(), position);
  };
  if (llvm::none_of(indices, [](Value index) { return isa<VectorType>(index.getType()); }))
    return scalarAt(indices);
  if (std::optional<Position> position = linearPosition(indices))
    return at(op.getTensor(), *position);
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

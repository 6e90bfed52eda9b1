//===- Demand.cpp - walking from a demanded element up to memory -----------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Nn/KernelSymbols.h"
#include "kumiko/Nn/Nn.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

static Value underReshapes(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

/// The value of a tensor that is the same wherever it is asked for: fixed, or a fixed one converted.
Value Demand::fixedValue(Value tensor) {
  tensor = underReshapes(tensor);
  if (Value value = fixed.lookup(tensor))
    return value;
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0 || op->getNumOperands() != 2 || op.getNumDpsInputs() != 1 ||
      !llvm::hasSingleElement(op.getBody()->without_terminator()) || !isa<CastOpInterface>(op.getBody()->front()))
    return Value();
  Value source = fixedValue(op.getDpsInputs()[0]);
  return source ? body(op, Position(op.getNumLoops()), {source, Value()})[0] : Value();
}

/// What the kernel has been told that lies at a fixed place of an argument; null elsewhere.
Value Demand::toldValue(Value tensor, ArrayRef<Form> position) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto kernel = argument ? dyn_cast<nn::KernelOp>(argument.getOwner()->getParentOp()) : nn::KernelOp();
  if (!kernel || !active.isStatic())
    return Value();
  auto told = kernel.getArgAttrOfType<DenseElementsAttr>(argument.getArgNumber(), nn::valuesAttrName);
  if (told && (told.getElementType() != getElementTypeOrSelf(tensor.getType()) || told.empty()))
    return Value();
  Form place = told ? linearize(position, storage.extents.of(tensor)) : Form();
  if (!told || !place.terms.empty() || !place.constant.isStatic() || !place.lane.isStatic())
    return Value();
  auto values = told.getValues<TypedAttr>();
  auto valueAt = [&](int64_t number) { return values[std::clamp<int64_t>(number, 0, told.getNumElements() - 1)]; };
  if (!place.hasLanes())
    return constantOf(valueAt(place.constant.value()));
  SmallVector<Attribute> list;
  for (int64_t lane = 0; lane < int64_t(lanes); ++lane)
    list.push_back(valueAt(place.constant.value() + std::min(lane, active.value() - 1) * place.lane.value()));
  return constantOf(DenseElementsAttr::get(VectorType::get({int64_t(lanes)}, told.getElementType()), list));
}

Value Demand::at(Value tensor, ArrayRef<Form> position) {
  if (Value value = fixedValue(tensor))
    return value;
  if (Value value = toldValue(tensor, position))
    return value;
  if (auto found = defined.find(tensor); found != defined.end()) {
    Known known = found->second; // a copy: it may redefine the tensor
    return known(position);
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  if (Value memref = memory.lookup(tensor))
    return load(memref, storage.offsetIn(tensor, position), type.getElementType());

  Operation *op = tensor.getDefiningOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return atGeneric(generic, cast<OpResult>(tensor).getResultNumber(), position);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return scalarOutside(fill.getInputs()[0]);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalarOutside(splat.getInput());
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return atRegion({pad.getSource(), scalarOutside(pad.getConstantPaddingValue()), Value(),
                     KernelExtents::ofIndices(pad.getMixedLowPad()), Extents(storage.extents.of(pad.getSource())),
                     Extents(storage.extents.of(pad))},
                    position);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return atRegion({insert.getSource(), Value(), insert.getDest(), KernelExtents::ofIndices(insert.getMixedOffsets()),
                     KernelExtents::ofIndices(insert.getMixedSizes()), Extents(storage.extents.of(insert))},
                    position);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return at(slice.getSource(), positionBehind(slice, position));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return atCollapsed(collapse, position);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return at(expand.getSrc(), positionBehind(expand, position, storage.extents));
  if (isa<tensor::BitcastOp, tensor::CastOp>(op))
    return at(op->getOperand(0), position);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return constantOf(cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  // tensor.empty: nobody may rely on what is there.
  return zeroOf(type.getElementType());
}

Value Demand::scalarOutside(Value scalar) {
  if (TypedAttr constant = constantScalar(scalar))
    return constantOf(constant);
  Operation *op = scalar.getDefiningOp();
  if (auto extent = dyn_cast<nn::ExtentOp>(op))
    return indexOf(extent.getValue());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return extracted(extract,
                     llvm::map_to_vector(extract.getIndices(), [&](Value index) { return scalarOutside(index); }));
  return elementwise(op, llvm::map_to_vector(op->getOperands(), [&](Value each) { return scalarOutside(each); }));
}

Position kumiko::cpu::loopsAt(linalg::GenericOp op, unsigned result, ArrayRef<Form> position) {
  Position dims(op.getNumLoops());
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  for (auto [expr, form] : llvm::zip_equal(map.getResults(), position))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims[dim.getPosition()] = form;
  return dims;
}

Value Demand::atGeneric(linalg::GenericOp op, unsigned result, ArrayRef<Form> position) {
  if (op.getNumReductionLoops() != 0)
    return reduceTogether(op, Position(position))[result];
  SmallVector<Value> arguments(op.getBody()->getNumArguments());
  return body(op, loopsAt(op, result, position), arguments)[result];
}

/// Lanes that lie side by side in a buffer are loaded together, those outside of it left out.
Value Demand::loadInside(Value tensor, ArrayRef<Form> position, ArrayRef<std::pair<Form, Extent>> open,
                         llvm::function_ref<Value()> outside) {
  Value memref = memory.lookup(tensor);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Form offset = memref ? storage.offsetIn(tensor, position) : Form();
  if (!offset.lane.is(1))
    return Value();
  // Truth values are bytes in memory.
  Type stored = cast<MemRefType>(memref.getType()).getElementType();
  if (stored != element && !element.isInteger(1))
    return Value();
  // 32 bits are enough where the buffer has no more elements, and compare with as many lanes as f32 has.
  Extent count = storage.extents.elementsOf(tensor);
  if (!count.isStatic() || count.value() > INT32_MAX / 2)
    return Value();
  auto type = VectorType::get({int64_t(lanes)}, b.getI32Type());
  auto narrow = [&](Value index) { return arith::IndexCastOp::create(b, loc, b.getI32Type(), index); };
  Value condition = mask();
  for (const auto &[form, extent] : open) {
    SmallVector<int32_t> steps;
    for (unsigned lane = 0; lane < lanes; ++lane)
      steps.push_back(lane * form.lane.value());
    Value first = spread(narrow(indexOf(form.atLane(0))));
    Value place = arith::AddIOp::create(b, loc, first, constantOf(DenseElementsAttr::get(type, ArrayRef(steps))));
    Value end = constantOf(DenseElementsAttr::get(type, b.getI32IntegerAttr(extent.value())));
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place, end);
    condition = arith::AndIOp::create(b, loc, condition, within);
  }
  Value loaded =
      vector::MaskedLoadOp::create(b, loc, VectorType::get({int64_t(lanes)}, stored), memref, indexOf(offset.atLane(0)),
                                   condition, spread(asStored(outside(), memref)));
  return fromStored(loaded, element);
}

/// `inside` where the position lies in [low, low + extent), otherwise the padding value or another tensor.
Value Demand::atRegion(Region region, ArrayRef<Form> position) {
  auto outside = [&] { return region.padding ? region.padding : at(region.dest, position); };
  Position inner;
  SmallVector<std::pair<Form, Extent>, 2> open; // (shifted form, extent) of the dimensions that must be compared
  for (const auto &[form, low, extent, whole] : llvm::zip_equal(position, region.low, region.extent, region.whole)) {
    inner.push_back(form + Form(-low));
    if (low.is(0) && extent == whole)
      continue;
    IndexRange range = rangeOf(inner.back());
    if (range.isKnown() && range.low >= 0 && extent.isStatic() && range.high < extent.value())
      continue;
    if (!inner.back().isConstant() || !inner.back().constant.isStatic() || !extent.isStatic())
      open.push_back({inner.back(), extent});
    else if (inner.back().constant.value() < 0 || inner.back().constant.value() >= extent.value())
      return outside();
  }
  if (open.empty())
    return at(region.inside, inner);
  bool wide = hasLanes(position);
  auto element = cast<RankedTensorType>(region.inside.getType()).getElementType();
  if (llvm::any_of(open, [](const auto &dim) { return dim.first.hasLanes(); })) {
    if (Value masked = loadInside(region.inside, inner, open, outside))
      return masked;
    return lanewise(element, [&](const Extent &lane) { return atRegion(region, positionAtLane(position, lane)); });
  }

  // One unsigned compare per dimension tells both ends.
  Value condition;
  for (const auto &[form, extent] : open) {
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indexOf(form), indexOf(extent));
    condition = condition ? arith::AndIOp::create(b, loc, condition, within) : within;
  }
  return choose(condition, element, wide, [&] { return at(region.inside, inner); }, outside);
}

Value Demand::choose(Value condition, Type element, bool wide, llvm::function_ref<Value()> then,
                     llvm::function_ref<Value()> otherwise) {
  Type type = wide ? Type(VectorType::get({int64_t(lanes)}, element)) : element;
  auto choice = scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
  auto yield = [&](Block *block, llvm::function_ref<Value()> value) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    Value result = value();
    scf::YieldOp::create(b, loc, wide ? spread(result) : result);
  };
  yield(choice.thenBlock(), then);
  yield(choice.elseBlock(), otherwise);
  return choice.getResult(0);
}

/// Whether `tensor` is a buffer seen through reshapes only.
Value Demand::bufferBehind(Value tensor) const {
  while (!memory.contains(tensor)) {
    Operation *op = tensor.getDefiningOp();
    if (!op || defined.contains(tensor) || !isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return Value();
    tensor = op->getOperand(0);
  }
  return memory.lookup(tensor);
}

Value Demand::atCollapsed(tensor::CollapseShapeOp op, ArrayRef<Form> position) {
  auto type = cast<RankedTensorType>(op.getType());
  if (Value memref = bufferBehind(op.getSrc()); memref && !storage.strides.contains(underReshapes(op.getSrc())))
    return load(memref, linearize(position, storage.extents.of(op)), type.getElementType());
  ArrayRef<Extent> source = storage.extents.of(op.getSrc());
  Position inner(source.size());
  for (auto [group, form] : llvm::zip_equal(op.getReassociationIndices(), position)) {
    SmallVector<int64_t> parts = llvm::filter_to_vector(group, [&](int64_t d) { return !source[d].is(1); });
    if (parts.size() == 2 && form.hasLanes() && source[parts[1]].isStatic())
      if (std::optional<Form> outer = quotient(form, source[parts[1]].value())) {
        inner[parts[0]] = *outer;
        inner[parts[1]] = form + *outer * -source[parts[1]];
        if (!inner[parts[1]].hasLanes())
          continue;
      }
    if (parts.size() > 1 && form.hasLanes())
      return lanewise(type.getElementType(),
                      [&](const Extent &lane) { return at(op, positionAtLane(position, lane)); });
    if (parts.empty())
      continue;
    Form rest = form;
    for (int64_t d : llvm::reverse(ArrayRef(parts).drop_front())) {
      Value whole = indexOf(rest), extent = indexOf(source[d]);
      inner[d] = Form::ofSlot(addSlot(arith::RemUIOp::create(b, loc, whole, extent)));
      rest = Form::ofSlot(addSlot(arith::DivUIOp::create(b, loc, whole, extent)));
    }
    inner[parts.front()] = rest;
  }
  return at(op.getSrc(), inner);
}

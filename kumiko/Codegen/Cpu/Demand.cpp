//===- Demand.cpp - walking from a demanded element up to memory -----------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Schedule/KernelShape.h"

using namespace mlir;
using namespace kumiko::cpu;

/// A reduction of at most this many points becomes straight-line code, so that neighbouring windows share loads.
constexpr int64_t unrollLimit = 27;

static Value underReshapes(Value tensor) {
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

Value Demand::at(Value tensor, ArrayRef<Form> position) {
  if (Value value = fixed.lookup(underReshapes(tensor)))
    return value;
  if (auto found = defined.find(tensor); found != defined.end()) {
    Known known = found->second; // a copy: it may redefine the tensor
    return known(position);
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  if (Value memref = memory.lookup(tensor))
    return load(memref, offsetIn(tensor, position, strides), type.getElementType());

  Operation *op = tensor.getDefiningOp();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return atGeneric(generic, cast<OpResult>(tensor).getResultNumber(), position);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return scalarOutside(fill.getInputs()[0]);
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    auto source = cast<RankedTensorType>(pad.getSource().getType());
    return atRegion({pad.getSource(), scalarOutside(pad.getConstantPaddingValue()), Value(), pad.getStaticLow(),
                     source.getShape(), type.getShape()},
                    position);
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return atRegion({insert.getSource(), Value(), insert.getDest(), insert.getStaticOffsets(), insert.getStaticSizes(),
                     type.getShape()},
                    position);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return atSlice(slice, position);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return atCollapsed(collapse, position);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    Position source;
    for (const auto &group : expand.getReassociationIndices()) {
      Position parts;
      SmallVector<int64_t> extents;
      for (int64_t d : group) {
        parts.push_back(position[d]);
        extents.push_back(type.getDimSize(d));
      }
      source.push_back(linearize(parts, extents));
    }
    return at(expand.getSrc(), source);
  }
  if (isa<tensor::BitcastOp, tensor::CastOp>(op))
    return at(op->getOperand(0), position);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return constantOf(cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  // tensor.empty: nobody may rely on what is there.
  return zeroOf(type.getElementType());
}

/// A scalar of the kernel's body as a value of the emitted function: a constant, an element of a tensor, or what is
/// computed from such.
Value Demand::scalarOutside(Value scalar) {
  if (TypedAttr constant = constantScalar(scalar))
    return constantOf(constant);
  Operation *op = scalar.getDefiningOp();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Position position;
    for (Value index : extract.getIndices())
      position.push_back(Form::ofSlot(addSlot(scalarOutside(index))));
    return at(extract.getTensor(), position);
  }
  return elementwise(op, llvm::map_to_vector(op->getOperands(), [&](Value each) { return scalarOutside(each); }));
}

Value Demand::atGeneric(linalg::GenericOp op, unsigned result, ArrayRef<Form> position) {
  Position dims(op.getNumLoops());
  AffineMap map = op.getIndexingMapMatchingResult(op->getResult(result));
  for (auto [expr, form] : llvm::zip_equal(map.getResults(), position))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims[dim.getPosition()] = form;
  if (op.getNumReductionLoops() != 0)
    return reduce(op, result, position, dims);
  SmallVector<Value> arguments(op.getBody()->getNumArguments());
  return body(op, dims, arguments)[result];
}

Value Demand::reduce(linalg::GenericOp op, unsigned result, ArrayRef<Form> position, Position dims) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  int64_t points = 1;
  for (unsigned loop : loops)
    points *= extents[loop];

  bool wide = llvm::any_of(position, [](const Form &form) { return form.lane != 0; });
  auto widen = [&](Value value) { return wide ? spread(value) : value; };
  SmallVector<Value> accumulators;
  for (Value init : op.getDpsInits())
    accumulators.push_back(widen(at(init, position)));

  auto step = [&](ArrayRef<Value> carried) {
    SmallVector<Value> arguments(op.getNumDpsInputs());
    llvm::append_range(arguments, carried);
    SmallVector<Value> next = body(op, dims, arguments);
    for (Value &value : next)
      value = widen(value);
    return next;
  };
  std::function<SmallVector<Value>(unsigned, SmallVector<Value>)> nest =
      [&](unsigned depth, SmallVector<Value> carried) -> SmallVector<Value> {
    if (depth == loops.size())
      return step(carried);
    unsigned loop = loops[depth];
    if (points <= unrollLimit) {
      for (int64_t i = 0; i < extents[loop]; ++i) {
        dims[loop] = Form(i);
        carried = nest(depth + 1, carried);
      }
      return carried;
    }
    auto forOp = scf::ForOp::create(b, loc, constantIndex(0), constantIndex(extents[loop]), constantIndex(1), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    dims[loop] = Form::ofSlot(addSlot(forOp.getInductionVar()));
    scf::YieldOp::create(
        b, loc,
        nest(depth + 1, SmallVector<Value>(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end())));
    return SmallVector<Value>(forOp.getResults());
  };
  return nest(0, accumulators)[result];
}

/// `inside` where the position lies in [low, low + extent), otherwise the padding value or another tensor.
Value Demand::atRegion(Region region, ArrayRef<Form> position) {
  auto outside = [&] { return region.padding ? region.padding : at(region.dest, position); };
  Position inner;
  SmallVector<std::pair<Form, int64_t>> open; // (shifted form, extent) of the dimensions that must be compared
  for (auto [form, low, extent, whole] : llvm::zip_equal(position, region.low, region.extent, region.whole)) {
    inner.push_back(form + Form(-low));
    if (low == 0 && extent == whole)
      continue;
    if (!inner.back().isConstant())
      open.push_back({inner.back(), extent});
    else if (inner.back().constant < 0 || inner.back().constant >= extent)
      return outside();
  }
  if (open.empty())
    return at(region.inside, inner);
  bool wide = llvm::any_of(position, [](const Form &form) { return form.lane != 0; });
  auto element = cast<RankedTensorType>(region.inside.getType()).getElementType();
  if (llvm::any_of(open, [](const auto &dim) { return dim.first.lane != 0; }))
    return lanewise(element, [&](unsigned lane) { return atRegion(region, positionAtLane(position, lane)); });

  // One unsigned compare per dimension tells both ends.
  Value condition;
  for (const auto &[form, extent] : open) {
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, indexOf(form), constantIndex(extent));
    condition = condition ? arith::AndIOp::create(b, loc, condition, within) : within;
  }
  Type type = wide ? Type(VectorType::get({int64_t(lanes)}, element)) : element;
  auto choice = scf::IfOp::create(b, loc, type, condition, /*withElseRegion=*/true);
  auto yield = [&](Block *block, llvm::function_ref<Value()> value) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    Value result = value();
    scf::YieldOp::create(b, loc, wide ? spread(result) : result);
  };
  yield(choice.thenBlock(), [&] { return at(region.inside, inner); });
  yield(choice.elseBlock(), outside);
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
  if (Value memref = bufferBehind(op.getSrc()); memref && (!strides || strides->empty()))
    return load(memref, linearize(position, type.getShape()), type.getElementType());
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  Position inner(source.getRank());
  for (auto [group, form] : llvm::zip_equal(op.getReassociationIndices(), position)) {
    SmallVector<int64_t> parts = llvm::filter_to_vector(group, [&](int64_t d) { return source.getDimSize(d) != 1; });
    if (parts.size() > 1 && form.lane != 0)
      return lanewise(type.getElementType(), [&](unsigned lane) { return at(op, positionAtLane(position, lane)); });
    if (parts.empty())
      continue;
    Form rest = form;
    for (int64_t d : llvm::reverse(ArrayRef(parts).drop_front())) {
      Value whole = indexOf(rest), extent = constantIndex(source.getDimSize(d));
      inner[d] = Form::ofSlot(addSlot(arith::RemUIOp::create(b, loc, whole, extent)));
      rest = Form::ofSlot(addSlot(arith::DivUIOp::create(b, loc, whole, extent)));
    }
    inner[parts.front()] = rest;
  }
  return at(op.getSrc(), inner);
}

Value Demand::atSlice(tensor::ExtractSliceOp op, ArrayRef<Form> position) {
  Position source;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  const Form *next = position.begin();
  for (auto [d, offset, stride] : llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides()))
    source.push_back(dropped.test(d) ? Form(offset) : *next++ * stride + Form(offset));
  return at(op.getSource(), source);
}

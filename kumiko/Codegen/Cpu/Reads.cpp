//===- Reads.cpp - what a demand would read --------------------------------===//
#include "kumiko/Codegen/Cpu/Reads.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

void Reads::mark(llvm::SmallBitVector &loops, ArrayRef<Form> list) {
  for (const Form &form : list)
    for (const auto &[slot, coefficient] : form.terms)
      if (slot < loops.size())
        loops.set(slot);
}

static Position operandPosition(linalg::GenericOp op, OpOperand &operand, ArrayRef<Form> dims) {
  Position position;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    position.push_back(applyLinear(expr, dims).value_or(Form()));
  return position;
}

/// The number of a loop that is an index as it is only adds to the place.
void Reads::markChoosing(linalg::GenericOp op, ArrayRef<Form> dims) {
  llvm::SetVector<Value> needed;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    for (Value index : extract.getIndices())
      if (!index.getDefiningOp<linalg::IndexOp>())
        needed.insert(index);
  for (size_t next = 0; next < needed.size(); ++next) {
    Value value = needed[next];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == op.getBody())
      mark(choosing, operandPosition(op, op->getOpOperand(argument.getArgNumber()), dims));
    else if (auto index = value.getDefiningOp<linalg::IndexOp>())
      mark(choosing, dims[index.getDim()]);
    else if (Operation *inner = value.getDefiningOp(); inner && inner->getBlock() == op.getBody())
      needed.insert(inner->operand_begin(), inner->operand_end());
  }
}

/// The position in the source of a reshape that only drops dimensions of one element.
static std::optional<Position> behindUnits(tensor::CollapseShapeOp op, ArrayRef<Form> position,
                                           ArrayRef<Extent> shape) {
  Position source(shape.size());
  for (auto [group, form] : llvm::zip_equal(op.getReassociationIndices(), position)) {
    bool placed = false;
    for (int64_t d : group) {
      if (shape[d].is(1))
        continue;
      if (placed)
        return std::nullopt;
      source[d] = form;
      placed = true;
    }
  }
  return source;
}

void Reads::collect(Value tensor, ArrayRef<Form> position) {
  if (known.contains(tensor))
    return;
  Operation *op = tensor.getDefiningOp();
  if (!op || storage.strides.contains(tensor)) {
    forms.push_back(storage.offsetIn(tensor, position));
    return;
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    Position dims(generic.getNumLoops());
    AffineMap map = generic.getIndexingMapMatchingResult(cast<OpResult>(tensor));
    for (auto [expr, form] : llvm::zip_equal(map.getResults(), position))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims[dim.getPosition()] = form;
    SmallVector<unsigned> reduced;
    generic.getReductionDims(reduced);
    for (unsigned loop : reduced)
      dims[loop] = Form::ofSlot(nextSlot++);
    return collectBody(generic, dims);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return collect(slice.getSource(), positionBehind(slice, position));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return collect(expand.getSrc(), positionBehind(expand, position, storage.extents));
  if (isa<tensor::BitcastOp, tensor::CastOp>(op))
    return collect(op->getOperand(0), position);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
      collapse && !collapse.getSrc().getDefiningOp() && !storage.strides.contains(collapse.getSrc())) {
    forms.push_back(linearize(position, storage.extents.of(tensor)));
    return;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    if (std::optional<Position> source = behindUnits(collapse, position, storage.extents.of(collapse.getSrc())))
      return collect(collapse.getSrc(), *source);
  // Pads and inserts test their position, collapses divide it: leave these loops as they are.
  if (isa<tensor::PadOp, tensor::InsertSliceOp, tensor::CollapseShapeOp>(op)) {
    mark(opaque, position);
    mark(tied, position);
  }
}

void Reads::markNumbers(linalg::GenericOp op, ArrayRef<Form> dims) {
  auto readsBuffer = [](OpOperand &use) {
    auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner());
    return extract && !extract.getTensor().getDefiningOp();
  };
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    mark(opaque, dims[index.getDim()]);
    if (!llvm::all_of(index->getUses(), readsBuffer))
      mark(tied, dims[index.getDim()]);
  }
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    if (extract.getTensor().getDefiningOp())
      continue;
    Position place;
    for (Value index : extract.getIndices()) {
      auto number = index.getDefiningOp<linalg::IndexOp>();
      place.push_back(number ? dims[number.getDim()] : Form());
    }
    chosenForms.push_back(storage.offsetIn(extract.getTensor(), place));
  }
}

void Reads::collectBody(linalg::GenericOp op, ArrayRef<Form> dims) {
  if (!op.getBody()->getOps<tensor::ExtractOp>().empty())
    bodies.push_back({op, Position(dims)});
  markNumbers(op, dims);
  markChoosing(op, dims);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getBody()->getArgument(input->getOperandNumber()).use_empty())
      continue;
    collect(input->get(), operandPosition(op, *input, dims));
  }
}

bool Reads::canMerge(unsigned outer, unsigned inner, const Extent &innerExtent) const {
  if (tied.test(outer) || tied.test(inner))
    return false;
  auto asOne = [&](const Form &form) { return form.coefficientOf(outer) == form.coefficientOf(inner) * innerExtent; };
  return llvm::all_of(forms, asOne) && llvm::all_of(chosenForms, asOne);
}

std::optional<Position> kumiko::cpu::positionAfter(Value tensor, linalg::GenericOp op, const Position &position,
                                                   Storage &storage, bool isPart) {
  if (tensor == op->getResult(0))
    return position;
  auto after = [&](Value operand) { return positionAfter(operand, op, position, storage, isPart); };
  Operation *producer = tensor.getDefiningOp();
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(producer); generic && generic.getNumReductionLoops() == 0)
    for (OpOperand *input : generic.getDpsInputOperands())
      if (std::optional<Position> inner = after(input->get())) {
        Position dims(generic.getNumLoops());
        for (auto [expr, form] : llvm::zip_equal(generic.getMatchingIndexingMap(input).getResults(), *inner))
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            dims[dim.getPosition()] = form;
        return applyMap(generic.getIndexingMapMatchingResult(cast<OpResult>(tensor)), dims);
      }
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(producer))
    if (std::optional<Position> inner = after(collapse.getSrc())) {
      ArrayRef<Extent> shape = storage.extents.of(collapse.getSrc());
      Position outer;
      for (const auto &group : collapse.getReassociationIndices()) {
        Form whole;
        for (int64_t d : group)
          whole = whole * shape[d] + (*inner)[d];
        outer.push_back(whole);
      }
      return outer;
    }
  // A part's elements are numbered as those of the first are, whichever part it is.
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(producer); slice && isPart)
    return after(slice.getSource());
  return std::nullopt;
}

Value kumiko::cpu::placeRead(linalg::GenericOp op) {
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
    for (Value index : extract.getIndices()) {
      if (auto guarded = index.getDefiningOp<arith::SelectOp>())
        index = guarded.getTrueValue();
      auto cast = index.getDefiningOp<arith::IndexCastOp>();
      if (cast && isa<BlockArgument>(cast.getIn()))
        return cast;
    }
  return Value();
}

SmallVector<MergedLoop> kumiko::cpu::mergeLoops(const Reads &reads, ArrayRef<unsigned> loops,
                                                ArrayRef<Extent> extents) {
  SmallVector<MergedLoop> merged;
  for (unsigned loop : llvm::reverse(loops)) {
    if (extents[loop].is(1))
      continue;
    if (!merged.empty() && reads.canMerge(loop, merged.back().loop, merged.back().extent))
      merged.back().extent *= extents[loop];
    else
      merged.push_back({loop, extents[loop]});
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

llvm::SetVector<Value> kumiko::cpu::neededInside(Block *body, ValueRange wanted, Value known) {
  llvm::SetVector<Value> needed;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (value.getParentBlock() == body)
        needed.insert(value);
  };
  add(wanted);
  for (size_t next = 0; next < needed.size(); ++next)
    if (Operation *op = needed[next].getDefiningOp(); op && needed[next] != known)
      add(op->getOperands());
  return needed;
}

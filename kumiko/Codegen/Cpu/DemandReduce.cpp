//===- DemandReduce.cpp - reductions inside of a demand ---------------------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "kumiko/Codegen/Cpu/Reads.h"
#include "kumiko/Kernel/KernelShape.h"
#include "kumiko/Kernel/Selection.h"
#include "kumiko/Lower/Checked.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// A reduction of at most this many points becomes straight-line code, so that neighbouring windows share loads.
constexpr int64_t unrollLimit = 49;

SmallVector<Value> Demand::reduceStep(linalg::GenericOp op, ArrayRef<Position> dims, ArrayRef<Value> carried,
                                      bool wide) {
  SmallVector<Value> next;
  for (const auto &[n, loopValues] : llvm::enumerate(dims)) {
    SmallVector<Value> arguments(op.getNumDpsInputs());
    llvm::append_range(arguments, carried.slice(n * op.getNumResults(), op.getNumResults()));
    for (Value value : body(op, loopValues, arguments))
      next.push_back(wide ? spread(value) : value);
  }
  return next;
}

/// Steps that do not wait for each other, of a reduction whose loop is at least this long, where a step is short or
/// chooses.
constexpr int64_t mostParts = 4, fewestSteps = 16, longestStep = 6;

/// The loop, of those that are reduced, along which one reduction is done in parts; none where it is not worth it.
static std::optional<unsigned> loopOfParts(linalg::GenericOp op, ArrayRef<unsigned> loops, ArrayRef<Extent> extents) {
  bool isShort = llvm::range_size(op.getBody()->without_terminator()) <= longestStep;
  bool isSum = isShort && hasSimpleCombiner(op) && canReduceInParts(op);
  if ((!isSum && !selectionOf(op)) || placeRead(op))
    return std::nullopt;
  auto found =
      llvm::find_if(llvm::reverse(loops), [&](unsigned loop) { return typicalSize(extents[loop]) >= fewestSteps; });
  return found == loops.rend() ? std::nullopt : std::optional(*found);
}

SmallVector<Value> Demand::reduceTogether(linalg::GenericOp op, ArrayRef<Position> positions) {
  Extents extents = storage.extents.loopsOf(op);
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  Extent points = 1;
  for (unsigned loop : loops)
    points *= extents[loop];

  // A read by lanes is long already.
  bool wide = hasLanes(positions.front()), choosesLanes = wide && placeRead(op);
  bool unrolls = points.isStatic() && points.value() <= (choosesLanes ? 1 : unrollLimit);
  std::optional<unsigned> inParts;
  if (positions.size() == 1 && !unrolls)
    inParts = loopOfParts(op, loops, extents);
  auto widen = [&](Value value) { return wide ? spread(value) : value; };
  SmallVector<Value> accumulators;
  std::vector<Position> dims;
  for (const Position &position : positions)
    for (int64_t part = 0; part < (inParts ? mostParts : 1); ++part) {
      dims.push_back(loopsAt(op, 0, position));
      for (Value init : op.getDpsInits())
        accumulators.push_back(widen(at(init, position)));
    }

  std::function<SmallVector<Value>(unsigned, SmallVector<Value>)> nest =
      [&](unsigned depth, SmallVector<Value> carried) -> SmallVector<Value> {
    if (depth == loops.size())
      return reduceStep(op, dims, carried, wide);
    unsigned loop = loops[depth];
    // One after the other, or each its own of as many as there are parts.
    auto at = [&](const Form &form, SmallVector<Value> before) {
      for (auto [part, loopValues] : llvm::enumerate(dims))
        loopValues[loop] = loop == inParts ? form + Form(part) : form;
      return nest(depth + 1, before);
    };
    if (unrolls) {
      for (int64_t i = 0; i < extents[loop].value(); ++i)
        carried = at(Form(i), carried);
      return carried;
    }
    auto loopOver = [&](const Extent &low, const Extent &high, int64_t step, ValueRange before) {
      auto forOp = scf::ForOp::create(b, loc, indexOf(low), indexOf(high), indexOf(step), before);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(forOp.getBody());
      Form form = Form::ofSlot(addSlot(forOp.getInductionVar()));
      scf::YieldOp::create(b, loc, at(form, llvm::to_vector(ValueRange(forOp.getRegionIterArgs()))));
      return SmallVector<Value>(forOp.getResults());
    };
    if (loop != inParts)
      return loopOver(0, extents[loop], 1, carried);
    Extent full = floorDiv(extents[loop], mostParts) * mostParts;
    carried = loopOver(0, full, mostParts, carried);
    if (full == extents[loop])
      return carried;
    // The first part has the steps that are left over.
    std::vector<Position> all = std::exchange(dims, {dims.front()});
    SmallVector<Value> first = loopOver(full, extents[loop], 1, ArrayRef(carried).take_front(op.getNumResults()));
    dims = std::move(all);
    llvm::copy(first, carried.begin());
    return carried;
  };
  SmallVector<Value> sums = nest(0, accumulators);
  // Halves of what is left.
  for (size_t each = op.getNumResults(), half = sums.size() / 2; inParts && half >= each; half /= 2) {
    SmallVector<Value> both;
    for (size_t part = 0; part < half; part += each)
      llvm::append_range(both, combine(op, ArrayRef(sums).slice(part, each), ArrayRef(sums).slice(half + part, each)));
    sums = std::move(both);
  }
  return sums;
}

/// The better one of two, or the one that comes first, or last, where they are as good.
SmallVector<Value> Demand::choose(linalg::GenericOp op, ArrayRef<Value> first, ArrayRef<Value> second) {
  Selection selection = *selectionOf(op);
  auto replaces = [&](ArrayRef<Value> candidate, ArrayRef<Value> kept) {
    std::function<Value(Value)> valueOf = [&](Value value) -> Value {
      if (value == selection.value)
        return candidate[0];
      if (auto argument = dyn_cast<BlockArgument>(value))
        return kept[argument.getArgNumber() - op.getNumDpsInputs()];
      if (TypedAttr constant; matchPattern(value, m_Constant(&constant)))
        return constantOf(constant);
      Operation *producer = value.getDefiningOp();
      return elementwise(producer, llvm::map_to_vector(producer->getOperands(), valueOf));
    };
    return valueOf(selection.condition);
  };
  Value later = replaces(second, first), earlier = replaces(first, second);
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, second[1], first[1]);
  };
  // As good: both would replace the other, and the last one stays, or neither would.
  Value last =
      arith::SelectOp::create(b, loc, later, compare(arith::CmpIPredicate::sgt), compare(arith::CmpIPredicate::slt));
  Value differ = arith::XOrIOp::create(b, loc, later, earlier);
  Value takes = arith::SelectOp::create(b, loc, differ, later, last);
  SmallVector<Value> chosen;
  for (auto [one, other] : llvm::zip_equal(first, second))
    chosen.push_back(arith::SelectOp::create(b, loc, takes, other, one));
  return chosen;
}

SmallVector<Value> Demand::combine(linalg::GenericOp op, ArrayRef<Value> first, ArrayRef<Value> second) {
  if (op.getNumResults() > 1)
    return choose(op, first, second);
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  OperationState state(loc, combiner->getName(), {first[0], second[0]}, {first[0].getType()}, combiner->getAttrs());
  return {b.create(state)->getResult(0)};
}

/// 8 lanes to 4, 2, 1. A choice is made of whole vectors, of which only as many lanes matter.
SmallVector<Value> Demand::fold(linalg::GenericOp op, SmallVector<Value> vectors) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    auto lanesFrom = [&](int64_t from) {
      SmallVector<int64_t> choice;
      for (int64_t lane = 0; lane < (op.getNumResults() > 1 ? int64_t(lanes) : half); ++lane)
        choice.push_back((from + lane) % lanes);
      return llvm::map_to_vector(
          vectors, [&](Value vector) -> Value { return vector::ShuffleOp::create(b, loc, vector, vector, choice); });
    };
    vectors = combine(op, lanesFrom(0), lanesFrom(half));
  }
  return llvm::map_to_vector(
      vectors, [&](Value vector) -> Value { return vector::ExtractOp::create(b, loc, vector, int64_t(0)); });
}

SmallVector<Value> Demand::reduceAlong(linalg::GenericOp op, ArrayRef<Position> positions) {
  Extents extents = storage.extents.loopsOf(op);
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  SmallVector<Value> sums;
  std::vector<Position> dims;
  for (const Position &position : positions) {
    dims.push_back(loopsAt(op, 0, position));
    for (Value init : op.getDpsInits())
      sums.push_back(spread(at(init, position)));
  }
  auto stepAt = [&](unsigned loop, const Form &form, ArrayRef<Value> carried) {
    for (Position &loopValues : dims)
      loopValues[loop] = form;
    return reduceStep(op, dims, carried, /*wide=*/true);
  };
  auto lanesFrom = [](Form form) {
    form.lane = 1;
    return form;
  };
  auto loopOver = [&](const Extent &high, int64_t step, SmallVector<Value> carried,
                      llvm::function_ref<SmallVector<Value>(Form, SmallVector<Value>)> body) {
    auto forOp = scf::ForOp::create(b, loc, indexOf(0), indexOf(high), indexOf(step), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    ValueRange arguments = forOp.getRegionIterArgs();
    scf::YieldOp::create(b, loc, body(Form::ofSlot(addSlot(forOp.getInductionVar())), llvm::to_vector(arguments)));
    return SmallVector<Value>(forOp.getResults());
  };
  unsigned last = loops.pop_back_val();
  std::function<SmallVector<Value>(size_t, SmallVector<Value>)> nest = [&](size_t depth, SmallVector<Value> carried) {
    if (depth < loops.size())
      return loopOver(extents[loops[depth]], 1, carried, [&](Form form, SmallVector<Value> inner) {
        for (Position &loopValues : dims)
          loopValues[loops[depth]] = form;
        return nest(depth + 1, inner);
      });
    int64_t full = extents[last].value() / lanes * lanes, rest = extents[last].value() - full;
    carried = loopOver(full, lanes, carried,
                       [&](Form form, SmallVector<Value> inner) { return stepAt(last, lanesFrom(form), inner); });
    if (rest == 0)
      return carried;
    // Lanes beyond the end keep what they had.
    active = rest;
    SmallVector<Value> next = stepAt(last, lanesFrom(Form(full)), carried);
    for (auto [value, before] : llvm::zip_equal(next, carried))
      value = arith::SelectOp::create(b, loc, mask(), value, before);
    active = lanes;
    return next;
  };
  SmallVector<Value> vectors = nest(0, sums), folded;
  for (size_t n = 0, each = op.getNumResults(); n < vectors.size(); n += each)
    llvm::append_range(folded, fold(op, SmallVector<Value>(ArrayRef(vectors).slice(n, each))));
  return folded;
}

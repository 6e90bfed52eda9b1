//===- PointsBlocks.cpp - points that are read across memory ------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// With fewer lines most of a block would be empty.
constexpr int64_t fewestLines = 4;
/// Blocks along the lines before the next lanes: what they write stays open in the caches until it is whole.
constexpr int64_t blocksOfGroup = 32;

bool kumiko::cpu::readsOnce(Block &body) {
  return llvm::all_of(body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
    return op.getNumReductionLoops() == 0 && op.getBody()->getOps<tensor::ExtractOp>().empty();
  });
}

std::optional<size_t> PieceEmitter::lineLoop() {
  if (!readsOnce(k.body) || sources->opaque.test(lane.loop))
    return std::nullopt;
  for (const auto &[place, loop] : llvm::enumerate(loops))
    for (const Form &form : sources->forms) {
      Extent apart = form.coefficientOf(lane.loop);
      if (!apart.is(0) && !apart.is(1) && form.coefficientOf(loop.loop).is(1) && !sources->opaque.test(loop.loop) &&
          typicalSize(loop.extent) >= fewestLines)
        return place;
    }
  return std::nullopt;
}

bool PieceEmitter::takePairs() {
  constexpr int64_t two = 2;
  if (!readsOnce(k.body) || sources->opaque.any() || typicalSize(lane.extent) < k.demand.lanes)
    return false;
  auto isAcross = [&](const MergedLoop &numbers, const MergedLoop &pair) {
    return pair.extent.is(two) && two * typicalSize(numbers.extent) >= fewestLines &&
           llvm::any_of(sources->forms, [&](const Form &form) {
             Extent apart = form.coefficientOf(lane.loop);
             return !apart.is(0) && !apart.is(1) && form.coefficientOf(pair.loop).is(1) &&
                    form.coefficientOf(numbers.loop).is(two);
           });
  };
  for (const MergedLoop &numbers : loops)
    for (const MergedLoop &pair : loops)
      if (isAcross(numbers, pair)) {
        line = numbers;
        pairs = pair;
        llvm::erase_if(loops,
                       [&](const MergedLoop &loop) { return loop.loop == line.loop || loop.loop == pairs->loop; });
        return true;
      }
  return false;
}

int64_t PieceEmitter::sideOfBlocks() const {
  constexpr int64_t fewest = 4;
  int64_t lanes = k.schedule.lanes;
  auto isWide = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 32;
  };
  bool takesTwo = llvm::any_of(targets, [&](const Written &target) { return isWide(target.memref); }) ||
                  llvm::any_of(k.body.getArguments(), isWide);
  return takesTwo && lanes > fewest ? lanes / 2 : lanes;
}

int64_t PieceEmitter::linesOfGroup() const { return blocksOfGroup * sideOfBlocks(); }

void PieceEmitter::emitBlocks() {
  int64_t lanes = k.demand.lanes, groupLines = linesOfGroup();
  Extent laneBlocks = ceilDiv(lane.extent, lanes), groups = ceilDiv(lines(), groupLines);
  Extent outer = laneBlocks * groups;
  for (const MergedLoop &loop : loops)
    outer *= loop.extent;
  auto [low, high] = k.chunkRange(outer);
  k.loop(low, high, 1, [&](Value number) {
    auto splitOff = [&](const Extent &count) -> Value {
      Value part = arith::RemUIOp::create(k.b, k.loc, number, k.index(count));
      number = arith::DivUIOp::create(k.b, k.loc, number, k.index(count));
      return part;
    };
    Value laneBlock = splitOff(laneBlocks);
    Value group = splitOff(groups);
    k.delinearize(number, loops, point);
    Form first = Form::ofSlot(k.demand.addSlot(laneBlock), lanes);
    first.lane = 1;
    point[lane.loop] = first;
    Extent full = floorDiv(lane.extent, lanes), rest = lane.extent - full * lanes;
    if (rest.is(0))
      return linesOf(group, lanes);
    Value isFull = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::ult, laneBlock, k.index(full));
    auto choice = scf::IfOp::create(k.b, k.loc, isFull, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k.b);
    k.b.setInsertionPointToStart(choice.thenBlock());
    linesOf(group, lanes);
    k.b.setInsertionPointToStart(choice.elseBlock());
    linesOf(group, rest);
  });
}

void PieceEmitter::linesOf(Value group, const Extent &laneCount) {
  int64_t side = sideOfBlocks(), groupLines = linesOfGroup();
  Extent full = floorDiv(lines(), side) * side, rest = lines() - full;
  Value start = arith::MulIOp::create(k.b, k.loc, group, k.index(groupLines));
  Value end = arith::AddIOp::create(k.b, k.loc, start, k.index(groupLines));
  k.loop(start, arith::MinSIOp::create(k.b, k.loc, end, k.index(full)), side,
         [&](Value number) { block(number, laneCount, side); });
  if (rest.is(0))
    return;
  Value isLast = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, end, k.index(full));
  k.onlyIf(isLast, [&] { k.unlessZero(rest, [&] { block(k.index(full), laneCount, rest); }); });
}

void PieceEmitter::block(Value firstLine, const Extent &laneCount, const Extent &lineCount) {
  int64_t perNumber = pairs ? pairs->extent.value() : 1;
  if (pairs)
    firstLine = arith::DivUIOp::create(k.b, k.loc, firstLine, k.index(perNumber));
  unsigned slot = k.demand.addSlot(firstLine);
  k.demand.blocks.begin(slot, laneCount, lineCount, sideOfBlocks(), perNumber);
  k.demand.active = laneCount;
  bool asks = k.schedule.askAhead && laneCount.isStatic();
  for (int64_t number = 0; number < (lineCount.isStatic() ? lineCount.value() : sideOfBlocks()); ++number) {
    k.demand.blocks.setLine(number);
    point[line.loop] = Form::ofSlot(slot) + Form(number / perNumber);
    if (pairs)
      point[pairs->loop] = Form(number % perNumber);
    // The first line is always there, and has read the block for the others.
    auto store = [&] {
      // What lies behind these lanes is written next.
      for (const Written &target : targets)
        if (asks)
          k.askFor(target.memref, offsetOf(*target.piece, point).atLane(laneCount), laneCount.value() * woven());
      woven() > 1 ? storeInterleaved() : storeAll();
    };
    if (number == 0 || lineCount.isStatic()) {
      store();
      continue;
    }
    k.onlyIf(arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::slt, k.index(number), k.index(lineCount)), store);
  }
  k.demand.active = k.demand.lanes;
  k.demand.blocks.end();
}

//===- PointsBlocks.cpp - points that are read across memory ------------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// With fewer lines most of a block would be empty.
constexpr int64_t fewestLines = 4;
/// Points that are woven when a line of as many blocks is stored.
constexpr int64_t mostPartsOfBlock = 4;
/// Blocks along the lines before the next lanes: what they write stays open in the caches until it is whole. Just one
/// where the result leaves all caches, but what is read for it at so many bytes stays in them: then memory is written
/// from one end to the other. Few where blocks are soon shuffled, and one of lines of so few bytes, of words, where
/// stores leave in order: lanes of a line follow each other sooner.
constexpr int64_t blocksOfGroup = 32, fewBlocks = 4, mostBytesOfShort = 512, bytesOfWord = 4, mostBytesNear = 1 << 19;
/// And one where lines of the result share a set of the first cache, and the outer ones hold all of it. By measurement
/// on Zen 4; words, whose blocks are whole cache lines, only of short lines.
constexpr int64_t mostBytesCrowded = 4 << 20;
/// Elements between those of two lines in the result that are written before the next lines, at most; and bytes of a
/// group then, which stay in the first cache until they are whole.
constexpr int64_t mostInside = 64, bytesInside = 1 << 14;
/// Lanes of long elements that are woven, where wide shuffles take turns.
constexpr int64_t fewestWoven = 2;

bool kumiko::cpu::readsOnce(Block &body) {
  return llvm::all_of(body.getOps<linalg::GenericOp>(), [](linalg::GenericOp op) {
    return op.getNumReductionLoops() == 0 && op.getBody()->getOps<tensor::ExtractOp>().empty();
  });
}

void PieceEmitter::takePlanes() {
  bool areBare = llvm::all_of(targets, [](const Target &target) { return target.borders->empty(); });
  if (loops.empty() || !areBare || !readsOnce(k.body) || sources->opaque.any() || !k.schedule.wideCore ||
      k.schedule.pastCaches)
    return;
  const MergedLoop &loop = loops.back();
  auto areSideBySide = [&](const Form &form) {
    return form.coefficientOf(loop.loop).is(1) && form.coefficientOf(lane.loop) == loop.extent;
  };
  Position position = loopNumbers();
  auto isAlong = [&](const Target &target) { return offsetOf(*target.piece, position).coefficientOf(lane.loop).is(1); };
  if (loop.extent.isStatic() && loop.extent.value() > 1 && loop.extent.value() < fewestLines &&
      llvm::any_of(sources->forms, areSideBySide) && llvm::all_of(targets, isAlong))
    planes = loops.pop_back_val();
}

void PieceEmitter::storePlanes() {
  SmallVector<Value> values;
  auto eachPlane = [&](llvm::function_ref<void(const Target &)> body) {
    for (int64_t n = 0; n < planes->extent.value(); ++n) {
      point[planes->loop] = Form(n);
      for (const Target &target : targets)
        body(target);
    }
  };
  eachPlane([&](const Target &target) { values.push_back(k.demand.at(target.piece->source, point)); });
  const Value *value = values.begin();
  eachPlane([&](const Target &target) { k.demand.store(*value++, target.memref, offsetOf(*target.piece, point)); });
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

void PieceEmitter::takeShortLanes() {
  if (loops.empty() || !lane.extent.isStatic() || lane.extent.value() > mostPartsOfBlock ||
      typicalSize(loops.back().extent) < k.demand.lanes / 2)
    return;
  Position position = loopNumbers();
  bool follow = llvm::all_of(targets, [&](const Target &target) {
    Form offset = offsetOf(*target.piece, position);
    return offset.coefficientOf(lane.loop).is(1) && offset.coefficientOf(loops.back().loop) == lane.extent;
  });
  if (!follow || sources->opaque.test(loops.back().loop))
    return;
  parts = lane;
  lane = loops.pop_back_val();
}

int64_t PieceEmitter::sideOfBlocks() const {
  constexpr int64_t fewest = 4;
  int64_t lanes = k.schedule.lanes;
  auto isWide = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 32;
  };
  bool areWide = llvm::all_of(targets, [&](const Target &target) { return isWide(target.memref); });
  // Of two lanes each shuffle makes a vector of the result, and none is so wide that only one port does it.
  if (parts && areWide && k.schedule.wideCore)
    return fewestWoven;
  bool takesTwo = llvm::any_of(targets, [&](const Target &target) { return isWide(target.memref); }) ||
                  llvm::any_of(k.body.getArguments(), isWide);
  return takesTwo && lanes > fewest ? lanes / 2 : lanes;
}

ArrayRef<MergedLoop> PieceEmitter::insideLines() const {
  Form offset = offsetOf(*targets.front().piece, loopNumbers());
  Extent run = lane.extent * woven();
  size_t count = 0;
  for (; count < loops.size() && offset.coefficientOf(loops.rbegin()[count].loop) == run; ++count)
    run *= loops.rbegin()[count].extent;
  bool isAll = run.isStatic() && run == offset.coefficientOf(line.loop);
  bool areFew = k.schedule.wideCore && isAll && run.value() <= mostInside;
  return ArrayRef(loops).take_back(areFew ? count : 0);
}

bool PieceEmitter::linesCrowd() const {
  Extent apart = offsetOf(*targets.front().piece, loopNumbers()).coefficientOf(line.loop);
  int64_t bytes = bytesOf(targets.front());
  if (!k.schedule.crowdsSets || k.schedule.wideCore || !apart.isStatic() || !sharesSets(apart.value() * bytes))
    return false;
  // Rows that are read may crowd theirs more.
  auto crowdsToo = [&](const Form &form) {
    Extent step = form.coefficientOf(lane.loop);
    return !step.isStatic() || sharesSets(step.value() * bytes);
  };
  return typicalSize(lane.extent * lines()) * bytes <= mostBytesCrowded && llvm::none_of(sources->forms, crowdsToo) &&
         (bytes != bytesOfWord || apart.value() * bytes <= setBytes / 2);
}

int64_t PieceEmitter::linesOfGroup() const {
  int64_t bytes = bytesOf(targets.front()), side = sideOfBlocks();
  // As many as a cache line has that is read.
  if (side == fewestWoven)
    return lineBytes / bytes;
  if (!insideLines().empty()) {
    Extent apart = offsetOf(*targets.front().piece, loopNumbers()).coefficientOf(line.loop);
    return std::max<int64_t>(bytesInside / (apart.value() * bytes * side), 1) * side;
  }
  bool isNear = typicalSize(lane.extent * lines()) * bytes <= mostBytesNear;
  bool isShort = bytes >= bytesOfWord && typicalSize(lane.extent) * bytes <= mostBytesOfShort;
  int64_t blocks = isShort && k.schedule.storesInOrder ? 1
                   : !isShort && k.schedule.wideCore   ? fewBlocks
                                                       : blocksOfGroup;
  return ((k.schedule.pastCaches && isNear) || linesCrowd() ? 1 : blocks) * side;
}

void PieceEmitter::emitBlocks() {
  // Half of the lanes are left over: then all blocks are as wide as that.
  if (int64_t half = k.demand.lanes / 2; k.schedule.storesInOrder && !parts && sideOfBlocks() == half &&
                                         lane.extent.isStatic() && lane.extent.value() % k.demand.lanes == half)
    return k.demand.narrow(half, [&] { emitBlocks(); });
  int64_t lanes = k.demand.lanes, groupLines = linesOfGroup();
  Extent laneBlocks = ceilDiv(lane.extent, lanes), groups = ceilDiv(lines(), groupLines);
  Extent outer = laneBlocks * groups;
  for (const MergedLoop &loop : loops)
    outer *= loop.extent;
  ArrayRef<MergedLoop> inside = insideLines();
  Extent inner = 1;
  for (const MergedLoop &loop : inside)
    inner *= loop.extent;
  auto [low, high] = k.chunkRange(outer);
  k.loop(low, high, 1, [&](Value number) {
    auto splitOff = [&](const Extent &count) -> Value {
      Value part = arith::RemUIOp::create(k.b, k.loc, number, k.index(count));
      number = arith::DivUIOp::create(k.b, k.loc, number, k.index(count));
      return part;
    };
    Value laneBlock = splitOff(laneBlocks);
    if (!inside.empty())
      k.delinearize(splitOff(inner), inside, point);
    Value group = splitOff(groups);
    k.delinearize(number, ArrayRef(loops).drop_back(inside.size()), point);
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
  bool asks = k.schedule.storesInOrder && laneCount.isStatic();
  for (int64_t number = 0; number < (lineCount.isStatic() ? lineCount.value() : sideOfBlocks()); ++number) {
    k.demand.blocks.setLine(number);
    point[line.loop] = Form::ofSlot(slot) + Form(number / perNumber);
    if (pairs)
      point[pairs->loop] = Form(number % perNumber);
    // The first line is always there, and has read the block for the others.
    auto store = [&] {
      // What lies behind these lanes is written next.
      for (const Target &target : targets)
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

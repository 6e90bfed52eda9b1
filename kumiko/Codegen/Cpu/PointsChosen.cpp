//===- PointsChosen.cpp - points of which data say what they read ------------===//
#include "kumiko/Codegen/Cpu/PieceEmitter.h"
#include "kumiko/Lower/Checked.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Rows of at most so many bytes, of which data choose elements, are fetched while the row before is worked on: in the
/// order of the data each line of them would be waited for. Up to `mostFetches` times as many elements as are chosen.
constexpr int64_t longestFetchedRow = 16 << 10, lineBytes = 64, mostFetches = 4;

/// Fewer places are not looked at together.
constexpr int64_t fewestPlaces = 4;

void PieceEmitter::lookAtAll() {
  for (const Target &target : targets)
    k.demand.at(target.piece->source, point);
}

bool PieceEmitter::gathersShortRows() const {
  auto gathers = [](linalg::GenericOp op) { return !op.getBody()->getOps<tensor::ExtractOp>().empty(); };
  return lane.extent.isStatic() && lane.extent.value() < k.demand.lanes && !hasFunctions(k.body) &&
         llvm::any_of(k.body.getOps<linalg::GenericOp>(), gathers);
}

bool PieceEmitter::checksPlaces() const {
  auto isChecked = [](tensor::ExtractOp op) { return op->hasAttr(checkedAttribute); };
  return llvm::any_of(k.body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), isChecked);
  });
}

bool PieceEmitter::movesElements() const {
  auto moves = [](linalg::GenericOp op) {
    return llvm::all_of(op.getBody()->getTerminator()->getOperands(),
                        [](Value value) { return value.getDefiningOp<tensor::ExtractOp>(); });
  };
  return lanesChoose && checksPlaces() && llvm::all_of(k.body.getOps<linalg::GenericOp>(), moves);
}

tensor::ExtractOp PieceEmitter::chosenOfRow() const {
  auto op = targets.front().piece->source.getDefiningOp<linalg::GenericOp>();
  if (targets.size() != 1 || !movesElements() || !op || !lane.extent.isStatic())
    return tensor::ExtractOp();
  auto extracts = op.getBody()->getOps<tensor::ExtractOp>();
  if (!llvm::hasSingleElement(extracts))
    return tensor::ExtractOp();
  tensor::ExtractOp extract = *extracts.begin();
  auto isLoop = [](Value index) { return index.getDefiningOp<linalg::IndexOp>(); };
  Extent length = k.storage.extents.of(extract.getTensor()).back();
  unsigned bytes = cast<RankedTensorType>(extract.getTensor().getType()).getElementTypeBitWidth() / 8;
  bool fits = length.isStatic() && length.value() * bytes <= longestFetchedRow &&
              length.value() <= mostFetches * lane.extent.value();
  bool inRow = llvm::all_of(extract.getIndices().drop_back(), isLoop) && !isLoop(extract.getIndices().back());
  return fits && inRow && k.demand.bufferBehind(extract.getTensor()) ? extract : tensor::ExtractOp();
}

void PieceEmitter::fetchNextRow(const Form &form) {
  tensor::ExtractOp extract = nextRow ? chosenOfRow() : tensor::ExtractOp();
  if (!extract)
    return;
  Value tensor = extract.getTensor();
  int64_t length = k.storage.extents.of(tensor).back().value(), times = llvm::divideCeil(length, lane.extent.value());
  int64_t line = lineBytes * 8 / cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
  Position next = point;
  next[nextRow->first] = nextRow->second;
  Position dims = loopsAt(cast<linalg::GenericOp>(extract->getParentOp()), 0, next), place;
  for (Value index : extract.getIndices().drop_back())
    place.push_back(dims[index.getDefiningOp<linalg::IndexOp>().getDim()]);
  place.emplace_back();
  for (int64_t n = 0; n < times * int64_t(k.demand.lanes); n += line) {
    Value at = k.demand.indexOf(form.atLane(0) * times + Form(n));
    at = arith::MinSIOp::create(k.b, k.loc, at, k.index(length - 1));
    place.back() = Form::ofSlot(k.demand.addSlot(at));
    memref::PrefetchOp::create(k.b, k.loc, k.demand.bufferBehind(tensor),
                               k.demand.indexOf(k.storage.offsetIn(tensor, place)), /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void PieceEmitter::shortRow() {
  int64_t length = lane.extent.value();
  auto width = int64_t(llvm::bit_floor(uint64_t(length)));
  k.demand.narrow(width, [&] {
    for (int64_t first : {int64_t(0), length - width}) {
      point[lane.loop] = Form(first);
      point[lane.loop].lane = 1;
      element(point[lane.loop]);
      if (length == width)
        return;
    }
  });
}

void PieceEmitter::rows(const MergedLoop &along, Value low, Value high, llvm::function_ref<void()> whole) {
  auto at = [&](Value number) {
    point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, IndexRange::ofLoop(0, along.extent)));
    if (chosenOfRow()) {
      Value next = arith::AddIOp::create(k.b, k.loc, number, k.index(1));
      next = arith::MinSIOp::create(k.b, k.loc, next, k.index(along.extent - 1));
      nextRow = {along.loop, Form::ofSlot(k.demand.addSlot(next))};
    }
    whole();
    nextRow.reset();
  };
  if (!rowCuts.empty() && along.loop == loops.back().loop) {
    for (Part part : partsOf(rowCuts, along)) {
      Value first = arith::MaxSIOp::create(k.b, k.loc, low, k.index(part.start));
      Value last = arith::MinSIOp::create(k.b, k.loc, high, k.index(part.end));
      k.loop(first, last, 1, [&](Value number) {
        point[along.loop] = Form::ofSlot(k.demand.addSlot(number, 1, {part.start, part.end - 1}));
        whole();
      });
    }
    return;
  }
  Value middle = low;
  bool rowsChoose = gathersShortRows() && checksPlaces() && !lanesChoose; // one place serves all of a row
  int64_t together = std::min<int64_t>(k.demand.lanes, llvm::bit_floor(uint64_t(typicalSize(along.extent))));
  if (rowsChoose && together >= fewestPlaces) {
    middle = k.endOfGroups(low, high, together);
    k.loop(low, middle, together, [&](Value first) {
      auto look = [&] {
        point[along.loop] = Form::ofSlot(k.demand.addSlot(first));
        point[along.loop].lane = 1;
        point[lane.loop] = Form(0);
        k.demand.narrow(together, [&] { lookAtAll(); });
      };
      auto quick = [&] {
        for (int64_t n = 0; n < together; ++n)
          at(arith::AddIOp::create(k.b, k.loc, first, k.index(n)));
      };
      Value end = arith::AddIOp::create(k.b, k.loc, first, k.index(together));
      k.demand.lookAhead(look, quick, [&] { k.loop(first, end, 1, at); });
    });
  }
  k.loop(middle, high, 1, at);
}

#include "kumiko/Codegen/Cpu/Sums.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// Fewer points are summed in registers.
constexpr int64_t fewestPoints = 64;
/// Lanes of a tile: as many as lie on a page, unless there would be nothing to share among threads.
constexpr int64_t widestTile = 1024, narrowestTile = 128, wantedTiles = 2;
/// Rows that go by together; fewer where a step is long anyway.
constexpr int64_t mostRows = 8, rowsOfLongSteps = 2, longStep = 8;

linalg::GenericOp kumiko::cpu::onlyReduction(Kernel &k) {
  linalg::GenericOp found;
  for (auto op : k.body.getOps<linalg::GenericOp>()) {
    if (!op.getBody()->getOps<tensor::ExtractOp>().empty() || (found && op.getNumReductionLoops() != 0))
      return linalg::GenericOp();
    if (op.getNumReductionLoops() != 0)
      found = op;
  }
  return found;
}

linalg::GenericOp kumiko::cpu::longSum(Kernel &k, const Reads &sources, const MergedLoop &lane) {
  linalg::GenericOp found = onlyReduction(k);
  if (!found || typicalSize(lane.extent) < narrowestTile)
    return linalg::GenericOp();
  Extents extents = k.storage.extents.loopsOf(found);
  SmallVector<unsigned> reduced;
  found.getReductionDims(reduced);
  Extent points = 1;
  for (unsigned loop : reduced)
    points *= extents[loop];
  bool apart = llvm::any_of(sources.forms, [&](const Form &form) {
    Extent coefficient = form.coefficientOf(lane.loop);
    return !coefficient.is(0) && !coefficient.is(1);
  });
  return apart || typicalSize(points) < fewestPoints ? linalg::GenericOp() : found;
}

namespace {
class SumsEmitter {
public:
  SumsEmitter(Kernel &k, linalg::GenericOp op, const MergedLoop &lane, Position &point)
      : k(k), op(op), lane(lane), point(point), extents(k.storage.extents.loopsOf(op)) {
    op.getReductionDims(reduced);
    if (llvm::range_size(op.getBody()->without_terminator()) > longStep)
      rowsTogether = rowsOfLongSteps;
  }

  void emit(ArrayRef<MergedLoop> loops, llvm::function_ref<void()> write) {
    Extent outer = 1;
    for (const MergedLoop &loop : loops)
      outer *= loop.extent;
    int64_t tile = widestTile;
    while (tile > narrowestTile && typicalSize(outer) * typicalSize(ceilDiv(lane.extent, tile)) < wantedTiles)
      tile /= 2;
    allocate(tile);
    Extent tiles = ceilDiv(lane.extent, tile);
    auto [low, high] = k.chunkRange(outer * tiles);
    k.loop(low, high, 1, [&](Value number) {
      Value place = arith::RemUIOp::create(k.b, k.loc, number, k.index(tiles));
      k.delinearize(arith::DivUIOp::create(k.b, k.loc, number, k.index(tiles)), loops, point);
      start = arith::MulIOp::create(k.b, k.loc, place, k.index(tile));
      end = arith::AddIOp::create(k.b, k.loc, start, k.index(tile));
      vectors([&] {
        SmallVector<Value> sums;
        for (Value init : op.getDpsInits())
          sums.push_back(k.demand.at(init, point));
        keep(sums);
      });
      rows(0);
      vectors([&] {
        for (auto [result, sum] : llvm::zip_equal(op->getResults(), kept()))
          k.demand.fix(result, sum);
        write();
        for (Value result : op->getResults())
          k.demand.unfix(result);
      });
    });
  }

private:
  Kernel &k;
  linalg::GenericOp op;
  const MergedLoop &lane;
  Position &point;
  Extents extents; ///< of the loops of `op`
  int64_t rowsTogether = mostRows;
  SmallVector<unsigned> reduced;
  /// The sums of a tile, one buffer per result, and where the tile begins and ends along the lanes.
  SmallVector<Value> buffers;
  Value start, end;
  /// The vector at hand, as a place in the tile.
  Form inTile;
  /// The values of the reduced loops, in their order.
  Position depth;

  /// Truth values take a byte, as they do everywhere in memory.
  void allocate(int64_t tile) {
    for (Value result : op->getResults()) {
      Type element = getElementTypeOrSelf(result.getType());
      if (element.isInteger(1))
        element = k.b.getI8Type();
      buffers.push_back(memref::AllocaOp::create(k.b, k.loc, MemRefType::get({tile}, element)));
    }
  }

  SmallVector<Value> kept() {
    SmallVector<Value> sums;
    for (auto [result, buffer] : llvm::zip_equal(op->getResults(), buffers))
      sums.push_back(k.demand.load(buffer, inTile, getElementTypeOrSelf(result.getType())));
    return sums;
  }

  void keep(ArrayRef<Value> sums) {
    for (auto [sum, buffer] : llvm::zip_equal(sums, buffers))
      k.demand.store(sum, buffer, inTile);
  }

  /// `body` for each vector of the tile, the last one of all under a mask.
  void vectors(llvm::function_ref<void()> body) {
    int64_t lanes = k.demand.lanes;
    auto at = [&](Value first) {
      point[lane.loop] = Form::ofSlot(k.demand.addSlot(first));
      point[lane.loop].lane = 1;
      inTile = Form::ofSlot(k.demand.addSlot(arith::SubIOp::create(k.b, k.loc, first, start)));
      inTile.lane = 1;
      body();
    };
    Extent full = floorDiv(lane.extent, lanes) * lanes, rest = lane.extent - full;
    k.loop(start, arith::MinSIOp::create(k.b, k.loc, end, k.index(full)), lanes, at);
    if (rest.is(0))
      return;
    Value isLast = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::sgt, end, k.index(full));
    k.onlyIf(isLast, [&] {
      k.unlessZero(rest, [&] {
        k.demand.active = rest;
        at(k.index(full));
        k.demand.active = lanes;
      });
    });
  }

  /// The reduced loops from number `number` on; of the last one several points are taken in one pass over the tile.
  void rows(unsigned number) {
    const Extent &extent = extents[reduced[number]];
    auto each = [&](Form form, int64_t count) {
      depth.push_back(form);
      number + 1 < reduced.size() ? rows(number + 1) : add(count);
      depth.pop_back();
      return SmallVector<Value>();
    };
    bool last = number + 1 == reduced.size();
    Extent together = last ? floorDiv(extent, rowsTogether) * rowsTogether : Extent(0);
    k.loop(0, together, rowsTogether, {}, [&](Form form, ArrayRef<Value>) { return each(form, rowsTogether); });
    k.loop(together, extent, 1, {}, [&](Form form, ArrayRef<Value>) { return each(form, 1); });
  }

  void add(int64_t count) {
    vectors([&] {
      SmallVector<Value> sums = kept();
      for (int64_t n = 0; n < count; ++n) {
        Position dims = loopsAt(op, 0, point);
        for (auto [loop, form] : llvm::zip_equal(reduced, depth))
          dims[loop] = form;
        dims[reduced.back()] = depth.back() + Form(n);
        SmallVector<Value> arguments(op.getNumDpsInputs());
        llvm::append_range(arguments, sums);
        sums = k.demand.body(op, dims, arguments);
      }
      keep(sums);
    });
  }
};
} // namespace

void kumiko::cpu::emitSums(Kernel &k, linalg::GenericOp op, ArrayRef<MergedLoop> loops, const MergedLoop &lane,
                           Position &point, llvm::function_ref<void()> write) {
  SumsEmitter(k, op, lane, point).emit(loops, write);
}

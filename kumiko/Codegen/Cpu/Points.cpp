//===- Points.cpp - each element of a result on its own --------------------===//
//
// The plainest template: loops over the points of a result, lanes along its innermost dimension, everything else on
// demand. Elementwise chains, transposes, pads, concatenations, pooling windows and depthwise convolutions (whose small
// windows become straight-line code) all come out of it.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;
using eq::Extent;

/// Vectors per turn: bodies that need many registers get one.
static int64_t unrollOf(Block &body) {
  int64_t weight = 0;
  for (auto op : body.getOps<linalg::GenericOp>())
    for (Operation &inner : op.getBody()->without_terminator())
      weight += inner.getDialect()->getNamespace() == "math" ? 8 : 1;
  return weight < 6 ? 4 : weight < 12 ? 2 : 1;
}

namespace {
/// A piece and the buffer it goes to.
struct Target {
  const Piece *piece;
  Value memref;
};

/// Pieces of one shape, computed together: what two of them need is computed once.
class PieceEmitter {
public:
  PieceEmitter(Kernel &k, ArrayRef<Target> targets) : k(k), targets(targets) {}

  void emit() {
    unsigned rank = targets.front().piece->rank();
    Reads reads(rank, k.storage);
    Position position;
    SmallVector<unsigned> all;
    for (unsigned d = 0; d < rank; ++d) {
      position.push_back(Form::ofSlot(d));
      all.push_back(d);
    }
    for (const Target &target : targets) {
      reads.forms.push_back(target.piece->offsetOf(position));
      reads.collect(target.piece->source, position);
    }
    loops = mergeLoops(reads, all, k.storage.extents.of(targets.front().piece->source));
    point.assign(rank, Form());
    if (loops.empty())
      return emitOne();
    lane = loops.pop_back_val();
    Extent outer = 1;
    for (const MergedLoop &loop : loops)
      outer *= loop.extent;
    if (typicalSize(outer) >= typicalSize(k.schedule.chunks))
      emitByOuter(outer);
    else
      emitByLanes(outer);
  }

private:
  void element(Form form) {
    point[lane.loop] = form;
    storeAll();
  }

  /// All values before the first store: a buffer may be another's, as far as the compiler knows.
  void storeAll() {
    llvm::SmallDenseMap<Value, Value> values;
    for (const Target &target : targets)
      if (!values.contains(target.piece->source))
        values[target.piece->source] = k.demand.at(target.piece->source, point);
    for (const Target &target : targets)
      k.demand.store(values[target.piece->source], target.memref, target.piece->offsetOf(point));
  }

  /// A single element belongs to the first chunk.
  void emitOne() {
    k.onlyFirstChunk([&] { storeAll(); });
  }

  void emitByOuter(const Extent &outer) {
    auto [low, high] = k.chunkRange(outer);
    k.loop(low, high, 1, [&](Value number) {
      k.delinearize(number, loops, point);
      k.vectors(lane.extent, unrollOf(k.body), [&](Form form) { element(form); });
    });
  }

  /// Few long rows: a chunk takes a share of the vectors of every row; the last one also has the masked rest.
  void emitByLanes(const Extent &outer) {
    std::pair<Value, Value> share = k.chunkRange(floorDiv(lane.extent, k.demand.lanes));
    k.loop(k.index(0), k.index(outer), 1, [&](Value number) {
      k.delinearize(number, loops, point);
      k.sharedVectors(lane.extent, share, [&](Form form) { element(form); });
    });
  }

  Kernel &k;
  ArrayRef<Target> targets;
  SmallVector<MergedLoop> loops;
  MergedLoop lane{};
  Position point;
};
} // namespace

void kumiko::cpu::emitPoints(Kernel &k) {
  std::vector<SmallVector<Target>> groups;
  auto fits = [&](ArrayRef<Target> group, const Piece &piece) {
    Extents shape(k.storage.extents.of(piece.source)), other(k.storage.extents.of(group.front().piece->source));
    return shape == other;
  };
  for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
    for (const Piece &piece : output.pieces) {
      auto group = llvm::find_if(groups, [&, &piece = piece](const auto &each) { return fits(each, piece); });
      if (group == groups.end() || output.pieces.size() > 1)
        group = groups.insert(groups.end(), SmallVector<Target>());
      group->push_back({&piece, memref});
    }
  for (ArrayRef<Target> group : groups)
    PieceEmitter(k, group).emit();
  k.fillBorders();
}

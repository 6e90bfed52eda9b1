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
class PieceEmitter {
public:
  PieceEmitter(Kernel &k, const Piece &piece, Value memref) : k(k), piece(piece), memref(memref) {}

  void emit() {
    unsigned rank = piece.rank();
    Reads reads(rank, k.storage);
    Position position;
    SmallVector<unsigned> all;
    for (unsigned d = 0; d < rank; ++d) {
      position.push_back(Form::ofSlot(d));
      all.push_back(d);
    }
    reads.forms.push_back(piece.offsetOf(position));
    reads.collect(piece.source, position);
    loops = mergeLoops(reads, all, k.storage.extents.of(piece.source));
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
    k.demand.store(k.demand.at(piece.source, point), memref, piece.offsetOf(point));
  }

  /// A single element belongs to the first chunk.
  void emitOne() {
    k.onlyFirstChunk([&] { k.demand.store(k.demand.at(piece.source, point), memref, piece.offsetOf(point)); });
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
    int64_t lanes = k.demand.lanes;
    Extent full = floorDiv(lane.extent, lanes), rest = mod(lane.extent, lanes);
    auto [low, high] = k.chunkRange(full);
    k.loop(k.index(0), k.index(outer), 1, [&, low = low, high = high](Value number) {
      k.delinearize(number, loops, point);
      auto vectorAt = [&](Value vector) {
        Form form = Form::ofSlot(k.demand.addSlot(vector), lanes);
        form.lane = 1;
        element(form);
      };
      k.loop(low, high, 1, vectorAt);
      if (rest.is(0))
        return;
      Value last = arith::CmpIOp::create(k.b, k.loc, arith::CmpIPredicate::eq, k.chunk, k.index(k.schedule.chunks - 1));
      k.onlyIf(last, [&] {
        k.unlessZero(rest, [&] {
          k.demand.active = rest;
          Form form(full * lanes);
          form.lane = 1;
          element(form);
          k.demand.active = lanes;
        });
      });
    });
  }

  Kernel &k;
  const Piece &piece;
  Value memref;
  SmallVector<MergedLoop> loops;
  MergedLoop lane{};
  Position point;
};
} // namespace

void kumiko::cpu::emitPoints(Kernel &k) {
  for (auto [output, memref] : llvm::zip_equal(k.written, k.outputs))
    for (const Piece &piece : output.pieces)
      PieceEmitter(k, piece, memref).emit();
  k.fillBorders();
}

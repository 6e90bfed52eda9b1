//===- Attention.cpp - two products around rows ----------------------------===//
//
// A chunk is some rows of one batch. Their scores never leave the cache:
//
//   scores  = rows of q times all columns of k     the contraction's register tile, into scratch
//   weights = rows of scores                       the rows template, in place
//   result  = weights times v                      the contraction's register tile again, with what follows it
//
// Columns are read in place wherever they lie, behind a transposition or not, and copied together a tile at a time: the
// copy is for all rows of the chunk, and turns what lies across (Schedule's AttentionShape.h has the shape, and the
// layout of the scratch).
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/Kernel.h"
#include "kumiko/Schedule/AttentionLayout.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

namespace {
class AttentionEmitter {
public:
  explicit AttentionEmitter(Kernel &k)
      : k(k), attention(k.shape.attention), whole(k.schedule), layout(attentionLayoutOf(k.shape, whole)) {}

  void emit() {
    const ContractionShape &scores = attention.scores;
    Extent rows = scores.extentOf(scores.rows), groups = rowGroupsOf(scores, whole);
    Value group = arith::RemUIOp::create(k.b, k.loc, k.chunk, k.index(groups));
    Value batch = arith::DivUIOp::create(k.b, k.loc, k.chunk, k.index(groups));
    Value first = arith::MulIOp::create(k.b, k.loc, group, k.index(whole.chunkRowBlocks));
    Value last = arith::AddIOp::create(k.b, k.loc, first, k.index(whole.chunkRowBlocks));
    last = arith::MinSIOp::create(k.b, k.loc, last, k.index(ceilDiv(rows, whole.tileRows)));
    ContractionPart part{batch, first, last, viewOf(k.index(layout.keptBytes))};

    Value before = arith::MulIOp::create(k.b, k.loc, batch, k.index(rows));
    auto [firstRow, lastRow] = rowsOfBlocks(k, rows, first, last);
    firstRow = arith::AddIOp::create(k.b, k.loc, firstRow, before);
    lastRow = arith::AddIOp::create(k.b, k.loc, lastRow, before);
    // The place that row 0 would have: rows are found by their numbers.
    Value skipped = arith::MulIOp::create(k.b, k.loc, firstRow, k.index(layout.rowStride * 4));
    Value start = k.index(layout.keptBytes + layout.panelBytes);
    Value memory = viewOf(arith::SubIOp::create(k.b, k.loc, start, skipped));

    std::vector<Output> written = std::move(k.written);
    SmallVector<Value> outputs = std::move(k.outputs);
    Value made = linalg::GenericOp(scores.op)->getResult(0);
    writeTo(made, memory);
    k.schedule = scoresSchedule(whole);
    k.shape.contraction = scores;
    emitContractionPart(k, part);
    keep(made, memory);

    writeTo(attention.weights, memory);
    k.schedule = whole;
    emitRowsPart(k, firstRow, lastRow);
    keep(attention.weights, memory);

    k.written = std::move(written);
    k.outputs = std::move(outputs);
    k.schedule = valuesSchedule(whole);
    k.shape.contraction = attention.values;
    emitContractionPart(k, part);
  }

private:
  /// Scratch from byte `shift` on.
  Value viewOf(Value shift) {
    auto type = MemRefType::get({ShapedType::kDynamic}, k.b.getF32Type());
    return memref::ViewOp::create(k.b, k.loc, type, k.scratch, shift, k.index(std::numeric_limits<int64_t>::max() / 8));
  }

  /// Rows of scores lie some elements apart.
  Extents strides() const {
    Extents strides = rowMajorStrides(k.shape.rows.kept);
    for (Extent &stride : strides)
      stride *= layout.rowStride;
    strides.push_back(1);
    return strides;
  }

  void writeTo(Value tensor, Value memory) {
    k.written = {Output{{Piece{tensor, strides(), 0}}, {}}};
    k.outputs = {memory};
  }

  /// What follows finds `tensor` there.
  void keep(Value tensor, Value memory) {
    k.demand.bind(tensor, memory);
    k.storage.strides[tensor] = strides();
  }

  Kernel &k;
  AttentionShape attention;
  Schedule whole;
  AttentionLayout layout;
};
} // namespace

void kumiko::cpu::emitAttention(Kernel &k) { AttentionEmitter(k).emit(); }

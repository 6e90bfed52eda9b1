#include "kumiko/Schedule/ChosenRows.h"
#include "kumiko/Kernel/OrderedShape.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kumiko;

static bool isNumber(Value index) { return index.getDefiningOp<linalg::IndexOp>(); }

bool kumiko::readsChosen(Block &body) {
  auto isChosen = [](tensor::ExtractOp extract) { return !llvm::all_of(extract.getIndices(), isNumber); };
  return llvm::any_of(body.getOps<linalg::GenericOp>(), [&](linalg::GenericOp op) {
    return llvm::any_of(op.getBody()->getOps<tensor::ExtractOp>(), isChosen);
  });
}

namespace {
/// Rows of so many elements, of one of which an element is read.
struct Rows {
  int64_t count, columns, bytesOfElement;
};
} // namespace

/// Nothing where neighbours along the last loop do not read the same column of a row each.
static std::optional<Rows> rowsChosenBy(linalg::GenericOp op, tensor::ExtractOp extract, KernelExtents &extents) {
  unsigned last = op.getNumLoops() - 1;
  OperandRange indices = extract.getIndices();
  auto column = indices.empty() ? linalg::IndexOp() : indices.back().getDefiningOp<linalg::IndexOp>();
  if (!column || column.getDim() != last)
    return std::nullopt;
  ArrayRef<Extent> shape = extents.of(extract.getTensor());
  Extent count = 1;
  bool isOwn = false;
  for (auto [index, extent] : llvm::zip_equal(indices.drop_back(), shape.drop_back())) {
    if (isNumber(index))
      continue;
    count *= extent;
    isOwn |= loopsBehind(op, index)[last];
  }
  if (!isOwn || !count.isStatic() || !shape.back().isStatic())
    return std::nullopt;
  return Rows{count.value(), shape.back().value(),
              int64_t(llvm::divideCeil(extract.getType().getIntOrFloatBitWidth(), 8))};
}

int64_t kumiko::stripOfChosen(Block &body, ValueRange results, KernelExtents &extents, const Machine &machine) {
  // By measurement: shorter pieces of rows, be it of places or of what is read, are slower to go over.
  constexpr int64_t fewestColumns = 256, fewestBytes = 1024, fewestStrips = 3;
  auto op = results.size() == 1 ? results[0].getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if (!op || op.getNumReductionLoops() != 0 || op.getNumLoops() < 2)
    return 0;
  for (auto extract : op.getBody()->getOps<tensor::ExtractOp>()) {
    std::optional<Rows> rows = rowsChosenBy(op, extract, extents);
    if (!rows)
      continue;
    int64_t strip = std::max(fewestColumns, fewestBytes / rows->bytesOfElement);
    // What the second cache holds is as near in any order; one of 2 MB is taken for granted.
    if (rows->columns >= fewestStrips * strip && rows->count > 4 * machine.l2 / rows->bytesOfElement / rows->columns)
      return strip;
  }
  return 0;
}

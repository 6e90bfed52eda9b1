//===- Packing.cpp - how a constant operand is stored for a contraction ----===//
#include "kumiko/Schedule/Packing.h"
#include "kumiko/Kernel/Arguments.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cstring>

using namespace mlir;
using namespace kumiko;

IntegerLayout kumiko::integerLayoutOf(const ContractionShape &shape, const Schedule &schedule) {
  IntegerLayout layout;
  layout.group = schedule.depthGroup;
  layout.depth = shape.extentOf(shape.depth).value();
  layout.panelColumns = schedule.panelColumns;
  layout.columnBits = shape.columnBits;
  layout.columnSigned = shape.columnSigned;
  layout.turnsRows = layout.group == 4 && shape.rowSigned == shape.columnSigned;
  return layout;
}

int64_t IntegerLayout::rowBytes(const ContractionShape &shape, const Schedule &schedule) const {
  int64_t rows = schedule.chunkRowBlocks * schedule.tileRows;
  if (Extent all = shape.extentOf(shape.rows); all.isStatic())
    rows = std::min(rows, all.value());
  return llvm::alignTo(4 * rows * words(), 64);
}

/// The column operand of a packed contraction.
static Packing packColumns(const ContractionShape &contraction, const Schedule &schedule) {
  linalg::GenericOp op = contraction.op;
  Value operand = op->getOperand(contraction.columnOperand);
  Packing packing;
  packing.argument = argumentBehind(operand).getArgNumber();
  packing.shape = llvm::to_vector(cast<RankedTensorType>(operand.getType()).getShape());
  packing.panelColumns = schedule.panelColumns;
  packing.parts = contraction.parts;
  packing.elementBytes = getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() / 8;
  if (contraction.isInteger())
    packing.integers = integerLayoutOf(contraction, schedule);
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(contraction.columnOperand));
  auto dimsOf = [&](ArrayRef<unsigned> loops) {
    SmallVector<unsigned> dims;
    for (unsigned loop : loops)
      for (auto [number, expr] : llvm::enumerate(map.getResults()))
        if (expr == getAffineDimExpr(loop, op.getContext()))
          dims.push_back(number);
    return dims;
  };
  packing.batch = dimsOf(contraction.batch);
  packing.columns = dimsOf(contraction.columns);
  packing.depth = dimsOf(contraction.depth);
  return packing;
}

static Packing packLanesLast(BlockArgument argument, unsigned dimension) {
  auto type = cast<RankedTensorType>(asRead(argument).getType());
  Packing packing;
  packing.argument = argument.getArgNumber();
  packing.shape = llvm::to_vector(type.getShape());
  for (unsigned d = 0; d < type.getRank(); ++d)
    (d == dimension ? packing.columns : packing.depth).push_back(d);
  packing.panelColumns = type.getDimSize(dimension);
  packing.elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return packing;
}

SmallVector<Packing, 2> kumiko::packingsOf(const KernelShape &shape, const Schedule &schedule, Block &body) {
  SmallVector<Packing, 2> packings;
  if (shape.kind == KernelKind::Contraction && schedule.packed)
    packings.push_back(packColumns(shape.contraction, schedule));
  for (size_t i = 0; i + 1 < schedule.lanesLast.size(); i += 2)
    packings.push_back(packLanesLast(body.getArgument(schedule.lanesLast[i]), schedule.lanesLast[i + 1]));
  return packings;
}

const Packing *kumiko::packingOfArgument(ArrayRef<Packing> packings, unsigned argument) {
  const Packing *found = llvm::find_if(packings, [&](const Packing &packing) { return packing.argument == argument; });
  return found == packings.end() ? nullptr : found;
}

namespace {
/// Offsets, in elements, of all points over some dimensions, row-major in their order.
SmallVector<int64_t> offsetsOver(ArrayRef<unsigned> dims, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> offsets{0};
  for (unsigned d : dims) {
    SmallVector<int64_t> next;
    next.reserve(offsets.size() * shape[d]);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < shape[d]; ++i)
        next.push_back(offset + i * strides[d]);
    offsets = std::move(next);
  }
  return offsets;
}
} // namespace

int64_t Packing::elementCount() const {
  int64_t count = 1, width = 1;
  for (unsigned d : batch)
    count *= shape[d];
  for (unsigned d : depth)
    count *= shape[d];
  for (unsigned d : columns)
    width *= shape[d];
  if (integers) // `count` has the depth as a factor, which the panels have already
    return count / std::max<int64_t>(integers->depth, 1) * llvm::divideCeil(width, panelColumns) *
           integers->panelWords();
  return count * parts * llvm::alignTo(width / parts, panelColumns);
}

SmallVector<int64_t> Packing::strides() const {
  SmallVector<int64_t> result(shape.size(), 0);
  int64_t step = 1;
  for (ArrayRef<unsigned> dims : {ArrayRef(columns), ArrayRef(depth), ArrayRef(batch)})
    for (unsigned d : llvm::reverse(dims)) {
      result[d] = step;
      step *= shape[d];
    }
  return result;
}

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d > 1; --d)
    strides[d - 2] = strides[d - 1] * shape[d - 1];
  return strides;
}

void Packing::packIntegers(const char *source, char *target) const {
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  SmallVector<int64_t> outer = offsetsOver(batch, shape, strides), wide = offsetsOver(columns, shape, strides),
                       deep = offsetsOver(depth, shape, strides);
  const IntegerLayout &layout = *integers;
  auto elementAt = [&](int64_t position) -> int32_t {
    if (layout.columnBits == 16) {
      int16_t value;
      std::memcpy(&value, source + 2 * position, 2);
      return value;
    }
    return layout.columnSigned ? int32_t(int8_t(source[position])) : int32_t(uint8_t(source[position]));
  };
  std::memset(target, 0, storedBytes());
  for (int64_t base : outer)
    for (size_t panel = 0; panel < wide.size(); panel += panelColumns, target += 4 * layout.panelWords())
      for (size_t n = panel; n < std::min<size_t>(panel + panelColumns, wide.size()); ++n) {
        int32_t sum = 0;
        for (auto [k, deepOffset] : llvm::enumerate(deep)) {
          int32_t value = elementAt(base + wide[n] + deepOffset);
          sum += value;
          int64_t word = layout.startWords() + int64_t(k) / layout.group * panelColumns + (n - panel);
          if (layout.group == 4) {
            target[4 * word + k % 4] = char(value);
          } else {
            int16_t half = value;
            std::memcpy(target + 4 * word + 2 * (k % 2), &half, 2);
          }
        }
        int32_t start = int32_t(uint32_t(sum) * uint32_t(layout.startFactor()));
        if (layout.startWords() != 0)
          std::memcpy(target + 4 * (n - panel), &start, 4);
      }
}

void Packing::pack(const char *source, char *target) const {
  if (integers)
    return packIntegers(source, target);
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  SmallVector<int64_t> outer = offsetsOver(batch, shape, strides), wide = offsetsOver(columns, shape, strides),
                       deep = offsetsOver(depth, shape, strides);
  const size_t bytes = elementBytes, width = wide.size() / parts;
  for (int64_t base : outer)
    for (size_t panel = 0; panel < width; panel += panelColumns)
      for (int64_t k : deep)
        for (int64_t part = 0; part < parts; ++part)
          for (size_t n = panel; n < panel + panelColumns; ++n, target += bytes) {
            if (n < width)
              std::memcpy(target, source + (base + wide[part * width + n] + k) * bytes, bytes);
            else
              std::memset(target, 0, bytes);
          }
}

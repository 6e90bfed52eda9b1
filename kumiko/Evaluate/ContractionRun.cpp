//===- ContractionRun.cpp - the blocked product -----------------------------------------===//
#include "kumiko/Evaluate/Contraction.h"
#include "kumiko/Support/Convert.h"
#include <algorithm>

using namespace kumiko;
using namespace kumiko::eval;

// A tile of sums stays in registers; the panels of one block of rows, columns and depth stay in the caches.
static constexpr int64_t tileRows = 4, tileColumns = 4, blockRows = 96, blockColumns = 256, blockDepth = 256;

/// sums[r][c] += a[k][r] * b[k][c] for all k, in the order of k. The product rounds to the type of the panels.
template <typename In, typename Sum, int64_t rows>
static void multiplyTile(const In *__restrict a, const In *__restrict b, int64_t depth, Sum *__restrict sums,
                         int64_t pitch) {
  Sum tile[rows][tileColumns];
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < tileColumns; ++c)
      tile[r][c] = sums[r * pitch + c];
  for (int64_t k = 0; k < depth; ++k, a += rows, b += tileColumns)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < tileColumns; ++c)
        tile[r][c] += Sum(In(a[r] * b[c]));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < tileColumns; ++c)
      sums[r * pitch + c] = tile[r][c];
}

/// Copies a block to panels of `width` lines: panel after panel, each depth-first. Missing lines are zero.
template <typename From, typename In>
static void pack(const uint8_t *from, const int64_t *lines, int64_t lineCount, const int64_t *depths, int64_t depth,
                 int64_t width, In *to) {
  for (int64_t first = 0; first < lineCount; first += width)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t line = first; line < first + width; ++line) {
        From value = 0;
        if (line < lineCount)
          std::memcpy(&value, from + (lines[line] + depths[k]) * int64_t(sizeof(From)), sizeof(From));
        *to++ = In(value);
      }
}

/// Row-major over `loops`: the offset that their position adds to an address.
static std::vector<int64_t> offsetsOf(llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> extents,
                                      const Linear &address) {
  std::vector<int64_t> offsets = {0};
  for (unsigned loop : loops) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * extents[loop]);
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < extents[loop]; ++i)
        next.push_back(int64_t(uint64_t(offset) + uint64_t(i) * uint64_t(address.coefficients[loop])));
    offsets = std::move(next);
  }
  return offsets;
}

namespace {

template <typename In, typename Sum> class Product {
public:
  Product(const Contraction &contraction, const Linear &target, uint8_t *to, ElementType stored)
      : target(target), to(to), width(bytesOf(stored)), storer(storerOf(sumCarrier(contraction.type), stored)) {
    llvm::SmallVector<unsigned, 6> rows, columns, batch, depth;
    for (unsigned loop = 0; loop < contraction.extents.size(); ++loop) {
      bool inA = contraction.a.address.coefficients[loop], inB = contraction.b.address.coefficients[loop];
      if (loop >= contraction.kept)
        depth.push_back(loop);
      else
        (inA == inB ? batch : inA ? rows : columns).push_back(loop);
    }
    auto offsets = [&](llvm::ArrayRef<unsigned> loops, const Linear &address) {
      return offsetsOf(loops, contraction.extents, address);
    };
    aRows = offsets(rows, contraction.a.address);
    aDepth = offsets(depth, contraction.a.address);
    aBatch = offsets(batch, contraction.a.address);
    bColumns = offsets(columns, contraction.b.address);
    bDepth = offsets(depth, contraction.b.address);
    bBatch = offsets(batch, contraction.b.address);
    toRows = offsets(rows, target);
    toColumns = offsets(columns, target);
    toBatch = offsets(batch, target);
    panelA.resize(blockRows * blockDepth);
    panelB.resize(blockColumns * blockDepth);
    sums.resize(blockRows * blockColumns);
  }

  template <typename FromA, typename FromB> void run(const uint8_t *a, const uint8_t *b) {
    for (size_t batch = 0; batch < aBatch.size(); ++batch)
      for (int64_t row = 0; row < int64_t(aRows.size()); row += blockRows)
        for (int64_t column = 0; column < int64_t(bColumns.size()); column += blockColumns) {
          int64_t rows = std::min<int64_t>(blockRows, aRows.size() - row);
          int64_t columns = std::min<int64_t>(blockColumns, bColumns.size() - column);
          std::fill(sums.begin(), sums.end(), Sum(0));
          for (int64_t k = 0; k < int64_t(aDepth.size()); k += blockDepth) {
            int64_t depth = std::min<int64_t>(blockDepth, aDepth.size() - k);
            // A single row would waste most of a tile of several.
            int64_t height = rows == 1 ? 1 : tileRows;
            pack<FromA>(a + aBatch[batch] * int64_t(sizeof(FromA)), &aRows[row], rows, &aDepth[k], depth, height,
                        panelA.data());
            pack<FromB>(b + bBatch[batch] * int64_t(sizeof(FromB)), &bColumns[column], columns, &bDepth[k], depth,
                        tileColumns, panelB.data());
            multiply(rows, columns, depth);
          }
          storeSums(batch, row, rows, column, columns);
        }
  }

private:
  void multiply(int64_t rows, int64_t columns, int64_t depth) {
    for (int64_t column = 0; column < columns; column += tileColumns)
      if (rows == 1)
        multiplyTile<In, Sum, 1>(panelA.data(), &panelB[column * depth], depth, &sums[column], blockColumns);
      else
        for (int64_t row = 0; row < rows; row += tileRows)
          multiplyTile<In, Sum, tileRows>(&panelA[row * depth], &panelB[column * depth], depth,
                                          &sums[row * blockColumns + column], blockColumns);
  }

  void storeSums(size_t batch, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    using Lane = std::conditional_t<std::is_floating_point_v<Sum>, double, int64_t>;
    Lane lanes[blockColumns];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c)
        lanes[c] = Lane(sums[r * blockColumns + c]);
      int64_t start = target.constant + toBatch[batch] + toRows[row + r];
      storer.indexed(to + start * int64_t(width), &toColumns[column], lanes, nullptr, columns);
    }
  }

  const Linear &target;
  uint8_t *to;
  size_t width;
  Storer storer;
  std::vector<int64_t> aRows, aDepth, aBatch, bColumns, bDepth, bBatch, toRows, toColumns, toBatch;
  std::vector<In> panelA, panelB;
  std::vector<Sum> sums;
};

/// A side whose elements the product can read: the tensor itself, or a converted copy.
struct Elements {
  Tensor copy;
  const uint8_t *start = nullptr;
  bool isFloat32 = false;
};

} // namespace

static llvm::Expected<Elements> elementsOf(const Contraction::Side &side, ElementType panel, Precision precision,
                                           uint64_t limit) {
  Elements elements;
  const Tensor *tensor = side.tensor;
  auto become = [&](ElementType type) -> llvm::Error {
    if (tensor->element() == type)
      return llvm::Error::success();
    llvm::Expected<Tensor> next = convert(*tensor, type, {}, limit);
    if (!next)
      return next.takeError();
    elements.copy = std::move(*next);
    tensor = &elements.copy;
    return llvm::Error::success();
  };
  for (ElementType type : side.casts) {
    if (isFloat(type) && precision == Precision::Double && !isSmallFloat(type))
      type = ElementType::F64;
    if (llvm::Error error = become(type))
      return std::move(error);
  }
  // f32 widens on the way into a panel of f64.
  elements.isFloat32 = tensor->element() == ElementType::F32 && panel == ElementType::F64;
  if (!elements.isFloat32)
    if (llvm::Error error = become(panel))
      return std::move(error);
  elements.start = tensor->data() + side.address.constant * int64_t(bytesOf(tensor->element()));
  return elements;
}

/// Products of integers are right in the low bits whatever the width: 32 of them for all narrow types.
static ElementType panelOf(ElementType type, Precision precision) {
  if (!isFloat(type))
    return bytesOf(type) <= 4 ? ElementType::U32 : ElementType::U64;
  return carrierOf(type, precision) == Carrier::F32 ? ElementType::F32 : ElementType::F64;
}

/// How many points the loops have that move only this side.
static int64_t linesOf(const Contraction::Side &side, const Contraction::Side &other, const Contraction &contraction) {
  int64_t lines = 1;
  for (unsigned loop = 0; loop < contraction.kept; ++loop)
    if (side.address.coefficients[loop] && !other.address.coefficients[loop])
      lines *= contraction.extents[loop];
  return lines;
}

llvm::Error eval::contract(Contraction contraction, const Linear &target, uint8_t *to, ElementType stored,
                           Precision precision, uint64_t limit) {
  // Columns fill tiles, so the side with more lines gives them when the other has too few.
  int64_t rows = linesOf(contraction.a, contraction.b, contraction);
  int64_t columns = linesOf(contraction.b, contraction.a, contraction);
  if (columns < tileColumns && rows > columns)
    std::swap(contraction.a, contraction.b);
  ElementType panel = panelOf(contraction.type, precision);
  llvm::Expected<Elements> a = elementsOf(contraction.a, panel, precision, limit);
  if (!a)
    return a.takeError();
  llvm::Expected<Elements> b = elementsOf(contraction.b, panel, precision, limit);
  if (!b)
    return b.takeError();
  if (panel == ElementType::F32) {
    Product<float, double>(contraction, target, to, stored).run<float, float>(a->start, b->start);
  } else if (panel == ElementType::U32) {
    Product<uint32_t, uint32_t>(contraction, target, to, stored).run<uint32_t, uint32_t>(a->start, b->start);
  } else if (panel == ElementType::U64) {
    Product<uint64_t, uint64_t>(contraction, target, to, stored).run<uint64_t, uint64_t>(a->start, b->start);
  } else {
    Product<double, double> product(contraction, target, to, stored);
    if (a->isFloat32)
      b->isFloat32 ? product.run<float, float>(a->start, b->start) : product.run<float, double>(a->start, b->start);
    else
      b->isFloat32 ? product.run<double, float>(a->start, b->start) : product.run<double, double>(a->start, b->start);
  }
  return llvm::Error::success();
}

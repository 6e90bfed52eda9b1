//===- CellsTurn.cpp - cells that are turned in registers ---------------------===//
//
// What a vector of a cell is put together from often lies side by side with what another one is: in the next cell, or
// in the same one. Such vectors are a square, which is read as it lies in memory and turned (Blocks.h), instead of each
// element by itself:
//
//   y[k, c, b] = x[b, k, c], four b and three c       vectors of y: (x[0, k, 0], x[1, k, 0], x[2, k, 0], x[3, k, 0])
//   four loads, of x[b, k, 0 .. 2]                                  (x[0, k, 1], x[1, k, 1], x[2, k, 1], x[3, k, 1])
//   and some eight shuffles for three vectors                       (x[0, k, 2], x[1, k, 2], x[2, k, 2], x[3, k, 2])
//
//===----------------------------------------------------------------------===//
#include "kumiko/Codegen/Cpu/CellEmitter.h"
#include <map>

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// More rows than these take more rounds of shuffles.
constexpr int64_t mostRows = 4;

int64_t CellEmitter::sideOfSquares() const {
  return std::min<int64_t>(bitsWoven / stored().getIntOrFloatBitWidth(), mostRows);
}

bool CellEmitter::follows(const Stretch &stretch, Square::Member first, Square::Member other, int64_t by) const {
  return llvm::all_of(llvm::seq<int64_t>(0, sideOfSquares()), [&](int64_t lane) {
    const Origin &from = stretch.elements[first.place + lane], &to = stretch.elements[other.place + lane];
    return from.memref == to.memref && from.place.terms == to.place.terms &&
           placeOf(to, other.cell) == placeOf(from, first.cell) + by;
  });
}

void CellEmitter::findSquares(Stretch &stretch) const {
  int64_t side = sideOfSquares();
  if (!k.schedule.wideCore || size < side)
    return;
  SmallVector<Square::Member> left;
  for (int64_t cell = 0; cell < cells; ++cell)
    for (int64_t n = 0; n < size; n += side)
      left.push_back({cell, std::min(n, size - side)});
  size_t vectors = left.size();
  auto keyOf = [&](Square::Member each) {
    return std::tuple(placeOf(stretch.elements[each.place], each.cell), each.cell, each.place);
  };
  llvm::sort(left, [&](Square::Member a, Square::Member b) { return keyOf(a) < keyOf(b); });
  while (!left.empty()) {
    Square square{{left.front()}};
    left.erase(left.begin());
    for (int64_t by = 1; by < side; ++by) {
      auto next = llvm::find_if(
          left, [&](Square::Member other) { return follows(stretch, square.members.front(), other, by); });
      if (next == left.end())
        break;
      square.members.push_back(*next);
      left.erase(next);
    }
    stretch.squares.push_back(std::move(square));
  }
  llvm::sort(stretch.squares, [](const Square &a, const Square &b) {
    return std::pair(a.firstCell(), a.members.front().place) < std::pair(b.firstCell(), b.members.front().place);
  });
  // Squares of a single vector are no faster than to pick it.
  if (3 * stretch.squares.size() > 2 * vectors)
    stretch.squares.clear();
}

Value CellEmitter::rowOfSquare(const Stretch &stretch, const Square &square, int64_t lane) {
  int64_t side = sideOfSquares(), count = square.members.size();
  auto [cell, place] = square.members.front();
  const Origin &origin = stretch.elements[place + lane];
  auto type = VectorType::get({side}, stored());
  Value index = k.demand.indexOf(atCell(origin, cell));
  if (count == side)
    return vector::LoadOp::create(k.b, k.loc, type, origin.memref, index);
  SmallVector<bool> real(side, false);
  std::fill_n(real.begin(), count, true);
  Value mask = k.demand.constantOf(DenseElementsAttr::get(VectorType::get({side}, k.b.getI1Type()), real));
  Value nothing = k.demand.constantOf(DenseElementsAttr::get(type, k.b.getZeroAttr(stored())));
  return vector::MaskedLoadOp::create(k.b, k.loc, type, origin.memref, index, mask, nothing);
}

/// Squares of the same cells before the first of these is stored: then memory is written from one end to the other.
void CellEmitter::turned(const Stretch &stretch) {
  std::map<int64_t, Value> made; // by the element of the group that a vector begins with
  for (auto [n, square] : llvm::enumerate(stretch.squares)) {
    SmallVector<Value> rows;
    for (int64_t lane = 0; lane < sideOfSquares(); ++lane)
      rows.push_back(rowOfSquare(stretch, square, lane));
    for (auto [member, vector] : llvm::zip(square.members, k.demand.blocks.turn(rows)))
      made[member.cell * size + member.place] = vector;
    if (n + 1 < stretch.squares.size() && stretch.squares[n + 1].firstCell() == square.firstCell())
      continue;
    for (auto [first, vector] : made)
      vector::StoreOp::create(k.b, k.loc, vector, memref, k.demand.indexOf(startOfCell() + Form(first)));
    made.clear();
  }
}

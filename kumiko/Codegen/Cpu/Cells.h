//===- Cells.h - short rows of elements that are only moved ------------------===//
//
// A *cell* is what the last dimensions of a result hold: a few elements that lie side by side. Pads, slices,
// concatenations and broadcasts of short rows say for each element of a cell that it is a constant, or where in a
// buffer it comes from; and that place moves on by as much from every cell to the next. Then a vector of the result is
// chosen out of what lies near each other in memory, whatever the length of a row:
//
//   rows of two with a zero on either side     x:   a b c d e f g h                      one load
//                                              y:   0 a b 0 0 c d 0 0 e f 0 0 g h 0      one shuffle, one store
//
// Where a cell is made of several short rows from different places, its vectors are put together element by element:
// that takes no more loads than to copy them one by one, and a store for each vector.
//
// As many cells are a group as fill whole vectors. A share of the cells ends with a group that may begin before the end
// of the one before; only shares of fewer cells than a group are written one by one. Nothing is read but what lies
// between two elements that the group is made of.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Cpu/Kernel.h"

namespace kumiko::cpu {

/// Writes the output where it consists of such cells and its rows are too short for vectors along them; false
/// elsewhere, with nothing emitted. Borders beside rows are written with them.
bool emitCells(Kernel &k, Output &output, mlir::Value memref);

} // namespace kumiko::cpu

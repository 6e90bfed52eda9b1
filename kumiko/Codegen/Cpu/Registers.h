//===- Registers.h - short rows that registers hold --------------------------===//
//
// A row of up to four registers, of which each lane of a vector chooses an element: an instruction or a few for all
// lanes, where memory would be asked for each of them.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Builders.h"

namespace kumiko::cpu {

/// Vectors of so many lanes are those of AVX-512, and those of AVX2.
constexpr unsigned lanesOfAvx512 = 16, lanesOfAvx2 = 8;

/// Whether lanes can choose from a row of so many elements, as they are stored.
bool fitsRegisters(const Extent &length, mlir::Type stored, unsigned lanes);

/// The elements of a row at `places`, indices of it, one for each lane. `parts` are the elements of the row, a vector
/// for as many of them as there are lanes, and `length` how many they are.
mlir::Value chooseFromRow(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> parts, int64_t length,
                          mlir::Value places);

} // namespace kumiko::cpu

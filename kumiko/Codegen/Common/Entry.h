//===- Entry.h - what a kernel computes once, before its loops --------------===//
//
// Constants, and expressions over symbols: each is one SSA value in the first block, however often it is asked for. The
// symbols come from the table that every call of a kernel gets.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Extents/Extent.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

class Entry {
public:
  /// `table` points to the values of the symbols, number n at place n of `names`.
  Entry(mlir::Block *block, mlir::Location loc, mlir::Value table, llvm::ArrayRef<std::string> names);

  mlir::Value constantOf(mlir::TypedAttr value);
  /// An index. An expression must come after `anchor` is known. One that takes more than 64 bits is 0 and remembered.
  mlir::Value valueOf(const Extent &extent);
  /// Whether such a one was asked for: then the code is wrong.
  bool overflowed() const { return tooLarge; }
  /// The first `active` of `lanes` truth values are set.
  mlir::Value maskOf(const Extent &active, unsigned lanes);

  /// A memref of one i32 that is 0 when the kernel begins.
  mlir::Value failure();

  /// Expressions are computed before this op of the block, which stands before all loops.
  mlir::Operation *anchor = nullptr;

private:
  mlir::OpBuilder atAnchor();
  mlir::Value symbolOf(llvm::StringRef name);
  mlir::Value compute(const Extent &extent);

  bool tooLarge = false;
  mlir::Block *block;
  mlir::Location loc;
  mlir::Value table;
  llvm::ArrayRef<std::string> names;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::StringMap<mlir::Value> values, masks; ///< by the text of the expression, which is its normal form
};

} // namespace kumiko

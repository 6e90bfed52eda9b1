//===- Builtin.h - the functions of the notation ---------------------------===//
#pragma once
#include "kumiko/Equation/Ast.h"
#include "kumiko/Equation/Instance.h"

namespace kumiko::eq {

enum class Builtin : uint8_t {
  None,
  // Known when the op is applied: of shapes and lists.
  Dim,
  Dims,
  Rank,
  Count,
  Offset,
  Present,
  Prod,
  Iota,
  Drop,
  // With rules of their own.
  Cast,
  Lowest,
  Highest,
  Pos,
  All,
  Clamp,
  Wrap,
  // One function of values each; BuiltinInfo::function says which.
  Value,
};

struct BuiltinInfo {
  llvm::StringLiteral name;
  Builtin builtin;
  uint8_t minArity;
  uint8_t maxArity;
  Function function = Function::Add;
};

/// Null when there is no function of this name.
const BuiltinInfo *findBuiltin(llvm::StringRef name);
/// The names of all functions, for suggestions.
llvm::ArrayRef<llvm::StringRef> builtinNames();

/// The first argument names a tensor without reading it: `dim(x, 0)`.
bool namesTensor(Builtin builtin);
/// Always known when the op is applied.
bool isShapeFunction(Builtin builtin);

} // namespace kumiko::eq

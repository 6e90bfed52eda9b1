//===- Given.h - what an op is applied to, written down --------------------===//
//
// The form that tests, the manual and the benchmarks of ops share:
//
//   f32[n,c,h,w], f32[8,c,3,3], -; stride=[1,1], dilation=[1,1], lo=[1,1], hi=[1,1]
//
// Operand types in the order of the op, `-` for an absent one, then attributes of the kinds that the op declares. A
// name among the extents is a symbol, or the number that it is given.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instantiate.h"

namespace kumiko::eq {

/// Values of names that are not to stay symbols.
using Numbers = llvm::StringMap<int64_t>;

/// `f32[2,n]`.
llvm::Expected<TensorType> parseType(llvm::StringRef text, const Numbers &numbers = {});

/// Owns what the application points to.
struct Given {
  llvm::SmallVector<std::optional<TensorType>, 4> operands;
  llvm::StringMap<Attribute> attributes;

  static llvm::Expected<Given> parse(const OpDef &op, llvm::StringRef text, const Numbers &numbers = {});
  Application application() const { return {operands, std::nullopt, attributes, {}}; }
};

} // namespace kumiko::eq

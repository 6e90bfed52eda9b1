//===- NarrowConstant.h - integers that are known, in few bits -------------===//
#pragma once
#include "kumiko/Support/Tensor.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace kumiko::optimize {

/// The elements of a value that only constants go into, through at most a few ops; nothing for any other value, and
/// where computing it would take more than compile time allows.
std::optional<Tensor> knownTensor(mlir::Value value);

/// The same elements as i8, u8 or i16: the first that holds them all; nothing when none does. `tensor` is i32.
std::optional<Tensor> narrowed(const Tensor &tensor);

/// The sums of an i32 tensor over some dimensions, which become 1, wrapped to 32 bits.
std::optional<Tensor> sumsOver(const Tensor &tensor, llvm::ArrayRef<unsigned> reduced);

} // namespace kumiko::optimize

//===- Evaluate.h - what an equation says, computed -------------------------===//
//
// The judge: runs the statements of an instance in order and returns its results. It knows the notation and nothing
// of code generation, so that an error in one does not hide an error in the other.
//
// Order of work is part of the meaning here, so that results are the same on every machine and for every path through
// the code: a reduction combines its points in row-major order, one after the other; sums and products of floats
// accumulate in f64 and round once, when stored.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Equation/Instance.h"
#include "kumiko/Support/Tensor.h"

namespace kumiko {

enum class Precision : uint8_t {
  /// Each statement computes in the types it declares; floats below f32 compute as f32 and round when stored.
  Declared,
  /// Every float is f64: operands may be f64 where the instance says f32, temporaries and results are f64. Casts
  /// between f16, bf16, f32 and f64 do nothing; 8-, 6- and 4-bit floats still round, that is what they are there for.
  Double,
};

struct Limits {
  /// Bytes of one tensor, and of all temporaries and results of one call together.
  uint64_t bytes = defaultTensorLimit;
  /// Loop points of one call; with `spent`, of all calls that share it.
  uint64_t points = uint64_t(1) << 44;
  /// Where the caller keeps the points of its calls so far.
  uint64_t *spent = nullptr;
};

/// The element type in which a tensor declared as `type` is held.
ElementType storedAs(ElementType type, Precision precision);

/// Results by result number; a result that the instance does not ask for is an empty tensor (element type Invalid).
/// `operands` are by operand number, null where an optional operand is absent. Shapes and types are checked against
/// the instance. An index taken from data that leaves its tensor without `else` is an error that names the statement.
llvm::Expected<llvm::SmallVector<Tensor, 2>> evaluate(const eq::Instance &instance,
                                                      llvm::ArrayRef<const Tensor *> operands,
                                                      Precision precision = Precision::Declared, Limits limits = {});

} // namespace kumiko

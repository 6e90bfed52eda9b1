//===- Verify.h - compiled code against the reference evaluator -------------===//
#pragma once
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Tensor.h"
#include "kumiko/Verify/Ulp.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko {

/// What is accepted. Without a number of ulp, an error that is small beside the largest element of its tensor: a
/// network adds up the roundings of its layers, and an element near zero by cancellation carries those of its
/// neighbours.
struct Tolerance {
  std::optional<double> ulp;

  /// The default for a type, as a share of the largest magnitude; 0 for integers.
  static double shareOf(ElementType type);
  bool accepts(const Distance &distance, ElementType type) const;
};

/// One value that was compared.
struct Judgement {
  std::string name;
  ElementType type = ElementType::Invalid;
  Distance distance;
  bool good = false;
};

/// `@main` of a module after Import, Optimize or Fuse, evaluated. Empty when problems were added.
std::vector<Tensor> evaluateModule(mlir::ModuleOp module, llvm::ArrayRef<Tensor> inputs, Precision precision,
                                   ProblemList &problems);

/// The values that the symbols of a model have for these inputs, taken from a run; nothing when a problem was added.
std::optional<llvm::StringMap<int64_t>> symbolValues(const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                                     ProblemList &problems);

/// Each of `got` against its reference.
std::vector<Judgement> judge(llvm::ArrayRef<ProgramValue> values, llvm::ArrayRef<Tensor> got,
                             llvm::ArrayRef<Tensor> reference, const Tolerance &tolerance);

/// Runs the compiled program call by call, and beside it the equations of each kernel; a judgement for each
/// result of each call, named by its source nodes, up to and including the first that is not good. `fused` is the
/// module of the same model after Fuse, whose symbols get their values. Equations see the reference's values, not the
/// compiled ones; results of calls are kept until they are judged.
std::vector<Judgement> judgeCalls(mlir::ModuleOp fused, const CompiledModel &compiled, llvm::ArrayRef<Tensor> inputs,
                                  const Tolerance &tolerance, Precision precision, ProblemList &problems);

} // namespace kumiko

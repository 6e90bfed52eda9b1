//===- Inputs.h - tensors for the inputs of a model -------------------------===//
#pragma once
#include "kumiko/Plan/Program.h"
#include "kumiko/Support/Problem.h"
#include "kumiko/Support/Tensor.h"
#include <vector>

namespace kumiko {

/// Where the tensors come from, as the command line has it.
struct InputSources {
  /// An .npz whose arrays are named as the inputs; empty: none.
  std::string archive;
  /// `NAME=FILE.npy` or `NAME=random`; these win over the archive.
  std::vector<std::string> single;
  /// Inputs that nothing names get random numbers instead of a problem.
  bool randomOtherwise = false;
};

/// The value's type with its sizes, `f32[batch,3]`.
std::string describe(const ProgramValue &value);

/// One tensor for each of `inputs`, of its type and shape; empty when problems were added.
std::vector<Tensor> readInputs(llvm::ArrayRef<ProgramValue> inputs, const InputSources &sources, ProblemList &problems);

/// Numbers that depend on the name, type and shape alone: floats even in [-1, 1); integers, booleans and small floats 0
/// or 1, which are valid as indices, masks and token types alike.
llvm::Expected<Tensor> randomTensor(const ProgramValue &value);

} // namespace kumiko

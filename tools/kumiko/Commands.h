//===- Commands.h - what `kumiko COMMAND` does ------------------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Pipeline/Execute.h"
#include "tools/kumiko/CommandLine.h"
#include "tools/kumiko/ProgressLine.h"

namespace kumiko {

/// Each returns 0, or 1 when the answer is no. Errors go into `problems`, whose exit code then counts.
int compileCommand(const Invocation &invocation, ProblemList &problems);
int runCommand(const Invocation &invocation, ProblemList &problems);
int benchCommand(const Invocation &invocation, ProblemList &problems);
int verifyCommand(const Invocation &invocation, ProblemList &problems);
int inspectCommand(const Invocation &invocation, ProblemList &problems);
/// The model as a .kmk text, on the screen or in a file with its weights beside it.
void inspectAsText(const Invocation &invocation, ProblemList &problems);
int bisectCommand(const Invocation &invocation, ProblemList &problems);
int doctorCommand(const Invocation &invocation, ProblemList &problems);
int cacheCommand(const Invocation &invocation, ProblemList &problems);

/// The options that every command with a MODEL shares.
CompileOptions compileOptionsOf(const Invocation &invocation, ProblemList &problems);

/// A model compiled in this process, or a shared library; with what its executable needs to live.
struct OpenModel {
  std::unique_ptr<CompiledModel> compiled; ///< null for a shared library
  std::unique_ptr<Executable> executable;
  double compileSeconds = 0;
};

/// A problem for each of `options` that is given together with a shared library. False when there was one.
bool refuseForLibrary(const Invocation &invocation, llvm::ArrayRef<OptionNumber> options, ProblemList &problems);

/// Compiles or loads the invocation's MODEL; nothing when problems were added.
std::optional<OpenModel> openModel(const Invocation &invocation, ProblemList &problems);

/// Tensors for its inputs by `--inputs` and `--input`.
std::vector<Tensor> inputsOf(const Invocation &invocation, const Executable &executable, bool randomOtherwise,
                             ProblemList &problems);

struct NamedTensor {
  std::string name;
  Tensor tensor;
};
/// The outputs of the MODEL by the reference evaluator; nothing when problems were added.
std::optional<std::vector<NamedTensor>> runReference(const Invocation &invocation, ProblemList &problems);

} // namespace kumiko

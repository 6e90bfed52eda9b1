//===- Execute.h - a model that is ready to run -----------------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Support/Tensor.h"
#include "runtime/include/kumiko/kumiko.h"
#include <memory>

namespace kumiko {

class Jit;

/// A compiled model in the runtime's hands: from memory or from a shared library. It runs on the thread that calls it
/// and on those of the runtime's pool.
class Executable {
public:
  /// Loads what `compiled` holds into this process. The model must outlive the executable.
  static std::unique_ptr<Executable> fromCompiled(const CompiledModel &compiled, ProblemList &problems);
  /// Takes tables that outlive the executable.
  static std::unique_ptr<Executable> fromArtefact(const kumiko_artefact &artefact, ProblemList &problems);
  /// Loads a shared library that `kumiko compile` made.
  static std::unique_ptr<Executable> fromLibrary(llvm::StringRef path, ProblemList &problems);
  ~Executable();

  llvm::ArrayRef<ProgramValue> inputs() const { return inputValues; }
  llvm::ArrayRef<ProgramValue> outputs() const { return outputValues; }
  const kumiko_model_info &info() const { return modelInfo; }

  /// In the runtime's hands; lives as long as this.
  kumiko_model *loaded() const { return model; }
  /// Adds a problem for a status of the runtime that is not OK; `context` may be null. False then.
  bool check(int status, llvm::StringRef doing, const kumiko_context *context, ProblemList &problems) const;

  /// Makes a context of `threads` threads (0: every CPU) and binds tensors that stay the caller's: `inputs` in the
  /// order of inputs(), with their types and shapes. False when a problem was added.
  bool prepare(llvm::ArrayRef<Tensor> inputs, unsigned threads, ProblemList &problems);
  /// The most threads that a run will use; after prepare.
  unsigned threads() const;
  /// Computes; the results are in results() until the next run.
  bool run(ProblemList &problems);
  llvm::ArrayRef<Tensor> results() const { return resultTensors; }
  /// Nothing can be run afterwards.
  std::vector<Tensor> takeResults() { return std::move(resultTensors); }

private:
  Executable();
  bool adopt(kumiko_model *model, ProblemList &problems);
  bool check(int status, llvm::StringRef doing, ProblemList &problems) const {
    return check(status, doing, context, problems);
  }

  const kumiko_api *api;
  std::unique_ptr<Jit> jit;
  std::string file;
  kumiko_model *model = nullptr;
  kumiko_context *context = nullptr;
  kumiko_model_info modelInfo = {};
  bool bindOutput(size_t number, ProblemList &problems);
  /// After a run: the results that lie in the context's memory.
  bool collect(ProblemList &problems);

  std::vector<ProgramValue> inputValues, outputValues;
  std::vector<Tensor> resultTensors;
};

/// False after a problem when what is compiled with these options is for another machine, or there was one before.
bool expectRunsHere(const CompileOptions &options, ProblemList &problems);

/// True for an ELF file: a shared library rather than a model.
bool isSharedLibrary(llvm::StringRef path);

} // namespace kumiko

//===- VerifyModel.h - a whole model against the reference evaluator --------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Verify/EachPass.h"
#include "kumiko/Verify/Verify.h"

namespace kumiko {

struct VerifyOptions {
  CompileOptions compile;
  Tolerance tolerance;
  InputSources inputs = {"", {}, /*randomOtherwise=*/true};
  /// Of the run; 0: every CPU.
  unsigned threads = 0;
  /// What a shared library was made from; empty: the file of that name beside it.
  std::string model;
  /// Also every call of the program, up to the first that differs. Not of a shared library.
  bool eachOp = false;
  /// Also every pass of Optimize and Fuse. Not of a shared library.
  bool eachPass = false;
};

/// Values that were compared.
struct Comparison {
  std::string what; ///< `outputs`, `import` (the network as imported) or `calls`
  std::vector<Judgement> judgements;

  bool good() const;
};

struct VerifyReport {
  std::vector<Comparison> comparisons;
  std::vector<PassReport> passes;

  bool good() const;
  void printJson(llvm::raw_ostream &os) const;
};

/// Compiles the model, or loads the shared library at its path, runs it and compares. Nothing when problems were added:
/// then nobody knows.
std::optional<VerifyReport> verifyModel(const ModelSource &model, const VerifyOptions &options, ProblemList &problems);

} // namespace kumiko

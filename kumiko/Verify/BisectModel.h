//===- BisectModel.h - which step of the compiler changes a model's results -===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Verify/Bisect.h"

namespace kumiko {

struct BisectOptions {
  CompileOptions compile;
  InputSources inputs = {"", {}, /*randomOtherwise=*/true};
};

/// What a search found.
struct BisectReport {
  /// What the culprit's network lives in.
  std::vector<std::shared_ptr<void>> homes;
  /// Nothing when every pass keeps to its class and compiled code agrees with the equations.
  std::optional<Culprit> culprit;
  /// Shows it again; empty before writeCase.
  std::string command;

  BisectReport() = default;
  BisectReport(BisectReport &&) = default;
  // The network must go before its home.
  BisectReport &operator=(BisectReport &&) = delete;
  void printJson(llvm::raw_ostream &os) const;
};

/// Searches a model, or the text of a case (`.mlir`) that writeCase wrote. Nothing when problems were added.
std::optional<BisectReport> bisectModel(const ModelSource &model, const BisectOptions &options, ProblemList &problems);

/// Writes the smallest network that shows it, where there is one, into the folder: `case.mlir`, `inputs.npz`. False
/// when a problem was added.
bool writeCase(BisectReport &report, const CompileOptions &options, llvm::StringRef folder, ProblemList &problems);

} // namespace kumiko

//===- Inspect.h - what a model or a shared library holds -------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"

namespace kumiko {

/// What is known about a model, and its arithmetic when it could be imported.
struct ModelInspection {
  ModelSummary summary;
  std::optional<uint64_t> multiplyAdds;
  /// What is not known before the model runs: sizes of inputs, and what data decides.
  std::vector<std::string> symbols;
  /// With errors among them: why it will not compile.
  ProblemList reasons;

  /// Whether the file could be read at all: otherwise there is nothing to show.
  bool isReadable() const;
  void printJson(llvm::raw_ostream &os) const;
};

/// Says what can be read, of broken models too. The reasons that the model will not compile are problems all the same.
ModelInspection inspectModel(const ModelSource &model, const CompileOptions &options, ProblemList &problems);

struct LibraryInspection {
  std::string name, producer, provenance;
  std::vector<ModelSummary::Value> inputs, outputs;
  uint64_t calls = 0, arenaBytes = 0, scratchBytes = 0, weightsBytes = 0;

  void printJson(llvm::raw_ostream &os) const;
};

/// A shared library that `kumiko compile` made. Nothing when problems were added.
std::optional<LibraryInspection> inspectLibrary(llvm::StringRef path, ProblemList &problems);

} // namespace kumiko

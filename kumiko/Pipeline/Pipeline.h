//===- Pipeline.h - the order of everything ---------------------------------===//
#pragma once
#include "kumiko/Codegen/Backends.h"
#include "kumiko/Pipeline/Stage.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {

struct PipelineOptions : CodegenOptions {
  /// What to leave out, to see what it brings: rules, passes of the graph level, `fusion`, `tables`.
  std::vector<std::string> without;
  /// Who makes code of kernels.
  const Backend *backend = allBackends().front();
  Stage stopAfter = Stage::Codegen;
};

/// Everything that may be in `PipelineOptions::without`.
std::vector<std::string> removableParts();

/// Adds the passes of one stage, the check of its form last. Import, Plan and Emit are functions, not passes
/// (Compile.cpp): they go from a file to a module, and from a module to a program and to objects.
void addStage(mlir::OpPassManager &passes, Stage stage, const PipelineOptions &options);

/// All stages that are passes, up to `options.stopAfter`.
void buildPipeline(mlir::OpPassManager &passes, const PipelineOptions &options);

/// From now on the stage ends with these passes, too. Tests put defects there, which `verify` and `bisect` must find.
void extendStage(Stage stage, std::function<void(mlir::OpPassManager &)> addPasses);

/// Every dialect that the stages use.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace kumiko

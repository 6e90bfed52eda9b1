//===- Compile.h - from a model file to kernels and a program ---------------===//
//
// What every command does with a MODEL, so that `run` and `bench` execute exactly what `compile` writes.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Emit/KernelCache.h"
#include "kumiko/Pipeline/Explain.h"
#include "kumiko/Pipeline/ModelSource.h"
#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Pipeline/Session.h"
#include "kumiko/Pipeline/Timing.h"
#include "kumiko/Plan/Program.h"
#include "kumiko/Support/Watch.h"

namespace kumiko {

struct CompileOptions {
  ImportOptions import;
  Allow allow = Allow::Approximate;
  /// As in PipelineOptions.
  std::vector<std::string> without;
  /// Schedules that people wrote; what these say nothing about is decided by the model.
  WrittenSchedules schedules;
  /// `host`, or a row of kumiko/Target, with what to adjust.
  std::string target = "host";
  /// For tests: code that ThreadSanitizer sees, see WatchThreads.h.
  bool watchThreads = false;
  /// Who makes code of kernels (Codegen/Backends.h); empty: the first one.
  std::string backend;
  /// C identifier of the program; empty: from the model's file name.
  std::string name;
  /// With anything before Emit there are no kernels, only `module` as that stage left it.
  Stage stopAfter = Stage::Emit;
  /// Folder for the IR after every stage; empty: none.
  std::string dumpFolder;
  /// Threads of the compiler; 0: every CPU. No influence on the result.
  unsigned jobs = 0;
  /// Hears the stages by name and how many kernels are done; asked before stages, passes and kernels.
  Watch watch = {};
  /// Where kernels that were compiled before are found; null: nowhere. No influence on the result. Not used where the
  /// IR of each stage is dumped.
  std::shared_ptr<const KernelCache> cache;
};

struct CompiledModel {
  /// Bytes in memory, which weights alias.
  std::shared_ptr<const llvm::MemoryBuffer> source;
  /// Holds what `module` and the views of `program` point to.
  std::unique_ptr<Session> session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelSummary summary;
  Target target;
  Program program;
  /// In the order of their first call.
  std::vector<Object> kernels;
  Timing timing;
  Explanation explanation;
};

/// What the passes of a compilation are told. Whoever runs some of them alone (verify, bisect) asks here, too.
PipelineOptions pipelineOptionsOf(const CompileOptions &options);

/// Null exactly when `problems` has errors afterwards. Writes no file but those that `dumpFolder` asks for, prints
/// nothing, and may run on any number of threads at once.
std::unique_ptr<CompiledModel> compile(const ModelSource &source, const CompileOptions &options, ProblemList &problems);
/// The same for a module that was not read from a file: its `@main` is a function over nn ops. `import` is not used.
std::unique_ptr<CompiledModel> compileModule(std::unique_ptr<Session> session, mlir::OwningOpRef<mlir::ModuleOp> module,
                                             const CompileOptions &options, ProblemList &problems);

/// The IR as people read it: weights elided, locations left out.
void printModule(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace kumiko

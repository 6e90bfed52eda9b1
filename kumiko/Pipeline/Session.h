//===- Session.h - a context to compile in ----------------------------------===//
#pragma once
#include "kumiko/Pipeline/Stage.h"
#include "kumiko/Support/Problem.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/ThreadPool.h"
#include <memory>

namespace kumiko {

/// An MLIR context with every dialect loaded and a thread pool of its own. Modules and weights live in it.
class Session {
public:
  /// `jobs` 0: every CPU; 1: no threads.
  explicit Session(unsigned jobs);

  mlir::MLIRContext &context() { return *mlirContext; }
  unsigned jobs() const { return jobCount; }

private:
  unsigned jobCount;
  // Before the context, which uses it until its end.
  std::unique_ptr<llvm::DefaultThreadPool> pool;
  std::unique_ptr<mlir::MLIRContext> mlirContext;
};

/// The name of the source node at a location: the outermost NameLoc.
std::string sourceNode(mlir::Location location);

/// While it lives, errors that passes emit become problems: not supported where a pass says so, else a defect of ours.
class DiagnosticsToProblems {
public:
  DiagnosticsToProblems(mlir::MLIRContext &context, Stage stage, llvm::StringRef file, ProblemList &problems);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace kumiko

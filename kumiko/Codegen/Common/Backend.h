//===- Backend.h - who makes code of kernels --------------------------------===//
//
// From Plan on every kernel is a unit of its own: a module with the kernel and what it needs to know of the program
// (the names of its symbols). A back end decides how kernels are run (its part of the stage Schedule), turns a unit
// into a module of the LLVM dialect (Codegen) and that into object code. It is one folder here and one line in
// Codegen/CMakeLists.txt (Backends.h).
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Support/Allow.h"
#include "kumiko/Support/Decision.h"
#include "mlir/Pass/PassManager.h"

namespace kumiko {

/// A file of schedules (docs/schedules.md): its name, for messages, and what it holds.
struct WrittenSchedules {
  std::string name, text;
};

/// What the passes of a back end are told beside the kernel and its target, which the module names (TargetAttr.h).
struct CodegenOptions {
  Allow allow = Allow::Approximate;
  WrittenSchedules schedules;
  /// For tests: object code that ThreadSanitizer sees (WatchThreads.h).
  bool watched = false;
};

class Backend {
public:
  virtual ~Backend() = default;

  virtual llvm::StringRef name() const = 0;
  /// For kumiko-opt: its passes by their own names.
  virtual void registerPasses() const = 0;
  /// Whether it has code for the target.
  virtual Decision takes(const Target &target) const = 0;
  /// Over the whole module: kernels of linalg on tensors get their schedules, and may be cut before.
  virtual void addSchedulePasses(mlir::OpPassManager &passes, const CodegenOptions &options) const = 0;
  /// Over a unit: the kernel becomes a module of the LLVM dialect inside of it, or nothing where all that it would
  /// write is there already. Units are run side by side.
  virtual void addCodegenPasses(mlir::OpPassManager &unit, const CodegenOptions &options) const = 0;
  /// The object code of such a module.
  virtual llvm::Expected<Object> compile(mlir::ModuleOp kernel, const Target &target,
                                         const CodegenOptions &options) const = 0;
};

} // namespace kumiko

//===- Imported.h - runs the importer on a model of a test ---------------------===//
#pragma once
#include "Write.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko::onnx::test {

/// A model imported: its module, its problems, its summary. The file is `m.onnx` in a folder of its own, or `path`.
struct Imported {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  ProblemList problems;
  ModelSummary summary;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Folder folder;

  explicit Imported(const Message &model, const ImportOptions &options = {}) {
    load(folder.write("m.onnx", model.bytes), options);
  }
  explicit Imported(const std::string &path, const ImportOptions &options = {}) { load(path, options); }

  void load(const std::string &path, const ImportOptions &options) {
    auto result = importOnnx(path, context, options, problems, summary);
    if (mlir::succeeded(result))
      module = std::move(*result);
  }

  int exitCode() const { return problems.exitCode(); }
  /// The problems as printed, with the folder taken out of paths.
  std::string errors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    problems.print(os);
    for (std::string prefix = folder.root + "/"; text.find(prefix) != std::string::npos;)
      text.erase(text.find(prefix), prefix.size());
    return text;
  }
  /// The module as printed; empty without one, or when it does not verify.
  std::string text() {
    std::string result;
    if (module && mlir::succeeded(mlir::verify(*module))) {
      mlir::OpPrintingFlags flags;
      llvm::raw_string_ostream os(result);
      module->print(os, flags.elideLargeResourceString(0));
    }
    return result;
  }
};

} // namespace kumiko::onnx::test

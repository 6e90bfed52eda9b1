//===- ModelSource.h - a model to read, from a file or from memory ----------===//
#pragma once
#include "kumiko/Import/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace kumiko {

/// What provenance has of a content, in hexadecimal digits.
std::string digestOf(llvm::StringRef content);

struct ModelSource {
  /// Of the file. Of bytes in memory where the file would be: messages and the artefact's provenance name it, and
  /// external data lies beside it; `memory:NAME` where it must not lie anywhere, then a model that wants some is
  /// refused.
  std::string path;
  /// Null: the file is read. Weights alias the bytes, so whoever has weights keeps them.
  std::shared_ptr<const llvm::MemoryBuffer> bytes;

  ModelSource() = default;
  ModelSource(llvm::StringRef path) : path(path) {}
  ModelSource(const std::string &path) : path(path) {}
  ModelSource(const char *path) : path(path) {}
  /// Copies the bytes. External data lies in `dataFolder`, or nowhere when that is empty.
  static ModelSource fromMemory(llvm::StringRef bytes, llvm::StringRef name, llvm::StringRef dataFolder = "");

  /// As importModel and interpretModel, which say what they do.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> import(mlir::MLIRContext &context, const ImportOptions &options,
                                                            ProblemList &problems, ModelSummary &summary) const;
  std::optional<std::vector<NamedDatum>> interpret(mlir::MLIRContext &context, const llvm::StringMap<Datum> &inputs,
                                                   const InterpretOptions &options, ProblemList &problems) const;
  /// Of the content, in hexadecimal digits.
  llvm::ErrorOr<std::string> digest() const;
  /// Without folders and without the word for memory.
  llvm::StringRef fileName() const;

private:
  /// The same bytes again.
  std::unique_ptr<llvm::MemoryBuffer> view() const;
};

} // namespace kumiko

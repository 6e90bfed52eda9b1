//===- Text.h - networks as text ------------------------------------------------------===//
//
// The front end for .kmk files (docs/text-models.md), and their writer.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Import/Build/Safetensors.h"
#include "kumiko/Import/Import.h"

namespace kumiko::text {

const FrontEnd &frontEnd();

/// The module that an importer made, as text; what is too large for the text goes to `weights`, for a file that the
/// text calls `weightsFile`. Fails with a reason for a module that is past import.
llvm::Expected<std::string> writeText(mlir::ModuleOp module, llvm::StringRef weightsFile,
                                      llvm::SmallVectorImpl<StoredTensor> &weights);

} // namespace kumiko::text

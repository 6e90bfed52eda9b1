//===- ArtefactFiles.h - what object files and shared libraries share -------===//
#pragma once
#include "kumiko/Emit/Artefact.h"
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Emit/Table.h"

namespace kumiko {

/// The objects of an artefact as files for the linker.
struct ArtefactFiles {
  /// Kernels in the order of the program, then the table.
  std::vector<std::string> code;
  /// Object with the weights; empty when there are none or they lie beside.
  std::string weights;
  /// The weights' file, still in the work folder; empty when embedded.
  std::string weightsBeside;
};

llvm::Expected<ArtefactFiles> writeArtefactFiles(const Program &program, llvm::ArrayRef<Object> kernels,
                                                 const Target &target, const TableOptions &table,
                                                 const WorkFolder &folder);

/// An error when the caller wants no artefact any more.
llvm::Error stopIfAsked(const ArtefactOptions &options);

/// Renames the finished artefact and its weights' file into place. The weights go first: an artefact never meets
/// weights that are not there.
llvm::Error placeArtefact(const ArtefactFiles &files, llvm::StringRef finished, llvm::StringRef output,
                          llvm::StringRef weightsFile);

} // namespace kumiko

//===- Provenance.h - where an artefact comes from --------------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"

namespace kumiko {

/// One line: the digest of the model file, every option that changes the artefact, and the model's file name. No
/// folders, no times: the same model compiled elsewhere gives the same line.
llvm::Expected<std::string> provenanceOf(const ModelSource &source, const CompileOptions &options,
                                         const Target &target);

/// Adds to `options` what `provenance` says about them, so that importing the model again gives the same graph.
bool readProvenance(llvm::StringRef provenance, CompileOptions &options, ProblemList &problems);

/// The model that an artefact at `artefact` was compiled from: `given` if not empty, else the file of that name in the
/// artefact's folder or in the current one. Its content must be what was compiled. Empty when a problem was added.
std::string findSource(llvm::StringRef provenance, llvm::StringRef artefact, llvm::StringRef given,
                       ProblemList &problems);

} // namespace kumiko

//===- Provenance.h - where an artefact comes from --------------------------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"

namespace kumiko {

/// One line: the digest of the model file and every option that changes the artefact. No paths, no times.
llvm::Expected<std::string> provenanceOf(llvm::StringRef path, const CompileOptions &options, const Target &target);

} // namespace kumiko

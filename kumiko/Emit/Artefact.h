//===- Artefact.h - a program and its kernels become files ------------------===//
#pragma once
#include "kumiko/Codegen/Common/Objects.h"
#include "kumiko/Plan/Program.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace kumiko {

enum class WeightsPlace {
  Automatic, ///< embedded up to 1 GiB
  Embed,
  File, ///< `<output stem>.weights` beside the artefact, mapped when the model is loaded
};

struct ArtefactOptions {
  std::string output;
  WeightsPlace weights = WeightsPlace::Automatic;
  /// ThreadSanitizer sees the table's functions, too.
  bool watched = false;
  /// Asked before each part of the work; when it says yes, the answer is the problem `Cancelled` and nothing is
  /// written.
  std::function<bool()> stopped = {};
};

/// Writes `output` (.o) and beside it the header: `<name>_artefact()`, `<name>_run(...)`, kernels, tables, weights.
/// Needs libc and libm alone.
llvm::Error writeObjectFile(const Program &program, llvm::ArrayRef<Object> kernels, const Target &target,
                            const ArtefactOptions &options);

/// Writes `output` (.so), the runtime inside; exports `kumiko_artefact_table` and `kumiko_get_api` and nothing else.
llvm::Error writeSharedLibrary(const Program &program, llvm::ArrayRef<Object> kernels, const Target &target,
                               const ArtefactOptions &options);

/// The C header of an object file that is called `program.name`. `weightsFile` as in TableOptions.
std::string headerText(const Program &program, llvm::StringRef weightsFile);

/// A C identifier made of `text`: other characters become `_`; never empty, a keyword or a leading digit.
std::string identifierFrom(llvm::StringRef text);

/// Base name of the weights' file for `output`, or nothing when they are embedded.
std::string weightsFileFor(const Program &program, const ArtefactOptions &options);

} // namespace kumiko

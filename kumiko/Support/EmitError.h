//===- EmitError.h - why an artefact could not be made ----------------------===//
#pragma once
#include "kumiko/Support/Problem.h"
#include "llvm/Support/Error.h"

namespace kumiko {

/// A Problem on its way through llvm::Expected.
class EmitError : public llvm::ErrorInfo<EmitError> {
public:
  static char ID;

  explicit EmitError(Problem problem) : problem(std::move(problem)) {}

  void log(llvm::raw_ostream &os) const override { os << problem.what; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const Problem problem;
};

llvm::Error emitError(Code code, const llvm::Twine &what, const llvm::Twine &help);

/// LLVM or lld refused what we made.
llvm::Error defectError(const llvm::Twine &what);

/// Every problem inside `error`, whoever raised it, goes into `problems`; strangers count as defects.
void takeProblems(llvm::Error error, ProblemList &problems);

} // namespace kumiko

#include "kumiko/Support/EmitError.h"

using namespace kumiko;

char EmitError::ID = 0;

llvm::Error kumiko::emitError(Code code, const llvm::Twine &what, const llvm::Twine &help) {
  return llvm::make_error<EmitError>(Problem(code, what).helped(help));
}

llvm::Error kumiko::defectError(const llvm::Twine &what) {
  return emitError(Code::Internal, what, "this is a defect of Kumiko; please report it together with the model");
}

void kumiko::takeProblems(llvm::Error error, ProblemList &problems) {
  llvm::handleAllErrors(
      std::move(error), [&](const EmitError &known) { problems.add(known.problem); },
      [&](const llvm::ErrorInfoBase &stranger) {
        problems.add(Code::Internal, stranger.message()).helped("this is a defect of Kumiko; please report it");
      });
}

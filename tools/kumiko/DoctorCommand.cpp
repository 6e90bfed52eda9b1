#include "kumiko/Pipeline/Doctor.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kumiko;

int kumiko::doctorCommand(const Invocation &invocation, ProblemList &problems) {
  Diagnosis diagnosis = diagnose(problems);
  if (invocation.has(OPT_json))
    diagnosis.printJson(llvm::outs());
  else
    for (const auto &[name, text] : diagnosis.facts)
      llvm::outs() << llvm::left_justify(name, 22) << text << "\n";
  return 0;
}

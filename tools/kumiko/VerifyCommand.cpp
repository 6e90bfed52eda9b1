#include "tools/kumiko/Commands.h"
int kumiko::verifyCommand(const Invocation &, ProblemList &problems) {
  problems.add(Code::UnsupportedForm, "verify is not available yet").helped("wait");
  return 0;
}

#include "kumiko/Target/TargetAttr.h"
#include "kumiko/Support/EmitError.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace kumiko;

#include "kumiko/Target/TargetDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "kumiko/Target/TargetAttr.cpp.inc"

static constexpr llvm::StringLiteral attrName = "kumiko.target";

void KumikoDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kumiko/Target/TargetAttr.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef spelled) {
  llvm::Expected<Target> target = rowNamed(spelled);
  if (target)
    return success();
  ProblemList problems;
  takeProblems(target.takeError(), problems);
  for (const Problem &problem : problems.all())
    emitError() << problem.what << "; " << problem.help;
  return failure();
}

/// To read a row again for each pass over each kernel would take longer than some of these passes.
static const Target &readOnce(StringRef spelled) {
  static std::mutex mutex;
  static std::map<std::string, Target, std::less<>> known;
  std::lock_guard lock(mutex);
  auto found = known.find(spelled);
  if (found == known.end())
    found = known.emplace(spelled.str(), llvm::cantFail(rowNamed(spelled))).first;
  return found->second;
}

const Target &kumiko::targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(attrName))
      return readOnce(target.getSpelled());
  return readOnce(defaultTarget);
}

void kumiko::setTarget(ModuleOp module, const Target &target) {
  MLIRContext *context = module.getContext();
  context->getOrLoadDialect<KumikoDialect>();
  module->setAttr(attrName, TargetAttr::get(context, target.spelled));
}

#include "kumiko/Pipeline/Session.h"
#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Schedule/ScheduleRules.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Threading.h"

using namespace kumiko;

static unsigned effectiveJobs(unsigned asked) {
  unsigned available = llvm::hardware_concurrency().compute_thread_count();
  return asked ? asked : available;
}

Session::Session(unsigned jobs) : jobCount(effectiveJobs(jobs)) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlirContext = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  if (jobCount > 1) {
    llvm::ThreadPoolStrategy strategy = llvm::hardware_concurrency(jobCount);
    // More threads than CPUs when the user says so: the result is the same, and tests rely on it.
    strategy.Limit = false;
    pool = std::make_unique<llvm::DefaultThreadPool>(strategy);
    mlirContext->setThreadPool(*pool);
  }
  mlirContext->loadAllAvailableDialects();
}

std::string kumiko::sourceNode(mlir::Location location) {
  std::string name;
  location->walk([&](mlir::Location inner) {
    auto named = llvm::dyn_cast<mlir::NameLoc>(inner);
    if (!named)
      return mlir::WalkResult::advance();
    name = named.getName().str();
    return mlir::WalkResult::interrupt();
  });
  return name;
}

/// The importer has accepted the model, so an error of a pass is a defect, unless the pass says that it cannot do this
/// yet (kumiko/Lower) or that the network is too large (kumiko/Plan).
static Code codeFor(llvm::StringRef message) {
  if (message.contains("is not yet compiled"))
    return Code::UnsupportedForm;
  if (message.contains("do not fit one address space"))
    return Code::TooLarge;
  return Code::Internal;
}

DiagnosticsToProblems::DiagnosticsToProblems(mlir::MLIRContext &context, Stage stage, llvm::StringRef file,
                                             ProblemList &problems)
    : handler(&context, [stage, file = file.str(), &problems](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::success();
        std::string message = diagnostic.str();
        if (auto written = placeInSchedule(diagnostic.getLocation())) {
          Place place;
          place.file = (written->getFilename().getValue() + ":" + llvm::Twine(written->getLine()) + ":" +
                        llvm::Twine(written->getColumn()))
                           .str();
          Problem &problem = problems.add(Code::BadSchedule, message).at(std::move(place));
          for (mlir::Diagnostic &note : diagnostic.getNotes())
            problem.helped(note.str());
          return mlir::success();
        }
        Code code = codeFor(message);
        Place place;
        place.file = file;
        place.name = sourceNode(diagnostic.getLocation());
        problems.add(code, nameOf(stage) + ": " + message)
            .at(std::move(place))
            .helped(code == Code::Internal
                        ? "this is a defect of Kumiko; please report it together with the model"
                        : "replace the node by other ops of ONNX; kumiko inspect lists all such nodes");
        return mlir::success();
      }) {}

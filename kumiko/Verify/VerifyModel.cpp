#include "kumiko/Verify/VerifyModel.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Pipeline/Provenance.h"
#include "kumiko/Pipeline/Stopper.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Verify/BindSymbols.h"

using namespace kumiko;

namespace {
class Verification {
public:
  Verification(const ModelSource &model, const VerifyOptions &how, ProblemList &problems)
      : given(model), how(how), problems(problems), options(how.compile), tolerance(how.tolerance),
        steps(how.compile.watch) {}

  /// False when problems were added.
  bool run();
  /// True with a problem when the caller wants no answer any more.
  bool stopped() { return sayStopped(steps, problems); }
  VerifyReport report;

private:
  /// Compiles the model, or loads the library and finds the model it was made from.
  bool open();
  bool openLibrary();
  /// The module after `stage`; null with problems.
  std::unique_ptr<CompiledModel> compileUpTo(Stage stage);
  /// What the evaluator makes of the model and the inputs, without any pass of the compiler.
  bool computeReference();
  bool roundToOutputs(std::vector<Tensor> &results);
  /// The imported network against the reference, then each pass.
  bool comparePasses();
  bool compareCalls();

  const ModelSource &given;
  const VerifyOptions &how;
  ProblemList &problems;
  CompileOptions options;
  Tolerance tolerance;
  Steps steps;
  ModelSource source; ///< the model with the equations
  Precision precision = Precision::Double;
  /// Weights that the reference may look at live in it.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::unique_ptr<CompiledModel> compiled;
  std::unique_ptr<Executable> executable;
  std::vector<Tensor> inputs, reference;
};
} // namespace

std::unique_ptr<CompiledModel> Verification::compileUpTo(Stage stage) {
  CompileOptions part = options;
  part.stopAfter = stage;
  part.dumpFolder.clear();
  return compile(source, part, problems);
}

bool Verification::openLibrary() {
  executable = Executable::fromLibrary(given.path, problems);
  if (!executable)
    return false;
  llvm::StringRef provenance = executable->info().provenance;
  source = findSource(provenance, given.path, how.model, problems);
  return !source.path.empty() && readProvenance(provenance, options, problems);
}

bool Verification::open() {
  if (!given.bytes && isSharedLibrary(given.path))
    return openLibrary();
  if (!expectRunsHere(options, problems))
    return false;
  source = given;
  compiled = compile(source, options, problems);
  return compiled && (executable = Executable::fromCompiled(*compiled, problems));
}

/// The evaluator's results are f64; they are measured in the last places of the outputs' types like compiled ones.
bool Verification::roundToOutputs(std::vector<Tensor> &results) {
  for (auto [tensor, value] : llvm::zip_equal(results, executable->outputs())) {
    auto rounded = convert(tensor, value.type);
    if (!rounded) {
      problems.add(Code::TooLarge, toString(rounded.takeError())).helped("the result does not fit memory");
      return false;
    }
    tensor = std::move(*rounded);
  }
  return true;
}

bool Verification::computeReference() {
  steps.begin("evaluating");
  Stopper stopper(context, steps);
  llvm::StringMap<Datum> values;
  for (auto [value, tensor] : llvm::zip_equal(executable->inputs(), inputs))
    values[value.name] = Datum::of(SharedTensor::borrow(tensor));
  InterpretOptions interpret;
  interpret.precision = precision;
  interpret.allowSymlinks = options.import.allowSymlinks;
  interpret.userOps = options.import.userOps;
  auto outputs = source.interpret(context, values, interpret, problems);
  for (NamedDatum &output : outputs.value_or(std::vector<NamedDatum>())) {
    auto copy = output.datum.tensor.tensor.copy();
    if (!copy)
      problems.add(Code::TooLarge, "output '" + printable(output.name) + "': " + toString(copy.takeError()))
          .helped("the result does not fit memory");
    else
      reference.push_back(std::move(*copy));
  }
  return !problems.hasErrors();
}

bool Verification::comparePasses() {
  auto model = compileUpTo(Stage::Import);
  auto symbols = model ? symbolValues(*compiled, inputs, problems) : std::nullopt;
  if (!symbols)
    return false;
  Stopper stopper(model->session->context(), steps);
  mlir::OwningOpRef<mlir::ModuleOp> imported = model->module->clone();
  bindSymbols(*imported, *symbols);
  std::vector<Tensor> results = evaluateModule(*imported, inputs, precision, problems);
  if (problems.hasErrors() || !roundToOutputs(results))
    return false;
  report.comparisons.push_back(
      {nameOf(Stage::Import).str(), judge(executable->outputs(), results, reference, tolerance)});
  if (stopped())
    return false;
  steps.begin("each pass");
  PipelineOptions pipeline = pipelineOptionsOf(options);
  auto reports = checkPasses({*model->module, inputs, *symbols},
                             [&](mlir::OpPassManager &manager) { addGraphPasses(manager, pipeline); });
  if (reports)
    report.passes = std::move(*reports);
  else
    takeProblems(reports.takeError(), problems);
  return !problems.hasErrors();
}

bool Verification::compareCalls() {
  auto fused = compileUpTo(Stage::Fuse);
  if (!fused)
    return false;
  steps.begin("each call");
  Stopper stopper(fused->session->context(), steps);
  report.comparisons.push_back(
      {"calls", judgeCalls(*fused->module, *compiled, inputs, tolerance, precision, problems)});
  return !problems.hasErrors();
}

bool Verification::run() {
  if (!open())
    return false;
  // An exact build promises the bits of the declared types, others to be near the true value.
  if (options.allow == Allow::Exact) {
    precision = Precision::Declared;
    tolerance.ulp = tolerance.ulp.value_or(0);
  }
  inputs = readInputs(executable->inputs(), how.inputs, problems);
  if (problems.hasErrors() || !executable->prepare(inputs, how.threads, problems) || !executable->run(problems))
    return false;
  if (stopped() || !computeReference() || stopped())
    return false;
  if (how.eachPass && !comparePasses())
    return false;
  report.comparisons.push_back({"outputs", judge(executable->outputs(), executable->results(), reference, tolerance)});
  return !stopped() && (!how.eachOp || compareCalls());
}

std::optional<VerifyReport> kumiko::verifyModel(const ModelSource &model, const VerifyOptions &options,
                                                ProblemList &problems) {
  Verification verification(model, options, problems);
  bool isDone = verification.run();
  if (verification.stopped() || !isDone)
    return std::nullopt;
  return std::move(verification.report);
}

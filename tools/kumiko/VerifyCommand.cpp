#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Pipeline/Provenance.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Verify/BindSymbols.h"
#include "kumiko/Verify/EachPass.h"
#include "kumiko/Verify/Verify.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace kumiko;

namespace {
/// Everything that was compared, group by group: the outputs, the network as imported, each call.
struct Comparison {
  std::string what; ///< `outputs`, `import`, `calls`
  std::vector<Judgement> judgements;
  bool good() const {
    return llvm::all_of(judgements, [](const Judgement &judgement) { return judgement.good; });
  }
};

class Verification {
public:
  Verification(const Invocation &invocation, ProblemList &problems)
      : invocation(invocation), problems(problems), options(compileOptionsOf(invocation, problems)) {}

  /// False when problems were added.
  bool run();
  std::vector<Comparison> comparisons;
  std::vector<PassReport> passes;

private:
  bool readTolerance();
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

  const Invocation &invocation;
  ProblemList &problems;
  CompileOptions options;
  std::string source; ///< the model with the equations
  Tolerance tolerance;
  Precision precision = Precision::Double;
  /// Weights that the reference may look at live in it.
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::unique_ptr<CompiledModel> compiled;
  std::unique_ptr<Executable> executable;
  std::vector<Tensor> inputs, reference;
};
} // namespace

bool Verification::readTolerance() {
  if (!invocation.has(OPT_ulp))
    return true;
  double ulp = 0;
  if (invocation.value(OPT_ulp).getAsDouble(ulp) || !(ulp >= 0)) {
    problems.add(Code::BadOption, "--ulp wants a number, not '" + printable(invocation.value(OPT_ulp)) + "'")
        .helped("for example --ulp 4");
    return false;
  }
  tolerance.ulp = ulp;
  return true;
}

std::unique_ptr<CompiledModel> Verification::compileUpTo(Stage stage) {
  CompileOptions part = options;
  part.stopAfter = stage;
  part.dumpFolder.clear();
  return compile(source, part, problems);
}

bool Verification::openLibrary() {
  OptionNumber forModels[] = {OPT_dim, OPT_allow, OPT_without, OPT_target, OPT_dump_ir, OPT_each_op, OPT_each_pass};
  if (!refuseForLibrary(invocation, forModels, problems) ||
      !(executable = Executable::fromLibrary(invocation.model, problems)))
    return false;
  llvm::StringRef provenance = executable->info().provenance;
  source = findSource(provenance, invocation.model, invocation.value(OPT_model), problems);
  return !source.empty() && readProvenance(provenance, options, problems);
}

bool Verification::open() {
  if (isSharedLibrary(invocation.model))
    return openLibrary();
  if (invocation.has(OPT_model)) {
    problems.add(Code::BadOption, "--model is for a shared library; " + printable(invocation.model) + " is a model")
        .helped("leave it out");
    return false;
  }
  if (!expectRunsHere(options, problems))
    return false;
  source = invocation.model;
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
  llvm::StringMap<onnx::Datum> given;
  for (auto [value, tensor] : llvm::zip_equal(executable->inputs(), inputs))
    given[value.name] = onnx::Datum::of(SharedTensor::borrow(tensor));
  onnx::InterpretOptions how;
  how.precision = precision;
  how.allowSymlinks = options.import.allowSymlinks;
  how.userOps = options.import.userOps;
  auto outputs = onnx::interpretOnnx(source, context, given, how, problems);
  for (onnx::NamedDatum &output : outputs.value_or(std::vector<onnx::NamedDatum>())) {
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
  mlir::OwningOpRef<mlir::ModuleOp> imported = model->module->clone();
  bindSymbols(*imported, *symbols);
  std::vector<Tensor> results = evaluateModule(*imported, inputs, precision, problems);
  if (problems.hasErrors() || !roundToOutputs(results))
    return false;
  comparisons.push_back({nameOf(Stage::Import).str(), judge(executable->outputs(), results, reference, tolerance)});
  Steps progress(options.watch);
  progress.begin("each pass");
  PipelineOptions pipeline = pipelineOptionsOf(options, compiled->target);
  auto reports = checkPasses({*model->module, inputs, *symbols},
                             [&](mlir::OpPassManager &manager) { addGraphPasses(manager, pipeline); });
  if (reports)
    passes = std::move(*reports);
  else
    takeProblems(reports.takeError(), problems);
  return !problems.hasErrors();
}

bool Verification::compareCalls() {
  auto fused = compileUpTo(Stage::Fuse);
  if (!fused)
    return false;
  comparisons.push_back({"calls", judgeCalls(*fused->module, *compiled, inputs, tolerance, precision, problems)});
  return !problems.hasErrors();
}

bool Verification::run() {
  unsigned threads = invocation.threadCount(OPT_threads, problems);
  if (!readTolerance() || problems.hasErrors())
    return false;
  if (!open())
    return false;
  // An exact build promises the bits of the declared types, others to be near the true value.
  if (options.allow == Allow::Exact) {
    precision = Precision::Declared;
    tolerance.ulp = tolerance.ulp.value_or(0);
  }
  inputs = inputsOf(invocation, *executable, /*randomOtherwise=*/true, problems);
  if (problems.hasErrors() || !executable->prepare(inputs, threads, problems) || !executable->run(problems))
    return false;
  if (!computeReference())
    return false;
  if (invocation.has(OPT_each_pass) && !comparePasses())
    return false;
  comparisons.push_back({"outputs", judge(executable->outputs(), executable->results(), reference, tolerance)});
  return !invocation.has(OPT_each_op) || compareCalls();
}

static void printText(const PassReport &report) {
  llvm::outs() << (report.good() ? "ok      " : "DIFFERS ") << report.pass << " (" << report.kind << ")";
  if (!report.changed)
    llvm::outs() << ": nothing changed";
  else if (report.good())
    llvm::outs() << ": rules applied " << report.rules.size() << " times";
  else if (report.outlier)
    llvm::outs() << ": output " << printable(report.output)
                 << llvm::format(", element %lld is %.9g instead of %.9g", (long long)report.outlier->element,
                                 report.outlier->got, report.outlier->reference);
  else
    llvm::outs() << ": " << printable(report.error);
  if (!report.node.empty())
    llvm::outs() << "; the first node with another value is " << printable(report.node);
  llvm::outs() << "\n";
}

static void printText(llvm::ArrayRef<Comparison> comparisons) {
  for (const Comparison &comparison : comparisons) {
    bool calls = comparison.what == "calls";
    for (const Judgement &judgement : comparison.judgements) {
      const Distance &distance = judgement.distance;
      // Of the calls only the first that differs is worth a line.
      if (calls && judgement.good)
        continue;
      llvm::outs() << (judgement.good ? "ok      " : "DIFFERS ") << comparison.what << " " << printable(judgement.name)
                   << llvm::format(": %.3g ulp, %.3g of the largest", distance.ulp, distance.relativeToLargest);
      if (!judgement.good && distance.worst >= 0)
        llvm::outs() << llvm::format("; element %lld is %.9g, reference %.9g", (long long)distance.worst, distance.got,
                                     distance.reference);
      llvm::outs() << "\n";
    }
    if (calls && comparison.good())
      llvm::outs() << "ok      calls: all " << comparison.judgements.size() << " results agree with their equations\n";
  }
}

/// JSON has no infinity.
static llvm::json::Value number(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

static void printJson(llvm::json::OStream &json, const PassReport &report) {
  json.object([&] {
    json.attribute("pass", report.pass);
    json.attribute("class", report.kind);
    json.attribute("changed", report.changed);
    json.attribute("rules", int64_t(report.rules.size()));
    json.attribute("good", report.good());
    if (report.outlier) {
      json.attribute("output", llvm::json::fixUTF8(report.output));
      json.attribute("element", report.outlier->element);
      json.attribute("got", number(report.outlier->got));
      json.attribute("reference", number(report.outlier->reference));
      json.attribute("node", llvm::json::fixUTF8(report.node));
    }
    if (!report.error.empty())
      json.attribute("error", llvm::json::fixUTF8(report.error));
  });
}

static void printJson(llvm::ArrayRef<Comparison> comparisons, llvm::ArrayRef<PassReport> passes, bool good) {
  llvm::json::OStream json(llvm::outs(), /*IndentSize=*/1);
  json.objectBegin();
  json.attribute("good", good);
  if (!passes.empty())
    json.attributeArray("passes", [&] {
      for (const PassReport &report : passes)
        printJson(json, report);
    });
  for (const Comparison &comparison : comparisons)
    json.attributeArray(comparison.what, [&] {
      for (const Judgement &judgement : comparison.judgements)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(judgement.name));
          json.attribute("type", nameOf(judgement.type));
          json.attribute("good", judgement.good);
          json.attribute("ulp", number(judgement.distance.ulp));
          json.attribute("of_largest", number(judgement.distance.relativeToLargest));
          json.attribute("worst", judgement.distance.worst);
        });
    });
  json.objectEnd();
  llvm::outs() << "\n";
}

int kumiko::verifyCommand(const Invocation &invocation, ProblemList &problems) {
  Verification verification(invocation, problems);
  if (problems.hasErrors() || !verification.run())
    return 0;
  bool good = llvm::all_of(verification.comparisons, [](const Comparison &comparison) { return comparison.good(); }) &&
              llvm::all_of(verification.passes, [](const PassReport &report) { return report.good(); });
  if (invocation.has(OPT_json)) {
    printJson(verification.comparisons, verification.passes, good);
    return good ? 0 : 1;
  }
  for (const PassReport &report : verification.passes)
    printText(report);
  printText(verification.comparisons);
  return good ? 0 : 1;
}

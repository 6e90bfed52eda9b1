#include "kumiko/Verify/BisectModel.h"
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Symbols.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Pipeline/Stopper.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Support/Npy.h"
#include "kumiko/Target/TargetAttr.h"
#include "kumiko/Verify/Verify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

namespace {
class Search {
public:
  Search(const ModelSource &model, const BisectOptions &how, ProblemList &problems)
      : model(model), how(how), problems(problems), options(how.compile), steps(how.compile.watch) {}

  /// False when problems were added.
  bool run();
  BisectReport takeReport();

private:
  bool isText() const { return !model.bytes && llvm::StringRef(model.path).ends_with(".mlir"); }
  bool readText();
  bool importModel();
  bool readInputTensors();
  bool bisectCode();
  /// The call in the fused network whose code is wrong, as a network of its own.
  std::optional<TestCase> caseOf(mlir::ModuleOp fused, llvm::StringRef nodes);
  mlir::func::FuncOp main() { return module->lookupSymbol<mlir::func::FuncOp>("main"); }
  /// True with a problem when the caller wants no answer any more.
  bool stopped() { return sayStopped(steps, problems); }

  const ModelSource &model;
  const BisectOptions &how;
  ProblemList &problems;
  CompileOptions options;
  Steps steps;
  std::unique_ptr<CompiledModel> imported, compiled, fused;
  std::unique_ptr<Session> session; ///< of a text
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> inputs;
  std::optional<Culprit> culprit; ///< lives in one of the contexts above
};
} // namespace

BisectReport Search::takeReport() {
  BisectReport report;
  report.homes = {std::shared_ptr<void>(std::move(imported)), std::shared_ptr<void>(std::move(compiled)),
                  std::shared_ptr<void>(std::move(fused)), std::shared_ptr<void>(std::move(session))};
  report.culprit = std::move(culprit);
  return report;
}

bool Search::readText() {
  session = std::make_unique<Session>(/*jobs=*/1);
  {
    DiagnosticsToProblems diagnostics(session->context(), Stage::Import, model.path, problems);
    module = mlir::parseSourceFile<mlir::ModuleOp>(model.path, mlir::ParserConfig(&session->context()));
  }
  auto isStatic = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  bool usable = module && main() && main().getBody().hasOneBlock() && llvm::all_of(main().getArgumentTypes(), isStatic);
  if (!usable && !problems.hasErrors())
    problems.add(Code::BadType, printable(model.path) + " has no function @main of tensors whose sizes are numbers")
        .helped("give a file that kumiko bisect wrote, or a model");
  return usable && !problems.hasErrors();
}

bool Search::importModel() {
  CompileOptions part = options;
  part.stopAfter = Stage::Import;
  imported = compile(model, part, problems);
  if (imported)
    module = imported->module->clone();
  return bool(imported);
}

bool Search::readInputTensors() {
  std::vector<ProgramValue> values;
  for (auto [number, type] : llvm::enumerate(main().getArgumentTypes())) {
    auto name = main().getArgAttrOfType<mlir::StringAttr>(number, "nn.name");
    ProgramValue value;
    value.name = name ? name.str() : "arg" + std::to_string(number);
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    value.type = nn::toEquation(tensor.getElementType());
    for (const Extent &extent : nn::extentsOf(tensor))
      value.shape.push_back(extent.isStatic() ? extent.value() : -1);
    if (!value.isStatic())
      llvm::append_range(value.extents, nn::extentsOf(tensor));
    values.push_back(std::move(value));
  }
  inputs = readInputs(values, how.inputs, problems);
  return !problems.hasErrors();
}

std::optional<TestCase> Search::caseOf(mlir::ModuleOp fused, llvm::StringRef nodes) {
  auto isIt = [&](nn::CallOp call) { return sourceNodes(call.getLoc()) == nodes; };
  auto calls = fused.lookupSymbol<mlir::func::FuncOp>("main").getBody().front().getOps<nn::CallOp>();
  auto found = llvm::find_if(calls, isIt);
  if (found == calls.end())
    return std::nullopt;
  nn::CallOp call = *found;
  TestCase test;
  GraphOptions how;
  how.afterOp = [&](mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands, auto) -> llvm::Error {
    for (const Tensor *operand : op == call ? operands : llvm::ArrayRef<const Tensor *>()) {
      auto copy = operand->copy();
      if (!copy)
        return copy.takeError();
      test.inputs.push_back(std::move(*copy));
    }
    return llvm::Error::success();
  };
  auto arguments = llvm::map_to_vector(inputs, [](const Tensor &tensor) { return &tensor; });
  auto results = evaluateGraph(fused.lookupSymbol<mlir::func::FuncOp>("main"), arguments, how);
  if (!results) {
    takeProblems(results.takeError(), problems);
    return std::nullopt;
  }
  auto kernel = fused.lookupSymbol<nn::KernelOp>(call.getCallee());
  mlir::OpBuilder builder(fused.getContext());
  test.module = mlir::ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(test.module->getBody());
  auto function = mlir::func::FuncOp::create(builder, call.getLoc(), "main", kernel.getFunctionType());
  mlir::IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  mlir::Operation *yield = function.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  mlir::func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  return test;
}

/// No pass is guilty: kernel by kernel.
bool Search::bisectCode() {
  // Hundreds of small networks are nothing to hear about.
  CompileOptions quiet = options;
  quiet.watch.progress = nullptr;
  if (isText()) {
    TestCase whole;
    whole.module = std::move(module);
    whole.inputs = std::move(inputs);
    culprit = bisectKernel(std::move(whole), "", quiet);
    return true;
  }
  steps.begin("compiling");
  if (!compiled)
    compiled = compile(model, options, problems);
  CompileOptions part = options;
  part.stopAfter = Stage::Fuse;
  fused = compiled ? compile(model, part, problems) : nullptr;
  if (!fused)
    return false;
  steps.begin("comparing kernel by kernel");
  auto judgements = judgeCalls(*fused->module, *compiled, inputs, Tolerance(), Precision::Double, problems);
  if (problems.hasErrors() || judgements.empty() || judgements.back().good)
    return !problems.hasErrors();
  auto test = caseOf(*fused->module, judgements.back().name);
  steps.begin("making the network smaller");
  if (test)
    culprit = bisectKernel(std::move(*test), judgements.back().name, quiet);
  if (!culprit) {
    // A difference that only the whole program shows.
    culprit.emplace();
    culprit->rule.node = judgements.back().name;
    culprit->what = "the code differs in the whole program, but not alone";
  }
  return !problems.hasErrors();
}

bool Search::run() {
  if (!expectRunsHere(options, problems) || !(isText() ? readText() : importModel()) || !readInputTensors())
    return false;
  PassQuestion question{*module, inputs, {}};
  if (!nn::symbolsOf(main()).empty()) {
    // Sizes are what the program finds them to be.
    compiled = compile(model, options, problems);
    auto symbols = compiled ? symbolValues(*compiled, inputs, problems) : std::nullopt;
    if (!symbols)
      return false;
    question.symbols = std::move(*symbols);
  }
  auto target = targetNamed(options.target);
  if (!target) {
    takeProblems(target.takeError(), problems);
    return false;
  }
  setTarget(*module, *target);
  PipelineOptions pipeline = pipelineOptionsOf(options);
  std::string task;
  auto found = bisectPasses(
      question, [&](mlir::OpPassManager &passes) { addGraphPasses(passes, pipeline); },
      [&](llvm::StringRef doing) { steps.begin(task = doing.str()); });
  if (!found) {
    takeProblems(found.takeError(), problems);
    return false;
  }
  culprit = std::move(*found);
  return !stopped() && (culprit || bisectCode()) && !stopped();
}

bool kumiko::writeCase(BisectReport &report, const CompileOptions &options, llvm::StringRef folder,
                       ProblemList &problems) {
  std::optional<Culprit> &culprit = report.culprit;
  if (!culprit || !culprit->smallest.module.get())
    return true;
  if (std::error_code code = llvm::sys::fs::create_directories(folder)) {
    problems.add(Code::CannotWrite, "cannot create " + printable(folder) + ": " + code.message())
        .helped("give another folder with -o");
    return false;
  }
  auto in = [&](llvm::StringRef file) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    return path.str().str();
  };
  std::vector<std::string> names;
  std::vector<std::pair<llvm::StringRef, const Tensor *>> arrays;
  for (size_t number = 0; number < culprit->smallest.inputs.size(); ++number)
    names.push_back("arg" + std::to_string(number));
  for (auto [name, input] : llvm::zip_equal(names, culprit->smallest.inputs))
    arrays.emplace_back(name, &input);
  // Names of the model would hide which argument is which.
  auto function = culprit->smallest.module->lookupSymbol<mlir::func::FuncOp>("main");
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  std::string command =
      "kumiko bisect " + in("case.mlir") + " --inputs " + in("inputs.npz") + " --allow=" + nameOf(options.allow).str();
  for (const std::string &part : options.without)
    command += " --without=" + part;
  if (options.target != "host")
    command += " --target=" + options.target;
  llvm::Error error = writeFileWhole(in("case.mlir"), [&](llvm::raw_ostream &os) {
    os << "// " << command << "\n";
    culprit->smallest.module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  });
  if (!error)
    error = writeNpzFile(in("inputs.npz"), arrays);
  if (!error) {
    report.command = command;
    return true;
  }
  takeProblems(std::move(error), problems);
  return false;
}

void BisectReport::printJson(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("good", !culprit);
    if (!culprit)
      return;
    json.attribute("pass", culprit->pass);
    json.attribute("rule", culprit->rule.rule);
    json.attribute("class", culprit->rule.kind);
    json.attribute("node", llvm::json::fixUTF8(culprit->rule.node));
    json.attribute("what", llvm::json::fixUTF8(culprit->what));
    json.attribute("command", llvm::json::fixUTF8(command));
  });
  os << "\n";
}

std::optional<BisectReport> kumiko::bisectModel(const ModelSource &model, const BisectOptions &options,
                                                ProblemList &problems) {
  Search search(model, options, problems);
  if (!search.run())
    return std::nullopt;
  return search.takeReport();
}

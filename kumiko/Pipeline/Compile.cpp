#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Emit/Artefact.h"
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Provenance.h"
#include "kumiko/Pipeline/Stopper.h"
#include "kumiko/Pipeline/Units.h"
#include "kumiko/Plan/Plan.h"
#include "kumiko/Schedule/ScheduleFile.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Target/TargetAttr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

void kumiko::printModule(mlir::ModuleOp module, llvm::raw_ostream &os) {
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16);
  flags.elideLargeResourceString(16);
  module->print(os, flags);
  os << "\n";
}

namespace {
/// What the file of schedules says wrongly, whatever the model is: told before anything is compiled.
bool checkSchedules(const WrittenSchedules &schedules, ProblemList &problems) {
  if (schedules.text.empty())
    return true;
  ScheduleFile file = parseSchedules(schedules.name, schedules.text);
  for (const ScheduleMistake &mistake : file.mistakes) {
    Place place;
    place.file = schedules.name + ":" + std::to_string(mistake.place.line) + ":" + std::to_string(mistake.place.column);
    problems.add(Code::BadSchedule, mistake.message).at(std::move(place)).helped(mistake.help);
  }
  return file.mistakes.empty();
}

/// One compilation; each stage is a function that says whether to go on.
class Compilation {
public:
  Compilation(const ModelSource &source, const CompileOptions &options, ProblemList &problems)
      : source(source), options(options), problems(problems), steps(options.watch),
        model(std::make_unique<CompiledModel>()) {
    model->source = source.bytes;
    model->session = std::make_unique<Session>(options.jobs);
  }
  /// Of a module that is there already.
  Compilation(std::unique_ptr<Session> session, mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options,
              ProblemList &problems)
      : options(options), problems(problems), steps(options.watch), model(std::make_unique<CompiledModel>()) {
    model->session = std::move(session);
    model->module = std::move(module);
  }

  std::unique_ptr<CompiledModel> run();

private:
  bool checkBackend();
  bool runStage(Stage stage);
  bool importModel();
  bool runPasses(Stage stage);
  bool plan();
  bool compileKernels();
  void describeCache();
  void collectKernels();
  bool dump(Stage stage);

  ModelSource source; ///< without a path where there is none
  const CompileOptions &options;
  ProblemList &problems;
  Steps steps;
  std::unique_ptr<CompiledModel> model;
  /// The element types of @main's arguments and results as the file has them: lowering makes integers signless.
  std::vector<ElementType> inputTypes, outputTypes;
  /// From Codegen on.
  std::vector<KernelUnit> units;
};
} // namespace

bool Compilation::importModel() {
  if (!model->module) {
    auto module = source.import(model->session->context(), options.import, problems, model->summary);
    if (mlir::failed(module))
      return false;
    model->module = std::move(*module);
    model->explanation.nodes = model->summary.nodes;
  }
  setTarget(*model->module, model->target);
  auto main = model->module->lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Type type : main.getArgumentTypes())
    inputTypes.push_back(nn::toEquation(mlir::getElementTypeOrSelf(type)));
  for (mlir::Type type : main.getResultTypes())
    outputTypes.push_back(nn::toEquation(mlir::getElementTypeOrSelf(type)));
  return runPasses(Stage::Import);
}

PipelineOptions kumiko::pipelineOptionsOf(const CompileOptions &options) {
  PipelineOptions pipeline;
  pipeline.allow = options.allow;
  pipeline.without = options.without;
  pipeline.schedules = options.schedules;
  pipeline.watched = options.watchThreads;
  if (const Backend *asked = backendNamed(options.backend))
    pipeline.backend = asked;
  return pipeline;
}

bool Compilation::runPasses(Stage stage) {
  mlir::PassManager passes(&model->session->context());
  addStage(passes, stage, pipelineOptionsOf(options));
  if (mlir::failed(passes.run(*model->module)))
    return false;
  if (stage == Stage::Fuse)
    model->explanation.describeKernels(*model->module);
  if (stage == Stage::Schedule)
    model->explanation.describeParts(*model->module);
  return true;
}

bool Compilation::plan() {
  std::string name = options.name.empty() ? identifierFrom(llvm::sys::path::stem(source.fileName())) : options.name;
  auto program = planProgram(*model->module, name);
  if (mlir::failed(program))
    return false;
  model->program = std::move(*program);
  for (auto [value, type] : llvm::zip_equal(model->program.inputs, inputTypes))
    value.type = type;
  for (auto [value, type] : llvm::zip_equal(model->program.outputs, outputTypes))
    value.type = type;
  if (!source.path.empty()) {
    auto provenance = provenanceOf(source, options, model->target);
    if (!provenance) {
      takeProblems(provenance.takeError(), problems);
      return false;
    }
    model->program.provenance = std::move(*provenance);
  }
  annotate(*model->module, model->program);
  return runPasses(Stage::Plan);
}

/// Codegen and the making of objects, which follow each other kernel by kernel unless somebody wants to see what stands
/// between them.
bool Compilation::compileKernels() {
  StageTimer timer(model->timing, Stage::Codegen);
  PipelineOptions pipeline = pipelineOptionsOf(options);
  units = takeUnits(*model->module);
  if (options.stopAfter == Stage::Codegen || !options.dumpFolder.empty()) {
    if (mlir::failed(lowerUnits(units, pipeline)))
      return false;
    for (KernelUnit &unit : units)
      for (mlir::ModuleOp kernel : unit.module->getOps<mlir::ModuleOp>())
        model->module->push_back(kernel.clone());
    if (options.stopAfter == Stage::Codegen)
      return true;
  }
  steps.begin("codegen", units.size());
  llvm::Error errors = llvm::Error::success();
  auto step = [&] { steps.step(); };
  auto stopped = [&] { return steps.stopped(); };
  UnitCompiler compiler{pipeline, model->target, options.cache.get(), step, stopped};
  mlir::LogicalResult compiled = compileUnits(units, compiler, errors);
  takeProblems(std::move(errors), problems);
  if (mlir::failed(compiled))
    return false;
  // Both halves ran at the same time: each gets its share of it.
  double codegen = 0, objects = 0;
  for (const KernelUnit &unit : units) {
    codegen += unit.codegenSeconds;
    objects += unit.objectSeconds;
  }
  double share = objects > 0 ? timer.seconds() * objects / (codegen + objects) : 0;
  describeCache();
  model->timing.add(Stage::Codegen, -share);
  model->timing.add(Stage::Emit, share);
  return true;
}

void Compilation::describeCache() {
  if (!options.cache)
    return;
  size_t cached = llvm::count_if(units, [](const KernelUnit &unit) { return unit.isCached; });
  model->timing.cache = options.cache->isUsable()
                            ? std::to_string(cached) + " of " + std::to_string(units.size()) +
                                  " kernels were in the cache " + printable(options.cache->place().folder)
                            : "no cache of kernels: " + options.cache->place().why;
}

void Compilation::collectKernels() {
  for (KernelUnit &unit : units) {
    if (unit.object.bytes.empty())
      continue; // all that it would write is there already
    Timing::KernelTime time{unit.name, "", 0, unit.codegenSeconds + unit.objectSeconds};
    for (const ProgramCall &call : model->program.calls)
      if (call.kernel == unit.name && time.calls++ == 0)
        time.nodes = call.nodes;
    model->timing.kernels.push_back(std::move(time));
    model->kernels.push_back(std::move(unit.object));
  }
  units.clear();
}

bool Compilation::runStage(Stage stage) {
  steps.begin(nameOf(stage));
  DiagnosticsToProblems diagnostics(model->session->context(), stage, source.path, problems);
  if (stage == Stage::Codegen)
    return compileKernels();
  StageTimer timer(model->timing, stage);
  switch (stage) {
  case Stage::Import:
    return importModel();
  case Stage::Optimize:
  case Stage::Fuse:
  case Stage::Lower:
  case Stage::Schedule:
    return runPasses(stage);
  case Stage::Plan:
    return plan();
  case Stage::Codegen:
    break;
  case Stage::Emit:
    collectKernels();
    return true;
  }
  llvm_unreachable("a stage that is not run");
}

bool Compilation::dump(Stage stage) {
  if (options.dumpFolder.empty())
    return true;
  llvm::SmallString<128> file(options.dumpFolder);
  if (std::error_code code = llvm::sys::fs::create_directories(file)) {
    problems.add(Code::CannotWrite, "cannot create " + printable(file) + ": " + code.message())
        .helped("give another folder with --dump-ir");
    return false;
  }
  llvm::sys::path::append(file, std::to_string(unsigned(stage) + 1) + "-" + nameOf(stage) + ".mlir");
  llvm::Error error = writeFile(file, [&](llvm::raw_ostream &os) { printModule(*model->module, os); });
  if (!error)
    return true;
  takeProblems(std::move(error), problems);
  return false;
}

bool Compilation::checkBackend() {
  if (!options.backend.empty() && !backendNamed(options.backend))
    problems.add(Code::BadOption, "there is no back end '" + printable(options.backend) + "'")
        .helped("back ends are " + backendNames());
  else if (Decision takes = pipelineOptionsOf(options).backend->takes(model->target); !takes)
    problems.add(Code::BadOption, "the back end has no code for " + options.target + ": " + takes.why())
        .helped("--backend=plain makes code for any machine that LLVM knows");
  return !problems.hasErrors();
}

std::unique_ptr<CompiledModel> Compilation::run() {
  auto target = targetNamed(options.target);
  if (!target) {
    takeProblems(target.takeError(), problems);
    return nullptr;
  }
  if (!checkSchedules(options.schedules, problems))
    return nullptr;
  model->target = std::move(*target);
  // Vectors of more than 16 bytes are loaded and stored under masks, too, which are not seen.
  if (options.watchThreads && model->target.vectorBits > 128) {
    problems.add(Code::BadOption, "ThreadSanitizer does not see all code for " + model->target.spelled)
        .helped("use --target=x86-64-v2");
    return nullptr;
  }
  if (!checkBackend())
    return nullptr;
  Stopper stopper(model->session->context(), steps);
  RemarkCollector remarks(model->session->context(), model->explanation);
  for (Stage stage : allStages()) {
    if (stage > options.stopAfter)
      break;
    bool good = !steps.stopped() && runStage(stage);
    if (sayStopped(steps, problems))
      return nullptr;
    if (good && dump(stage))
      continue;
    if (!problems.hasErrors())
      problems.add(Code::Internal, nameOf(stage) + " failed without saying why")
          .helped("this is a defect of Kumiko; please report it together with the model");
    return nullptr;
  }
  return std::move(model);
}

std::unique_ptr<CompiledModel> kumiko::compile(const ModelSource &source, const CompileOptions &options,
                                               ProblemList &problems) {
  return Compilation(source, options, problems).run();
}

std::unique_ptr<CompiledModel> kumiko::compileModule(std::unique_ptr<Session> session,
                                                     mlir::OwningOpRef<mlir::ModuleOp> module,
                                                     const CompileOptions &options, ProblemList &problems) {
  return Compilation(std::move(session), std::move(module), options, problems).run();
}

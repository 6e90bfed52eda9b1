#include "kumiko/Pipeline/Pipeline.h"
#include "kumiko/Codegen/Common/Math/Passes.h"
#include "kumiko/Fuse/Passes.h"
#include "kumiko/Kernel/Passes.h"
#include "kumiko/Lower/Passes.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Numerics/Passes.h"
#include "kumiko/Optimize/Passes.h"
#include "kumiko/Optimize/Rules.h"
#include "kumiko/Pipeline/Passes.h"
#include "kumiko/Schedule/Passes.h"
#include "kumiko/Target/Passes.h"
#include "kumiko/Target/TargetAttr.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <mutex>

using namespace mlir;
using namespace kumiko;

constexpr llvm::StringLiteral fusionName = "fusion", tablesName = "tables";

std::vector<std::string> kumiko::removableParts() {
  std::vector<std::string> parts{fusionName.str(), tablesName.str()};
  for (const optimize::Rule &rule : optimize::allRules())
    for (llvm::StringRef name : {llvm::StringRef(rule.def.pass), llvm::StringRef(rule.def.name)})
      if (!name.empty() && !llvm::is_contained(parts, name) && (name == rule.def.pass || rule.def.pass.empty()))
        parts.push_back(name.str());
  return parts;
}

static void addOptimizeStage(OpPassManager &passes, const PipelineOptions &options) {
  OpPassManager &functions = passes.nest<func::FuncOp>();
  eq::RuleClass most = *eq::ruleClassNamed(nameOf(options.allow));
  // The account of rules says what a pass may change; one that changes more than is allowed is left out.
  auto add = [&](std::unique_ptr<Pass> pass) {
    if (optimize::isPassAllowed(pass->getArgument(), most) && !llvm::is_contained(options.without, pass->getArgument()))
      functions.addPass(std::move(pass));
  };
  SimplifyPassOptions simplify;
  simplify.allow = nameOf(options.allow).str();
  simplify.without.assign(options.without.begin(), options.without.end());
  // Shape arithmetic of the exporter goes first: everything behind it then sees constants.
  add(createSimplifyPass(simplify));
  // Weights are still what the file has: folding would make floats of them.
  add(createQuantizedProductsPass());
  add(createFoldConstantsPass());
  // Once weights are constants, and while what leaves a loop can still be folded.
  add(createSimplifyLoopsPass());
  // Before anything asks what is a product; weights that it reorders are folded at once.
  add(createNormalizeProductsPass());
  add(createFoldConstantsPass());
  add(createSimplifyPass(simplify));
  add(createIntegerProductsPass());
  // What is known has been computed by now: a transform of constants needs no table.
  add(createExpandTransformsPass());
  // While weights still have the layout of the file, in which the pattern is written.
  add(createFoldBatchNormPass());
  // Behind the weights' last change, before the layout of convolutions is chosen.
  add(createExpandConvTransposePass());
  add(createAssignLayoutPass());
  // Where channels are not last, few features do no harm.
  add(createSpreadTapsPass());
  // What is not constant by now stays open.
  add(createOpenWeightsPass());
  // Behind the layout, so that padding stands where the channels end up.
  add(createExpandPaddingPass());
  // The layout leaves transposes of weights to be computed and pairs of others to be cancelled.
  add(createFoldConstantsPass());
  simplify.keepPadding = true;
  add(createSimplifyPass(simplify));
  // When padding stands apart and views that meet are one.
  add(createSinkShufflesPass());
  // Last, when whoever reads a product is what the next stage will see.
  add(createCombineProductsPass());
  add(createShareBordersPass());
}

static void addFuseStage(OpPassManager &passes, const PipelineOptions &options) {
  // As late as ops are still those of the graph: what Optimize could compute is gone.
  passes.addPass(createRefuseUncompiledPass());
  FormKernelsPassOptions form;
  form.fuse = !llvm::is_contained(options.without, fusionName);
  passes.addPass(createFormKernelsPass(form));
}

static void addLowerStage(OpPassManager &passes, const PipelineOptions &options) {
  // Functions of the runtime are told whether integers have a sign, and sizes that data decide have names until then.
  passes.addPass(createFormRoutinesPass());
  NnToLinalgPassOptions lower;
  lower.exact = options.allow == Allow::Exact;
  lower.tables = !llvm::is_contained(options.without, tablesName);
  passes.addPass(createNnToLinalgPass(lower));
}

static void addScheduleStage(OpPassManager &passes, const PipelineOptions &options) {
  // Everything behind it looks at loops.
  passes.addPass(createDropUnitsPass());
  // What is wide stays wide where a kernel is cut.
  if (options.allow >= Allow::Rounding) {
    passes.addPass(createWidenKernelsPass());
    // Parts of sums are as wide as the sums.
    passes.addPass(createPartReductionsPass());
  }
  options.backend->addSchedulePasses(passes, options);
}

using Extension = std::pair<Stage, std::function<void(OpPassManager &)>>;
static std::vector<Extension> &extensions() {
  static std::vector<Extension> list;
  return list;
}
static std::mutex &extensionsLock() {
  static std::mutex lock;
  return lock;
}

void kumiko::extendStage(Stage stage, std::function<void(OpPassManager &)> addPasses) {
  std::lock_guard<std::mutex> lock(extensionsLock());
  extensions().emplace_back(stage, std::move(addPasses));
}

void kumiko::addStage(OpPassManager &passes, Stage stage, const PipelineOptions &options) {
  switch (stage) {
  case Stage::Optimize:
    addOptimizeStage(passes, options);
    break;
  case Stage::Fuse:
    addFuseStage(passes, options);
    break;
  case Stage::Lower:
    addLowerStage(passes, options);
    break;
  case Stage::Schedule:
    addScheduleStage(passes, options);
    break;
  case Stage::Codegen:
    options.backend->addCodegenPasses(passes, options);
    break;
  case Stage::Import:
  case Stage::Plan:
  case Stage::Emit:
    break; // functions, see Compile.cpp; their form is checked all the same
  }
  std::lock_guard<std::mutex> lock(extensionsLock());
  for (const auto &[extended, addPasses] : extensions())
    if (extended == stage)
      addPasses(passes);
  CheckFormPassOptions form;
  form.stage = nameOf(stage).str();
  passes.addPass(createCheckFormPass(form));
}

/// The stages that are passes. Plan stands between Schedule and Codegen and only reads the module.
static constexpr Stage passStages[] = {Stage::Optimize, Stage::Fuse, Stage::Lower, Stage::Schedule, Stage::Codegen};

void kumiko::buildPipeline(OpPassManager &passes, const PipelineOptions &options) {
  for (Stage stage : passStages)
    if (stage <= options.stopAfter)
      addStage(passes, stage, options);
}

void kumiko::registerDialects(DialectRegistry &registry) {
  registry.insert<nn::NnDialect, affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, func::FuncDialect, KumikoDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, ub::UBDialect,
                  vector::VectorDialect>();
  registerTranslations(registry);
}

void kumiko::registerAllPasses() {
  registerKumikoOptimizePasses();
  registerKumikoFusePasses();
  registerKumikoLowerPasses();
  registerKumikoKernelPasses();
  registerKumikoNumericsPasses();
  registerKumikoSchedulePasses();
  registerKumikoVectorMathPasses();
  for (const Backend *backend : allBackends())
    backend->registerPasses();
  registerKumikoPipelinePasses();
  registerKumikoTargetPasses();
  for (Stage stage : passStages)
    mlir::registerPassPipeline(
        ("stage-" + nameOf(stage)).str(), ("The passes of the stage " + nameOf(stage)).str(),
        [stage](OpPassManager &passes, StringRef text, function_ref<LogicalResult(const Twine &)> complain) {
          if (!text.empty())
            return complain("a stage takes no options");
          addStage(passes, stage, PipelineOptions());
          return success();
        },
        [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}

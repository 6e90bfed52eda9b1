#include "kumiko/Emit/Artefact.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace kumiko;
namespace path = llvm::sys::path;

static void checkOutput(const Invocation &invocation, const CompileOptions &options, ProblemList &problems) {
  llvm::StringRef output = invocation.value(OPT_output), extension = path::extension(output);
  if (output.empty()) {
    // What is printed needs no file.
    if (options.stopAfter == Stage::Emit && !invocation.has(OPT_explain) && !invocation.has(OPT_explain_eq))
      problems.add(Code::BadOption, "no output given").helped("kumiko compile MODEL -o OUT.o, or -o OUT.so");
  } else if (extension != ".o" && extension != ".so") {
    problems.add(Code::BadOption, "'" + printable(output) + "' is neither .o nor .so")
        .helped("an object file ends in .o, a shared library in .so");
  }
}

static llvm::Error writeArtefact(const Invocation &invocation, const CompiledModel &model) {
  ArtefactOptions options;
  options.output = invocation.value(OPT_output).str();
  options.watched = invocation.has(OPT_sanitize);
  if (invocation.has(OPT_weights))
    options.weights = invocation.value(OPT_weights) == "file" ? WeightsPlace::File : WeightsPlace::Embed;
  auto write = path::extension(options.output) == ".o" ? writeObjectFile : writeSharedLibrary;
  return write(model.program, model.kernels, model.target, options);
}

static void printSummary(llvm::StringRef output, const CompiledModel &model) {
  llvm::errs() << output << ": " << model.program.kernelCalls() << " calls of " << model.kernels.size()
               << " kernels, arena "
               << llvm::format("%.2f MiB, weights %.2f MiB, %.2f s\n", double(model.program.arenaBytes) / (1 << 20),
                               double(model.program.weightsBytes) / (1 << 20), model.timing.total());
}

int kumiko::compileCommand(const Invocation &invocation, ProblemList &problems) {
  CompileOptions options = compileOptionsOf(invocation, problems);
  llvm::StringRef output = invocation.value(OPT_output);
  if (invocation.has(OPT_stop_after)) {
    if (auto stage = stageNamed(invocation.value(OPT_stop_after)))
      options.stopAfter = *stage;
    else
      problems.add(Code::BadOption, "no stage is called '" + printable(invocation.value(OPT_stop_after)) + "'")
          .helped("stages are " + stageNames());
  }
  checkOutput(invocation, options, problems);
  if (problems.hasErrors())
    return 0;
  options.name = identifierFrom(path::stem(output.empty() ? llvm::StringRef(invocation.model) : output));
  auto model = compile(invocation.model, options, problems);
  if (!model)
    return 0;
  if (invocation.has(OPT_stop_after))
    printModule(*model->module, llvm::outs());
  if (options.stopAfter == Stage::Emit && !output.empty()) {
    StageTimer timer(model->timing, Stage::Emit);
    if (llvm::Error error = writeArtefact(invocation, *model)) {
      takeProblems(std::move(error), problems);
      return 0;
    }
  }
  if (options.stopAfter == Stage::Emit && !output.empty())
    printSummary(output, *model);
  if (invocation.value(OPT_explain_eq) == "json")
    model->explanation.printJson(model->program, llvm::outs());
  else if (invocation.has(OPT_explain) || invocation.has(OPT_explain_eq))
    model->explanation.printText(model->program, llvm::outs());
  if (invocation.has(OPT_timing))
    model->timing.print(llvm::errs());
  return 0;
}

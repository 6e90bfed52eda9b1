#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko/Commands.h"
#include "tools/kumiko/ProgressLine.h"
#include <chrono>

using namespace kumiko;

CompileOptions kumiko::compileOptionsOf(const Invocation &invocation, ProblemList &problems) {
  CompileOptions options = readCompileOptions(invocation.arguments, problems);
  options.watch = watchOnTerminal();
  return options;
}

bool kumiko::refuseForLibrary(const Invocation &invocation, llvm::ArrayRef<OptionNumber> options,
                              ProblemList &problems) {
  for (OptionNumber option : options)
    if (invocation.has(option))
      problems
          .add(Code::BadOption, optionTable().getOptionPrefixedName(option) +
                                    " says how to compile, and a shared library is compiled already")
          .helped("give the model itself");
  return !problems.hasErrors();
}

std::optional<OpenModel> kumiko::openModel(const Invocation &invocation, ProblemList &problems) {
  OpenModel open;
  if (isSharedLibrary(invocation.model)) {
    if (!refuseForLibrary(invocation,
                          {OPT_dim, OPT_allow, OPT_without, OPT_schedule, OPT_target, OPT_backend, OPT_dump_ir,
                           OPT_timing, OPT_no_cache, OPT_jobs},
                          problems))
      return std::nullopt;
    open.executable = Executable::fromLibrary(invocation.model, problems);
  } else {
    CompileOptions options = compileOptionsOf(invocation, problems);
    // How long compiling takes is measured, too, unless somebody asks for what it takes the second time.
    if (const char *asked = getenv("KUMIKO_CACHE");
        invocation.command == "bench" && (!asked || asked != llvm::StringRef("1")))
      options.cache.reset();
    if (!expectRunsHere(options, problems))
      return std::nullopt;
    auto start = std::chrono::steady_clock::now();
    open.compiled = compile(invocation.model, options, problems);
    if (!open.compiled)
      return std::nullopt;
    open.executable = Executable::fromCompiled(*open.compiled, problems);
    open.compileSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (invocation.has(OPT_timing))
      open.compiled->timing.print(llvm::errs());
  }
  if (!open.executable)
    return std::nullopt;
  return open;
}

std::vector<Tensor> kumiko::inputsOf(const Invocation &invocation, const Executable &executable, bool randomOtherwise,
                                     ProblemList &problems) {
  return readInputs(executable.inputs(), readInputSources(invocation.arguments, randomOtherwise), problems);
}

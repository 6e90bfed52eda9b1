#include "kumiko/Import/Onnx/UserOps.h"
#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko/Commands.h"
#include "tools/kumiko/OptionTable.h"
#include <chrono>

using namespace kumiko;

CompileOptions kumiko::compileOptionsOf(const Invocation &invocation, ProblemList &problems) {
  CompileOptions options;
  for (const std::string &dim : invocation.arguments.getAllArgValues(OPT_dim))
    onnx::parseDim(dim, options.import, problems);
  options.import.symbols = true;
  for (const std::string &path : invocation.arguments.getAllArgValues(OPT_ops))
    onnx::readUserOps(path, options.import, problems);
  options.import.allowSymlinks = invocation.has(OPT_allow_symlinks);
  // The table has checked the value.
  options.allow = *allowNamed(invocation.value(OPT_allow, nameOf(options.allow)));
  options.without = invocation.arguments.getAllArgValues(OPT_without);
  std::vector<std::string> parts = removableParts();
  for (const std::string &part : options.without)
    if (!llvm::is_contained(parts, part))
      problems.add(Code::BadOption, "there is no rule or pass '" + printable(part) + "' to leave out")
          .helped("rules and passes are listed in docs/reference/optimisations.md; `fusion` stands for all of it, "
                  "`tables` for what is computed from attributes when compiling");
  options.target = invocation.value(OPT_target, "host").str();
  if (invocation.has(OPT_sanitize))
    options.target += "+tsan";
  options.dumpFolder = invocation.value(OPT_dump_ir).str();
  options.jobs = invocation.threadCount(OPT_jobs, problems);
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

bool kumiko::expectRunsHere(const CompileOptions &options, ProblemList &problems) {
  auto target = targetNamed(options.target);
  if (!target)
    takeProblems(target.takeError(), problems);
  else if (!target->runsHere())
    problems.add(Code::BadOption, "this machine cannot run code for " + options.target).helped("leave out --target");
  return !problems.hasErrors();
}

std::optional<OpenModel> kumiko::openModel(const Invocation &invocation, ProblemList &problems) {
  OpenModel open;
  if (isSharedLibrary(invocation.model)) {
    if (!refuseForLibrary(invocation, {OPT_dim, OPT_allow, OPT_without, OPT_target, OPT_dump_ir, OPT_timing, OPT_jobs},
                          problems))
      return std::nullopt;
    open.executable = Executable::fromLibrary(invocation.model, problems);
  } else {
    CompileOptions options = compileOptionsOf(invocation, problems);
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
  InputSources sources;
  sources.archive = invocation.value(OPT_inputs).str();
  sources.single = invocation.arguments.getAllArgValues(OPT_input);
  sources.randomOtherwise = randomOtherwise;
  return readInputs(executable.inputs(), sources, problems);
}

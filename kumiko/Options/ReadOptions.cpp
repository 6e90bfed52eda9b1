#include "kumiko/Options/ReadOptions.h"
#include "kumiko/Import/Import.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kumiko;

/// What the file says is looked at by the compiler.
static void readSchedules(llvm::StringRef path, CompileOptions &options, ProblemList &problems) {
  constexpr size_t mostBytes = 64 << 20;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    problems.add(Code::CannotOpen, "cannot read '" + printable(path) + "': " + buffer.getError().message())
        .helped("give a file of schedules, such as docs/schedules.md shows");
    return;
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  if (text.trim().empty() || text.size() > mostBytes)
    problems.add(Code::BadSchedule, "'" + printable(path) + "' " + (text.trim().empty() ? "is empty" : "is too large"))
        .helped("--explain prints schedules to begin from; without --schedule all are chosen");
  options.schedules = {path.str(), text.str()};
}

CompileOptions kumiko::readCompileOptions(const llvm::opt::ArgList &arguments, ProblemList &problems) {
  CompileOptions options;
  for (const std::string &dim : arguments.getAllArgValues(OPT_dim))
    parseDim(dim, options.import, problems);
  options.import.symbols = true;
  for (const std::string &path : arguments.getAllArgValues(OPT_ops))
    readUserOps(path, options.import, problems);
  options.import.allowSymlinks = arguments.hasArg(OPT_allow_symlinks);
  // The table has checked the value.
  options.allow = *allowNamed(arguments.getLastArgValue(OPT_allow, nameOf(options.allow)));
  options.without = arguments.getAllArgValues(OPT_without);
  std::vector<std::string> parts = removableParts();
  for (const std::string &part : options.without)
    if (!llvm::is_contained(parts, part))
      problems.add(Code::BadOption, "there is no rule or pass '" + printable(part) + "' to leave out")
          .helped("rules and passes are listed in docs/reference/optimisations.md; `fusion` stands for all of it, "
                  "`tables` for what is computed from attributes when compiling");
  if (arguments.hasArg(OPT_schedule))
    readSchedules(arguments.getLastArgValue(OPT_schedule), options, problems);
  options.target = arguments.getLastArgValue(OPT_target, "host").str();
  options.watchThreads = arguments.hasArg(OPT_sanitize);
  // What nobody asked for leaves no trace in the artefact.
  if (llvm::StringRef backend = arguments.getLastArgValue(OPT_backend); backend != allBackends().front()->name())
    options.backend = backend.str();
  options.dumpFolder = arguments.getLastArgValue(OPT_dump_ir).str();
  options.jobs = threadCount(arguments, OPT_jobs, problems);
  if (!arguments.hasArg(OPT_no_cache))
    options.cache = std::make_shared<KernelCache>(KernelCache::placeOf());
  return options;
}

VerifyOptions kumiko::readVerifyOptions(const llvm::opt::ArgList &arguments, ProblemList &problems) {
  VerifyOptions options;
  options.compile = readCompileOptions(arguments, problems);
  options.inputs = readInputSources(arguments, /*randomOtherwise=*/true);
  options.threads = threadCount(arguments, OPT_threads, problems);
  options.model = arguments.getLastArgValue(OPT_model).str();
  options.eachOp = arguments.hasArg(OPT_each_op);
  options.eachPass = arguments.hasArg(OPT_each_pass);
  if (!arguments.hasArg(OPT_ulp))
    return options;
  llvm::StringRef text = arguments.getLastArgValue(OPT_ulp);
  double ulp = 0;
  if (text.getAsDouble(ulp) || !(ulp >= 0))
    problems.add(Code::BadOption, "--ulp wants a number, not '" + printable(text) + "'").helped("for example --ulp 4");
  options.tolerance.ulp = ulp;
  return options;
}

InputSources kumiko::readInputSources(const llvm::opt::ArgList &arguments, bool randomOtherwise) {
  InputSources sources;
  sources.archive = arguments.getLastArgValue(OPT_inputs).str();
  sources.single = arguments.getAllArgValues(OPT_input);
  sources.randomOtherwise = randomOtherwise;
  return sources;
}

unsigned kumiko::threadCount(const llvm::opt::ArgList &arguments, OptionNumber option, ProblemList &problems) {
  if (!arguments.hasArg(option))
    return 0;
  llvm::StringRef text = arguments.getLastArgValue(option);
  unsigned result = 0;
  if (!text.getAsInteger(10, result) && result >= 1 && result <= 1024)
    return result;
  problems
      .add(Code::BadOption,
           optionTable().getOptionPrefixedName(option) + " wants a whole number, not '" + printable(text) + "'")
      .helped("from 1 to 1024");
  return 0;
}

//===- main.cpp - the program `kumiko` --------------------------------------===//
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Emit/Table.h"
#include "kumiko/Target/Target.h"
#include "tools/kumiko/Commands.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <csignal>

using namespace kumiko;

/// LLVM gives up: say so in our words and with our exit code.
static void reportFatalError(void *, const char *reason, bool) {
  Problem(Code::Internal, reason)
      .helped("this is a defect of Kumiko; please report it together with the model")
      .print(llvm::errs());
  llvm::errs().flush();
  std::_Exit(int(Fault::Defect));
}

/// After LLVM has printed the stack: end with the exit code of a defect instead of a signal.
static void endAsDefect(void *) { std::_Exit(int(Fault::Defect)); }

static void prepareForTheWorst() {
  llvm::setBugReportMsg("error[K0070]: kumiko crashed\n"
                        "  help: this is a defect of Kumiko; please report it with the model and the lines below\n");
  llvm::sys::AddSignalHandler(endAsDefect, nullptr);
  llvm::install_fatal_error_handler(reportFatalError);
  removeUnfinishedOnSignals();
  // A file that grows past a limit is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

static int runCommandNamed(const Invocation &invocation, ProblemList &problems) {
  using Command = int (*)(const Invocation &, ProblemList &);
  constexpr std::pair<llvm::StringLiteral, Command> commands[] = {
      {"compile", compileCommand}, {"run", runCommand},       {"bench", benchCommand},   {"verify", verifyCommand},
      {"inspect", inspectCommand}, {"bisect", bisectCommand}, {"doctor", doctorCommand}, {"cache", cacheCommand}};
  for (auto [name, command] : commands)
    if (invocation.command == name)
      return command(invocation, problems);
  llvm_unreachable("a command of the table without a function");
}

static int finish(int answer, const ProblemList &problems) {
  llvm::outs().flush();
  problems.print(llvm::errs());
  return problems.hasErrors() ? problems.exitCode() : answer;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  prepareForTheWorst();
  llvm::ArrayRef<const char *> arguments(argv + 1, argc > 0 ? argc - 1 : 0);
  if (arguments.empty()) {
    printOverview(llvm::errs());
    return int(Fault::Usage);
  }
  llvm::StringRef first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    printOverview(llvm::outs());
    return 0;
  }
  if (first == "--version") {
    llvm::outs() << producer() << " (LLVM " LLVM_VERSION_STRING ")\n";
    return 0;
  }
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  ProblemList problems;
  auto invocation = parseCommandLine(arguments, saver, problems);
  if (!invocation)
    return finish(0, problems);
  if (invocation->help) {
    printHelp(invocation->command, llvm::outs());
    return 0;
  }
  if (invocation->targetHelp) {
    printTargets(llvm::outs());
    return 0;
  }
  return finish(runCommandNamed(*invocation, problems), problems);
}

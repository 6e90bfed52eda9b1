#include "tools/kumiko/CommandLine.h"
#include "kumiko/Support/Nearest.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"

using namespace kumiko;
using namespace llvm;
using namespace llvm::opt;

static std::string commandList() {
  return join(map_range(optionTable().getSubCommands(), [](auto &command) { return StringRef(command.Name); }), ", ");
}

static bool isCommand(StringRef word) {
  return any_of(optionTable().getSubCommands(), [&](auto &command) { return word == command.Name; });
}

/// As its usage says.
static bool takesModel(StringRef word) {
  return any_of(optionTable().getSubCommands(),
                [&](auto &command) { return word == command.Name && StringRef(command.Usage).contains("MODEL"); });
}

static void refuseCommand(StringRef word, ProblemList &problems) {
  SmallVector<StringRef> names;
  for (auto &command : optionTable().getSubCommands())
    names.push_back(command.Name);
  std::string close = nearest(word, names);
  problems.add(Code::BadOption, "unknown command '" + printable(word) + "'")
      .helped(close.empty() ? "commands are " + commandList() : "did you mean '" + close + "'?");
}

static void refuseUnknown(const Arg &argument, const Invocation &invocation, ProblemList &problems) {
  StringRef typed = argument.getSpelling().split('=').first;
  std::string close = nearest(typed, optionsOf(invocation.command));
  problems.add(Code::BadOption, "unknown option '" + printable(typed) + "'")
      .helped(close.empty() ? "kumiko " + invocation.command + " --help lists the options"
                            : "did you mean '" + close + "'?");
}

static void refuseForeign(const Arg &argument, const Invocation &invocation, ProblemList &problems) {
  SmallVector<StringRef> takers;
  for (auto &command : optionTable().getSubCommands())
    if (argument.getOption().isRegisteredSC(command.Name))
      takers.push_back(command.Name);
  problems
      .add(Code::BadOption,
           "'" + argument.getOption().getPrefixedName() + "' is not an option of kumiko " + invocation.command)
      .helped("it belongs to " + join(takers, ", "));
}

/// Options that list their values in the table take nothing else.
static void checkValue(const Arg &argument, ProblemList &problems) {
  std::vector<std::string> known = optionTable().suggestValueCompletions(argument.getOption().getPrefixedName(), "");
  if (known.empty() || is_contained(known, argument.getValue()))
    return;
  SmallVector<StringRef> values(known.begin(), known.end());
  std::string close = nearest(argument.getValue(), values);
  problems
      .add(Code::BadOption, "'" + printable(argument.getValue()) + "' is not a value of " +
                                argument.getOption().getPrefixedName().rtrim('='))
      .helped(close.empty() ? "values are " + join(values, ", ") : "did you mean '" + close + "'?");
}

static void checkArguments(Invocation &invocation, ProblemList &problems) {
  for (const Arg *argument : invocation.arguments) {
    const Option &option = argument->getOption();
    if (option.matches(OPT_INPUT)) {
      if (!invocation.model.empty())
        problems
            .add(Code::BadOption, "more than one model: '" + printable(invocation.model) + "' and '" +
                                      printable(argument->getValue()) + "'")
            .helped("a command works on one model");
      invocation.model = argument->getValue();
    } else if (option.matches(OPT_UNKNOWN)) {
      refuseUnknown(*argument, invocation, problems);
    } else if (!option.isRegisteredSC(invocation.command)) {
      refuseForeign(*argument, invocation, problems);
    } else {
      checkValue(*argument, problems);
    }
  }
}

std::optional<Invocation> kumiko::parseCommandLine(ArrayRef<const char *> arguments, StringSaver &saver,
                                                   ProblemList &problems) {
  SmallVector<const char *> expanded(arguments);
  if (!cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, expanded)) {
    problems.add(Code::CannotOpen, "a response file cannot be read").helped("@FILE names a file with options");
    return std::nullopt;
  }
  if (expanded.empty() || !isCommand(expanded.front())) {
    refuseCommand(expanded.empty() ? "" : expanded.front(), problems);
    return std::nullopt;
  }
  Invocation invocation;
  invocation.command = expanded.front();
  unsigned missingIndex = 0, missingCount = 0;
  invocation.arguments = optionTable().ParseArgs(ArrayRef(expanded).drop_front(), missingIndex, missingCount);
  invocation.help = invocation.has(OPT_help);
  invocation.targetHelp = invocation.value(OPT_target) == "help";
  if (invocation.help || invocation.targetHelp)
    return invocation;
  if (missingCount)
    problems.add(Code::BadOption, "'" + printable(expanded[missingIndex + 1]) + "' needs a value")
        .helped("kumiko " + invocation.command + " --help says which");
  checkArguments(invocation, problems);
  bool wanted = takesModel(invocation.command);
  if (!wanted && !invocation.model.empty())
    problems.add(Code::BadOption, "kumiko " + invocation.command + " takes no model")
        .helped("leave '" + printable(invocation.model) + "' out");
  if (wanted && invocation.model.empty() && !problems.hasErrors())
    problems.add(Code::BadOption, "no model given").helped("kumiko " + invocation.command + " MODEL ...");
  if (problems.hasErrors())
    return std::nullopt;
  return invocation;
}

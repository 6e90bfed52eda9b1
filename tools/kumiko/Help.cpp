//===- Help.cpp - help written from the table -------------------------------===//
//
// LLVM's own help knows nothing of the subcommands of an option's aliases and sorts groups by name; ours fits a screen.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Emit/Table.h"
#include "tools/kumiko/CommandLine.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Format.h"

using namespace kumiko;
using namespace llvm;
using namespace llvm::opt;

void kumiko::printOverview(raw_ostream &os) {
  os << producer()
     << ": compiles neural networks to native code\n\nusage: kumiko COMMAND [MODEL] [options]\n\ncommands:\n";
  // The order of a user's day, not of the alphabet.
  for (StringRef name : {"compile", "run", "bench", "verify", "inspect", "bisect", "doctor", "cache"})
    for (auto &command : optionTable().getSubCommands())
      if (name == command.Name)
        os << "  " << left_justify(name, 9) << command.HelpText << "\n";
  os << "\nkumiko COMMAND --help shows a command's options; kumiko --version the version.\n"
     << "exit codes: 0 yes, 1 the answer is no, 2 usage, 3 broken model or input, 4 not supported, 5 environment, "
        "70 our defect\n";
}

static void printGroup(StringRef command, unsigned group, StringRef title, raw_ostream &os) {
  const OptTable &table = optionTable();
  bool first = true;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    Option option = table.getOption(id);
    const char *help = option.isValid() ? table.getOptionHelpText(id) : nullptr;
    if (!help || option.getKind() == Option::GroupClass || table.getOptionGroupID(id) != group ||
        !option.isRegisteredSC(command))
      continue;
    if (std::exchange(first, false))
      os << "\n" << title << ":\n";
    std::string name = option.getPrefixedName().str();
    if (const char *value = table.getOptionMetaVar(id))
      name += " " + std::string(value);
    os << "  " << left_justify(name, 20) << (name.size() >= 20 ? " " : "") << help << "\n";
  }
}

void kumiko::printHelp(StringRef command, raw_ostream &os) {
  for (auto &known : optionTable().getSubCommands())
    if (command == known.Name)
      os << "usage: " << known.Usage << "\n\n" << known.HelpText << "\n";
  for (unsigned group : {OPT_results_group, OPT_model_group, OPT_run_group, OPT_verify_group, OPT_compile_group})
    printGroup(command, group, optionTable().getOptionHelpText(group), os);
  printGroup(command, OPT_INVALID, "Help", os);
}

//===- CommandLine.h - argv against the table of options --------------------===//
#pragma once
#include "kumiko/Options/ReadOptions.h"
#include "llvm/Support/StringSaver.h"

namespace kumiko {

/// A command with its arguments, checked against the table: every option belongs to the command, every value has one of
/// the listed values, there is exactly one MODEL where the command takes one, unless help is asked for.
struct Invocation {
  std::string command;
  llvm::opt::InputArgList arguments;
  std::string model;
  bool help = false;
  /// `--target=help`.
  bool targetHelp = false;

  bool has(OptionNumber option) const { return arguments.hasArg(option); }
  llvm::StringRef value(OptionNumber option, llvm::StringRef otherwise = "") const {
    return arguments.getLastArgValue(option, otherwise);
  }
  unsigned threadCount(OptionNumber option, ProblemList &problems) const {
    return kumiko::threadCount(arguments, option, problems);
  }
};

/// Reads `arguments` (without the program's name; the first is the command). Response files `@FILE` are opened.
std::optional<Invocation> parseCommandLine(llvm::ArrayRef<const char *> arguments, llvm::StringSaver &saver,
                                           ProblemList &problems);

/// One screen: all commands.
void printOverview(llvm::raw_ostream &os);
/// One screen: a command and its options.
void printHelp(llvm::StringRef command, llvm::raw_ostream &os);

} // namespace kumiko

//===- Settings.h - options given one by one, by their names ----------------===//
#pragma once
#include "kumiko/Options/OptionTable.h"
#include "kumiko/Support/Problem.h"
#include "llvm/Option/ArgList.h"
#include <deque>

namespace kumiko {

/// What a program sets that uses the library: the options of compile, verify and bisect, but not those that say where
/// to write or what to print.
class Settings {
public:
  /// `value` is none or `true` or `false` for switches. False with a problem when the table has no such name, or does
  /// not list such a value.
  bool set(llvm::StringRef name, std::optional<llvm::StringRef> value, ProblemList &problems);

  /// As if they stood on a command line. Must not outlive the settings.
  llvm::opt::InputArgList arguments() const;

private:
  std::deque<std::string> given; ///< `--name=value`, `--name`
};

} // namespace kumiko

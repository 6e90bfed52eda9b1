//===- Handles.h - what the C interface's pointers point to -----------------===//
#pragma once
#include "include/kumiko/compiler.h"
#include "kumiko/Options/Settings.h"
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Pipeline/Execute.h"
#include <deque>
#include <mutex>

struct kumiko_problems {
  kumiko::ProblemList list;
  /// Operands in the form of C, by number of their problem.
  mutable std::deque<std::vector<kumiko_operand>> operands;
  std::string text, json;
};

struct kumiko_settings {
  kumiko::Settings settings;
  kumiko::Watch watch;
};

struct kumiko_source {
  kumiko::ModelSource model;
};

struct kumiko_bytes {
  std::string content;
};

struct kumiko_program {
  std::unique_ptr<kumiko::CompiledModel> compiled;
  kumiko::CompileOptions options;
  std::mutex mutex;
  /// Once somebody wants to run it.
  std::unique_ptr<kumiko::Executable> executable;
};

namespace kumiko {

/// What one function of the interface was told to say its problems to: the caller's list, emptied, or one of its own.
class Said {
public:
  explicit Said(kumiko_problems *caller);

  ProblemList &problems() { return list; }
  /// The answer of a function that has done what it can. `otherwise` is what it is without problems.
  int answer(int otherwise = KUMIKO_YES);
  /// For arguments that no caller may give.
  int refuse(const llvm::Twine &what);

private:
  kumiko_problems *caller;
  ProblemList list;
};

/// The answer that a problem's fault stands for.
int answerOf(const Problem &problem);

/// Gives the caller a text.
void give(kumiko_bytes **place, std::string text);
/// What the function writes.
std::string textOf(llvm::function_ref<void(llvm::raw_ostream &)> write);

/// What the settings say about compiling; null stands for none.
CompileOptions readSettings(const kumiko_settings *settings, ProblemList &problems);

} // namespace kumiko

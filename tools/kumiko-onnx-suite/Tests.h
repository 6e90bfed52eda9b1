//===- Tests.h - the tests of a folder, and what is expected of them -------------===//
#pragma once
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kumiko::suite {

enum class Mode : uint8_t {
  Evaluator, ///< by interpretation
  Compiled,  ///< by compiled code; inputs that ops need as numbers are given to the compiler
  Symbolic,  ///< the same with every dimension of every input a symbol and the shapes of outputs forgotten
};

struct Test {
  std::string name;
  std::string kind;  ///< node, simple, pytorch-converted, pytorch-operator, light; `.` for one in the folder itself
  std::string model; ///< path of the model
  std::string data;  ///< folder of its data sets; empty for light models
};

/// All tests in the folder, sorted by kind and name.
std::vector<Test> findTests(llvm::StringRef folder);

/// The core set: node tests over tensors of the plain types, without control flow and randomness.
bool isCore(const Test &test);

/// Why a test is not expected to pass.
struct Expectation {
  bool refused;       ///< as not supported, rather than with other numbers than the suite's
  std::string reason; ///< in words
};
/// Lines of `refused NAME REASON` and `differs NAME REASON`, for compiled code alone `uncompiled NAME REASON`, and for
/// symbols alone `unsymbolic NAME REASON`; the last two replace a `differs` before them. `#` begins a comment. Empty
/// with `why` set when the file cannot be understood.
llvm::StringMap<Expectation> readExpectations(llvm::StringRef path, Mode mode, std::string &why);

} // namespace kumiko::suite

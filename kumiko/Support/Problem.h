//===- Problem.h - what users are told when something is wrong -------------===//
//
// An error is data until it is printed: a code, a sentence, a place, the operands involved and a line of help. The same
// data becomes the text of `docs/contract.md`
//
//   error[K0412]: Conv: input has 4 channels, the weight expects 3
//     --> resnet.onnx, node 17 "stage2/conv1" (Conv, opset 17)
//         x : f32[1,4,8,8]   from node 16 "stage1/relu"
//         w1: f32[16,3,3,3]  initializer;  group=1, so C must be 3
//     help: w1 fits group=1 and C=3; with group=4 it would need 1 channel
//
// or one JSON object. The list of codes is Problems.def; a code fixes the class of the error and with it the exit code.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class Value;
} // namespace json
} // namespace llvm

namespace kumiko {

/// Who can do something about it. The numbers are the exit codes of the commands.
enum class Fault : uint8_t {
  None = 0,
  Usage = 2,       ///< the command line
  Broken = 3,      ///< the model or the input breaks its specification
  Unsupported = 4, ///< valid, but not (yet) for us
  Environment = 5, ///< disk, permission
  Defect = 70,     ///< ours
};

enum class Code : uint16_t {
#define KUMIKO_PROBLEM(name, number, fault, meaning) name = number,
#include "kumiko/Support/Problems.def"
};

Fault faultOf(Code code);
/// One line for the manual: what the code stands for.
llvm::StringRef meaningOf(Code code);
/// `K0412`.
std::string numberOf(Code code);

/// Where in the model. Every part may be missing.
struct Place {
  std::string file;
  std::optional<uint64_t> node; ///< position in the list of nodes of its graph
  std::string name;             ///< the node's own name
  std::string op;               ///< op type, with its domain unless that is ONNX's own
  std::optional<int64_t> opset;
  std::string within; ///< the subgraph or function that holds the node, in words
};

struct Problem {
  /// One line under the place: an operand or result.
  struct Operand {
    std::string name;
    std::string type;   ///< `f32[1,4,8,8]`
    std::string origin; ///< `from node 16 "stage1/relu"`, `initializer`; may carry a remark after `;`
  };

  Code code;
  std::string what;
  Place place;
  llvm::SmallVector<Operand, 2> operands;
  std::string help;
  /// Said, but no reason to stop.
  bool warning = false;

  Problem(Code code, const llvm::Twine &what) : code(code), what(what.str()) {}

  Problem &at(Place where) { return place = std::move(where), *this; }
  Problem &with(llvm::StringRef name, llvm::StringRef type, llvm::StringRef origin) {
    return operands.push_back({name.str(), type.str(), origin.str()}), *this;
  }
  Problem &helped(const llvm::Twine &text) { return help = text.str(), *this; }

  void print(llvm::raw_ostream &os) const;
  llvm::json::Value json() const;
};

/// Collects every problem of a model, so that all of them are told at once.
class ProblemList {
public:
  /// At most this many are kept; the others are only counted. A hostile file must not make us write without end.
  explicit ProblemList(size_t limit = 100) : limit(limit) {}

  /// The returned reference is good until the next call.
  Problem &add(Problem problem);
  Problem &add(Code code, const llvm::Twine &what) { return add(Problem(code, what)); }

  bool hasErrors() const { return errors != 0; }
  size_t errorCount() const { return errors; }
  /// No room for more: a reader may give up early.
  bool full() const { return problems.size() >= limit; }
  llvm::ArrayRef<Problem> all() const { return llvm::ArrayRef(problems).take_front(limit); }

  /// The command's exit code: 0 without errors. When several classes meet, the one to be dealt with first wins:
  /// a defect, then usage, environment, broken, unsupported.
  int exitCode() const;

  /// All problems in the shape above, then a closing line when some were left out.
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value json() const;

private:
  std::vector<Problem> problems;
  size_t limit;
  size_t errors = 0;
  size_t dropped = 0;
  unsigned faults = 0; // one bit per Fault seen
};

/// Text from a file made fit for a terminal: control characters and broken UTF-8 as \xNN, cut at `limit` bytes.
std::string printable(llvm::StringRef text, size_t limit = 200);

} // namespace kumiko

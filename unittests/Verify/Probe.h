//===- Probe.h - one node, evaluated and compiled, on data of any kind --------===//
#pragma once
#include "kumiko/Pipeline/Compile.h"
#include "kumiko/Verify/GuardedRun.h"
#include "unittests/Import/Write.h"

namespace kumiko::test {

/// An input of the node; what it holds is drawn or put there by the test. It may be left out, or be a list of numbers
/// that the model knows.
struct ProbeInput {
  onnx::DataType type = onnx::DataType::Float;
  std::vector<int64_t> shape = {};
  bool leftOut = false;
  std::vector<int64_t> known = {};

  bool isGiven() const { return !leftOut && known.empty(); }
};

/// A model of one node called `probed`.
struct ProbeNode {
  std::string op;
  std::vector<ProbeInput> inputs;
  std::vector<onnx::test::Message> attributes = {};
  size_t outputs = 1;
  int64_t opset = 22;
  std::string domain = "";
};

/// What both ways made of the same inputs.
struct ProbeResult {
  std::string evaluated, compiled; ///< the first problem, empty when all went well
  /// The largest distance between their results, in units in the last place.
  double ulp = 0;
};

/// The node, compiled once and run between guard pages as often as wanted.
class Probe {
public:
  explicit Probe(const ProbeNode &node, llvm::StringRef target = "host");

  /// Why it cannot be compiled; empty when it can.
  const std::string &refusal() const { return why; }
  /// Zeros, or 0, 1, 2, ... for floats; nothing for what is left out or known.
  std::vector<Tensor> plainInputs() const;
  /// On both sides of the guard.
  ProbeResult run(llvm::ArrayRef<Tensor> inputs) const;

private:
  ProbeNode node;
  onnx::test::Folder folder;
  std::string path, why;
  std::vector<Tensor> given(llvm::ArrayRef<Tensor> inputs) const;
  std::unique_ptr<CompiledModel> model;
};

/// Writes an integer or a float into one element.
void put(Tensor &tensor, int64_t place, int64_t value);
void putReal(Tensor &tensor, int64_t place, double value);

} // namespace kumiko::test

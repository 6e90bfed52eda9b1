//===- MicrosoftActivation.cpp - com.microsoft: activations ---------------------===//
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// The first input, with the second added when it is there.
Value biased(NodeContext &n) { return n.input(1) ? n.make("add", {n.input(0), n.input(1)}) : n.input(0); }

Results importGelu(NodeContext &n) { return {n.make("gelu", {biased(n)}, {n.is("tanh_form", false)})}; }
Results importFastGelu(NodeContext &n) { return {n.make("gelu", {biased(n)}, {n.is("tanh_form", true)})}; }
Results importQuickGelu(NodeContext &n) {
  return {n.make("swish", {n.input(0)}, {n.is("alpha", n.real("alpha", 1.702f))})};
}

constexpr OpCode codes[] = {
    {"BiasGelu", 2, 2, 1, importGelu},
    {"FastGelu", 1, 2, 1, importFastGelu},
    {"Gelu", 1, 1, 1, importGelu},
    {"QuickGelu", 1, 1, 1, importQuickGelu},
};

} // namespace

ArrayRef<OpCode> microsoftActivationOps() { return codes; }

} // namespace kumiko::onnx

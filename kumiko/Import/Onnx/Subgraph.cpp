//===- Subgraph.cpp - the bodies of If, Loop and Scan ---------------------------===//
#include "kumiko/Import/Onnx/GraphImporter.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// When compiling, a loop becomes its turns one after the other; beyond this many nodes that is no way to compile it.
static constexpr uint64_t unrollLimit = 20'000;

bool GraphImporter::countTurn(NodeContext &n, const Graph &graph) {
  if (interpretation)
    return countNode(n);
  unrolledNodes += graph.nodes.size() + 1;
  if (unrolledNodes <= unrollLimit)
    return true;
  n.fail(Code::UnsupportedForm,
         "the loops of the model have more than " + Twine(unrollLimit) + " nodes when written out")
      .helped("long loops are not compiled yet");
  return false;
}

bool GraphImporter::attempt(NodeContext &n, llvm::function_ref<void()> import) {
  ProblemList before = n.importer.problems;
  import();
  if (!n.failed() && n.importer.problems.errorCount() == before.errorCount())
    return true;
  n.importer.problems = std::move(before);
  n.hasFailed = false;
  return false;
}

std::optional<Tensor> GraphImporter::knownValue(NodeContext &n, Value value) {
  return value && isa<RankedTensorType>(value.getType()) ? n.importer.valueOf(value) : std::nullopt;
}

std::optional<Results> GraphImporter::importBody(NodeContext &n, const Graph &graph, ArrayRef<Value> arguments) {
  if (n.failed())
    return std::nullopt;
  if (nesting >= nestingLimit) {
    n.fail(Code::TooLarge, "functions and subgraphs are nested more than " + Twine(nestingLimit) + " deep");
    return std::nullopt;
  }
  if (graph.inputs.size() != arguments.size()) {
    n.fail(Code::Arity,
           "the subgraph has " + Twine(graph.inputs.size()) + " inputs, expected " + Twine(arguments.size()))
        .helped("its inputs belong to those of the node, one to one");
    return std::nullopt;
  }
  for (Value argument : arguments)
    if (interpretation && isa<RankedTensorType>(argument.getType()) && !valueOf(argument)) {
      n.fail(Code::OperandValue, whyUnknown);
      return std::nullopt;
    }
  Scope body;
  body.source = &graph;
  body.nodes = graph.nodes;
  body.initializers = graph.initializers;
  body.opsets = n.scope.opsets;
  body.call = n.scope.call;
  body.function = n.scope.function;
  body.caller = n.scope.caller;
  body.outer = &n.scope;
  body.within = "subgraph of node " + std::to_string(n.index) + (n.scope.within.empty() ? "" : ", " + n.scope.within);
  for (const ValueInfo &output : graph.outputs)
    body.outputs.push_back(output.name);
  for (auto [number, input] : enumerate(graph.inputs))
    body.values.try_emplace(input.name,
                            Scope::Entry{keep(arguments[number]), {Origin::Kind::Argument, uint32_t(number)}});
  for (auto [number, tensor] : enumerate(graph.initializers))
    body.values.try_emplace(tensor.name, Scope::Entry{{}, {Origin::Kind::Initializer, uint32_t(number)}});
  if (!graph.sparseInitializers.empty()) {
    n.fail(Code::UnsupportedForm, "sparse initializers are not supported").helped("save them as dense tensors");
    return std::nullopt;
  }
  ++nesting;
  importNodes(body);
  --nesting;
  Results outputs;
  for (StringRef name : body.outputs) {
    Value value = interpretation && problems.hasErrors() ? Value() : lookup(body, name);
    if (!value && !problems.hasErrors())
      n.fail(Code::UndefinedName, "output \"" + printable(name) + "\" of the subgraph is not defined");
    if (!value) {
      n.hasFailed = true;
      break;
    }
    outputs.push_back(interpretation ? temporary(datumOf(value)) : value);
  }
  releaseAll(body);
  if (n.failed())
    return std::nullopt;
  return outputs;
}

} // namespace kumiko::onnx

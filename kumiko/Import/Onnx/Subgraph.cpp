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

bool GraphImporter::attempt(NodeContext &n, llvm::function_ref<void()> import, ProblemList *why) {
  if (n.importer.problems.hasErrors()) { // which may be the cause of what goes wrong here
    n.hasFailed = true;
    return false;
  }
  // A list of its own: nodes look at it to see whether something went wrong before.
  ProblemList before = std::exchange(n.importer.problems, ProblemList());
  Mark start = mark(n);
  import();
  std::swap(before, n.importer.problems);
  if (!n.failed() && !before.hasErrors()) {
    for (const Problem &warning : before.all())
      n.importer.problems.add(warning);
    return true;
  }
  if (why)
    *why = std::move(before);
  (void)takeChecks(n, start);
  forgetSymbols(n, start);
  n.hasFailed = false;
  return false;
}

void GraphImporter::tell(NodeContext &n, const Problem &problem) {
  n.importer.problems.add(problem);
  n.hasFailed |= !problem.warning;
}

SmallVector<nn::Check> GraphImporter::takeChecks(NodeContext &n, const Mark &mark) {
  SmallVector<nn::Check> &all = n.importer.checks;
  size_t before = std::min(mark.checks, all.size());
  SmallVector<nn::Check> taken(std::next(all.begin(), before), all.end());
  all.truncate(before);
  return taken;
}

std::optional<Results> GraphImporter::importRest(NodeContext &n, ArrayRef<Value> results) {
  Scope &scope = n.scope;
  GraphImporter &importer = n.importer;
  auto before = scope.values;
  size_t position = scope.position;
  for (auto [output, result] : zip(n.node.outputs, results))
    if (!output.empty())
      scope.values[output].value = result;
  importer.importFrom(scope, position + 1);
  std::optional<Results> outputs = Results();
  for (StringRef name : scope.outputs) {
    Value value = importer.problems.hasErrors() ? Value() : importer.lookup(scope, name);
    if (!value && !importer.problems.hasErrors())
      n.fail(Code::UndefinedName, "output \"" + printable(name) + "\" of the graph is not defined");
    outputs->push_back(value);
  }
  scope.values = std::move(before);
  scope.position = position;
  scope.finished = false;
  if (n.failed() || importer.problems.hasErrors())
    return std::nullopt;
  return outputs;
}

void GraphImporter::finishScope(NodeContext &n, ArrayRef<Value> outputs) {
  for (auto [name, value] : zip_equal(n.scope.outputs, outputs))
    n.scope.values[name].value = value;
  n.scope.finished = true;
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
  body.graph = &graph;
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

//===- Nodes.cpp - one node after the other ----------------------------------===//
#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Order.h"
#include "kumiko/Import/Onnx/Registry.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// Functions that call functions can make a small file astronomically large; how large a model may become is in
/// proportion to its file.
static uint64_t inlineLimit(const ModelFile &file) { return std::min<uint64_t>(20'000 + file.bytes().size(), 500'000); }

static bool isOwnDomain(StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

/// An op that came after the operator set. LayerNormalization is let through: optimisers wrote it into models long
/// before ONNX had it, and meant the same.
static bool isTooNew(StringRef op, int64_t opset) {
  const KnownOp *known = findKnown(op);
  return known && opset < known->since && op != "LayerNormalization";
}

const GraphImporter::Plan &GraphImporter::planOf(Scope &scope) {
  std::unique_ptr<Plan> &plan = plans[scope.source];
  if (plan)
    return *plan;
  plan = std::make_unique<Plan>();
  auto given = [&](StringRef name) { return scope.values.contains(name); };
  auto visible = [&](StringRef name) { return find(scope, name) != nullptr; };
  auto tell = [&](size_t number, Code code, const Twine &what) -> Problem & {
    return problems.add(code, what).at(placeOf(scope, number));
  };
  plan->order = orderNodes(scope.nodes, given, visible, tell);
  if (interpretation) {
    for (uint32_t number : plan->order)
      for (StringRef name : needsOf(scope.nodes[number]))
        ++plan->uses[name];
    for (StringRef name : scope.outputs)
      ++plan->uses[name];
  }
  return *plan;
}

void GraphImporter::importNodes(Scope &scope) {
  const Plan &plan = planOf(scope);
  if (!interpretation) {
    importFrom(scope, 0);
    return;
  }
  scope.uses = plan.uses;
  for (uint32_t number : plan.order) {
    if (problems.hasErrors() || !mayGoOn(*builder.getContext(), problems)) // nothing can be computed any more
      return;
    Operation *before = workSoFar();
    importNode(scope, number);
    clearWork(before);
    releaseAfter(scope, scope.nodes[number]);
  }
}

void GraphImporter::importFrom(Scope &scope, size_t first) {
  ArrayRef<uint32_t> order = planOf(scope).order;
  for (scope.position = first; scope.position < order.size() && !scope.finished; ++scope.position) {
    if (!mayGoOn(*builder.getContext(), problems))
      return;
    importNode(scope, order[scope.position]);
  }
}

void GraphImporter::importNode(Scope &scope, uint32_t number) {
  const Node &node = scope.nodes[number];
  // The outputs exist from now on, without a value: what needs them is passed over in silence should this node fail.
  for (StringRef output : node.outputs)
    if (!output.empty())
      scope.values.try_emplace(output, Scope::Entry{{}, {Origin::Kind::Node, number}});
  std::optional<int64_t> opset = opsetOf(scope, node, number);
  if (!opset)
    return;
  NodeContext n(*this, scope, node, number, *opset);
  bool poisoned = false;
  for (StringRef input : node.inputs) {
    n.values.push_back(input.empty() ? Value() : lookup(scope, input));
    // An argument that the call of a function leaves out is an input left out.
    poisoned |= !input.empty() && !n.values.back() && find(scope, input)->origin.kind != Origin::Kind::Argument;
  }
  while (!n.values.empty() && !n.values.back())
    n.values.pop_back();
  bool isUsers(userRow(node, *opset));
  const Function *function = isUsers ? nullptr : findFunction(node);
  StringRef domain = isOwnDomain(node.domain) ? "" : node.domain;
  if (!function && domain.empty() && isTooNew(node.op, *opset))
    return reportUnknownOp(n);
  const OpCode *code = findCode(domain, node.op);
  if (!isUsers && !function && !code && !findRow(domain, node.op, *opset))
    return reportUnknownOp(n);
  if (poisoned || !countNode(n))
    return;
  bool takesLists = function || (!isUsers && code && code->takesLists);
  if (!takesLists && any_of(n.values, [](Value value) { return value && !isa<RankedTensorType>(value.getType()); })) {
    n.fail(Code::OperandType, "takes tensors, but an input is a sequence or an optional");
    return;
  }
  if (function)
    return importCall(n, *function);
  Operation *before = workSoFar();
  Results results = dispatch(n);
  if (!n.failed())
    n.reportUnknownAttributes();
  if (n.failed() || scope.finished)
    return;
  for (auto [position, output] : enumerate(node.outputs)) {
    if (output.empty())
      continue;
    if (position >= results.size() || !results[position]) {
      n.fail(Code::UnsupportedForm, "output " + Twine(position) + " is not supported")
          .helped("the other outputs are; remove the use of this one");
      return;
    }
  }
  if (interpretation && !settle(n, before, results))
    return;
  for (auto [output, result] : zip(node.outputs, results))
    if (!output.empty())
      scope.values[output].value = result;
}

/// In interpretation every node is paid for.
bool GraphImporter::countNode(NodeContext &n) {
  if (!interpretation || ++interpretation->nodes <= interpretation->options.limits.nodes)
    return true;
  n.fail(Code::TooLarge, "more than " + Twine(interpretation->options.limits.nodes) + " nodes were computed")
      .helped("loops of the model run too long");
  return false;
}

Results GraphImporter::dispatch(NodeContext &n) {
  StringRef domain = isOwnDomain(n.node.domain) ? "" : n.node.domain;
  OnnxRow row = userRow(n.node, n.opset);
  const OpCode *code = row ? nullptr : findCode(domain, n.node.op);
  if (!row && !code)
    row = findRow(domain, n.node.op, n.opset);
  auto [fewest, most, outputs] = code ? Arity{code->fewestInputs, code->mostInputs, code->mostOutputs} : arityOf(row);
  if (n.inputCount() < fewest || n.inputCount() > most) {
    std::string wanted = fewest == most        ? std::to_string(fewest)
                         : most == OpCode::any ? "at least " + std::to_string(fewest)
                                               : std::to_string(fewest) + " to " + std::to_string(most);
    n.fail(Code::Arity, "has " + Twine(n.inputCount()) + " inputs, expected " + wanted)
        .helped("the node was written for another op or version; export the model again");
    return {};
  }
  if (n.node.outputs.size() > outputs) {
    n.fail(Code::Arity, "has " + Twine(n.node.outputs.size()) + " outputs, expected at most " + Twine(outputs))
        .helped("the node was written for another op or version; export the model again");
    return {};
  }
  for (unsigned i = 0; i < fewest; ++i)
    if (!n.input(i)) {
      n.fail(Code::Arity, "input " + Twine(i) + " is left out but required")
          .helped("only optional inputs may be left out; export the model again");
      return {};
    }
  for (Value input : n.inputs())
    if (code && code->needsNumbers && input && isa<RankedTensorType>(input.getType()))
      (void)n.shapeOf(input); // fails where a size is an expression
  if (n.failed())
    return {};
  return code ? code->import(n) : importByRow(n, row);
}

std::optional<int64_t> GraphImporter::opsetOf(const Scope &scope, const Node &node, uint32_t number) {
  for (const OpsetImport &opset : scope.opsets)
    if (opset.domain == node.domain || (isOwnDomain(opset.domain) && isOwnDomain(node.domain)))
      return opset.version;
  // Functions of the model may leave their own domain out; files before IR version 3 have no list at all.
  if (findFunction(node) || scope.opsets.empty())
    return 1;
  Problem &problem = problems.add(isOwnDomain(node.domain) ? Code::UnimportedDomain : Code::UnsupportedDomain,
                                  node.op + ": the model does not import the domain \"" + node.domain + "\"");
  problem.at(placeOf(scope, number)).helped("add the domain to opset_import, or use an op of ONNX");
  return std::nullopt;
}

OnnxRow GraphImporter::userRow(const Node &node, int64_t opset) const {
  return options.userOps.empty() ? OnnxRow() : findUserRow(options.userOps, node.domain, node.op, opset);
}

const Function *GraphImporter::findFunction(const Node &node) const {
  if (auto list = functions.find(node.op); list != functions.end())
    for (const Function *function : list->second)
      if (function->domain == node.domain && function->overload == node.overload)
        return function;
  return nullptr;
}

void GraphImporter::reportUnknownOp(NodeContext &n) {
  StringRef op = n.node.op;
  if (!isOwnDomain(n.node.domain)) {
    n.fail(Code::UnsupportedDomain, "ops of the domain \"" + n.node.domain + "\" are not supported")
        .helped(
            "say what it computes in an equation file and give that with --ops; or make it a function of the model");
    return;
  }
  const KnownOp *known = findKnown(op);
  if (!known) {
    // Not worth the search for a problem that is only counted.
    StringRef close = problems.full() ? "" : closestKnown(op);
    n.fail(Code::UnknownOp, "ONNX has no op of this name")
        .helped(close.empty() ? "custom ops belong to a domain of their own, and can be functions of the model"
                              : "did you mean " + close + "? Custom ops belong to a domain of their own");
  } else if (n.opset < known->since) {
    n.fail(Code::NotInOpset,
           "exists from operator set " + Twine(known->since) + " on, the model imports " + Twine(n.opset))
        .helped("export the model for opset " + Twine(known->since) + " or newer");
  } else {
    n.fail(Code::UnsupportedOp, "this op is not supported yet").helped("replace it by other ops of ONNX");
  }
}

void GraphImporter::importCall(NodeContext &n, const Function &function) {
  std::string name = function.domain.empty() ? function.name.str() : (function.domain + "." + function.name).str();
  for (const Scope *scope = &n.scope; scope; scope = scope->caller)
    if (scope->function == &function) {
      n.fail(Code::RecursiveFunction, "the function calls itself").helped("functions of a model must not be recursive");
      return;
    }
  if (nesting >= nestingLimit) {
    n.fail(Code::TooLarge, "functions and subgraphs are nested more than " + Twine(nestingLimit) + " deep");
    return;
  }
  inlinedNodes += function.nodes.size();
  if (uint64_t limit = inlineLimit(*file); inlinedNodes > limit) {
    n.fail(Code::TooLarge, "calls of functions give more than " + Twine(limit) + " nodes")
        .helped("functions that call functions multiply; call them less often");
    return;
  }
  if (n.node.inputs.size() > function.inputs.size() || n.node.outputs.size() > function.outputs.size()) {
    n.fail(Code::Arity, "has " + Twine(n.node.inputs.size()) + " inputs and " + Twine(n.node.outputs.size()) +
                            " outputs, the function has " + Twine(function.inputs.size()) + " and " +
                            Twine(function.outputs.size()));
    return;
  }
  for (const OpsetImport &opset : function.opsets)
    if (isOwnDomain(opset.domain) && opset.version > newestOpset) {
      n.fail(Code::UnsupportedOpset,
             "the function uses operator set " + Twine(opset.version) + ", the newest known is " + Twine(newestOpset));
      return;
    }
  Scope body;
  body.source = &function;
  body.nodes = function.nodes;
  body.outputs.assign(function.outputs.begin(), function.outputs.end());
  body.opsets = function.opsets;
  body.call = &n.node;
  body.function = &function;
  body.caller = &n.scope;
  body.within = "function " + name + " called by node " + std::to_string(n.index);
  for (auto [number, input] : enumerate(function.inputs))
    body.values.try_emplace(input, Scope::Entry{keep(n.input(number)), {Origin::Kind::Argument, uint32_t(number)}});
  ++nesting;
  importNodes(body);
  --nesting;
  for (auto [output, result] : zip(function.outputs, n.node.outputs)) {
    if (result.empty())
      continue;
    Value value = lookup(body, output);
    if (!value && !problems.hasErrors())
      n.fail(Code::UndefinedName, "output \"" + output + "\" of the function is not defined");
    if (!interpretation || !problems.hasErrors())
      n.scope.values[result].value = keep(value);
  }
  releaseAll(body);
}

} // namespace kumiko::onnx

#include "kumiko/Import/Onnx/Summary.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace kumiko::onnx {

static bool isOwn(StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

namespace {
/// What a model may use beside the ops that are built in.
struct Foreign {
  StringSet<> functions;
  ArrayRef<eq::OpDef> userOps;
};
} // namespace

static void count(ArrayRef<Node> nodes, const Foreign &foreign, ModelSummary &summary);

static void count(const Graph &graph, const Foreign &foreign, ModelSummary &summary) {
  for (const TensorProto &tensor : graph.initializers) {
    auto silent = [problem = Problem(Code::Internal, "")](Code, const Twine &) mutable -> Problem & { return problem; };
    if (std::optional<TensorData> type = typeOf(tensor, std::numeric_limits<int64_t>::max(), silent)) {
      uint64_t elements = cantFail(elementCount(type->shape));
      summary.parameters += elements;
      summary.parameterBytes += elements * bytesOf(type->element);
    }
  }
  count(graph.nodes, foreign, summary);
}

static void count(ArrayRef<Node> nodes, const Foreign &foreign, ModelSummary &summary) {
  for (const Node &node : nodes) {
    ++summary.nodes;
    std::string full = (node.domain + "." + node.op).str();
    ModelSummary::Operator &op = summary.ops[isOwn(node.domain) ? node.op.str() : full];
    ++op.count;
    StringRef domain = isOwn(node.domain) ? "" : node.domain;
    op.supported = foreign.functions.contains(full) || findCode(domain, node.op) ||
                   findRow(domain, node.op, newestOpset) ||
                   findUserRow(foreign.userOps, domain, node.op, std::numeric_limits<int64_t>::max());
    for (const Attribute &attribute : node.attributes) {
      if (attribute.graph)
        count(*attribute.graph, foreign, summary);
      for (const Graph &graph : attribute.graphs)
        count(graph, foreign, summary);
    }
  }
}

void summarize(const Model &model, ArrayRef<eq::OpDef> userOps, ModelSummary &summary) {
  summary.producer = model.producer.str();
  if (!model.producerVersion.empty())
    summary.producer += " " + model.producerVersion.str();
  summary.graph = model.graph.name.str();
  summary.irVersion = model.irVersion;
  for (const OpsetImport &opset : model.opsets)
    summary.opsets[isOwn(opset.domain) ? "ai.onnx" : opset.domain.str()] = opset.version;
  StringSet<> initializers;
  for (const TensorProto &tensor : model.graph.initializers)
    initializers.insert(tensor.name);
  for (const ValueInfo &input : model.graph.inputs) {
    if (initializers.contains(input.name))
      summary.overridable.push_back(input.name.str());
    else
      summary.inputs.push_back({input.name.str(), describe(input.type)});
  }
  for (const ValueInfo &output : model.graph.outputs)
    summary.outputs.push_back({output.name.str(), describe(output.type)});
  Foreign foreign{{}, userOps};
  for (const Function &function : model.functions)
    foreign.functions.insert((function.domain + "." + function.name).str());
  count(model.graph, foreign, summary);
  for (const Function &function : model.functions)
    count(function.nodes, foreign, summary);
}

void addUnsupported(const ProblemList &problems, ModelSummary &summary) {
  for (const Problem &problem : problems.all()) {
    if (faultOf(problem.code) != Fault::Unsupported || !problem.place.node)
      continue;
    const Place &place = problem.place;
    std::string node = "node " + std::to_string(*place.node);
    if (!place.name.empty())
      node += " \"" + place.name + "\"";
    summary.unsupported.push_back({node + " (" + place.op + ")", problem.what});
  }
}

} // namespace kumiko::onnx

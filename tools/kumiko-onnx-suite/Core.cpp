//===- Core.cpp - which tests are in the core set ---------------------------------===//
#include "kumiko/Import/Onnx/Proto.h"
#include "tools/kumiko-onnx-suite/Tests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace kumiko::onnx;

namespace {

/// Whether everything that a model is made of belongs to the core set.
class CoreCheck {
public:
  bool isCore(const Model &model) {
    visit(model.graph);
    for (const Function &function : model.functions)
      visit(function.nodes);
    return core;
  }

private:
  bool core = true;

  void visit(DataType type) {
    using enum DataType;
    static constexpr DataType plain[] = {Undefined, Float, Uint8,   Int8,   Uint16, Int16,  Int32,
                                         Int64,     Bool,  Float16, Double, Uint32, Uint64, BFloat16};
    core &= is_contained(plain, type);
  }
  void visit(const ValueInfo &value) {
    core &= value.type.kind == kumiko::onnx::Type::Kind::Tensor || value.type.kind == kumiko::onnx::Type::Kind::None;
    visit(value.type.element);
  }
  void visit(const Graph &graph) {
    for (ArrayRef<ValueInfo> list : {graph.inputs, graph.outputs, graph.values})
      for (const ValueInfo &value : list)
        visit(value);
    for (const TensorProto &tensor : graph.initializers)
      visit(tensor.type);
    visit(graph.nodes);
  }
  void visit(ArrayRef<Node> nodes) {
    static constexpr StringLiteral outside[] = {"If",
                                                "Loop",
                                                "Scan",
                                                "RandomNormal",
                                                "RandomUniform",
                                                "RandomNormalLike",
                                                "ImageDecoder",
                                                "RandomUniformLike",
                                                "Multinomial",
                                                "Bernoulli",
                                                "RegexFullMatch"};
    for (const Node &node : nodes) {
      core &= node.domain.empty() || node.domain == "ai.onnx";
      core &= !is_contained(outside, node.op) && !node.op.starts_with("String") && !node.op.starts_with("Optional");
      core &= !node.op.contains("Sequence") || node.op == "ReverseSequence";
      for (const Attribute &attribute : node.attributes) {
        if (attribute.tensor)
          visit(attribute.tensor->type);
        if (node.op == "Cast" && attribute.name == "to")
          visit(static_cast<DataType>(attribute.integer));
        if (attribute.graph)
          visit(*attribute.graph);
      }
    }
  }
};

} // namespace

bool kumiko::suite::isCore(const Test &test) {
  if (test.kind != "node")
    return false;
  auto buffer = MemoryBuffer::getFile(test.model);
  if (!buffer)
    return false;
  BumpPtrAllocator arena;
  ProblemList problems;
  std::optional<Model> model = readModel((*buffer)->getBuffer(), arena, problems);
  return model && CoreCheck().isCore(*model);
}

#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

NodeContext::NodeContext(GraphImporter &importer, Scope &scope, const Node &node, uint64_t index, int64_t opset)
    : node(node), index(index), opset(opset), importer(importer), scope(scope),
      loc(NameLoc::get(
          importer.builder.getStringAttr(node.name.empty() ? "#" + Twine(index) + " " + node.op : Twine(node.name)))),
      asked(node.attributes.size()) {}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

mlir::Type NodeContext::elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const Attribute *NodeContext::find(StringRef name) {
  for (auto [number, attribute] : enumerate(node.attributes)) {
    if (attribute.name != name)
      continue;
    asked.set(number);
    if (attribute.reference.empty())
      return &attribute;
    // In a function: the call's attribute, or else the function's default. A call may itself stand in a function.
    StringRef wanted = attribute.reference;
    for (const Scope *around = &scope; around && around->call; around = around->caller) {
      auto named = [&](const Attribute &other) { return other.name == wanted; };
      const Attribute *given = find_if(around->call->attributes, named);
      if (given == around->call->attributes.end())
        given = find_if(around->function->defaults, named);
      if (given == around->function->defaults.end())
        return nullptr;
      if (given->reference.empty())
        return given;
      wanted = given->reference;
    }
    return nullptr;
  }
  return nullptr;
}

const Attribute *NodeContext::find(StringRef name, Attribute::Kind kind) {
  const Attribute *attribute = find(name);
  if (!attribute || attribute->kind == kind)
    return attribute;
  fail(Code::AttributeType,
       "attribute \"" + name + "\" is of type " + nameOf(attribute->kind) + ", expected " + nameOf(kind))
      .helped("the model was written wrongly; export it again");
  return nullptr;
}

bool NodeContext::has(StringRef name) { return find(name) != nullptr; }

std::optional<int64_t> NodeContext::integer(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Int);
  return attribute ? std::optional(attribute->integer) : std::nullopt;
}

int64_t NodeContext::requiredInteger(StringRef name) {
  std::optional<int64_t> value = integer(name);
  if (!value && !failed())
    fail(Code::AttributeMissing, "attribute \"" + name + "\" is missing").helped("the op needs it");
  return value.value_or(0);
}

std::optional<double> NodeContext::real(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Float);
  return attribute ? std::optional<double>(attribute->real) : std::nullopt;
}

double NodeContext::real(StringRef name, double otherwise) { return real(name).value_or(otherwise); }

StringRef NodeContext::text(StringRef name, StringRef otherwise) {
  const Attribute *attribute = find(name, Attribute::Kind::String);
  return attribute ? attribute->string : otherwise;
}

std::optional<Ints> NodeContext::integers(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Ints);
  return attribute ? std::optional(Ints(attribute->integers)) : std::nullopt;
}

std::optional<ArrayRef<float>> NodeContext::reals(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Floats);
  return attribute ? std::optional(attribute->reals) : std::nullopt;
}

std::optional<ArrayRef<StringRef>> NodeContext::texts(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Strings);
  return attribute ? std::optional(attribute->strings) : std::nullopt;
}

const TensorProto *NodeContext::tensor(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Tensor);
  return attribute ? attribute->tensor : nullptr;
}

const Graph *NodeContext::graph(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::Graph);
  if (attribute && attribute->graph)
    return attribute->graph;
  if (!failed())
    fail(Code::AttributeMissing, "attribute \"" + name + "\" is missing").helped("the op needs it");
  return nullptr;
}

const SparseTensor *NodeContext::sparse(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Kind::SparseTensor);
  return attribute ? attribute->sparse : nullptr;
}

void NodeContext::reportUnknownAttributes() {
  for (auto [number, attribute] : enumerate(node.attributes))
    if (any_of(node.attributes.take_front(number),
               [&](const Attribute &first) { return first.name == attribute.name; }))
      fail(Code::AttributeValue, "attribute \"" + attribute.name + "\" is given twice").helped("remove one of the two");
    else if (!asked.test(number) && !(opset < 6 && attribute.name == "consumed_inputs")) // a hint that never meant much
      fail(Code::AttributeUnknown, "has no attribute \"" + attribute.name + "\" in this operator set")
          .helped("the attribute belongs to another op or version; remove it or export the model again");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<Tensor> NodeContext::constant(size_t number, StringRef role) { return constantOf(input(number), role); }

std::optional<Tensor> NodeContext::constantOf(Value value, StringRef role) {
  if (!value || failed())
    return std::nullopt;
  if (!isa<RankedTensorType>(value.getType())) {
    fail(Code::OperandType, role + " is a sequence or an optional, expected a tensor");
    return std::nullopt;
  }
  std::optional<Tensor> tensor = importer.valueOf(value);
  if (!tensor && importer.interpretation)
    fail(Code::OperandValue, role + " cannot be computed: " + importer.whyUnknown);
  else if (!tensor)
    fail(Code::NotConstant, role + " must be known when compiling, but depends on the inputs of the model")
        .helped("use an initializer or a Constant node, or values that follow from shapes alone");
  return tensor;
}

std::optional<Ints> NodeContext::constantIntegers(size_t number, StringRef role) {
  std::optional<Tensor> tensor = constant(number, role);
  if (!tensor)
    return std::nullopt;
  if (!isInteger(tensor->element())) {
    fail(Code::OperandType,
         role + " is " + kumiko::describe(tensor->element(), tensor->shape()) + ", expected integers")
        .helped("store it as int64, or put a Cast in front");
    return std::nullopt;
  }
  Ints list;
  for (int64_t i = 0; i < tensor->count(); ++i)
    list.push_back(integerAt(*tensor, i));
  return list;
}

std::optional<Ints> NodeContext::integersFrom(StringRef name, size_t number) {
  if (std::optional<Ints> list = integers(name))
    return list;
  return constantIntegers(number, name);
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

Problem &NodeContext::fail(Code code, const Twine &what) {
  hasFailed = true;
  Problem &problem = importer.problems.add(code, node.op + ": " + what);
  problem.at(importer.placeOf(scope, index));
  constexpr size_t shownInputs = 8;
  for (StringRef name : node.inputs.take_front(shownInputs)) {
    Problem::Operand operand = importer.operandOf(scope, name);
    problem.with(operand.name, operand.type, operand.origin);
  }
  // Most callers know better advice.
  auto isOpen = [](Value value) {
    auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
    return type && !type.hasStaticShape();
  };
  if (code == Code::UnsupportedForm && any_of(values, isOpen))
    problem.helped("say how large the dimensions are, with --dim NAME=N");
  else if (node.domain.empty())
    problem.helped("what the op takes: https://onnx.ai/onnx/operators/onnx__" + node.op + ".html");
  return problem;
}

void NodeContext::failEvaluation(Error error) {
  bool tooLarge = false;
  std::string why;
  handleAllErrors(std::move(error), [&](const ErrorInfoBase &info) {
    tooLarge = info.convertToErrorCode() == std::errc::not_enough_memory;
    why = info.message();
  });
  fail(tooLarge ? Code::TooLarge : Code::OperandValue, why);
}

int64_t NodeContext::axis(int64_t axis, int64_t rank, bool end) {
  int64_t highest = end ? rank : rank - 1;
  if (axis < -rank || axis > highest) {
    if (!failed())
      fail(Code::AttributeValue, "axis " + Twine(axis) + " is outside " + Twine(-rank) + " to " + Twine(highest))
          .helped("the operand has " + Twine(rank) + " dimensions");
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

Ints NodeContext::axes(ArrayRef<int64_t> list, int64_t rank) {
  Ints result;
  for (int64_t number : list) {
    int64_t position = axis(number, rank);
    if (failed())
      return {};
    if (is_contained(result, position)) {
      fail(Code::AttributeValue, "axis " + Twine(number) + " is given twice")
          .helped("name each axis once; negative ones count from the end");
      return {};
    }
    result.push_back(position);
  }
  sort(result);
  return result;
}

bool NodeContext::expectRank(size_t number, int64_t lowest, int64_t highest) {
  if (failed())
    return false;
  int64_t rank = rankOf(input(number));
  if (rank >= lowest && rank <= highest)
    return true;
  std::string wanted = lowest == highest ? std::to_string(lowest)
                       : highest >= 64   ? "at least " + std::to_string(lowest)
                                         : std::to_string(lowest) + " to " + std::to_string(highest);
  fail(Code::OperandRank, "input " + Twine(number) + " has rank " + Twine(rank) + ", expected " + wanted)
      .helped("a Reshape, Squeeze or Unsqueeze in front gives it another rank");
  return false;
}

} // namespace kumiko::onnx

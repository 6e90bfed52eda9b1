//===- Places.cpp - what messages say about nodes, values and types ----------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

std::string describe(const Type &type) {
  switch (type.kind) {
  case Type::Kind::None:
    return "?";
  case Type::Kind::Sequence:
    return "a sequence of " + (type.inner ? describe(*type.inner) : "?");
  case Type::Kind::Optional:
    return "an optional " + (type.inner ? describe(*type.inner) : "?");
  case Type::Kind::Map:
    return "a map to " + (type.inner ? describe(*type.inner) : "?");
  case Type::Kind::Opaque:
    return "an opaque type";
  case Type::Kind::SparseTensor:
  case Type::Kind::Tensor:
    break;
  }
  std::optional<ElementType> element = elementTypeOf(type.element);
  std::string text = type.kind == Type::Kind::SparseTensor ? "sparse " : "";
  text += element ? nameOf(*element).str() : nameOf(type.element);
  if (!type.hasShape)
    return text + "[...]";
  ListSeparator comma(",");
  raw_string_ostream os(text);
  os << "[";
  for (const Dimension &dim : type.shape) {
    os << comma;
    if (dim.value && *dim.value >= 0)
      os << *dim.value;
    else
      os << (dim.param.empty() || dim.param == "-1" ? "?" : printable(dim.param, 40));
  }
  os << "]";
  return text;
}

Problem &GraphImporter::report(Code code, const Twine &what) {
  Place place;
  place.file = file->path().str();
  return problems.add(code, what).at(place);
}

Place GraphImporter::placeOf(const Scope &scope, uint32_t number) const {
  const Node &node = scope.nodes[number];
  bool own = node.domain.empty() || node.domain == "ai.onnx";
  Place place;
  place.file = file->path().str();
  place.node = number;
  place.name = node.name.str();
  place.op = own ? node.op.str() : (node.domain + "." + node.op).str();
  place.within = scope.within;
  for (const OpsetImport &opset : scope.opsets)
    if (opset.domain == node.domain || (own && (opset.domain.empty() || opset.domain == "ai.onnx")))
      place.opset = opset.version;
  return place;
}

std::string GraphImporter::describeOrigin(const Scope &scope, Origin origin) const {
  switch (origin.kind) {
  case Origin::Kind::Input:
    return "graph input";
  case Origin::Kind::Initializer:
  case Origin::Kind::SparseInitializer:
  case Origin::Kind::Failed:
    return "initializer";
  case Origin::Kind::Argument:
    return scope.function ? "argument of the function" : "argument of the subgraph";
  case Origin::Kind::Node:
    break;
  }
  const Node &node = scope.nodes[origin.number];
  std::string text = "from node " + std::to_string(origin.number);
  return node.name.empty() ? text + " (" + node.op.str() + ")" : text + " \"" + node.name.str() + "\"";
}

Problem::Operand GraphImporter::operandOf(const Scope &scope, StringRef name) const {
  if (name.empty())
    return {"-", "", "left out"};
  const Scope *where = &scope;
  while (where && !where->values.contains(name))
    where = where->outer;
  if (!where)
    return {name.str(), "?", ""};
  const Scope::Entry &entry = where->values.find(name)->second;
  std::string type = "?";
  if (Value value = entry.value)
    type = describe(value.getType());
  else if (entry.origin.kind == Origin::Kind::Initializer) {
    const TensorProto &tensor = where->initializers[entry.origin.number];
    type = kumiko::describe(elementTypeOf(tensor.type).value_or(ElementType::Invalid), tensor.dims);
  }
  return {name.str(), type, describeOrigin(*where, entry.origin)};
}

} // namespace kumiko::onnx

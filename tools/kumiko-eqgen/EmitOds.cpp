//===- EmitOds.cpp - an op's definition as a TableGen record ---------------===//
#include "Emit.h"
#include "kumiko/Nn/Definition.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::eq;

/// How one kind of attribute looks in ODS and in a C++ signature.
struct KindSpelling {
  const char *ods;     ///< the constraint
  const char *cpp;     ///< the parameter of a builder
  const char *builder; ///< from parameter {0} to attribute
};

static KindSpelling spellingOf(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Int:
    return {"Nn_NumberAttr", "int64_t", "$_builder.getI64IntegerAttr({0})"};
  case AttributeKind::Ints:
    return {"Nn_NumbersAttr", "::llvm::ArrayRef<int64_t>", "$_builder.getDenseI64ArrayAttr({0})"};
  case AttributeKind::Float:
    return {"Nn_FloatAttr", "double", "$_builder.getF64FloatAttr({0})"};
  case AttributeKind::Floats:
    return {"DenseF64ArrayAttr", "::llvm::ArrayRef<double>", "$_builder.getDenseF64ArrayAttr({0})"};
  case AttributeKind::Bool:
    return {"BoolAttr", "bool", "$_builder.getBoolAttr({0})"};
  case AttributeKind::Str:
  case AttributeKind::Combine:
    return {"StrAttr", "::llvm::StringRef", "$_builder.getStringAttr({0})"};
  case AttributeKind::Type:
    return {"TypeAttr", "::mlir::Type", "::mlir::TypeAttr::get({0})"};
  }
  llvm_unreachable("covered switch");
}

/// The default as C++; empty when there is none.
static std::string defaultExpression(const AttributeDef &attribute) {
  std::optional<Attribute> value = nn::defaultOf(attribute);
  if (!value)
    return {};
  if (auto *integer = std::get_if<int64_t>(&*value))
    return std::to_string(*integer);
  if (auto *real = std::get_if<double>(&*value))
    return formatv("{0:e17}", *real); // 18 digits give the same double back
  if (auto *truth = std::get_if<bool>(&*value))
    return *truth ? "true" : "false";
  if (auto *text = std::get_if<std::string>(&*value))
    return "\"" + *text + "\"";
  return formatv("::kumiko::nn::fromEquation($_builder.getContext(), ::kumiko::ElementType({0}))",
                 static_cast<unsigned>(std::get<ElementType>(*value)));
}

/// A TableGen string.
static std::string quoted(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

static std::string odsType(const TensorDef &tensor) {
  if (tensor.optional)
    return "Optional<AnyRankedTensor>";
  return tensor.variadic ? "Variadic<AnyRankedTensor>" : "AnyRankedTensor";
}

static std::string odsType(const AttributeDef &attribute) {
  std::string ods = spellingOf(attribute.kind).ods, value = defaultExpression(attribute);
  return value.empty() ? ods : formatv("DefaultValuedAttr<{0}, [{{{1}}]>", ods, value).str();
}

template <typename Defs> static void emitArguments(raw_ostream &os, const Defs &defs, ListSeparator &separator) {
  for (const auto &def : defs)
    os << separator << odsType(def) << ":$" << def.name;
}

/// The first attribute from which on all have a default: only those can be left out of a C++ call.
static unsigned firstOmittable(const OpDef &op) {
  unsigned first = op.attributes.size();
  while (first > 0 && op.attributes[first - 1].defaultValue)
    --first;
  return first;
}

/// Two builders: one that infers the result types, and one for rewrites that know them.
static void emitBuilders(raw_ostream &os, const OpDef &op) {
  os << "  let builders = [OpBuilder<(ins ";
  ListSeparator separator;
  for (const TensorDef &operand : op.operands)
    os << separator << '"' << (operand.variadic ? "::mlir::ValueRange" : "::mlir::Value") << "\":$" << operand.name;
  unsigned omittable = firstOmittable(op);
  for (auto [number, attribute] : enumerate(op.attributes)) {
    const char *cpp = spellingOf(attribute.kind).cpp;
    // A type can only be made with a context, so its default is null here and the body leaves the attribute out.
    std::string value = attribute.kind == AttributeKind::Type ? "::mlir::Type()" : defaultExpression(attribute);
    if (number < omittable)
      os << separator << formatv("\"{0}\":${1}", cpp, attribute.name);
    else
      os << separator << formatv("CArg<\"{0}\", [{{{1}}]>:${2}", cpp, value, attribute.name);
  }
  os << "), [{\n    ::llvm::SmallVector<::mlir::Value> odsOperands;\n"
     << "    ::llvm::SmallVector<::mlir::NamedAttribute> odsAttributes;\n";
  for (const TensorDef &operand : op.operands)
    os << formatv(operand.variadic ? "    odsOperands.append({0}.begin(), {0}.end());\n"
                                   : "    odsOperands.push_back({0});\n",
                  operand.name);
  for (const AttributeDef &attribute : op.attributes) {
    if (attribute.kind == AttributeKind::Type && attribute.defaultValue)
      os << "    if (" << attribute.name << ")\n  ";
    os << formatv("    odsAttributes.push_back($_builder.getNamedAttr(\"{0}\", {1}));\n", attribute.name,
                  formatv(spellingOf(attribute.kind).builder, attribute.name));
  }
  os << "    ::kumiko::nn::detail::buildEquationOp($_builder, $_state, odsOperands, odsAttributes);\n  }]>,\n"
     << "  OpBuilder<(ins \"::mlir::TypeRange\":$odsTypes, \"::mlir::ValueRange\":$odsOperands,\n"
     << "    CArg<\"::llvm::ArrayRef<::mlir::NamedAttribute>\", "
        "[{::llvm::ArrayRef<::mlir::NamedAttribute>()}]>:$odsAttributes), [{\n"
     << "    $_state.addTypes(odsTypes);\n    $_state.addOperands(odsOperands);\n"
     << "    $_state.addAttributes(odsAttributes);\n  }]>];\n";
}

static void emitRecord(raw_ostream &os, const OpDef &op) {
  os << formatv("\ndef Nn_{0}Op : Nn_EquationOp<\"{1}\"{2}> {{\n", convertToCamelFromSnakeCase(op.name, true), op.name,
                nn::needsSegments(op) ? ", [AttrSizedOperandSegments]" : "");
  os << "  let summary = " << quoted(op.doc.empty() ? op.name : op.doc.front().rtrim('.')) << ";\n";
  os << "  let description = [{\n";
  for (StringRef line : op.doc)
    os << "    " << line << '\n';
  os << "    ```\n";
  for (StringRef line : split(op.text, '\n'))
    os << "    " << line << '\n';
  os << "    ```\n  }];\n";

  ListSeparator arguments, results;
  os << "  let arguments = (ins ";
  emitArguments(os, op.operands, arguments);
  emitArguments(os, op.attributes, arguments);
  os << ");\n  let results = (outs ";
  emitArguments(os, op.results, results);
  os << ");\n";
  emitBuilders(os, op);
  os << "}\n";
}

void eqgen::emitOds(raw_ostream &os, ArrayRef<OpDef> ops) {
  os << "// Generated by kumiko-eqgen from kumiko/Nn/*.eq.\n"
        "#ifndef KUMIKO_NN_EQUATIONS_TD\n#define KUMIKO_NN_EQUATIONS_TD\n\ninclude \"kumiko/Nn/NnBase.td\"\n";
  for (const OpDef &op : ops)
    emitRecord(os, op);
  os << "\n#endif // KUMIKO_NN_EQUATIONS_TD\n";
}

#include "kumiko/Equation/Given.h"
#include "llvm/ADT/STLExtras.h"

namespace kumiko::eq {

/// Cuts at commas outside brackets.
static llvm::SmallVector<llvm::StringRef> cut(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (!text.slice(begin, i).trim().empty())
        parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    } else {
      depth += text[i] == '[';
      depth -= text[i] == ']';
    }
  }
  return parts;
}

static llvm::Error noNumber(llvm::StringRef text) { return llvm::createStringError("'" + text + "' is not a number"); }

llvm::Expected<TensorType> parseType(llvm::StringRef text, const Numbers &numbers) {
  auto [name, shape] = text.split('[');
  std::optional<ElementType> element = elementTypeNamed(name.trim());
  if (!element || !shape.consume_back("]"))
    return llvm::createStringError("'" + text + "' is not a type such as f32[2,n]");
  TensorType type{*element, {}};
  for (llvm::StringRef part : cut(shape)) {
    int64_t number;
    if (!part.getAsInteger(10, number))
      type.shape.push_back(number);
    else if (auto known = numbers.find(part); known != numbers.end())
      type.shape.push_back(known->second);
    else
      type.shape.push_back(Extent::symbol(part));
  }
  return type;
}

static llvm::Expected<int64_t> parseInteger(llvm::StringRef text) {
  int64_t integer;
  if (text.getAsInteger(10, integer))
    return noNumber(text);
  return integer;
}

static llvm::Expected<double> parseReal(llvm::StringRef text) {
  double real;
  if (text.getAsDouble(real))
    return noNumber(text);
  return real;
}

template <typename List, typename Parse> static llvm::Expected<Attribute> parseList(llvm::StringRef text, Parse parse) {
  List list;
  for (llvm::StringRef part : cut(text.trim("[]"))) {
    auto element = parse(part);
    if (!element)
      return element.takeError();
    list.push_back(*element);
  }
  return list;
}

static llvm::Expected<Attribute> parseAttribute(AttributeKind kind, llvm::StringRef text) {
  switch (kind) {
  case AttributeKind::Int:
    return parseInteger(text);
  case AttributeKind::Float:
    return parseReal(text);
  case AttributeKind::Bool:
    return text == "true";
  case AttributeKind::Str:
  case AttributeKind::Combine:
    return text.str();
  case AttributeKind::Type:
    if (std::optional<ElementType> type = elementTypeNamed(text))
      return *type;
    return llvm::createStringError("'" + text + "' is not a type");
  case AttributeKind::Ints:
    return parseList<llvm::SmallVector<int64_t, 6>>(text, parseInteger);
  case AttributeKind::Floats:
    return parseList<llvm::SmallVector<double, 4>>(text, parseReal);
  }
  llvm_unreachable("all kinds are above");
}

llvm::Expected<Given> Given::parse(const OpDef &op, llvm::StringRef text, const Numbers &numbers) {
  Given given;
  auto [operandText, attributeText] = text.split(';');
  for (llvm::StringRef part : cut(operandText)) {
    if (part == "-") {
      given.operands.push_back(std::nullopt);
      continue;
    }
    llvm::Expected<TensorType> type = parseType(part, numbers);
    if (!type)
      return type.takeError();
    given.operands.push_back(std::move(*type));
  }
  for (llvm::StringRef part : cut(attributeText)) {
    auto [name, value] = part.split('=');
    const auto *definition =
        llvm::find_if(op.attributes, [name = name](const AttributeDef &known) { return known.name == name; });
    // An attribute that the op does not have is left to instantiation to refuse.
    AttributeKind kind = definition == op.attributes.end() ? AttributeKind::Int : definition->kind;
    llvm::Expected<Attribute> attribute = parseAttribute(kind, value);
    if (!attribute)
      return attribute.takeError();
    given.attributes[name] = std::move(*attribute);
  }
  return given;
}

} // namespace kumiko::eq

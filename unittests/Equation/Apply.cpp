#include "Apply.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace kumiko::eq::test {

TensorType typeOf(llvm::StringRef text) {
  auto [element, shape] = text.split('[');
  TensorType type;
  type.element = elementTypeNamed(element.trim()).value_or(ElementType::Invalid);
  EXPECT_NE(type.element, ElementType::Invalid) << text.str();
  shape = shape.take_until([](char c) { return c == ']'; });
  llvm::SmallVector<llvm::StringRef> parts;
  shape.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    int64_t number;
    type.shape.push_back(part.trim().getAsInteger(10, number) ? Extent::symbol(part.trim()) : Extent(number));
  }
  return type;
}

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

static Attribute attributeOf(AttributeKind kind, llvm::StringRef text) {
  int64_t integer = 0;
  double real = 0;
  switch (kind) {
  case AttributeKind::Int:
    EXPECT_FALSE(text.getAsInteger(10, integer)) << text.str();
    return integer;
  case AttributeKind::Float:
    EXPECT_FALSE(text.getAsDouble(real)) << text.str();
    return real;
  case AttributeKind::Bool:
    return text == "true";
  case AttributeKind::Str:
  case AttributeKind::Combine:
    return text.str();
  case AttributeKind::Type:
    return elementTypeNamed(text).value_or(ElementType::Invalid);
  case AttributeKind::Ints: {
    llvm::SmallVector<int64_t, 6> list;
    for (llvm::StringRef part : cut(text.trim("[]"))) {
      EXPECT_FALSE(part.getAsInteger(10, integer)) << part.str();
      list.push_back(integer);
    }
    return list;
  }
  case AttributeKind::Floats: {
    llvm::SmallVector<double, 4> list;
    for (llvm::StringRef part : cut(text.trim("[]"))) {
      EXPECT_FALSE(part.getAsDouble(real)) << part.str();
      list.push_back(real);
    }
    return list;
  }
  }
  return int64_t(0);
}

Given::Given(const OpDef &op, llvm::StringRef text) {
  auto [operandText, attributeText] = text.split(';');
  for (llvm::StringRef part : cut(operandText))
    operands.push_back(part == "-" ? std::nullopt : std::optional(typeOf(part)));
  for (llvm::StringRef part : cut(attributeText)) {
    auto [name, value] = part.split('=');
    const auto *definition =
        llvm::find_if(op.attributes, [name = name](const AttributeDef &known) { return known.name == name; });
    AttributeKind kind = definition == op.attributes.end() ? AttributeKind::Int : definition->kind;
    application.attributes[name] = attributeOf(kind, value);
  }
  application.operands = operands;
}

OpDef op(llvm::StringRef text) {
  llvm::Expected<OpDef> result = parseOp(text);
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

Instance instance(const OpDef &op, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  Given application(op, given);
  application.application.resultsWanted = wanted;
  llvm::Expected<Instance> result = instantiate(op, application.application);
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

Instance instance(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  return instance(op(text), given, wanted);
}

std::string shown(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  return str(instance(text, given, wanted));
}

std::string statements(llvm::StringRef text, llvm::StringRef given, llvm::ArrayRef<bool> wanted) {
  Instance result = instance(text, given, wanted);
  std::string lines;
  llvm::raw_string_ostream os(lines);
  for (const Statement &statement : result.statements) {
    print(os, result, statement);
    os << '\n';
  }
  return lines;
}

std::string refusal(llvm::StringRef text, llvm::StringRef given) {
  OpDef definition = op(text);
  llvm::Expected<Instance> result = instantiate(definition, Given(definition, given).application);
  if (!result)
    return llvm::toString(result.takeError());
  return "accepted:\n" + str(*result);
}

std::string results(const OpDef &op, llvm::StringRef given) {
  auto types = inferResults(op, Given(op, given).application);
  if (!types)
    return llvm::toString(types.takeError());
  std::string text;
  for (const TensorType &type : *types)
    text += (text.empty() ? "" : " ") + str(type);
  return text;
}

llvm::ArrayRef<OpDef> builtinOps() {
  static const auto ops = [] {
    llvm::SmallVector<OpDef, 0> list;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator file(KUMIKO_NN_DIR, error), end; file != end && !error;
         file.increment(error)) {
      if (llvm::sys::path::extension(file->path()) != ".eq")
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(file->path());
      ParseResult parsed = parse(file->path(), buffer ? (*buffer)->getBuffer() : "");
      EXPECT_TRUE(parsed.ok()) << parsed.rendered();
      llvm::append_range(list, parsed.ops);
    }
    return list;
  }();
  return ops;
}

OpDef builtin(llvm::StringRef name) {
  for (const OpDef &op : builtinOps())
    if (op.name == name)
      return op;
  ADD_FAILURE() << "no op " << name.str();
  return {};
}

} // namespace kumiko::eq::test

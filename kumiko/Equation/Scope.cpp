#include "kumiko/Equation/Scope.h"
#include "kumiko/Equation/Lexer.h"
#include "llvm/ADT/StringExtras.h"

namespace kumiko::eq {

bool Scope::isFree(llvm::StringRef name, SourceRange range) {
  if (isReserved(name)) {
    sink.error(range, "'" + name + "' is a reserved word", "choose another name, for example `" + name + "_`");
    return false;
  }
  if (tensorNumbers.contains(name) || attributeNumbers.contains(name)) {
    sink.error(range, "'" + name + "' is declared twice", "operands, attributes and results need different names");
    return false;
  }
  return true;
}

void Scope::addTensor(llvm::StringRef name, TensorSymbol::Role role, unsigned number, SourceRange range) {
  if (!isFree(name, range))
    return;
  tensorNumbers[name] = tensors.size();
  tensors.push_back({name, role, number});
}

void Scope::addAttribute(const AttributeDef &attribute) {
  if (isFree(attribute.name, attribute.range))
    attributeNumbers[attribute.name] = attributes.size();
  attributes.push_back(attribute);
}

std::optional<unsigned> Scope::typeVariable(llvm::StringRef name) const {
  const auto *found = llvm::find(typeVariables, name);
  return found == typeVariables.end() ? std::nullopt : std::optional<unsigned>(found - typeVariables.begin());
}

TypeRef Scope::type(llvm::StringRef name, SourceRange range, bool mayDeclare) {
  TypeRef type;
  type.name = name;
  if (auto element = elementTypeNamed(name)) {
    type.kind = TypeRef::Kind::Element;
    type.element = *element;
    return type;
  }
  if (auto number = attribute(name)) {
    type.kind = TypeRef::Kind::Attribute;
    type.number = *number;
    if (attributes[*number].kind != AttributeKind::Type)
      sink.error(range, "attribute '" + name + "' is " + nameOf(attributes[*number].kind) + ", not a type",
                 "declare it as `" + name + ": type`");
    return type;
  }
  bool isVariable = !name.empty() && llvm::isUpper(name[0]);
  if (isVariable && (mayDeclare || typeVariable(name))) {
    type.number = typeVariable(name).value_or(typeVariables.size());
    if (type.number == typeVariables.size())
      typeVariables.push_back(name);
    return type;
  }
  if (isVariable)
    sink.error(range, "type variable '" + name + "' is not the type of any operand",
               "use the type of an operand, a type such as f32, or an attribute of type `type`");
  else
    sink.error(
        range, "unknown type '" + name + "'",
        "types are b1, i8 to i64, u8 to u64, f16, bf16, f32, f64 and the small ones; a type variable begins with "
        "a capital letter");
  return type;
}

void Scope::beginStatement() {
  indices.clear();
  indexNumbers.clear();
  occurrences.clear();
}

void Scope::addVariadicNumber(llvm::StringRef name) {
  if (indexNumbers.contains(name))
    return;
  indexNumbers[name] = indices.size();
  indices.push_back({name, /*pack=*/false, /*variadicNumber=*/true});
}

unsigned Scope::useIndex(llvm::StringRef name, SourceRange range) {
  auto [entry, isNew] = indexNumbers.try_emplace(name, indices.size());
  if (isNew)
    indices.push_back({name});
  occurrences.push_back({entry->second, range});
  return entry->second;
}

void Scope::markPack(size_t count, bool bare) {
  for (Occurrence &occurrence : llvm::MutableArrayRef(occurrences).drop_front(count)) {
    occurrence.inPack = true;
    occurrence.barePack = occurrence.barePack || bare;
  }
}

// `i` is a pack when it only occurs in items that end in `...`. In `x(i + t...)` a name that also stands alone
// elsewhere, as `t` in `y(t, i...)`, is a single index that repeats. `i...` and `i` in one statement are a mistake.
void Scope::endStatement() {
  for (unsigned number = 0; number < indices.size(); ++number) {
    const Occurrence *alone = nullptr, *packed = nullptr, *barePack = nullptr;
    for (const Occurrence &occurrence : occurrences) {
      if (occurrence.index != number)
        continue;
      (occurrence.inPack ? packed : alone) = &occurrence;
      if (occurrence.barePack)
        barePack = &occurrence;
    }
    indices[number].pack = packed && !alone;
    if (alone && barePack)
      sink.error(alone->range, "'" + indices[number].name + "' is used with and without `...`",
                 "write `" + indices[number].name + "...` everywhere, or give the single index another name");
  }
}

} // namespace kumiko::eq

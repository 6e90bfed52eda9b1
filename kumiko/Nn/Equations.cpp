#include "kumiko/Nn/Equations.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Nn/Definition.h"
#include "kumiko/Nn/Extents.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace mlir;

namespace kumiko::nn {

namespace {

struct EmbeddedFile {
  llvm::StringLiteral name;
  llvm::StringLiteral text;
};

/// The built-in ops. The generator has checked the texts, so reading them cannot fail here.
struct Library {
  std::vector<eq::OpDef> ops;
  llvm::StringMap<unsigned> byName;

  Library() {
    constexpr EmbeddedFile files[] = {
#include "kumiko/Nn/EquationText.inc"
    };
    for (const EmbeddedFile &file : files) {
      eq::ParseResult parsed = eq::parse(file.name, file.text);
      assert(parsed.ok() && "checked by kumiko-eqgen");
      for (eq::OpDef &op : parsed.ops) {
        byName[op.name] = ops.size();
        ops.push_back(std::move(op));
      }
    }
  }

  static const Library &get() {
    static const Library library;
    return library;
  }
};

/// Definitions that came with a program, by their text. They live as long as the process, so that ops may point to
/// them; there are as many as users write.
struct CustomOps {
  std::mutex mutex;
  llvm::StringMap<std::optional<eq::OpDef>> byText;

  const eq::OpDef *find(StringRef text) {
    std::lock_guard lock(mutex);
    auto [entry, isNew] = byText.try_emplace(text);
    if (isNew) {
      llvm::Expected<eq::OpDef> parsed = eq::parseOp(text);
      if (parsed)
        entry->second = std::move(*parsed);
      else
        llvm::consumeError(parsed.takeError());
    }
    return entry->second ? &*entry->second : nullptr;
  }

  static CustomOps &get() {
    static CustomOps ops;
    return ops;
  }
};

template <typename... Args> llvm::Error failed(const char *format, Args &&...args) {
  return llvm::createStringError(llvm::formatv(format, std::forward<Args>(args)...).str());
}

/// What is wrong with a type before any equation is looked at.
llvm::Error checkType(StringRef role, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return failed("{0} is '{1}', expected a ranked tensor", role, type);
  if (!tensor.hasStaticShape() && !isa_and_present<ExtentsAttr>(tensor.getEncoding()))
    return failed("{0} is '{1}', expected extents that are numbers or #nn.extents", role, type);
  if (toEquation(tensor.getElementType()) == ElementType::Invalid)
    return failed("{0} has elements of type '{1}', which equations do not have", role, tensor.getElementType());
  return llvm::Error::success();
}

/// Instantiates; the message does not repeat the op's name, because every diagnostic begins with it.
llvm::Expected<eq::Instance> apply(const eq::OpDef &op, const eq::Application &application) {
  llvm::Expected<eq::Instance> instance = eq::instantiate(op, application);
  if (instance)
    return instance;
  std::string text = llvm::toString(instance.takeError());
  StringRef message = text;
  message.consume_front((op.name + ": ").str());
  return llvm::createStringError(message);
}

/// Owns what eq::Application only refers to.
struct OwnedApplication {
  SmallVector<std::optional<eq::TensorType>, 4> operands;
  eq::Application application;
};

/// The operand that slot `slot` of `slots` belongs to.
unsigned operandOfSlot(const eq::OpDef &op, unsigned slot, unsigned slots) {
  std::optional<unsigned> variadic = op.variadicOperand();
  if (!variadic || slot < *variadic)
    return slot;
  unsigned afterVariadic = op.operands.size() - *variadic - 1;
  return slot + afterVariadic < slots ? *variadic : op.operands.size() - (slots - slot);
}

llvm::Error fillOperands(OwnedApplication &result, const eq::OpDef &op, ArrayRef<Type> operands) {
  if (!op.variadicOperand() && operands.size() > op.operands.size())
    return failed("{0} operands given, {1} takes {2}", operands.size(), op.name, op.operands.size());
  for (auto [slot, type] : llvm::enumerate(operands)) {
    if (!type) {
      result.operands.push_back(std::nullopt);
      continue;
    }
    StringRef name = op.operands[operandOfSlot(op, slot, operands.size())].name;
    if (llvm::Error error = checkType(name, type))
      return error;
    result.operands.push_back(toEquation(cast<RankedTensorType>(type)));
  }
  result.application.operands = result.operands;
  return llvm::Error::success();
}

llvm::Error fillAttributes(OwnedApplication &result, const eq::OpDef &op, ArrayRef<NamedAttribute> attributes) {
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName().strref();
    const eq::AttributeDef *def = llvm::find_if(op.attributes, [&](auto &each) { return each.name == name; });
    // Anything may be attached to an op under a dialect's prefix; it is no business of the equation.
    if (def == op.attributes.end() && (name.contains('.') || name == "operandSegmentSizes"))
      continue;
    if (def == op.attributes.end())
      return failed("{0} has no attribute '{1}'", op.name, name);
    std::optional<eq::Attribute> value = toEquation(attribute.getValue(), def->kind);
    if (!value)
      return failed("attribute '{0}' is {1}, expected {2}", name, attribute.getValue(), eq::nameOf(def->kind));
    result.application.attributes.try_emplace(name, std::move(*value));
  }
  return llvm::Error::success();
}

} // namespace

const eq::OpDef *lookupEquation(StringRef opName) {
  const Library &library = Library::get();
  opName.consume_front("nn.");
  auto found = library.byName.find(opName);
  return found == library.byName.end() ? nullptr : &library.ops[found->second];
}

const eq::OpDef *lookupEquation(StringRef opName, ArrayRef<NamedAttribute> attributes) {
  opName.consume_front("nn.");
  if (opName != "custom")
    return lookupEquation(opName);
  for (NamedAttribute attribute : attributes)
    if (attribute.getName() == definitionName)
      if (auto text = dyn_cast<StringAttr>(attribute.getValue()))
        return CustomOps::get().find(text);
  return nullptr;
}

const eq::OpDef *definitionOf(Operation *op) { return lookupEquation(op->getName().getStringRef(), op->getAttrs()); }

ArrayRef<eq::OpDef> allEquations() { return Library::get().ops; }

SmallVector<Value, 4> operandSlots(Operation *op) {
  SmallVector<Value, 4> slots(op->getOperands());
  const eq::OpDef *def = definitionOf(op);
  if (!def)
    return slots;
  if (!needsSegments(*def)) {
    // At most one operand varies: if it is optional and one is missing, it is that one.
    if (!def->variadicOperand() && slots.size() < def->operands.size())
      slots.insert(llvm::find_if(def->operands, [](auto &each) { return each.optional; }) - def->operands.begin() +
                       slots.begin(),
                   Value());
    return slots;
  }
  slots.clear();
  auto sizes = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes").asArrayRef();
  unsigned next = 0;
  for (auto [operand, size] : llvm::zip_equal(def->operands, sizes)) {
    if (size == 0 && operand.optional)
      slots.push_back({});
    for (int32_t i = 0; i < size; ++i)
      slots.push_back(op->getOperand(next++));
  }
  return slots;
}

llvm::Expected<eq::Instance> instantiate(Operation *op, bool onlyUsedResults) {
  const eq::OpDef *def = definitionOf(op);
  if (!def)
    return failed("{0}", isa<CustomOp>(op) ? "needs " + definitionName + ", the text of one op"
                                           : "'" + op->getName().getStringRef() + "' is not defined by an equation");
  SmallVector<Type, 4> types;
  for (Value value : operandSlots(op))
    types.push_back(value ? value.getType() : Type());
  OwnedApplication owned;
  if (llvm::Error error = fillOperands(owned, *def, types))
    return error;
  if (llvm::Error error = fillAttributes(owned, *def, op->getAttrs()))
    return error;
  SmallVector<bool, 4> wanted;
  if (onlyUsedResults)
    for (Value result : op->getResults())
      wanted.push_back(!result.use_empty());
  owned.application.resultsWanted = wanted;
  return apply(*def, owned.application);
}

llvm::Expected<SmallVector<Type, 2>> inferTypes(MLIRContext *context, const eq::OpDef &op, ArrayRef<Type> operands,
                                                ArrayRef<NamedAttribute> attributes) {
  OwnedApplication owned;
  if (llvm::Error error = fillOperands(owned, op, operands))
    return error;
  if (llvm::Error error = fillAttributes(owned, op, attributes))
    return error;
  llvm::Expected<eq::Instance> instance = apply(op, owned.application);
  if (!instance)
    return instance.takeError();
  SmallVector<Type, 2> types(op.results.size());
  for (const eq::Tensor &tensor : instance->tensors)
    if (tensor.role == eq::Tensor::Role::Result)
      types[tensor.number] = fromEquation(context, tensor.type);
  return types;
}

} // namespace kumiko::nn

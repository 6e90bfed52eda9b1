#include "kumiko/Optimize/SplitDefinition.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Optimize/Applied.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::optimize;

namespace {

class Splitter {
public:
  Splitter(nn::CustomOp op, const eq::Instance &instance, std::string &why)
      : op(op), instance(instance), why(why), def(*nn::definitionOf(op)), b(op) {
    for (auto [slot, value] : llvm::enumerate(nn::operandSlots(op)))
      values[slot] = value;
  }

  FailureOr<SmallVector<Operation *>> run(unsigned around) {
    if (def.variadicOperand()) {
      why = "an op with any number of operands is not taken apart";
      return failure();
    }
    SmallVector<const eq::StatementDef *> live;
    for (const eq::Statement &statement : instance.statements)
      live.push_back(llvm::find_if(def.statements, [&](auto &each) { return each.text == statement.text; }));
    ArrayRef<const eq::StatementDef *> all(live);
    SmallVector<Operation *> made;
    for (auto part : {all.take_front(around), all.slice(around, 1), all.drop_front(around + 1)}) {
      if (part.empty())
        continue;
      FailureOr<Operation *> next = makeOf(part, all.drop_front(part.end() - all.begin()));
      if (failed(next)) {
        for (Operation *each : llvm::reverse(made))
          each->erase();
        return failure();
      }
      made.push_back(*next);
    }
    for (auto [number, symbol] : llvm::enumerate(def.tensors))
      if (symbol.role == eq::TensorSymbol::Role::Result && values.contains(number))
        op->getResult(symbol.number).replaceAllUsesWith(values[number]);
    op->erase();
    return made;
  }

private:
  using Names = llvm::SetVector<unsigned>; ///< numbers of OpDef::tensors

  /// What a statement names: reads, and tensors whose shape it asks for.
  Names namedIn(ArrayRef<const eq::StatementDef *> statements) const {
    Names names;
    for (const eq::StatementDef *statement : statements) {
      eq::walk(*statement, [&](const eq::Node &node) {
        if (node.binding == eq::Node::Binding::Tensor)
          names.insert(node.number);
      });
      for (const eq::ClauseDef &clause : statement->clauses)
        if (clause.kind == eq::ClauseDef::Kind::Like)
          names.insert(clause.otherTensor);
    }
    return names;
  }
  Names madeBy(ArrayRef<const eq::StatementDef *> statements) const {
    Names names;
    for (const eq::StatementDef *statement : statements)
      for (const eq::TargetDef &target : statement->targets)
        names.insert(target.tensor);
    return names;
  }

  ElementType elementOf(unsigned number) const {
    for (const eq::Tensor &tensor : instance.tensors)
      if (tensor.name == def.tensors[number].name)
        return tensor.type.element;
    return ElementType::Invalid;
  }

  /// An operand as it is declared; a value on the way by its type, or as a variable that the part still needs.
  std::string declared(unsigned number, llvm::StringMap<ElementType> &variables) const {
    const eq::TensorSymbol &symbol = def.tensors[number];
    if (symbol.role == eq::TensorSymbol::Role::Operand) {
      const eq::TensorDef &operand = def.operands[symbol.number];
      variables.erase(operand.type.name);
      StringRef type =
          operand.type.kind == eq::TypeRef::Kind::Element ? nameOf(operand.type.element) : operand.type.name;
      return (symbol.name + (operand.optional ? "?: " : ": ") + type).str();
    }
    ElementType element = elementOf(number);
    for (auto &variable : variables)
      if (variable.second == element) {
        std::string text = (symbol.name + ": " + variable.first()).str();
        variables.erase(variable.first());
        return text;
      }
    return (symbol.name + ": " + nameOf(element)).str();
  }

  /// Type variables that the statements name, with their values.
  llvm::StringMap<ElementType> variablesIn(ArrayRef<const eq::StatementDef *> statements) const {
    llvm::StringMap<ElementType> variables;
    for (const eq::StatementDef *statement : statements)
      eq::walk(*statement, [&](const eq::Node &node) {
        if (node.binding != eq::Node::Binding::Type)
          return;
        StringRef name = def.typeVariables[node.number];
        for (auto [number, symbol] : llvm::enumerate(def.tensors))
          if (symbol.role == eq::TensorSymbol::Role::Operand && def.operands[symbol.number].type.name == name)
            variables[name] = elementOf(number);
      });
    return variables;
  }

  FailureOr<Operation *> makeOf(ArrayRef<const eq::StatementDef *> part, ArrayRef<const eq::StatementDef *> later) {
    Names made = madeBy(part), named = namedIn(part), wanted = namedIn(later);
    llvm::StringMap<ElementType> variables = variablesIn(part);
    std::string text = ("op " + def.name + "(").str();
    SmallVector<Value> operands;
    // Operands as they are declared come first: they say what the variables are.
    for (bool isOperand : {true, false})
      for (unsigned number : named)
        if (!made.contains(number) && (def.tensors[number].role == eq::TensorSymbol::Role::Operand) == isOperand) {
          text += (operands.empty() ? "" : ", ") + declared(number, variables);
          operands.push_back(values.lookup(number));
        }
    text += attributesText() + ") -> (";
    SmallVector<unsigned> results;
    for (unsigned number : made) {
      bool isResult = def.tensors[number].role == eq::TensorSymbol::Role::Result &&
                      !op->getResult(def.tensors[number].number).use_empty();
      if (!isResult && !wanted.contains(number))
        continue;
      text += (results.empty() ? "" : ", ") + def.tensors[number].name.str() + ": " + nameOf(elementOf(number)).str();
      results.push_back(number);
    }
    text += ") {";
    for (const eq::StatementDef *statement : part)
      text += "\n  " + statement->text.str();
    text += "\n}";
    NamedAttrList attributes = equationAttributes(op, def);
    attributes.set(nn::definitionName, b.getStringAttr(text));
    FailureOr<Operation *> built = nn::buildEquationOp(b, op.getLoc(), "custom", operands, attributes.getAttrs(), why);
    if (succeeded(built))
      for (auto [number, value] : llvm::zip_equal(results, (*built)->getResults()))
        values[number] = value;
    return built;
  }

  std::string attributesText() const {
    std::string text;
    for (const eq::AttributeDef &attribute : def.attributes)
      text += (text.empty() ? "; " : ", ") + attribute.name.str() + ": " + eq::nameOf(attribute.kind).str();
    return text;
  }

  nn::CustomOp op;
  const eq::Instance &instance;
  std::string &why;
  const eq::OpDef &def;
  OpBuilder b;
  llvm::DenseMap<unsigned, Value> values; ///< by number of OpDef::tensors
};

} // namespace

FailureOr<SmallVector<Operation *>> optimize::splitAround(nn::CustomOp op, const eq::Instance &instance,
                                                          unsigned statement, std::string &why) {
  return Splitter(op, instance, why).run(statement);
}

#include "kumiko/Equation/Checker.h"
#include "kumiko/Equation/Builtin.h"
#include "llvm/ADT/BitVector.h"

namespace kumiko::eq {
namespace {

bool fitsDefault(AttributeKind kind, const Node &value) {
  switch (kind) {
  case AttributeKind::Int:
    return value.kind == Node::Kind::Integer;
  case AttributeKind::Float:
    return value.kind == Node::Kind::Integer || value.kind == Node::Kind::Real;
  case AttributeKind::Bool:
    return value.kind == Node::Kind::Bool;
  case AttributeKind::Str:
  case AttributeKind::Combine:
    return value.kind == Node::Kind::String;
  case AttributeKind::Type:
    return (value.kind == Node::Kind::String && elementTypeNamed(value.text)) || value.binding == Node::Binding::Type;
  case AttributeKind::Ints:
  case AttributeKind::Floats:
    return false;
  }
  return false;
}

/// Temporaries and results are defined once, before they are used.
class OrderCheck {
public:
  OrderCheck(const OpDef &op, DiagnosticSink &sink) : op(op), sink(sink), assigned(op.tensors.size()) {}

  void run() {
    for (unsigned number = 0; number < op.tensors.size(); ++number)
      if (op.tensors[number].role == TensorSymbol::Role::Operand)
        assigned.set(number);
    for (const StatementDef &statement : op.statements) {
      walk(statement, [&](const Node &node) { use(node); });
      for (const ClauseDef &clause : statement.clauses)
        if (clause.kind == ClauseDef::Kind::Like && !assigned[clause.otherTensor])
          sink.error(clause.range, "'" + clause.other + "' has no value yet", "assign it in a statement above");
      for (const TargetDef &target : statement.targets)
        define(target);
    }
    for (unsigned number = 0; number < op.tensors.size(); ++number)
      if (!assigned[number])
        sink.error(op.results[op.tensors[number].number].range,
                   "result '" + op.tensors[number].name + "' is never assigned",
                   "add a statement `" + op.tensors[number].name + "(...) = ...`");
  }

private:
  void use(const Node &node) {
    if (node.kind == Node::Kind::Read && !assigned[node.number])
      sink.error(node.range, "'" + node.text + "' has no value yet", "assign it in a statement above");
  }

  void define(const TargetDef &target) {
    if (op.tensors[target.tensor].role == TensorSymbol::Role::Operand)
      sink.error(target.range, "operand '" + target.name + "' cannot be assigned", "assign a result or a temporary");
    else if (assigned[target.tensor])
      sink.error(target.range, "'" + target.name + "' is assigned twice",
                 "a tensor has one statement; use another name");
    assigned.set(target.tensor);
  }

  const OpDef &op;
  DiagnosticSink &sink;
  llvm::BitVector assigned;
};

} // namespace

void checkSignature(const OpDef &op, DiagnosticSink &sink) {
  bool hasVariadic = false;
  for (const TensorDef &operand : op.operands) {
    if (operand.variadic && operand.optional)
      sink.error(operand.range, "operand '" + operand.name + "' is both optional and variadic",
                 "a variadic operand may be empty already");
    if (operand.variadic && hasVariadic)
      sink.error(operand.range, "an op has at most one variadic operand");
    hasVariadic |= operand.variadic;
  }
  for (const TensorDef &result : op.results)
    if (result.optional || result.variadic)
      sink.error(result.range, "result '" + result.name + "' cannot be optional or variadic",
                 "a result that nobody uses costs nothing");
  for (const AttributeDef &attribute : op.attributes)
    if (attribute.defaultValue && !fitsDefault(attribute.kind, *attribute.defaultValue))
      sink.error(attribute.defaultValue->range,
                 "the default of '" + attribute.name + "' is not a value of type " + nameOf(attribute.kind),
                 attribute.kind == AttributeKind::Ints || attribute.kind == AttributeKind::Floats
                     ? "a list has no default"
                     : "");
}

void check(const OpDef &op, DiagnosticSink &sink) {
  checkSignature(op, sink);
  for (const StatementDef &statement : op.statements)
    checkStatement(op, statement, sink);
  OrderCheck(op, sink).run();
}

} // namespace kumiko::eq

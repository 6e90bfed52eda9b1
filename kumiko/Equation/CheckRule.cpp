//===- CheckRule.cpp - what must hold of a rewrite rule --------------------===//
#include "kumiko/Equation/Builtin.h"
#include "kumiko/Equation/Rule.h"
#include "kumiko/Equation/SourceFile.h"
#include "llvm/ADT/StringSet.h"

namespace kumiko::eq {

/// x(i...), by the index that the target has.
static bool readsPoint(const Node &read, unsigned index) {
  return read.items.size() == 1 && read.items[0].pack && !read.items[0].at && !read.otherwise && !read.nth &&
         read.items[0].value->binding == Node::Binding::Index && read.items[0].value->number == index;
}

bool isElementwise(const OpDef &op) {
  if (op.statements.size() != 1 || op.results.size() != 1 || op.operands.empty() ||
      llvm::any_of(op.operands, [](const TensorDef &operand) { return operand.optional || operand.variadic; }))
    return false;
  const StatementDef &statement = op.statements[0];
  if (statement.assign != AssignKind::Set || statement.targets.size() != 1 || statement.into ||
      !statement.clauses.empty())
    return false;
  llvm::ArrayRef<Item> target = statement.targets[0].items;
  if (target.size() != 1 || !target[0].pack || target[0].at || target[0].value->kind != Node::Kind::Name)
    return false;
  bool atPoint = true;
  walk(*statement.values[0], [&](const Node &node) {
    if (node.kind == Node::Kind::Read)
      atPoint &= readsPoint(node, target[0].value->number);
    // An index as a value is another for each point.
    else if (node.kind == Node::Kind::Call && node.builtin == Builtin::Pos)
      atPoint = false;
  });
  return atPoint;
}

bool isCommutative(const OpDef &op) {
  if (!isElementwise(op) || op.operands.size() != 2)
    return false;
  const Node &value = *op.statements[0].values[0];
  auto reads = [&](const Node &node, unsigned tensor) {
    return node.kind == Node::Kind::Read && node.binding == Node::Binding::Tensor && node.number == tensor;
  };
  if (value.kind == Node::Kind::Call && value.items.size() == 2 && value.builtin == Builtin::Value) {
    Function function = findBuiltin(value.text)->function;
    return (function == Function::Max || function == Function::Min) && reads(*value.items[0].value, 0) &&
           reads(*value.items[1].value, 1);
  }
  if (value.kind != Node::Kind::Binary || !reads(*value.operands[0], 0) || !reads(*value.operands[1], 1))
    return false;
  switch (value.op) {
  case Operator::Add:
  case Operator::Mul:
  case Operator::BitAnd:
  case Operator::BitOr:
  case Operator::BitXor:
  case Operator::Eq:
    return true;
  default:
    return false;
  }
}

namespace {

class RuleCheck {
public:
  RuleCheck(const RuleDef &rule, llvm::ArrayRef<OpDef> ops, DiagnosticSink &sink) : rule(rule), ops(ops), sink(sink) {}

  void run() {
    if (rule.doc.empty())
      sink.error(rule.range, "rule '" + rule.name + "' has no comment above it", "its first line stands in the table");
    if (rule.isCode())
      return;
    if (rule.left.kind != RuleTerm::Kind::Apply)
      return sink.error(rule.left.range, "the left side is not an op");
    isLeft = true;
    term(rule.left);
    isLeft = false;
    term(rule.right);
    for (const RuleCondition &condition : rule.when)
      for (const RuleValue &argument : condition.arguments)
        value(argument);
    for (const RuleTerm::Attribute &sample : rule.samples)
      if (!names.contains(sample.name))
        sink.error(sample.value.range, "'" + sample.name + "' is not part of the rule");
  }

private:
  void term(const RuleTerm &term) {
    if (term.kind == RuleTerm::Kind::Number)
      return;
    if (term.kind == RuleTerm::Kind::Variable) {
      if (isLeft)
        names.insert(term.name);
      else if (!names.contains(term.name))
        sink.error(term.range, "'" + term.name + "' does not stand on the left");
      return;
    }
    for (const RuleTerm &operand : term.operands)
      this->term(operand);
    if (isLeft)
      applied.insert(term.name);
    if (!isLeft && (term.rest || term.isOpVariable()) && !applied.contains(term.name))
      sink.error(term.range, "there is no '" + term.name + "' on the left to take the rest from");
    if (term.isReshape() || term.isOpVariable()) {
      if (!term.attributes.empty() || term.rest || (term.isReshape() && term.operands.size() != 1))
        sink.error(term.range, "'" + term.name + "' takes operands and nothing else");
      return;
    }
    const OpDef *op = llvm::find_if(ops, [&](const OpDef &each) { return each.name == term.name; });
    if (op == ops.end())
      return sink.error(term.range, "there is no op '" + term.name + "'");
    apply(term, *op);
  }

  void apply(const RuleTerm &term, const OpDef &op) {
    if (op.variadicOperand())
      return sink.error(term.range, "'" + op.name + "' takes a list of operands, which a rule cannot say");
    size_t needed = llvm::count_if(op.operands, [](const TensorDef &operand) { return !operand.optional; });
    if (term.operands.size() > op.operands.size() || (term.operands.size() < needed && !term.rest))
      sink.error(term.range, "'" + op.name + "' takes " + llvm::Twine(op.operands.size()) + " operands, not " +
                                 llvm::Twine(term.operands.size()));
    for (const RuleTerm::Attribute &attribute : term.attributes) {
      const AttributeDef *def =
          llvm::find_if(op.attributes, [&](const AttributeDef &each) { return each.name == attribute.name; });
      if (def == op.attributes.end())
        sink.error(attribute.value.range, "'" + op.name + "' has no attribute '" + attribute.name + "'");
      else if (!isLeft && def->kind == AttributeKind::Ints && attribute.value.kind == RuleValue::Kind::Integer)
        sink.error(attribute.value.range, "'" + attribute.name + "' is a list, how long is not said");
      value(attribute.value);
    }
    for (const AttributeDef &attribute : op.attributes)
      if (!attribute.defaultValue && !term.rest &&
          !llvm::any_of(term.attributes, [&](const auto &each) { return each.name == attribute.name; }))
        sink.error(term.range, "'" + op.name + "' needs its attribute '" + attribute.name + "'",
                   "a variable takes whatever it is; `...` takes all that are not named");
  }

  void value(const RuleValue &value) {
    if (value.kind == RuleValue::Kind::Name && isLeft)
      names.insert(value.text);
    else if (value.kind == RuleValue::Kind::Name && !names.contains(value.text))
      sink.error(value.range, "'" + value.text + "' does not stand on the left");
    else if (isLeft && (value.kind == RuleValue::Kind::Binary || value.kind == RuleValue::Kind::Pick ||
                        value.kind == RuleValue::Kind::Call))
      sink.error(value.range, "on the left an attribute is a name or a value, not a computation");
    for (const RuleValue &operand : value.operands)
      this->value(operand);
  }

  const RuleDef &rule;
  llvm::ArrayRef<OpDef> ops;
  DiagnosticSink &sink;
  llvm::StringSet<> names, applied;
  bool isLeft = true;
};

} // namespace

void checkRules(RuleFile &file, llvm::ArrayRef<OpDef> ops) {
  DiagnosticSink sink(file.parsed.text, file.parsed.diagnostics);
  llvm::StringSet<> names;
  for (const RuleDef &rule : file.rules) {
    if (!names.insert(rule.name).second)
      sink.error(rule.range, "rule '" + rule.name + "' is defined twice");
    RuleCheck(rule, ops, sink).run();
  }
}

} // namespace kumiko::eq

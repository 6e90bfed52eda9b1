#include "kumiko/Equation/Builtin.h"
#include "kumiko/Equation/Checker.h"
#include "llvm/ADT/BitVector.h"

namespace kumiko::eq {
namespace {

class StatementCheck {
public:
  StatementCheck(const OpDef &op, const StatementDef &statement, DiagnosticSink &sink)
      : op(op), statement(statement), sink(sink), onLeft(statement.indices.size()) {}

  void run() {
    walk(statement, [&](const Node &node) { checkExpression(op, node, sink); });
    counts();
    left();
    clauses();
    into();
    if (statement.assign == AssignKind::Set)
      everyIndexOnLeft();
  }

private:
  void counts();
  void left();
  void clauses();
  void into();
  void everyIndexOnLeft();
  void constant(const Node &node, llvm::StringRef what);
  bool computedLeft() const;
  bool usesVariadicNumber() const;
  bool isIndex(const Node &node) const {
    return node.kind == Node::Kind::Name && node.binding == Node::Binding::Index &&
           !statement.indices[node.number].variadicNumber;
  }

  const OpDef &op;
  const StatementDef &statement;
  DiagnosticSink &sink;
  llvm::BitVector onLeft;
};

void StatementCheck::counts() {
  size_t targets = statement.targets.size(), values = statement.values.size();
  if (targets != values)
    sink.error(statement.range,
               llvm::Twine(targets) + (targets == 1 ? " target but " : " targets but ") + llvm::Twine(values) +
                   (values == 1 ? " value" : " values"),
               "each target has one value");
  bool picks = statement.assign == AssignKind::Max || statement.assign == AssignKind::Min ||
               statement.assign == AssignKind::FromAttribute;
  if (targets > 2 || (targets == 2 && !picks))
    sink.error(statement.range, "two targets need `max=` or `min=`",
               "the first value decides and the second comes along; otherwise write one statement per target");
}

/// Indices on the left are distinct; whatever else stands there is a computed position.
void StatementCheck::left() {
  for (const TargetDef &target : statement.targets) {
    llvm::BitVector seen(statement.indices.size());
    auto bare = [&](const Node &node) {
      if (!isIndex(node))
        return;
      if (seen[node.number])
        sink.error(node.range, "index '" + node.text + "' stands twice on the left",
                   "each point of the result is defined once: use two indices and a condition");
      seen.set(node.number);
    };
    for (const Item &item : target.items) {
      bare(*item.value);
      for (const Item &part : item.value->items)
        if (item.value->kind == Node::Kind::Tuple)
          bare(*part.value);
    }
    walk(target.items, [&](const Node &node) {
      if (node.kind == Node::Kind::Name && node.binding == Node::Binding::Index)
        onLeft.set(node.number);
    });
  }
}

void StatementCheck::constant(const Node &node, llvm::StringRef what) {
  if (!node.constant)
    sink.error(node.range, what + " must be known when the op is applied", "use attributes, dim(...) and numbers");
}

bool StatementCheck::computedLeft() const {
  for (const TargetDef &target : statement.targets)
    for (const Item &item : target.items)
      if (!isIndex(*item.value) && item.value->kind != Node::Kind::Tuple && item.value->kind != Node::Kind::Integer)
        return true;
  return false;
}

bool StatementCheck::usesVariadicNumber() const {
  return llvm::any_of(statement.indices, [](const IndexDef &index) { return index.variadicNumber; });
}

void StatementCheck::clauses() {
  bool shaped = statement.into || usesVariadicNumber();
  bool condition = false;
  llvm::BitVector ranged(statement.indices.size());
  auto isTarget = [&](unsigned tensor) {
    return llvm::any_of(statement.targets, [&](const TargetDef &target) { return target.tensor == tensor; });
  };
  for (const ClauseDef &clause : statement.clauses) {
    switch (clause.kind) {
    case ClauseDef::Kind::Range:
      constant(*clause.value, "a range");
      if (clause.number < ranged.size()) {
        if (ranged[clause.number])
          sink.error(clause.range, "index '" + clause.name + "' has two ranges");
        ranged.set(clause.number);
      }
      break;
    case ClauseDef::Kind::Rank:
      constant(*clause.value, "a rank");
      if (clause.number < statement.indices.size() && !statement.indices[clause.number].pack)
        sink.error(clause.range, "'" + clause.name + "' is not a pack", "only `" + clause.name + "...` has a rank");
      break;
    case ClauseDef::Kind::Like:
    case ClauseDef::Kind::Shape:
      shaped = true;
      if (!isTarget(clause.number))
        sink.error(clause.range, "'" + clause.name + "' is not assigned by this statement",
                   "a shape is stated for the tensor on the left");
      for (const Item &item : clause.items)
        constant(*item.value, "a shape");
      break;
    case ClauseDef::Kind::Condition:
      condition = true;
      break;
    }
  }
  if (computedLeft() && !shaped)
    sink.error(statement.targets[0].range, "the shape of '" + statement.targets[0].name + "' is not stated",
               "a computed position on the left needs `into x`, `where y like x` or `where y : (...)`");
  if (condition && statement.assign == AssignKind::Set && !statement.into && !shaped)
    sink.error(statement.range,
               "a condition removes points, so some of '" + statement.targets[0].name + "' would not be defined",
               "use a reduction such as `+=`, or `condition ? a : b`");
}

void StatementCheck::into() {
  if (!statement.into)
    return;
  if (statement.into->kind != Node::Kind::Read || !statement.into->items.empty() || statement.into->otherwise)
    sink.error(statement.into->range, "`into` is followed by the name of a tensor",
               "the target starts as a copy of that tensor");
  if (statement.targets.size() > 1)
    sink.error(statement.into->range, "`into` needs a single target");
}

void StatementCheck::everyIndexOnLeft() {
  llvm::BitVector reported = onLeft;
  for (const Node *value : statement.values) {
    walk(*value, [&](const Node &node) {
      if (!isIndex(node) || reported[node.number])
        return;
      reported.set(node.number);
      sink.error(node.range, "index '" + node.text + "' is not on the left",
                 "`=` defines each point once; to sum over '" + node.text.str() + "' write `+=`");
    });
  }
}

} // namespace

void checkStatement(const OpDef &op, const StatementDef &statement, DiagnosticSink &sink) {
  StatementCheck(op, statement, sink).run();
}

} // namespace kumiko::eq

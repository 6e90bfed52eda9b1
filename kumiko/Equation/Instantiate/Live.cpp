#include "kumiko/Equation/Instantiate/Live.h"
#include "kumiko/Equation/Instantiate/Solver.h"

namespace kumiko::eq {
namespace {

class Liveness {
public:
  explicit Liveness(OpContext &context) : context(context), needs(context.op.tensors.size(), Need::No) {}

  llvm::SmallVector<Need, 8> run() {
    for (unsigned tensor = 0; tensor < needs.size(); ++tensor)
      if (context.op.tensors[tensor].role == TensorSymbol::Role::Result &&
          context.instance.tensors[context.tensors[tensor].first].present)
        needs[tensor] = Need::Value;
    for (const StatementDef &statement : llvm::reverse(context.op.statements)) {
      Need need = Need::No;
      for (const TargetDef &target : statement.targets)
        need = std::max(need, needs[target.tensor]);
      if (need != Need::No)
        visit(statement, need);
    }
    context.statement = nullptr;
    return std::move(needs);
  }

private:
  void require(unsigned tensor, Need need) { needs[tensor] = std::max(needs[tensor], need); }

  void visit(const StatementDef &statement, Need need) {
    context.statement = &statement;
    Folding folding(context, statement);
    for (const Node *value : statement.values)
      visit(*value, folding, need);
    if (statement.into)
      require(statement.into->number, need);
    for (const TargetDef &target : statement.targets)
      visit(target.items, folding, need);
    for (const ClauseDef &clause : statement.clauses) {
      if (clause.kind == ClauseDef::Kind::Like)
        require(clause.otherTensor, Need::Shape);
      if (clause.value)
        visit(*clause.value, folding, need);
      visit(clause.items, folding, need);
    }
  }

  void visit(llvm::ArrayRef<Item> items, Folding &folding, Need need) {
    for (const Item &item : items) {
      visit(*item.value, folding, need);
      if (item.at)
        visit(*item.at, folding, need);
    }
  }

  void visit(const Node &unresolved, Folding &folding, Need need) {
    const Node &node = folding.resolve(unresolved);
    if (node.kind == Node::Kind::Read)
      require(node.number, need);
    for (const Node *operand : node.operands)
      visit(*operand, folding, need);
    bool asksShape = node.kind == Node::Kind::Call && (namesTensor(node.builtin) || node.builtin == Builtin::Pos);
    if (asksShape && !node.items.empty()) {
      const Node &tensor = *node.items[0].value;
      require(tensor.number, Need::Shape);
      visit(tensor.items, folding, need);
      visit(node.items.drop_front(), folding, need);
    } else {
      visit(node.items, folding, need);
    }
    if (node.otherwise)
      visit(*node.otherwise, folding, need);
  }

  OpContext &context;
  llvm::SmallVector<Need, 8> needs;
};

} // namespace

llvm::SmallVector<Need, 8> findNeeds(OpContext &context) { return Liveness(context).run(); }

} // namespace kumiko::eq

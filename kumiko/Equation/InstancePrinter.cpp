#include "kumiko/Equation/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace kumiko::eq {
namespace {

/// The operator as written; empty for functions that are written as calls.
llvm::StringRef infix(Function function) {
  switch (function) {
  case Function::Add:
    return "+";
  case Function::Sub:
    return "-";
  case Function::Mul:
    return "*";
  case Function::Div:
    return "/";
  case Function::And:
    return "&";
  case Function::Or:
    return "|";
  case Function::Xor:
    return "^";
  case Function::Shl:
    return "<<";
  case Function::Shr:
    return ">>";
  case Function::Eq:
    return "==";
  case Function::Ne:
    return "!=";
  case Function::Lt:
    return "<";
  case Function::Le:
    return "<=";
  case Function::Gt:
    return ">";
  case Function::Ge:
    return ">=";
  default:
    return "";
  }
}

class ExprPrinter {
public:
  ExprPrinter(llvm::raw_ostream &os, const Instance &instance, const Statement &statement)
      : os(os), instance(instance), statement(statement) {}

  void print(const Expr &expr) {
    switch (expr.kind) {
    case Expr::Kind::Integer:
      return integer(expr);
    case Expr::Kind::Real:
      return printReal(os, expr.real);
    case Expr::Kind::Loop:
      os << statement.loops[expr.loop].name;
      return;
    case Expr::Kind::Read:
      place(expr.tensor, expr.operands);
      if (expr.otherwise) {
        os << " else ";
        print(*expr.otherwise);
      }
      return;
    case Expr::Kind::Apply:
      return apply(expr);
    case Expr::Kind::Select:
      os << '(';
      print(*expr.operands[0]);
      os << " ? ";
      print(*expr.operands[1]);
      os << " : ";
      print(*expr.operands[2]);
      os << ')';
      return;
    case Expr::Kind::Cast:
      os << kumiko::nameOf(expr.type) << '(';
      print(*expr.operands[0]);
      os << ')';
      return;
    }
  }

  void place(unsigned tensor, llvm::ArrayRef<const Expr *> indices) {
    os << instance.tensors[tensor].name << '[';
    llvm::interleaveComma(indices, os, [&](const Expr *index) { print(*index); });
    os << ']';
  }

private:
  void integer(const Expr &expr) {
    if (expr.symbolic)
      os << '{' << *expr.symbolic << '}';
    else if (expr.type == ElementType::B1)
      os << (expr.integer ? "true" : "false");
    else
      os << expr.integer;
  }

  void apply(const Expr &expr) {
    if (!infix(expr.function).empty()) {
      os << '(';
      print(*expr.operands[0]);
      os << ' ' << infix(expr.function) << ' ';
      print(*expr.operands[1]);
      os << ')';
      return;
    }
    os << nameOf(expr.function) << '(';
    llvm::interleaveComma(expr.operands, os, [&](const Expr *operand) { print(*operand); });
    os << ')';
  }

  llvm::raw_ostream &os;
  const Instance &instance;
  const Statement &statement;
};

void printLoops(llvm::raw_ostream &os, const Statement &statement) {
  for (auto [number, loop] : llvm::enumerate(statement.loops)) {
    if (number == statement.kept)
      os << " |";
    os << ' ' << loop.name << ':' << loop.extent;
  }
}

} // namespace

void print(llvm::raw_ostream &os, const TensorType &type) {
  os << kumiko::nameOf(type.element) << '[';
  llvm::interleave(type.shape, os, ",");
  os << ']';
}

void print(llvm::raw_ostream &os, const Instance &instance, const Statement &statement, const Expr &expr) {
  ExprPrinter(os, instance, statement).print(expr);
}

void print(llvm::raw_ostream &os, const Instance &instance, const Statement &statement) {
  static constexpr llvm::StringLiteral words[] = {"=", "+=", "*=", "max=", "min=", "and=", "or="};
  ExprPrinter printer(os, instance, statement);
  llvm::interleaveComma(statement.targets, os,
                        [&](const Target &target) { printer.place(target.tensor, target.indices); });
  os << (statement.continues ? " ..." : " ") << words[static_cast<size_t>(statement.combine)] << ' ';
  llvm::interleaveComma(statement.values, os, [&](const Expr *value) { printer.print(*value); });
  if (statement.into)
    os << " into " << instance.tensors[*statement.into].name;
  for (const Expr *condition : statement.conditions) {
    os << " where ";
    printer.print(*condition);
  }
  os << (statement.computedLeft ? "  scattered" : " ");
  printLoops(os, statement);
}

void print(llvm::raw_ostream &os, const Instance &instance) {
  for (const Tensor &tensor : instance.tensors) {
    if (!tensor.present)
      continue;
    static constexpr llvm::StringLiteral roles[] = {"operand", "result", "temporary"};
    os << roles[static_cast<size_t>(tensor.role)] << ' ' << tensor.name << ": ";
    print(os, tensor.type);
    os << '\n';
  }
  for (const Statement &statement : instance.statements) {
    print(os, instance, statement);
    os << '\n';
  }
  for (const auto &[a, b] : instance.checks)
    os << "check " << a << " == " << b << '\n';
  for (const auto &[a, b] : instance.broadcastChecks)
    os << "check " << a << " == " << b << " or either is 1\n";
  for (const auto &[a, b] : instance.boundChecks)
    os << "check " << a << " <= " << b << '\n';
  for (const auto &[a, b] : instance.repeatChecks)
    os << "check " << a << " <= " << b << " or " << b << " is 1\n";
}

std::string str(const TensorType &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, type);
  return text;
}

std::string str(const Instance &instance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, instance);
  return text;
}

} // namespace kumiko::eq

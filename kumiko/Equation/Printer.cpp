//===- Printer.cpp - the notation again ------------------------------------===//
#include "kumiko/Equation/Printer.h"
#include "kumiko/Equation/Builtin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

namespace kumiko::eq {
namespace {

/// How tightly an operator binds; a choice is 0, a primary 8.
unsigned levelOf(Operator op) {
  switch (op) {
  case Operator::Or:
    return 1;
  case Operator::And:
    return 2;
  case Operator::Eq:
  case Operator::Ne:
  case Operator::Lt:
  case Operator::Le:
  case Operator::Gt:
  case Operator::Ge:
    return 3;
  case Operator::BitAnd:
  case Operator::BitOr:
  case Operator::BitXor:
  case Operator::Shl:
  case Operator::Shr:
    return 4;
  case Operator::Add:
  case Operator::Sub:
    return 5;
  case Operator::Mul:
  case Operator::Div:
  case Operator::Mod:
    return 6;
  default:
    return 7;
  }
}

class NodePrinter {
public:
  explicit NodePrinter(llvm::raw_ostream &os) : os(os) {}

  /// In parentheses when it binds looser than `level`.
  void print(const Node &node, unsigned level = 0) {
    unsigned own = levelOf(node);
    if (own < level)
      os << '(';
    printBare(node, own);
    if (own < level)
      os << ')';
  }

  void items(llvm::ArrayRef<Item> list) {
    llvm::interleaveComma(list, os, [&](const Item &item) {
      print(*item.value);
      if (item.pack)
        os << "...";
      if (item.at) {
        os << " at ";
        print(*item.at);
      }
    });
  }

private:
  static unsigned levelOf(const Node &node) {
    switch (node.kind) {
    case Node::Kind::Select:
      return 0;
    case Node::Kind::Unary:
    case Node::Kind::Binary:
      return eq::levelOf(node.op);
    case Node::Kind::Read:
      return node.otherwise ? 7 : 8;
    case Node::Kind::Integer:
      return node.integer < 0 ? 7 : 8;
    case Node::Kind::Real:
      return std::signbit(node.real) ? 7 : 8;
    default:
      return 8;
    }
  }

  void printBare(const Node &node, unsigned own) {
    switch (node.kind) {
    case Node::Kind::Integer:
      os << node.integer;
      return;
    case Node::Kind::Real:
      return printReal(os, node.real);
    case Node::Kind::String:
      os << '"' << node.text << '"';
      return;
    case Node::Kind::Bool:
      os << (node.integer ? "true" : "false");
      return;
    case Node::Kind::Name:
      os << node.text;
      return;
    case Node::Kind::Read:
      return read(node);
    case Node::Kind::Call:
      os << node.text << '(';
      items(node.items);
      os << ')';
      return;
    case Node::Kind::Tuple:
      os << '(';
      items(node.items);
      os << ')';
      return;
    case Node::Kind::Element:
      print(*node.operands[0], 8);
      os << '[';
      print(*node.operands[1]);
      os << ']';
      return;
    case Node::Kind::Unary:
      os << spelling(node.op) << (node.op == Operator::Not ? " " : "");
      print(*node.operands[0], own);
      return;
    case Node::Kind::Binary:
      print(*node.operands[0], own);
      os << ' ' << spelling(node.op) << ' ';
      print(*node.operands[1], own + 1);
      return;
    case Node::Kind::Select:
      print(*node.operands[0], 1);
      os << " ? ";
      print(*node.operands[1]);
      os << " : ";
      print(*node.operands[2]);
      return;
    }
  }

  void read(const Node &node) {
    os << node.text;
    if (node.nth) {
      os << '[';
      print(*node.nth);
      os << ']';
    }
    if (!node.items.empty()) {
      os << '(';
      items(node.items);
      os << ')';
    }
    if (node.otherwise) {
      os << " else ";
      print(*node.otherwise, 7);
    }
  }

  llvm::raw_ostream &os;
};

void printClause(llvm::raw_ostream &os, const ClauseDef &clause) {
  NodePrinter printer(os);
  switch (clause.kind) {
  case ClauseDef::Kind::Range:
    os << clause.name << " in ";
    return printer.print(*clause.value);
  case ClauseDef::Kind::Rank:
    os << "rank " << clause.name << " = ";
    return printer.print(*clause.value);
  case ClauseDef::Kind::Like:
    os << clause.name << " like " << clause.other;
    return;
  case ClauseDef::Kind::Shape:
    os << clause.name << " : (";
    printer.items(clause.items);
    os << ')';
    return;
  case ClauseDef::Kind::Condition:
    return printer.items(clause.items);
  }
}

llvm::StringRef spelling(AssignKind kind) {
  static constexpr llvm::StringLiteral words[] = {"=", "+=", "*=", "max=", "min=", "and=", "or="};
  return words[static_cast<size_t>(kind)];
}

void printTensor(llvm::raw_ostream &os, const TensorDef &tensor) {
  os << tensor.name << (tensor.optional ? "?" : "") << (tensor.variadic ? "..." : "") << ": " << tensor.type.name;
}

void printImport(llvm::raw_ostream &os, const ImportDef &import) {
  os << "\n  from " << import.format << ' ' << import.domain << (import.domain.empty() ? "" : ".") << import.name;
  if (import.version)
    os << '-' << import.version;
  os << " (";
  llvm::interleaveComma(import.operands, os);
  if (!import.attributes.empty())
    os << "; ";
  llvm::interleaveComma(import.attributes, os, [&](const ImportDef::Attribute &pair) {
    os << pair.source;
    if (pair.source != pair.target)
      os << " -> " << pair.target;
  });
  os << ')';
}

} // namespace

void printReal(llvm::raw_ostream &os, double value) {
  if (std::isinf(value) || std::isnan(value)) {
    os << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  char buffer[32];
  llvm::StringRef text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr - buffer);
  os << text;
  if (text.find_first_of(".e") == llvm::StringRef::npos)
    os << ".0";
}

void print(llvm::raw_ostream &os, const Node &node) { NodePrinter(os).print(node); }

void print(llvm::raw_ostream &os, const StatementDef &statement) {
  NodePrinter printer(os);
  llvm::interleaveComma(statement.targets, os, [&](const TargetDef &target) {
    os << target.name;
    if (!target.items.empty()) {
      os << '(';
      printer.items(target.items);
      os << ')';
    }
  });
  if (statement.assign == AssignKind::FromAttribute)
    os << " [" << statement.kindName << "]= ";
  else
    os << ' ' << spelling(statement.assign) << ' ';
  llvm::interleaveComma(statement.values, os, [&](const Node *value) { printer.print(*value); });
  if (statement.into) {
    os << " into ";
    printer.print(*statement.into);
  }
  if (!statement.clauses.empty())
    os << " where ";
  llvm::interleaveComma(statement.clauses, os, [&](const ClauseDef &clause) { printClause(os, clause); });
}

void print(llvm::raw_ostream &os, const OpDef &op) {
  os << "op " << op.name << '(';
  llvm::interleaveComma(op.operands, os, [&](const TensorDef &operand) { printTensor(os, operand); });
  if (!op.attributes.empty())
    os << "; ";
  llvm::interleaveComma(op.attributes, os, [&](const AttributeDef &attribute) {
    os << attribute.name << ": " << nameOf(attribute.kind);
    if (attribute.defaultValue) {
      os << " = ";
      print(os, *attribute.defaultValue);
    }
  });
  os << ") -> " << (op.results.size() == 1 ? "" : "(");
  llvm::interleaveComma(op.results, os, [&](const TensorDef &result) { printTensor(os, result); });
  os << (op.results.size() == 1 ? "" : ")") << " {\n";
  for (const StatementDef &statement : op.statements) {
    os << "  ";
    print(os, statement);
    os << '\n';
  }
  os << '}';
  for (const ImportDef &import : op.imports)
    printImport(os, import);
  os << '\n';
}

std::string str(const Node &node) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, node);
  return text;
}

} // namespace kumiko::eq

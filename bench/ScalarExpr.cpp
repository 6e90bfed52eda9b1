#include "bench/ScalarExpr.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace kumiko::bench {

StringRef typeInC(ElementType type) {
  switch (type) {
  case ElementType::B1:
  case ElementType::U8:
    return "uint8_t";
  case ElementType::I8:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::I64:
  case ElementType::Index:
    return "int64_t";
  case ElementType::U16:
    return "uint16_t";
  case ElementType::U32:
    return "uint32_t";
  case ElementType::U64:
    return "uint64_t";
  case ElementType::F16:
    return "_Float16";
  case ElementType::BF16:
    return "__bf16";
  case ElementType::F32:
    return "float";
  case ElementType::F64:
    return "double";
  default:
    return "";
  }
}

void ExprWriter::count(const eq::Expr &expr) {
  if (uses[&expr]++)
    return;
  for (const eq::Expr *operand : expr.operands)
    count(*operand);
  if (expr.otherwise)
    count(*expr.otherwise);
}

std::string ExprWriter::write(const eq::Expr &expr) {
  bool isLeaf =
      expr.kind == eq::Expr::Kind::Integer || expr.kind == eq::Expr::Kind::Real || expr.kind == eq::Expr::Kind::Loop;
  if (uses[&expr] < 2 || isLeaf)
    return inPlace(expr);
  if (auto found = names.find(&expr); found != names.end())
    return found->second;
  std::string value = inPlace(expr);
  std::string name = "v" + std::to_string(names.size());
  out += formatv("const {0} {1} = {2};\n", typeInC(expr.type), name, value);
  return names[&expr] = name;
}

/// Whether elements of a tensor say what it is.
static bool isFromData(const eq::Expr &expr) {
  return expr.kind == eq::Expr::Kind::Read ||
         any_of(expr.operands, [](const eq::Expr *operand) { return isFromData(*operand); });
}

std::string ExprWriter::place(unsigned tensor, ArrayRef<const eq::Expr *> indices, bool asWritten) {
  const eq::TensorType &type = instance.tensors[tensor].type;
  std::string offset = "0";
  for (auto [extent, index] : zip(type.shape, indices)) {
    std::string number = write(*index);
    if (!asWritten && isFromData(*index))
      number = formatv("eq_at({0}, {1})", number, extent.value());
    offset = offset == "0" ? number : formatv("({0}) * {1} + {2}", offset, extent.value(), number).str();
  }
  return formatv("t{0}[{1}]", tensor, offset);
}

std::string ExprWriter::inside(unsigned tensor, ArrayRef<const eq::Expr *> indices) {
  std::string text = "1";
  for (auto [extent, index] : zip(instance.tensors[tensor].type.shape, indices))
    text += formatv(" && (uint64_t)({0}) < {1}", write(*index), extent.value());
  return text;
}

std::string ExprWriter::inPlace(const eq::Expr &expr) {
  switch (expr.kind) {
  case eq::Expr::Kind::Integer:
    return formatv("({0})(int64_t)UINT64_C({1})", typeInC(expr.type), uint64_t(expr.integer));
  case eq::Expr::Kind::Real:
    if (std::isinf(expr.real) || std::isnan(expr.real))
      return formatv("({0})({1})", typeInC(expr.type),
                     std::isnan(expr.real) ? "NAN"
                     : expr.real > 0       ? "INFINITY"
                                           : "-INFINITY");
    return formatv("({0})({1:e17})", typeInC(expr.type), expr.real);
  case eq::Expr::Kind::Loop:
    return "l" + std::to_string(expr.loop);
  case eq::Expr::Kind::Read: {
    std::string element = place(expr.tensor, expr.operands, /*asWritten=*/expr.otherwise);
    if (!expr.otherwise)
      return element;
    return formatv("({0} ? {1} : ({2})({3}))", inside(expr.tensor, expr.operands), element, typeInC(expr.type),
                   write(*expr.otherwise));
  }
  case eq::Expr::Kind::Apply:
    return apply(expr);
  case eq::Expr::Kind::Select: {
    std::string condition = write(*expr.operands[0]), yes = write(*expr.operands[1]), no = write(*expr.operands[2]);
    return formatv("({0} ? {1} : {2})", condition, yes, no);
  }
  case eq::Expr::Kind::Cast:
    if (expr.type == ElementType::B1)
      return formatv("(({0}) != 0)", write(*expr.operands[0]));
    return formatv("({0})({1})", typeInC(expr.type), write(*expr.operands[0]));
  }
  llvm_unreachable("all kinds are listed");
}

std::string ExprWriter::apply(const eq::Expr &expr) {
  SmallVector<std::string> operands;
  for (const eq::Expr *operand : expr.operands)
    operands.push_back(write(*operand));
  return ("eq_" + eq::nameOf(expr.function) + "(" + join(operands, ", ") + ")").str();
}

std::string ExprWriter::combine(eq::Combine kind, const std::string &left, const std::string &right) {
  static constexpr StringLiteral functions[] = {"", "add", "mul", "max", "min", "and", "or"};
  if (kind == eq::Combine::Set)
    return right;
  return formatv("eq_{0}({1}, {2})", functions[static_cast<size_t>(kind)], left, right);
}

std::string ExprWriter::identity(eq::Combine kind, ElementType type) {
  bool low = kind == eq::Combine::Max;
  switch (kind) {
  case eq::Combine::Set:
  case eq::Combine::Sum:
  case eq::Combine::Or:
    return "0";
  case eq::Combine::Product:
    return "1";
  case eq::Combine::And:
    return type == ElementType::B1 ? "1" : "-1";
  case eq::Combine::Max:
  case eq::Combine::Min:
    if (isFloat(type))
      return low ? "-INFINITY" : "INFINITY";
    return formatv("(int64_t)UINT64_C({0})", uint64_t(low ? lowestInteger(type) : highestInteger(type)));
  }
  llvm_unreachable("all combinations are listed");
}

} // namespace kumiko::bench

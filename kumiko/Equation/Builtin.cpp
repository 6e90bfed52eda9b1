#include "kumiko/Equation/Builtin.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace kumiko::eq {

// The one list of functions: name, number of arguments, meaning.
static constexpr BuiltinInfo table[] = {
    {"dim", Builtin::Dim, 2, 2},
    {"dims", Builtin::Dims, 1, 2},
    {"rank", Builtin::Rank, 1, 1},
    {"count", Builtin::Count, 1, 1},
    {"offset", Builtin::Offset, 3, 3},
    {"present", Builtin::Present, 1, 1},
    {"prod", Builtin::Prod, 1, 1},
    {"iota", Builtin::Iota, 1, 1},
    {"drop", Builtin::Drop, 2, 2},
    {"cast", Builtin::Cast, 2, 2},
    {"lowest", Builtin::Lowest, 1, 1},
    {"highest", Builtin::Highest, 1, 1},
    {"pos", Builtin::Pos, 1, 1},
    {"all", Builtin::All, 1, 1},
    {"clamp", Builtin::Clamp, 3, 3},
    {"wrap", Builtin::Wrap, 2, 2},
    {"abs", Builtin::Value, 1, 1, Function::Abs},
    {"sign", Builtin::Value, 1, 1, Function::Sign},
    {"floor", Builtin::Value, 1, 1, Function::Floor},
    {"ceil", Builtin::Value, 1, 1, Function::Ceil},
    {"round", Builtin::Value, 1, 1, Function::Round},
    {"sqrt", Builtin::Value, 1, 1, Function::Sqrt},
    {"exp", Builtin::Value, 1, 1, Function::Exp},
    {"log", Builtin::Value, 1, 1, Function::Log},
    {"log1p", Builtin::Value, 1, 1, Function::Log1p},
    {"expm1", Builtin::Value, 1, 1, Function::Expm1},
    {"sin", Builtin::Value, 1, 1, Function::Sin},
    {"cos", Builtin::Value, 1, 1, Function::Cos},
    {"tan", Builtin::Value, 1, 1, Function::Tan},
    {"asin", Builtin::Value, 1, 1, Function::Asin},
    {"acos", Builtin::Value, 1, 1, Function::Acos},
    {"atan", Builtin::Value, 1, 1, Function::Atan},
    {"sinh", Builtin::Value, 1, 1, Function::Sinh},
    {"cosh", Builtin::Value, 1, 1, Function::Cosh},
    {"tanh", Builtin::Value, 1, 1, Function::Tanh},
    {"asinh", Builtin::Value, 1, 1, Function::Asinh},
    {"acosh", Builtin::Value, 1, 1, Function::Acosh},
    {"atanh", Builtin::Value, 1, 1, Function::Atanh},
    {"erf", Builtin::Value, 1, 1, Function::Erf},
    {"sigmoid", Builtin::Value, 1, 1, Function::Sigmoid},
    {"isnan", Builtin::Value, 1, 1, Function::IsNan},
    {"isinf", Builtin::Value, 1, 1, Function::IsInf},
    {"mod", Builtin::Value, 2, 2, Function::Mod},
    {"rem", Builtin::Value, 2, 2, Function::Rem},
    {"floordiv", Builtin::Value, 2, 2, Function::FloorDiv},
    {"ceildiv", Builtin::Value, 2, 2, Function::CeilDiv},
    {"pow", Builtin::Value, 2, 2, Function::Pow},
    {"atan2", Builtin::Value, 2, 2, Function::Atan2},
    {"max", Builtin::Value, 2, 2, Function::Max},
    {"min", Builtin::Value, 2, 2, Function::Min},
};

const BuiltinInfo *findBuiltin(llvm::StringRef name) {
  static const auto byName = [] {
    llvm::StringMap<const BuiltinInfo *> map;
    for (const BuiltinInfo &info : table)
      map[info.name] = &info;
    return map;
  }();
  return byName.lookup(name);
}

llvm::ArrayRef<llvm::StringRef> builtinNames() {
  static const auto names = [] {
    llvm::SmallVector<llvm::StringRef> list;
    for (const BuiltinInfo &info : table)
      list.push_back(info.name);
    return list;
  }();
  return names;
}

bool namesTensor(Builtin builtin) { return builtin >= Builtin::Dim && builtin <= Builtin::Present; }

bool isShapeFunction(Builtin builtin) { return builtin >= Builtin::Dim && builtin <= Builtin::Drop; }

llvm::StringRef nameOf(Function function) {
  // In the order of the enumeration.
  static constexpr llvm::StringLiteral names[] = {
      "neg",   "not",   "bitnot",   "abs",     "sign",    "floor", "ceil",  "round", "sqrt", "exp",  "log",
      "log1p", "expm1", "sin",      "cos",     "tan",     "asin",  "acos",  "atan",  "sinh", "cosh", "tanh",
      "asinh", "acosh", "atanh",    "erf",     "sigmoid", "isnan", "isinf", "add",   "sub",  "mul",  "div",
      "mod",   "rem",   "floordiv", "ceildiv", "pow",     "atan2", "max",   "min",   "and",  "or",   "xor",
      "shl",   "shr",   "eq",       "ne",      "lt",      "le",    "gt",    "ge"};
  static_assert(std::size(names) == static_cast<size_t>(Function::Ge) + 1);
  return names[static_cast<size_t>(function)];
}

} // namespace kumiko::eq

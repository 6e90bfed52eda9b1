#include "bench/ScalarLoops.h"
#include "bench/ScalarExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace kumiko::bench {
namespace {

/// One statement as a loop nest.
class Nest {
public:
  Nest(const eq::Instance &instance, const eq::Statement &statement, unsigned number, std::string &out)
      : instance(instance), statement(statement), number(number), out(out) {}

  Error write(Reduced order) {
    bool reduces = statement.combine != eq::Combine::Set && statement.kept < statement.loops.size();
    if (statement.computedLeft || statement.into)
      return scatter();
    if (reduces && running())
      return Error::success();
    if (!reduces)
      return points();
    order == Reduced::Inside ? sumsInside() : sumsOutside();
    return Error::success();
  }

private:
  const eq::Instance &instance;
  const eq::Statement &statement;
  unsigned number;
  std::string &out;

  ElementType valueType(unsigned target = 0) const { return statement.values[target]->type; }

  void open(unsigned loop) {
    out += formatv("for (int64_t l{0} = 0; l{0} < {1}; ++l{0}) {{\n", loop, statement.loops[loop].extent.value());
  }
  void open(unsigned from, unsigned to) {
    for (unsigned loop = from; loop < to; ++loop)
      open(loop);
  }
  void close(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      out += "}\n";
  }

  ExprWriter writer() {
    ExprWriter made(instance, out);
    for (const eq::Expr *expr : statement.conditions)
      made.count(*expr);
    for (const eq::Expr *expr : statement.values)
      made.count(*expr);
    for (const eq::Target &target : statement.targets)
      for (const eq::Expr *index : target.indices)
        made.count(*index);
    return made;
  }

  /// `if` of the statement's conditions and `more`; closed by one brace.
  void condition(ExprWriter &expressions, const std::string &more = "1") {
    std::string text = more;
    for (const eq::Expr *expr : statement.conditions)
      text += " && " + expressions.write(*expr);
    out += "if (" + text + ") {\n";
  }

  std::string target(ExprWriter &expressions, unsigned which) {
    return expressions.place(statement.targets[which].tensor, statement.targets[which].indices);
  }

  Error points() {
    open(0, statement.loops.size());
    ExprWriter expressions = writer();
    condition(expressions);
    std::string value = expressions.write(*statement.values[0]);
    std::string left = target(expressions, 0);
    out += formatv("{0} = {1};\n", left, expressions.combine(statement.combine, left, value));
    close(statement.loops.size() + 1);
    return Error::success();
  }

  Error scatter() {
    unsigned tensor = statement.targets[0].tensor;
    const eq::TensorType &type = instance.tensors[tensor].type;
    if (statement.targets.size() > 1)
      return createStringError("a scatter into two tensors has no plain loop here");
    int64_t count = product(type.shape).value();
    // Sums in a wider type are rounded once, at the end.
    bool same = statement.combine == eq::Combine::Set || type.element == valueType();
    std::string sums = same ? formatv("t{0}", tensor).str() : formatv("s{0}", number).str();
    if (!same)
      out += formatv("static {0} {1}[{2}];\n", typeInC(valueType()), sums, std::max<int64_t>(count, 1));
    if (!statement.continues || !same) {
      std::string start = statement.continues ? formatv("t{0}[i]", tensor).str()
                          : statement.into    ? formatv("t{0}[i]", *statement.into).str()
                                              : ExprWriter::identity(statement.combine, valueType());
      out += formatv("for (int64_t i = 0; i < {0}; ++i) {1}[i] = {2};\n", count, sums, start);
    }
    open(0, statement.loops.size());
    ExprWriter expressions = writer();
    condition(expressions, expressions.inside(tensor, statement.targets[0].indices));
    std::string value = expressions.write(*statement.values[0]);
    std::string left = sums + afterName(target(expressions, 0));
    out += formatv("{0} = {1};\n", left, expressions.combine(statement.combine, left, value));
    close(statement.loops.size() + 1);
    if (!same)
      out += formatv("for (int64_t i = 0; i < {0}; ++i) t{1}[i] = {2}[i];\n", count, tensor, sums);
    return Error::success();
  }

  /// The index of an element: `[...]` of `t1[...]`.
  static std::string afterName(StringRef element) {
    return element.drop_until([](char c) { return c == '['; }).str();
  }

  /// The new value of sums `sums`, one per target: the first decides, the others come along.
  void combine(ExprWriter &expressions, ArrayRef<std::string> sums) {
    condition(expressions);
    SmallVector<std::string> values;
    for (const eq::Expr *value : statement.values)
      values.push_back(expressions.write(*value));
    if (sums.size() == 1) {
      out += formatv("{0} = {1};\n", sums[0], expressions.combine(statement.combine, sums[0], values[0]));
    } else {
      out += formatv("const {0} w = {1};\nif (w {2} {3} || (w != w && {3} == {3})) {{ {3} = w; {4} = {5}; }\n",
                     typeInC(valueType()), values[0], statement.combine == eq::Combine::Max ? ">" : "<", sums[0],
                     sums[1], values[1]);
    }
    out += "}\n";
  }

  std::string start(unsigned which) const {
    return which == 0 ? ExprWriter::identity(statement.combine, valueType()) : "0";
  }

  void sumsInside() {
    unsigned reduced = statement.loops.size() - statement.kept;
    open(0, statement.kept);
    SmallVector<std::string> sums;
    for (unsigned i = 0; i < statement.targets.size(); ++i) {
      sums.push_back("a" + std::to_string(i));
      ExprWriter expressions = writer();
      std::string from = statement.continues ? target(expressions, i) : start(i);
      out += formatv("{0} {1} = {2};\n", typeInC(valueType(i)), sums.back(), from);
    }
    open(statement.kept, statement.loops.size());
    ExprWriter expressions = writer();
    combine(expressions, sums);
    close(reduced);
    ExprWriter after = writer();
    for (unsigned i = 0; i < sums.size(); ++i)
      out += formatv("{0} = {1};\n", target(after, i), sums[i]);
    close(statement.kept);
  }

  void sumsOutside() {
    SmallVector<std::string> names;
    for (auto [i, to] : enumerate(statement.targets)) {
      const eq::TensorType &type = instance.tensors[to.tensor].type;
      int64_t count = product(type.shape).value();
      names.push_back(formatv("s{0}_{1}", number, i));
      bool same = type.element == valueType(i);
      out += same ? formatv("{0} *{1} = t{2};\n", typeInC(valueType(i)), names.back(), to.tensor).str()
                  : formatv("static {0} {1}[{2}];\n", typeInC(valueType(i)), names.back(), std::max<int64_t>(count, 1));
      std::string from = statement.continues ? formatv("t{0}[i]", to.tensor).str() : start(i);
      out += formatv("for (int64_t i = 0; i < {0}; ++i) {1}[i] = {2};\n", count, names.back(), from);
    }
    open(statement.kept, statement.loops.size());
    open(0, statement.kept);
    ExprWriter expressions = writer();
    SmallVector<std::string> sums;
    for (unsigned i = 0; i < names.size(); ++i)
      sums.push_back(names[i] + afterName(target(expressions, i)));
    combine(expressions, sums);
    close(statement.loops.size());
    for (auto [i, to] : enumerate(statement.targets))
      if (const eq::TensorType &type = instance.tensors[to.tensor].type; type.element != valueType(i))
        out += formatv("for (int64_t i = 0; i < {0}; ++i) t{1}[i] = {2}[i];\n", product(type.shape).value(), to.tensor,
                       names[i]);
  }

  /// A running sum: the only reduced loop is compared with a kept one. Written with one pass, as everybody would.
  bool running() {
    if (statement.conditions.size() != 1 || statement.loops.size() != statement.kept + 1 ||
        statement.targets.size() != 1)
      return false;
    const eq::Expr &compare = *statement.conditions[0];
    bool compares = compare.kind == eq::Expr::Kind::Apply && compare.operands.size() == 2 &&
                    all_of(compare.operands, [](auto *side) { return side->kind == eq::Expr::Kind::Loop; }) &&
                    compare.operands[0]->loop == statement.kept;
    using enum eq::Function;
    if (!compares || !is_contained({Lt, Le, Gt, Ge}, compare.function))
      return false;
    unsigned along = compare.operands[1]->loop;
    bool up = compare.function == Lt || compare.function == Le;
    bool itself = compare.function == Le || compare.function == Ge;
    for (unsigned loop = 0; loop < statement.kept; ++loop)
      if (loop != along)
        open(loop);
    out += formatv("{0} a = {1};\n", typeInC(valueType()), start(0));
    out += formatv("for (int64_t n = 0; n < {0}; ++n) {{\nconst int64_t l{1} = {2}, l{3} = l{1};\n",
                   statement.loops[along].extent.value(), along,
                   up ? "n" : formatv("{0} - n", statement.loops[along].extent.value() - 1).str(), statement.kept);
    ExprWriter expressions = writer();
    std::string value = expressions.write(*statement.values[0]);
    std::string left = target(expressions, 0), sum = expressions.combine(statement.combine, "a", value);
    out += itself ? formatv("a = {0};\n{1} = a;\n", sum, left) : formatv("{1} = a;\na = {0};\n", sum, left);
    close(statement.kept);
    return true;
  }
};

} // namespace

Expected<std::string> scalarLoops(const eq::Instance &instance, Reduced order) {
  std::string out = "#include \"scalar.h\"\nvoid run(void **tensors) {\n";
  SmallBitVector written(instance.tensors.size());
  for (const eq::Statement &statement : instance.statements)
    for (const eq::Target &target : statement.targets)
      written.set(target.tensor);
  for (auto [number, tensor] : enumerate(instance.tensors)) {
    if (!tensor.present)
      continue;
    if (typeInC(tensor.type.element).empty())
      return createStringError("C has no " + nameOf(tensor.type.element));
    out += formatv("{0}{1} *restrict t{2} = tensors[{2}];\n", written[number] ? "" : "const ",
                   typeInC(tensor.type.element), number);
  }
  for (auto [number, statement] : enumerate(instance.statements)) {
    // Sums of everything are in no loop: the braces keep their variables apart.
    out += "{\n";
    if (Error error = Nest(instance, statement, number, out).write(order))
      return std::move(error);
    out += "}\n";
  }
  return out + "}\n";
}

} // namespace kumiko::bench

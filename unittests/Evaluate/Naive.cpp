// The judge's judge: the meaning of an instance with nothing clever in it.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::test;

namespace {

struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

struct Array {
  std::vector<Scalar> values;
  std::vector<int64_t> shape;
};

class NaiveRun {
public:
  NaiveRun(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands);
  std::vector<double> result();

private:
  Scalar value(const Expr &expr);
  Scalar apply(const Expr &expr);
  Scalar applyInteger(const Expr &expr, int64_t a, int64_t b);
  Scalar cast(Scalar value, E from, E to);
  int64_t place(llvm::ArrayRef<Ex> indices, const Array &array);
  Scalar identity(Combine combine, E type);
  Scalar combined(Combine combine, E type, Scalar a, Scalar b);
  void statement(const eq::Statement &statement);
  void point(const eq::Statement &statement, std::vector<char> &seen);

  const eq::Instance &instance;
  std::vector<Array> arrays;
  std::vector<int64_t> position;
};

} // namespace

NaiveRun::NaiveRun(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands) : instance(instance) {
  for (const eq::Tensor &tensor : instance.tensors) {
    Array array;
    int64_t count = 1;
    for (const Extent &extent : tensor.type.shape) {
      array.shape.push_back(extent.value());
      count *= extent.value();
    }
    array.values.resize(count);
    if (tensor.role == eq::Tensor::Role::Operand)
      for (int64_t i = 0; i < count; ++i) {
        array.values[i].real = valueAt(*operands[tensor.number], i);
        if (!isFloat(tensor.type.element))
          array.values[i].integer = integerAt(*operands[tensor.number], i);
      }
    arrays.push_back(std::move(array));
  }
  for (const eq::Statement &one : instance.statements)
    statement(one);
}

Scalar NaiveRun::cast(Scalar value, E from, E to) {
  if (isFloat(from) && isFloat(to))
    return value;
  if (isFloat(from))
    return {0, floatToInteger(to, value.real)};
  if (isFloat(to))
    return {double(value.integer), 0};
  return {0, wrapInteger(to, value.integer)};
}

int64_t NaiveRun::place(llvm::ArrayRef<Ex> indices, const Array &array) {
  int64_t place = 0;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    int64_t index = value(*indices[dim]).integer;
    if (index < 0 || index >= array.shape[dim])
      return -1;
    place = place * array.shape[dim] + index;
  }
  return place;
}

Scalar NaiveRun::applyInteger(const Expr &expr, int64_t a, int64_t b) {
  E type = expr.operands[0]->type;
  auto cut = [&](int64_t result) { return Scalar{0, wrapInteger(type, result)}; };
  switch (expr.function) {
  case Function::Add:
    return cut(a + b);
  case Function::Sub:
    return cut(a - b);
  case Function::Mul:
    return cut(a * b);
  case Function::Neg:
    return cut(-a);
  case Function::Not:
    return {0, a == 0};
  case Function::Max:
    return {0, std::max(a, b)};
  case Function::Min:
    return {0, std::min(a, b)};
  case Function::And:
    return {0, a & b};
  case Function::Div:
    return cut(b == 0 ? 0 : a / b);
  case Function::Mod:
    return {0, b == 0 ? 0 : ((a % b) + b) % b};
  case Function::FloorDiv:
    return cut(b == 0 ? 0 : int64_t(std::floor(double(a) / double(b))));
  case Function::Lt:
    return {0, a < b};
  case Function::Ge:
    return {0, a >= b};
  case Function::Eq:
    return {0, a == b};
  default:
    ADD_FAILURE() << "not in the naive evaluator: " << eq::nameOf(expr.function).str();
    return {};
  }
}

Scalar NaiveRun::apply(const Expr &expr) {
  Scalar a = value(*expr.operands[0]), b = expr.operands.size() > 1 ? value(*expr.operands[1]) : Scalar();
  if (!isFloat(expr.operands[0]->type))
    return applyInteger(expr, a.integer, b.integer);
  double x = a.real, y = b.real;
  switch (expr.function) {
  case Function::Add:
    return {x + y, 0};
  case Function::Sub:
    return {x - y, 0};
  case Function::Mul:
    return {x * y, 0};
  case Function::Neg:
    return {-x, 0};
  case Function::Abs:
    return {std::fabs(x), 0};
  case Function::Tanh:
    return {std::tanh(x), 0};
  case Function::Max:
    return {x != x || x > y ? x : y, 0};
  case Function::Min:
    return {x != x || x < y ? x : y, 0};
  case Function::Lt:
    return {0, x < y};
  case Function::Ge:
    return {0, x >= y};
  case Function::Eq:
    return {0, x == y};
  default:
    ADD_FAILURE() << "not in the naive evaluator: " << eq::nameOf(expr.function).str();
    return {};
  }
}

Scalar NaiveRun::value(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Integer:
    return {double(expr.integer), wrapInteger(expr.type, expr.integer)};
  case Expr::Kind::Real:
    return {expr.real, 0};
  case Expr::Kind::Loop:
    return {0, position[expr.loop]};
  case Expr::Kind::Read: {
    const Array &array = arrays[expr.tensor];
    int64_t found = place(expr.operands, array);
    if (found >= 0)
      return array.values[found];
    EXPECT_TRUE(expr.otherwise);
    return value(*expr.otherwise);
  }
  case Expr::Kind::Select:
    return value(*expr.operands[value(*expr.operands[0]).integer ? 1 : 2]);
  case Expr::Kind::Cast:
    return cast(value(*expr.operands[0]), expr.operands[0]->type, expr.type);
  case Expr::Kind::Apply:
    return apply(expr);
  }
  return {};
}

Scalar NaiveRun::identity(Combine combine, E type) {
  switch (combine) {
  case Combine::Product:
    return {1, 1};
  case Combine::Max:
    return {-HUGE_VAL, isFloat(type) ? 0 : lowestInteger(type)};
  case Combine::Min:
    return {HUGE_VAL, isFloat(type) ? 0 : highestInteger(type)};
  default:
    return {};
  }
}

Scalar NaiveRun::combined(Combine combine, E type, Scalar a, Scalar b) {
  switch (combine) {
  case Combine::Sum:
    return {a.real + b.real, isFloat(type) ? 0 : wrapInteger(type, a.integer + b.integer)};
  case Combine::Product:
    return {a.real * b.real, isFloat(type) ? 0 : wrapInteger(type, a.integer * b.integer)};
  case Combine::Max:
    return {a.real != a.real || a.real > b.real ? a.real : b.real, std::max(a.integer, b.integer)};
  case Combine::Min:
    return {a.real != a.real || a.real < b.real ? a.real : b.real, std::min(a.integer, b.integer)};
  default:
    return b;
  }
}

void NaiveRun::point(const eq::Statement &statement, std::vector<char> &seen) {
  for (Ex condition : statement.conditions)
    if (!value(*condition).integer)
      return;
  Array &array = arrays[statement.targets[0].tensor];
  int64_t to = place(statement.targets[0].indices, array);
  if (to < 0)
    return;
  E type = instance.tensors[statement.targets[0].tensor].type.element;
  Scalar next = value(*statement.values[0]);
  if (statement.targets.size() == 2) {
    bool isMax = statement.combine == Combine::Max;
    Scalar best = array.values[to];
    bool better = isFloat(type) ? best.real == best.real && (next.real != next.real ||
                                                             (isMax ? next.real > best.real : next.real < best.real))
                                : (isMax ? next.integer > best.integer : next.integer < best.integer);
    if (seen[to] && !better)
      return;
    seen[to] = 1;
    array.values[to] = next;
    arrays[statement.targets[1].tensor].values[to] = value(*statement.values[1]);
    return;
  }
  array.values[to] = combined(statement.combine, type, array.values[to], next);
}

void NaiveRun::statement(const eq::Statement &statement) {
  unsigned target = statement.targets[0].tensor;
  E type = instance.tensors[target].type.element;
  if (statement.into)
    arrays[target].values = arrays[*statement.into].values;
  else if (!statement.continues)
    std::fill(arrays[target].values.begin(), arrays[target].values.end(), identity(statement.combine, type));
  std::vector<char> seen(arrays[target].values.size());
  position.assign(statement.loops.size(), 0);
  for (const eq::Loop &loop : statement.loops)
    if (loop.extent.is(0))
      return;
  for (;;) {
    point(statement, seen);
    size_t depth = position.size();
    while (depth > 0 && ++position[depth - 1] == statement.loops[depth - 1].extent.value())
      position[--depth] = 0;
    if (depth == 0)
      return;
  }
}

std::vector<double> NaiveRun::result() {
  std::vector<double> values;
  for (auto [tensor, array] : llvm::zip(instance.tensors, arrays))
    if (tensor.role == eq::Tensor::Role::Result)
      for (const Scalar &value : array.values)
        values.push_back(isFloat(tensor.type.element) ? value.real : double(value.integer));
  return values;
}

std::vector<double> test::naive(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands) {
  return NaiveRun(instance, operands).result();
}

// Random statements against the naive evaluator, to the last bit. The seed of a failing case is its number.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <cmath>
#include <random>

using namespace kumiko;
using namespace kumiko::test;

namespace {

/// One op of one statement over two float operands, one of integers and one of indices.
class RandomOp {
public:
  explicit RandomOp(unsigned seed) : random(seed) { build(); }

  InstanceMaker m;
  std::vector<Tensor> operands;

private:
  int pick(int count) { return int(random() % count); }
  bool chance(int percent) { return pick(100) < percent; }

  void build();
  Ex index(int64_t extent, bool safe);
  Ex read(unsigned tensor, int depth);
  Ex real(int depth);
  Ex integer(int depth);
  Ex condition(int depth);
  unsigned addOperand(E type);

  std::mt19937 random;
  llvm::SmallVector<int64_t, 6> loops;
  unsigned kept = 0;
  std::vector<unsigned> floats, integers, indices;
};

} // namespace

unsigned RandomOp::addOperand(E type) {
  llvm::SmallVector<int64_t, 3> shape;
  for (int rank = pick(4); rank > 0; --rank)
    shape.push_back(1 + pick(12));
  unsigned number = m.operand(type, shape);
  std::vector<double> values(llvm::cantFail(elementCount(shape)));
  for (double &value : values)
    value = isFloat(type) ? double(pick(200) - 100) / 8 : double(pick(16) - 4);
  operands.push_back(tensorOf(type, shape, values));
  return number;
}

/// An index into a dimension: a loop, an affine form, something computed, or data.
Ex RandomOp::index(int64_t extent, bool safe) {
  Ex value = m.integer(pick(int(extent)));
  if (!loops.empty() && chance(90)) {
    value = m.loop(pick(loops.size()));
    if (chance(40))
      value = m.add(m.mul(value, m.integer(pick(5) - 2)), m.loop(pick(loops.size())));
    if (chance(30))
      value = m.sub(value, m.integer(pick(4)));
    if (chance(15))
      value = m.apply(Function::FloorDiv, {value, m.integer(1 + pick(3))});
  }
  if (chance(15) && !indices.empty())
    value = m.add(value, m.cast(read(indices[pick(indices.size())], 0), E::Index));
  return safe ? m.apply(Function::Mod, {value, m.integer(extent)}) : value;
}

Ex RandomOp::read(unsigned tensor, int depth) {
  bool isSafe = depth == 0 || chance(50);
  llvm::SmallVector<Ex, 3> list;
  for (const Extent &extent : m.instance.tensors[tensor].type.shape)
    list.push_back(index(extent.value(), isSafe));
  E type = m.instance.tensors[tensor].type.element;
  Ex otherwise = isSafe ? nullptr : isFloat(type) ? real(depth - 1) : m.cast(integer(depth - 1), type);
  return m.read(tensor, list, otherwise);
}

Ex RandomOp::real(int depth) {
  if (depth <= 0 || chance(25))
    return chance(20) ? m.real(double(pick(20)) / 4) : read(floats[pick(floats.size())], depth);
  switch (pick(8)) {
  case 0:
    return m.select(condition(depth - 1), real(depth - 1), real(depth - 1));
  case 1:
    return m.cast(integer(depth - 1), E::F32);
  case 2:
    return m.apply(Function::Tanh, {real(depth - 1)});
  case 3:
    return m.apply(Function::Max, {real(depth - 1), real(depth - 1)});
  case 4:
    return m.sub(real(depth - 1), real(depth - 1));
  case 5:
    return m.apply(Function::Abs, {real(depth - 1)});
  default:
    return chance(50) ? m.mul(real(depth - 1), real(depth - 1)) : m.add(real(depth - 1), real(depth - 1));
  }
}

Ex RandomOp::integer(int depth) {
  if (depth <= 0 || chance(30)) {
    if (chance(30) && !loops.empty())
      return m.cast(m.loop(pick(loops.size())), E::I8);
    return chance(20) ? m.integer(pick(20) - 10, E::I8) : read(integers[pick(integers.size())], depth);
  }
  switch (pick(6)) {
  case 0:
    return m.select(condition(depth - 1), integer(depth - 1), integer(depth - 1));
  case 1:
    return m.cast(real(depth - 1), E::I8);
  case 2:
    return m.apply(Function::Mod, {integer(depth - 1), integer(depth - 1)});
  case 3:
    return m.apply(Function::Div, {integer(depth - 1), integer(depth - 1)});
  default:
    return chance(50) ? m.mul(integer(depth - 1), integer(depth - 1)) : m.add(integer(depth - 1), integer(depth - 1));
  }
}

Ex RandomOp::condition(int depth) {
  Function function = std::array{Function::Lt, Function::Ge, Function::Eq}[pick(3)];
  if (chance(30))
    return m.apply(function, {real(depth - 1), real(depth - 1)});
  if (chance(30) || loops.empty())
    return m.apply(function, {integer(depth - 1), integer(depth - 1)});
  return m.apply(function, {m.loop(pick(loops.size())), m.loop(pick(loops.size()))});
}

void RandomOp::build() {
  for (int i = 0; i < 2; ++i)
    floats.push_back(addOperand(E::F32));
  integers.push_back(addOperand(E::I8));
  indices.push_back(addOperand(E::I32));
  Combine combine = std::array{Combine::Set, Combine::Sum, Combine::Product, Combine::Max, Combine::Min}[pick(5)];
  int64_t points = 1;
  for (int count = pick(5); count > 0; --count) {
    int64_t extent = chance(10) ? 1 : chance(15) ? 1 + pick(1300) : chance(3) ? 0 : 2 + pick(12);
    if (points * std::max<int64_t>(extent, 1) > 30000)
      extent = 2;
    points *= std::max<int64_t>(extent, 1);
    loops.push_back(extent);
  }
  bool isFloatResult = chance(60), isScatter = chance(25);
  // A product that overflows depends on its order in more than rounding.
  bool isOrdered = combine == Combine::Set || (isScatter && combine == Combine::Product);
  kept = isOrdered ? loops.size() : pick(loops.size() + 1);
  Ex value = isFloatResult ? real(3) : integer(3);
  llvm::SmallVector<int64_t, 6> shape;
  llvm::SmallVector<Ex, 6> left;
  for (unsigned loop = 0; loop < kept; ++loop) {
    shape.push_back(isScatter ? 1 + pick(10) : loops[loop]);
    Ex at = m.loop(loop);
    left.push_back(isScatter && chance(50) ? m.sub(m.mul(at, m.integer(pick(3))), m.integer(pick(2))) : at);
  }
  unsigned target = m.result(isFloatResult ? E::F32 : E::I8, shape);
  eq::Statement &statement = m.statement(loops, kept, combine, target, left, value);
  statement.computedLeft = isScatter;
  if (combine != Combine::Set && chance(40))
    statement.conditions.push_back(condition(2));
}

/// Equal to the last bit, and NaN equals itself. A scatter sums over its reduced loops before it writes, so only there
/// the order of a sum is not that of the naive evaluator.
static bool equal(double a, double b, bool exact) {
  if (a == b || (a != a && b != b))
    return true;
  return !exact && std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(a));
}

TEST(Random, AgreesWithTheNaiveEvaluator) {
  int points = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomOp op(seed);
    llvm::SmallVector<const Tensor *, 4> operands;
    for (const Tensor &operand : op.operands)
      operands.push_back(&operand);
    std::vector<double> expected = naive(op.m.instance, operands);
    std::vector<double> found = valuesOf(run(op.m.instance, operands, Precision::Double));
    ASSERT_EQ(expected.size(), found.size()) << "seed " << seed;
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_TRUE(equal(expected[i], found[i], !op.m.instance.statements[0].computedLeft))
          << "seed " << seed << ", element " << i << ": " << expected[i] << " expected, " << found[i] << " found";
    points += int(expected.size());
  }
  EXPECT_GT(points, 50000);
}

// Statements without reduction: reads, gathers, else, selection.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::test;
using Values = std::vector<double>;

TEST(Statement, Pointwise) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {2, 3}), y = m.result(E::F32, {2, 3});
  Ex read = m.read(x, {m.loop(0), m.loop(1)});
  m.statement({2, 3}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.apply(Function::Max, {read, m.real(0)}));
  Tensor input = tensorOf(E::F32, {2, 3}, {-1, 2, -3, 4, -5, 6});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{0, 2, 0, 4, 0, 6}));
}

TEST(Statement, ScalarTensor) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {}), y = m.result(E::F32, {});
  m.statement({}, 0, Combine::Set, y, {}, m.add(m.read(x, {}), m.real(1)));
  Tensor input = tensorOf(E::F32, {}, {41});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{42}));
}

TEST(Statement, TransposeAndBroadcast) {
  InstanceMaker m;
  unsigned x = m.operand(E::I64, {2, 3}), b = m.operand(E::I64, {2}), y = m.result(E::I64, {3, 2});
  m.statement({3, 2}, 2, Combine::Set, y, {m.loop(0), m.loop(1)},
              m.add(m.read(x, {m.loop(1), m.loop(0)}), m.read(b, {m.loop(1)})));
  Tensor input = sequence(E::I64, {2, 3}), bias = tensorOf(E::I64, {2}, {10, 20});
  EXPECT_EQ(valuesOf(run(m.instance, {&input, &bias})), (Values{10, 23, 11, 24, 12, 25}));
}

// Many more points than lanes, an extent that is no multiple of them, and a reversed read.
TEST(Statement, ManyBlocks) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {7, 2500}), y = m.result(E::F32, {7, 2500});
  Ex back = m.sub(m.integer(2499), m.loop(1));
  m.statement({7, 2500}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.read(x, {m.loop(0), back}));
  Tensor input = sequence(E::F32, {7, 2500});
  Values values = valuesOf(run(m.instance, {&input}));
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 2500; ++j)
      ASSERT_EQ(values[i * 2500 + j], double(i * 2500 + 2499 - j));
}

// x(i - 2) else -1
TEST(Statement, ElseIsThePadding) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), y = m.result(E::F32, {6});
  m.statement({6}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.sub(m.loop(0), m.integer(2))}, m.real(-1)));
  Tensor input = tensorOf(E::F32, {3}, {5, 6, 7});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{-1, -1, 5, 6, 7, -1}));
}

// The value after `else` may itself be a read that is only inside where it is asked.
TEST(Statement, ElseIsAskedOnlyOutside) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {2}), z = m.operand(E::F32, {2}), y = m.result(E::F32, {4});
  Ex other = m.read(z, {m.sub(m.loop(0), m.integer(2))});
  m.statement({4}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}, other));
  Tensor first = tensorOf(E::F32, {2}, {1, 2}), second = tensorOf(E::F32, {2}, {3, 4});
  EXPECT_EQ(valuesOf(run(m.instance, {&first, &second})), (Values{1, 2, 3, 4}));
}

TEST(Statement, AbsentOperandTakesElse) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {2}), y = m.result(E::F32, {2});
  m.instance.tensors[x].present = false;
  m.statement({2}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}, m.real(3)));
  EXPECT_EQ(valuesOf(run(m.instance, {nullptr})), (Values{3, 3}));
}

// y(i) = x(index(i) < 0 ? index(i) + 4 : index(i))
TEST(Statement, GatherByData) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {4}), index = m.operand(E::I32, {5}), y = m.result(E::F32, {5});
  Ex i = m.cast(m.read(index, {m.loop(0)}), E::Index);
  Ex wrapped = m.select(m.apply(Function::Lt, {i, m.integer(0)}), m.add(i, m.integer(4)), i);
  m.statement({5}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {wrapped}));
  Tensor data = tensorOf(E::F32, {4}, {10, 11, 12, 13}), where = tensorOf(E::I32, {5}, {3, -1, 0, -4, 2});
  EXPECT_EQ(valuesOf(run(m.instance, {&data, &where})), (Values{13, 13, 10, 10, 12}));
}

TEST(Statement, GatherFromNothing) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {0}), y = m.result(E::F32, {3});
  m.statement({3}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}, m.real(7)));
  Tensor empty = tensorOf(E::F32, {0}, {});
  EXPECT_EQ(valuesOf(run(m.instance, {&empty})), (Values{7, 7, 7}));
}

TEST(Statement, EmptyResult) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {2, 0}), y = m.result(E::F32, {2, 0});
  m.statement({2, 0}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.read(x, {m.loop(0), m.loop(1)}));
  Tensor empty = tensorOf(E::F32, {2, 0}, {});
  EXPECT_EQ(run(m.instance, {&empty}).shape(), llvm::ArrayRef<int64_t>({2, 0}));
}

// Temporaries are seen by later statements, and results too.
TEST(Statement, StatementsInOrder) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), t = m.temporary(E::F32, {3}), y = m.result(E::F32, {3}),
           z = m.result(E::F32, {3});
  Ex i = m.loop(0);
  m.statement({3}, 1, Combine::Set, t, {i}, m.mul(m.read(x, {i}), m.real(2)));
  m.statement({3}, 1, Combine::Set, y, {i}, m.add(m.read(t, {i}), m.real(1)));
  m.statement({3}, 1, Combine::Set, z, {i}, m.mul(m.read(y, {i}), m.read(t, {i})));
  Tensor input = tensorOf(E::F32, {3}, {1, 2, 3});
  auto results = llvm::cantFail(evaluate(m.instance, {&input}));
  EXPECT_EQ(valuesOf(results[0]), (Values{3, 5, 7}));
  EXPECT_EQ(valuesOf(results[1]), (Values{6, 20, 42}));
}

TEST(Statement, UnwantedResultIsEmpty) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1}), y = m.result(E::F32, {1});
  m.instance.tensors[m.result(E::I64, {1})].present = false;
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}));
  Tensor input = tensorOf(E::F32, {1}, {4});
  auto results = llvm::cantFail(evaluate(m.instance, {&input}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].element(), E::Invalid);
}

// y(f, c) with two values that vary with different loops, one with none.
TEST(Statement, UniformParts) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {5, 3000}), s = m.operand(E::F32, {5}), y = m.result(E::F32, {5, 3000});
  Ex root = m.apply(Function::Sqrt, {m.add(m.read(s, {m.loop(0)}), m.real(9))});
  m.statement({5, 3000}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.mul(m.read(x, {m.loop(0), m.loop(1)}), root));
  Tensor input = sequence(E::F32, {5, 3000}, 0, 100), scale = tensorOf(E::F32, {5}, {0, 7, 16, 27, 40});
  Values values = valuesOf(run(m.instance, {&input, &scale}));
  for (int64_t i = 0; i < 15000; ++i)
    ASSERT_EQ(values[i], double(i % 100) * double(3 + i / 3000));
}

namespace {
struct UnaryCase {
  Function function;
  double (*rule)(double);
};
} // namespace

TEST(Statement, FunctionsOfOneFloat) {
  const UnaryCase cases[] = {{Function::Neg, [](double x) { return -x; }},
                             {Function::Abs, [](double x) { return std::fabs(x); }},
                             {Function::Floor, [](double x) { return std::floor(x); }},
                             {Function::Ceil, [](double x) { return std::ceil(x); }},
                             {Function::Sqrt, [](double x) { return std::sqrt(x); }},
                             {Function::Exp, [](double x) { return std::exp(x); }},
                             {Function::Log, [](double x) { return std::log(x); }},
                             {Function::Log1p, [](double x) { return std::log1p(x); }},
                             {Function::Expm1, [](double x) { return std::expm1(x); }},
                             {Function::Sin, [](double x) { return std::sin(x); }},
                             {Function::Cos, [](double x) { return std::cos(x); }},
                             {Function::Tan, [](double x) { return std::tan(x); }},
                             {Function::Asin, [](double x) { return std::asin(x); }},
                             {Function::Acos, [](double x) { return std::acos(x); }},
                             {Function::Atan, [](double x) { return std::atan(x); }},
                             {Function::Sinh, [](double x) { return std::sinh(x); }},
                             {Function::Cosh, [](double x) { return std::cosh(x); }},
                             {Function::Tanh, [](double x) { return std::tanh(x); }},
                             {Function::Asinh, [](double x) { return std::asinh(x); }},
                             {Function::Acosh, [](double x) { return std::acosh(x); }},
                             {Function::Atanh, [](double x) { return std::atanh(x); }},
                             {Function::Erf, [](double x) { return std::erf(x); }}};
  std::vector<double> inputs = {-800, -2.5, -1, -0.5, -0.0, 0, 0.3, 0.5, 1, 1.5, 2.5, 800, HUGE_VAL, -HUGE_VAL, NAN};
  int64_t count = inputs.size();
  Tensor input = tensorOf(E::F64, {count}, inputs);
  for (const UnaryCase &one : cases) {
    InstanceMaker m;
    unsigned x = m.operand(E::F64, {count}), y = m.result(E::F64, {count});
    m.statement({count}, 1, Combine::Set, y, {m.loop(0)}, m.apply(one.function, {m.read(x, {m.loop(0)})}));
    Values values = valuesOf(run(m.instance, {&input}));
    for (int64_t i = 0; i < count; ++i) {
      double expected = one.rule(inputs[i]);
      EXPECT_TRUE(values[i] == expected || (std::isnan(values[i]) && std::isnan(expected)))
          << eq::nameOf(one.function).str() << " of " << inputs[i] << " is " << values[i];
    }
  }
}

static Values applied(Function function, E type, llvm::ArrayRef<double> a, llvm::ArrayRef<double> b = {}) {
  InstanceMaker m;
  int64_t count = a.size();
  unsigned x = m.operand(type, {count}), z = m.operand(type, {count});
  llvm::SmallVector<Ex, 2> operands = {m.read(x, {m.loop(0)})};
  if (!b.empty())
    operands.push_back(m.read(z, {m.loop(0)}));
  Ex value = m.apply(function, operands);
  unsigned y = m.result(value->type, {count});
  m.statement({count}, 1, Combine::Set, y, {m.loop(0)}, value);
  Tensor left = tensorOf(type, {count}, a), right = tensorOf(type, {count}, b.empty() ? a : b);
  return valuesOf(run(m.instance, {&left, &right}));
}

TEST(Statement, RoundsHalfToEven) {
  EXPECT_EQ(applied(Function::Round, E::F32, {0.5, 1.5, 2.5, -0.5, -1.5, 2.6}), (Values{0, 2, 2, -0.0, -2, 3}));
}

TEST(Statement, RemaindersDifferInSign) {
  Values a = {7, -7, 7, -7}, b = {3, 3, -3, -3};
  for (E type : {E::I32, E::F32}) {
    EXPECT_EQ(applied(Function::Mod, type, a, b), (Values{1, 2, -2, -1}));
    EXPECT_EQ(applied(Function::Rem, type, a, b), (Values{1, -1, 1, -1}));
    EXPECT_EQ(applied(Function::FloorDiv, type, a, b), (Values{2, -3, -3, 2}));
    EXPECT_EQ(applied(Function::CeilDiv, type, a, b), (Values{3, -2, -2, 3}));
  }
  EXPECT_EQ(applied(Function::Div, E::I32, a, b), (Values{2, -2, -2, 2}));
}

// Nothing an integer can do ends the program.
TEST(Statement, IntegersNeverTrap) {
  for (Function function : {Function::Div, Function::Mod, Function::Rem, Function::FloorDiv, Function::CeilDiv})
    for (E type : {E::I8, E::I64, E::U64})
      EXPECT_EQ(applied(function, type, {5}, {0}), Values{0});
  EXPECT_EQ(applied(Function::Div, E::I8, {-128}, {-1}), Values{-128});
  EXPECT_EQ(applied(Function::Div, E::I64, {-0x1p63}, {-1}), Values{-0x1p63});
  EXPECT_EQ(applied(Function::Rem, E::I64, {-0x1p63}, {-1}), Values{0});
  EXPECT_EQ(applied(Function::Neg, E::I64, {-0x1p63}), Values{-0x1p63});
  EXPECT_EQ(applied(Function::Shl, E::U8, {1, 1, 1}, {7, 8, 200}), (Values{128, 0, 0}));
  EXPECT_EQ(applied(Function::Shr, E::U8, {128, 128}, {7, 9}), (Values{1, 0}));
}

TEST(Statement, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(applied(Function::Add, E::I8, {127, -128}, {1, -1}), (Values{-128, 127}));
  EXPECT_EQ(applied(Function::Mul, E::U8, {16, 17}, {16, 16}), (Values{0, 16}));
  EXPECT_EQ(applied(Function::Sub, E::U32, {0}, {1}), (Values{4294967295.0}));
  EXPECT_EQ(applied(Function::Add, E::I4, {7}, {1}), (Values{-8}));
  EXPECT_EQ(applied(Function::BitNot, E::U8, {5}), (Values{250}));
  EXPECT_EQ(applied(Function::Pow, E::I32, {2, -1, 3, 2}, {10, 3, 0, -1}), (Values{1024, -1, 1, 0}));
}

// u64 is the one type whose bits read as int64 would be wrong.
TEST(Statement, Unsigned64) {
  double big = 0x1p63;
  EXPECT_EQ(applied(Function::Max, E::U64, {big}, {1}), Values{big});
  EXPECT_EQ(applied(Function::Lt, E::U64, {big}, {1}), Values{0});
  EXPECT_EQ(applied(Function::Div, E::U64, {big}, {2}), Values{0x1p62});
  EXPECT_EQ(applied(Function::Shr, E::U64, {big}, {63}), Values{1});
}

TEST(Statement, MaxAndMinPassNanOn) {
  for (Function function : {Function::Max, Function::Min})
    for (E type : {E::F32, E::F64, E::F16}) {
      Values values = applied(function, type, {NAN, 1, 1}, {1, NAN, 2});
      EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]) && !std::isnan(values[2]));
    }
  EXPECT_FALSE(std::signbit(applied(Function::Max, E::F32, {-0.0}, {0.0})[0]));
  EXPECT_TRUE(std::signbit(applied(Function::Min, E::F32, {0.0}, {-0.0})[0]));
}

TEST(Statement, SigmoidDoesNotOverflow) {
  EXPECT_EQ(applied(Function::Sigmoid, E::F32, {-1000, 0, 1000}), (Values{0, 0.5, 1}));
  EXPECT_TRUE(std::isnan(applied(Function::Sigmoid, E::F32, {NAN})[0]));
}

TEST(Statement, Predicates) {
  EXPECT_EQ(applied(Function::IsNan, E::F16, {1, NAN, HUGE_VAL}), (Values{0, 1, 0}));
  EXPECT_EQ(applied(Function::IsInf, E::F32, {1, NAN, -HUGE_VAL}), (Values{0, 0, 1}));
  EXPECT_EQ(applied(Function::Le, E::F32, {1, 2, NAN}, {1, 1, 1}), (Values{1, 0, 0}));
  EXPECT_EQ(applied(Function::Ne, E::I8, {1, 2}, {1, 1}), (Values{0, 1}));
  EXPECT_EQ(applied(Function::Xor, E::B1, {1, 1, 0}, {1, 0, 0}), (Values{0, 1, 0}));
  EXPECT_EQ(applied(Function::Not, E::B1, {1, 0}), (Values{0, 1}));
  EXPECT_EQ(applied(Function::BitNot, E::B1, {1, 0}), (Values{0, 1}));
}

// exp of an integer computes as f64 and drops the fraction.
TEST(Statement, FloatFunctionsOfIntegers) {
  EXPECT_EQ(applied(Function::Sqrt, E::I32, {17, 16}), (Values{4, 4}));
  EXPECT_EQ(applied(Function::Round, E::I32, {17, -3}), (Values{17, -3}));
}

// ONNX Pow: the exponent has its own type.
TEST(Statement, PowerOfMixedTypes) {
  InstanceMaker m;
  unsigned x = m.operand(E::I32, {3}), p = m.operand(E::F32, {3}), y = m.result(E::I32, {3});
  unsigned q = m.operand(E::F32, {3}), r = m.operand(E::I64, {3}), z = m.result(E::F32, {3});
  Ex i = m.loop(0);
  m.statement({3}, 1, Combine::Set, y, {i}, m.apply(Function::Pow, {m.read(x, {i}), m.read(p, {i})}));
  m.statement({3}, 1, Combine::Set, z, {i}, m.apply(Function::Pow, {m.read(q, {i}), m.read(r, {i})}));
  Tensor base = tensorOf(E::I32, {3}, {2, 9, 5}), exponent = tensorOf(E::F32, {3}, {3, 0.5, -1});
  Tensor floats = tensorOf(E::F32, {3}, {1.5, 2, 4}), integers = tensorOf(E::I64, {3}, {2, -1, 0});
  auto results = llvm::cantFail(evaluate(m.instance, {&base, &exponent, &floats, &integers}));
  EXPECT_EQ(valuesOf(results[0]), (Values{8, 3, 0}));
  EXPECT_EQ(valuesOf(results[1]), (Values{2.25, 0.5, 1}));
}

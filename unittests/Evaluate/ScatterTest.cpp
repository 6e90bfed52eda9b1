// Computed left sides, `into`, and statements in several parts.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::test;
using Values = std::vector<double>;

/// y(index(i)) combine= u(i), into x when given
static Values scattered(Combine combine, E type, Values base, Values index, Values updates, bool into,
                        std::string *refused = nullptr) {
  InstanceMaker m;
  int64_t size = base.size(), count = index.size();
  unsigned x = m.operand(type, {size}), at = m.operand(E::I64, {count}), u = m.operand(type, {count});
  unsigned y = m.result(type, {size});
  eq::Statement &s = m.statement({count}, 1, combine, y, {m.read(at, {m.loop(0)})}, m.read(u, {m.loop(0)}));
  s.computedLeft = true;
  if (into)
    s.into = x;
  Tensor a = tensorOf(type, {size}, base), b = tensorOf(E::I64, {count}, index), c = tensorOf(type, {count}, updates);
  if (refused) {
    *refused = refusal(m.instance, {&a, &b, &c});
    return {};
  }
  return valuesOf(run(m.instance, {&a, &b, &c}));
}

TEST(Scatter, Sum) {
  Values base = {10, 20, 30}, index = {2, 0, 2}, updates = {1, 2, 3};
  EXPECT_EQ(scattered(Combine::Sum, E::F32, base, index, updates, true), (Values{12, 20, 34}));
  EXPECT_EQ(scattered(Combine::Sum, E::F32, base, index, updates, false), (Values{2, 0, 4}));
}

TEST(Scatter, OtherCombinations) {
  Values base = {10, 2, 30}, index = {1, 1, 2}, updates = {5, 3, 4};
  for (E type : {E::F32, E::F64, E::F16, E::I8, E::U64}) {
    EXPECT_EQ(scattered(Combine::Max, type, base, index, updates, true), (Values{10, 5, 30}));
    EXPECT_EQ(scattered(Combine::Min, type, base, index, updates, true), (Values{10, 2, 4}));
    EXPECT_EQ(scattered(Combine::Product, type, base, index, {2, 3, 2}, true), (Values{10, 12, 60}));
  }
  EXPECT_EQ(scattered(Combine::Or, E::B1, {0, 1, 0}, index, {0, 0, 1}, true), (Values{0, 1, 1}));
}

TEST(Scatter, SetKeepsTheRest) {
  EXPECT_EQ(scattered(Combine::Set, E::F16, {1, 2, 3}, {2}, {9}, true), (Values{1, 2, 9}));
  EXPECT_EQ(scattered(Combine::Set, E::F16, {1, 2, 3}, {2}, {9}, false), (Values{0, 0, 9}));
}

// A place that data asks for must exist.
TEST(Scatter, WritesOutsideAreRefused) {
  for (Combine combine : {Combine::Sum, Combine::Set})
    for (double bad : {-1.0, 2.0, double(INT32_MAX)}) {
      std::string why;
      scattered(combine, E::F32, {0, 0}, {0, bad, 1}, {1, 2, 3}, true, &why);
      EXPECT_NE(why.find("is outside its 2 elements"), std::string::npos) << why;
    }
}

TEST(Scatter, SumOfHalvesRoundsOnce) {
  // 2048 + 1 is not a half, 2048 + 1 + 1 is: adding one by one would stay at 2048.
  EXPECT_EQ(scattered(Combine::Sum, E::F16, {2048}, {0, 0}, {1, 1}, true), (Values{2050}));
}

// A condition takes points out of an assignment.
TEST(Scatter, ConditionalAssignment) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {4}), y = m.result(E::F32, {4});
  eq::Statement &s = m.statement({4}, 1, Combine::Set, y, {m.loop(0)}, m.real(7));
  s.into = x;
  s.conditions = {m.apply(Function::Gt, {m.read(x, {m.loop(0)}), m.real(2)})};
  Tensor input = tensorOf(E::F32, {4}, {1, 2, 3, 4});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{1, 2, 7, 7}));
}

// y(offset + j) = x_v(j): concat is one part per operand.
TEST(Scatter, PartsContinue) {
  InstanceMaker m;
  unsigned a = m.operand(E::F32, {2, 2}), b = m.operand(E::F32, {2, 1}), y = m.result(E::F32, {2, 3});
  m.statement({2, 2}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.read(a, {m.loop(0), m.loop(1)})).computedLeft =
      true;
  eq::Statement &second = m.statement({2, 1}, 2, Combine::Set, y, {m.loop(0), m.add(m.loop(1), m.integer(2))},
                                      m.read(b, {m.loop(0), m.loop(1)}));
  second.computedLeft = second.continues = true;
  Tensor first = tensorOf(E::F32, {2, 2}, {1, 2, 3, 4}), other = tensorOf(E::F32, {2, 1}, {5, 6});
  EXPECT_EQ(valuesOf(run(m.instance, {&first, &other})), (Values{1, 2, 5, 3, 4, 6}));
}

// The sum of several operands is one statement: it rounds once, at its end.
TEST(Scatter, PartsOfASumRoundOnce) {
  InstanceMaker m;
  unsigned a = m.operand(E::F16, {1}), b = m.operand(E::F16, {1}), c = m.operand(E::F16, {1}),
           y = m.result(E::F16, {1});
  for (unsigned tensor : {a, b, c})
    m.statement({1}, 1, Combine::Sum, y, {m.loop(0)}, m.read(tensor, {m.loop(0)})).continues = tensor != a;
  Tensor x = tensorOf(E::F16, {1}, {2048}), one = tensorOf(E::F16, {1}, {1});
  EXPECT_EQ(valuesOf(run(m.instance, {&x, &one, &one})), (Values{2050}));
}

TEST(Scatter, PartsOfAMaximum) {
  InstanceMaker m;
  unsigned a = m.operand(E::I8, {3}), b = m.operand(E::I8, {3}), y = m.result(E::I8, {3});
  for (unsigned tensor : {a, b})
    m.statement({3}, 1, Combine::Max, y, {m.loop(0)}, m.read(tensor, {m.loop(0)})).continues = tensor != a;
  Tensor x = tensorOf(E::I8, {3}, {-128, 5, 1}), z = tensorOf(E::I8, {3}, {-127, 4, 2});
  EXPECT_EQ(valuesOf(run(m.instance, {&x, &z})), (Values{-127, 5, 2}));
}

// y(i*2 + k) += x(i, c) * w(c, k): a transposed convolution, by the general path and by the contraction.
TEST(Scatter, TransposedConvolution) {
  for (int64_t channels : {2, 300}) {
    InstanceMaker m;
    int64_t length = 20, out = 2 * (length - 1) + 3 - 1; // the last element falls outside
    unsigned x = m.operand(E::F32, {length, channels}), w = m.operand(E::F32, {channels, 3});
    unsigned y = m.result(E::F32, {out});
    Ex place = m.add(m.mul(m.loop(0), m.integer(2)), m.loop(1));
    m.statement({length, 3, channels}, 2, Combine::Sum, y, {place},
                m.mul(m.read(x, {m.loop(0), m.loop(2)}), m.read(w, {m.loop(2), m.loop(1)})))
        .computedLeft = true;
    Tensor input = sequence(E::F32, {length, channels}, -3, 7), weight = sequence(E::F32, {channels, 3}, 0, 5);
    EXPECT_EQ(valuesOf(run(m.instance, {&input, &weight})), naive(m.instance, {&input, &weight}));
  }
}

// An index of the left side may be a position computed from data, with a reduced loop beside it.
TEST(Scatter, SumsBeforeItScatters) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {4, 3}), at = m.operand(E::I32, {4}), y = m.result(E::F32, {2});
  m.statement({4, 3}, 1, Combine::Sum, y, {m.cast(m.read(at, {m.loop(0)}), E::Index)},
              m.read(x, {m.loop(0), m.loop(1)}))
      .computedLeft = true;
  Tensor input = sequence(E::F32, {4, 3}), where = tensorOf(E::I32, {4}, {1, 0, 1, 0});
  EXPECT_EQ(valuesOf(run(m.instance, {&input, &where})), (Values{42, 24}));
}

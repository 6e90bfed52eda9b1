// Reductions, scans by condition, arg-max and arg-min.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;
using namespace kumiko::test;
using Values = std::vector<double>;

/// y(i) combine= x(i, k)
static Values reduced(Combine combine, E type, int64_t rows, int64_t columns, llvm::ArrayRef<double> values) {
  InstanceMaker m;
  unsigned x = m.operand(type, {rows, columns}), y = m.result(type, {rows});
  m.statement({rows, columns}, 1, combine, y, {m.loop(0)}, m.read(x, {m.loop(0), m.loop(1)}));
  Tensor input = tensorOf(type, {rows, columns}, values);
  return valuesOf(run(m.instance, {&input}));
}

TEST(Combine, EachKind) {
  Values x = {3, 1, 2, 0, 4, 5};
  EXPECT_EQ(reduced(Combine::Sum, E::F32, 2, 3, x), (Values{6, 9}));
  EXPECT_EQ(reduced(Combine::Product, E::F32, 2, 3, x), (Values{6, 0}));
  EXPECT_EQ(reduced(Combine::Max, E::F32, 2, 3, x), (Values{3, 5}));
  EXPECT_EQ(reduced(Combine::Min, E::I8, 2, 3, x), (Values{1, 0}));
  EXPECT_EQ(reduced(Combine::And, E::B1, 2, 3, x), (Values{1, 0}));
  EXPECT_EQ(reduced(Combine::Or, E::B1, 2, 3, {0, 0, 0, 0, 1, 0}), (Values{0, 1}));
  EXPECT_EQ(reduced(Combine::Sum, E::B1, 2, 3, {0, 0, 0, 1, 1, 0}), (Values{0, 1}));
  EXPECT_EQ(reduced(Combine::Max, E::U64, 1, 2, {1, 0x1p63}), (Values{0x1p63}));
}

TEST(Combine, EmptyRangeGivesTheIdentity) {
  EXPECT_EQ(reduced(Combine::Sum, E::F32, 2, 0, {}), (Values{0, 0}));
  EXPECT_EQ(reduced(Combine::Product, E::I32, 2, 0, {}), (Values{1, 1}));
  EXPECT_EQ(reduced(Combine::Max, E::F32, 1, 0, {}), (Values{-HUGE_VAL}));
  EXPECT_EQ(reduced(Combine::Max, E::I8, 1, 0, {}), (Values{-128}));
  EXPECT_EQ(reduced(Combine::Min, E::U8, 1, 0, {}), (Values{255}));
  EXPECT_EQ(reduced(Combine::And, E::B1, 1, 0, {}), (Values{1}));
  EXPECT_EQ(reduced(Combine::Or, E::B1, 1, 0, {}), (Values{0}));
  EXPECT_EQ(reduced(Combine::Max, E::F8E4M3FN, 1, 0, {}), (Values{-448})); // its lowest: there is no infinity
}

TEST(Combine, NanSpreads) {
  for (Combine combine : {Combine::Sum, Combine::Max, Combine::Min}) {
    Values values = reduced(combine, E::F32, 2, 3, {1, NAN, 2, 1, 2, 3});
    EXPECT_TRUE(std::isnan(values[0]) && !std::isnan(values[1]));
  }
}

TEST(Combine, IntegersWrap) {
  EXPECT_EQ(reduced(Combine::Sum, E::I8, 1, 3, {100, 100, 100}), (Values{44}));
  EXPECT_EQ(reduced(Combine::Product, E::U8, 1, 2, {16, 17}), (Values{16}));
  EXPECT_EQ(reduced(Combine::Sum, E::I4, 1, 2, {7, 7}), (Values{-2}));
}

// 1 + 2^-30 many times over: f32 would lose every one of them.
TEST(Combine, SumsAccumulateInDouble) {
  std::vector<double> values(4097, 0x1p-30);
  values[0] = 1;
  EXPECT_EQ(reduced(Combine::Sum, E::F32, 1, 4097, values), (Values{1 + 0x1p-18}));
  // The same with lanes on the kept loop.
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {4097, 100}), y = m.result(E::F32, {100});
  m.statement({100, 4097}, 1, Combine::Sum, y, {m.loop(0)}, m.read(x, {m.loop(1), m.loop(0)}));
  std::vector<double> many(4097 * 100, 0x1p-30);
  std::fill_n(many.begin(), 100, 1.0);
  Tensor input = tensorOf(E::F32, {4097, 100}, many);
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), Values(100, 1 + 0x1p-18));
}

// y(j) += x(k) where k <= j
TEST(Combine, ConditionMakesAScan) {
  InstanceMaker m;
  unsigned x = m.operand(E::I64, {5}), y = m.result(E::I64, {5});
  m.statement({5, 5}, 1, Combine::Sum, y, {m.loop(0)}, m.read(x, {m.loop(1)})).conditions = {
      m.apply(Function::Le, {m.loop(1), m.loop(0)})};
  Tensor input = tensorOf(E::I64, {5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{1, 3, 6, 10, 15}));
}

// Both choices of lanes, long enough for several blocks.
TEST(Combine, LongScan) {
  InstanceMaker m;
  int64_t n = 2100;
  unsigned x = m.operand(E::F64, {n}), y = m.result(E::F64, {n});
  m.statement({n, n}, 1, Combine::Sum, y, {m.loop(0)}, m.read(x, {m.loop(1)})).conditions = {
      m.apply(Function::Lt, {m.loop(1), m.loop(0)})};
  Tensor input = sequence(E::F64, {n}, 1);
  Values values = valuesOf(run(m.instance, {&input}));
  for (int64_t j = 0; j < n; ++j)
    ASSERT_EQ(values[j], double(j * (j + 1) / 2));
}

// A point that does not take part may read outside.
TEST(Combine, ConditionGuardsReads) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {4}), y = m.result(E::F32, {4});
  Ex index = m.add(m.loop(0), m.loop(1));
  m.statement({4, 4}, 1, Combine::Sum, y, {m.loop(0)}, m.read(x, {index})).conditions = {
      m.apply(Function::Lt, {index, m.integer(4)})};
  Tensor input = tensorOf(E::F32, {4}, {1, 2, 3, 4});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), (Values{10, 9, 7, 4}));
}

/// best(i), at(i) max= x(i, k), k
static std::pair<Values, Values> arg(Combine combine, E type, int64_t rows, int64_t columns, Values values,
                                     bool conditional = false) {
  InstanceMaker m;
  unsigned x = m.operand(type, {rows, columns}), best = m.result(type, {rows}), at = m.result(E::I64, {rows});
  eq::Statement &s = m.statement({rows, columns}, 1, combine, best, {m.loop(0)}, m.read(x, {m.loop(0), m.loop(1)}));
  s.targets.push_back({at, {m.loop(0)}});
  s.values.push_back(m.loop(1));
  if (conditional)
    s.conditions.push_back(m.apply(Function::Gt, {m.loop(1), m.integer(0)}));
  Tensor input = tensorOf(type, {rows, columns}, values);
  auto results = llvm::cantFail(evaluate(m.instance, {&input}));
  return {valuesOf(results[0]), valuesOf(results[1])};
}

TEST(Combine, ArgKeepsTheFirst) {
  EXPECT_EQ(arg(Combine::Max, E::F32, 2, 4, {1, 3, 3, 2, 5, 5, 5, 5}), std::pair(Values{3, 5}, Values{1, 0}));
  EXPECT_EQ(arg(Combine::Min, E::I32, 2, 4, {1, 0, 0, 2, 5, 5, 4, 4}), std::pair(Values{0, 4}, Values{1, 2}));
}

TEST(Combine, ArgFirstPointWinsOverTheIdentity) {
  auto [best, at] = arg(Combine::Max, E::F32, 2, 3, Values(6, -HUGE_VAL), /*conditional=*/true);
  EXPECT_EQ(at, (Values{1, 1}));
  EXPECT_EQ(best, Values(2, -HUGE_VAL));
}

TEST(Combine, ArgNanWinsAndTheFirstStays) {
  for (Combine combine : {Combine::Max, Combine::Min}) {
    auto [best, at] = arg(combine, E::F32, 1, 6, {1, 9, NAN, -9, NAN, 2});
    EXPECT_TRUE(std::isnan(best[0]));
    EXPECT_EQ(at, Values{2});
  }
}

// The value is that of a maximum without a position: -0 lies below 0.
TEST(Combine, ArgOfZeros) {
  auto [best, at] = arg(Combine::Max, E::F32, 1, 3, {-0.0, 0.0, -0.0});
  EXPECT_FALSE(std::signbit(best[0]));
  EXPECT_EQ(at, Values{0});
  EXPECT_TRUE(std::signbit(arg(Combine::Min, E::F32, 1, 3, {0.0, -0.0, 0.0}).first[0]));
}

TEST(Combine, ArgWithLanesOnEitherSide) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{3, 5000}, {5000, 3}}) {
    Values values(rows * columns);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = double(i * 7919 % 1009);
    auto [best, at] = arg(Combine::Max, E::F32, rows, columns, values);
    for (int64_t row = 0; row < rows; ++row) {
      auto begin = values.begin() + row * columns;
      auto found = std::max_element(begin, begin + columns);
      ASSERT_EQ(best[row], *found);
      ASSERT_EQ(at[row], double(found - begin));
    }
  }
}

// p(o + k) over a window of 3: maximum and its position.
TEST(Combine, WindowWithPosition) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {6}), best = m.result(E::F32, {4}), at = m.result(E::I64, {4});
  Ex place = m.add(m.loop(0), m.loop(1));
  eq::Statement &s = m.statement({4, 3}, 1, Combine::Max, best, {m.loop(0)}, m.read(x, {place}));
  s.targets.push_back({at, {m.loop(0)}});
  s.values.push_back(place);
  Tensor input = tensorOf(E::F32, {6}, {1, 5, 2, 5, 0, 3});
  auto results = llvm::cantFail(evaluate(m.instance, {&input}));
  EXPECT_EQ(valuesOf(results[0]), (Values{5, 5, 5, 5}));
  EXPECT_EQ(valuesOf(results[1]), (Values{1, 1, 3, 3}));
}

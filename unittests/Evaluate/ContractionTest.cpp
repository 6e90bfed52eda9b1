// The blocked path against the naive evaluator, to the last bit: sums are in the same order.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"
#include <random>

using namespace kumiko;
using namespace kumiko::test;

static Tensor randomTensor(E type, Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> bytes(-128, 127);
  std::vector<double> values(llvm::cantFail(elementCount(shape)));
  for (double &value : values)
    value = isFloat(type) ? normal(random) : double(bytes(random));
  return tensorOf(type, shape, values);
}

static void expectNaive(InstanceMaker &m, llvm::ArrayRef<const Tensor *> operands) {
  std::vector<double> expected = naive(m.instance, operands);
  std::vector<double> found = valuesOf(run(m.instance, operands, Precision::Double));
  ASSERT_EQ(expected.size(), found.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(expected[i], found[i]) << "element " << i;
}

TEST(Contraction, MatrixProducts) {
  for (auto [rows, columns, depth] : {std::tuple<int64_t, int64_t, int64_t>{17, 33, 70},
                                      {1, 300, 40},
                                      {300, 1, 40},
                                      {97, 257, 3},
                                      {4, 4, 600},
                                      {130, 9, 257}}) {
    InstanceMaker m;
    unsigned a = m.operand(E::F64, {rows, depth}), b = m.operand(E::F64, {depth, columns});
    unsigned y = m.result(E::F64, {rows, columns});
    m.statement({rows, columns, depth}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
                m.mul(m.read(a, {m.loop(0), m.loop(2)}), m.read(b, {m.loop(2), m.loop(1)})));
    Tensor left = randomTensor(E::F64, {rows, depth}, 1), right = randomTensor(E::F64, {depth, columns}, 2);
    expectNaive(m, {&left, &right});
  }
}

// y(b, n, m) += a(b, m, k) * b(n, k, b): batch in both, transposed everywhere.
TEST(Contraction, BatchedAndTransposed) {
  InstanceMaker m;
  unsigned a = m.operand(E::F32, {3, 12, 20}), b = m.operand(E::F32, {9, 20, 3}), y = m.result(E::F32, {3, 9, 12});
  m.statement({3, 9, 12, 20}, 3, Combine::Sum, y, {m.loop(0), m.loop(1), m.loop(2)},
              m.mul(m.read(a, {m.loop(0), m.loop(2), m.loop(3)}), m.read(b, {m.loop(1), m.loop(3), m.loop(0)})));
  Tensor left = randomTensor(E::F32, {3, 12, 20}, 1), right = randomTensor(E::F32, {9, 20, 3}, 2);
  expectNaive(m, {&left, &right});
}

/// s(n, (g, f), o0, o1) += p(n, (g, c), o*stride + k*dilation) * w((g, f), c, k0, k1)
static void buildConvolution(InstanceMaker &m, int64_t groups, int64_t features, int64_t channels, int64_t out) {
  int64_t in = (out - 1) * 2 + 2 * 2 + 1;
  unsigned p = m.operand(E::F32, {2, groups * channels, in, in});
  unsigned w = m.operand(E::F32, {groups * features, channels, 3, 3});
  unsigned y = m.result(E::F32, {2, groups * features, out, out});
  // loops: n g f o0 o1 | c k0 k1
  Ex gf = m.add(m.mul(m.loop(1), m.integer(features)), m.loop(2));
  Ex gc = m.add(m.mul(m.loop(1), m.integer(channels)), m.loop(5));
  auto at = [&](unsigned o, unsigned k) {
    return m.add(m.mul(m.loop(o), m.integer(2)), m.mul(m.loop(k), m.integer(2)));
  };
  m.statement({2, groups, features, out, out, channels, 3, 3}, 5, Combine::Sum, y,
              {m.loop(0), gf, m.loop(3), m.loop(4)},
              m.mul(m.read(p, {m.loop(0), gc, at(3, 6), at(4, 7)}), m.read(w, {gf, m.loop(5), m.loop(6), m.loop(7)})));
}

TEST(Contraction, Convolutions) {
  for (auto [groups, features, channels] : {std::tuple<int64_t, int64_t, int64_t>{1, 8, 5}, {2, 3, 4}, {6, 1, 1}}) {
    InstanceMaker m;
    buildConvolution(m, groups, features, channels, 7);
    Tensor x = randomTensor(E::F32, {2, groups * channels, 17, 17}, 3);
    Tensor w = randomTensor(E::F32, {groups * features, channels, 3, 3}, 4);
    expectNaive(m, {&x, &w});
  }
}

// i32 sum of products of i8 and u8, as quantised networks have it.
TEST(Contraction, QuantisedProduct) {
  InstanceMaker m;
  unsigned a = m.operand(E::I8, {20, 50}), b = m.operand(E::U8, {50, 30}), y = m.result(E::I32, {20, 30});
  m.statement(
      {20, 30, 50}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
      m.mul(m.cast(m.read(a, {m.loop(0), m.loop(2)}), E::I32), m.cast(m.read(b, {m.loop(2), m.loop(1)}), E::I32)));
  Tensor left = randomTensor(E::I8, {20, 50}, 1), right = randomTensor(E::U8, {50, 30}, 2);
  expectNaive(m, {&left, &right});
}

// Products wrap at the width of their type, wide or narrow.
TEST(Contraction, IntegersWrap) {
  for (E type : {E::I8, E::U16, E::I64}) {
    InstanceMaker m;
    unsigned a = m.operand(type, {20, 50}), b = m.operand(type, {50, 30}), y = m.result(type, {20, 30});
    m.statement({20, 30, 50}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
                m.mul(m.read(a, {m.loop(0), m.loop(2)}), m.read(b, {m.loop(2), m.loop(1)})));
    Tensor left = randomTensor(type, {20, 50}, 1), right = randomTensor(type, {50, 30}, 2);
    expectNaive(m, {&left, &right});
  }
}

// A condition makes it another statement.
TEST(Contraction, ConditionsAreKept) {
  InstanceMaker m;
  unsigned a = m.operand(E::F32, {30, 40}), b = m.operand(E::F32, {40, 50}), y = m.result(E::F32, {30, 50});
  m.statement({30, 50, 40}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
              m.mul(m.read(a, {m.loop(0), m.loop(2)}), m.read(b, {m.loop(2), m.loop(1)})))
      .conditions = {m.apply(Function::Lt, {m.loop(2), m.loop(0)})};
  Tensor left = randomTensor(E::F32, {30, 40}, 1), right = randomTensor(E::F32, {40, 50}, 2);
  expectNaive(m, {&left, &right});
}

// In the declared type, the contraction and the general path (forced by a condition that always holds) agree.
TEST(Contraction, DeclaredTypesAgreeWithTheGeneralPath) {
  for (E type : {E::F32, E::F16, E::BF16, E::F64}) {
    Tensor left = randomTensor(type, {30, 40}, 1), right = randomTensor(type, {40, 50}, 2);
    std::vector<double> found[2];
    for (bool general : {false, true}) {
      InstanceMaker m;
      unsigned a = m.operand(type, {30, 40}), b = m.operand(type, {40, 50}), y = m.result(type, {30, 50});
      eq::Statement &s = m.statement({30, 50, 40}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
                                     m.mul(m.read(a, {m.loop(0), m.loop(2)}), m.read(b, {m.loop(2), m.loop(1)})));
      if (general)
        s.conditions = {m.apply(Function::Ge, {m.loop(2), m.integer(0)})};
      found[general] = valuesOf(run(m.instance, {&left, &right}));
    }
    EXPECT_EQ(found[0], found[1]) << nameOf(type).str();
  }
}

// cast(q, f32) * cast(k, f32) on halves; a cast that rounds must round before the product.
TEST(Contraction, CastsOnTheWay) {
  for (E through : {E::F32, E::BF16, E::F8E4M3FN})
    for (Precision precision : {Precision::Declared, Precision::Double}) {
      Tensor left = randomTensor(E::F16, {30, 40}, 1), right = randomTensor(E::F16, {40, 50}, 2);
      std::vector<double> found[2];
      for (bool general : {false, true}) {
        InstanceMaker m;
        unsigned a = m.operand(E::F16, {30, 40}), b = m.operand(E::F16, {40, 50}), y = m.result(E::F32, {30, 50});
        Ex p = m.cast(m.cast(m.read(a, {m.loop(0), m.loop(2)}), through), E::F32);
        Ex q = m.cast(m.cast(m.read(b, {m.loop(2), m.loop(1)}), through), E::F32);
        eq::Statement &s = m.statement({30, 50, 40}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)}, m.mul(p, q));
        if (general)
          s.conditions = {m.apply(Function::Ge, {m.loop(2), m.integer(0)})};
        found[general] = valuesOf(run(m.instance, {&left, &right}, precision));
      }
      EXPECT_EQ(found[0], found[1]);
    }
}

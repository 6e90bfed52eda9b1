// Which type a statement computes in, and when it rounds.
#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;
using namespace kumiko::test;
using Values = std::vector<double>;

/// y = (x + a) + b in one statement.
static Values sums(E type, double x, double a, double b, Precision precision) {
  InstanceMaker m;
  unsigned in = m.operand(type, {1}), y = m.result(type, {1});
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)},
              m.add(m.add(m.read(in, {m.loop(0)}), m.real(a, type)), m.real(b, type)));
  Tensor input = tensorOf(type, {1}, {x});
  return valuesOf(run(m.instance, {&input}, precision));
}

TEST(Precision, HalvesRoundOncePerStatement) {
  // In f16 after each step: 2048 + 1 -> 2048, + 1 -> 2048. As f32 until stored: 2050.
  EXPECT_EQ(sums(E::F16, 2048, 1, 1, Precision::Declared), Values{2050});
  EXPECT_EQ(sums(E::BF16, 256, 1, 1, Precision::Declared), Values{258});
}

TEST(Precision, FloatsRoundAfterEachStep) {
  EXPECT_EQ(sums(E::F32, 0x1p24, 1, 1, Precision::Declared), Values{0x1p24});
  EXPECT_EQ(sums(E::F32, 0x1p24, 1, 1, Precision::Double), Values{0x1p24 + 2});
  EXPECT_EQ(sums(E::F16, 0x1p11, 0x1p-20, 0, Precision::Double), Values{0x1p11 + 0x1p-20});
}

TEST(Precision, StatementsStoreInTheirType) {
  InstanceMaker m;
  unsigned x = m.operand(E::F16, {1}), t = m.temporary(E::F16, {1}), y = m.result(E::F16, {1});
  Ex i = m.loop(0);
  m.statement({1}, 1, Combine::Set, t, {i}, m.add(m.read(x, {i}), m.real(1, E::F16)));
  m.statement({1}, 1, Combine::Set, y, {i}, m.add(m.read(t, {i}), m.real(1, E::F16)));
  Tensor input = tensorOf(E::F16, {1}, {2048});
  EXPECT_EQ(valuesOf(run(m.instance, {&input})), Values{2048});
  Tensor exact = run(m.instance, {&input}, Precision::Double);
  EXPECT_EQ(exact.element(), E::F64);
  EXPECT_EQ(valuesOf(exact), Values{2050});
}

TEST(Precision, DoubleTakesDoubleOperands) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1}), y = m.result(E::F32, {1});
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}));
  Tensor input = tensorOf(E::F64, {1}, {0.1});
  EXPECT_EQ(valuesOf(run(m.instance, {&input}, Precision::Double)), Values{0.1});
}

/// y: to = cast(x, through)
static Values casted(E from, E through, double x, Precision precision) {
  InstanceMaker m;
  unsigned in = m.operand(from, {1}), y = m.result(through, {1});
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, m.cast(m.read(in, {m.loop(0)}), through));
  Tensor input = tensorOf(from, {1}, {x});
  return valuesOf(run(m.instance, {&input}, precision));
}

TEST(Precision, CastsRoundWhereTheyStand) {
  EXPECT_EQ(casted(E::F32, E::F16, 0.1, Precision::Declared), Values{halfToFloat(0x2e66)});
  EXPECT_EQ(casted(E::F64, E::F32, 0.1, Precision::Declared), Values{double(0.1f)});
  EXPECT_EQ(casted(E::F64, E::F32, 0.1, Precision::Double), Values{0.1});
  // Eight bits are a quantisation, not a choice of precision: they round in both.
  for (Precision precision : {Precision::Declared, Precision::Double}) {
    EXPECT_EQ(casted(E::F32, E::F8E4M3FN, 0.3, precision), Values{0.3125});
    EXPECT_EQ(casted(E::F32, E::F4E2M1, 100, precision), Values{6});
    EXPECT_EQ(casted(E::F32, E::I8, 300.7, precision), Values{44});
    EXPECT_EQ(casted(E::F32, E::U8, -1.5, precision), Values{255});
    EXPECT_EQ(casted(E::I64, E::F32, 16777217, precision),
              Values{precision == Precision::Double ? 16777217.0 : 16777216.0});
    EXPECT_EQ(casted(E::F32, E::B1, 0.5, precision), Values{1});
    EXPECT_EQ(casted(E::U64, E::F64, 0x1p63, precision), Values{0x1p63});
  }
}

// What is stored in a small type rounds even when no cast says so, also in double.
TEST(Precision, SmallTargetsRound) {
  for (Precision precision : {Precision::Declared, Precision::Double}) {
    EXPECT_EQ(sums(E::F8E4M3FN, 16, 1, 0.5, precision), Values{18});
    InstanceMaker m;
    unsigned x = m.operand(E::F8E5M2, {3}), y = m.result(E::F8E5M2, {});
    m.statement({3}, 0, Combine::Sum, y, {}, m.read(x, {m.loop(0)}));
    Tensor input = tensorOf(E::F8E5M2, {3}, {1, 0.125, 0.0625});
    EXPECT_EQ(valuesOf(run(m.instance, {&input}, precision)), Values{1.25});
  }
}

TEST(Precision, EveryTypeMovesUnchanged) {
  for (unsigned type = 1; type <= unsigned(E::F4E2M1); ++type) {
    InstanceMaker m;
    unsigned x = m.operand(E(type), {256}), y = m.result(E(type), {256});
    m.statement({256}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.sub(m.integer(255), m.loop(0))}));
    Tensor input = llvm::cantFail(Tensor::zeros(E(type), {256}));
    for (int i = 0; i < 256; ++i) // finite in every type
      input.mutableData()[i * bytesOf(E(type))] = E(type) == E::B1 ? i % 2 : uint8_t(i) & 3;
    Tensor output = run(m.instance, {&input});
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(valueAt(output, i), valueAt(input, 255 - i)) << nameOf(E(type)).str();
  }
}

// What data and callers can get wrong ends in a message, never elsewhere.
#include "InstanceMaker.h"

using namespace kumiko;
using namespace kumiko::test;

static bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Error, IndexFromDataOutside) {
  for (double bad : {-1.0, 3.0, 9e18}) {
    InstanceMaker m;
    unsigned x = m.operand(E::F32, {2, 3}), index = m.operand(E::I64, {1000}), y = m.result(E::F32, {1000});
    m.statement({1000}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.integer(1), m.read(index, {m.loop(0)})}));
    Tensor data = sequence(E::F32, {2, 3}), where = sequence(E::I64, {1000}, 0, 3);
    EXPECT_EQ(refusal(m.instance, {&data, &where}), "");
    int64_t value = int64_t(bad);
    std::memcpy(where.mutableData() + 8 * 777, &value, 8);
    std::string text = refusal(m.instance, {&data, &where});
    EXPECT_TRUE(contains(text, "`statement 0`: index")) << text;
    EXPECT_TRUE(contains(text, "of dimension 1 of 't0' is outside its 3 elements")) << text;
  }
}

TEST(Error, ReadsThatNothingProves) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), y = m.result(E::F32, {4});
  m.statement({4}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}));
  Tensor data = sequence(E::F32, {3});
  EXPECT_TRUE(contains(refusal(m.instance, {&data}), "index 3 of dimension 0"));
}

TEST(Error, IndexArithmeticThatOverflows) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), y = m.result(E::F32, {2});
  Ex far = m.mul(m.mul(m.loop(0), m.integer(INT64_MAX)), m.integer(4));
  m.statement({2}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {far}, m.real(-1)));
  Tensor data = sequence(E::F32, {3});
  EXPECT_EQ(refusal(m.instance, {&data}), ""); // wraps to -4, which is outside, so `else`
}

// Far outside with `else`: the address must never be formed, let alone read.
TEST(Error, ElseKeepsAwayFromForeignMemory) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {2, 3}), index = m.operand(E::I64, {4}), y = m.result(E::F32, {4});
  m.statement({4}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.read(index, {m.loop(0)}), m.integer(2)}, m.real(-1)));
  Tensor data = sequence(E::F32, {2, 3}), where = tensorOf(E::I64, {4}, {0x1p45, 1, -0x1p45, 0x1p62});
  EXPECT_EQ(valuesOf(run(m.instance, {&data, &where})), (std::vector<double>{-1, 5, -1, -1}));
}

TEST(Error, Operands) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), y = m.result(E::F32, {3});
  m.statement({3}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}));
  Tensor wrongShape = sequence(E::F32, {4}), wrongType = sequence(E::F64, {3});
  EXPECT_TRUE(contains(refusal(m.instance, {}), "operand 0 't0' is not given"));
  EXPECT_TRUE(contains(refusal(m.instance, {nullptr}), "not given"));
  EXPECT_TRUE(contains(refusal(m.instance, {&wrongShape}), "is f32[4], expected f32[3]"));
  EXPECT_TRUE(contains(refusal(m.instance, {&wrongType}), "is f64[3], expected f32[3]"));
}

TEST(Error, Limits) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1}), y = m.result(E::F32, {1 << 20, 1 << 20});
  m.statement({1 << 20, 1 << 20}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.read(x, {m.integer(0)}));
  Tensor data = sequence(E::F32, {1});
  EXPECT_TRUE(contains(refusal(m.instance, {&data}, {1 << 20, UINT64_MAX}), "above the limit of 1048576 bytes"));
  EXPECT_TRUE(contains(refusal(m.instance, {&data}, {UINT64_MAX, 1000}), "points, above the limit of 1000"));
}

TEST(Error, SymbolicShapes) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {3}), y = m.result(E::F32, {3});
  m.statement({3}, 1, Combine::Set, y, {m.loop(0)}, m.read(x, {m.loop(0)}));
  m.instance.statements[0].loops[0].extent = Extent::symbol("N");
  Tensor data = sequence(E::F32, {3});
  EXPECT_TRUE(contains(refusal(m.instance, {&data}), "not known: N"));
}

TEST(Error, UnequalExtents) {
  InstanceMaker m;
  m.instance.checks.push_back({3, 4});
  EXPECT_TRUE(contains(refusal(m.instance, {}), "extents differ: 3 and 4"));
  m.instance.checks.clear();
  m.instance.broadcastChecks.push_back({3, 1});
  m.instance.boundChecks.push_back({3, 3});
  EXPECT_EQ(refusal(m.instance, {}), "");
  m.instance.broadcastChecks.push_back({3, 4});
  EXPECT_TRUE(contains(refusal(m.instance, {}), "extents do not broadcast: 3 and 4"));
  m.instance.broadcastChecks.clear();
  m.instance.boundChecks.push_back({4, 3});
  EXPECT_TRUE(contains(refusal(m.instance, {}), "4 is above 3"));
}

TEST(Error, ReadBeforeWritten) {
  InstanceMaker m;
  unsigned t = m.temporary(E::F32, {1}), y = m.result(E::F32, {1});
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, m.read(t, {m.loop(0)}));
  EXPECT_TRUE(contains(refusal(m.instance, {}), "'t0' is read but absent or not yet computed"));
}

TEST(Error, ResultNobodyComputes) {
  InstanceMaker m;
  m.result(E::F32, {1});
  EXPECT_TRUE(contains(refusal(m.instance, {}), "no statement computes result 't0'"));
}

TEST(Error, DeepExpressions) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1}), y = m.result(E::F32, {1});
  Ex value = m.read(x, {m.loop(0)});
  for (int i = 0; i < 5000; ++i)
    value = m.apply(Function::Neg, {value});
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, value);
  Tensor data = sequence(E::F32, {1});
  EXPECT_TRUE(contains(refusal(m.instance, {&data}), "nested too deeply"));
}

// A tree with 2^60 paths over 60 shared nodes.
TEST(Error, SharedExpressionsAreVisitedOnce) {
  InstanceMaker m;
  unsigned x = m.operand(E::F64, {1}), y = m.result(E::F64, {1});
  Ex value = m.read(x, {m.loop(0)});
  for (int i = 0; i < 60; ++i)
    value = m.add(value, value);
  m.statement({1}, 1, Combine::Set, y, {m.loop(0)}, value);
  Tensor data = tensorOf(E::F64, {1}, {1});
  EXPECT_EQ(valuesOf(run(m.instance, {&data})), std::vector<double>{0x1p60});
}

// The rows of docs/indices.md: what compiled code and the evaluator do with indices and other numbers from data that
// are at or beyond their limits, with every buffer between guard pages.
#include "Probe.h"
#include "gtest/gtest.h"
#include <random>

using namespace kumiko;
using namespace kumiko::test;
using onnx::DataType;
using onnx::test::attribute;

namespace {

constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

/// Which numbers are taken; all others are an error.
struct Taken {
  int64_t low, high;
};
constexpr Taken anything{lowest, highest};
/// It depends on the place; only agreement is asked for.
constexpr Taken some{1, 0};
/// 0 .. n-1, and -n .. -1 from the end.
constexpr Taken wrapped(int64_t n) { return {-n, n - 1}; }

struct Row {
  const char *name;
  ProbeNode node;
  size_t index; ///< number of the input that holds the indices
  int64_t extent;
  Taken taken;
};

ProbeInput f32(std::vector<int64_t> shape) { return {DataType::Float, std::move(shape)}; }
ProbeInput i64(std::vector<int64_t> shape) { return {DataType::Int64, std::move(shape)}; }
ProbeInput i32(std::vector<int64_t> shape) { return {DataType::Int32, std::move(shape)}; }

ProbeInput u32(std::vector<int64_t> shape) { return {DataType::Uint32, std::move(shape)}; }
ProbeInput known(std::vector<int64_t> numbers) { return {DataType::Int64, {}, false, std::move(numbers)}; }
ProbeInput leftOut() { return {DataType::Float, {}, true}; }

onnx::test::Message axis(int64_t number) { return attribute("axis", number); }

/// Tables without elements: every index is outside.
std::vector<Row> emptyRows() {
  return {
      {"Gather rows of nothing", {"Gather", {f32({0, 19}), i64({3})}, {axis(0)}}, 1, 1, some},
      {"GatherND of nothing", {"GatherND", {f32({4, 0, 3}), i64({5, 2})}}, 1, 4, some},
  };
}

/// Points enough for several vectors of places, or for several chunks.
std::vector<Row> scatteredRows() {
  return {
      {"ScatterElements in shares of places",
       {"ScatterElements", {f32({600, 500}), i64({2, 500}), f32({2, 500})}, {axis(0)}},
       1,
       600,
       wrapped(600)},
      {"ScatterND many points", {"ScatterND", {f32({50}), i64({100, 1}), f32({100})}}, 1, 50, wrapped(50)},
  };
}

std::vector<Row> rows() {
  return {
      {"Gather rows", {"Gather", {f32({5, 19}), i64({3})}, {axis(0)}}, 1, 5, wrapped(5)},
      {"Gather columns", {"Gather", {f32({3, 7}), i64({2, 9})}, {axis(1)}}, 1, 7, wrapped(7)},
      {"Gather short rows", {"Gather", {f32({5, 3}), i64({71})}, {axis(0)}}, 1, 5, wrapped(5)},
      {"GatherND short rows", {"GatherND", {f32({4, 4, 7}), i64({37, 2})}}, 1, 4, wrapped(4)},
      {"Gather i32", {"Gather", {f32({4, 2}), i32({17})}, {axis(0)}}, 1, 4, wrapped(4)},
      {"GatherElements", {"GatherElements", {f32({6, 5}), i64({3, 5})}, {axis(0)}}, 1, 6, wrapped(6)},
      {"GatherElements last", {"GatherElements", {f32({2, 21}), i64({2, 18})}, {axis(1)}}, 1, 21, wrapped(21)},
      {"GatherND", {"GatherND", {f32({4, 4, 3}), i64({5, 2})}}, 1, 4, wrapped(4)},
      {"GatherND whole", {"GatherND", {f32({4, 4}), i64({7, 2})}}, 1, 4, wrapped(4)},
      {"ScatterElements", {"ScatterElements", {f32({5, 4}), i64({2, 4}), f32({2, 4})}, {axis(0)}}, 1, 5, wrapped(5)},
      {"ScatterElements add",
       {"ScatterElements", {f32({3, 18}), i64({3, 5}), f32({3, 5})}, {axis(1), attribute("reduction", "add")}},
       1,
       18,
       wrapped(18)},
      {"ScatterND", {"ScatterND", {f32({6, 17}), i64({3, 1}), f32({3, 17})}}, 1, 6, wrapped(6)},
      {"ScatterND max",
       {"ScatterND", {f32({5, 5}), i64({4, 2}), f32({4})}, {attribute("reduction", "max")}},
       1,
       5,
       wrapped(5)},
      {"Scatter of opset 9", {"Scatter", {f32({5, 4}), i64({2, 4}), f32({2, 4})}, {}, 1, 9}, 1, 5, wrapped(5)},
      {"TensorScatter linear",
       {"TensorScatter", {f32({2, 3, 8, 4}), f32({2, 3, 2, 4}), i64({2})}, {}, 1, 24},
       2,
       8,
       {0, 6}},
      {"TensorScatter circular",
       {"TensorScatter", {f32({2, 3, 8, 4}), f32({2, 3, 2, 4}), i64({2})}, {attribute("mode", "circular")}, 1, 24},
       2,
       8,
       anything},
      {"ReverseSequence", {"ReverseSequence", {f32({6, 3}), i64({3})}}, 1, 6, {lowest, 6}},
      {"NegativeLogLikelihoodLoss", {"NegativeLogLikelihoodLoss", {f32({9, 5}), i64({9})}}, 1, 5, anything},
      {"SoftmaxCrossEntropyLoss", {"SoftmaxCrossEntropyLoss", {f32({9, 5}), i64({9})}}, 1, 5, anything},
      {"OneHot", {"OneHot", {i64({19}), known({4}), f32({2})}}, 0, 4, anything},
      {"OneHot first", {"OneHot", {i32({3, 6}), known({7}), f32({2})}, {axis(0)}}, 0, 7, anything},
      {"RotaryEmbedding",
       {"RotaryEmbedding", {f32({2, 3, 5, 8}), f32({7, 4}), f32({7, 4}), i64({2, 5})}, {}, 1, 23},
       3,
       7,
       wrapped(7)},
      {"MaxUnpool",
       {"MaxUnpool",
        {f32({1, 2, 2, 3}), i64({1, 2, 2, 3})},
        {attribute("kernel_shape", std::vector<int64_t>{2, 2}), attribute("strides", std::vector<int64_t>{2, 2})}},
       1,
       48,
       wrapped(48)},
      {"Attention",
       {"Attention",
        {f32({2, 3, 4, 8}), f32({2, 3, 6, 8}), f32({2, 3, 6, 8}), leftOut(), leftOut(), leftOut(), i64({2})},
        {},
        1,
        24},
       6,
       6,
       anything},
      {"BitShift left", {"BitShift", {u32({35}), u32({35})}, {attribute("direction", "LEFT")}}, 1, 32, anything},
      {"BitShift right", {"BitShift", {u32({35}), u32({35})}, {attribute("direction", "RIGHT")}}, 1, 32, anything},
      {"RoiAlign", {"RoiAlign", {f32({2, 3, 8, 9}), f32({4, 4}), i64({4})}}, 2, 2, {0, 1}},
      {"RoiAlign places",
       {"RoiAlign", {f32({2, 3, 8, 9}), f32({4, 4}), i64({4})}, {attribute("sampling_ratio", int64_t(2))}},
       1,
       9,
       anything},
      {"MaxRoiPool",
       {"MaxRoiPool", {f32({2, 3, 8, 9}), f32({4, 5})}, {attribute("pooled_shape", std::vector<int64_t>{2, 3})}},
       1,
       2,
       some},
      {"NonMaxSuppression", {"NonMaxSuppression", {f32({1, 5, 4}), f32({1, 2, 5}), known({3})}}, 0, 5, anything},
      {"NonMaxSuppression scores", {"NonMaxSuppression", {f32({1, 5, 4}), f32({1, 2, 5}), known({3})}}, 1, 5, anything},
      {"TopK", {"TopK", {f32({3, 18}), known({5})}, {}, 2}, 0, 18, anything},
      {"Unique", {"Unique", {f32({18})}}, 0, 18, anything},
      {"GridSample zeros", {"GridSample", {f32({1, 2, 4, 5}), f32({1, 3, 7, 2})}}, 1, 1, anything},
      {"GridSample border",
       {"GridSample", {f32({1, 2, 4, 5}), f32({1, 3, 7, 2})}, {attribute("padding_mode", "border")}},
       1,
       1,
       anything},
      {"GridSample reflection",
       {"GridSample", {f32({1, 2, 4, 5}), f32({1, 3, 7, 2})}, {attribute("padding_mode", "reflection")}},
       1,
       1,
       anything},
      {"Div", {"Div", {i32({35}), i32({35})}}, 1, 7, anything},
      {"Div i64", {"Div", {i64({5}), i64({5})}}, 1, 7, anything},
      {"Mod", {"Mod", {i32({35}), i32({35})}}, 1, 7, anything},
      {"Cast to i32", {"Cast", {f32({18})}, {attribute("to", int64_t(DataType::Int32))}}, 0, 7, anything},
      {"Cast to i64", {"Cast", {f32({18})}, {attribute("to", int64_t(DataType::Int64))}}, 0, 7, anything},
      {"Cast to u8", {"Cast", {f32({18})}, {attribute("to", int64_t(DataType::Uint8))}}, 0, 7, anything},
  };
}

std::string said(const Row &row, int64_t value, const ProbeResult &result) {
  return std::string(row.name) + ", " + std::to_string(value) + ": evaluator '" + result.evaluated + "', compiled '" +
         result.compiled + "'";
}

/// Both fail, or both give the same numbers.
void expectAgreement(const Row &row, const ProbeResult &result, const std::string &text) {
  EXPECT_EQ(result.evaluated.empty(), result.compiled.empty()) << text;
  EXPECT_LE(result.ulp, 16) << text;
  if (!result.compiled.empty())
    EXPECT_NE(result.compiled.find("in node probed"), std::string::npos) << text;
}

class Index : public testing::TestWithParam<Row> {};

TEST_P(Index, Extremes) {
  const Row &row = GetParam();
  Probe probe(row.node);
  ASSERT_EQ(probe.refusal(), "");
  int64_t n = row.extent;
  bool narrow = row.node.inputs[row.index].type == DataType::Int32;
  std::vector<int64_t> values = {
      0, 1, n - 1, -1, -n, n, n + 1, -n - 1, 1 << 20, narrow ? INT32_MIN : lowest, narrow ? INT32_MAX : highest};
  for (int64_t value : values)
    for (bool first : {true, false}) {
      std::vector<Tensor> inputs = probe.plainInputs();
      Tensor &index = inputs[row.index];
      int64_t place = first ? 0 : index.count() - 1;
      if (isFloat(index.element()))
        putReal(index, place, double(value));
      else
        put(index, place, value);
      ProbeResult result = probe.run(inputs);
      expectAgreement(row, result, said(row, value, result));
      bool taken = value >= row.taken.low && value <= row.taken.high;
      if (row.taken.low <= row.taken.high)
        EXPECT_EQ(result.compiled.empty(), taken) << said(row, value, result);
    }
}

TEST_P(Index, NotANumber) {
  const Row &row = GetParam();
  Probe probe(row.node);
  ASSERT_EQ(probe.refusal(), "");
  std::vector<Tensor> inputs = probe.plainInputs();
  if (!isFloat(inputs[row.index].element()))
    GTEST_SKIP() << "its indices are integers";
  for (double value : {double(NAN), HUGE_VAL, -HUGE_VAL, 3e38, -0.0, 1e-45}) {
    putReal(inputs[row.index], 1, value);
    ProbeResult result = probe.run(inputs);
    expectAgreement(row, result, std::string(row.name) + ", " + std::to_string(value));
    EXPECT_EQ(result.compiled, "") << value;
  }
}

// Any mixture of right and wrong numbers; the same ones every time.
TEST_P(Index, Drawn) {
  const Row &row = GetParam();
  Probe probe(row.node);
  ASSERT_EQ(probe.refusal(), "");
  std::mt19937_64 random(row.extent * 1000 + row.node.op.size());
  for (int turn = 0; turn < 8; ++turn) {
    std::vector<Tensor> inputs = probe.plainInputs();
    Tensor &index = inputs[row.index];
    // From all right to all wrong.
    for (int64_t place = 0; place < index.count(); ++place) {
      bool wild = int(random() % 8) < turn - 3;
      int64_t value = wild ? int64_t(random()) : int64_t(random() % (2 * row.extent)) - row.extent;
      if (isFloat(index.element()))
        putReal(index, place, double(value));
      else
        put(index, place, value);
    }
    ProbeResult result = probe.run(inputs);
    expectAgreement(row, result, said(row, turn, result));
  }
}

std::string nameOf(const testing::TestParamInfo<Row> &info) {
  std::string name = info.param.name;
  for (char &letter : name)
    if (!isalnum(letter))
      letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, Index, testing::ValuesIn(rows()), nameOf);
INSTANTIATE_TEST_SUITE_P(ScatteredRows, Index, testing::ValuesIn(scatteredRows()), nameOf);
INSTANTIATE_TEST_SUITE_P(EmptyRows, Index, testing::ValuesIn(emptyRows()), nameOf);

} // namespace

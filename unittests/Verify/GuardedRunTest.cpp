// The runner must see what it is there for: a kernel that believes its buffers to be larger than they are.
#include "Probe.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::test;

namespace {

std::unique_ptr<CompiledModel> addition(onnx::test::Folder &folder, onnx::test::Dim count) {
  using namespace onnx::test;
  GraphParts parts;
  for (const char *name : {"a", "b"})
    parts.inputs.push_back(valueInfo(name, onnx::DataType::Float, {count}));
  parts.outputs.push_back(valueInfo("p", onnx::DataType::Float, {count}));
  parts.nodes = {node("Add", {"a", "b"}, {"p"})};
  ProblemList problems;
  CompileOptions options;
  options.jobs = 1;
  options.import.symbols = true;
  return compile(folder.write("add.onnx", model(graph(parts)).bytes), options, problems);
}

std::vector<Tensor> twoInputs(int64_t count) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 2; ++i)
    inputs.push_back(llvm::cantFail(Tensor::zeros(ElementType::F32, {count})));
  return inputs;
}

TEST(GuardedRun, WholeBuffersAreFine) {
  onnx::test::Folder folder;
  auto model = addition(folder, 37);
  ASSERT_TRUE(model);
  std::vector<Tensor> inputs = twoInputs(37);
  for (GuardSide side : {GuardSide::After, GuardSide::Before}) {
    ProblemList problems;
    auto results = runGuarded(*model, inputs, side, problems);
    ASSERT_TRUE(results);
    EXPECT_EQ((*results)[0].at<float>(36), 0.0f);
  }
}

// Each buffer in turn is one element too short.
TEST(GuardedRun, OneElementTooMany) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  onnx::test::Folder folder;
  for (size_t number = 0; number < 3; ++number) {
    auto model = addition(folder, 37);
    ASSERT_TRUE(model);
    ASSERT_EQ(model->program.calls[0].buffers.size(), 3u);
    model->program.calls[0].buffers[number].bytes = 37 * 4 - 4;
    std::vector<Tensor> inputs = twoInputs(37);
    ProblemList problems;
    EXPECT_EXIT((void)runGuarded(*model, inputs, GuardSide::After, problems), testing::KilledBySignal(SIGSEGV), "");
  }
}

// With symbols the sizes are those of the run.
TEST(GuardedRun, Symbols) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  onnx::test::Folder folder;
  auto model = addition(folder, "n");
  ASSERT_TRUE(model);
  ASSERT_FALSE(model->program.isStatic());
  for (int64_t count : {1, 16, 37, 1000})
    for (GuardSide side : {GuardSide::After, GuardSide::Before}) {
      ProblemList problems;
      auto results = runGuarded(*model, twoInputs(count), side, problems);
      ASSERT_TRUE(results);
      EXPECT_EQ((*results)[0].count(), count);
    }
  for (size_t number = 0; number < 3; ++number) {
    Extent &bytes = model->program.calls[0].buffers[number].bytes;
    Extent right = bytes;
    bytes = Extent::symbol("n") * 4 + Extent(-4);
    std::vector<Tensor> inputs = twoInputs(37);
    ProblemList problems;
    EXPECT_EXIT((void)runGuarded(*model, inputs, GuardSide::After, problems), testing::KilledBySignal(SIGSEGV), "");
    bytes = right;
  }
}

} // namespace

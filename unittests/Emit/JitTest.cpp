#include "kumiko/Emit/Jit.h"
#include "Sample.h"
#include "runtime/include/kumiko/kumiko.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {
struct SampleRun {
  float x[16], y[16];
  kumiko_tensor input, output;
  static constexpr int64_t shape[2] = {2, 8};
  SampleRun() : input{x, KUMIKO_F32, 2, shape, nullptr}, output{y, KUMIKO_F32, 2, shape, nullptr} {
    for (unsigned i = 0; i < 16; ++i)
      x[i] = 0.25f * float(i);
  }
  int operator()(const kumiko_artefact *artefact, unsigned threads) {
    const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);
    kumiko_model *model = nullptr;
    if (int code = api->model_from_artefact(artefact, nullptr, &model))
      return code;
    kumiko_options options = {};
    options.struct_bytes = sizeof(options);
    options.threads = threads;
    kumiko_context *context = nullptr;
    int code = api->context_create(model, &options, &context);
    if (!code)
      code = api->bind_input(context, "x", &input);
    if (!code)
      code = api->bind_output(context, "y:0", &output);
    if (!code)
      code = api->run(context);
    api->context_destroy(context);
    api->model_release(model);
    return code;
  }
};
} // namespace

TEST(Jit, ComputesThroughTheRuntime) {
  Sample sample;
  auto jit = Jit::create(sample.program, sample.kernels, sample.target);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  for (unsigned threads : {1, 2}) {
    SampleRun run;
    ASSERT_EQ(run((*jit)->artefact(), threads), 0);
    for (unsigned i = 0; i < 16; ++i)
      EXPECT_FLOAT_EQ(run.y[i], Sample::expected(run.x[i], i % 8)) << i;
  }
}

TEST(Jit, CodesOfKernelsComeThrough) {
  Sample sample;
  auto jit = Jit::create(sample.program, sample.kernels, sample.target);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  SampleRun run;
  run.x[8] = -1;
  EXPECT_EQ(run((*jit)->artefact(), 2), KUMIKO_E_INDEX);
}

// The C header reads back what Program says: every field has its place.
TEST(Jit, TablesMatchTheHeader) {
  Sample sample;
  auto jit = Jit::create(sample.program, sample.kernels, sample.target);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  const kumiko_artefact &table = *(*jit)->artefact();
  EXPECT_EQ(table.version, KUMIKO_ARTEFACT_VERSION);
  EXPECT_EQ(table.struct_bytes, sizeof(kumiko_artefact));
  EXPECT_STREQ(table.name, "sample");
  EXPECT_TRUE(llvm::StringRef(table.producer).starts_with("kumiko "));
  EXPECT_STREQ(table.provenance, "sample by hand, flags none");
  ASSERT_EQ(table.input_count, 1u);
  EXPECT_STREQ(table.inputs[0].name, "x");
  EXPECT_EQ(table.inputs[0].element_type, KUMIKO_F32);
  ASSERT_EQ(table.inputs[0].rank, 2u);
  EXPECT_EQ(table.inputs[0].shape[1], 8);
  ASSERT_EQ(table.output_count, 1u);
  EXPECT_STREQ(table.outputs[0].name, "y:0");
  ASSERT_EQ(table.call_count, 2u);
  const kumiko_call &call = table.calls[1];
  EXPECT_STREQ(call.name, "k_exp_shift");
  EXPECT_STREQ(call.nodes, "exp, add");
  EXPECT_EQ(call.chunks, 2);
  EXPECT_EQ(call.scratch_bytes, 32u);
  ASSERT_EQ(call.buffer_count, 4u);
  EXPECT_EQ(call.buffers[2].space, KUMIKO_SPACE_WEIGHTS);
  EXPECT_EQ(call.buffers[2].offset, 64);
  EXPECT_EQ(table.weights_bytes, 128u);
  EXPECT_EQ(uintptr_t(table.weights) % 64, 0u);
  EXPECT_EQ(static_cast<const float *>(table.weights)[8], 0.0f);
  EXPECT_EQ(static_cast<const float *>(table.weights)[16], 10.0f);
  EXPECT_EQ(table.weights_file, nullptr);
  EXPECT_EQ(table.arena_bytes, 128u);
  EXPECT_EQ(table.scratch_bytes, 32u);
  EXPECT_EQ(table.symbol_count, 0u);
}

// Weights that already are one aligned piece are used where they are.
TEST(Jit, DoesNotCopyWeights) {
  Sample sample;
  auto image = WeightImage::create(sample.program);
  ASSERT_TRUE(bool(image));
  sample.program.weights.clear();
  sample.program.weights.push_back({0, {static_cast<const char *>(image->data()), 128}, {}});
  auto jit = Jit::create(sample.program, sample.kernels, sample.target);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  EXPECT_EQ((*jit)->artefact()->weights, image->data());
}

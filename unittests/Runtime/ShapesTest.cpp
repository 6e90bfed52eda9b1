//===- ShapesTest.cpp - symbols from inputs and from data ------------------------===//
#include "Dynamic.h"
extern "C" {
#include "runtime/src/extent.h"
}
#include "gtest/gtest.h"
#include <climits>
#include <string>
#include <vector>

namespace {

/// A context of the hand-written model, and tensors for one shape.
class Shapes : public testing::Test {
protected:
  void SetUp() override {
    counted = {this, allocate, release};
    ASSERT_EQ(k->model_from_artefact(&artefact, nullptr, &model), KUMIKO_OK) << k->last_error(nullptr);
    kumiko_options options = {sizeof options, 2, &counted, nullptr};
    ASSERT_EQ(k->context_create(model, &options, &context), KUMIKO_OK) << k->last_error(nullptr);
  }
  void TearDown() override {
    k->context_destroy(context);
    k->model_release(model);
    EXPECT_EQ(held, 0);
  }

  int bind(const char *name, void *data, uint32_t type, std::vector<int64_t> shape) {
    kumiko_tensor tensor = {data, type, uint32_t(shape.size()), shape.data(), nullptr};
    return k->bind_input(context, name, &tensor);
  }
  void bindAll(int64_t batch, int64_t seq) {
    x.assign(batch * seq, 0);
    mask.assign(batch * seq, 0);
    bias.assign(seq, 0);
    for (int64_t i = 0; i < batch * seq; ++i) {
      x[i] = float(i);
      mask[i] = i % 3 == 0;
    }
    for (int64_t i = 0; i < seq; ++i)
      bias[i] = 0.5f * float(i);
    ASSERT_EQ(bind("x", x.data(), KUMIKO_F32, {batch, seq}), KUMIKO_OK) << error();
    ASSERT_EQ(bind("mask", mask.data(), KUMIKO_B1, {batch, seq}), KUMIKO_OK) << error();
    ASSERT_EQ(bind("bias", bias.data(), KUMIKO_F32, {seq}), KUMIKO_OK) << error();
  }
  /// Both results, wherever they are, against a plain computation.
  void expectRight(int64_t batch, int64_t seq) {
    std::vector<float> picked, sums(batch);
    for (int64_t i = 0; i < batch * seq; ++i) {
      float t = x[i] + bias[i % seq];
      sums[i / seq] += t;
      if (mask[i])
        picked.push_back(t);
    }
    EXPECT_EQ(result(0), picked);
    EXPECT_EQ(result(1), sums);
  }
  std::vector<float> result(uint64_t number) {
    kumiko_tensor tensor;
    if (int status = k->output_tensor(context, number, &tensor)) {
      ADD_FAILURE() << status << " " << error();
      return {};
    }
    auto *data = static_cast<const float *>(tensor.data);
    return std::vector<float>(data, data + tensor.shape[0]);
  }
  std::string error() { return k->last_error(context); }

  static void *allocate(void *user, size_t bytes, size_t alignment) {
    auto *test = static_cast<Shapes *>(user);
    if (bytes > test->limit)
      return nullptr;
    ++test->allocations;
    test->held += int64_t(bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void *user, void *memory, size_t bytes) {
    static_cast<Shapes *>(user)->held -= int64_t(bytes);
    std::free(memory);
  }

  const kumiko_api *k = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_artefact artefact = *dynamic_artefact();
  kumiko_allocator counted;
  kumiko_model *model = nullptr;
  kumiko_context *context = nullptr;
  std::vector<float> x, bias;
  std::vector<uint8_t> mask;
  int64_t held = 0;
  int allocations = 0;
  size_t limit = SIZE_MAX;
};

TEST_F(Shapes, OneContextRunsManyShapes) {
  for (auto [batch, seq] : {std::pair<int64_t, int64_t>{3, 5}, {1, 2}, {7, 33}, {3, 5}, {100, 64}, {1, 2}}) {
    bindAll(batch, seq);
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
    expectRight(batch, seq);
  }
}

TEST_F(Shapes, ARepeatedShapeAllocatesNothing) {
  const std::pair<int64_t, int64_t> sizes[] = {{3, 5}, {7, 33}, {2, 9}, {4, 4}};
  for (auto [batch, seq] : sizes) {
    bindAll(batch, seq);
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
  }
  int before = allocations;
  for (int turn = 0; turn < 3; ++turn)
    for (auto [batch, seq] : sizes) {
      bindAll(batch, seq);
      ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
      expectRight(batch, seq);
    }
  EXPECT_EQ(allocations, before);
}

TEST_F(Shapes, DataDecideTheSizeOfAResult) {
  bindAll(2, 6);
  for (int number : {1, 12, 3}) {
    for (int i = 0; i < 12; ++i)
      mask[i] = i < number;
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
    expectRight(2, 6);
  }
}

TEST_F(Shapes, ShapesAreKnownOnceInputsAreBound) {
  int64_t shape = -1;
  EXPECT_EQ(k->output_shape(context, 1, &shape), KUMIKO_E_UNBOUND);
  bindAll(3, 5);
  EXPECT_EQ(k->output_shape(context, 1, &shape), KUMIKO_OK);
  EXPECT_EQ(shape, 3);
  EXPECT_EQ(k->output_shape(context, 0, &shape), KUMIKO_E_UNBOUND);
  EXPECT_EQ(error(), "output \"y\": data decide its shape; run first");
  EXPECT_EQ(k->output_shape(context, 2, &shape), KUMIKO_E_NAME);
  EXPECT_EQ(k->output_shape(context, 1, nullptr), KUMIKO_E_ARGUMENT);
  ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
  EXPECT_EQ(k->output_shape(context, 0, &shape), KUMIKO_OK);
  EXPECT_EQ(shape, 5);
}

TEST_F(Shapes, TheCallersMemoryIsUsedWhenItIsLargeEnough) {
  bindAll(2, 6);
  std::vector<float> room(3), sums(2);
  int64_t three = 3, two = 2, four = 4;
  kumiko_tensor y = {room.data(), KUMIKO_F32, 1, &three, nullptr}, s = {sums.data(), KUMIKO_F32, 1, &two, nullptr};
  ASSERT_EQ(k->bind_output(context, "y", &y), KUMIKO_OK) << error();
  ASSERT_EQ(k->bind_output(context, "sums", &s), KUMIKO_OK) << error();
  kumiko_tensor found;
  ASSERT_EQ(k->run(context), KUMIKO_OK) << error(); // four elements do not fit
  ASSERT_EQ(k->output_tensor(context, 0, &found), KUMIKO_OK);
  EXPECT_NE(found.data, room.data());
  expectRight(2, 6);
  EXPECT_EQ(result(1), sums);
  mask[0] = 0;
  ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
  ASSERT_EQ(k->output_tensor(context, 0, &found), KUMIKO_OK);
  EXPECT_EQ(found.data, room.data());
  EXPECT_EQ(found.shape[0], 3);
  s.shape = &four;
  ASSERT_EQ(k->bind_output(context, "sums", &s), KUMIKO_OK) << error();
  EXPECT_EQ(k->run(context), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "output \"sums\" is bound as f32[4], but is f32[2]");
}

TEST_F(Shapes, InputsThatDisagreeAreNamed) {
  bindAll(3, 5);
  ASSERT_EQ(bind("bias", bias.data(), KUMIKO_F32, {4}), KUMIKO_OK);
  EXPECT_EQ(k->run(context), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "input \"bias\": axis 0 is 4, must be seq, which is 5 by axis 1 of input \"x\"");
  ASSERT_EQ(bind("bias", bias.data(), KUMIKO_F32, {5}), KUMIKO_OK);
  EXPECT_EQ(k->run(context), KUMIKO_OK) << error();
}

TEST_F(Shapes, WhatIsDemandedIsChecked) {
  bindAll(3, 1);
  EXPECT_EQ(k->run(context), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "node windows: 2 must be at most seq, which is 1, with batch = 3, seq = 1");
  bindAll(3, 5);
  mask.assign(15, 0);
  EXPECT_EQ(k->run(context), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "node first: 1 must be at most picked, which is 0, with picked = 0, batch = 3, seq = 5");
  mask[3] = 1;
  EXPECT_EQ(k->run(context), KUMIKO_OK) << error();
}

TEST_F(Shapes, HostileExtents) {
  bindAll(3, 5);
  EXPECT_EQ(bind("x", x.data(), KUMIKO_F32, {-1, 5}), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "input \"x\" is f32[-1,5], expected f32[batch,seq]: axis 0 is -1, must be 0 or more");
  EXPECT_EQ(bind("x", x.data(), KUMIKO_F32, {INT64_MAX, 5}), KUMIKO_E_OVERFLOW);
  EXPECT_EQ(bind("x", x.data(), KUMIKO_F32, {5}), KUMIKO_E_SHAPE);
  // No element, but sizes that do not fit.
  EXPECT_EQ(bind("x", nullptr, KUMIKO_F32, {0, INT64_MAX}), KUMIKO_OK);
  EXPECT_EQ(bind("mask", nullptr, KUMIKO_B1, {0, INT64_MAX}), KUMIKO_OK);
  EXPECT_EQ(k->run(context), KUMIKO_E_OVERFLOW);
  EXPECT_EQ(error(), "4*seq does not fit 64 bits with batch = 0, seq = 9223372036854775807");
  bindAll(3, 5);
  EXPECT_EQ(k->run(context), KUMIKO_OK) << error();
}

TEST_F(Shapes, MissingMemoryIsAnError) {
  bindAll(3, 5);
  ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
  limit = 10000;
  bindAll(1000, 5);
  EXPECT_EQ(k->run(context), KUMIKO_E_MEMORY);
  EXPECT_EQ(error(), "no memory for 20032 bytes of intermediate results with batch = 1000, seq = 5");
  limit = SIZE_MAX;
  EXPECT_EQ(k->run(context), KUMIKO_OK) << error();
  expectRight(1000, 5);
}

TEST_F(Shapes, StridedInputsOfAnyShape) {
  bindAll(3, 5);
  for (int64_t batch : {2, 3, 40}) {
    std::vector<float> wide(batch * 10);
    bindAll(batch, 5);
    for (int64_t i = 0; i < batch * 5; ++i)
      wide[2 * i] = x[i];
    int64_t shape[] = {batch, 5}, strides[] = {10, 2};
    kumiko_tensor tensor = {wide.data(), KUMIKO_F32, 2, shape, strides};
    ASSERT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_OK) << error();
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
    expectRight(batch, 5);
  }
}

TEST_F(Shapes, TextsOfDimensions) {
  kumiko_model_info info = {};
  info.struct_bytes = sizeof info;
  ASSERT_EQ(k->model_info(model, &info), KUMIKO_OK);
  EXPECT_STREQ(k->dimension_text(model, info.inputs[0].shape[1]), "seq");
  EXPECT_EQ(k->dimension_text(model, 4), nullptr);
  EXPECT_EQ(k->dimension_text(model, INT64_MIN), nullptr);
}

/// Artefacts that contradict themselves are refused when they are loaded.
TEST(BrokenDynamics, IsRefused) {
  const kumiko_api *k = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_model *model = nullptr;
  auto refused = [&](auto spoil) {
    kumiko_artefact artefact = *dynamic_artefact();
    kumiko_dynamics dynamics = *artefact.dynamics;
    kumiko_level levels[] = {dynamics.levels[0], dynamics.levels[1]};
    std::vector<kumiko_expression> expressions(dynamics.expressions, dynamics.expressions + 6);
    std::vector<kumiko_call> calls(artefact.calls, artefact.calls + 5);
    dynamics.levels = levels;
    dynamics.expressions = expressions.data();
    artefact.dynamics = &dynamics;
    artefact.calls = calls.data();
    spoil(artefact, dynamics, levels, expressions, calls);
    return k->model_from_artefact(&artefact, nullptr, &model) == KUMIKO_E_ARTEFACT;
  };
  static const kumiko_extent_step bad[] = {{KUMIKO_EXTENT_SYMBOL, 0, 3}}, late[] = {{KUMIKO_EXTENT_SYMBOL, 0, 0}},
                                  lone[] = {{KUMIKO_EXTENT_ADD, 0, 0}};
  EXPECT_TRUE(refused([](auto &a, auto &, auto *, auto &, auto &) { a.dynamics = nullptr; }));
  EXPECT_TRUE(refused([](auto &, auto &d, auto *, auto &, auto &) { d.level_count = 0; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *l, auto &, auto &) { l[1].expression_end = 2; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *l, auto &, auto &) { l[1].last = 9; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *l, auto &, auto &) { l[1].last = 4; })) << "ends too early";
  EXPECT_TRUE(refused([](auto &, auto &, auto *l, auto &, auto &) { l[1].first = 3; })) << "begins too late";
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &, auto &c) { c[1].level = 0; })) << "never begins";
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &, auto &c) { c[2].level = 1; })) << "begins twice";
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &e, auto &) { e[2].steps = bad, e[2].step_count = 1; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &e, auto &) { e[2].steps = late, e[2].step_count = 1; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &e, auto &) { e[2].steps = lone, e[2].step_count = 1; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &e, auto &) { e[2].step_count = 0; }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &, auto &c) { c[0].chunks = ~int64_t(6); }));
  EXPECT_TRUE(refused([](auto &, auto &, auto *, auto &, auto &c) { c[0].chunks = ~int64_t(4); }));
  EXPECT_TRUE(refused([](auto &, auto &d, auto *, auto &, auto &) { d.planned = nullptr; }));
}

TEST(Extents, Values) {
  auto value = [](std::vector<kumiko_extent_step> steps, std::vector<int64_t> symbols, int64_t &result) {
    kumiko_expression expression = {steps.data(), steps.size(), "e"};
    std::vector<kumiko_symbol> known(symbols.size(), kumiko_symbol{"s", 0});
    kumiko_level level = {};
    kumiko_dynamics dynamics = {1, &level, known.data(), nullptr, nullptr, nullptr};
    EXPECT_TRUE(kumiko_extent_is_sound(&expression, &dynamics, known.size(), 0));
    return kumiko_extent_value(&expression, symbols.data(), &result);
  };
  auto two = [&](uint32_t kind, int64_t a, int64_t b, int64_t &result) {
    return value({{KUMIKO_EXTENT_SYMBOL, 0, 0}, {KUMIKO_EXTENT_SYMBOL, 0, 1}, {kind, 0, 0}}, {a, b}, result);
  };
  int64_t result;
  EXPECT_EQ(two(KUMIKO_EXTENT_FLOORDIV, -7, 2, result), KUMIKO_OK);
  EXPECT_EQ(result, -4);
  EXPECT_EQ(two(KUMIKO_EXTENT_FLOORDIV, 7, -2, result), KUMIKO_OK);
  EXPECT_EQ(result, -4);
  EXPECT_EQ(two(KUMIKO_EXTENT_FLOORDIV, 7, 0, result), KUMIKO_E_SHAPE);
  EXPECT_EQ(two(KUMIKO_EXTENT_FLOORDIV, INT64_MIN, -1, result), KUMIKO_E_OVERFLOW);
  EXPECT_EQ(two(KUMIKO_EXTENT_ADD, INT64_MAX, 1, result), KUMIKO_E_OVERFLOW);
  EXPECT_EQ(two(KUMIKO_EXTENT_MULTIPLY, INT64_MAX, 2, result), KUMIKO_E_OVERFLOW);
  EXPECT_EQ(two(KUMIKO_EXTENT_BROADCAST, 1, 4, result), KUMIKO_OK);
  EXPECT_EQ(result, 4);
  EXPECT_EQ(two(KUMIKO_EXTENT_BROADCAST, 4, 1, result), KUMIKO_OK);
  EXPECT_EQ(result, 4);
  EXPECT_EQ(two(KUMIKO_EXTENT_BROADCAST, 4, 3, result), KUMIKO_E_SHAPE);
  EXPECT_EQ(two(KUMIKO_EXTENT_MAX, 4, 3, result), KUMIKO_OK);
  EXPECT_EQ(result, 4);
  EXPECT_EQ(two(KUMIKO_EXTENT_MIN, 4, 3, result), KUMIKO_OK);
  EXPECT_EQ(result, 3);
}

} // namespace

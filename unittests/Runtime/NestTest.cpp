// Programs with loops and choices inside.
#include "ApiTest.h"
#include <list>
#include <numeric>
#include <vector>

namespace {

// Kernels over rows of four floats; two chunks each.
enum { Row = 4, RowBytes = Row * sizeof(float) };

/// c = a + b
int add(void *const *buffers, const int64_t *, int64_t chunk, void *) {
  for (int i = int(chunk) * 2; i < int(chunk) * 2 + 2; ++i)
    static_cast<float *>(buffers[2])[i] = static_cast<float *>(buffers[0])[i] + static_cast<float *>(buffers[1])[i];
  return 0;
}

/// b = a
int copy(void *const *buffers, const int64_t *, int64_t chunk, void *) {
  for (int i = int(chunk) * 2; i < int(chunk) * 2 + 2; ++i)
    static_cast<float *>(buffers[1])[i] = static_cast<float *>(buffers[0])[i];
  return 0;
}

/// more = a[0] < limit[0], by the first chunk
int below(void *const *buffers, const int64_t *, int64_t chunk, void *) {
  if (chunk == 0)
    *static_cast<uint8_t *>(buffers[2]) = *static_cast<float *>(buffers[0]) < *static_cast<float *>(buffers[1]);
  return 0;
}

int fails(void *const *, const int64_t *, int64_t, void *) { return KUMIKO_E_INDEX; }

using Steps = std::vector<kumiko_step>;
using Buffers = std::vector<kumiko_buffer>;

/// A program of four rows `x` in, `y` of as many rows as asked for out, and an arena of 1024 bytes.
class Nest : public Api {
protected:
  void SetUp() override { std::iota(x.begin(), x.end(), 1.0f); }

  const kumiko_step *keep(Steps steps) { return kept.emplace_back(std::move(steps)).data(); }
  kumiko_buffer at(uint32_t space, int64_t offset, Steps steps = {}) {
    size_t count = steps.size();
    return {space, 0, offset, count ? keep(std::move(steps)) : nullptr, count};
  }
  kumiko_buffer arena(int64_t offset, Steps steps = {}) { return at(KUMIKO_SPACE_ARENA, offset, std::move(steps)); }
  kumiko_buffer input(int64_t offset, Steps steps = {}) { return at(KUMIKO_SPACE_INPUT, offset, std::move(steps)); }
  kumiko_buffer output(int64_t offset, Steps steps = {}) { return at(KUMIKO_SPACE_OUTPUT, offset, std::move(steps)); }

  void call(kumiko_kernel kernel, Buffers buffers, uint32_t loops) {
    const Buffers &list = references.emplace_back(std::move(buffers));
    calls.push_back({kernel, list.data(), list.size(), 2, 0, "k", "n", KUMIKO_CALL_KERNEL, loops, 0, 0, 0, 0});
  }
  void nest(kumiko_call_kind kind, int64_t turns, Buffers buffers, uint32_t loops, uint64_t body, uint64_t otherwise) {
    const Buffers &list = references.emplace_back(std::move(buffers));
    calls.push_back({nullptr, list.data(), list.size(), turns, 0, "", "n", kind, loops, body, otherwise, 0, 0});
  }

  /// With `dynamics` the program has one symbol, and no arena of a size that is known.
  int load(int64_t rows, const kumiko_dynamics *dynamics = nullptr) {
    shapes[0][0] = 4, shapes[1][0] = rows;
    y.assign(rows * Row, -1);
    program = *fake_artefact();
    program.input_count = program.output_count = 1;
    program.inputs = &values[0];
    program.outputs = &values[1];
    program.calls = calls.data();
    program.call_count = calls.size();
    program.arena_bytes = dynamics ? 0 : 1024;
    program.symbol_count = dynamics ? 1 : 0;
    program.dynamics = dynamics;
    return k->model_from_artefact(&program, nullptr, &model);
  }

  int runBound() {
    kumiko_tensor in = {x.data(), KUMIKO_F32, 2, shapes[0], nullptr};
    kumiko_tensor out = {y.data(), KUMIKO_F32, 2, shapes[1], nullptr};
    EXPECT_EQ(k->bind_input(context, "x", &in), KUMIKO_OK) << error();
    EXPECT_EQ(k->bind_output(context, "y", &out), KUMIKO_OK) << error();
    return k->run(context);
  }

  int run(int64_t rows, uint32_t threads) {
    if (int status = load(rows))
      return status;
    kumiko_options options = {sizeof options, threads, nullptr, nullptr};
    EXPECT_EQ(k->context_create(model, &options, &context), KUMIKO_OK);
    return runBound();
  }

  std::vector<float> x = std::vector<float>(4 * Row), y;
  int64_t shapes[2][2] = {{4, Row}, {0, Row}};
  kumiko_value values[2] = {{"x", KUMIKO_F32, 2, shapes[0]}, {"y", KUMIKO_F32, 2, shapes[1]}};
  std::list<Steps> kept;
  std::list<Buffers> references;
  std::vector<kumiko_call> calls;
  kumiko_artefact program = {};
};

// Slices of a sequence one after the other, a state with two places, a stacked result written in place.
TEST_F(Nest, RunningSum) {
  call(copy, {input(0), arena(0)}, 0);
  nest(KUMIKO_CALL_LOOP, 3, {}, 0, 2, 0);
  call(add,
       {arena(0, {{0, KUMIKO_STEP_ODD, 64}}), input(RowBytes, {{0, 0, RowBytes}}),
        arena(0, {{0, KUMIKO_STEP_EVEN, 64}})},
       1);
  call(copy, {arena(0, {{0, KUMIKO_STEP_EVEN, 64}}), output(0, {{0, 0, RowBytes}})}, 1);
  call(copy, {arena(64), output(3 * RowBytes)}, 0); // three turns: the last state is in the second place
  for (uint32_t threads : {1, 2, 3}) {
    ASSERT_EQ(run(4, threads), KUMIKO_OK) << error();
    EXPECT_EQ(y, (std::vector<float>{6, 8, 10, 12, 15, 18, 21, 24, 28, 32, 36, 40, 28, 32, 36, 40}));
    Api::TearDown();
    context = nullptr, model = nullptr;
  }
}

// From the last slice to the first, by a step backwards.
TEST_F(Nest, Backwards) {
  nest(KUMIKO_CALL_LOOP, 4, {}, 0, 1, 0);
  call(copy, {input(3 * RowBytes, {{0, KUMIKO_STEP_BACKWARD, RowBytes}}), output(0, {{0, 0, RowBytes}})}, 1);
  ASSERT_EQ(run(4, 2), KUMIKO_OK) << error();
  EXPECT_EQ(y, (std::vector<float>{13, 14, 15, 16, 9, 10, 11, 12, 5, 6, 7, 8, 1, 2, 3, 4}));
}

// The inner loop's addresses move with both loops; a loop without turns leaves out its calls and their buffers.
TEST_F(Nest, LoopsInLoops) {
  nest(KUMIKO_CALL_LOOP, 2, {}, 0, 4, 0);
  nest(KUMIKO_CALL_LOOP, 0, {}, 1, 1, 0);
  call(fails, {input(0), input(0), input(0)}, 2);
  nest(KUMIKO_CALL_LOOP, 2, {}, 1, 1, 0);
  call(copy, {input(0, {{0, 0, 2 * RowBytes}, {1, 0, RowBytes}}), output(0, {{0, 0, RowBytes}, {1, 0, 2 * RowBytes}})},
       2);
  ASSERT_EQ(run(4, 1), KUMIKO_OK) << error();
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 9, 10, 11, 12, 5, 6, 7, 8, 13, 14, 15, 16}));
}

// Doubles x as long as it is below a limit: the condition is read before each turn, where the last one has left it.
TEST_F(Nest, LoopThatDataEnd) {
  call(copy, {input(0), arena(0)}, 0);
  call(below, {arena(0), input(3 * RowBytes), arena(128)}, 0);
  nest(KUMIKO_CALL_LOOP, 100, {arena(128, {{0, KUMIKO_STEP_ODD, 64}}), arena(256)}, 0, 2, 0);
  call(add,
       {arena(0, {{0, KUMIKO_STEP_ODD, 64}}), arena(0, {{0, KUMIKO_STEP_ODD, 64}}),
        arena(0, {{0, KUMIKO_STEP_EVEN, 64}})},
       1);
  call(below, {arena(0, {{0, KUMIKO_STEP_EVEN, 64}}), input(3 * RowBytes), arena(128, {{0, KUMIKO_STEP_EVEN, 64}})}, 1);
  call(copy, {arena(0, {{0, KUMIKO_STEP_ODD, 64}}), output(0)}, 0);
  for (float limit : {13.0f, 1.0f, 2.0f, 5.0f}) { // 4, 0, 1 and 3 turns
    x[12] = limit;
    ASSERT_EQ(run(1, 2), KUMIKO_OK) << error();
    float factor = limit == 13 ? 16 : limit == 1 ? 1 : limit == 2 ? 2 : 8;
    EXPECT_EQ(y, (std::vector<float>{1 * factor, 2 * factor, 3 * factor, 4 * factor}));
    Api::TearDown();
    context = nullptr, model = nullptr;
  }
}

TEST_F(Nest, Choice) {
  call(below, {input(0), input(RowBytes), arena(0)}, 0);
  nest(KUMIKO_CALL_CHOICE, 1, {arena(0)}, 0, 1, 2);
  call(copy, {input(0), output(0)}, 0);
  call(add, {input(0), input(RowBytes), arena(64)}, 0);
  call(add, {arena(64), input(RowBytes), output(0)}, 0);
  call(copy, {input(2 * RowBytes), output(RowBytes)}, 0);
  ASSERT_EQ(run(2, 2), KUMIKO_OK) << error();
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 9, 10, 11, 12}));
  x[0] = 7; // not below 5
  ASSERT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_EQ(y, (std::vector<float>{17, 14, 17, 20, 9, 10, 11, 12}));
}

// x: f32[rows,4] goes to y as it is when x[0,0] < x[1,0], for at most two rows; else all but its first three rows do.
TEST_F(Nest, LevelsOfBranches) {
  static const kumiko_extent_step rowsSteps[] = {{KUMIKO_EXTENT_SYMBOL, 0, 0}},
                                  bytesSteps[] = {{KUMIKO_EXTENT_SYMBOL, 0, 0},
                                                  {KUMIKO_EXTENT_CONSTANT, 0, -3},
                                                  {KUMIKO_EXTENT_ADD, 0, 0},
                                                  {KUMIKO_EXTENT_CONSTANT, 0, RowBytes},
                                                  {KUMIKO_EXTENT_MULTIPLY, 0, 0}};
  static const kumiko_expression expressions[] = {{rowsSteps, 1, "rows"}, {bytesSteps, 5, "16*rows - 48"}};
  static const kumiko_symbol symbols[] = {{"rows", 0}};
  static const kumiko_planned planned[] = {{64, 0, 1}, {~int64_t(1), 3, 4}};
  static const kumiko_demand demands[] = {{KUMIKO_DEMAND_AT_MOST, 0, ~int64_t(0), 2, "node few"}};
  static const kumiko_level levels[] = {{0, 5, 1, 1, 0}, {2, 3, 1, 1, 1}, {3, 5, 2, 2, 1}};
  static const kumiko_dynamics dynamics = {3, levels, symbols, expressions, planned, demands};
  auto buffer = [](uint32_t space, uint32_t number, int64_t offset) {
    return kumiko_buffer{space, number, offset, nullptr, 0};
  };
  call(below, {input(0), input(RowBytes), buffer(KUMIKO_SPACE_PLANNED, 0, 0)}, 0);
  nest(KUMIKO_CALL_CHOICE, 1, {buffer(KUMIKO_SPACE_PLANNED, 0, 0)}, 0, 1, 2);
  call(copy, {input(0), output(0)}, 0);
  call(copy, {input(3 * RowBytes), buffer(KUMIKO_SPACE_PLANNED, 1, 0)}, 0);
  call(copy, {buffer(KUMIKO_SPACE_PLANNED, 1, 0), output(0)}, 0);
  calls[1].level = 1, calls[1].otherwise_level = 2;
  int64_t symbolic[] = {~int64_t(0), Row};
  values[0].shape = symbolic;
  ASSERT_EQ(load(1, &dynamics), KUMIKO_OK) << k->last_error(nullptr);
  ASSERT_EQ(k->context_create(model, nullptr, &context), KUMIKO_OK);
  auto run = [&](int64_t rows) {
    shapes[0][0] = rows;
    return runBound();
  };
  ASSERT_EQ(run(2), KUMIKO_OK) << error(); // the other branch would need less than nothing
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(run(4), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "node few: rows is 4, must be at most 2, with rows = 4");
  x[0] = 7;
  ASSERT_EQ(run(4), KUMIKO_OK) << error();
  EXPECT_EQ(y, (std::vector<float>{13, 14, 15, 16}));
  EXPECT_EQ(run(2), KUMIKO_E_VALUE) << error();
}

// A level that begins with each turn and behind the loop; its symbol counts the turns.
TEST_F(Nest, LevelsOfTurns) {
  static const kumiko_extent_step turnSteps[] = {{KUMIKO_EXTENT_SYMBOL, 0, 0}};
  static const kumiko_expression expressions[] = {{turnSteps, 1, "t"}};
  static const kumiko_symbol symbols[] = {{"t", 1}};
  static const kumiko_demand demands[] = {{KUMIKO_DEMAND_AT_MOST, 0, ~int64_t(0), 2, "node loop"}};
  static const kumiko_level levels[] = {{0, 2, 0, 0, 0}, {1, 2, 1, 0, 1}};
  static const kumiko_dynamics dynamics = {2, levels, symbols, expressions, nullptr, demands};
  for (int64_t turns : {2, 3}) {
    calls.clear();
    nest(KUMIKO_CALL_LOOP, turns, {}, 0, 1, 0);
    call(copy, {input(0, {{0, KUMIKO_STEP_FORWARD, RowBytes}}), output(0)}, 1);
    calls[0].level = 1, calls[0].otherwise_level = 1;
    ASSERT_EQ(load(1, &dynamics), KUMIKO_OK) << k->last_error(nullptr);
    ASSERT_EQ(k->context_create(model, nullptr, &context), KUMIKO_OK);
    EXPECT_EQ(runBound(), turns == 2 ? KUMIKO_OK : KUMIKO_E_SHAPE) << error();
    EXPECT_EQ(y[0], turns == 2 ? 5 : 9); // the turn is done before the count is too high
    Api::TearDown();
    context = nullptr, model = nullptr;
  }
  calls[0].otherwise_level = 2;
  EXPECT_EQ(k->model_from_artefact(&program, nullptr, &model), KUMIKO_E_ARTEFACT);
}

TEST_F(Nest, RefusedTables) {
  auto refused = [&](const char *why) {
    EXPECT_NE(load(4), KUMIKO_OK);
    EXPECT_STREQ(k->last_error(nullptr), why);
    calls.clear();
  };
  nest(KUMIKO_CALL_LOOP, 2, {}, 0, 2, 0);
  call(copy, {input(0), output(0)}, 1);
  refused("call 0 wants more calls behind it than there are");
  nest(KUMIKO_CALL_LOOP, 2, {}, 0, 1, 0);
  call(copy, {input(0), output(0)}, 0);
  refused("call 1 does not fit the loops around it");
  nest(KUMIKO_CALL_LOOP, 5, {}, 0, 1, 0);
  call(copy, {input(0, {{0, 0, RowBytes + 1}}), output(0)}, 1);
  refused("k refers to byte 68 of 64");
  nest(KUMIKO_CALL_LOOP, 5, {}, 0, 1, 0);
  call(copy, {input(0, {{1, 0, 4}}), output(0)}, 1);
  refused("k refers to memory by a step that no loop around it has");
  nest(KUMIKO_CALL_LOOP, INT64_MAX, {}, 0, 1, 0);
  call(copy, {input(0, {{0, 0, 4}}), output(0)}, 1);
  refused("k refers to memory by a step that no loop around it has");
  nest(KUMIKO_CALL_LOOP, 5, {}, 0, 1, 0);
  call(copy, {input(0, {{0, KUMIKO_STEP_BACKWARD, 4}}), output(0)}, 1);
  refused("k refers to memory by a step that no loop around it has");
  nest(KUMIKO_CALL_CHOICE, 1, {}, 0, 0, 0);
  refused("call 0 has 0 buffers, which no loop or choice has");
  for (uint32_t depth = 0; depth < KUMIKO_MAX_LOOPS + 1; ++depth)
    nest(KUMIKO_CALL_LOOP, 1, {}, depth, KUMIKO_MAX_LOOPS - depth, 0);
  refused("loops are nested more than 16 deep");
  call(copy, {input(0), output(0)}, 0);
  calls[0].level = 1;
  refused("call 0 begins a level out of turn");
}

} // namespace

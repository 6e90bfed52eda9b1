#include "kumiko/plan.h"
#include "kumiko/kumiko.h"
#include "gtest/gtest.h"
#include <chrono>
#include <random>
#include <vector>

namespace {

struct Plan {
  int status = 0;
  uint64_t total = 0, bound = 0;
  std::vector<uint64_t> offsets;
};

Plan assign(const std::vector<kumiko_lifetime> &buffers, uint64_t alignment = 64) {
  Plan plan;
  plan.offsets.resize(buffers.size());
  std::vector<uint64_t> workspace(kumiko_plan_workspace_bytes(buffers.size()) / 8 + 1);
  size_t bytes = kumiko_plan_workspace_bytes(buffers.size());
  plan.status = kumiko_plan_assign(buffers.data(), buffers.size(), alignment, plan.offsets.data(), &plan.total,
                                   workspace.data(), bytes);
  if (!plan.status)
    plan.status =
        kumiko_plan_lower_bound(buffers.data(), buffers.size(), alignment, &plan.bound, workspace.data(), bytes);
  return plan;
}

/// No two buffers that are alive together touch, all lie inside, offsets are aligned.
void expectValid(const std::vector<kumiko_lifetime> &buffers, const Plan &plan, uint64_t alignment = 64) {
  ASSERT_EQ(plan.status, KUMIKO_OK);
  EXPECT_GE(plan.total, plan.bound);
  for (size_t i = 0; i < buffers.size(); ++i) {
    ASSERT_EQ(plan.offsets[i] % alignment, 0u);
    ASSERT_LE(plan.offsets[i] + buffers[i].bytes, plan.total);
    for (size_t j = 0; j < i; ++j) {
      bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
      bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                   plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
      ASSERT_TRUE(!together || apart || !buffers[i].bytes || !buffers[j].bytes) << i << " and " << j;
    }
  }
}

std::vector<kumiko_lifetime> randomBuffers(size_t count, uint64_t steps, uint64_t longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<kumiko_lifetime> buffers(count);
  for (kumiko_lifetime &buffer : buffers) {
    buffer.bytes = random() % 16 ? 1 + random() % 100000 : random() % 3;
    buffer.first = random() % steps;
    buffer.last = buffer.first + random() % longest;
  }
  return buffers;
}

TEST(Plan, NothingTakesNothing) {
  Plan plan = assign({});
  EXPECT_EQ(plan.status, KUMIKO_OK);
  EXPECT_EQ(plan.total, 0u);
}

// A chain needs no more than its two largest neighbours.
TEST(Plan, ChainReachesTheBound) {
  std::vector<kumiko_lifetime> chain;
  for (uint64_t step = 0; step < 50; ++step)
    chain.push_back({1000 + 37 * ((step * 7) % 11), step, step + 1});
  Plan plan = assign(chain);
  expectValid(chain, plan);
  EXPECT_EQ(plan.total, plan.bound);
}

TEST(Plan, BuffersThatMeetOnOneStepAreTogether) {
  std::vector<kumiko_lifetime> pair = {{64, 0, 5}, {64, 5, 9}};
  EXPECT_EQ(assign(pair).total, 128u);
  pair[1].first = 6;
  EXPECT_EQ(assign(pair).total, 64u);
}

TEST(Plan, RandomBuffersNeverCollide) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto buffers = randomBuffers(1 + seed * 5, 1 + seed, 1 + seed % 17, seed);
    uint64_t alignment = uint64_t(1) << seed % 8;
    expectValid(buffers, assign(buffers, alignment), alignment);
  }
}

TEST(Plan, SameQuestionSameAnswer) {
  auto buffers = randomBuffers(500, 300, 20, 1);
  EXPECT_EQ(assign(buffers).offsets, assign(buffers).offsets);
}

TEST(Plan, StaysNearTheBound) {
  for (uint64_t longest : {3, 10, 100}) {
    auto buffers = randomBuffers(2000, 1000, longest, unsigned(longest));
    Plan plan = assign(buffers);
    expectValid(buffers, plan);
    EXPECT_LE(double(plan.total), 1.15 * double(plan.bound)) << longest;
  }
}

TEST(Plan, TenThousandBuffersTakeLittleTime) {
  for (uint64_t longest : {4, 50, 3000, 10000}) {
    auto buffers = randomBuffers(10000, 10000, longest, 3);
    auto start = std::chrono::steady_clock::now();
    Plan plan = assign(buffers);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ASSERT_EQ(plan.status, KUMIKO_OK);
    printf("lifetimes up to %5d of 10000 steps: %.3f s, %.3f of the bound\n", int(longest), seconds.count(),
           double(plan.total) / double(plan.bound));
  }
}

TEST(Plan, RefusesNonsense) {
  EXPECT_EQ(assign({{1, 5, 4}}).status, KUMIKO_E_ARGUMENT);
  EXPECT_EQ(assign({{1, 0, 0}}, 48).status, KUMIKO_E_ARGUMENT);
  EXPECT_EQ(assign({{1, 0, 0}}, 0).status, KUMIKO_E_ARGUMENT);
  EXPECT_EQ(assign({{UINT64_MAX - 3, 0, 0}}).status, KUMIKO_E_OVERFLOW);
  EXPECT_EQ(assign({{UINT64_MAX / 2, 0, 0}, {UINT64_MAX / 2, 0, 0}, {256, 0, 0}}).status, KUMIKO_E_OVERFLOW);
  kumiko_lifetime one = {1, 0, 0};
  uint64_t offset, total, workspace[64];
  EXPECT_EQ(kumiko_plan_assign(&one, 1, 64, &offset, &total, workspace, 8), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(kumiko_plan_assign(nullptr, 1, 64, &offset, &total, workspace, sizeof workspace), KUMIKO_E_ARGUMENT);
}

} // namespace

#include "ApiTest.h"
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

TEST_F(Api, SameBitsForEveryNumberOfThreads) {
  for (uint32_t threads : {1, 2, 3, 5, 8, 16, 64}) {
    make(threads);
    for (int run = 0; run < 50; ++run) {
      ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
      ASSERT_TRUE(fake_user_right(&user)) << threads;
    }
    TearDown();
    context = nullptr;
    model = nullptr;
  }
}

// 16 chunks: more threads would find nothing to do.
TEST_F(Api, NoMoreThreadsThanChunks) {
  make(64);
  kumiko_context_info info = {sizeof info, 0, 0};
  ASSERT_EQ(k->context_info(context, &info), KUMIKO_OK);
  EXPECT_EQ(info.threads, 16u);
  EXPECT_GE(info.memory_bytes, artefact.arena_bytes + 16 * artefact.scratch_bytes);
}

// The lowest failing chunk is reported whoever meets which first.
TEST_F(Api, FailureNamesNodeAndChunk) {
  for (uint32_t threads : {1, 2, 7}) {
    make(threads);
    user.pick[5] = 4000;
    user.pick[11] = -1;
    for (int run = 0; run < 50; ++run) {
      ASSERT_EQ(k->run(context), KUMIKO_E_INDEX);
      EXPECT_EQ(error(), "an index in the data is out of range, in node head/gather, head/cast (kernel k_gather, "
                         "chunk 5 of 16)");
    }
    user.pick[5] = user.pick[11] = 0;
    EXPECT_EQ(k->run(context), KUMIKO_OK);
    TearDown();
    context = nullptr;
    model = nullptr;
  }
}

int odd(void *const *, const int64_t *, int64_t chunk, void *) { return chunk == 2 ? -77 : 0; }

TEST_F(Api, UnknownStatusOfAKernelIsOurDefect) {
  kumiko_call call = {odd, nullptr, 0, 4, 0, "k_odd", "n", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0};
  artefact.calls = &call;
  artefact.call_count = 1;
  make(2);
  EXPECT_EQ(k->run(context), KUMIKO_E_INTERNAL);
  EXPECT_EQ(error(), "unknown status, in node n (kernel k_odd, chunk 2 of 4, status -77)");
}

TEST_F(Api, ProfileTellsEveryCallInOrder) {
  std::vector<kumiko_profile_event> events;
  make(2);
  auto hook = [](void *to, const kumiko_profile_event *event) {
    static_cast<decltype(events) *>(to)->push_back(*event);
  };
  ASSERT_EQ(k->set_profile(context, hook, &events), KUMIKO_OK);
  ASSERT_EQ(k->run(context), KUMIKO_OK);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_STREQ(events[0].name, "k_multiply");
  EXPECT_STREQ(events[1].nodes, "head/gather, head/cast");
  EXPECT_EQ(events[0].threads, 2u);
  EXPECT_EQ(events[3].threads, 1u);
  for (uint64_t call = 0; call < 4; ++call) {
    EXPECT_EQ(events[call].call, call);
    EXPECT_LT(events[call].ns, 10000000000u);
  }
  ASSERT_EQ(k->set_profile(context, nullptr, nullptr), KUMIKO_OK);
  ASSERT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_EQ(events.size(), 4u);
}

// A hook that uses its own context is told so, not deadlocked.
TEST_F(Api, ContextIsBusyInsideItsHook) {
  struct Seen {
    const kumiko_api *k;
    kumiko_context *context;
    int status;
  } seen = {k, nullptr, 0};
  make();
  seen.context = context;
  auto hook = [](void *to, const kumiko_profile_event *) {
    auto *seen = static_cast<Seen *>(to);
    seen->status = seen->k->run(seen->context);
  };
  ASSERT_EQ(k->set_profile(context, hook, &seen), KUMIKO_OK);
  ASSERT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_EQ(seen.status, KUMIKO_E_BUSY);
  EXPECT_EQ(std::string(k->last_error(nullptr)),
            "another thread is using this context of fake; give each thread its own");
}

TEST_F(Api, ForeignPoolIsUsed) {
  struct Pool {
    std::atomic<int> runs{0}, tasks{0};
  } counts;
  kumiko_pool pool = {&counts, [](void *user, void (*task)(void *, uint32_t), void *data, uint32_t workers) {
                        auto *counts = static_cast<Pool *>(user);
                        counts->runs++;
                        std::vector<std::thread> threads;
                        for (uint32_t worker = 1; worker < workers; ++worker)
                          threads.emplace_back([=] { task(data, worker), counts->tasks++; });
                        task(data, 0);
                        for (std::thread &thread : threads)
                          thread.join();
                      }};
  make(3, nullptr, &pool);
  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
    ASSERT_TRUE(fake_user_right(&user));
  }
  EXPECT_EQ(counts.runs, 40);
  EXPECT_EQ(counts.tasks, 80);
  user.pick[7] = -1;
  EXPECT_EQ(k->run(context), KUMIKO_E_INDEX);
  EXPECT_NE(error().find("chunk 7 of 16"), std::string::npos);
}

TEST_F(Api, ForeignAllocatorGetsEverythingBack) {
  struct Books {
    size_t bytes = 0, blocks = 0, limit = SIZE_MAX;
  } books;
  kumiko_allocator allocator = {&books,
                                [](void *user, size_t bytes, size_t alignment) -> void * {
                                  auto *books = static_cast<Books *>(user);
                                  if (books->blocks == books->limit)
                                    return nullptr;
                                  books->bytes += bytes;
                                  books->blocks++;
                                  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
                                },
                                [](void *user, void *memory, size_t bytes) {
                                  auto *books = static_cast<Books *>(user);
                                  books->bytes -= bytes;
                                  books->blocks--;
                                  free(memory);
                                }};
  make(2, &allocator);
  EXPECT_EQ(books.blocks, 2u);
  EXPECT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_TRUE(fake_user_right(&user));
  k->context_destroy(context);
  context = nullptr;
  EXPECT_EQ(books.blocks, 0u);
  EXPECT_EQ(books.bytes, 0u);
  kumiko_options options = {sizeof options, 2, &allocator, nullptr};
  for (books.limit = 0; books.limit < 2; ++books.limit) {
    EXPECT_EQ(k->context_create(model, &options, &context), KUMIKO_E_MEMORY);
    EXPECT_EQ(context, nullptr);
    EXPECT_EQ(books.blocks, 0u);
  }
}

#if defined(__SSE__)
float denormalSum[4];
int halve(void *const *, const int64_t *, int64_t chunk, void *) {
  volatile float tiny = 2e-38f;
  denormalSum[chunk] = tiny / 4;
  return 0;
}

// A caller that flushes denormals gets the same bits as everybody, and its mode back.
TEST_F(Api, CallersFloatingPointModeDoesNotMatter) {
  kumiko_call call = {halve, nullptr, 0, 4, 0, "k_halve", "n", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0};
  artefact.calls = &call;
  artefact.call_count = 1;
  make(2);
  unsigned before = _mm_getcsr(), flushing = before | 0x8040;
  _mm_setcsr(flushing);
  int status = k->run(context);
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(status, KUMIKO_OK);
  EXPECT_EQ(after & ~0x3fu, flushing & ~0x3fu);
  for (float sum : denormalSum)
    EXPECT_EQ(sum, 5e-39f);
}
#endif

} // namespace

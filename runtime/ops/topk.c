#include "element.h"
#include "ops.h"
#include "words.h"

/* The key of an element and its place make one word, so that the order of words is the order asked for. A few of many
 * are found with a heap of the best so far, which most elements never enter; a larger share by sorting all. */

/* Elements whose keys are made at a time, and looked at together: most such groups hold nothing better. */
enum { BLOCK = 256, GROUP = 16 };

/* From this share of the row on, sorting everything is faster than a heap. */
enum { SORTED_SHARE = 16 };

static int is_narrow(const kumiko_topk *p) { return kumiko_element_bytes(p->type) <= 4 && p->size <= UINT32_MAX; }
static int is_sorted(const kumiko_topk *p) { return p->k > p->size / SORTED_SHARE; }

int64_t kumiko_op_topk_scratch(const kumiko_topk *p) {
  int64_t words = p->k, bytes;
  if (is_sorted(p) && __builtin_mul_overflow(p->size, 2, &words))
    return INT64_MAX;
  return __builtin_mul_overflow(words, is_narrow(p) ? 8 : 16, &bytes) ? INT64_MAX : bytes;
}

/** Where a row begins, and how far its elements are apart. */
struct row {
  const char *start;
  int64_t stride;
};

static int64_t block_of(int64_t at, int64_t end) { return end - at < BLOCK ? end - at : BLOCK; }

static void keys_32(const kumiko_topk *p, struct row row, int64_t at, int64_t count, int32_t *keys) {
  kumiko_order_keys32(p->type, row.start + at * row.stride * kumiko_element_bytes(p->type), row.stride, count, keys);
  if (p->largest) /* the largest first is the smallest of the keys turned around */
    for (int64_t i = 0; i < count; ++i)
      keys[i] = ~keys[i];
}

static void keys_64(const kumiko_topk *p, struct row row, int64_t at, int64_t count, int64_t *keys) {
  if (kumiko_element_bytes(p->type) == 8)
    kumiko_order_keys64(p->type, row.start + at * row.stride * 8, row.stride, count, keys);
  else { /* a row of more than 2^32 elements */
    int32_t narrow[BLOCK];
    kumiko_order_keys32(p->type, row.start + at * row.stride * kumiko_element_bytes(p->type), row.stride, count,
                        narrow);
    for (int64_t i = 0; i < count; ++i)
      keys[i] = narrow[i];
  }
  if (p->largest)
    for (int64_t i = 0; i < count; ++i)
      keys[i] = ~keys[i];
}

static uint64_t word_64(int32_t key, int64_t index) {
  return (uint64_t)((uint32_t)key ^ 1u << 31) << 32 | (uint32_t)index;
}
static wide word_128(int64_t key, int64_t index) { return (wide)((uint64_t)key ^ 1ull << 63) << 64 | (uint64_t)index; }

static void fill_64(const kumiko_topk *p, struct row row, int64_t end, uint64_t *words) {
  int32_t keys[BLOCK];
  for (int64_t at = 0; at < end; at += BLOCK) {
    int64_t count = block_of(at, end);
    keys_32(p, row, at, count, keys);
    for (int64_t i = 0; i < count; ++i)
      words[at + i] = word_64(keys[i], at + i);
  }
}

static void fill_128(const kumiko_topk *p, struct row row, int64_t end, wide *words) {
  int64_t keys[BLOCK];
  for (int64_t at = 0; at < end; at += BLOCK) {
    int64_t count = block_of(at, end);
    keys_64(p, row, at, count, keys);
    for (int64_t i = 0; i < count; ++i)
      words[at + i] = word_128(keys[i], at + i);
  }
}

/** The best k words in rising order. An element behind those of the heap needs a smaller key to enter: on equal keys
 *  its index decides against it. */
static uint64_t *select_64(const kumiko_topk *p, struct row row, uint64_t *words) {
  if (is_sorted(p)) {
    fill_64(p, row, p->size, words);
    return sort_bytes_64(words, words + p->size, p->size);
  }
  fill_64(p, row, p->k, words);
  make_heap_64(words, p->k);
  int32_t keys[BLOCK];
  for (int64_t at = p->k; at < p->size; at += BLOCK) {
    int64_t count = block_of(at, p->size);
    keys_32(p, row, at, count, keys);
    for (int64_t i = count; i < BLOCK; ++i)
      keys[i] = INT32_MAX;
    for (int64_t group = 0; group < count; group += GROUP) {
      int32_t limit = (int32_t)((uint32_t)(words[0] >> 32) ^ 1u << 31), better = 0;
      for (int i = 0; i < GROUP; ++i)
        better |= keys[group + i] < limit;
      if (!better)
        continue;
      for (int64_t i = group; i < group + GROUP; ++i) {
        uint64_t word = word_64(keys[i], at + i);
        if (i < count && word < words[0]) {
          words[0] = word;
          sink_64(words, 0, p->k);
        }
      }
    }
  }
  sort_heap_64(words, p->k);
  return words;
}

static wide *select_128(const kumiko_topk *p, struct row row, wide *words) {
  if (is_sorted(p)) {
    fill_128(p, row, p->size, words);
    return sort_bytes_128(words, words + p->size, p->size);
  }
  fill_128(p, row, p->k, words);
  make_heap_128(words, p->k);
  int64_t keys[BLOCK];
  for (int64_t at = p->k; at < p->size; at += BLOCK) {
    int64_t count = block_of(at, p->size);
    keys_64(p, row, at, count, keys);
    for (int64_t i = 0; i < count; ++i) {
      wide word = word_128(keys[i], at + i);
      if (word < words[0]) {
        words[0] = word;
        sink_128(words, 0, p->k);
      }
    }
  }
  sort_heap_128(words, p->k);
  return words;
}

int kumiko_op_topk(const kumiko_topk *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  if (p->k < 0 || p->k > p->size) /* k may come from data */
    return KUMIKO_E_VALUE;
  if (p->k == 0)
    return KUMIKO_OK;
  const char *x = buffers[0];
  char *values = buffers[1];
  int64_t *index = buffers[2];
  int64_t bytes = kumiko_element_bytes(p->type), inner = p->inner;
  int narrow = is_narrow(p);
  for (int64_t item = first; item < last; ++item) {
    int64_t outer = item / inner, place = item % inner;
    struct row row = {x + (outer * p->size * inner + place) * bytes, inner};
    uint64_t *few = narrow ? select_64(p, row, scratch) : NULL;
    wide *many = narrow ? NULL : select_128(p, row, scratch);
    for (int64_t i = 0; i < p->k; ++i) {
      int64_t from = narrow ? (int64_t)(uint32_t)few[i] : (int64_t)(uint64_t)many[i];
      int64_t to = (outer * p->k + i) * inner + place;
      if (index)
        index[to] = from;
      if (values)
        memcpy(values + to * bytes, row.start + from * inner * bytes, (size_t)bytes);
    }
  }
  return KUMIKO_OK;
}

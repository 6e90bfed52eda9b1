#include "element.h"
#include "ops.h"
#include "words.h"

/* The first call sorts positions by what is there, gives equal ones a number, and finds the symbol; the second copies.
 */

static int64_t key_at(const kumiko_unique *p, const char *x, int64_t element) {
  if (kumiko_element_bytes(p->type) == 8) {
    int64_t key;
    kumiko_order_keys64(p->type, x + element * 8, 1, 1, &key);
    return key;
  }
  int32_t key;
  kumiko_order_keys32(p->type, x + element * kumiko_element_bytes(p->type), 1, 1, &key);
  return key;
}

/** The order of the slices at two positions. */
static int compare(const kumiko_unique *p, const char *x, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < p->outer; ++outer)
    for (int64_t inner = 0; inner < p->inner; ++inner) {
      int64_t left = key_at(p, x, (outer * p->size + a) * p->inner + inner);
      int64_t right = key_at(p, x, (outer * p->size + b) * p->inner + inner);
      if (left != right)
        return left < right ? -1 : 1;
    }
  return 0;
}

static int is_before(const kumiko_unique *p, const char *x, int64_t a, int64_t b) {
  int order = compare(p, x, a, b);
  return order ? order < 0 : a < b;
}

static void sink(const kumiko_unique *p, const char *x, int64_t *order, int64_t at, int64_t count) {
  int64_t moved = order[at];
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(p, x, order[child], order[child + 1]))
      ++child;
    if (!is_before(p, x, moved, order[child]))
      break;
    order[at] = order[child];
  }
  order[at] = moved;
}

static void sort_slices(const kumiko_unique *p, const char *x, int64_t *order) {
  for (int64_t i = 0; i < p->size; ++i)
    order[i] = i;
  for (int64_t at = p->size / 2; at-- > 0;)
    sink(p, x, order, at, p->size);
  for (int64_t left = p->size; left > 1;) {
    int64_t last = order[--left];
    order[left] = order[0];
    order[0] = last;
    sink(p, x, order, 0, left);
  }
}

/** Slices of one element, by their keys. */
static void sort_elements(const kumiko_unique *p, const char *x, void *scratch, int64_t *order) {
  if (kumiko_element_bytes(p->type) <= 4 && p->size <= UINT32_MAX) {
    uint64_t *words = scratch;
    for (int64_t i = 0; i < p->size; ++i)
      words[i] = (uint64_t)((uint32_t)key_at(p, x, i) ^ 1u << 31) << 32 | (uint32_t)i;
    words = sort_bytes_64(words, words + p->size, p->size);
    for (int64_t i = 0; i < p->size; ++i)
      order[i] = (int64_t)(uint32_t)words[i];
    return;
  }
  wide *words = scratch;
  for (int64_t i = 0; i < p->size; ++i)
    words[i] = (wide)((uint64_t)key_at(p, x, i) ^ 1ull << 63) << 64 | (uint64_t)i;
  words = sort_bytes_128(words, words + p->size, p->size);
  for (int64_t i = 0; i < p->size; ++i)
    order[i] = (int64_t)(uint64_t)words[i];
}

/** Numbers groups in the order in which they come; `place` is room for a number per group. */
static void number_by_place(const kumiko_unique *p, int64_t groups, int64_t *firsts, int64_t *which, int64_t *counts,
                            int64_t *place) {
  int64_t *old = place + groups, next = 0; /* counts in the old order */
  for (int64_t group = 0; group < groups; ++group) {
    place[group] = -1;
    old[group] = counts[group];
  }
  for (int64_t i = 0; i < p->size; ++i) {
    int64_t group = which[i];
    if (place[group] < 0) {
      place[group] = next;
      firsts[next] = i;
      counts[next++] = old[group];
    }
    which[i] = place[group];
  }
}

int kumiko_op_unique_find(const kumiko_unique *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)first, (void)last;
  const char *x = buffers[0];
  int64_t *firsts = buffers[1], *which = buffers[2], *counts = buffers[3], groups = 0;
  int64_t *order = scratch; /* behind it, room for sorting, later for numbering and for results that nobody asks for */
  if (p->size && p->outer == 1 && p->inner == 1)
    sort_elements(p, x, (char *)scratch + ((p->size * 8 + 63) & ~(int64_t)63), order);
  else
    sort_slices(p, x, order);
  which = which ? which : order + 3 * p->size;
  firsts = firsts ? firsts : order + 4 * p->size;
  counts = counts ? counts : order + 5 * p->size;
  for (int64_t i = 0; i < p->size; ++i) {
    if (i == 0 || compare(p, x, order[i - 1], order[i]) != 0) {
      firsts[groups] = order[i];
      counts[groups++] = 0;
    }
    ++counts[groups - 1];
    which[order[i]] = groups - 1;
  }
  if (!p->sorted)
    number_by_place(p, groups, firsts, which, counts, order + p->size);
  *(int64_t *)buffers[4] = groups;
  return KUMIKO_OK;
}

int kumiko_op_unique(const kumiko_unique *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)first, (void)last, (void)scratch;
  const int64_t *firsts = buffers[1], *counts = buffers[2], groups = p->groups;
  int64_t slice = kumiko_element_bytes(p->type) * p->inner;
  for (int64_t outer = 0; buffers[3] && outer < p->outer; ++outer)
    for (int64_t group = 0; group < groups; ++group)
      memcpy((char *)buffers[3] + (outer * groups + group) * slice,
             (const char *)buffers[0] + (outer * p->size + firsts[group]) * slice, (size_t)slice);
  if (buffers[4])
    memcpy(buffers[4], firsts, (size_t)groups * sizeof *firsts);
  if (buffers[5])
    memcpy(buffers[5], counts, (size_t)groups * sizeof *counts);
  return KUMIKO_OK;
}

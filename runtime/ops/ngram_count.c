#include "element.h"
#include "ops.h"

/** The words of a row that make one n-gram. */
struct gram {
  const kumiko_ngram_count *p;
  const void *x;
  int64_t start, step, length;
};

static int compare(const struct gram *gram, const int64_t *known) {
  for (int64_t i = 0; i < gram->length; ++i) {
    int64_t word = kumiko_element_integer(gram->p->type, gram->x, gram->start + i * gram->step);
    if (word != known[i])
      return word < known[i] ? -1 : 1;
  }
  return 0;
}

/** Its place among the sorted n-grams of its length, or -1. */
static int64_t find(const struct gram *gram, const int64_t *pool, int64_t count) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int order = compare(gram, pool + middle * gram->length);
    if (order == 0)
      return middle;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return -1;
}

int kumiko_op_ngram_count(const kumiko_ngram_count *p, void *const *buffers, int64_t first, int64_t last,
                          void *scratch) {
  (void)scratch;
  const int64_t *lengths = (const int64_t *)(p + 1), *columns = lengths + 2 * p->lengths, *pool = columns + p->grams;
  for (int64_t item = first; item < last; ++item) {
    float *y = (float *)buffers[1] + item * p->columns;
    memset(y, 0, (size_t)p->columns * sizeof *y);
    int64_t before = 0; /* n-grams of shorter lengths */
    for (int64_t length = 1; length <= p->lengths; ++length) {
      int64_t count = lengths[2 * length - 2], place = lengths[2 * length - 1];
      /* A single word has no gaps: it is counted once. */
      int64_t widest = length == 1 ? 1 : p->widest;
      if (length >= p->shortest && length <= p->longest)
        for (int64_t step = 1; step <= widest; ++step)
          for (int64_t start = 0; start + (length - 1) * step < p->words; ++start) {
            struct gram gram = {p, buffers[0], item * p->words + start, step, length};
            int64_t found = find(&gram, pool + place, count);
            if (found >= 0)
              ++y[columns[before + found]];
          }
      before += count;
    }
  }
  return KUMIKO_OK;
}

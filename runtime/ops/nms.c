#include "element.h"
#include "ops.h"

#define WORD uint64_t
#define HALF 32
#define NAME(name) name##_64
#include "words.inc"

/* For each batch entry and class, boxes are taken from a heap of scores, so that only as many are put in order as are
 * looked at. `total` finds the symbol; then the rows are written. */

struct box {
  double left, top, right, bottom, area;
};

static double least(double a, double b) { return b < a ? b : a; }
static double most(double a, double b) { return a < b ? b : a; }

static struct box box_at(const float *b, int64_t centered) {
  struct box box;
  if (centered)
    box = (struct box){b[0] - (double)b[2] / 2, b[1] - (double)b[3] / 2, b[0] + (double)b[2] / 2,
                       b[1] + (double)b[3] / 2, 0};
  else
    box = (struct box){least(b[1], b[3]), least(b[0], b[2]), most(b[1], b[3]), most(b[0], b[2]), 0};
  box.area = (box.right - box.left) * (box.bottom - box.top);
  return box;
}

/** Intersection over union; boxes without an area overlap nothing. */
static int overlap(const struct box *a, const struct box *b, double iou) {
  double width = least(a->right, b->right) - most(a->left, b->left);
  double height = least(a->bottom, b->bottom) - most(a->top, b->top);
  if (!(width > 0 && height > 0 && a->area > 0 && b->area > 0))
    return 0;
  double common = width * height;
  return common / (a->area + b->area - common) > iou;
}

/** Scores above the threshold as words: the best on top, of equal ones the first. */
static int64_t collect(const kumiko_nms *p, const float *scores, uint64_t *words) {
  int64_t count = 0;
  for (int64_t i = 0; i < p->boxes; ++i)
    if (scores[i] > p->threshold) {
      int32_t key;
      kumiko_order_keys32(KUMIKO_F32, &scores[i], 1, 1, &key);
      words[count++] = (uint64_t)((uint32_t)key ^ 1u << 31) << 32 | (uint32_t)~(uint32_t)i;
    }
  make_heap_64(words, count);
  return count;
}

static int64_t select(const kumiko_nms *p, const float *boxes, uint64_t *words, int64_t count, struct box *kept,
                      int64_t *taken) {
  int64_t number = 0;
  while (count > 0 && number < p->most) {
    int64_t candidate = (int64_t)(uint32_t)~(uint32_t)words[0];
    words[0] = words[--count];
    if (count)
      sink_64(words, 0, count);
    struct box box = box_at(boxes + 4 * candidate, p->centered);
    int64_t other = 0;
    while (other < number && !overlap(&box, &kept[other], p->iou))
      ++other;
    if (other < number)
      continue;
    kept[number] = box;
    taken[number++] = candidate;
  }
  return number;
}

int kumiko_op_nms_select(const kumiko_nms *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  struct box *kept = scratch;
  uint64_t *words = (uint64_t *)(kept + p->most);
  for (int64_t item = first; item < last; ++item) {
    const float *boxes = (const float *)buffers[0] + item / p->classes * p->boxes * 4;
    const float *scores = (const float *)buffers[1] + item * p->boxes;
    int64_t count = collect(p, scores, words);
    int64_t *taken = (int64_t *)buffers[3] + item * p->most;
    ((int64_t *)buffers[2])[item] = select(p, boxes, words, count, kept, taken);
  }
  return KUMIKO_OK;
}

int kumiko_op_nms(const kumiko_nms *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)scratch;
  const int64_t *before = buffers[0];
  for (int64_t item = first; item < last; ++item) {
    const int64_t *taken = (const int64_t *)buffers[1] + item * p->most;
    int64_t *row = (int64_t *)buffers[2] + 3 * before[item];
    for (int64_t i = 0; i < before[item + 1] - before[item]; ++i, row += 3) {
      row[0] = item / p->classes;
      row[1] = item % p->classes;
      row[2] = taken[i];
    }
  }
  return KUMIKO_OK;
}

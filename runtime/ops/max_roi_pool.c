#include "element.h"
#include "ops.h"
#include <math.h>

/** The pixels of one bin along one axis: from `begin` to before `end`. */
struct span {
  int64_t begin, end;
};

static int64_t inside(double position, int64_t size) {
  /* 0 also for what is no number */
  return position >= 0 ? position < (double)size ? (int64_t)position : size : 0;
}

/** Bin `number` of `bins` over the pixels `from` to `to`, both included, cut at the image's border. */
static struct span span_of(double from, double to, int64_t number, int64_t bins, int64_t size) {
  double length = to - from + 1;
  double bin = (length > 1 ? length : 1) / (double)bins;
  return (struct span){inside(from + floor((double)number * bin), size),
                       inside(from + ceil((double)(number + 1) * bin), size)};
}

static double largest(const kumiko_roi *p, const void *x, int64_t image, struct span rows, struct span columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end)
    return 0;
  double best = -HUGE_VAL;
  for (int64_t row = rows.begin; row < rows.end; ++row)
    for (int64_t column = columns.begin; column < columns.end; ++column) {
      double value = kumiko_element_real(p->type, x, image + row * p->columns + column);
      best = best < value ? value : best;
    }
  return best;
}

int kumiko_op_max_roi_pool(const kumiko_roi *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  (void)scratch;
  for (int64_t item = first; item < last; ++item) {
    double image = kumiko_element_real(p->type, buffers[1], 5 * item), corners[4];
    if (!(image >= 0 && image < (double)p->images))
      return KUMIKO_E_INDEX;
    for (int64_t i = 0; i < 4; ++i)
      corners[i] = round(kumiko_element_real(p->type, buffers[1], 5 * item + 1 + i) * p->scale);
    for (int64_t row = 0; row < p->height; ++row)
      for (int64_t column = 0; column < p->width; ++column) {
        struct span rows = span_of(corners[1], corners[3], row, p->height, p->rows);
        struct span columns = span_of(corners[0], corners[2], column, p->width, p->columns);
        for (int64_t channel = 0; channel < p->channels; ++channel) {
          int64_t from = ((int64_t)image * p->channels + channel) * p->rows * p->columns;
          int64_t to = ((item * p->channels + channel) * p->height + row) * p->width + column;
          kumiko_element_store(p->type, buffers[2], to, largest(p, buffers[0], from, rows, columns));
        }
      }
  }
  return KUMIKO_OK;
}

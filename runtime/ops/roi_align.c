#include "element.h"
#include "ops.h"
#include <math.h>

/* Rows and columns of a bin's samples are independent of each other, so each axis of a region is worked out once, for
 * all channels. For averages, the samples of a bin become one weight for each pixel they touch. */

/** For averages: a pixel and its weight. For maxima: a sample between two pixels, and the weight of the second. */
struct tap {
  int64_t low, high;
  double weight;
};

struct axis {
  struct tap *taps;
  int64_t *ends;   /* of each bin's taps */
  int64_t samples; /* of a bin, also those outside the image */
  int64_t bins, size, capacity;
};

/** Taps of one axis. One sample per pixel (or per bin) touches the image at most this often; see `samples_of`. */
static int64_t capacity_of(const kumiko_roi *p, int64_t bins, int64_t size) {
  int64_t samples, taps;
  if (p->sampling ? __builtin_mul_overflow(p->sampling, bins, &samples)
                  : __builtin_mul_overflow(size, 2, &samples) || __builtin_add_overflow(samples, bins, &samples) ||
                        __builtin_add_overflow(samples, 8, &samples))
    return -1;
  return __builtin_mul_overflow(samples, 2, &taps) ? -1 : taps;
}

int64_t kumiko_op_roi_align_scratch(const kumiko_roi *p) {
  int64_t rows = capacity_of(p, p->height, p->rows), columns = capacity_of(p, p->width, p->columns), taps, ends, bytes;
  if (rows < 0 || columns < 0 || __builtin_add_overflow(rows, columns, &taps) ||
      __builtin_add_overflow(p->height, p->width, &ends) ||
      __builtin_mul_overflow(taps, (int64_t)sizeof(struct tap), &taps) ||
      __builtin_mul_overflow(ends, (int64_t)sizeof(int64_t), &ends) || __builtin_add_overflow(taps, ends, &bytes))
    return INT64_MAX;
  return bytes;
}

/** One sample per pixel, at least one; none when the region is no number or turned around. Absurd numbers are cut: such
 *  samples lie outside the image. */
static int64_t samples_of(const kumiko_roi *p, double bin) {
  double samples = ceil(bin);
  return p->sampling ? p->sampling : samples > 0 ? samples < 1e15 ? (int64_t)samples : (int64_t)1e15 : 0;
}

/** Adds the weight to the pixel's tap, which is one of the last two of the bin, if it has one. */
static void add_tap(struct axis *axis, int64_t begin, int64_t *count, int64_t pixel, double weight) {
  for (int64_t tap = *count; tap > begin && tap > *count - 2; --tap)
    if (axis->taps[tap - 1].low == pixel) {
      axis->taps[tap - 1].weight += weight;
      return;
    }
  axis->taps[(*count)++] = (struct tap){pixel, pixel, weight};
}

static int fill_axis(const kumiko_roi *p, struct axis *axis, double from, double to) {
  double offset = p->half_pixel ? 0.5 : 0.0, start = from * p->scale - offset;
  double length = to * p->scale - offset - start;
  if (!p->half_pixel && length < 1)
    length = 1;
  double bin = length / (double)axis->bins;
  axis->samples = axis->size ? samples_of(p, bin) : 0;
  int64_t count = 0, last = axis->size - 1;
  for (int64_t number = 0; number < axis->bins; ++number) {
    double base = start + (double)number * bin, step = bin / (double)axis->samples;
    /* Samples before the image. A region that is turned around (which has as many as are asked for) runs backwards. */
    double skipped = bin < 0 ? 0 : (-1 - base) / step - 2;
    int64_t sample = skipped > 0 ? skipped < (double)axis->samples ? (int64_t)skipped : axis->samples : 0;
    int64_t begin = count;
    for (; sample < axis->samples; ++sample) {
      double position = base + ((double)sample + 0.5) * bin / (double)axis->samples;
      if (!(position <= (double)axis->size) && !(bin < 0))
        break;
      if (!(position >= -1 && position <= (double)axis->size))
        continue;
      if (count + 2 > axis->capacity)
        return KUMIKO_E_VALUE;
      position = position > 0 ? position : 0;
      int64_t low = (int64_t)position < last ? (int64_t)position : last, high = low < last ? low + 1 : last;
      double weight = low < last ? position - (double)low : 0;
      if (p->maximum)
        axis->taps[count++] = (struct tap){low, high, weight};
      else {
        add_tap(axis, begin, &count, low, 1 - weight);
        add_tap(axis, begin, &count, high, weight);
      }
    }
    axis->ends[number] = count;
  }
  return KUMIKO_OK;
}

/** The taps of one bin along one axis. */
struct taps {
  const struct tap *begin, *end;
};

static struct taps taps_of(const struct axis *axis, int64_t bin) {
  return (struct taps){axis->taps + (bin ? axis->ends[bin - 1] : 0), axis->taps + axis->ends[bin]};
}

#define SUM_OF(pixel)                                                                                                  \
  do {                                                                                                                 \
    for (const struct tap *row = rows.begin; row < rows.end; ++row) {                                                  \
      double part = 0;                                                                                                 \
      int64_t start = image + row->low * width;                                                                        \
      for (const struct tap *column = columns.begin; column < columns.end; ++column)                                   \
        part += column->weight * (pixel);                                                                              \
      sum += row->weight * part;                                                                                       \
    }                                                                                                                  \
  } while (0)

static double sum_of(const kumiko_roi *p, const void *x, int64_t image, struct taps rows, struct taps columns) {
  double sum = 0;
  int64_t width = p->columns;
  if (p->type == KUMIKO_F32)
    SUM_OF((double)((const float *)x)[start + column->low]);
  else
    SUM_OF(kumiko_element_real(p->type, x, start + column->low));
  return sum;
}

/** ONNX takes the maximum of the weighted corners, not of the interpolated samples. */
static double largest(const kumiko_roi *p, const void *x, int64_t image, struct taps rows, struct taps columns) {
  double best = -HUGE_VAL;
  for (const struct tap *row = rows.begin; row < rows.end; ++row)
    for (const struct tap *column = columns.begin; column < columns.end; ++column) {
      int64_t places[4] = {row->low * p->columns + column->low, row->low * p->columns + column->high,
                           row->high * p->columns + column->low, row->high * p->columns + column->high};
      double weights[4] = {(1 - row->weight) * (1 - column->weight), (1 - row->weight) * column->weight,
                           row->weight * (1 - column->weight), row->weight * column->weight};
      for (int corner = 0; corner < 4; ++corner) {
        double value = weights[corner] * kumiko_element_real(p->type, x, image + places[corner]);
        best = best < value ? value : best;
      }
    }
  return best;
}

static double bin_of(const kumiko_roi *p, const void *x, int64_t image, const struct axis *axes, int64_t row,
                     int64_t column) {
  struct taps rows = taps_of(&axes[0], row), columns = taps_of(&axes[1], column);
  double count = (double)axes[0].samples * (double)axes[1].samples;
  if (count == 0)
    return 0;
  if (!p->maximum)
    return sum_of(p, x, image, rows, columns) / count;
  double best = largest(p, x, image, rows, columns);
  /* A sample outside the image counts as 0. */
  int outside = rows.end - rows.begin < axes[0].samples || columns.end - columns.begin < axes[1].samples;
  return outside && !(best > 0) ? 0 : best;
}

int kumiko_op_roi_align(const kumiko_roi *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  struct axis axes[2] = {{.bins = p->height, .size = p->rows, .capacity = capacity_of(p, p->height, p->rows)},
                         {.bins = p->width, .size = p->columns, .capacity = capacity_of(p, p->width, p->columns)}};
  axes[0].taps = scratch;
  axes[1].taps = axes[0].taps + axes[0].capacity;
  axes[0].ends = (int64_t *)(axes[1].taps + axes[1].capacity);
  axes[1].ends = axes[0].ends + p->height;
  for (int64_t item = first; item < last; ++item) {
    int64_t image = ((const int64_t *)buffers[2])[item];
    if (image < 0 || image >= p->images)
      return KUMIKO_E_INDEX;
    double corners[4];
    for (int64_t i = 0; i < 4; ++i)
      corners[i] = kumiko_element_real(p->type, buffers[1], 4 * item + i);
    int status = fill_axis(p, &axes[0], corners[1], corners[3]);
    if (status || (status = fill_axis(p, &axes[1], corners[0], corners[2])))
      return status;
    if (!axes[0].samples || !axes[1].samples) /* nothing to look at; also when the image has no pixels */
      axes[0].samples = axes[1].samples = 0;
    for (int64_t channel = 0; channel < p->channels; ++channel) {
      int64_t from = (image * p->channels + channel) * p->rows * p->columns;
      int64_t to = (item * p->channels + channel) * p->height * p->width;
      for (int64_t row = 0; row < p->height; ++row)
        for (int64_t column = 0; column < p->width; ++column)
          kumiko_element_store(p->type, buffers[3], to + row * p->width + column,
                               bin_of(p, buffers[0], from, axes, row, column));
    }
  }
  return KUMIKO_OK;
}

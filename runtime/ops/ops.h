/*===- ops.h - operators that no template computes ----------------------------===
 *
 * A kernel that the compiler writes for such an operator fills in constant parameters and calls one of these functions:
 *
 *   int kumiko_op_NAME(const struct kumiko_NAME *parameters, void *const *buffers, int64_t first, int64_t last,
 *                      void *scratch);
 *
 * `buffers` are the operands, then the results; a result that nobody reads is null. The work is a number of items
 * (rows, regions, matrices); a call does items `first` to `last` - 1 and writes what belongs to them, so that chunks
 * run in any order. `scratch` is 64-byte aligned. The answer is a status of kumiko.h. No function allocates, and each
 * calls nothing outside its folder but libm: an object file carries the members that it uses.
 *
 * Parameters are structs of 8-byte fields without holes; the compiler writes them as a constant array.
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_OPS_H
#define KUMIKO_OPS_H

#include "kumiko/kumiko.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor seen around one axis; an item is a row along it: outer * inner of them. */
typedef struct kumiko_topk {
  int64_t type; /* kumiko_element_type */
  int64_t size; /* of the axis */
  int64_t inner;
  int64_t k;
  int64_t largest;
} kumiko_topk;

/** x -> values, index. Of equal elements the first comes first; NaN is above every number. */
int kumiko_op_topk(const kumiko_topk *p, void *const *buffers, int64_t first, int64_t last, void *scratch);
/** Bytes of scratch for rows of this size; INT64_MAX when they cannot be counted. */
int64_t kumiko_op_topk_scratch(const kumiko_topk *p);

/** An item is a matrix of n x n. */
typedef struct kumiko_det {
  int64_t type;
  int64_t n;
} kumiko_det;

/** x -> y. Wants n * n doubles of scratch. */
int kumiko_op_det(const kumiko_det *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

/** Regions of images; an item is a region. */
typedef struct kumiko_roi {
  int64_t type;
  int64_t images, channels, rows, columns; /* of the images */
  int64_t height, width;                   /* bins of a region */
  double scale;
  /* of roi_align alone */
  int64_t sampling; /* per bin and axis; 0: one per pixel */
  int64_t half_pixel;
  int64_t maximum; /* of the weighted corners, instead of the average */
} kumiko_roi;

/** x, rois, batch (i64) -> y. A region of an image that is not there is KUMIKO_E_INDEX. */
int kumiko_op_roi_align(const kumiko_roi *p, void *const *buffers, int64_t first, int64_t last, void *scratch);
int64_t kumiko_op_roi_align_scratch(const kumiko_roi *p);

/** x, rois -> y. As above; the image is the first number of a region. */
int kumiko_op_max_roi_pool(const kumiko_roi *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

/** An item is a row of words. Behind the struct: `lengths` pairs (number of n-grams of that length, where they begin in
 *  the pool), then all columns, then the pool. N-grams of one length are sorted and different; columns have the same
 *  order. */
typedef struct kumiko_ngram_count {
  int64_t type; /* of x: integers */
  int64_t words, columns;
  int64_t shortest, longest, widest; /* widest: largest step between two words */
  int64_t lengths, grams;
} kumiko_ngram_count;

/** x -> y (f32). */
int kumiko_op_ngram_count(const kumiko_ngram_count *p, void *const *buffers, int64_t first, int64_t last,
                          void *scratch);

typedef struct kumiko_random_bits {
  int64_t key;
  int64_t count; /* of words; an item is 4 of them */
} kumiko_random_bits;

/** -> y (u32): see docs/random.md. */
int kumiko_op_random_bits(const kumiko_random_bits *p, void *const *buffers, int64_t first, int64_t last,
                          void *scratch);

/* Results whose number data decide. A call that finds it writes the symbol's value into its last buffer; the buffers of
 * later calls are then made for it. */

typedef struct kumiko_total {
  int64_t count;
} kumiko_total;

/** counts -> before, symbol. before[i] is the sum of what comes before i; it has one entry more than counts. */
int kumiko_op_total(const kumiko_total *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

/** An item is a piece of `piece` elements, the last one the rest. Behind the struct: the shape. */
typedef struct kumiko_nonzero {
  int64_t type;
  int64_t count;
  int64_t piece, pieces;
  int64_t rank;
} kumiko_nonzero;

/** x -> counts of the pieces. */
int kumiko_op_nonzero_count(const kumiko_nonzero *p, void *const *buffers, int64_t first, int64_t last, void *scratch);
/** x, before -> index. */
int kumiko_op_nonzero(const kumiko_nonzero *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

/** An item is a class of a batch entry, of which at most `most` boxes are taken. Boxes and scores are f32. */
typedef struct kumiko_nms {
  int64_t classes, boxes;
  int64_t most;
  double iou, threshold;
  int64_t centered;
} kumiko_nms;

/** boxes, scores -> counts of the items, taken (`most` for each item). Wants 40 * most + 8 * boxes bytes of scratch. */
int kumiko_op_nms_select(const kumiko_nms *p, void *const *buffers, int64_t first, int64_t last, void *scratch);
/** before, taken -> index. */
int kumiko_op_nms(const kumiko_nms *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

typedef struct kumiko_unique {
  int64_t type;
  int64_t outer, size, inner; /* around the axis */
  int64_t sorted;
  int64_t groups; /* the symbol; for kumiko_op_unique */
} kumiko_unique;

/** x -> firsts, which, counts (each of `size`, null where nobody reads it), symbol. Wants 48 * size + 64 bytes of
 *  scratch. */
int kumiko_op_unique_find(const kumiko_unique *p, void *const *buffers, int64_t first, int64_t last, void *scratch);
/** x, firsts, counts -> y, first, count. */
int kumiko_op_unique(const kumiko_unique *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

/** Element `at` of integers. A negative value has `wrap` added; then it must be from `lower` to `upper`, or is brought
 *  there. */
typedef struct kumiko_symbol_read {
  int64_t type;
  int64_t at;
  int64_t wrap, lower, upper;
  int64_t clamp;
} kumiko_symbol_read;

/** x -> symbol. What is out of range is KUMIKO_E_VALUE. */
int kumiko_op_symbol(const kumiko_symbol_read *p, void *const *buffers, int64_t first, int64_t last, void *scratch);

#ifdef __cplusplus
}
#endif
#endif

#include "element.h"
#include "ops.h"
#include <math.h>

/** By elimination with the largest pivot of each column. Overwrites the matrix. */
static double determinant(double *m, int64_t n) {
  double product = 1;
  for (int64_t column = 0; column < n; ++column) {
    double *top = m + column * n;
    int64_t pivot = column;
    for (int64_t row = column + 1; row < n; ++row)
      if (fabs(m[row * n + column]) > fabs(m[pivot * n + column]))
        pivot = row;
    if (pivot != column) {
      product = -product;
      for (int64_t i = column; i < n; ++i) {
        double swapped = m[pivot * n + i];
        m[pivot * n + i] = top[i];
        top[i] = swapped;
      }
    }
    product *= top[column];
    if (top[column] == 0)
      return product;
    for (int64_t row = column + 1; row < n; ++row) {
      double *other = m + row * n, factor = other[column] / top[column];
      for (int64_t i = column + 1; i < n; ++i)
        other[i] -= factor * top[i];
    }
  }
  return product;
}

int kumiko_op_det(const kumiko_det *p, void *const *buffers, int64_t first, int64_t last, void *scratch) {
  int64_t elements = p->n * p->n;
  double *matrix = scratch;
  for (int64_t item = first; item < last; ++item) {
    for (int64_t i = 0; i < elements; ++i)
      matrix[i] = kumiko_element_real(p->type, buffers[0], item * elements + i);
    kumiko_element_store(p->type, buffers[1], item, determinant(matrix, p->n));
  }
  return KUMIKO_OK;
}

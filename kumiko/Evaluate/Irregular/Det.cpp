#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;

/// By elimination with the largest pivot of each column. Overwrites the matrix.
static double determinant(llvm::MutableArrayRef<double> m, int64_t n) {
  double product = 1;
  for (int64_t column = 0; column < n; ++column) {
    int64_t pivot = column;
    for (int64_t row = column + 1; row < n; ++row)
      if (std::abs(m[row * n + column]) > std::abs(m[pivot * n + column]))
        pivot = row;
    double value = m[pivot * n + column];
    product *= pivot == column ? value : -value;
    if (value == 0)
      return product;
    for (int64_t i = column; pivot != column && i < n; ++i)
      std::swap(m[pivot * n + i], m[column * n + i]);
    for (int64_t row = column + 1; row < n; ++row) {
      double factor = m[row * n + column] / value;
      for (int64_t i = column + 1; i < n; ++i)
        m[row * n + i] -= factor * m[column * n + i];
    }
  }
  return product;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::DetOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0);
  int64_t n = x.shape().back();
  llvm::ArrayRef<int64_t> shape = x.shape().drop_back(2);
  if (llvm::Error error = run.checkWork(double(x.count()) * n))
    return std::move(error);
  llvm::Expected<int64_t> count = elementCount(shape); // with n = 0 it does not follow from x
  if (!count)
    return count.takeError();
  auto room = run.result(op.getY().getType(), shape);
  if (!room)
    return room.takeError();
  std::vector<double> numbers, matrix(n * n);
  for (int64_t number = 0; number < *count; ++number) {
    for (int64_t i = 0; i < n * n; ++i)
      matrix[i] = valueAt(x, number * n * n + i);
    numbers.push_back(determinant(matrix, n));
  }
  return only(run.result(op.getY().getType(), shape, numbers));
}

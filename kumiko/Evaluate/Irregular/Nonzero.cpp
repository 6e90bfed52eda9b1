#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;

llvm::Expected<Tensors> kumiko::evaluate(nn::NonzeroOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.count(); ++i)
    if (valueAt(x, i) != 0)
      found.push_back(i);
  int64_t count = found.size(), rank = x.rank(), stride = 1;
  std::vector<int64_t> numbers(rank * count);
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    for (int64_t i = 0; i < count; ++i)
      numbers[dim * count + i] = found[i] / stride % x.shape()[dim];
    stride *= x.shape()[dim];
  }
  return only(run.indices({rank, count}, numbers));
}

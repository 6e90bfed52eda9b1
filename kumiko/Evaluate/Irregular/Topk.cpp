#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Evaluate/Irregular/Order.h"
#include <numeric>

using namespace kumiko;

llvm::Expected<Tensors> kumiko::evaluate(nn::TopkOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0);
  AroundAxis around(x.shape(), op.getAxis());
  llvm::SmallVector<int64_t, 6> shape(x.shape());
  int64_t k = shape[op.getAxis()] = op.getK();
  auto values = Tensor::zeros(x.element(), shape, run.options.limits.bytes), index = run.indices(shape, {});
  if (!values || !index)
    return llvm::joinErrors(values.takeError(), index.takeError());
  std::vector<uint64_t> keys = orderKeys(x);
  if (op.getLargest()) // the largest first is the smallest of the keys turned around
    for (uint64_t &key : keys)
      key = ~key;
  std::vector<int64_t> order(around.size);
  unsigned width = bytesOf(x.element());
  for (int64_t outer = 0; outer < around.outer; ++outer)
    for (int64_t inner = 0; inner < around.inner; ++inner) {
      std::iota(order.begin(), order.end(), 0);
      auto before = [&](int64_t a, int64_t b) {
        uint64_t left = keys[around.at(outer, a, inner)], right = keys[around.at(outer, b, inner)];
        return left != right ? left < right : a < b;
      };
      std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
      for (int64_t i = 0; i < k; ++i) {
        int64_t to = (outer * k + i) * around.inner + inner;
        std::memcpy(values->mutableData() + to * width, x.data() + around.at(outer, order[i], inner) * width, width);
        std::memcpy(index->mutableData() + to * sizeof(int64_t), &order[i], sizeof(int64_t));
      }
    }
  Tensors results;
  results.push_back(std::move(*values));
  results.push_back(std::move(*index));
  return results;
}

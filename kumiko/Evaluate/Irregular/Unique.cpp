#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Evaluate/Irregular/Order.h"
#include <numeric>

using namespace kumiko;

namespace {
/// What is known of each different slice.
struct Found {
  int64_t first; ///< the position where it comes first
  int64_t count;
};
} // namespace

/// Positions along the axis, sorted by the slices there; equal slices by position.
static std::vector<int64_t> sorted(const AroundAxis &around, llvm::ArrayRef<uint64_t> keys) {
  std::vector<int64_t> order(around.size);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    for (int64_t outer = 0; outer < around.outer; ++outer)
      for (int64_t inner = 0; inner < around.inner; ++inner) {
        uint64_t left = keys[around.at(outer, a, inner)], right = keys[around.at(outer, b, inner)];
        if (left != right)
          return left < right;
      }
    return a < b;
  });
  return order;
}

static bool equal(const AroundAxis &around, llvm::ArrayRef<uint64_t> keys, int64_t a, int64_t b) {
  for (int64_t outer = 0; outer < around.outer; ++outer)
    for (int64_t inner = 0; inner < around.inner; ++inner)
      if (keys[around.at(outer, a, inner)] != keys[around.at(outer, b, inner)])
        return false;
  return true;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::UniqueOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0);
  AroundAxis around(x.shape(), op.getAxis());
  std::vector<uint64_t> keys = orderKeys(x);
  std::vector<Found> groups;
  std::vector<int64_t> which(around.size);
  int64_t previous = -1;
  for (int64_t position : sorted(around, keys)) {
    if (previous < 0 || !equal(around, keys, previous, position))
      groups.push_back({position, 0});
    ++groups.back().count;
    which[position] = int64_t(groups.size()) - 1;
    previous = position;
  }
  int64_t count = groups.size();
  if (!op.getSorted()) {
    std::vector<int64_t> order(count), place(count);
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t a, int64_t b) { return groups[a].first < groups[b].first; });
    std::vector<Found> inOrder;
    for (auto [number, group] : llvm::enumerate(order)) {
      place[group] = number;
      inOrder.push_back(groups[group]);
    }
    groups = std::move(inOrder);
    for (int64_t &group : which)
      group = place[group];
  }
  llvm::SmallVector<int64_t, 6> shape(x.shape());
  shape[op.getAxis()] = count;
  auto y = Tensor::zeros(x.element(), shape, run.options.limits.bytes);
  if (!y)
    return y.takeError();
  uint64_t width = bytesOf(x.element()), slice = width * around.inner;
  for (int64_t outer = 0; slice && outer < around.outer; ++outer)
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(y->mutableData() + (outer * count + i) * slice,
                  x.data() + around.at(outer, groups[i].first, 0) * width, slice);
  std::vector<int64_t> firsts, counts;
  for (Found group : groups) {
    firsts.push_back(group.first);
    counts.push_back(group.count);
  }
  Tensors results;
  results.push_back(std::move(*y));
  for (const std::vector<int64_t> &list : {firsts, which, counts}) {
    auto tensor = run.indices({int64_t(list.size())}, list);
    if (!tensor)
      return tensor.takeError();
    results.push_back(std::move(*tensor));
  }
  return results;
}

#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"
#include <numeric>

using namespace kumiko;

namespace {
struct Box {
  double left, top, right, bottom;
  double area() const { return (right - left) * (bottom - top); }
};
} // namespace

static Box boxAt(const Tensor &boxes, int64_t position, bool centered) {
  double a = valueAt(boxes, position), b = valueAt(boxes, position + 1), c = valueAt(boxes, position + 2),
         d = valueAt(boxes, position + 3);
  if (centered)
    return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
  return {std::min(b, d), std::min(a, c), std::max(b, d), std::max(a, c)};
}

/// Intersection over union; boxes without an area overlap nothing.
static bool overlap(const Box &a, const Box &b, double iou) {
  double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  if (!(width > 0 && height > 0 && a.area() > 0 && b.area() > 0))
    return false;
  double common = width * height;
  return common / (a.area() + b.area() - common) > iou;
}

/// The boxes that remain, best first.
static std::vector<int64_t> select(llvm::ArrayRef<Box> boxes, llvm::ArrayRef<double> scores, nn::NmsOp op) {
  std::vector<int64_t> order, taken;
  for (int64_t i = 0; i < int64_t(boxes.size()); ++i)
    if (scores[i] > op.getThreshold())
      order.push_back(i);
  llvm::sort(order, [&](int64_t a, int64_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  for (int64_t i : order) {
    if (int64_t(taken.size()) >= op.getLimit())
      break;
    if (llvm::none_of(taken, [&](int64_t j) { return overlap(boxes[i], boxes[j], op.getIou()); }))
      taken.push_back(i);
  }
  return taken;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::NmsOp op, const IrregularRun &run) {
  const Tensor &boxes = run.operand(0), &scores = run.operand(1);
  int64_t batch = boxes.shape()[0], count = boxes.shape()[1], classes = scores.shape()[1];
  double most = std::clamp<double>(op.getLimit(), 0, count);
  if (llvm::Error error = run.checkWork(double(batch) * classes * count * most))
    return std::move(error);
  std::vector<int64_t> rows;
  std::vector<Box> corners(count);
  std::vector<double> ranks(count);
  for (int64_t entry = 0; entry < batch; ++entry) {
    for (int64_t i = 0; i < count; ++i)
      corners[i] = boxAt(boxes, (entry * count + i) * 4, op.getCentered());
    for (int64_t kind = 0; kind < classes; ++kind) {
      for (int64_t i = 0; i < count; ++i)
        ranks[i] = valueAt(scores, (entry * classes + kind) * count + i);
      for (int64_t box : select(corners, ranks, op))
        rows.insert(rows.end(), {entry, kind, box});
    }
  }
  return only(run.indices({int64_t(rows.size()) / 3, 3}, rows));
}

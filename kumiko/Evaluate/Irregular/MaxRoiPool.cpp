#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;

namespace {
/// The pixels of one bin along one axis: from `begin` to before `end`.
struct Span {
  int64_t begin, end;
};
} // namespace

/// Bin `number` of `bins` over the pixels `from` to `to`, both included, cut at the image's border.
static Span spanOf(double from, double to, int64_t number, int64_t bins, int64_t size) {
  double bin = std::max(to - from + 1, 1.0) / double(bins);
  auto inside = [&](double position) {
    return position >= 0 ? int64_t(std::min(position, double(size))) : 0; // 0 also for what is no number
  };
  return {inside(from + std::floor(double(number) * bin)), inside(from + std::ceil(double(number + 1) * bin))};
}

static double largest(const Tensor &x, int64_t image, int64_t width, Span rows, Span columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end)
    return 0;
  double best = -HUGE_VAL;
  for (int64_t row = rows.begin; row < rows.end; ++row)
    for (int64_t column = columns.begin; column < columns.end; ++column)
      best = std::max(best, valueAt(x, image + row * width + column));
  return best;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::MaxRoiPoolOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0), &rois = run.operand(1);
  int64_t channels = x.shape()[1], rows = x.shape()[2], columns = x.shape()[3];
  int64_t regions = rois.shape()[0], height = op.getHeight(), width = op.getWidth();
  llvm::SmallVector<int64_t, 4> shape{regions, channels, height, width};
  auto room = run.result(op.getY().getType(), shape); // refuses what is too large before any work
  if (!room)
    return room.takeError();
  // A pixel is in at most two bins along each axis, or in all of a region smaller than its bins.
  if (llvm::Error error = run.checkWork(double(room->count()) * (double(rows) * columns + 1)))
    return std::move(error);
  std::vector<double> numbers;
  for (int64_t r = 0; r < regions; ++r) {
    double image = valueAt(rois, 5 * r);
    if (!(image >= 0 && image < double(x.shape()[0])))
      return llvm::createStringError("region " + llvm::Twine(r) + " is in none of " + llvm::Twine(x.shape()[0]) +
                                     " images");
    auto corner = [&](int64_t number) { return std::round(valueAt(rois, 5 * r + number) * op.getScale()); };
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j)
          numbers.push_back(largest(x, (int64_t(image) * channels + c) * rows * columns, columns,
                                    spanOf(corner(2), corner(4), i, height, rows),
                                    spanOf(corner(1), corner(3), j, width, columns)));
  }
  return only(run.result(op.getY().getType(), shape, numbers));
}

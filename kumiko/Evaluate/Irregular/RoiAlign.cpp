#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"
#include <cmath>

using namespace kumiko;

namespace {
/// Samples along one axis of one region: where it starts, how long a bin is, and how many samples a bin has.
struct Line {
  double start, bin;
  int64_t samples;
};

/// The two pixels around a position, and the weight of the second; outside the image there is nothing.
struct Between {
  int64_t low = 0, high = 0;
  double weight = 0;
  bool outside = false;
};
} // namespace

static Between between(double position, int64_t size) {
  if (!(position >= -1 && position <= double(size)))
    return {0, 0, 0, /*outside=*/true};
  position = std::max(position, 0.0);
  int64_t low = int64_t(position);
  if (low >= size - 1)
    return {size - 1, size - 1, 0};
  return {low, low + 1, position - double(low)};
}

static Line lineOf(nn::RoiAlignOp op, double from, double to, int64_t bins) {
  double offset = op.getHalfPixel() ? 0.5 : 0.0;
  double start = from * op.getScale() - offset, length = to * op.getScale() - offset - start;
  if (!op.getHalfPixel())
    length = std::max(length, 1.0);
  double bin = length / double(bins), samples = std::ceil(bin);
  int64_t asked = op.getSampling();
  // A region that is no number has no samples; absurdly many are stopped by the limit on work.
  return {start, bin, asked ? asked : samples > 0 ? int64_t(std::min(samples, 1e15)) : 0};
}

/// One bin of one channel, which starts at element `image` of x.
static double binOf(nn::RoiAlignOp op, const Tensor &x, int64_t image, const Line &rows, const Line &columns,
                    int64_t row, int64_t column) {
  int64_t height = x.shape()[2], width = x.shape()[3];
  bool average = op.getMode() == "avg";
  double sum = 0, largest = -HUGE_VAL;
  for (int64_t i = 0; i < rows.samples; ++i) {
    Between y = between(rows.start + row * rows.bin + (i + 0.5) * rows.bin / rows.samples, height);
    for (int64_t j = 0; j < columns.samples; ++j) {
      Between z = between(columns.start + column * columns.bin + (j + 0.5) * columns.bin / columns.samples, width);
      double parts[4] = {};
      if (!y.outside && !z.outside) {
        auto pixel = [&](int64_t r, int64_t c) { return valueAt(x, image + r * width + c); };
        parts[0] = (1 - y.weight) * (1 - z.weight) * pixel(y.low, z.low);
        parts[1] = (1 - y.weight) * z.weight * pixel(y.low, z.high);
        parts[2] = y.weight * (1 - z.weight) * pixel(y.high, z.low);
        parts[3] = y.weight * z.weight * pixel(y.high, z.high);
      }
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      // ONNX takes the maximum of the weighted corners, not of the interpolated samples.
      largest = std::max({largest, parts[0], parts[1], parts[2], parts[3]});
    }
  }
  double count = double(rows.samples) * double(columns.samples);
  return count == 0 ? 0 : average ? sum / count : largest;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::RoiAlignOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0), &rois = run.operand(1), &batch = run.operand(2);
  int64_t channels = x.shape()[1], pixels = x.shape()[2] * x.shape()[3];
  int64_t regions = rois.shape()[0], height = op.getHeight(), width = op.getWidth();
  llvm::SmallVector<int64_t, 4> shape{regions, channels, height, width};
  auto room = run.result(op.getY().getType(), shape); // refuses what is too large before any work
  if (!room)
    return room.takeError();
  std::vector<double> numbers;
  for (int64_t r = 0; r < regions; ++r) {
    int64_t image = integerAt(batch, r);
    if (image < 0 || image >= x.shape()[0])
      return llvm::createStringError("region " + llvm::Twine(r) + " is in image " + llvm::Twine(image) + " of " +
                                     llvm::Twine(x.shape()[0]));
    Line columns = lineOf(op, valueAt(rois, 4 * r), valueAt(rois, 4 * r + 2), width);
    Line rows = lineOf(op, valueAt(rois, 4 * r + 1), valueAt(rois, 4 * r + 3), height);
    if (pixels == 0)
      rows.samples = columns.samples = 0;
    double bins = double(channels) * height * width;
    if (llvm::Error error = run.checkWork(bins * double(rows.samples) * double(columns.samples)))
      return std::move(error);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < height; ++i)
        for (int64_t j = 0; j < width; ++j)
          numbers.push_back(binOf(op, x, (image * channels + c) * pixels, rows, columns, i, j));
  }
  return only(run.result(op.getY().getType(), shape, numbers));
}

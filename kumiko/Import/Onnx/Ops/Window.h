//===- Window.h - attributes of ops with sliding windows ---------------------===//
#pragma once
#include "kumiko/Import/Onnx/NodeContext.h"

namespace kumiko::onnx {

/// One entry per spatial dimension.
struct Window {
  Sizes kernel;
  Ints stride, dilation;
  Sizes lo, hi;
  /// Padding at the end that ceil_mode adds; not part of `hi`.
  Sizes extra;

  /// From the first to the last element that one window touches.
  Extent reach(size_t dim) const { return (kernel[dim] - Extent(1)) * Extent(dilation[dim]) + Extent(1); }
};

/// Numbers in attributes of windows stay below this, so that sums of products of two of them do not overflow.
inline constexpr int64_t windowLimit = int64_t(1) << 30;

/// Reads kernel_shape, strides, dilations, pads and auto_pad for a node whose first input has the channels in front.
/// `kernel` is the weight's, when there is one; otherwise kernel_shape is required. Checks lengths and ranges.
/// `resolvePads`: SAME_UPPER and SAME_LOWER become numbers; a transposed convolution does that in its own way.
std::optional<Window> readWindow(NodeContext &n, llvm::ArrayRef<Extent> kernel, bool resolvePads = true);

/// Fails when a window is larger than the padded image.
bool checkFits(NodeContext &n, const Window &window);

/// Sets `extra` when ceil_mode is on.
void roundUp(NodeContext &n, Window &window);

/// lo and hi for `total` elements of padding: SAME_LOWER puts the odd one in front, all others behind.
std::pair<Extent, Extent> splitPadding(const Extent &total, bool oddInFront);

} // namespace kumiko::onnx

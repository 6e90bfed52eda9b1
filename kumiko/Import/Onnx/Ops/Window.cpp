#include "kumiko/Import/Onnx/Ops/Window.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kumiko::onnx {

/// A list of `count` numbers in [lowest, windowLimit), or `otherwise` repeated when the attribute is not there.
static Ints readList(NodeContext &n, StringRef name, size_t count, int64_t lowest, int64_t otherwise) {
  std::optional<Ints> list = n.integers(name);
  if (!list)
    return Ints(count, otherwise);
  if (list->size() != count)
    n.fail(Code::AttributeValue, name + " has " + Twine(list->size()) + " numbers, expected " + Twine(count))
        .helped("the input has " + Twine(n.rankOf(n.input(0)) - 2) + " spatial dimensions");
  else if (any_of(*list, [&](int64_t value) { return value < lowest || value >= windowLimit; }))
    n.fail(Code::AttributeValue, name + " has a number outside " + Twine(lowest) + " to " + Twine(windowLimit - 1))
        .helped("the attribute is [" +
                join(map_range(*list, [](int64_t value) { return std::to_string(value); }), ", ") +
                "]; export the model again");
  return *list;
}

std::pair<Extent, Extent> splitPadding(const Extent &total, bool oddInFront) {
  Extent half = floorDiv(total, 2);
  return oddInFront ? std::pair(total - half, half) : std::pair(half, total - half);
}

std::optional<Window> readWindow(NodeContext &n, ArrayRef<Extent> kernel, bool resolvePads) {
  Sizes sizes = n.sizesOf(n.input(0));
  ArrayRef<Extent> image = ArrayRef(sizes).drop_front(2);
  size_t rank = image.size();
  Window window;
  Ints given = readList(n, "kernel_shape", rank, 1, 0);
  window.kernel.assign(given.begin(), given.end());
  window.stride = readList(n, "strides", rank, 1, 1);
  window.dilation = readList(n, "dilations", rank, 1, 1);
  Ints pads = readList(n, "pads", 2 * rank, 0, 0);
  StringRef mode = n.text("auto_pad", "NOTSET");
  if (n.failed())
    return std::nullopt;
  if (kernel.empty() && !n.has("kernel_shape")) {
    n.fail(Code::AttributeMissing, "attribute \"kernel_shape\" is missing").helped("the op needs it");
    return std::nullopt;
  }
  if (!kernel.empty()) {
    bool agrees = !n.has("kernel_shape") || llvm::equal(window.kernel, kernel, [&](const Extent &a, const Extent &b) {
      return n.agree(a, b, "kernel_shape is that of the weight");
    });
    if (!agrees) {
      n.fail(Code::OperandShape, "kernel_shape does not agree with the weight")
          .helped("the last dimensions of the weight are the kernel");
      return std::nullopt;
    }
    // A kernel that is given is a number, whatever the weight's type says.
    if (!n.has("kernel_shape"))
      window.kernel.assign(kernel.begin(), kernel.end());
    if (any_of(kernel, [](const Extent &size) {
          return size.isStatic() && (size.value() < 1 || size.value() >= windowLimit);
        })) {
      n.fail(Code::OperandShape, "the kernel has a size outside 1 to " + Twine(windowLimit - 1));
      return std::nullopt;
    }
  }
  if (!is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, mode)) {
    n.fail(Code::AttributeValue, "auto_pad is \"" + mode + "\"").helped("NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    return std::nullopt;
  }
  window.lo.assign(pads.begin(), pads.begin() + rank);
  window.hi.assign(pads.begin() + rank, pads.end());
  window.extra.assign(rank, 0);
  if (mode == "VALID") {
    window.lo.assign(rank, 0);
    window.hi.assign(rank, 0);
  } else if (mode != "NOTSET" && resolvePads) {
    for (size_t dim = 0; dim < rank; ++dim) {
      Extent stride = window.stride[dim], outputs = ceilDiv(image[dim], stride);
      Extent total = max((outputs - Extent(1)) * stride + window.reach(dim) - image[dim], 0);
      std::tie(window.lo[dim], window.hi[dim]) = splitPadding(total, mode == "SAME_LOWER");
    }
  }
  return window;
}

bool checkFits(NodeContext &n, const Window &window) {
  Sizes sizes = n.sizesOf(n.input(0));
  for (auto [dim, extent] : enumerate(ArrayRef(sizes).drop_front(2))) {
    Extent padded = extent + window.lo[dim] + window.hi[dim] + window.extra[dim];
    Extent left = padded - window.reach(dim);
    if (!left.isStatic() || left.value() >= 0)
      continue;
    n.fail(Code::OperandShape, "a window of " + window.reach(dim).str() + " does not fit into " + padded.str() +
                                   " elements of dimension " + Twine(dim + 2))
        .helped("the input is too small for this kernel, dilation and padding");
    return false;
  }
  return true;
}

void roundUp(NodeContext &n, Window &window) {
  bool same = n.text("auto_pad", "NOTSET").starts_with("SAME");
  if (!n.flag("ceil_mode") || n.failed() || same)
    return;
  Sizes sizes = n.sizesOf(n.input(0));
  for (auto [dim, extent] : enumerate(ArrayRef(sizes).drop_front(2))) {
    Extent stride = window.stride[dim], reach = window.reach(dim);
    Extent padded = extent + window.lo[dim] + window.hi[dim], room = padded - reach;
    if (room.isStatic() && room.value() < 0)
      continue; // reported by checkFits
    // A last window that would start in the padding at the end is dropped.
    Extent fitting = ceilDiv(room, stride), last = floorDiv(extent + window.lo[dim] - Extent(1), stride);
    Extent steps = min(fitting, max(fitting - Extent(1), last));
    window.extra[dim] = max(steps * stride - room, 0);
  }
}

} // namespace kumiko::onnx

//===- Columns.cpp - relatives of the convolution ------------------------------===//
//
// Convolutions with displaced taps, and the ways back from windows to an image.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Ops/Window.h"
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Lengths of dimensions stay below this, so that they can be multiplied by strides.
bool isSmall(ArrayRef<int64_t> sizes) {
  return all_of(sizes, [](int64_t size) { return size >= 0 && size < windowLimit; });
}

/// A list of one number in [lowest, windowLimit) for each spatial dimension.
Ints spatial(NodeContext &n, StringRef name, size_t count, int64_t lowest, int64_t otherwise) {
  Ints list = n.integers(name).value_or(Ints(count, otherwise));
  if (!n.failed() && (list.size() != count || !isSmall(list) || any_of(list, [&](int64_t v) { return v < lowest; })))
    n.fail(Code::AttributeValue,
           name + " must have " + Twine(count) + " numbers from " + Twine(lowest) + " to " + Twine(windowLimit - 1));
  return list;
}

/// How many windows fit along each dimension; 0 where none does.
Sizes windowCounts(ArrayRef<Extent> image, const Window &window) {
  Sizes counts;
  for (auto [dim, size] : enumerate(image)) {
    Extent stride = window.stride[dim], room = size + window.lo[dim] + window.hi[dim] - window.reach(dim);
    counts.push_back(floorDiv(max(room, -stride), stride) + Extent(1));
  }
  return counts;
}

Results importDeformConv(NodeContext &n) {
  int64_t group = n.integer("group", 1), offsets = n.integer("offset_group", 1);
  Value x = n.input(0), w = n.input(1), offset = n.input(2), bias = n.input(3), mask = n.input(4);
  if (n.failed() || !n.expectRank(0, 4, 4) || !n.expectRank(1, 4, 4) || !n.expectRank(2, 4, 4) ||
      (mask && !n.expectRank(4, 4, 4)) || (bias && !n.expectRank(3, 1, 1)))
    return {};
  Sizes sizes = n.sizesOf(x), kernel = n.sizesOf(w);
  std::optional<Window> window = readWindow(n, ArrayRef(kernel).drop_front(2));
  if (!window || !checkFits(n, *window))
    return {};
  Sizes out = windowCounts(ArrayRef(sizes).drop_front(2), *window);
  auto divides = [&](int64_t by, const Extent &size) {
    return by >= 1 && by < windowLimit && n.agree(floorDiv(size, by) * Extent(by), size, "groups divide the channels");
  };
  bool grouped = divides(group, sizes[1]) && divides(group, kernel[0]) && divides(offsets, sizes[1]) &&
                 n.agree(floorDiv(sizes[1], group), kernel[1], "the weight has the channels of a group") &&
                 (!bias || n.agree(n.sizesOf(bias)[0], kernel[0], "the bias has one number per feature"));
  if (n.failed())
    return {};
  if (!grouped) {
    n.fail(Code::OperandShape, "channels, groups, weight and bias do not go together")
        .helped("the weight is features x channels/group x kernel; channels divide by group and by offset_group");
    return {};
  }
  Extent rows = window->kernel[0], columns = window->kernel[1];
  offset = n.reshape(offset, {sizes[0], offsets, rows, columns, 2, out[0], out[1]});
  if (mask && !n.failed())
    mask = n.reshape(mask, {sizes[0], offsets, rows, columns, out[0], out[1]});
  if (n.failed())
    return {};
  return {n.make("deform_conv", {x, w, offset, mask, bias},
                 {n.is("stride", window->stride), n.is("dilation", window->dilation), n.is("lo", window->lo),
                  n.is("group", group), n.is("out", out)})};
}

Results importCol2Im(NodeContext &n) {
  std::optional<Sizes> image = n.sizes(1, "image_shape"), kernel = n.sizes(2, "block_shape");
  if (!image || !kernel || !n.expectRank(0, 3, 3))
    return {};
  size_t rank = image->size();
  Window window;
  window.kernel = *kernel;
  window.stride = spatial(n, "strides", rank, 1, 1);
  window.dilation = spatial(n, "dilations", rank, 1, 1);
  Ints pads = spatial(n, "pads", 2 * rank, 0, 0);
  if (n.failed())
    return {};
  auto areSizes = [](ArrayRef<Extent> list, int64_t lowest) {
    return all_of(list, [&](const Extent &size) {
      return !size.isStatic() || (size.value() >= lowest && size.value() < windowLimit);
    });
  };
  if (rank == 0 || kernel->size() != rank || !areSizes(*image, 0) || !areSizes(*kernel, 1)) {
    n.fail(Code::OperandValue, "image_shape and block_shape must have one positive number per dimension");
    return {};
  }
  window.lo.assign(pads.begin(), pads.begin() + rank);
  window.hi.assign(pads.begin() + rank, pads.end());
  Value x = n.input(0);
  Sizes out = windowCounts(*image, window);
  Extent perChannel = product(window.kernel), expected = product(out), rows = n.sizesOf(x)[1];
  for (const Extent &size : window.kernel)
    n.atMost(1, size, "a block has at least one element in each dimension");
  if (!n.agree(floorDiv(rows, perChannel) * perChannel, rows, "blocks divide the rows") ||
      !n.agree(n.sizesOf(x)[2], expected, "there is one column for each window")) {
    n.fail(Code::OperandShape, "the input does not have one column for each of " + expected.str() + " windows")
        .helped("its shape is batch, channels times the size of a block, windows");
    return {};
  }
  return {n.make("col2im", {x},
                 {n.is("image", *image), n.is("kernel", *kernel), n.is("stride", window.stride),
                  n.is("dilation", window.dilation), n.is("lo", window.lo), n.is("out", out)})};
}

/// Indices count in the image that the attributes imply; the result is cut or padded to `output_shape`.
Results importMaxUnpool(NodeContext &n) {
  if (!n.expectRank(0, 3))
    return {};
  Value x = n.input(0), index = n.input(1);
  size_t rank = n.rankOf(x) - 2;
  if (!n.has("kernel_shape")) {
    n.fail(Code::AttributeMissing, "attribute \"kernel_shape\" is missing").helped("the op needs it");
    return {};
  }
  Ints kernel = spatial(n, "kernel_shape", rank, 1, 1), stride = spatial(n, "strides", rank, 1, 1);
  Ints pads = spatial(n, "pads", 2 * rank, 0, 0);
  std::optional<Sizes> wanted = n.sizes(2, "output_shape", nullptr, rank + 2);
  if (n.failed())
    return {};
  auto isSmallOrOpen = [](const Extent &size) {
    return !size.isStatic() || (size.value() >= 0 && size.value() < windowLimit);
  };
  Sizes shape = n.sizesOf(x), lo(rank + 2, 0), hi(rank + 2, 0);
  bool fits = n.rankOf(index) == n.rankOf(x) && all_of(shape, isSmallOrOpen) &&
              (!wanted || (wanted->size() == rank + 2 && all_of(*wanted, isSmallOrOpen)));
  for (size_t dim = 0; fits && dim < rank + 2; ++dim)
    fits = n.agree(n.sizesOf(index)[dim], shape[dim], "indices have the shape of the input");
  if (!fits) {
    n.fail(Code::OperandShape, "the indices must have the shape of the input, and output_shape its rank");
    return {};
  }
  for (size_t dim = 0; dim < rank; ++dim)
    shape[dim + 2] =
        max((shape[dim + 2] - Extent(1)) * Extent(stride[dim]) + Extent(kernel[dim] - pads[dim] - pads[dim + rank]), 0);
  if (!n.typeOf(shape, n.elementOf(x)))
    return {};
  Value zeros = n.make("expand", {n.scalar(0, x)}, {n.is("shape", Sizes{product(shape)})});
  Value flat = n.make("scatter_elements", {zeros, n.reshape(index, {n.elementsOf(x)}), n.reshape(x, {n.elementsOf(x)})},
                      {n.is("axis", 0), n.is("kind", "set")});
  Value y = flat ? n.reshape(flat, shape) : flat;
  if (!y || !wanted)
    return {y};
  for (size_t dim = 0; dim < rank + 2; ++dim)
    hi[dim] = (*wanted)[dim] - shape[dim];
  return {n.make("pad", {y, Value()}, {n.is("lo", lo), n.is("hi", hi)})};
}

constexpr OpCode codes[] = {
    {"Col2Im", 3, 3, 1, importCol2Im},
    {"DeformConv", 3, 5, 1, importDeformConv},
    {"MaxUnpool", 2, 3, 1, importMaxUnpool},
};

} // namespace

ArrayRef<OpCode> columnOps() { return codes; }

} // namespace kumiko::onnx

//===- Sparse.cpp - sparse tensors of a file as dense values ----------------===//
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// The dense form takes memory that the file does not have, so its limit is lower than that of other tensors.
static constexpr uint64_t denseLimit = uint64_t(1) << 30;

/// The row-major position of value `number`, whose indices are a number or a row; empty when they are outside.
static std::optional<int64_t> positionOf(const Tensor &indices, int64_t number, ArrayRef<int64_t> shape,
                                         int64_t count) {
  if (indices.rank() == 1) {
    int64_t position = indices.at<int64_t>(number);
    return position >= 0 && position < count ? std::optional(position) : std::nullopt;
  }
  int64_t position = 0;
  for (auto [dim, size] : enumerate(shape)) {
    int64_t index = indices.at<int64_t>(number * shape.size() + dim);
    if (index < 0 || index >= size)
      return std::nullopt;
    position = position * size + index;
  }
  return position;
}

Value GraphImporter::constant(const SparseTensor &tensor, Location loc, Report tell) {
  if (!tensor.values || !tensor.indices)
    return tell(Code::WrongDataSize, "a sparse tensor needs values and indices"), Value();
  std::optional<TensorData> values = dataOf(*tensor.values, *file, options.tensorLimit, tell);
  std::optional<TensorData> rows = values ? dataOf(*tensor.indices, *file, options.tensorLimit, tell) : std::nullopt;
  if (!rows)
    return {};
  int64_t rank = tensor.dims.size(), listed = values->shape.size() == 1 ? values->shape[0] : -1;
  bool single = rows->shape.size() == 1, whole = rows->shape.size() == 2 && rows->shape[1] == rank;
  if (listed < 0 || rows->element != ElementType::I64 || (!single && !whole) || rows->shape[0] != listed)
    return tell(Code::WrongDataSize, "the indices are " + kumiko::describe(rows->element, rows->shape) +
                                         " for values that are " + kumiko::describe(values->element, values->shape))
               .helped("values are a list, with one number or one row of " + Twine(rank) + " indices each"),
           Value();
  if (std::string why = refusalOf(values->element, tensor.dims, std::min(denseLimit, options.tensorLimit));
      !why.empty())
    return tell(Code::TooLarge, "is too large as a dense tensor: " + why), Value();
  ArrayRef<uint8_t> raw(reinterpret_cast<const uint8_t *>(rows->bytes.data()), rows->bytes.size());
  Tensor indices = cantFail(Tensor::view(rows->element, rows->shape, raw));
  Expected<Tensor> dense = Tensor::zeros(values->element, tensor.dims, denseLimit);
  if (!dense)
    return tell(Code::TooLarge, toString(dense.takeError())), Value();
  unsigned width = bytesOf(values->element);
  for (int64_t i = 0; i < listed; ++i) {
    std::optional<int64_t> position = positionOf(indices, i, tensor.dims, dense->count());
    if (!position)
      return tell(Code::WrongDataSize, "the indices of value " + Twine(i) + " are outside the tensor"), Value();
    std::memcpy(dense->mutableData() + *position * width, values->bytes.data() + i * width, width);
  }
  return constant(SharedTensor::own(std::move(*dense)), loc);
}

} // namespace kumiko::onnx

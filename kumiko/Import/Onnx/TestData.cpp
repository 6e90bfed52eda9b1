//===- TestData.cpp - values in files of their own ----------------------------------===//
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/TensorData.h"

using namespace llvm;

namespace kumiko::onnx {

namespace {
/// Reads one file. What it gives owns its bytes: the file goes away.
class DataFile {
public:
  DataFile(StringRef path, ProblemList &problems) : path(path), problems(problems) {
    auto tell = [this](Code code, const Twine &what) -> Problem & { return report(code, what); };
    file = ModelFile::open(path, /*allowSymlinks=*/false, tell);
  }

  std::optional<Tensor> tensor() {
    std::optional<TensorProto> proto = file ? readTensor(file->bytes(), file->arena(), problems) : std::nullopt;
    return proto ? tensor(*proto) : std::nullopt;
  }
  std::optional<Datum> list(Datum::Kind kind) {
    std::optional<ListProto> proto = file ? readList(file->bytes(), file->arena(), problems) : std::nullopt;
    return proto ? list(*proto, kind) : std::nullopt;
  }

private:
  StringRef path;
  ProblemList &problems;
  std::shared_ptr<ModelFile> file;

  Problem &report(Code code, const Twine &what) {
    Place place;
    place.file = path.str();
    return problems.add(code, what).at(place);
  }

  std::optional<Tensor> tensor(const TensorProto &proto) {
    auto tell = [this](Code code, const Twine &what) -> Problem & { return report(code, what); };
    std::optional<TensorData> data = dataOf(proto, *file, defaultTensorLimit, tell);
    if (!data)
      return std::nullopt;
    ArrayRef<uint8_t> bytes(data->bytes.bytes_begin(), data->bytes.size());
    Expected<Tensor> view = Tensor::view(data->element, data->shape, bytes);
    Expected<Tensor> copy = view ? view->copy() : std::move(view);
    if (!copy)
      return report(Code::TooLarge, toString(copy.takeError())), std::nullopt;
    return std::move(*copy);
  }

  std::optional<Datum> list(const ListProto &proto, Datum::Kind kind) {
    std::vector<Datum> items;
    auto add = [&](std::optional<Datum> item) {
      if (item)
        items.push_back(std::move(*item));
      return item.has_value();
    };
    for (const TensorProto &item : proto.tensors) {
      std::optional<Tensor> value = tensor(item);
      if (!value || !add(Datum::of(SharedTensor::own(std::move(*value)))))
        return std::nullopt;
    }
    for (const ListProto &item : proto.sequences)
      if (!add(list(item, Datum::Kind::Sequence)))
        return std::nullopt;
    for (const ListProto &item : proto.optionals)
      if (!add(list(item, Datum::Kind::Optional)))
        return std::nullopt;
    return Datum::of(kind, std::move(items));
  }
};
} // namespace

std::optional<Tensor> readTensorFile(StringRef path, ProblemList &problems) {
  return DataFile(path, problems).tensor();
}

std::optional<Datum> readDatumFile(StringRef path, StringRef type, ProblemList &problems) {
  if (type.starts_with("a sequence"))
    return DataFile(path, problems).list(Datum::Kind::Sequence);
  if (type.starts_with("an optional"))
    return DataFile(path, problems).list(Datum::Kind::Optional);
  std::optional<Tensor> tensor = readTensorFile(path, problems);
  if (!tensor)
    return std::nullopt;
  return Datum::of(SharedTensor::own(std::move(*tensor)));
}

} // namespace kumiko::onnx

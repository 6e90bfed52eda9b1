#include "kumiko/Pipeline/Inputs.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

using namespace kumiko;

namespace {
/// SplitMix64: small, fast, the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t x = state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  /// A multiple of 2^-23 in [-1, 1): exact in f32.
  float unit() { return float(int32_t(next() >> 40) - (1 << 23)) * 0x1p-23f; }

private:
  uint64_t state;
};
} // namespace

static bool isStandardFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}

llvm::Expected<Tensor> kumiko::randomTensor(const ProgramValue &value) {
  auto numbers = Tensor::zeros(ElementType::F32, value.shape);
  if (!numbers)
    return numbers.takeError();
  Random random(llvm::xxh3_64bits(value.name));
  for (int64_t i = 0; i < numbers->count(); ++i) {
    float number = random.unit();
    if (!isStandardFloat(value.type))
      number = number > 0;
    std::memcpy(numbers->mutableData() + i * sizeof(float), &number, sizeof(float));
  }
  if (value.type == ElementType::F32)
    return numbers;
  return convert(*numbers, value.type);
}

namespace {
class InputReader {
public:
  InputReader(llvm::ArrayRef<ProgramValue> inputs, const InputSources &sources, ProblemList &problems)
      : inputs(inputs), sources(sources), problems(problems), tensors(inputs.size()) {}

  std::vector<Tensor> read() {
    readArchive();
    for (const std::string &text : sources.single)
      readSingle(text);
    for (auto [i, input] : llvm::enumerate(inputs))
      complete(i, input);
    return problems.hasErrors() ? std::vector<Tensor>() : std::move(tensors);
  }

private:
  void readArchive();
  void readSingle(llvm::StringRef text);
  void complete(size_t index, const ProgramValue &input);
  void random(size_t index);
  /// Checks type and shape against the model.
  void take(size_t index, NpyArray array, llvm::StringRef file);
  std::optional<size_t> numberOf(llvm::StringRef name, llvm::StringRef from);

  llvm::ArrayRef<ProgramValue> inputs;
  const InputSources &sources;
  ProblemList &problems;
  std::vector<Tensor> tensors;
};
} // namespace

std::optional<size_t> InputReader::numberOf(llvm::StringRef name, llvm::StringRef from) {
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.name == name)
      return i;
  auto names = llvm::map_range(inputs, [](const ProgramValue &input) { return printable(input.name); });
  problems.add(Code::UndefinedName, from + ": the model has no input '" + printable(name) + "'")
      .helped("its inputs are " + llvm::join(names, ", "));
  return std::nullopt;
}

std::string kumiko::describe(const ProgramValue &value) {
  if (value.isStatic())
    return describe(value.type, value.shape);
  std::vector<std::string> extents;
  for (const Extent &extent : value.extents)
    extents.push_back(extent.str());
  return (nameOf(value.type) + "[" + llvm::join(extents, ",") + "]").str();
}

void InputReader::take(size_t index, NpyArray array, llvm::StringRef file) {
  const ProgramValue &input = inputs[index];
  auto refuse = [&](Code code, const Tensor &tensor, const llvm::Twine &why) {
    problems.add(code, "input '" + printable(input.name) + "': " + why)
        .with(input.name, describe(input), "of the model")
        .with("array", describe(tensor.element(), tensor.shape()), "from " + file.str())
        .helped("give an array of the model's type and shape");
  };
  // What is -1 takes any extent; whether those agree is the runtime's to say.
  auto fits = [](int64_t found, int64_t wanted) { return found == wanted || wanted == -1; };
  if (!llvm::equal(array.tensor.shape(), input.shape, fits))
    return refuse(Code::OperandShape, array.tensor, "wrong shape");
  Tensor seen = array.tensor.alias();
  auto tensor = asElementType(std::move(array), input.type);
  if (!tensor)
    return refuse(Code::OperandType, seen, toString(tensor.takeError()));
  tensors[index] = std::move(*tensor);
}

/// A file that is not there or not ours to read is no fault of its contents.
static Code unreadable(llvm::StringRef path) {
  return llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Exist) || llvm::sys::fs::is_directory(path)
             ? Code::CannotOpen
             : Code::Malformed;
}

void InputReader::readArchive() {
  if (sources.archive.empty())
    return;
  auto arrays = readNpzFile(sources.archive);
  if (!arrays) {
    problems.add(unreadable(sources.archive), sources.archive + ": " + toString(arrays.takeError()))
        .helped("--inputs wants an .npz file as numpy.savez writes it");
    return;
  }
  for (NpzArray &array : *arrays)
    if (auto index = numberOf(array.name, sources.archive))
      take(*index, std::move(array.array), sources.archive);
}

void InputReader::random(size_t index) {
  if (!inputs[index].isStatic()) {
    problems.add(Code::BadOption, "input '" + printable(inputs[index].name) + "' has no fixed shape")
        .with(inputs[index].name, describe(inputs[index]), "of the model")
        .helped("give an array, or numbers for its dimensions with --dim");
    return;
  }
  auto tensor = randomTensor(inputs[index]);
  if (tensor)
    tensors[index] = std::move(*tensor);
  else
    problems.add(Code::TooLarge, "input '" + printable(inputs[index].name) + "': " + toString(tensor.takeError()))
        .helped("give smaller dimensions with --dim");
}

void InputReader::readSingle(llvm::StringRef text) {
  // The name is the model's and may hold '='; a path is ours to choose.
  auto [name, source] = text.rsplit('=');
  if (source.empty()) {
    problems.add(Code::BadOption, "--input wants NAME=FILE.npy or NAME=random, not '" + printable(text) + "'")
        .helped("for example --input x=random");
    return;
  }
  auto index = numberOf(name, "--input");
  if (!index)
    return;
  if (source == "random")
    return random(*index);
  auto array = readNpyFile(source);
  if (!array) {
    problems.add(unreadable(source), source + ": " + toString(array.takeError()))
        .helped("--input wants an .npy file as numpy.save writes it");
    return;
  }
  take(*index, std::move(*array), source);
}

void InputReader::complete(size_t index, const ProgramValue &input) {
  if (tensors[index].element() != ElementType::Invalid || problems.hasErrors())
    return;
  if (sources.randomOtherwise)
    return random(index);
  problems.add(Code::BadOption, "no values for input '" + printable(input.name) + "'")
      .with(input.name, describe(input), "of the model")
      .helped("give them with --inputs IN.npz or --input '" + printable(input.name) + "=random'");
}

std::vector<Tensor> kumiko::readInputs(llvm::ArrayRef<ProgramValue> inputs, const InputSources &sources,
                                       ProblemList &problems) {
  return InputReader(inputs, sources, problems).read();
}

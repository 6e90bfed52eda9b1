#include "kumiko/Emit/Artefact.h"
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Support/EmitError.h"
#include "tools/kumiko-onnx-suite/DataSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::suite;

namespace {
/// A folder that goes with what is in it.
struct TemporaryFolder {
  SmallString<128> path;
  std::error_code failure = sys::fs::createUniqueDirectory("kumiko-suite", path);
  ~TemporaryFolder() { (void)sys::fs::remove_directories(path); }

  std::string file(const Twine &name) const {
    SmallString<128> whole = path;
    sys::path::append(whole, name);
    return whole.str().str();
  }
};
} // namespace

/// The elements that the runner wrote, and for a size that data decide the shape it wrote beside them.
static Expected<Tensor> readTensor(const ProgramValue &value, const std::string &path) {
  auto read = [](const std::string &path) {
    return MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  };
  auto file = read(path);
  if (!file)
    return createStringError(file.getError(), "there is no output " + value.name);
  SmallVector<int64_t, 6> shape = value.shape;
  if (!value.isStatic()) {
    auto beside = read(path + ".shape");
    if (!beside || (*beside)->getBufferSize() != shape.size() * sizeof(int64_t))
      return createStringError("there is no shape of output " + value.name);
    std::memcpy(shape.data(), (*beside)->getBufferStart(), (*beside)->getBufferSize());
  }
  auto bytes = arrayRefFromStringRef((*file)->getBuffer());
  auto view = Tensor::view(value.type, shape, bytes);
  return view ? view->copy() : view.takeError();
}

Expected<std::vector<Tensor>> kumiko::suite::runElsewhere(const CompiledModel &compiled, ArrayRef<Tensor> inputs,
                                                          StringRef runner) {
  TemporaryFolder folder;
  if (folder.failure)
    return createStringError(folder.failure, "no folder for files");
  ArtefactOptions artefact;
  artefact.output = folder.file("model.so");
  if (Error error = writeSharedLibrary(compiled.program, compiled.kernels, compiled.target, artefact))
    return error;
  SmallVector<StringRef> words;
  runner.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::vector<std::string> arguments(words.begin(), words.end());
  arguments.insert(arguments.end(), {artefact.output, "1"});
  auto add = [&](StringRef kind, StringRef name, std::string file) {
    arguments.insert(arguments.end(), {kind.str(), name.str(), std::move(file)});
  };
  for (auto [number, value, tensor] : enumerate(compiled.program.inputs, inputs)) {
    add("input", value.name, folder.file("input" + Twine(number)));
    StringRef bytes = toStringRef(tensor.bytes());
    if (Error error = writeFile(arguments.back(), [&](raw_ostream &os) { os << bytes; }))
      return error;
  }
  for (auto [number, value] : enumerate(compiled.program.outputs))
    add("output", value.name, folder.file("output" + Twine(number)));
  auto program = sys::findProgramByName(arguments[0]);
  if (!program)
    return createStringError(program.getError(), "there is no program " + arguments[0]);
  std::string talk = folder.file("talk");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(talk), StringRef(talk)};
  SmallVector<StringRef> list(arguments.begin(), arguments.end());
  if (int code = sys::ExecuteAndWait(*program, list, std::nullopt, redirects)) {
    auto said = MemoryBuffer::getFile(talk);
    return createStringError("exit " + Twine(code) + ": " + (said ? (*said)->getBuffer().rtrim() : ""));
  }
  std::vector<Tensor> results;
  for (auto [number, value] : enumerate(compiled.program.outputs)) {
    auto tensor = readTensor(value, folder.file("output" + Twine(number)));
    if (!tensor)
      return tensor.takeError();
    results.push_back(std::move(*tensor));
  }
  return results;
}

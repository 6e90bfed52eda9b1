#include "bench/ScalarRun.h"
#include "bench/ScalarLoops.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <dlfcn.h>

using namespace llvm;

namespace kumiko::bench {

/// KUMIKO_C_COMPILER is the compiler of the build, KUMIKO_BENCH_DIR the folder of scalar.h.
static Error compile(StringRef source, StringRef library) {
  StringRef arguments[] = {KUMIKO_C_COMPILER,
                           "-O2",
                           "-march=native",
                           "-fno-vectorize",
                           "-fno-slp-vectorize",
                           "-fwrapv",
                           "-ffp-contract=fast",
                           "-fno-math-errno",
                           "-w",
                           "-I" KUMIKO_BENCH_DIR,
                           "-shared",
                           "-fPIC",
                           source,
                           "-lm",
                           "-o",
                           library};
  ErrorOr<std::string> program = sys::findProgramByName(KUMIKO_C_COMPILER);
  if (!program || sys::ExecuteAndWait(*program, arguments))
    return createStringError("the C compiler " KUMIKO_C_COMPILER " does not take the scalar loops");
  return Error::success();
}

/// `run` of a library, which stays loaded.
static Expected<ScalarRun::Function> load(StringRef library) {
  void *handle = dlopen(library.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = handle ? dlsym(handle, "run") : nullptr;
  if (!symbol)
    return createStringError("the scalar loops do not load");
  return reinterpret_cast<ScalarRun::Function>(symbol);
}

/// `run` of a text in C: from the folder of loops that are kept, if there is one and it has them.
static Expected<ScalarRun::Function> loopsOf(StringRef text, StringRef kept) {
  std::string place = kept.empty() ? "" : formatv("{0}/{1:x-16}.so", kept, xxh3_64bits(text)).str();
  if (!kept.empty() && sys::fs::exists(place))
    return load(place);
  SmallString<64> folder;
  if (std::error_code error = sys::fs::createUniqueDirectory("bench-ops", folder))
    return createStringError(error.message());
  auto remove = scope_exit([&] { (void)sys::fs::remove_directories(folder); });
  std::string source = (folder + "/loops.c").str(), library = (folder + "/loops.so").str();
  std::error_code error;
  raw_fd_ostream(source, error) << text;
  if (error)
    return createStringError(error.message());
  if (Error failed = compile(source, library))
    return std::move(failed);
  if (!kept.empty())
    if (std::error_code error = sys::fs::copy_file(library, place))
      return createStringError(error, "cannot write into " + kept);
  return load(library);
}

Expected<ScalarRun> ScalarRun::make(const eq::Instance &instance, ArrayRef<Tensor> operands, StringRef kept,
                                    bool checked) {
  ScalarRun made;
  for (const eq::Tensor &tensor : instance.tensors) {
    if (tensor.role == eq::Tensor::Role::Operand || !tensor.present) {
      const uint8_t *bytes = tensor.present ? operands[tensor.number].data() : nullptr;
      made.pointers.push_back(const_cast<uint8_t *>(bytes));
      continue;
    }
    SmallVector<int64_t> shape;
    for (const Extent &extent : tensor.type.shape)
      shape.push_back(extent.value());
    Expected<Tensor> buffer = Tensor::zeros(tensor.type.element, shape);
    if (!buffer)
      return buffer.takeError();
    made.buffers.push_back(std::make_unique<Tensor>(std::move(*buffer)));
    made.pointers.push_back(made.buffers.back()->mutableData());
    if (tensor.role == eq::Tensor::Role::Result && tensor.number == 0)
      made.first = made.buffers.back().get();
  }
  std::string before;
  for (Reduced order : {Reduced::Inside, Reduced::Outside}) {
    Expected<std::string> text = scalarLoops(instance, order);
    if (!text)
      return text.takeError();
    if (*text == before)
      break;
    before = *text;
    Expected<Function> function = loopsOf(checked ? "#define EQ_CHECKED\n" + before : before, kept);
    if (!function)
      return function.takeError();
    made.functions.push_back(*function);
  }
  return made;
}

void ScalarRun::writeTo(uint8_t *memory) { *llvm::find(pointers, first->data()) = memory; }

} // namespace kumiko::bench

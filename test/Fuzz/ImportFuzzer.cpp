//===- ImportFuzzer.cpp - the importer against bytes that nobody meant ---------===//
//
// libFuzzer's target: any bytes as a model file of any format, read as for compilation and, as ONNX, computed on
// made-up inputs. What comes out is a module that verifies, results, or a list of problems; the sanitizers, the limit
// of memory and the limit of time judge the rest. No file beside the model is ever opened: the model has a folder that
// does not exist.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/Onnx.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace kumiko;

namespace {

/// A context keeps every name and type it has seen, so one for all runs would grow without end; one for each run would
/// spend most of the time on loading dialects.
mlir::MLIRContext &freshContext() {
  static constexpr unsigned runsOfOne = 256;
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned runs = 0;
  if (runs++ % runsOfOne == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
    // Diagnostics of the verifier are a defect, and abort below; nothing else may speak to the terminal.
    context->getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) { llvm::errs() << diagnostic << "\n"; });
  }
  return *context;
}

[[noreturn]] void complain(llvm::StringRef what) {
  llvm::errs() << "defect: " << what << "\n";
  std::abort();
}

std::unique_ptr<llvm::MemoryBuffer> asFile(llvm::StringRef bytes) {
  return llvm::MemoryBuffer::getMemBufferCopy(bytes, "none/fuzz.onnx");
}

/// What must hold for every list of problems.
void judge(const ProblemList &problems, bool succeeded) {
  if (succeeded == problems.hasErrors())
    complain("a result with errors, or none without");
  if (problems.exitCode() == int(Fault::Defect))
    complain("a file made the importer report a defect of its own");
  std::string text;
  llvm::raw_string_ostream os(text);
  problems.print(os);
}

void import(llvm::StringRef bytes) {
  ImportOptions options;
  options.tensorLimit = 1 << 24;
  ProblemList problems;
  ModelSummary summary;
  auto module = importModel(asFile(bytes), freshContext(), options, problems, summary);
  judge(problems, mlir::succeeded(module));
  if (mlir::succeeded(module) && mlir::failed(mlir::verify(**module)))
    complain("the module does not verify");
}

/// Small numbers for every input of the model; nothing when one cannot be made or is large.
std::optional<llvm::StringMap<Datum>> makeInputs(llvm::StringRef bytes) {
  llvm::BumpPtrAllocator arena;
  ProblemList problems;
  std::optional<onnx::Model> model = onnx::readModel(bytes, arena, problems);
  llvm::StringMap<Datum> inputs;
  for (const onnx::ValueInfo &input : model ? model->graph.inputs : llvm::ArrayRef<onnx::ValueInfo>()) {
    std::optional<ElementType> element = onnx::elementTypeOf(input.type.element);
    if (input.type.kind != onnx::Type::Kind::Tensor || !element)
      return std::nullopt;
    llvm::SmallVector<int64_t> shape;
    for (const onnx::Dimension &dim : input.type.shape)
      shape.push_back(std::max<int64_t>(dim.value.value_or(2), 0));
    auto size = byteSize(*element, shape, /*limit=*/1 << 14);
    llvm::Expected<Tensor> tensor = size ? Tensor::zeros(*element, shape) : size.takeError();
    if (!tensor)
      return llvm::consumeError(tensor.takeError()), std::nullopt;
    // Bytes 0 and 1 are valid in every type.
    for (uint64_t i = 0; i < *size; i += bytesOf(*element))
      tensor->mutableData()[i] = i / bytesOf(*element) % 2;
    inputs[input.name] = Datum::of(SharedTensor::own(std::move(*tensor)));
  }
  return inputs;
}

void interpret(llvm::StringRef bytes) {
  std::optional<llvm::StringMap<Datum>> inputs = makeInputs(bytes);
  if (!inputs)
    return;
  InterpretOptions options;
  options.limits.tensorBytes = 1 << 22;
  options.limits.heldBytes = 1 << 24;
  options.limits.points = 1 << 20;
  options.limits.nodes = 500;
  ProblemList problems;
  auto outputs = onnx::interpretOnnx(asFile(bytes), freshContext(), *inputs, options, problems);
  judge(problems, outputs.has_value());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  import(bytes);
  interpret(bytes);
  return 0;
}

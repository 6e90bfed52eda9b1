//===- ImportFuzzer.cpp - the importer against bytes that nobody meant ---------===//
//
// libFuzzer's target: any bytes as a model file. What comes out is a module that verifies or a list of problems; the
// sanitizers, the limit of memory and the limit of time judge the rest. No file beside the model is ever opened: the
// model has a folder that does not exist.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Onnx.h"
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  onnx::ImportOptions options;
  options.tensorLimit = 1 << 24;
  ProblemList problems;
  onnx::ModelSummary summary;
  auto bytes = llvm::MemoryBuffer::getMemBufferCopy({reinterpret_cast<const char *>(data), size}, "none/fuzz.onnx");
  auto module = onnx::importOnnx(std::move(bytes), freshContext(), options, problems, summary);
  if (mlir::succeeded(module) == problems.hasErrors())
    complain("a module with errors, or none without");
  if (problems.exitCode() == int(Fault::Defect))
    complain("a file made the importer report a defect of its own");
  if (mlir::succeeded(module) && mlir::failed(mlir::verify(**module)))
    complain("the module does not verify");
  std::string text;
  llvm::raw_string_ostream os(text);
  problems.print(os);
  return 0;
}

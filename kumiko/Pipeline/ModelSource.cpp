#include "kumiko/Pipeline/ModelSource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

static constexpr llvm::StringLiteral inMemory = "memory:";

ModelSource ModelSource::fromMemory(llvm::StringRef bytes, llvm::StringRef name, llvm::StringRef dataFolder) {
  llvm::SmallString<128> path(dataFolder);
  llvm::sys::path::append(path, llvm::sys::path::filename(name));
  ModelSource source(dataFolder.empty() ? (inMemory + name).str() : path.str().str());
  source.bytes = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  return source;
}

llvm::StringRef ModelSource::fileName() const {
  llvm::StringRef name = path;
  name.consume_front(inMemory);
  return llvm::sys::path::filename(name);
}

std::unique_ptr<llvm::MemoryBuffer> ModelSource::view() const {
  return llvm::MemoryBuffer::getMemBuffer({bytes->getBuffer(), path}, /*RequiresNullTerminator=*/false);
}

mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> ModelSource::import(mlir::MLIRContext &context,
                                                                       const ImportOptions &options,
                                                                       ProblemList &problems,
                                                                       ModelSummary &summary) const {
  if (!bytes)
    return importModel(path, context, options, problems, summary);
  return importModel(view(), context, options, problems, summary);
}

std::optional<std::vector<NamedDatum>> ModelSource::interpret(mlir::MLIRContext &context,
                                                              const llvm::StringMap<Datum> &inputs,
                                                              const InterpretOptions &options,
                                                              ProblemList &problems) const {
  if (!bytes)
    return interpretModel(path, context, inputs, options, problems);
  return interpretModel(view(), context, inputs, options, problems);
}

std::string kumiko::digestOf(llvm::StringRef content) {
  return llvm::toHex(llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(content)), /*LowerCase=*/true);
}

llvm::ErrorOr<std::string> ModelSource::digest() const {
  if (bytes)
    return digestOf(bytes->getBuffer());
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return file.getError();
  return digestOf((*file)->getBuffer());
}

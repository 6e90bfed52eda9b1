#include "kumiko/Pipeline/Provenance.h"
#include "kumiko/Emit/EmitError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kumiko;

llvm::Expected<std::string> kumiko::provenanceOf(llvm::StringRef path, const CompileOptions &options,
                                                 const Target &target) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return emitError(Code::CannotOpen, "cannot read " + printable(path) + ": " + file.getError().message(),
                     "the file was there a moment ago; do not change it while it is compiled");
  auto digest = llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef((*file)->getBuffer()));
  std::string text = "model blake3:" + llvm::toHex(digest, /*LowerCase=*/true) + ", target " + target.describe() +
                     ", allow " + nameOf(options.allow).str();
  std::vector<std::string> dims;
  for (const auto &dim : options.import.dims)
    dims.push_back(dim.getKey().str() + "=" + std::to_string(dim.getValue()));
  llvm::sort(dims);
  for (const std::string &dim : dims)
    text += ", dim " + printable(dim);
  return text;
}

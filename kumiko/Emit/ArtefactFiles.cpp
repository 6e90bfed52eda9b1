#include "kumiko/Emit/ArtefactFiles.h"
#include "kumiko/Emit/Weights.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Support/Watch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

std::string kumiko::weightsFileFor(const Program &program, const ArtefactOptions &options) {
  constexpr uint64_t embedLimit = 1ull << 30;
  bool file = options.weights == WeightsPlace::File ||
              (options.weights == WeightsPlace::Automatic && program.weightsBytes > embedLimit);
  if (!file || !program.weightsBytes)
    return {};
  return (llvm::sys::path::stem(options.output) + ".weights").str();
}

static llvm::Expected<std::string> writeTable(const Program &program, const Target &target, const TableOptions &options,
                                              const WorkFolder &folder) {
  llvm::LLVMContext context;
  auto module = buildTable(context, program, options);
  auto bytes = assemble(*module, target, options.watched);
  if (!bytes)
    return bytes.takeError();
  std::string file = folder.file("table.o");
  if (llvm::Error error = writeFile(file, [&](llvm::raw_ostream &os) { os.write(bytes->data(), bytes->size()); }))
    return error;
  return file;
}

llvm::Expected<ArtefactFiles> kumiko::writeArtefactFiles(const Program &program, llvm::ArrayRef<Object> kernels,
                                                         const Target &target, const TableOptions &options,
                                                         const WorkFolder &folder) {
  ArtefactFiles files;
  for (const Object &kernel : kernels) {
    files.code.push_back(folder.file(kernel.name + ".o"));
    auto write = [&](llvm::raw_ostream &os) { os.write(kernel.bytes.data(), kernel.bytes.size()); };
    if (llvm::Error error = writeFile(files.code.back(), write))
      return error;
  }
  auto table = writeTable(program, target, options, folder);
  if (!table)
    return table.takeError();
  files.code.push_back(*table);
  if (!program.weightsBytes)
    return files;

  bool beside = !options.weightsFile.empty();
  std::string file = folder.file(beside ? "weights.bin" : "weights.o");
  auto write = [&](llvm::raw_ostream &os) {
    beside ? writeWeights(program, os) : writeWeightsObject(program, target, os);
  };
  if (llvm::Error error = writeFile(file, write))
    return error;
  (beside ? files.weightsBeside : files.weights) = file;
  return files;
}

llvm::Error kumiko::stopIfAsked(const ArtefactOptions &options) {
  if (options.stopped && options.stopped())
    return llvm::make_error<EmitError>(cancelledProblem());
  return llvm::Error::success();
}

llvm::Error kumiko::placeArtefact(const ArtefactFiles &files, llvm::StringRef finished, llvm::StringRef output,
                                  llvm::StringRef weightsFile) {
  if (!files.weightsBeside.empty()) {
    llvm::SmallString<128> place(llvm::sys::path::parent_path(output));
    llvm::sys::path::append(place, weightsFile);
    if (llvm::Error error = renameInto(files.weightsBeside, place))
      return error;
  }
  return renameInto(finished, output);
}

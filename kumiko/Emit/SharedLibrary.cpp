#include "kumiko/Emit/ArtefactFiles.h"
#include "kumiko/Emit/EmitError.h"
#include "kumiko/Emit/Link.h"
#include "kumiko/Emit/RuntimeArchive.h"

using namespace kumiko;

/// Everything but the two entries stays inside, so that many models can live in one process.
static constexpr llvm::StringLiteral exports = "{ global: kumiko_artefact_table; kumiko_get_api; local: *; };\n";

static std::vector<std::string> linkerArguments(const ArtefactFiles &files, const WorkFolder &folder,
                                                llvm::StringRef finished, unsigned jobs) {
  std::vector<std::string> arguments = {"-shared", "--build-id=none", "--hash-style=gnu", "--gc-sections",
                                        // The runtime's debug information names the folder it was built in.
                                        "--strip-debug", "-z", "relro", "-z", "now", "-z", "noexecstack",
                                        "--undefined=kumiko_get_api", "--version-script=" + folder.file("exports.map"),
                                        "--threads=" + std::to_string(jobs), "-o", finished.str()};
#ifndef KUMIKO_SANITIZED
  // A sanitizer's functions come from the program that loads the library; everything else must be found here.
  arguments.push_back("--no-undefined");
#endif
  llvm::append_range(arguments, files.code);
  if (!files.weights.empty())
    arguments.push_back(files.weights);
  arguments.push_back(folder.file("runtime.a"));
  arguments.push_back("--as-needed");
  llvm::append_range(arguments, hostCLibraries());
  return arguments;
}

static llvm::Error writeLinkerInputs(llvm::StringRef runtime, const WorkFolder &folder) {
  if (llvm::Error error = writeFile(folder.file("exports.map"), [&](llvm::raw_ostream &os) { os << exports; }))
    return error;
  return writeFile(folder.file("runtime.a"), [&](llvm::raw_ostream &os) { os << runtime; });
}

llvm::Error kumiko::writeSharedLibrary(const Program &program, llvm::ArrayRef<Object> kernels, const Target &target,
                                       const ArtefactOptions &options) {
  llvm::StringRef runtime = runtimeArchive(target);
  if (runtime.empty())
    return emitError(Code::UnsupportedForm, "this kumiko carries no runtime for " + target.triple.getArchName(),
                     "compile to an object file (-o m.o) and link it with a runtime built for that machine");
  auto folder = WorkFolder::beside(options.output);
  if (!folder)
    return folder.takeError();
  TableOptions table;
  table.exportTable = true;
  table.weightsFile = weightsFileFor(program, options);
  auto files = writeArtefactFiles(program, kernels, target, table, *folder);
  if (!files)
    return files.takeError();
  if (llvm::Error error = writeLinkerInputs(runtime, *folder))
    return error;
  std::string finished = folder->file("whole.so");
  if (llvm::Error error = runLinker(linkerArguments(*files, *folder, finished, options.jobs)))
    return error;
  return placeArtefact(*files, finished, options.output, table.weightsFile);
}

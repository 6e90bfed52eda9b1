#include "kumiko/Emit/ArtefactFiles.h"
#include "kumiko/Emit/EmbeddedArchives.h"
#include "kumiko/Emit/Link.h"
#include "kumiko/Support/EmitError.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"

using namespace kumiko;

/// Everything but the two entries stays inside, so that many models can live in one process.
static constexpr llvm::StringLiteral exports = "{ global: kumiko_artefact_table; kumiko_get_api; local: *; };\n";

/// An empty library of this soname: the linker then names it as needed, and the loader finds the real one. For machines
/// whose C library is not here.
static llvm::Expected<std::string> standInFor(llvm::StringRef soname, const Target &target, const WorkFolder &folder) {
  llvm::LLVMContext context;
  llvm::Module nothing("nothing", context);
  auto object = assemble(nothing, target);
  if (!object)
    return object.takeError();
  std::string input = folder.file(soname.str() + ".o"), output = folder.file(soname);
  llvm::StringRef bytes(object->data(), object->size());
  if (llvm::Error error = writeFile(input, [&](llvm::raw_ostream &os) { os << bytes; }))
    return error;
  if (llvm::Error error = runLinker({"-shared", "-soname", soname.str(), "-o", output, input}))
    return error;
  return output;
}

/// How the C library is named to the linker.
static llvm::Expected<std::vector<std::string>> cLibraryArguments(const Target &target, const WorkFolder &folder) {
  std::vector<std::string> arguments;
  if (target.triple.getArch() == llvm::Triple(llvm::sys::getProcessTriple()).getArch()) {
#ifndef KUMIKO_SANITIZED
    // A sanitizer's functions come from the program that loads the library; everything else must be found here.
    arguments.push_back("--no-undefined");
#endif
    arguments.push_back("--as-needed");
    llvm::append_range(arguments, hostCLibraries());
    return arguments;
  }
  arguments.push_back("--no-as-needed");
  for (llvm::StringRef soname : {"libm.so.6", "libc.so.6"}) {
    auto library = standInFor(soname, target, folder);
    if (!library)
      return library.takeError();
    arguments.push_back(*library);
  }
  return arguments;
}

static llvm::Expected<std::vector<std::string>> linkerArguments(const ArtefactFiles &files, const WorkFolder &folder,
                                                                const Target &target, llvm::StringRef finished) {
  std::vector<std::string> arguments = {"-shared", "--build-id=none", "--hash-style=gnu", "--gc-sections",
                                        // The runtime's debug information names the folder it was built in.
                                        "--strip-debug", "-z", "relro", "-z", "now", "-z", "noexecstack",
                                        "--undefined=kumiko_get_api", "--version-script=" + folder.file("exports.map"),
                                        "-o", finished.str()};
  llvm::append_range(arguments, files.code);
  if (!files.weights.empty())
    arguments.push_back(files.weights);
  for (const EmbeddedArchive &archive : embeddedArchives(target)) {
    std::string file = folder.file(archive.name.str() + ".a");
    if (llvm::Error error = writeFile(file, [&](llvm::raw_ostream &os) { os << archive.bytes; }))
      return error;
    arguments.push_back(std::move(file));
  }
  auto libraries = cLibraryArguments(target, folder);
  if (!libraries)
    return libraries.takeError();
  llvm::append_range(arguments, *libraries);
  return arguments;
}

llvm::Error kumiko::writeSharedLibrary(const Program &program, llvm::ArrayRef<Object> kernels, const Target &target,
                                       const ArtefactOptions &options) {
  if (embeddedArchives(target).empty())
    return emitError(Code::UnsupportedForm, "this kumiko carries no runtime for " + target.triple.getArchName(),
                     "compile to an object file (-o m.o) and link it with a runtime built for that machine");
  auto folder = WorkFolder::beside(options.output);
  if (!folder)
    return folder.takeError();
  TableOptions table;
  table.exportTable = true;
  table.watched = options.watched;
  table.weightsFile = weightsFileFor(program, options);
  auto files = writeArtefactFiles(program, kernels, target, table, *folder);
  if (!files)
    return files.takeError();
  if (llvm::Error error = stopIfAsked(options))
    return error;
  if (llvm::Error error = writeFile(folder->file("exports.map"), [&](llvm::raw_ostream &os) { os << exports; }))
    return error;
  std::string finished = folder->file("whole.so");
  auto arguments = linkerArguments(*files, *folder, target, finished);
  if (!arguments)
    return arguments.takeError();
  if (llvm::Error error = runLinker(*arguments))
    return error;
  if (llvm::Error error = stopIfAsked(options))
    return error;
  return placeArtefact(*files, finished, options.output, table.weightsFile);
}

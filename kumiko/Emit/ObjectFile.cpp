#include "kumiko/Emit/ArtefactFiles.h"
#include "kumiko/Emit/EmbeddedArchives.h"
#include "kumiko/Emit/Link.h"
#include "llvm/Support/Path.h"

using namespace kumiko;

/// Two steps, because only code needs its symbols hidden away and copying the weights once more would be a waste: the
/// weights' symbol carries the model's name and cannot meet another.
static llvm::Expected<std::string> linkObject(const ArtefactFiles &files, const Target &target,
                                              const WorkFolder &folder) {
  std::string code = folder.file("code.o"), local = folder.file("local.o"), whole = folder.file("whole.o");
  std::vector<std::string> arguments = {"-r", "--strip-debug", "-o", code};
  llvm::append_range(arguments, files.code);
  // Functions of runtime/ops that kernels call become part of the object.
  for (const EmbeddedArchive &archive : embeddedArchives(target)) {
    arguments.push_back(folder.file(archive.name.str() + ".a"));
    if (llvm::Error error = writeFile(arguments.back(), [&](llvm::raw_ostream &os) { os << archive.bytes; }))
      return error;
  }
  if (llvm::Error error = runLinker(arguments))
    return error;
  if (llvm::Error error = localizeHidden(code, local))
    return error;
  if (files.weights.empty())
    return local;
  if (llvm::Error error = runLinker({"-r", "-o", whole, local, files.weights}))
    return error;
  return whole;
}

llvm::Error kumiko::writeObjectFile(const Program &program, llvm::ArrayRef<Object> kernels, const Target &target,
                                    const ArtefactOptions &options) {
  auto folder = WorkFolder::beside(options.output);
  if (!folder)
    return folder.takeError();
  TableOptions table;
  table.namedEntries = true;
  table.watched = options.watched;
  table.weightsFile = weightsFileFor(program, options);
  auto files = writeArtefactFiles(program, kernels, target, table, *folder);
  if (!files)
    return files.takeError();
  if (llvm::Error error = stopIfAsked(options))
    return error;
  auto finished = linkObject(*files, target, *folder);
  if (!finished)
    return finished.takeError();
  if (llvm::Error error = stopIfAsked(options))
    return error;

  llvm::SmallString<128> header(options.output);
  llvm::sys::path::replace_extension(header, "h");
  std::string text = headerText(program, table.weightsFile);
  if (llvm::Error error = writeFileWhole(header, [&](llvm::raw_ostream &os) { os << text; }))
    return error;
  return placeArtefact(*files, *finished, options.output, table.weightsFile);
}

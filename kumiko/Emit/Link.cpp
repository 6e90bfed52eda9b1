#include "kumiko/Emit/Link.h"
#include "kumiko/Emit/OutputFile.h"
#include "kumiko/Support/EmitError.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/Path.h"
#include <link.h>
#include <mutex>
#include <thread>

LLD_HAS_DRIVER(elf)

using namespace kumiko;

llvm::Error kumiko::runLinker(llvm::ArrayRef<std::string> arguments) {
  keepSignalHandlers();
  static std::mutex oneAtATime;
  std::lock_guard<std::mutex> lock(oneAtATime);
  // What lld allocates for a thread it gives back when the thread ends. Threads of a pool do not end, so a process that
  // links often would grow without bound: it gets one, of its own.
  llvm::SmallVector<const char *> list = {"ld.lld", "--threads=1"};
  for (const std::string &argument : arguments)
    list.push_back(argument.c_str());
  std::string talk;
  llvm::raw_string_ostream stream(talk);
  lld::Result result = {};
  std::thread([&] { result = lld::lldMain(list, stream, stream, {{lld::Gnu, &lld::elf::link}}); }).join();
  if (result.retCode == 0)
    return llvm::Error::success();
  llvm::StringRef text = llvm::StringRef(talk).rtrim();
  // lld reserves its output before it fills it and reports a full disk as one of its own errors.
  if (text.contains("failed to open") || text.contains("failed to write") || text.contains("No space left"))
    return emitError(Code::CannotWrite, "cannot write the output: " + text, "free some space or choose another folder");
  return defectError("the linker refused the artefact: " + text);
}

llvm::Error kumiko::localizeHidden(llvm::StringRef from, llvm::StringRef to) {
  auto binary = llvm::object::createBinary(from);
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.Common.InputFilename = from;
  config.Common.OutputFilename = to;
  config.ELF.LocalizeHidden = true;
  llvm::Error copied = llvm::Error::success();
  llvm::Error written = writeFile(to, [&](llvm::raw_ostream &os) {
    copied =
        llvm::joinErrors(std::move(copied), llvm::objcopy::executeObjcopyOnBinary(config, *binary->getBinary(), os));
  });
  return llvm::joinErrors(std::move(written), std::move(copied));
}

std::vector<std::string> kumiko::hostCLibraries() {
  std::vector<std::string> found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        llvm::StringRef name = llvm::sys::path::filename(info->dlpi_name);
        if (name.starts_with("libc.so") || name.starts_with("libm.so") || name.starts_with("ld-linux"))
          static_cast<std::vector<std::string> *>(result)->push_back(info->dlpi_name);
        return 0;
      },
      &found);
  // The loader lists them in the order of loading, which is not a fact about the model.
  llvm::sort(found);
  return found;
}

#include "kumiko/Emit/EmbeddedArchives.h"

// Bytes of files, without a detour over generated sources: the assembler reads the archives itself.
// clang-format off
#define ARCHIVE(machine, library, path)                                                                                \
  __asm__(".section .rodata.kumiko_archives, \"a\"\n"                                                                  \
          ".balign 16\n"                                                                                               \
          ".globl kumiko_" #library "_" #machine "_begin\n"                                                            \
          ".hidden kumiko_" #library "_" #machine "_begin\n"                                                           \
          "kumiko_" #library "_" #machine "_begin:\n"                                                                  \
          ".incbin \"" path "\"\n"                                                                                     \
          ".globl kumiko_" #library "_" #machine "_end\n"                                                              \
          ".hidden kumiko_" #library "_" #machine "_end\n"                                                             \
          "kumiko_" #library "_" #machine "_end:\n"                                                                    \
          ".byte 0\n"                                                                                                  \
          ".text\n");                                                                                                  \
  extern "C" {                                                                                                         \
  extern const char kumiko_##library##_##machine##_begin[] __attribute__((visibility("hidden")));                      \
  extern const char kumiko_##library##_##machine##_end[] __attribute__((visibility("hidden")));                        \
  }
#include KUMIKO_ARCHIVES
#undef ARCHIVE
// clang-format on

using namespace kumiko;

llvm::SmallVector<EmbeddedArchive, 2> kumiko::embeddedArchives(const Target &target) {
  llvm::SmallVector<EmbeddedArchive, 2> archives;
  auto add = [&](llvm::Triple::ArchType machine, llvm::StringRef name, const char *begin, const char *end) {
    if (machine == target.triple.getArch())
      archives.push_back({name, llvm::StringRef(begin, end - begin)});
  };
#define ARCHIVE(machine, library, path)                                                                                \
  add(llvm::Triple::machine, #library, kumiko_##library##_##machine##_begin, kumiko_##library##_##machine##_end);
#include KUMIKO_ARCHIVES
#undef ARCHIVE
  return archives;
}

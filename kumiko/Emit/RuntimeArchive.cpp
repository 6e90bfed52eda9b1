#include "kumiko/Emit/RuntimeArchive.h"

// Bytes of a file, without a detour over a generated source: the assembler reads the archive itself.
// clang-format off
__asm__(".section .rodata.kumiko_runtime_archive, \"a\"\n"
        ".balign 16\n"
        ".globl kumiko_runtime_archive_begin\n"
        ".hidden kumiko_runtime_archive_begin\n"
        "kumiko_runtime_archive_begin:\n"
        ".incbin \"" KUMIKO_RUNTIME_ARCHIVE "\"\n"
        ".globl kumiko_runtime_archive_end\n"
        ".hidden kumiko_runtime_archive_end\n"
        "kumiko_runtime_archive_end:\n"
        ".byte 0\n"
        ".text\n");
// clang-format on

extern "C" {
extern const char kumiko_runtime_archive_begin[] __attribute__((visibility("hidden")));
extern const char kumiko_runtime_archive_end[] __attribute__((visibility("hidden")));
}

llvm::StringRef kumiko::runtimeArchive(const Target &target) {
#if defined(__x86_64__)
  bool matches = target.triple.getArch() == llvm::Triple::x86_64;
#elif defined(__aarch64__)
  bool matches = target.triple.getArch() == llvm::Triple::aarch64;
#else
  bool matches = false;
#endif
  if (!matches)
    return {};
  return {kumiko_runtime_archive_begin, size_t(kumiko_runtime_archive_end - kumiko_runtime_archive_begin)};
}

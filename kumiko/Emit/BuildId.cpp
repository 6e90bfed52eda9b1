#include "kumiko/Emit/BuildId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <link.h>

using namespace kumiko;
using Header = ElfW(Phdr);

static llvm::ArrayRef<Header> headersOf(const dl_phdr_info &image) { return {image.dlpi_phdr, image.dlpi_phnum}; }

static bool holds(const dl_phdr_info &image, uintptr_t address) {
  return llvm::any_of(headersOf(image), [&](const Header &header) {
    uintptr_t begin = image.dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && address >= begin && address - begin < header.p_memsz;
  });
}

/// The linker's id in a segment of notes; empty when there is none.
static llvm::ArrayRef<uint8_t> idIn(llvm::ArrayRef<uint8_t> notes) {
  constexpr size_t words = sizeof(ElfW(Nhdr));
  while (notes.size() >= words) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), words);
    size_t name = llvm::alignTo(note.n_namesz, 4), content = llvm::alignTo(note.n_descsz, 4);
    if (notes.size() - words < name || notes.size() - words - name < note.n_descsz)
      return {};
    llvm::ArrayRef<uint8_t> rest = notes.drop_front(words);
    if (note.n_type == NT_GNU_BUILD_ID &&
        llvm::toStringRef(rest.take_front(note.n_namesz)) == llvm::StringRef("GNU\0", 4))
      return rest.drop_front(name).take_front(note.n_descsz);
    notes = rest.drop_front(std::min(rest.size(), name + content));
  }
  return {};
}

static llvm::ArrayRef<uint8_t> idOf(const dl_phdr_info &image) {
  for (const Header &header : headersOf(image)) {
    if (header.p_type != PT_NOTE)
      continue;
    auto *begin = reinterpret_cast<const uint8_t *>(image.dlpi_addr + header.p_vaddr);
    if (llvm::ArrayRef<uint8_t> id = idIn({begin, header.p_memsz}); !id.empty())
      return id;
  }
  return {};
}

namespace {
struct Search {
  llvm::BLAKE3 hash;
  unsigned found = 0;
  bool complete = true;
};
} // namespace

static int visit(dl_phdr_info *image, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  llvm::StringRef file = image->dlpi_name ? image->dlpi_name : "", name = llvm::sys::path::filename(file);
  bool isOurs = holds(*image, reinterpret_cast<uintptr_t>(&visit));
  if (!isOurs && !name.starts_with("libLLVM") && !name.starts_with("libMLIR"))
    return 0;
  ++search.found;
  if (llvm::ArrayRef<uint8_t> id = idOf(*image); !id.empty()) {
    search.hash.update(id);
    return 0;
  }
  auto bytes = llvm::MemoryBuffer::getFile(file.empty() ? "/proc/self/exe" : file, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (bytes)
    search.hash.update((*bytes)->getBuffer());
  else
    search.complete = false;
  return 0;
}

const std::string &kumiko::buildId() {
  static const std::string id = [] {
    Search search;
    dl_iterate_phdr(visit, &search);
    return search.found && search.complete ? llvm::toHex(search.hash.final(), /*LowerCase=*/true) : std::string();
  }();
  return id;
}

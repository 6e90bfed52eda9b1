//===- WeightsObject.cpp - an ELF object around the weights -----------------===//
//
//   ELF header | pad to 64 | weights | symbol table | names | section headers
//
//===----------------------------------------------------------------------===//
#include "kumiko/Emit/Table.h"
#include "kumiko/Emit/Weights.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace kumiko;
using namespace llvm::ELF;
using Elf = llvm::object::ELF64LE;

namespace {
enum Section : unsigned { Null, Data, Symbols, Names, SectionCount };

/// Above this, code that reaches its own data by 32-bit offsets must not find the weights in between.
constexpr uint64_t largeBytes = 1ull << 30;

/// Section and symbol names in one string table.
struct NameTable {
  std::string bytes = std::string(1, '\0');
  unsigned add(llvm::StringRef name) {
    unsigned at = bytes.size();
    bytes += name.str();
    bytes += '\0';
    return at;
  }
};

struct Layout {
  uint64_t data = 64, symbols, names, sections;
  Layout(uint64_t weights, uint64_t nameBytes) {
    symbols = llvm::alignTo(data + weights, 8);
    names = symbols + 2 * sizeof(Elf::Sym);
    sections = llvm::alignTo(names + nameBytes, 8);
  }
};
} // namespace

static Elf::Ehdr fileHeader(const Target &target, const Layout &layout) {
  Elf::Ehdr header;
  std::memset(&header, 0, sizeof(header));
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = target.triple.isAArch64() ? EM_AARCH64 : target.triple.isRISCV() ? EM_RISCV : EM_X86_64;
  // The linker joins objects of one way to pass floats only, also where there is no code.
  if (target.triple.isRISCV())
    header.e_flags = EF_RISCV_RVC | (llvm::StringRef(target.abi).ends_with("d") ? EF_RISCV_FLOAT_ABI_DOUBLE : 0);
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf::Ehdr);
  header.e_shentsize = sizeof(Elf::Shdr);
  header.e_shnum = SectionCount;
  header.e_shstrndx = Names;
  header.e_shoff = layout.sections;
  return header;
}

static Elf::Shdr section(unsigned name, unsigned type, uint64_t flags, uint64_t offset, uint64_t size, uint64_t align) {
  Elf::Shdr header;
  std::memset(&header, 0, sizeof(header));
  header.sh_name = name;
  header.sh_type = type;
  header.sh_flags = flags;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = align;
  return header;
}

template <typename Record> static void writeRecord(const Record &record, llvm::raw_ostream &os) {
  os.write(reinterpret_cast<const char *>(&record), sizeof(record));
}

static void padTo(uint64_t offset, uint64_t &at, llvm::raw_ostream &os) {
  os.write_zeros(offset - at);
  at = offset;
}

void kumiko::writeWeightsObject(const Program &program, const Target &target, llvm::raw_ostream &os) {
  bool large = program.weightsBytes > largeBytes && target.triple.isX86();
  NameTable names;
  unsigned dataName = names.add(large ? ".lrodata" : ".rodata");
  unsigned symbolsName = names.add(".symtab");
  unsigned namesName = names.add(".strtab");
  unsigned symbolName = names.add(weightsSymbol(program));
  Layout layout(program.weightsBytes, names.bytes.size());

  Elf::Sym symbols[2];
  std::memset(symbols, 0, sizeof(symbols));
  symbols[1].st_name = symbolName;
  symbols[1].setBindingAndType(STB_GLOBAL, STT_OBJECT);
  symbols[1].setVisibility(STV_HIDDEN);
  symbols[1].st_shndx = Data;
  symbols[1].st_size = program.weightsBytes;

  Elf::Shdr sections[SectionCount];
  sections[Null] = section(0, SHT_NULL, 0, 0, 0, 0);
  sections[Data] = section(dataName, SHT_PROGBITS, SHF_ALLOC | (large ? uint64_t(SHF_X86_64_LARGE) : 0), layout.data,
                           program.weightsBytes, 64);
  sections[Symbols] = section(symbolsName, SHT_SYMTAB, 0, layout.symbols, sizeof(symbols), 8);
  sections[Symbols].sh_link = Names;
  sections[Symbols].sh_info = 1; // the first symbol that is not local
  sections[Symbols].sh_entsize = sizeof(Elf::Sym);
  sections[Names] = section(namesName, SHT_STRTAB, 0, layout.names, names.bytes.size(), 1);

  writeRecord(fileHeader(target, layout), os);
  uint64_t at = sizeof(Elf::Ehdr);
  padTo(layout.data, at, os);
  writeWeights(program, os);
  at += program.weightsBytes;
  padTo(layout.symbols, at, os);
  writeRecord(symbols, os);
  os << names.bytes;
  at = layout.names + names.bytes.size();
  padTo(layout.sections, at, os);
  writeRecord(sections, os);
}

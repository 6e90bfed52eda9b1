//===- Header.cpp - the C header beside an object file ----------------------===//
#include "kumiko/Emit/Artefact.h"
#include "kumiko/Emit/Table.h"
#include "kumiko/Support/Problem.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace kumiko;

static bool isKeyword(llvm::StringRef word) {
  static const llvm::StringSet<> words = {
      "alignas",   "alignof",  "auto",     "bool",   "break",    "case",   "char",     "class",  "const",
      "constexpr", "continue", "default",  "delete", "do",       "double", "else",     "enum",   "explicit",
      "export",    "extern",   "false",    "float",  "for",      "friend", "goto",     "if",     "inline",
      "int",       "long",     "mutable",  "new",    "nullptr",  "not",    "operator", "or",     "private",
      "public",    "register", "restrict", "return", "short",    "signed", "sizeof",   "static", "struct",
      "switch",    "template", "this",     "throw",  "true",     "try",    "typedef",  "typeof", "union",
      "unsigned",  "using",    "virtual",  "void",   "volatile", "while",  "xor",      "and",    "arena",
      "weights",   "main"};
  return words.contains(word);
}

std::string kumiko::identifierFrom(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()) || name.front() == '_')
    name = "m" + name;
  return isKeyword(name) ? name + "_" : name;
}

/// The C type of an element; types that C lacks travel as integers of their size.
static llvm::StringRef cType(ElementType type) {
  switch (type) {
  case ElementType::I8:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::I64:
    return "int64_t";
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return "uint16_t";
  case ElementType::U32:
    return "uint32_t";
  case ElementType::U64:
    return "uint64_t";
  case ElementType::F32:
    return "float";
  case ElementType::F64:
    return "double";
  case ElementType::I4:
  case ElementType::I2:
    return "int8_t";
  default:
    return "uint8_t";
  }
}

namespace {
/// A value with the name it has in C.
struct Parameter {
  std::string name;
  const ProgramValue *value;
  bool input;
};

class HeaderWriter {
public:
  HeaderWriter(const Program &program, llvm::StringRef weightsFile)
      : program(program), weightsFile(weightsFile), prefix(llvm::StringRef(program.name).upper()), os(text) {
    collectParameters();
  }
  std::string write();

private:
  void collectParameters();
  void writeHead();
  void writeMacros();
  void writePrototypes();

  const Program &program;
  llvm::StringRef weightsFile;
  std::string prefix;
  std::vector<Parameter> parameters;
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

void HeaderWriter::collectParameters() {
  llvm::StringSet<> taken;
  auto add = [&](const ProgramValue &value, bool input) {
    std::string base = identifierFrom(value.name), name = base;
    // Macros are upper case, so names must differ beyond their case.
    for (unsigned i = 2; !taken.insert(llvm::StringRef(name).upper()).second; ++i)
      name = base + "_" + std::to_string(i);
    parameters.push_back({name, &value, input});
  };
  for (const ProgramValue &value : program.inputs)
    add(value, true);
  for (const ProgramValue &value : program.outputs)
    add(value, false);
}

/// The words of provenance come from the model file and the command line: none may end the comment.
static std::string forComment(llvm::StringRef text) {
  std::string result = printable(text, 1000);
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result.replace(at, 2, "* /");
  return result;
}

void HeaderWriter::writeHead() {
  os << "/* " << program.name << ": a compiled model, in the object file beside this header\n *\n * made by "
     << producer() << "\n * " << forComment(program.provenance) << "\n *\n";
  if (program.isStatic())
    os << " * " << program.name << "_run computes on the calling thread: no heap, no threads, libc and libm alone.\n"
       << " * It returns 0, or a code of kumiko.h (KUMIKO_E_...). The arena is yours: " << prefix
       << "_ARENA_BYTES, aligned\n * to 64 bytes, its contents of no meaning between calls; give each thread its own.\n"
       << " * " << program.name << "_artefact is for the runtime (kumiko.h), which uses several threads.\n */\n";
  else
    os << " * Shapes are known when inputs are bound, so the model is run by the runtime (kumiko.h, "
          "libkumiko_runtime.a):\n"
       << " * model_from_artefact(" << program.name
       << "_artefact(), ...). Extents below have -1 where they are symbols.\n */\n";
  os << "#ifndef KUMIKO_MODEL_" << prefix << "_H\n#define KUMIKO_MODEL_" << prefix << "_H\n\n"
     << "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
}

void HeaderWriter::writeMacros() {
  if (program.isStatic())
    os << "#define " << prefix << "_ARENA_BYTES " << walkerArenaBytes(program) << "u\n";
  os << "#define " << prefix << "_WEIGHTS_BYTES " << program.weightsBytes << "u\n";
  if (!weightsFile.empty())
    os << "#define " << prefix << "_WEIGHTS_FILE \"" << weightsFile << "\"\n";
  for (const Parameter &parameter : parameters) {
    std::string name = prefix + "_" + llvm::StringRef(parameter.name).upper();
    const ProgramValue &value = *parameter.value;
    os << "\n/* " << (parameter.input ? "input" : "output") << " \"" << forComment(value.name) << "\", "
       << nameOf(value.type) << " */\n";
    os << "#define " << name << "_RANK " << value.shape.size() << "\n";
    os << "#define " << name << "_SHAPE {";
    llvm::interleaveComma(value.shape, os);
    os << "}";
    for (auto [axis, extent] : llvm::enumerate(value.extents))
      if (!extent.isStatic())
        os << (axis == 0 || value.extents[axis - 1].isStatic() ? " /* " : ", ") << forComment(extent.str())
           << (axis + 1 == value.extents.size() || value.extents[axis + 1].isStatic() ? " */" : "");
    os << "\n";
    if (value.isStatic())
      os << "#define " << name << "_ELEMENTS " << value.elementCount() << "\n";
  }
}

void HeaderWriter::writePrototypes() {
  if (program.isStatic()) {
    os << "\nint " << program.name << "_run(";
    for (const Parameter &parameter : parameters)
      os << (parameter.input ? "const " : "") << cType(parameter.value->type) << " *" << parameter.name << ", ";
    if (!weightsFile.empty())
      os << "const void *weights, ";
    os << "void *arena);\n";
  }
  os << "\nstruct kumiko_artefact;\nconst struct kumiko_artefact *" << program.name
     << "_artefact(void);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

std::string HeaderWriter::write() {
  writeHead();
  writeMacros();
  writePrototypes();
  return text;
}

std::string kumiko::headerText(const Program &program, llvm::StringRef weightsFile) {
  return HeaderWriter(program, weightsFile).write();
}

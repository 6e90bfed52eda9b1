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
  /// The entry of a program with symbols: functions over the runtime's, in the header itself.
  void writeEntry();
  void writeBind();
  void writeShapes();
  void writeRun();
  /// Of an output.
  size_t mostAxes() const;
  /// `NAME_shape` and the like are taken, too, where they are parameters.
  bool take(llvm::StringSet<> &taken, llvm::StringRef name) const;
  /// Whether the shape is known when inputs are bound.
  bool isKnownEarly(const ProgramValue &value) const {
    return llvm::all_of(value.extents, [&](const Extent &extent) { return program.levelOf(extent) == 0; });
  }

  const Program &program;
  llvm::StringRef weightsFile;
  std::string prefix;
  std::vector<Parameter> parameters;
  std::string text;
  llvm::raw_string_ostream os;
};
} // namespace

bool HeaderWriter::take(llvm::StringSet<> &taken, llvm::StringRef name) const {
  std::string upper = name.upper(), shape = upper + "_SHAPE";
  if (taken.contains(upper) || (!program.isStatic() && taken.contains(shape)))
    return false;
  taken.insert(upper);
  if (!program.isStatic())
    taken.insert(shape);
  return true;
}

void HeaderWriter::collectParameters() {
  llvm::StringSet<> taken;
  if (!program.isStatic()) // names in the entry's functions
    for (const char *name : {"STATE", "API", "STATUS", "TENSOR", "OPTIONS", "FOLDER", "THREADS"})
      taken.insert(name);
  auto add = [&](const ProgramValue &value, bool input) {
    std::string base = identifierFrom(value.name), name = base;
    // Macros are upper case, so names must differ beyond their case.
    for (unsigned i = 2; !take(taken, name); ++i)
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
    os << " * Shapes come with the inputs, so the runtime runs the model: link libkumiko_runtime.a, libm and threads.\n"
       << " * All functions return 0, or a code of kumiko.h (KUMIKO_E_...); " << program.name << "_error says more.\n"
       << " *\n *   open, then for each run: bind, ask for shapes, run; close at the end. A state belongs to one "
          "thread at\n"
       << " *   a time and remembers shapes: to come back to one costs no heap.\n *\n"
       << " * Extents below have -1 where they are symbols. " << program.name
       << "_artefact is for kumiko.h as it is.\n */\n";
  os << "#ifndef KUMIKO_MODEL_" << prefix << "_H\n#define KUMIKO_MODEL_" << prefix << "_H\n\n"
     << (program.isStatic() ? "#include <stdint.h>" : "#include \"kumiko/kumiko.h\"")
     << "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
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
  os << "\nstruct kumiko_artefact;\nconst struct kumiko_artefact *" << program.name << "_artefact(void);\n";
  if (!program.isStatic())
    writeEntry();
  os << "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
}

void HeaderWriter::writeBind() {
  const std::string &name = program.name;
  os << "\n/* The inputs of the next runs; they stay yours and must live until they are bound anew. */\n"
     << "static inline int " << name << "_bind(" << name << "_state *state";
  for (const Parameter &parameter : parameters)
    if (parameter.input)
      os << ", const " << cType(parameter.value->type) << " *" << parameter.name << ", const int64_t *"
         << parameter.name << "_shape";
  os << ") {\n  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);\n  kumiko_tensor tensor;\n"
     << "  int status = KUMIKO_OK;\n  tensor.strides = 0;\n";
  unsigned number = 0;
  for (const Parameter &parameter : parameters) {
    if (!parameter.input)
      continue;
    os << "  tensor.data = (void *)" << parameter.name
       << ";\n  tensor.element_type = " << unsigned(parameter.value->type)
       << ";\n  tensor.rank = " << parameter.value->shape.size() << ";\n  tensor.shape = " << parameter.name
       << "_shape;\n  if (!status)\n    status = api->bind_input_number(state->context, " << number++
       << ", &tensor);\n";
  }
  os << "  return status;\n}\n";
}

void HeaderWriter::writeShapes() {
  const std::string &name = program.name;
  os << "\n/* Writes the shapes of outputs; null where you do not ask. Known once inputs are bound, or, where data "
        "decide,\n"
     << " * after a run. */\nstatic inline int " << name << "_shapes(" << name << "_state *state";
  for (const Parameter &parameter : parameters)
    if (!parameter.input)
      os << ", int64_t *" << parameter.name << "_shape";
  os << ") {\n  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);\n  int status = KUMIKO_OK;\n";
  unsigned number = 0;
  for (const Parameter &parameter : parameters)
    if (!parameter.input)
      os << "  if (!status && " << parameter.name << "_shape)\n    status = api->output_shape(state->context, "
         << number++ << ", " << parameter.name << "_shape);\n";
  os << "  return status;\n}\n";
}

void HeaderWriter::writeRun() {
  const std::string &name = program.name;
  os << "\n/* Computes into your memory, which has the shapes that " << name << "_shapes tells. */\nstatic inline int "
     << name << "_run(" << name << "_state *state";
  for (const Parameter &parameter : parameters)
    if (!parameter.input && isKnownEarly(*parameter.value))
      os << ", " << cType(parameter.value->type) << " *" << parameter.name;
  os << ") {\n  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);\n  kumiko_tensor tensor;\n"
     << "  int64_t shape[" << mostAxes()
     << "];\n  int status = KUMIKO_OK;\n  tensor.strides = 0;\n  tensor.shape = shape;\n";
  unsigned number = 0;
  for (const Parameter &parameter : parameters) {
    if (parameter.input || !(++number, isKnownEarly(*parameter.value)))
      continue;
    os << "  tensor.data = " << parameter.name << ";\n  tensor.element_type = " << unsigned(parameter.value->type)
       << ";\n  tensor.rank = " << parameter.value->shape.size()
       << ";\n  if (!status)\n    status = api->output_shape(state->context, " << number - 1
       << ", shape);\n  if (!status)\n    status = api->bind_output_number(state->context, " << number - 1
       << ", &tensor);\n";
  }
  os << "  return status ? status : api->run(state->context);\n}\n";
  number = 0;
  for (const Parameter &parameter : parameters) {
    if (parameter.input || (++number, isKnownEarly(*parameter.value)))
      continue;
    llvm::StringRef type = cType(parameter.value->type);
    os << "\n/* Data decide the shape of this output: it lies in the state's memory until the next run or binding. */\n"
       << "static inline const " << type << " *" << name << "_" << parameter.name << "(" << name
       << "_state *state) {\n  kumiko_tensor tensor;\n"
       << "  int status = kumiko_get_api(KUMIKO_API_VERSION)->output_tensor(state->context, " << number - 1
       << ", &tensor);\n  return status ? 0 : (const " << type << " *)tensor.data;\n}\n";
  }
}

size_t HeaderWriter::mostAxes() const {
  size_t most = 1;
  for (const ProgramValue &value : program.outputs)
    most = std::max(most, value.shape.size());
  return most;
}

void HeaderWriter::writeEntry() {
  const std::string &name = program.name;
  bool beside = !weightsFile.empty();
  os << "\ntypedef struct {\n  kumiko_model *model;\n  kumiko_context *context;\n} " << name << "_state;\n"
     << "\n/* At most this many threads; 0: all that there are." << (beside ? " The weights' file is in `folder`." : "")
     << " Close the state also when this fails. */\nstatic inline int " << name << "_open(" << name
     << "_state *state, uint32_t threads" << (beside ? ", const char *folder" : "") << ") {\n"
     << "  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);\n"
     << "  kumiko_options options = {sizeof(kumiko_options), threads, 0, 0};\n"
     << "  state->model = 0;\n  state->context = 0;\n"
     << "  int status = api->model_from_artefact(" << name << "_artefact(), " << (beside ? "folder" : "0")
     << ", &state->model);\n"
     << "  return status ? status : api->context_create(state->model, &options, &state->context);\n}\n"
     << "\nstatic inline void " << name << "_close(" << name << "_state *state) {\n"
     << "  const kumiko_api *api = kumiko_get_api(KUMIKO_API_VERSION);\n"
     << "  api->context_destroy(state->context);\n  api->model_release(state->model);\n}\n"
     << "\nstatic inline const char *" << name << "_error(const " << name << "_state *state) {\n"
     << "  return kumiko_get_api(KUMIKO_API_VERSION)->last_error(state->context);\n}\n";
  writeBind();
  writeShapes();
  writeRun();
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

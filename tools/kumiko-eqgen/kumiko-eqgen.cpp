//===- kumiko-eqgen.cpp - checks files of equations and generates from them ===//
#include "Emit.h"
#include "kumiko/Equation/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace kumiko;

namespace {

enum class Output { Ods, Text, Manual, OnnxTable };

cl::OptionCategory category("kumiko-eqgen options");
cl::list<std::string> inputs(cl::Positional, cl::desc("FILE.eq..."), cl::OneOrMore, cl::cat(category));
cl::opt<bool> check("check", cl::desc("Check the files and write nothing"), cl::cat(category));
cl::opt<Output> emit("emit", cl::desc("What to generate from the built-in ops:"),
                     cl::values(clEnumValN(Output::Ods, "ods", "TableGen records of the ops"),
                                clEnumValN(Output::Text, "text", "the texts, to be embedded"),
                                clEnumValN(Output::Manual, "manual", "the reference page; wants --samples"),
                                clEnumValN(Output::OnnxTable, "onnx-table", "the table of ONNX ops; wants --facts")),
                     cl::cat(category));
cl::opt<std::string> samplesPath("samples", cl::desc("One application of each op"), cl::value_desc("FILE"),
                                 cl::cat(category));
cl::opt<std::string> factsPath("facts", cl::desc("What is known of ONNX ops, a line each"), cl::value_desc("FILE"),
                               cl::cat(category));
cl::opt<std::string> outputPath("o", cl::desc("Where to write; - is the terminal"), cl::value_desc("FILE"),
                                cl::init("-"), cl::cat(category));

struct Input {
  std::unique_ptr<MemoryBuffer> buffer;
  eq::ParseResult parsed;
};

} // namespace

static std::unique_ptr<MemoryBuffer> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  WithColor::error(errs(), "kumiko-eqgen") << "cannot read '" << path << "': " << buffer.getError().message() << '\n';
  return nullptr;
}

/// Reads all files; messages go to the terminal.
static bool readInputs(std::vector<Input> &files) {
  bool ok = true;
  for (const std::string &path : inputs) {
    std::unique_ptr<MemoryBuffer> buffer = readFile(path);
    if (!buffer) {
      ok = false;
      continue;
    }
    eq::ParseResult parsed = eq::parse(path, buffer->getBuffer());
    parsed.print(errs());
    ok &= parsed.ok();
    files.push_back({std::move(buffer), std::move(parsed)});
  }
  return ok;
}

static int reportChecked(ArrayRef<Input> files) {
  for (const Input &file : files) {
    size_t statements = 0;
    for (const eq::OpDef &op : file.parsed.ops)
      statements += op.statements.size();
    outs() << file.parsed.name << ": " << file.parsed.ops.size() << " ops, " << statements << " statements: ok\n";
  }
  return 0;
}

static int generate(ArrayRef<Input> files) {
  std::vector<eq::OpDef> ops;
  SmallVector<eqgen::Source> sources;
  for (const Input &file : files) {
    ops.insert(ops.end(), file.parsed.ops.begin(), file.parsed.ops.end());
    sources.push_back({sys::path::filename(file.parsed.name), file.parsed.text});
  }
  if (!eqgen::checkBuiltins(errs(), ops))
    return 1;
  std::error_code code;
  ToolOutputFile out(outputPath, code, sys::fs::OF_Text);
  if (code) {
    WithColor::error(errs(), "kumiko-eqgen") << "cannot write '" << outputPath << "': " << code.message() << '\n';
    return 1;
  }
  std::unique_ptr<MemoryBuffer> beside;
  if (emit == Output::Manual || emit == Output::OnnxTable)
    if (beside = readFile(emit == Output::Manual ? samplesPath : factsPath); !beside)
      return 1;
  switch (emit) {
  case Output::Ods:
    eqgen::emitOds(out.os(), ops);
    break;
  case Output::Text:
    eqgen::emitTexts(out.os(), sources);
    break;
  case Output::Manual:
    if (!eqgen::emitManual(out.os(), errs(), sys::path::stem(sources.front().name), ops,
                           eqgen::readSamples(beside->getBuffer())))
      return 1;
    break;
  case Output::OnnxTable:
    eqgen::emitOnnxTable(out.os(), ops, beside->getBuffer());
    break;
  }
  out.keep();
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Checks files of equations, and generates the nn dialect from the built-in ones\n\n"
                              "  kumiko-eqgen --check my.eq\n"
                              "  kumiko-eqgen --emit=ods kumiko/Nn/*.eq -o NnEquations.td\n");
  if (check == (emit.getNumOccurrences() > 0)) {
    WithColor::error(errs(), "kumiko-eqgen") << "give one of --check and --emit=...\n";
    return 2;
  }
  std::vector<Input> files;
  if (!readInputs(files))
    return 1;
  return check ? reportChecked(files) : generate(files);
}

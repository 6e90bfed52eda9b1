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

enum class Output { Ods, Text, Manual, OnnxTable, Rules, RuleTable };

cl::OptionCategory category("kumiko-eqgen options");
cl::list<std::string> inputs(cl::Positional, cl::desc("FILE.eq... FILE.rules..."), cl::OneOrMore, cl::cat(category));
cl::opt<bool> check("check", cl::desc("Check the files and write nothing"), cl::cat(category));
cl::opt<Output> emit("emit", cl::desc("What to generate from the built-in ops:"),
                     cl::values(clEnumValN(Output::Ods, "ods", "TableGen records of the ops"),
                                clEnumValN(Output::Text, "text", "the texts, to be embedded"),
                                clEnumValN(Output::Manual, "manual", "the reference page; wants --samples"),
                                clEnumValN(Output::OnnxTable, "onnx-table", "the table of ONNX ops; wants --facts"),
                                clEnumValN(Output::Rules, "rules", "the texts of rewrite rules, to be embedded"),
                                clEnumValN(Output::RuleTable, "rule-table", "the table of rewrite rules")),
                     cl::cat(category));
cl::opt<std::string> samplesPath("samples", cl::desc("One application of each op"), cl::value_desc("FILE"),
                                 cl::cat(category));
cl::opt<std::string> factsPath("facts", cl::desc("What is known of ONNX ops, a line each"), cl::value_desc("FILE"),
                               cl::cat(category));
cl::opt<std::string> outputPath("o", cl::desc("Where to write; - is the terminal"), cl::value_desc("FILE"),
                                cl::init("-"), cl::cat(category));

struct Inputs {
  std::vector<eq::ParseResult> equations;
  std::vector<eq::RuleFile> rules;
};

} // namespace

static std::unique_ptr<MemoryBuffer> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  WithColor::error(errs(), "kumiko-eqgen") << "cannot read '" << path << "': " << buffer.getError().message() << '\n';
  return nullptr;
}

/// Reads all files; messages go to the terminal. Rules are about the ops of the files of equations.
static bool readInputs(Inputs &files) {
  bool ok = true;
  for (const std::string &path : inputs) {
    std::unique_ptr<MemoryBuffer> buffer = readFile(path);
    if (!buffer) {
      ok = false;
      continue;
    }
    if (sys::path::extension(path) == ".rules") {
      files.rules.push_back(eq::parseRules(path, buffer->getBuffer()));
      continue;
    }
    files.equations.push_back(eq::parse(path, buffer->getBuffer()));
    files.equations.back().print(errs());
    ok &= files.equations.back().ok();
  }
  std::vector<eq::OpDef> ops;
  for (const eq::ParseResult &file : files.equations)
    ops.insert(ops.end(), file.ops.begin(), file.ops.end());
  for (eq::RuleFile &file : files.rules) {
    eq::checkRules(file, ops);
    file.parsed.print(errs());
    ok &= file.parsed.ok();
  }
  return ok;
}

static int reportChecked(const Inputs &files) {
  for (const eq::ParseResult &file : files.equations) {
    size_t statements = 0;
    for (const eq::OpDef &op : file.ops)
      statements += op.statements.size();
    outs() << file.name << ": " << file.ops.size() << " ops, " << statements << " statements: ok\n";
  }
  for (const eq::RuleFile &file : files.rules)
    outs() << file.parsed.name << ": " << file.rules.size() << " rules: ok\n";
  return 0;
}

static int generate(const Inputs &files) {
  std::vector<eq::OpDef> ops;
  SmallVector<eqgen::Source> sources, rules;
  for (const eq::ParseResult &file : files.equations) {
    ops.insert(ops.end(), file.ops.begin(), file.ops.end());
    sources.push_back({sys::path::filename(file.name), file.text});
  }
  for (const eq::RuleFile &file : files.rules)
    rules.push_back({sys::path::filename(file.parsed.name), file.parsed.text});
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
  case Output::Rules:
    eqgen::emitTexts(out.os(), rules);
    break;
  case Output::RuleTable:
    eqgen::emitRuleTable(out.os(), files.rules);
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
  Inputs files;
  if (!readInputs(files))
    return 1;
  return check ? reportChecked(files) : generate(files);
}

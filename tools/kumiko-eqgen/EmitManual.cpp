//===- EmitManual.cpp - the reference pages --------------------------------===//
//
// A page says of each op what can be derived: its text, the ONNX ops that are this op under another name, and for one
// application (kumiko/Nn/samples.txt) the results' shapes, the class of every statement, operations and bytes.
//
//===----------------------------------------------------------------------===//
#include "Emit.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Equation/Given.h"
#include "kumiko/Equation/Printer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace kumiko;
using namespace kumiko::eq;

static constexpr const char *warning = "<!-- Written by scripts/reference with kumiko-eqgen; do not edit. -->\n\n";

StringMap<StringRef> eqgen::readSamples(StringRef text) {
  StringMap<StringRef> samples;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (line.starts_with("#"))
      continue;
    auto [name, given] = line.split(' ');
    samples[name] = given.split('|').first.trim();
  }
  return samples;
}

/// `MatMul`, `GatherND since 11`.
static std::string importsOf(const OpDef &op) {
  SmallVector<std::string> names;
  for (const ImportDef &import : op.imports) {
    std::string name = (import.domain.empty() ? "" : import.domain + ".").str() + import.name.str();
    names.push_back(import.version > 1 ? name + " since " + std::to_string(import.version) : name);
  }
  return join(names, ", ");
}

static void replaceAll(std::string &text, StringRef what, StringRef with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

static void printStatements(raw_ostream &os, const Instance &instance) {
  os << "| statement | class | points |\n|---|---|---|\n";
  for (const Statement &statement : instance.statements) {
    std::string text = statement.text;
    // A table's columns end at bars, also inside of code.
    replaceAll(text, "|", "\\|");
    os << "| `" << text << "` | " << nameOf(classify(statement)) << " | " << pointsOf(statement).str() << " |\n";
  }
  os << '\n';
}

static Error printApplication(raw_ostream &os, const OpDef &op, StringRef sample) {
  Expected<Given> given = Given::parse(op, sample);
  if (!given)
    return given.takeError();
  Expected<Instance> instance = instantiate(op, given->application());
  if (!instance)
    return instance.takeError();
  os << "Applied to `" << sample << "`:";
  ListSeparator comma(",");
  for (const Tensor &tensor : instance->tensors)
    if (tensor.role == Tensor::Role::Result)
      os << comma << " `" << tensor.name << ": " << str(tensor.type) << '`';
  Cost cost = costOf(*instance);
  os << "; " << cost.flops.str() << " operations, " << cost.bytesFused.str() << " bytes.\n\n";
  printStatements(os, *instance);
  return Error::success();
}

bool eqgen::emitManual(raw_ostream &os, raw_ostream &errors, StringRef title, ArrayRef<OpDef> ops,
                       const StringMap<StringRef> &samples) {
  bool ok = true;
  os << warning << "# nn: " << title << "\n\n"
     << ops.size() << " ops. The notation is in [equations](../equations.md).\n\n";
  for (const OpDef &op : ops) {
    os << "## " << op.name << "\n\n";
    for (StringRef line : op.doc)
      os << line << '\n';
    os << "\n```\n" << op.text << "\n```\n\n";
    if (!op.imports.empty())
      os << "ONNX: " << importsOf(op) << ".\n\n";
    auto sample = samples.find(op.name);
    if (sample == samples.end()) {
      errors << "error: op " << op.name << " has no line in the file of samples\n";
      ok = false;
    } else if (Error error = printApplication(os, op, sample->second)) {
      errors << "error: the sample of op " << op.name << ": " << toString(std::move(error)) << '\n';
      ok = false;
    }
  }
  return ok;
}

void eqgen::emitOnnxTable(raw_ostream &os, ArrayRef<OpDef> ops, StringRef facts) {
  StringMap<std::string> equations;
  for (const OpDef &op : ops)
    for (const ImportDef &import : op.imports)
      equations[(import.domain.empty() ? "" : import.domain + ".").str() + import.name.str()] = op.name.str();
  os << warning
     << "# ONNX ops\n\n"
        "*Versions*: the operator sets that changed the op. *Types*: element types of its main operand for which a "
        "model\n"
        "of the op compiles. *Evaluator*, *compiled*: tests of the ONNX suite that contain the op and pass, of all "
        "that\n"
        "contain it; a test may fail to count for another op in it. An op without *nn op* is a composition.\n\n"
        "| op | versions | types | nn op | evaluator | compiled | why not |\n|---|---|---|---|---|---|---|\n";
  SmallVector<StringRef> lines;
  facts.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    SmallVector<StringRef> cells;
    line.split(cells, '\t');
    cells.resize(6);
    os << "| " << cells[0] << " | " << cells[1] << " | " << cells[2] << " | ";
    if (auto found = equations.find(cells[0]); found != equations.end())
      os << '`' << found->second << '`';
    os << " | " << cells[3] << " | " << cells[4] << " | " << cells[5] << " |\n";
  }
}

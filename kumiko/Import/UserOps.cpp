#include "kumiko/Equation/Parser.h"
#include "kumiko/Import/Import.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace kumiko {

static Place inFile(const Twine &where) {
  Place place;
  place.file = where.str();
  return place;
}

/// What the parser says, once per mistake.
static void report(const eq::ParseResult &parsed, ProblemList &problems) {
  for (const eq::Diagnostic &mistake : parsed.diagnostics) {
    Problem &problem = problems.add(Code::BadEquation, mistake.message);
    problem.at(inFile(parsed.name + ":" + Twine(mistake.line) + ":" + Twine(mistake.column)));
    problem.helped(mistake.help.empty() ? "docs/equations.md describes the notation" : mistake.help);
  }
}

static std::string formatNames() {
  auto names = map_range(frontEnds(), [](const FrontEnd *each) { return each->name.str(); });
  return join(names.begin(), names.end(), ", ");
}

bool readUserOps(StringRef path, ImportOptions &options, ProblemList &problems) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    problems.add(Code::CannotOpen, "cannot read '" + printable(path) + "': " + buffer.getError().message())
        .helped("give a file of equations, such as docs/custom-ops.md shows");
    return false;
  }
  eq::ParseResult parsed = eq::parse(path, (*buffer)->getBuffer());
  report(parsed, problems);
  for (const eq::OpDef &op : parsed.ops) {
    auto refuse = [&](const Twine &why) {
      Problem &problem = problems.add(Code::BadEquation, "op " + op.name + ": " + why);
      problem.at(inFile(path));
      problem.helped("say which node it is for: from onnx com.acme.Name-1 (x; source -> attribute)");
    };
    if (op.imports.empty())
      refuse("has no `from onnx` clause, so no node can become it");
    for (const eq::ImportDef &clause : op.imports) {
      const auto *format = find_if(frontEnds(), [&](const FrontEnd *each) { return each->name == clause.format; });
      if (format == frontEnds().end())
        refuse("`from " + clause.format + "` names no format; there is " + formatNames());
      else if (clause.domain.empty() || clause.domain == "ai.onnx")
        refuse("`from " + clause.format + " " + clause.name + "` would redefine an op of the format itself");
    }
    options.userOps.push_back(op);
  }
  if (parsed.ok() && parsed.ops.empty())
    problems.add(Code::BadEquation, "'" + printable(path) + "' holds no op")
        .helped("an op begins with the word op; docs/custom-ops.md has examples");
  return !problems.hasErrors();
}

} // namespace kumiko

#include "kumiko/Support/Problem.h"
#include "kumiko/Support/Watch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kumiko {

Fault faultOf(Code code) {
  if (code == cancelledCode)
    return Fault::Environment;
  switch (code) {
#define KUMIKO_PROBLEM(name, number, fault, meaning)                                                                   \
  case Code::name:                                                                                                     \
    return Fault::fault;
#include "kumiko/Support/Problems.def"
  }
  return Fault::Defect;
}

StringRef meaningOf(Code code) {
  if (code == cancelledCode)
    return "the caller stopped the work";
  switch (code) {
#define KUMIKO_PROBLEM(name, number, fault, meaning)                                                                   \
  case Code::name:                                                                                                     \
    return meaning;
#include "kumiko/Support/Problems.def"
  }
  return "";
}

std::string numberOf(Code code) {
  std::string text;
  raw_string_ostream(text) << format("K%04u", static_cast<unsigned>(code));
  return text;
}

/// Bytes of the UTF-8 sequence at the start of `text`; 0 when it is broken or a C1 control.
static size_t sequenceLength(StringRef text) {
  const auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  size_t length = getNumBytesForUTF8(*begin);
  if (length < 2 || length > text.size() || !isLegalUTF8Sequence(begin, begin + length))
    return 0;
  return begin[0] == 0xC2 && begin[1] < 0xA0 ? 0 : length;
}

std::string printable(StringRef text, size_t limit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit)
      return result + "…";
    unsigned char first = text.front();
    size_t length = first < 0x80 ? size_t(isPrint(first)) : sequenceLength(text);
    if (length)
      result += text.take_front(length);
    else
      result += "\\x" + utohexstr(first, /*LowerCase=*/true, /*Width=*/2);
    text = text.drop_front(std::max<size_t>(length, 1));
  }
  return result;
}

static std::string describe(const Place &place) {
  std::string text = printable(place.file);
  auto separate = [&] { text += text.empty() ? "" : ", "; };
  if (place.node)
    separate(), text += "node " + std::to_string(*place.node);
  if (!place.name.empty()) {
    if (!place.node)
      separate(), text += "node";
    text += " \"" + printable(place.name) + "\"";
  }
  if (!place.op.empty()) {
    text += (text.empty() ? "(" : " (") + printable(place.op);
    if (place.opset)
      text += ", opset " + std::to_string(*place.opset);
    text += ")";
  }
  if (!place.within.empty())
    text += (text.empty() ? "in " : ", in ") + printable(place.within);
  return text;
}

void Problem::print(raw_ostream &os) const {
  os << (warning ? "warning[" : "error[") << numberOf(code) << "]: " << printable(what, 1000) << "\n";
  if (std::string where = describe(place); !where.empty())
    os << "  --> " << where << "\n";
  // Names and types in columns, as wide as the widest; one absurdly long name must not push the others away.
  size_t nameWidth = 0, typeWidth = 0;
  for (const Operand &operand : operands) {
    nameWidth = std::max(nameWidth, std::min<size_t>(printable(operand.name, 60).size(), 24));
    typeWidth = std::max(typeWidth, std::min<size_t>(operand.type.size(), 40));
  }
  for (const Operand &operand : operands) {
    std::string name = printable(operand.name, 60), type = printable(operand.type);
    std::string line = "      " + name + std::string(nameWidth - std::min(nameWidth, name.size()), ' ') + ": " + type;
    if (!operand.origin.empty())
      line += std::string(typeWidth - std::min(typeWidth, type.size()) + 2, ' ') + printable(operand.origin, 400);
    os << StringRef(line).rtrim() << "\n";
  }
  os << "  help: " << printable(help.empty() ? meaningOf(code) : StringRef(help), 1000) << "\n";
}

static StringRef wordOf(Fault fault) {
  switch (fault) {
  case Fault::None:
    return "none";
  case Fault::Usage:
    return "usage";
  case Fault::Broken:
    return "broken";
  case Fault::Unsupported:
    return "unsupported";
  case Fault::Environment:
    return "environment";
  case Fault::Defect:
    return "defect";
  }
  return "defect";
}

json::Value Problem::json() const {
  // JSON is UTF-8; names in a file need not be.
  json::Object where;
  if (!place.file.empty())
    where["file"] = json::fixUTF8(place.file);
  if (place.node)
    where["node"] = int64_t(*place.node);
  if (!place.name.empty())
    where["name"] = json::fixUTF8(place.name);
  if (!place.op.empty())
    where["op"] = json::fixUTF8(place.op);
  if (place.opset)
    where["opset"] = *place.opset;
  if (!place.within.empty())
    where["within"] = json::fixUTF8(place.within);
  json::Array list;
  for (const Operand &operand : operands)
    list.push_back(json::Object{{"name", json::fixUTF8(operand.name)},
                                {"type", json::fixUTF8(operand.type)},
                                {"origin", json::fixUTF8(operand.origin)}});
  return json::Object{{"code", numberOf(code)},      {"class", wordOf(faultOf(code))}, {"warning", warning},
                      {"what", json::fixUTF8(what)}, {"place", std::move(where)},      {"operands", std::move(list)},
                      {"help", json::fixUTF8(help)}};
}

static unsigned bitOf(Fault fault) { return 1u << (fault == Fault::Defect ? 31u : static_cast<unsigned>(fault)); }

Problem &ProblemList::add(Problem problem) {
  if (!problem.warning) {
    ++errors;
    faults |= bitOf(faultOf(problem.code));
  }
  if (problems.size() >= limit) {
    // The last slot beyond the limit is scratch: callers may still decorate what they get back.
    ++dropped;
    if (problems.size() > limit)
      problems.pop_back();
  }
  problems.push_back(std::move(problem));
  return problems.back();
}

int ProblemList::exitCode() const {
  for (Fault fault : {Fault::Defect, Fault::Usage, Fault::Environment, Fault::Broken, Fault::Unsupported})
    if (faults & bitOf(fault))
      return static_cast<int>(fault);
  return 0;
}

void ProblemList::print(raw_ostream &os) const {
  for (const Problem &problem : all())
    problem.print(os);
  if (dropped)
    os << "(" << dropped << " more left out)\n";
}

json::Value ProblemList::json() const {
  json::Array list;
  for (const Problem &problem : all())
    list.push_back(problem.json());
  return json::Object{{"problems", std::move(list)}, {"errors", int64_t(errors)}, {"left_out", int64_t(dropped)}};
}

} // namespace kumiko

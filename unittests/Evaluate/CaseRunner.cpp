//===- CaseRunner.cpp - equations as text, judged by a table of cases ----------===//
//
//   equation-cases CASES FILE.eq...            every case, and every op of the files has one
//   equation-cases --op=NAME CASES FILE.eq...  the cases of one op, up to the first that fails
//
// Texts are read at run time, so an equation can be changed without building anything: test/Equations/mutate.py does.
// A case holds operands, attributes and the results that somebody else computed (test/Equations/cases.py):
//
//   case conv stride 2 | 1e-05                 op, what is special about it, tolerance (relative and absolute)
//   attribute stride 2 2                       read as the kind that the op declares
//   operand f32 2x3 1 2 3 4 5 6                `operand -` is an absent one
//   result f32 2 6 15                          `result -` is not compared
//   refused                                    in place of results: the op must be refused on these operands
//
// Exit codes: 0 all cases pass, 1 a case fails, 2 a text is refused by the parser, 3 the table is not understood.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Instantiate.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Support/Convert.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <deque>

using namespace llvm;
using namespace kumiko;

namespace {

/// The table is our own: whatever is wrong in it ends the program.
[[noreturn]] void brokenTable(const Twine &why) {
  errs() << why << "\n";
  exit(3);
}

struct Case {
  StringRef op, name;
  double tolerance = 0;
  SmallVector<std::pair<StringRef, StringRef>, 4> attributes;
  std::vector<std::optional<Tensor>> operands, results;
  bool refused = false;
};

int64_t integerOf(StringRef text) {
  int64_t value = 0;
  uint64_t large = 0;
  if (!text.getAsInteger(10, value))
    return value;
  if (text.getAsInteger(10, large))
    brokenTable("'" + text + "' is no integer");
  return static_cast<int64_t>(large);
}

double realOf(StringRef text) {
  // getAsDouble knows neither inf nor nan.
  std::string terminated = text.str();
  char *end = nullptr;
  double value = std::strtod(terminated.c_str(), &end);
  if (end == terminated.c_str() || *end)
    brokenTable("'" + text + "' is no number");
  return value;
}

template <typename List, typename Read> List listOf(StringRef text, Read read, StringRef separator = " ") {
  SmallVector<StringRef> words;
  text.split(words, separator, -1, /*KeepEmpty=*/false);
  List list;
  for (StringRef word : words)
    list.push_back(read(word));
  return list;
}

/// `f32 2x3 1 2 3 4 5 6`; a scalar has the shape `-`.
std::optional<Tensor> tensorOf(StringRef text) {
  if (text == "-")
    return std::nullopt;
  auto [type, rest] = text.split(' ');
  auto [extents, values] = rest.split(' ');
  ElementType element = elementTypeNamed(type).value_or(ElementType::Invalid);
  if (element == ElementType::Invalid)
    brokenTable("'" + type + "' is no element type");
  SmallVector<int64_t> shape;
  if (extents != "-")
    shape = listOf<SmallVector<int64_t>>(extents, integerOf, "x");
  Tensor tensor = cantFail(Tensor::zeros(element, shape));
  int64_t count = 0;
  auto fill = [&](auto list, ElementType from) {
    count = list.size();
    if (count == tensor.count())
      convertElements(reinterpret_cast<const uint8_t *>(list.data()), from, tensor.mutableData(), element, count);
  };
  if (isFloat(element))
    fill(listOf<std::vector<double>>(values, realOf), ElementType::F64);
  else
    fill(listOf<std::vector<int64_t>>(values, integerOf), ElementType::I64);
  if (count != tensor.count())
    brokenTable(Twine(count) + " values for " + describe(element, shape));
  return tensor;
}

std::deque<Case> readTable(StringRef text) {
  std::deque<Case> cases;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [word, rest] = line.split(' ');
    if (word == "case") {
      auto [name, tolerance] = rest.split(" | ");
      cases.emplace_back();
      cases.back().op = name.split(' ').first;
      cases.back().name = name;
      cases.back().tolerance = realOf(tolerance);
    } else if (cases.empty()) {
      brokenTable("the table does not begin with a case");
    } else if (word == "attribute") {
      cases.back().attributes.push_back(rest.split(' '));
    } else if (word == "operand") {
      cases.back().operands.push_back(tensorOf(rest));
    } else if (word == "result") {
      cases.back().results.push_back(tensorOf(rest));
    } else if (word == "refused") {
      cases.back().refused = true;
    } else {
      brokenTable("'" + word + "' is no word of the table");
    }
  }
  return cases;
}

eq::Attribute attributeOf(eq::AttributeKind kind, StringRef text) {
  switch (kind) {
  case eq::AttributeKind::Int:
    return integerOf(text);
  case eq::AttributeKind::Float:
    return realOf(text);
  case eq::AttributeKind::Bool:
    return text == "True";
  case eq::AttributeKind::Str:
  case eq::AttributeKind::Combine:
    return text.str();
  case eq::AttributeKind::Type:
    return elementTypeNamed(text).value_or(ElementType::Invalid);
  case eq::AttributeKind::Ints:
    return listOf<SmallVector<int64_t, 6>>(text, integerOf);
  case eq::AttributeKind::Floats:
    return listOf<SmallVector<double, 4>>(text, realOf);
  }
  llvm_unreachable("all kinds are handled");
}

std::string compare(const Tensor &got, const Tensor &wanted, double tolerance) {
  if (got.element() != wanted.element() || got.shape() != wanted.shape())
    return describe(got.element(), got.shape()) + " instead of " + describe(wanted.element(), wanted.shape());
  for (int64_t i = 0; i < got.count(); ++i) {
    bool same;
    double a = valueAt(got, i), b = valueAt(wanted, i);
    if (isFloat(got.element()))
      same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * (1 + std::abs(b));
    else
      same = integerAt(got, i) == integerAt(wanted, i);
    if (!same)
      return formatv("element {0} is {1}, expected {2}", i, a, b);
  }
  return "";
}

/// What is wrong; empty when the case passes.
std::string judge(const eq::OpDef &op, const Case &each) {
  SmallVector<std::optional<eq::TensorType>, 4> types;
  SmallVector<const Tensor *> operands;
  for (const std::optional<Tensor> &operand : each.operands) {
    operands.push_back(operand ? &*operand : nullptr);
    types.emplace_back();
    if (!operand)
      continue;
    eq::TensorType &type = types.back().emplace();
    type.element = operand->element();
    type.shape.append(operand->shape().begin(), operand->shape().end());
  }
  eq::Application application;
  application.operands = types;
  for (auto [name, text] : each.attributes) {
    const eq::AttributeDef *def = find_if(op.attributes, [&, name = name](auto &it) { return it.name == name; });
    if (def == op.attributes.end())
      return ("no attribute " + name).str();
    application.attributes[name] = attributeOf(def->kind, text);
  }
  Expected<eq::Instance> instance = eq::instantiate(op, application);
  if (!instance) {
    std::string why = toString(instance.takeError());
    return each.refused ? "" : why;
  }
  // A changed equation may be large by mistake.
  Limits limits;
  limits.bytes = uint64_t(1) << 28;
  limits.points = uint64_t(1) << 28;
  auto results = evaluate(*instance, operands, Precision::Declared, limits);
  if (!results) {
    std::string why = toString(results.takeError());
    return each.refused ? "" : why;
  }
  if (each.refused)
    return "not refused";
  if (results->size() != each.results.size())
    return formatv("{0} results, expected {1}", results->size(), each.results.size());
  for (auto [got, wanted] : zip_equal(*results, each.results))
    if (wanted)
      if (std::string why = compare(got, *wanted, each.tolerance); !why.empty())
        return why;
  return "";
}

std::unique_ptr<MemoryBuffer> open(StringRef path) {
  auto file = MemoryBuffer::getFile(path);
  if (!file)
    brokenTable(path + ": " + file.getError().message());
  return std::move(*file);
}

} // namespace

int main(int argc, char **argv) {
  SmallVector<StringRef> arguments(argv + 1, argv + argc);
  StringRef only;
  if (!arguments.empty() && arguments[0].consume_front("--op=")) {
    only = arguments[0];
    arguments.erase(arguments.begin());
  }
  if (arguments.size() < 2)
    brokenTable("usage: equation-cases [--op=NAME] CASES FILE.eq...");
  std::deque<eq::ParseResult> files; // ops refer to the text of their file
  for (StringRef path : ArrayRef(arguments).drop_front()) {
    files.push_back(eq::parse(path, open(path)->getBuffer()));
    if (!files.back().ok()) {
      files.back().print(outs());
      return 2;
    }
  }
  std::unique_ptr<MemoryBuffer> table = open(arguments[0]);
  unsigned passed = 0, failed = 0;
  StringMap<unsigned> judged;
  StringMap<const eq::OpDef *> ops;
  for (const eq::ParseResult &file : files)
    for (const eq::OpDef &op : file.ops)
      ops[op.name] = &op;
  for (const Case &each : readTable(table->getBuffer())) {
    if (!only.empty() && each.op != only)
      continue;
    ++judged[each.op];
    const eq::OpDef *op = ops.lookup(each.op);
    std::string why = op ? judge(*op, each) : "there is no such op";
    why.empty() ? ++passed : ++failed;
    if (why.empty())
      continue;
    outs() << "FAILED " << each.name << ": " << why << "\n";
    if (!only.empty())
      break;
  }
  for (const eq::ParseResult &file : files)
    for (const eq::OpDef &op : file.ops)
      if (only.empty() && !judged.count(op.name)) {
        outs() << "FAILED " << op.name << ": no case\n";
        ++failed;
      }
  outs() << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed ? 1 : 0;
}

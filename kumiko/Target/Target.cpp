#include "kumiko/Target/Target.h"
#include "kumiko/Support/EmitError.h"
#include "kumiko/Support/Nearest.h"
#include "kumiko/Target/CpuFeatures.h"
#include "kumiko/Target/Rows.h"
#include "llvm/ADT/StringExtras.h"

using namespace kumiko;
using llvm::StringRef;

namespace {
/// An entry of Facts.def.
struct Named {
  StringRef name, features, meaning;
};
} // namespace

static constexpr Named factTable[] = {
#define KUMIKO_FACT(identifier, name, features, meaning) {name, features, meaning},
#include "kumiko/Target/Facts.def"
};
static constexpr Named dotTable[] = {
#define KUMIKO_DOT(identifier, name, features, meaning) {name, features, meaning},
#include "kumiko/Target/Facts.def"
};

StringRef kumiko::nameOf(Fact fact) { return factTable[unsigned(fact)].name; }
StringRef kumiko::nameOf(DotForm form) { return dotTable[unsigned(form)].name; }

StringRef kumiko::meaningOf(Fact fact) { return factTable[unsigned(fact)].meaning; }

int64_t Target::budget(unsigned level) const {
  if (caches.empty())
    return int64_t(1) << 40;
  const CacheLevel &cache = caches[std::min<size_t>(level, caches.size()) - 1];
  return cache.budget ? cache.budget : cache.bytes;
}

std::string Target::describe() const { return triple.getArchName().str() + "/" + spelled; }

std::vector<StringRef> kumiko::targetNames() {
  std::vector<StringRef> names;
  for (const Row &row : allRows())
    if (!row.isBase)
      names.push_back(row.target.name);
  return names;
}

static bool hasAll(const llvm::StringSet<> &features, llvm::ArrayRef<std::string> wanted) {
  return llvm::all_of(wanted, [&](StringRef name) { return features.contains(name); });
}

/// As Facts.def writes it: `avx512vnni+avx512vl | avxvnni<=256`.
static bool holds(StringRef condition, const llvm::StringSet<> &features, unsigned vectorBits) {
  return llvm::any_of(llvm::split(condition, '|'), [&](StringRef alternative) {
    auto [names, limit] = alternative.trim().split("<=");
    unsigned most = ~0u;
    if (names.empty() || (!limit.empty() && limit.getAsInteger(10, most)))
      return false;
    return vectorBits <= most &&
           llvm::all_of(llvm::split(names, '+'), [&](StringRef name) { return features.contains(name); });
  });
}

/// What follows from the features: vectors, facts, forms of products.
static llvm::Error settle(const Row &row, Target &target, const llvm::StringSet<> &features) {
  auto form = llvm::find_if(row.vectors, [&](const VectorForm &form) { return hasAll(features, form.needs); });
  if (form == row.vectors.end())
    return emitError(Code::BadOption,
                     "no code is made for " + target.name + " without " + row.vectors.back().needs.front(),
                     "leave it in");
  target.vectorBits = form->bits;
  target.vectorRegisters = form->registers;
  if (!row.target.floatRegisters)
    target.floatRegisters = form->registers;
  for (auto [number, fact] : llvm::enumerate(factTable))
    if (holds(fact.features, features, form->bits))
      target.facts.set(Fact(number));
  for (auto [number, dot] : llvm::enumerate(dotTable))
    if (holds(dot.features, features, form->bits))
      target.dots.set(DotForm(number));
  return llvm::Error::success();
}

static llvm::Error setValue(Row &row, StringRef key, StringRef value) {
  Target &target = row.target;
  if (key == "cpu" && !isCpu(target.triple, value))
    return emitError(Code::BadOption, "LLVM knows no CPU '" + value + "' of " + target.triple.getArchName(),
                     "leave out cpu=, or give a CPU that llc -mcpu=help lists");
  static constexpr llvm::StringLiteral keys[] = {"cpu", "l1", "l2", "l3"};
  std::string why = llvm::is_contained(keys, key) ? setColumn(row, key, value) : "cannot be set";
  if (why.empty())
    return llvm::Error::success();
  return emitError(Code::BadOption, "target " + target.name + ": " + key + " " + why,
                   "what can be set is " + llvm::join(llvm::ArrayRef(keys), ", ") + "; --target=help shows it");
}

namespace {
/// Applies changes one after the other; what changes nothing is left out of the spelling.
class Adjuster {
public:
  explicit Adjuster(const Row &row) : row(row), spelled(row.target.name) {}

  llvm::Error change(StringRef text);
  llvm::Expected<Target> finish();

private:
  llvm::Error toggle(StringRef name, bool there);
  /// The CPU's, as long as nothing has changed them; `cpu=` comes first.
  llvm::StringSet<> &current() {
    if (!features)
      features = featuresOf(row.target.triple, row.target.cpu);
    return *features;
  }

  Row row;
  std::string spelled;
  std::optional<llvm::StringSet<>> features;
  std::vector<std::string> differences;
  /// Said by name: that counts more than what a feature brings.
  std::vector<std::pair<Fact, bool>> said;
};
} // namespace

llvm::Error Adjuster::toggle(StringRef name, bool there) {
  std::string change = (there ? "+" : "-") + name.str();
  std::vector<StringRef> known = knownFeatures(row.target.triple);
  if (llvm::is_contained(known, name)) {
    if (current().contains(name) == there)
      return llvm::Error::success();
    kumiko::change(current(), row.target.triple, name, there);
    differences.push_back(change);
    spelled += "," + change;
    return llvm::Error::success();
  }
  for (auto [number, fact] : llvm::enumerate(factTable)) {
    known.push_back(fact.name);
    if (fact.name != name)
      continue;
    spelled += "," + change;
    said.emplace_back(Fact(number), there);
    return llvm::Error::success();
  }
  std::string close = nearest(name, known);
  return emitError(Code::BadOption, row.target.triple.getArchName() + " has no feature '" + name + "'",
                   close.empty() ? "--target=help lists facts, llc -mattr=help features"
                                 : "did you mean '" + close + "'?");
}

llvm::Error Adjuster::change(StringRef text) {
  if (text.starts_with("+") || text.starts_with("-"))
    return toggle(text.drop_front(), text.front() == '+');
  auto [key, value] = text.split('=');
  if (value.empty())
    return emitError(Code::BadOption, "'" + printable(text) + "' does not adjust a target",
                     "write +FEATURE, -FEATURE or KEY=VALUE behind the name, with commas between them");
  if (key == "cpu" && features)
    return emitError(Code::BadOption, "cpu= stands behind a feature", "write it before features: it brings its own");
  if (llvm::Error error = setValue(row, key, value))
    return error;
  spelled += "," + text.str();
  return llvm::Error::success();
}

llvm::Expected<Target> Adjuster::finish() {
  Target target = row.target;
  target.spelled = spelled;
  if (!target.features.empty())
    differences.insert(differences.begin(), target.features);
  target.features = llvm::join(differences, ",");
  if (llvm::Error error = settle(row, target, current()))
    return error;
  for (auto [fact, there] : said)
    target.facts.set(fact, there);
  return target;
}

llvm::Expected<Target> kumiko::adjust(const Row &row, llvm::ArrayRef<std::string> changes) {
  Adjuster adjuster(row);
  for (StringRef change : changes)
    if (llvm::Error error = adjuster.change(change))
      return error;
  return adjuster.finish();
}

llvm::Expected<Target> kumiko::rowNamed(StringRef spelled) {
  auto [name, rest] = spelled.split(',');
  std::vector<std::string> changes;
  if (!rest.empty() || spelled.ends_with(","))
    for (StringRef change : llvm::split(rest, ','))
      changes.push_back(change.str());
  for (const Row &row : allRows())
    if (!row.isBase && row.target.name == name)
      return adjust(row, changes);
  std::vector<StringRef> names = targetNames();
  names.insert(names.begin(), "host");
  std::string close = nearest(name, names);
  return emitError(Code::BadOption, "unknown target '" + printable(name) + "'",
                   (close.empty() ? "" : "did you mean '" + close + "'? ") +
                       ("targets are " + llvm::join(names, ", ")));
}

#include "kumiko/Target/Rows.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kumiko;
using llvm::StringRef;

static constexpr char tableText[] =
#include "kumiko/Target/Rows.inc"
    ;

static llvm::SmallVector<StringRef> wordsOf(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return words;
}

std::optional<int64_t> kumiko::parseBytes(StringRef text) {
  int64_t unit = text.consume_back("K")   ? 1 << 10
                 : text.consume_back("M") ? 1 << 20
                 : text.consume_back("G") ? 1 << 30
                                          : 1;
  int64_t number;
  if (text.getAsInteger(10, number) || number <= 0 || number > (int64_t(1) << 40) / unit)
    return std::nullopt;
  return number * unit;
}

std::string kumiko::printBytes(int64_t bytes) {
  if (bytes % (1 << 20) == 0)
    return std::to_string(bytes >> 20) + "M";
  return bytes % (1 << 10) == 0 ? std::to_string(bytes >> 10) + "K" : std::to_string(bytes);
}

static std::string setNumber(unsigned &number, StringRef text) {
  return text.getAsInteger(10, number) ? "wants a number, not '" + text.str() + "'" : "";
}

/// `1M line 64 ways 16 cores 8 budget 512K`, or `none` for no such level. A size alone leaves the rest, but no budget.
static std::string setCache(Target &target, size_t level, StringRef text) {
  if (text == "none") {
    target.caches.truncate(std::min(target.caches.size(), level));
    return "";
  }
  if (target.caches.size() < level)
    return "has no level before it";
  auto words = wordsOf(text);
  CacheLevel cache = level < target.caches.size() && words.size() == 1 ? target.caches[level] : CacheLevel();
  std::optional<int64_t> bytes = words.empty() ? std::nullopt : parseBytes(words.front());
  if (!bytes)
    return "wants a size such as 512K or 32M, not '" + text.str() + "'";
  cache.bytes = *bytes;
  cache.budget = 0;
  for (size_t i = 1; i < words.size(); i += 2) {
    int64_t *place = llvm::StringSwitch<int64_t *>(words[i])
                         .Case("line", &cache.line)
                         .Case("ways", &cache.ways)
                         .Case("cores", &cache.cores)
                         .Case("budget", &cache.budget)
                         .Default(nullptr);
    StringRef value = i + 1 < words.size() ? words[i + 1] : "";
    std::optional<int64_t> number = place == &cache.cores && value == "all" ? 0 : parseBytes(value);
    if (!place || !number)
      return "does not know '" + words[i].str() + " " + value.str() + "'";
    *place = *number;
  }
  target.caches.resize(std::max(target.caches.size(), level + 1));
  target.caches[level] = cache;
  return "";
}

/// `512x32 avx512f,avx512vl | 128x16`.
static std::string setVectors(Row &row, StringRef text) {
  row.vectors.clear();
  for (StringRef part : llvm::split(text, '|')) {
    auto words = wordsOf(part);
    auto [bits, registers] = (words.empty() ? StringRef() : words.front()).split('x');
    VectorForm form;
    if (words.size() > 2 || bits.getAsInteger(10, form.bits) || registers.getAsInteger(10, form.registers))
      return "wants BITSxREGISTERS FEATURE,..., not '" + part.trim().str() + "'";
    if (words.size() == 2)
      for (StringRef feature : llvm::split(words[1], ','))
        form.needs.push_back(feature.str());
    row.vectors.push_back(std::move(form));
  }
  return "";
}

/// Adds the named values.
template <typename Value> static std::string addValues(SetOf<Value> &set, StringRef text, unsigned count) {
  for (StringRef word : wordsOf(text)) {
    auto all = llvm::seq(count);
    auto found = llvm::find_if(all, [&](unsigned number) { return nameOf(Value(number)) == word; });
    if (found == all.end())
      return "does not know '" + word.str() + "'";
    set.set(Value(*found));
  }
  return "";
}

static std::string setLibrary(Target &target, StringRef text) {
  auto level = llvm::StringSwitch<std::optional<CLibrary>>(text)
                   .Case("full", CLibrary::Full)
                   .Case("string", CLibrary::String)
                   .Case("none", CLibrary::None)
                   .Default(std::nullopt);
  target.library = level.value_or(CLibrary::None);
  return level ? "" : "is full, string or none, not '" + text.str() + "'";
}

static std::string setThreads(Target &target, StringRef text) {
  target.threads = text == "yes";
  return text == "yes" || text == "no" ? "" : "is yes or no, not '" + text.str() + "'";
}

/// `processors 132 shared 228K registers 64K l2 50M`.
static std::string setGpu(Target &target, StringRef text) {
  GpuPart gpu;
  auto words = wordsOf(text);
  for (size_t i = 0; i < words.size(); i += 2) {
    int64_t *place = llvm::StringSwitch<int64_t *>(words[i])
                         .Case("processors", &gpu.processors)
                         .Case("shared", &gpu.sharedBytes)
                         .Case("registers", &gpu.registers)
                         .Case("l2", &gpu.l2)
                         .Default(nullptr);
    auto number = parseBytes(i + 1 < words.size() ? words[i + 1] : "");
    if (!place || !number)
      return "does not know '" + words[i].str() + "'";
    *place = *number;
  }
  target.gpu = gpu;
  return "";
}

static std::string setText(std::string &place, StringRef text) {
  place = text.str();
  return "";
}

static std::string setList(std::vector<std::string> &place, StringRef text) {
  place.clear();
  for (StringRef word : wordsOf(text))
    place.push_back(word.str());
  return "";
}

std::string kumiko::setColumn(Row &row, StringRef column, StringRef words) {
  using Set = std::string (*)(Row &, StringRef);
  static constexpr std::pair<llvm::StringLiteral, Set> columns[] = {
      {"triple", [](Row &r, StringRef w) { return r.target.triple = llvm::Triple(w), std::string(); }},
      {"cpu", [](Row &r, StringRef w) { return setText(r.target.cpu, w); }},
      {"features", [](Row &r, StringRef w) { return setText(r.target.features, w); }},
      {"abi", [](Row &r, StringRef w) { return setText(r.target.abi, w); }},
      {"pointer", [](Row &r, StringRef w) { return setNumber(r.target.pointerBits, w); }},
      {"index", [](Row &r, StringRef w) { return setNumber(r.target.indexBits, w); }},
      {"vectors", setVectors},
      {"floats", [](Row &r, StringRef w) { return setNumber(r.target.floatRegisters, w); }},
      {"general", [](Row &r, StringRef w) { return setNumber(r.target.generalRegisters, w); }},
      {"dot", [](Row &r, StringRef w) { return addValues(r.target.dots, w, dotFormCount); }},
      {"facts", [](Row &r, StringRef w) { return addValues(r.target.facts, w, factCount); }},
      {"l1", [](Row &r, StringRef w) { return setCache(r.target, 0, w); }},
      {"l2", [](Row &r, StringRef w) { return setCache(r.target, 1, w); }},
      {"l3", [](Row &r, StringRef w) { return setCache(r.target, 2, w); }},
      {"align", [](Row &r, StringRef w) { return setNumber(r.target.alignment, w); }},
      {"library", [](Row &r, StringRef w) { return setLibrary(r.target, w); }},
      {"threads", [](Row &r, StringRef w) { return setThreads(r.target, w); }},
      {"files", [](Row &r, StringRef w) { return setList(r.target.files, w); }},
      {"also", [](Row &r, StringRef w) { return setList(r.also, w); }},
      {"gpu", [](Row &r, StringRef w) { return setGpu(r.target, w); }}};
  const auto *found = llvm::find_if(columns, [&](const auto &entry) { return entry.first == column; });
  return found == std::end(columns) ? "is no column" : found->second(row, words);
}

/// `row NAME : PARENT`, `base NAME`.
static std::string beginRow(StringRef kind, StringRef rest, std::vector<Row> &rows) {
  auto [name, parent] = rest.split(':');
  name = name.trim(), parent = parent.trim();
  auto find = [&](StringRef wanted) {
    return llvm::find_if(rows, [&](const Row &row) { return row.target.name == wanted; });
  };
  if (name.empty() || find(name) != rows.end())
    return "a name of its own is needed";
  Row row;
  if (!parent.empty()) {
    auto found = find(parent);
    if (found == rows.end())
      return "no row before it is called '" + parent.str() + "'";
    row = *found;
    row.also.clear();
  }
  row.target.name = name.str();
  row.isBase = kind == "base";
  rows.push_back(std::move(row));
  return "";
}

std::string kumiko::parseRows(StringRef text, std::vector<Row> &rows) {
  unsigned number = 0;
  for (StringRef full : llvm::split(text, '\n')) {
    ++number;
    StringRef line = full.split('#').first.trim();
    if (line.empty())
      continue;
    auto [word, rest] = line.split(' ');
    std::string why;
    if (word == "row" || word == "base")
      why = beginRow(word, rest.trim(), rows);
    else
      why = rows.empty() ? "no row has begun" : setColumn(rows.back(), word, rest.trim());
    if (!why.empty())
      return "line " + std::to_string(number) + ": " + word.str() + ": " + why;
  }
  return "";
}

const std::vector<Row> &kumiko::allRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> read;
    // A test reads every row, so this is no way to end for a user.
    if (std::string why = parseRows(tableText, read); !why.empty())
      llvm::report_fatal_error(llvm::Twine("kumiko/Target/Rows.txt, ") + why);
    return read;
  }();
  return rows;
}

#include "kumiko/Schedule/WrittenNumbers.h"
#include "kumiko/Support/Problem.h"

using namespace mlir;
using namespace kumiko;

static constexpr Subject loopSubjects[] = {Subject::Rows, Subject::Columns, Subject::Depth, Subject::Batch};

std::string kumiko::loopsText(const KernelStatement &statement) {
  std::string text;
  for (Subject subject : loopSubjects)
    if (std::string name = statement.nameOf(subject); !name.empty())
      text += (text.empty() ? "its loops are " : ", ") + name + " (" + KernelStatement::roleOf(subject).str() + ")";
  return text;
}

static ScheduleMistake refuseLoop(const KernelStatement &statement, const ScheduleToken &loop) {
  std::string text = printable(loop.text);
  SmallVector<std::string> names;
  for (Subject subject : loopSubjects) {
    names.push_back(statement.nameOf(subject));
    SmallVector<StringRef> fused;
    StringRef(names.back()).split(fused, '*');
    if (fused.size() > 1 && llvm::is_contained(fused, loop.text))
      return {loop.place, "'" + text + "' is not a loop of its own in " + statement.text(),
              llvm::join(fused, " and ") + " are one loop here: write " + names.back()};
  }
  if (llvm::is_contained(statement.names.loops, loop.text))
    return {loop.place, "the loop '" + text + "' of " + statement.text() + " has one iteration", loopsText(statement)};
  SmallVector<StringRef> known(names.begin(), names.end());
  return {loop.place, statement.text() + " has no loop '" + text + "'",
          meantOr(loop.text, known, loopsText(statement))};
}

static std::string wordsText(const KernelStatement &statement) {
  std::string text;
  for (const ScheduleWord &word : statement.words)
    if (!StringRef(text).contains(word.word))
      text += (text.empty() ? "" : ", ") + word.word.str();
  return text;
}

/// Why a word does not go with a loop of this role.
static std::string whyNot(StringRef word, Subject subject) {
  if (subject == Subject::Depth)
    return "a sum is added in one order, in one chunk: its loop is unrolled and nothing else";
  if (word == "unroll")
    return "it goes with the loop over the depth; rows and columns of a tile are unrolled anyway";
  return "it goes with columns";
}

std::optional<ScheduleMistake> WrittenNumbers::findWord(const KernelStatement &statement,
                                                        const ScheduleSetting &setting,
                                                        const ScheduleWord *&word) const {
  const ScheduleToken &written = setting.word, &subject = setting.subject;
  word = wordFor(statement, written.text, std::nullopt);
  if (!word) {
    const KernelStatement &first = statements.front();
    bool isElsewhere = &statement != &first && wordFor(first, written.text, std::nullopt);
    std::string help = "it has " + wordsText(statement);
    if (isElsewhere)
      help = "it is said of " + first.text() + (statement.shape ? ", for both products" : "");
    else if (written.text == "vectorize")
      help = "sums along a row are added lane by lane, so that the number of lanes is part of the result";
    return ScheduleMistake{written.place, "'" + written.text + "' is no word of " + statement.text(), help};
  }
  if (word->subject == Subject::Nothing)
    return std::nullopt;
  if (word->subject == Subject::Instruction) {
    if (!statement.shape->isInteger())
      return ScheduleMistake{written.place, statement.text() + " multiplies floats: there is no choice of instruction",
                             "with belongs to products of integers"};
    if (subject.text == "pair16" || subject.text == "byte4")
      return std::nullopt;
    return ScheduleMistake{subject.place, "there is no instruction '" + printable(subject.text) + "'",
                           meantOr(subject.text, {"pair16", "byte4"}, "instructions are pair16 and byte4")};
  }
  if (word->subject == Subject::Operand) {
    std::string name = statement.nameOf(Subject::Operand);
    if (subject.text.empty() || subject.text == name || subject.text == "columns")
      return std::nullopt;
    return ScheduleMistake{subject.place,
                           "'" + printable(subject.text) + "' is not the tensor whose columns " + statement.text() +
                               " reads",
                           "it is " + name};
  }
  std::optional<Subject> role = statement.find(subject.text);
  if (!role)
    return refuseLoop(statement, subject);
  word = wordFor(statement, written.text, role);
  if (word)
    return std::nullopt;
  bool isElsewhere = wordFor(statements.front(), written.text, role);
  return ScheduleMistake{subject.place,
                         "'" + written.text + "' does not go with " + subject.text + ", the " +
                             KernelStatement::roleOf(*role).str() + " of " + statement.text(),
                         isElsewhere ? "it is said of " + statements.front().text() + ", for both products"
                         : *role == Subject::Columns && written.text == "chunk"
                             ? "the rows between two products need all columns of the first"
                             : whyNot(written.text, *role)};
}

const WrittenNumbers::Entry *WrittenNumbers::entryOf(unsigned statement, const ScheduleWord &word) const {
  auto found =
      llvm::find_if(entries, [&](const Entry &entry) { return entry.statement == statement && entry.word == &word; });
  return found == entries.end() ? nullptr : &*found;
}

bool WrittenNumbers::isWritten(StringRef word, Subject subject) const {
  return llvm::any_of(entries,
                      [&](const Entry &entry) { return entry.word->word == word && entry.word->subject == subject; });
}

std::optional<ScheduleMistake> WrittenNumbers::add(unsigned number, const ScheduleSetting &setting) {
  const ScheduleWord *word = nullptr;
  if (std::optional<ScheduleMistake> mistake = findWord(statements[number], setting, word))
    return mistake;
  if (setting.number && !word->number)
    return ScheduleMistake{setting.numberPlace, "'" + setting.word.text + "' takes no number here",
                           "split says how many columns a panel has"};
  for (const Entry &entry : entries) {
    bool isNumber = word->number && entry.word->number == word->number && entry.setting.number && setting.number;
    bool isRow = word->subject == Subject::Nothing && entry.word->subject == Subject::Nothing;
    if (entry.statement == number && (entry.word == word || isNumber || isRow))
      return ScheduleMistake{setting.word.place,
                             "'" + setting.word.text + "' says again what '" + entry.setting.word.text + "' said",
                             "leave one of them out"};
  }
  entries.push_back({number, word, setting});
  return std::nullopt;
}

std::optional<ScheduleMistake> WrittenNumbers::setNumber(Schedule &schedule, unsigned statement,
                                                         const ScheduleWord &word) const {
  const Entry *entry = entryOf(statement, word);
  bool isGiven = entry && entry->setting.number;
  int64_t number = isGiven ? *entry->setting.number : writtenNumber(word, analytic);
  if (word.subject == Subject::Instruction) {
    if (entry)
      schedule.*word.number = entry->setting.subject.text == "byte4" ? 4 : 2;
    return std::nullopt;
  }
  if (!isGiven && !word.times && !word.over)
    return std::nullopt; // as it is, or as another word for it says
  if (word.times) {
    int64_t each = schedule.*word.times;
    if (isGiven && number % each != 0)
      return ScheduleMistake{entry->setting.numberPlace,
                             "a tile of " + std::to_string(number) + " columns is no whole number of panels of " +
                                 std::to_string(each),
                             "write a multiple of " + std::to_string(each) + ", or other panels"};
    number = std::max<int64_t>(number / each, 1);
  }
  schedule.*word.number = word.over ? number * schedule.*word.over : number;
  return std::nullopt;
}

std::optional<ScheduleMistake> WrittenNumbers::set(Schedule &schedule, const KernelShape &shape) const {
  for (auto [number, statement] : llvm::enumerate(statements))
    for (const ScheduleWord &word : statement.words) {
      const Entry *entry = entryOf(number, word);
      if (word.flag && entry)
        schedule.*word.flag = !entry->setting.off;
      if (word.number)
        if (std::optional<ScheduleMistake> mistake = setNumber(schedule, number, word))
          return mistake;
      if (entry && word.word == "inline")
        llvm::erase(schedule.keptOps, statement.op);
    }
  // Columns that are not packed are not asked for ahead, unless somebody wrote it.
  if (!schedule.packed && !isWritten("fetch", Subject::Operand))
    schedule.prefetch = false;
  bool isContraction = shape.kind == KernelKind::Contraction;
  const ContractionShape &product = isContraction ? shape.contraction : shape.attention.scores;
  fitChunks(schedule, product, isWritten("chunk", Subject::Rows),
            !isContraction || isWritten("chunk", Subject::Columns));
  return std::nullopt;
}

SchedulePlace WrittenNumbers::placeOf(const ScheduleLimit &limit, SchedulePlace otherwise) const {
  const Entry *near = nullptr;
  for (const Entry &entry : entries) {
    if (entry.statement != limit.statement)
      continue;
    bool isWord = entry.word->word == limit.word;
    if (isWord && entry.word->subject == limit.subject)
      return entry.setting.number ? entry.setting.numberPlace : entry.setting.word.place;
    if (!near || (isWord && near->word->word != limit.word))
      near = &entry;
  }
  return near ? near->setting.word.place : otherwise;
}

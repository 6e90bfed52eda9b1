//===- ScheduleWords.cpp - tables of words, one per template ---------------===//
#include "kumiko/Schedule/ScheduleWords.h"
#include "kumiko/Schedule/IntegerLayout.h"
#include "kumiko/Schedule/Model.h"

using namespace mlir;
using namespace kumiko;

/// In the order in which numbers are set: a factor stands before what it is a factor of.
static const ScheduleWord productWords[] = {
    {.word = "vectorize", .subject = Subject::Columns, .number = &Schedule::lanes},
    {.word = "split", .subject = Subject::Columns, .number = &Schedule::panelColumns},
    {.word = "pack", .subject = Subject::Operand, .number = &Schedule::panelColumns, .flag = &Schedule::packed},
    {.word = "tile", .subject = Subject::Rows, .number = &Schedule::tileRows},
    {.word = "tile", .subject = Subject::Columns, .number = &Schedule::tilePanels, .times = &Schedule::panelColumns},
    {.word = "unroll", .subject = Subject::Depth, .number = &Schedule::depthUnroll},
    {.word = "fetch", .subject = Subject::Operand, .flag = &Schedule::prefetch},
    {.word = "with", .subject = Subject::Instruction, .number = &Schedule::depthGroup},
    {.word = "chunk", .subject = Subject::Batch, .number = &Schedule::chunkBatch},
    {.word = "chunk", .subject = Subject::Rows, .number = &Schedule::chunkRowBlocks},
    {.word = "chunk", .subject = Subject::Columns, .number = &Schedule::chunkPanels, .over = &Schedule::tilePanels},
};

static const ScheduleWord scoresWords[] = {
    {.word = "split", .subject = Subject::Columns, .number = &Schedule::panelColumns},
    {.word = "tile", .subject = Subject::Rows, .number = &Schedule::tileRows},
    {.word = "tile", .subject = Subject::Columns, .number = &Schedule::tilePanels, .times = &Schedule::panelColumns},
    {.word = "unroll", .subject = Subject::Depth, .number = &Schedule::depthUnroll},
    {.word = "pack", .subject = Subject::Operand, .flag = &Schedule::copyRuns},
    {.word = "chunk", .subject = Subject::Rows, .number = &Schedule::chunkRowBlocks},
};

static const ScheduleWord valuesWords[] = {
    {.word = "split", .subject = Subject::Columns, .number = &Schedule::valuePanelColumns},
    {.word = "tile",
     .subject = Subject::Columns,
     .number = &Schedule::valueTilePanels,
     .times = &Schedule::valuePanelColumns},
};

/// A list of the schedule (`keptOps`) has their numbers.
static const ScheduleWord rowWords[] = {{.word = "kept"}, {.word = "inline"}};

std::string KernelStatement::text() const { return names.result.empty() ? role.str() : names.text(); }

ArrayRef<unsigned> KernelStatement::loopsOf(Subject subject) const {
  if (!shape)
    return {};
  switch (subject) {
  case Subject::Rows:
    return shape->rows;
  case Subject::Columns:
    return shape->columns;
  case Subject::Depth:
    return shape->depth;
  case Subject::Batch:
    return shape->batch;
  case Subject::Operand:
  case Subject::Instruction:
  case Subject::Nothing:
    return {};
  }
  llvm_unreachable("all subjects are listed");
}

StringRef KernelStatement::roleOf(Subject subject) {
  static constexpr StringRef names[] = {"rows", "columns", "depth", "batch", "columns", "", ""};
  return names[unsigned(subject)];
}

std::string KernelStatement::nameOf(Subject subject) const {
  if (subject == Subject::Operand)
    return shape->columnOperand < names.reads.size() ? names.reads[shape->columnOperand].str() : "columns";
  ArrayRef<unsigned> loops = loopsOf(subject);
  if (loops.empty())
    return "";
  if (names.loops.empty())
    return roleOf(subject).str();
  return llvm::join(llvm::map_range(loops, [&](unsigned loop) { return names.loops[loop]; }), "*");
}

Extent KernelStatement::extentOf(Subject subject) const {
  return subject == Subject::Columns ? shape->partColumns() : shape->extentOf(loopsOf(subject));
}

std::optional<Subject> KernelStatement::find(StringRef text) const {
  if (!shape)
    return std::nullopt;
  for (Subject subject : {Subject::Rows, Subject::Columns, Subject::Depth, Subject::Batch})
    if (!loopsOf(subject).empty() && (text == nameOf(subject) || text == roleOf(subject)))
      return subject;
  return std::nullopt;
}

static KernelStatement statementOf(linalg::GenericOp op, StringRef role, const ContractionShape *shape,
                                   ArrayRef<ScheduleWord> words) {
  KernelStatement statement;
  statement.names = namesOf(op);
  statement.role = role;
  statement.shape = shape;
  statement.words = words;
  statement.op = std::distance(op->getBlock()->begin(), Block::iterator(op));
  return statement;
}

std::vector<KernelStatement> kumiko::statementsOf(const KernelShape &shape, Block &body) {
  std::vector<KernelStatement> statements;
  if (shape.kind == KernelKind::Contraction)
    statements.push_back(statementOf(shape.contraction.op, "product", &shape.contraction, productWords));
  if (shape.kind == KernelKind::Attention) {
    const ContractionShape &scores = shape.attention.scores, &values = shape.attention.values;
    statements.push_back(statementOf(scores.op, "scores", &scores, scoresWords));
    for (int64_t number : rowsWorthKeeping(shape.rows, body))
      statements.push_back(
          statementOf(cast<linalg::GenericOp>(*std::next(body.begin(), number)), "row", nullptr, rowWords));
    statements.push_back(statementOf(values.op, "values", &values, valuesWords));
  }
  // Two of a name: the second one has its number behind it.
  llvm::StringMap<unsigned> times;
  for (KernelStatement &statement : statements)
    if (unsigned time = ++times[statement.text()]; time > 1)
      (statement.names.result.empty() ? statement.names.node : statement.names.result) += "." + std::to_string(time);
  return statements;
}

int64_t kumiko::writtenNumber(const ScheduleWord &word, const Schedule &schedule) {
  int64_t number = schedule.*word.number;
  if (word.times)
    number *= schedule.*word.times;
  if (word.over)
    number /= std::max<int64_t>(schedule.*word.over, 1);
  return number;
}

const ScheduleWord *kumiko::wordFor(const KernelStatement &statement, StringRef word, std::optional<Subject> subject) {
  const ScheduleWord *found = llvm::find_if(statement.words, [&](const ScheduleWord &each) {
    return each.word == word && (!subject || each.subject == *subject);
  });
  return found == statement.words.end() ? nullptr : found;
}

std::string kumiko::wordsOf(const KernelStatement &statement, const Schedule &schedule, bool packable) {
  if (!statement.shape)
    return llvm::is_contained(schedule.keptOps, statement.op) ? "kept" : "inline";
  bool isProduct = statement.words.data() == productWords;
  std::string text;
  StringRef before;
  auto begin = [&](StringRef word) {
    if (word != before)
      text += (text.empty() ? "" : "; ") + word.str();
    before = word;
  };
  for (const ScheduleWord &word : statement.words) {
    std::string subject = word.subject == Subject::Instruction ? "" : scheduleName(statement.nameOf(word.subject));
    if (word.subject == Subject::Instruction) {
      if (!statement.shape->isInteger())
        continue;
      begin(word.word);
      text += schedule.depthGroup == 4 ? " byte4" : " pair16";
    } else if (word.flag) {
      // Nothing is packed that changes from run to run, nor asked for ahead that is not packed.
      bool isFetch = word.word == "fetch";
      if (isProduct && (isFetch ? !schedule.packed || statement.shape->isInteger() : !packable))
        continue;
      bool set = schedule.*word.flag;
      begin(set ? word.word : isFetch ? "no fetch" : "no pack");
      text += (set && isFetch ? " ahead " : " ") + subject;
      if (set && word.number)
        text += " by " + std::to_string(schedule.*word.number);
    } else if (!statement.loopsOf(word.subject).empty()) {
      if (isProduct && word.word == "split" && schedule.packed)
        continue; // pack says it
      begin(word.word);
      text += " " + subject + " " + std::to_string(writtenNumber(word, schedule));
    }
  }
  return text;
}

//===- ScheduleRules.cpp - written schedules onto kernels ------------------===//
#include "kumiko/Schedule/ScheduleRules.h"
#include "kumiko/Schedule/Model.h"
#include "kumiko/Schedule/WrittenNumbers.h"
#include "kumiko/Support/Problem.h"

using namespace mlir;
using namespace kumiko;

/// The metadata of a location in a file of schedules.
constexpr llvm::StringLiteral scheduleMark = "schedule";

struct ScheduleRules::Kernel {
  StringRef name;
  const KernelShape &shape;
  std::vector<KernelStatement> statements;
  bool packable;
  const Target &target;
  const Calls *calls;

  /// The node that the first of its calls has.
  std::string node() const {
    return calls && !calls->empty() && !calls->front().empty() ? calls->front().front().str() : "";
  }
  std::string names() const {
    return llvm::join(llvm::map_range(statements, [](const KernelStatement &each) { return each.text(); }), ", ");
  }
  std::vector<unsigned> statementsNamed(StringRef name) const;
  bool isSameNode(StringRef written, StringRef own) const;
};

/// Whether `written` is to one of the calls what `own` is to the first: equal kernels have the names of one of them.
bool ScheduleRules::Kernel::isSameNode(StringRef written, StringRef own) const {
  if (written == own)
    return true;
  if (!calls)
    return false;
  const auto *first = llvm::find_if(*calls, [&](const auto &nodes) { return llvm::is_contained(nodes, own); }).base();
  if (first == calls->data() + calls->size())
    return false;
  size_t place = llvm::find(*first, own) - first->begin();
  return llvm::any_of(*calls,
                      [&](const auto &nodes) { return nodes.size() == first->size() && nodes[place] == written; });
}

/// By the role, or by node and result.
std::vector<unsigned> ScheduleRules::Kernel::statementsNamed(StringRef name) const {
  std::vector<unsigned> found;
  for (auto [number, statement] : llvm::enumerate(statements)) {
    bool same = name == statement.role || name == statement.text();
    if (auto [node, result] = name.rsplit('/'); !same && !result.empty())
      same = result == statement.names.result && isSameNode(node, statement.names.node);
    if (same)
      found.push_back(number);
  }
  return found;
}

ScheduleRules::ScheduleRules(const ScheduleFile &file, ModuleOp module, ArrayRef<StringRef> names)
    : file(file), module(module), reached(file.rules.size()) {
  for (StringRef name : names)
    targets.insert(name);
  if (file.rules.empty())
    return;
  module.walk([&](nn::CallOp call) {
    SmallVector<StringRef> own = nodesOf(call.getLoc());
    for (StringRef node : own)
      nodes.insert(node);
    callsOf[call.getCallee()].push_back(std::move(own));
  });
}

LogicalResult ScheduleRules::refuse(SchedulePlace place, const Twine &message, const Twine &help) const {
  MLIRContext *context = ModuleOp(module).getContext();
  Location loc = FileLineColLoc::get(context, file.name, place.line, place.column);
  InFlightDiagnostic error = emitError(FusedLoc::get(context, {loc}, StringAttr::get(context, scheduleMark)))
                             << message;
  error.attachNote() << help;
  return error;
}

std::optional<FileLineColLoc> kumiko::placeInSchedule(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto mark = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata()) : StringAttr();
  if (!mark || mark.getValue() != scheduleMark)
    return std::nullopt;
  auto place = dyn_cast<FileLineColLoc>(fused.getLocations().front());
  return place ? std::optional(place) : std::nullopt;
}

bool ScheduleRules::isFor(const ScheduleRule &rule, nn::KernelOp kernel) const {
  if (rule.target && !targets.contains(rule.target->text))
    return false;
  if (rule.by == ScheduleRule::By::Kernel)
    return rule.name.text == kernel.getName();
  if (rule.by == ScheduleRule::By::Kind)
    return true;
  auto calls = callsOf.find(kernel.getName());
  return calls != callsOf.end() && llvm::any_of(calls->second, [&](const auto &own) {
           return llvm::is_contained(own, StringRef(rule.name.text));
         });
}

static bool holds(const Extent &extent, StringRef relation, int64_t number) {
  if (!extent.isStatic())
    return false;
  int64_t value = extent.value();
  return relation == ">="   ? value >= number
         : relation == "<=" ? value <= number
         : relation == ">"  ? value > number
         : relation == "<"  ? value < number
                            : value == number;
}

/// What a condition is about: a role, or one loop by the equation's index.
static std::optional<Extent> extentNamed(const KernelStatement &statement, StringRef name) {
  if (std::optional<Subject> subject = statement.find(name))
    return statement.extentOf(*subject);
  const StringRef *loop = llvm::find(statement.names.loops, name);
  if (loop == statement.names.loops.end())
    return std::nullopt;
  return statement.shape->extents[loop - statement.names.loops.begin()];
}

bool ScheduleRules::fits(const ScheduleRule &rule, Reached &reached, const Kernel &kernel) const {
  auto stop = [&](unsigned steps, SchedulePlace place, const Twine &message, const Twine &help) {
    if (steps >= reached.steps)
      reached = {steps, place, message.str(), help.str()};
    return false;
  };
  StringRef name = kernel.name;
  bool isAttention = kernel.shape.kind == KernelKind::Attention;
  if (kernel.statements.empty())
    return stop(1, rule.name.place, "kernel " + name + " is neither a product nor attention",
                "words for other kernels are not there yet; --explain prints the schedules that there are");
  if (rule.by == ScheduleRule::By::Kind && (rule.name.text == "attention") != isAttention)
    return false;
  for (const ScheduleCondition &condition : rule.conditions) {
    std::optional<Extent> extent = extentNamed(kernel.statements.front(), condition.loop.text);
    if (!extent)
      return stop(2, condition.loop.place,
                  kernel.statements.front().text() + " has no loop '" + printable(condition.loop.text) + "'",
                  loopsText(kernel.statements.front()));
    if (!holds(*extent, condition.relation, condition.number))
      return stop(2, condition.loop.place, "the condition does not hold", condition.loop.text + " is " + extent->str());
  }
  // Whoever names a node means the kernel that has its statement, of all that came of the node.
  if (rule.by == ScheduleRule::By::Op)
    for (const ScheduledStatement &statement : rule.statements)
      if (kernel.statementsNamed(statement.name.text).empty())
        return stop(3, statement.name.place, "no statement '" + printable(statement.name.text) + "' in kernel " + name,
                    "it has " + kernel.names());
  return true;
}

LogicalResult ScheduleRules::apply(nn::KernelOp op, const KernelShape &shape, bool packable, const Target &target,
                                   Schedule &schedule) {
  if (file.rules.empty())
    return success();
  auto calls = callsOf.find(op.getName());
  Kernel kernel{op.getName(), shape,  statementsOf(shape, op.getBody().front()),
                packable,     target, calls == callsOf.end() ? nullptr : &calls->second};
  const ScheduleRule *taken = nullptr;
  for (auto [rule, own] : llvm::zip_equal(file.rules, reached)) {
    constexpr unsigned shadowed = 4, applied = 5;
    if (!isFor(rule, op) || !fits(rule, own, kernel))
      continue;
    if (taken) {
      if (own.steps < applied)
        own = {shadowed, rule.name.place, "an earlier schedule is taken",
               ("the one in line " + Twine(taken->name.place.line) + " fits, too, and the first one counts").str()};
      continue;
    }
    taken = &rule;
    own.steps = applied;
    if (failed(take(rule, kernel, schedule)))
      return failure();
  }
  return success();
}

LogicalResult ScheduleRules::take(const ScheduleRule &rule, const Kernel &kernel, Schedule &schedule) const {
  std::string where = rule.by == ScheduleRule::By::Kind
                          ? (", in kernel " + kernel.name + " of '" + printable(kernel.node()) + "'").str()
                          : "";
  Schedule analytic = schedule;
  WrittenNumbers numbers(kernel.statements, analytic);
  for (const ScheduledStatement &written : rule.statements) {
    std::vector<unsigned> found = kernel.statementsNamed(written.name.text);
    if (found.empty() && !(rule.by == ScheduleRule::By::Kind && written.name.text == "row"))
      return refuse(written.name.place, "no statement '" + printable(written.name.text) + "'" + where,
                    "it has " + kernel.names());
    for (unsigned number : found)
      for (const ScheduleSetting &setting : written.settings)
        if (std::optional<ScheduleMistake> mistake = numbers.add(number, setting))
          return refuse(mistake->place, mistake->message + where, mistake->help);
  }
  if (std::optional<ScheduleMistake> mistake = numbers.set(schedule, kernel.shape))
    return refuse(mistake->place, mistake->message + where, mistake->help);
  bool isContraction = kernel.shape.kind == KernelKind::Contraction;
  isContraction ? deriveContraction(schedule, kernel.shape.contraction) : deriveAttention(schedule, kernel.shape);
  ProposedSchedule proposed{kernel.shape, kernel.statements, schedule, analytic, kernel.packable, kernel.target};
  if (std::optional<ScheduleLimit> limit = checkLimits(proposed))
    return refuse(numbers.placeOf(*limit, rule.statements.front().name.place), limit->message + where, limit->help);
  return success();
}

LogicalResult ScheduleRules::finish() {
  LogicalResult result = success();
  for (auto [rule, own] : llvm::zip_equal(file.rules, reached)) {
    constexpr unsigned applied = 5;
    bool isNamed = rule.by != ScheduleRule::By::Kind && (!rule.target || targets.contains(rule.target->text));
    if (!isNamed || own.steps == applied)
      continue;
    if (own.steps) {
      result = refuse(own.place, own.message, own.help);
      continue;
    }
    std::vector<std::string> kernels;
    SmallVector<StringRef> known;
    bool byOp = rule.by == ScheduleRule::By::Op;
    if (byOp)
      for (const auto &node : nodes)
        known.push_back(node.getKey());
    else
      for (auto kernel : module.getOps<nn::KernelOp>())
        known.push_back(kernel.getName());
    llvm::sort(known); // a set has no order
    result =
        refuse(rule.name.place,
               Twine(byOp ? "no kernel comes from a node '" : "there is no kernel '") + printable(rule.name.text) + "'",
               meantOr(rule.name.text, known, "kumiko compile --explain lists kernels with their nodes"));
  }
  return result;
}

std::string kumiko::printSchedule(nn::KernelOp kernel) {
  FailureOr<Schedule> schedule = Schedule::fromAttribute(kernel->getAttrOfType<DictionaryAttr>("schedule"));
  if (failed(schedule))
    return "";
  Block &body = kernel.getBody().front();
  KernelExtents extents;
  KernelShape shape = shapeOfKernel(body, body.getTerminator()->getOperands(), extents);
  std::vector<KernelStatement> statements = statementsOf(shape, body);
  if (statements.empty())
    return "";
  auto isConstant = [&](BlockArgument argument) {
    return kernel.getArgAttr(argument.getArgNumber(), "nn.constant") != Attribute();
  };
  bool packable = shape.kind == KernelKind::Contraction && hasConstantColumns(shape.contraction, isConstant);
  std::string text = ("for kernel " + kernel.getName() + "\n").str();
  for (const KernelStatement &statement : statements)
    text += "  " + scheduleName(statement.text()) + ": " + wordsOf(statement, *schedule, packable) + "\n";
  return text;
}

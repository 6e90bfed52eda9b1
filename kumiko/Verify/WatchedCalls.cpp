#include "kumiko/Verify/WatchedCalls.h"

using namespace kumiko;

static thread_local WatchedCalls *current = nullptr;

int64_t kumiko::numberOf(const Program &program, const int64_t *symbols, const Extent &extent) {
  auto value = [&](llvm::StringRef name) -> std::optional<int64_t> {
    for (auto [number, symbol] : llvm::enumerate(program.symbols))
      if (symbol.name == name)
        return symbols[number];
    return std::nullopt;
  };
  // The runtime has computed every size of this call before it made it.
  return extent.evaluate(value).value_or(0);
}

WatchedCalls::WatchedCalls(const Program &program, const kumiko_artefact &artefact, Watcher watcher)
    : program(program), expressions(program), watcher(std::move(watcher)), watchedArtefact(artefact), dynamics{} {
  static const char noWeights = 0;
  const void *weights = artefact.weights ? artefact.weights : &noWeights;
  firstMark = static_cast<const char *>(weights) + artefact.weights_bytes;
  std::vector<uint64_t> places;          // of the original calls
  llvm::SmallDenseSet<uint32_t> lasting; // levels that hold to the end of the program
  for (size_t first = 0, next; first < program.calls.size(); first = next) {
    const ProgramCall &outer = program.calls[first];
    next = first + 1 + outer.body + outer.otherwise;
    for (size_t number = first; number < next; ++number) {
      places.push_back(calls.size());
      addCall(artefact.calls[number], number);
    }
    if (outer.kind != CallKind::Choice)
      lasting.insert(outer.level);
    if (!outer.isKernel())
      addEnds(outer, first);
  }
  watchedArtefact.calls = calls.data();
  watchedArtefact.call_count = calls.size();
  watchedArtefact.weights = weights;
  watchedArtefact.weights_bytes = artefact.weights_bytes + marks.size();
  if (artefact.dynamics) {
    dynamics = *artefact.dynamics;
    levels.assign(dynamics.levels, dynamics.levels + dynamics.level_count);
    levels[0].last = calls.size();
    for (auto [number, level] : llvm::drop_begin(llvm::enumerate(levels))) {
      // What is added behind a loop or choice does not belong to it.
      level.last = lasting.contains(number) ? calls.size() : places[level.last - 1] + 1;
      level.first = level.first ? places[level.first - 1] + 1 : 0;
    }
    dynamics.levels = levels.data();
    watchedArtefact.dynamics = &dynamics;
  }
  assert(!current && "one at a time");
  current = this;
}

WatchedCalls::~WatchedCalls() { current = nullptr; }

kumiko_buffer WatchedCalls::mark() const {
  return {KUMIKO_SPACE_WEIGHTS, 0, int64_t(watchedArtefact.weights_bytes + marks.size()), nullptr, 0};
}

void WatchedCalls::addCall(const kumiko_call &call, size_t number) {
  kumiko_call &added = calls.emplace_back(call);
  if (call.kind != KUMIKO_CALL_KERNEL)
    return;
  std::vector<kumiko_buffer> &mine = buffers.emplace_back(1, mark());
  mine.insert(mine.end(), call.buffers, call.buffers + call.buffer_count);
  marks.push_back({number, call.kernel});
  added.kernel = watched;
  added.buffers = mine.data();
  added.buffer_count = mine.size();
}

void WatchedCalls::addEnds(const ProgramCall &call, size_t number) {
  std::vector<kumiko_buffer> &mine = buffers.emplace_back(1, mark());
  for (const BufferRef &end : call.ends) {
    std::vector<kumiko_step> &moves = steps.emplace_back();
    for (const LoopStep &step : end.steps)
      moves.push_back({step.loop, uint32_t(step.kind), expressions.sizeOf(step.bytes, call.scope)});
    mine.push_back(
        {uint32_t(end.space), end.number, expressions.sizeOf(end.offset, call.scope), moves.data(), moves.size()});
  }
  marks.push_back({number, nullptr});
  kumiko_call &added = calls.emplace_back();
  added.kernel = watched;
  added.buffers = mine.data();
  added.buffer_count = mine.size();
  added.chunks = 1;
  added.name = added.nodes = "";
}

int WatchedCalls::watched(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  const Mark &mark = current->marks[static_cast<const char *>(buffers[0]) - current->firstMark];
  return current->watcher(
      {current->program.calls[mark.number], mark.number, mark.run, buffers + 1, symbols, chunk, scratch});
}

//===- WatchedCalls.h - a program whose calls go through other hands --------===//
//
// The runtime walks a program with its symbols, levels, loops and choices; nobody else knows how. Who wants to see or
// change what happens at a call therefore gives the runtime a copy of the tables in which every kernel is `watched`.
// A kernel is not told which call it serves, so each one gets a buffer more, in front of its own: an address that is
// never read and says by its distance from a mark which call it belongs to. Behind every loop and choice of the
// outermost range stands a call more, whose buffers are the results of that loop or choice.
//
//===----------------------------------------------------------------------===//
#pragma once
#include "kumiko/Emit/Expressions.h"
#include "runtime/include/kumiko/artefact.h"
#include <functional>
#include <vector>

namespace kumiko {

class WatchedCalls {
public:
  /// One chunk of a call. `run` is its kernel; null for the results of a loop or choice, whose places `buffers` are.
  struct Event {
    const ProgramCall &call;
    size_t number; ///< of the call in the program
    kumiko_kernel run;
    void *const *buffers;
    const int64_t *symbols;
    int64_t chunk;
    void *scratch;
  };
  /// Returns the kernel's code.
  using Watcher = std::function<int(const Event &)>;

  /// `artefact` is that of `program`; both must outlive this object. One at a time watches the calls of a thread, and
  /// the program must be run by that thread alone.
  WatchedCalls(const Program &program, const kumiko_artefact &artefact, Watcher watcher);
  ~WatchedCalls();
  WatchedCalls(const WatchedCalls &) = delete;

  /// For the runtime, in place of the original.
  const kumiko_artefact &artefact() const { return watchedArtefact; }

private:
  static int watched(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch);
  void addCall(const kumiko_call &call, size_t number);
  void addEnds(const ProgramCall &call, size_t number);
  kumiko_buffer mark() const;

  /// Whom a mark stands for.
  struct Mark {
    size_t number;
    kumiko_kernel run;
  };

  const Program &program;
  Expressions expressions;
  Watcher watcher;
  kumiko_artefact watchedArtefact;
  kumiko_dynamics dynamics;
  const char *firstMark;
  std::vector<Mark> marks;
  std::vector<kumiko_call> calls;
  std::vector<kumiko_level> levels;
  std::vector<std::vector<kumiko_buffer>> buffers;
  std::vector<std::vector<kumiko_step>> steps;
};

/// An extent in terms of the program's symbols, whose values a kernel has been given.
int64_t numberOf(const Program &program, const int64_t *symbols, const Extent &extent);

} // namespace kumiko

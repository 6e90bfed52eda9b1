#include "kumiko/Verify/ProgramWalk.h"
#include <cstring>

using namespace kumiko;

int64_t ProgramWalk::offsetOf(const BufferRef &buffer) const {
  int64_t offset = buffer.offset;
  for (const LoopStep &step : buffer.steps)
    offset += (step.alternates ? turns[step.loop] & 1 : turns[step.loop]) * step.bytes;
  return offset;
}

bool ProgramWalk::run(size_t first, size_t last, Kernel kernel, Address address) {
  for (size_t number = first; number < last;) {
    const ProgramCall &call = calls[number];
    size_t inside = number + 1, middle = inside + call.body, end = middle + call.otherwise;
    if (call.isKernel()) {
      if (!kernel(number))
        return false;
    } else if (call.kind == CallKind::Choice) {
      bool yes = *address(call.buffers[0]);
      if (!(yes ? run(inside, middle, kernel, address) : run(middle, end, kernel, address)))
        return false;
    } else {
      int64_t &turn = turns[call.loops];
      for (turn = 0; turn < call.chunks.value(); ++turn) {
        if (!call.buffers.empty()) {
          if (!*address(call.buffers[0]))
            break;
          std::memcpy(address(call.buffers[1]), &turn, sizeof turn);
        }
        if (!run(inside, middle, kernel, address))
          return false;
      }
    }
    number = end;
  }
  return true;
}

//===- DemandOrigins.cpp - where elements come from, without emitting --------===//
#include "kumiko/Codegen/Cpu/Demand.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kumiko;
using namespace kumiko::cpu;

/// What is emitted on the way goes into a block that is thrown away, together with everything known of its values.
void Demand::withoutEmitting(ArrayRef<IndexRange> loops, llvm::function_ref<void(ArrayRef<Form>)> ask) {
  Block thrownAway;
  auto numbersBefore = loopNumbers;
  auto guardedBefore = guardedNumbers;
  size_t slotsBefore = slots.size();
  Position numbers;
  for (IndexRange range : loops)
    numbers.push_back(Form::ofSlot(addSlot(thrownAway.addArgument(b.getIndexType(), loc), 1, range)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&thrownAway);
    Tracing trace;
    trace.firstSlot = slotsBefore;
    trace.loops = loops.size();
    tracing = &trace;
    ask(numbers);
    tracing = nullptr;
  }
  thrownAway.dropAllReferences();
  slots.truncate(slotsBefore);
  loopNumbers = std::move(numbersBefore);
  guardedNumbers = std::move(guardedBefore);
}

std::optional<Origin> Demand::originAt(Value tensor, ArrayRef<Form> position) {
  assert(tracing && "only inside of withoutEmitting");
  return originOf(at(tensor, position));
}

std::optional<Origin> Demand::originOfScalar(Value scalar) {
  assert(tracing && "only inside of withoutEmitting");
  return originOf(scalarOutside(scalar));
}

std::optional<Origin> Demand::originOf(Value value) {
  if (TypedAttr constant; matchPattern(value, m_Constant(&constant)))
    return Origin{Value(), Form(), constant};
  auto found = tracing->loads.find(value);
  if (found == tracing->loads.end())
    return std::nullopt;
  auto [memref, offset] = found->second;
  Form place(offset.constant);
  for (const auto &[slot, coefficient] : offset.terms) {
    if (slot < tracing->firstSlot || slot >= tracing->firstSlot + tracing->loops)
      return std::nullopt;
    place = place + Form::ofSlot(slot - tracing->firstSlot, coefficient);
  }
  return Origin{memref, place, TypedAttr()};
}

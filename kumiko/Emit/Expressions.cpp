#include "kumiko/Emit/Expressions.h"
#include "kumiko/Extents/ExtentCode.h"
#include "runtime/include/kumiko/artefact.h"
#include "llvm/ADT/STLExtras.h"

using namespace kumiko;

using Kind = ExtentStep::Kind;
static_assert(uint32_t(Kind::Constant) == KUMIKO_EXTENT_CONSTANT && uint32_t(Kind::Symbol) == KUMIKO_EXTENT_SYMBOL &&
              uint32_t(Kind::Add) == KUMIKO_EXTENT_ADD && uint32_t(Kind::Multiply) == KUMIKO_EXTENT_MULTIPLY &&
              uint32_t(Kind::FloorDiv) == KUMIKO_EXTENT_FLOORDIV && uint32_t(Kind::Max) == KUMIKO_EXTENT_MAX &&
              uint32_t(Kind::Min) == KUMIKO_EXTENT_MIN && uint32_t(Kind::Broadcast) == KUMIKO_EXTENT_BROADCAST);
static_assert(uint32_t(ProgramDemand::Kind::Equal) == KUMIKO_DEMAND_EQUAL &&
              uint32_t(ProgramDemand::Kind::Broadcast) == KUMIKO_DEMAND_BROADCAST &&
              uint32_t(ProgramDemand::Kind::AtMost) == KUMIKO_DEMAND_AT_MOST);

uint32_t kumiko::levelOf(const Program &program, const ProgramDemand &demand) {
  return std::max(program.levelOf(demand.left, demand.scope), program.levelOf(demand.right, demand.scope));
}

/// A negative number would be taken for an expression, so it is one.
static bool isPlain(const Extent &extent) { return extent.isStatic() && extent.value() >= 0; }

std::string Expressions::keyOf(const Extent &extent, uint32_t scope) const {
  return std::to_string(program.levelOf(extent, scope)) + ":" + extent.str();
}

void Expressions::add(const Extent &extent, uint32_t scope) {
  if (!isPlain(extent) && numbers.insert({keyOf(extent, scope), 0}).second)
    extents.push_back({program.levelOf(extent, scope), extent});
}

Expressions::Expressions(const Program &program) : program(program) {
  for (const auto *values : {&program.inputs, &program.outputs})
    for (const ProgramValue &value : *values)
      llvm::for_each(value.extents, [&](const Extent &extent) { add(extent); });
  for (const ProgramCall &call : program.calls) {
    add(call.chunks, call.scope);
    add(call.scratchBytes, call.scope);
    for (llvm::ArrayRef<BufferRef> buffers : {llvm::ArrayRef(call.buffers), llvm::ArrayRef(call.ends)})
      for (const BufferRef &buffer : buffers) {
        add(buffer.offset, call.scope);
        llvm::for_each(buffer.steps, [&](const LoopStep &step) { add(step.bytes, call.scope); });
      }
  }
  for (const PlannedBuffer &buffer : program.planned)
    add(buffer.bytes, buffer.level);
  for (const ProgramDemand &demand : program.demands) {
    add(demand.left, demand.scope);
    add(demand.right, demand.scope);
  }
  auto found = std::exchange(extents, {});
  for (uint32_t level = 0; level <= program.levels.size(); ++level)
    llvm::copy_if(found, std::back_inserter(extents), [&](const auto &extent) { return extent.first == level; });
  for (auto [number, extent] : llvm::enumerate(extents))
    numbers[keyOf(extent.second, extent.first)] = int64_t(number);
}

int64_t Expressions::sizeOf(const Extent &extent, uint32_t scope) const {
  return isPlain(extent) ? extent.value() : ~numbers.lookup(keyOf(extent, scope));
}

int64_t Expressions::numberOf(llvm::StringRef symbol) const {
  for (auto [number, known] : llvm::enumerate(program.symbols))
    if (known.name == symbol)
      return int64_t(number);
  llvm_unreachable("an expression over a symbol that the program does not have");
}

size_t Expressions::countUpTo(uint32_t level) const {
  return llvm::count_if(extents, [&](const auto &extent) { return extent.first <= level; });
}

// Whatever an op is applied to, the answer is an instance or an error.
#include "Apply.h"
#include "kumiko/Equation/Class.h"
#include "kumiko/Equation/Cost.h"
#include <cstdlib>

using namespace kumiko;
using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

/// Seeded, so that a failure can be repeated.
class Chance {
public:
  explicit Chance(unsigned seed) : state(seed * 2654435761u + 1) {}
  unsigned below(unsigned limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
  }
  template <typename T, size_t N> const T &of(const T (&list)[N]) { return list[below(N)]; }

private:
  unsigned state;
};

constexpr int64_t numbers[] = {0,
                               1,
                               1,
                               2,
                               2,
                               3,
                               4,
                               8,
                               -1,
                               -2,
                               65,
                               1 << 20,
                               int64_t(1) << 40,
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};

Extent extent(Chance &chance) {
  static const char *const symbols[] = {"N", "M", "K"};
  if (chance.below(5) == 0)
    return Extent::symbol(chance.of(symbols));
  return chance.of(numbers);
}

TensorType type(Chance &chance) {
  static constexpr ElementType types[] = {ElementType::F32, ElementType::F32, ElementType::F32, ElementType::F16,
                                          ElementType::I64, ElementType::B1,  ElementType::U8};
  TensorType result;
  result.element = chance.of(types);
  for (unsigned rank = chance.below(6); rank > 0; --rank)
    result.shape.push_back(chance.below(3) ? Extent(1 + chance.below(4)) : extent(chance));
  return result;
}

Attribute attribute(AttributeKind kind, Chance &chance) {
  static const char *const words[] = {"+", "max", "set", "linear", "constant", "reflect", ""};
  static constexpr double reals[] = {
      0, 1, -1.5, 1e30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  switch (kind) {
  case AttributeKind::Int:
    return chance.of(numbers);
  case AttributeKind::Ints: {
    llvm::SmallVector<int64_t, 6> list;
    for (unsigned count = chance.below(5); count > 0; --count)
      list.push_back(chance.of(numbers));
    return list;
  }
  case AttributeKind::Float:
    return chance.of(reals);
  case AttributeKind::Floats:
    return llvm::SmallVector<double, 4>{chance.of(reals)};
  case AttributeKind::Bool:
    return chance.below(2) == 0;
  case AttributeKind::Str:
  case AttributeKind::Combine:
    return std::string(chance.of(words));
  case AttributeKind::Type:
    return static_cast<ElementType>(chance.below(27));
  }
  return int64_t(0);
}

/// Applies the op to anything; true when it was accepted.
bool tryAnything(const OpDef &op, Chance &chance) {
  llvm::SmallVector<std::optional<TensorType>, 4> operands;
  for (const TensorDef &operand : op.operands) {
    for (unsigned count = operand.variadic ? chance.below(4) : 1; count > 0; --count)
      operands.push_back(chance.below(12) ? std::optional(type(chance)) : std::nullopt);
    // Equal types are what makes an application go far.
    if (operands.size() > 1 && operands[0] && operands.back() && chance.below(2))
      operands.back() = *operands[0];
  }
  Application application;
  application.operands = operands;
  for (const AttributeDef &definition : op.attributes)
    if (chance.below(10))
      application.attributes[definition.name] = attribute(definition.kind, chance);
  if (auto types = inferResults(op, application); !types)
    llvm::consumeError(types.takeError());
  llvm::Expected<Instance> result = instantiate(op, application);
  if (!result) {
    EXPECT_FALSE(llvm::toString(result.takeError()).empty());
    return false;
  }
  // Whatever was accepted can be shown, classified and costed.
  EXPECT_FALSE(str(*result).empty());
  costOf(*result);
  for (const Statement &statement : result->statements) {
    classify(statement);
    for (const Loop &loop : statement.loops)
      EXPECT_FALSE(loop.extent.overflowed());
  }
  return true;
}

/// Applications per op; the long check asks for more.
unsigned rounds() {
  const char *wanted = std::getenv("KUMIKO_FUZZ_ROUNDS");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 150;
}

TEST(Robust, AnyTypesAndAttributes) {
  unsigned accepted = 0, seed = 1;
  for (const OpDef &op : builtinOps()) {
    for (unsigned round = 0; round < rounds(); ++round) {
      Chance chance(seed++);
      accepted += tryAnything(op, chance);
    }
  }
  // Enough of them are right for the later stages to be reached.
  EXPECT_GT(accepted, 200u);
}

// A text that was damaged and is still an op.
TEST(Robust, DamagedOps) {
  static constexpr char noise[] = "()[],.:?+-*/<>ikn01 x";
  unsigned parsed = 0, seed = 1;
  for (const OpDef &original : builtinOps()) {
    for (unsigned round = 0; round < rounds(); ++round) {
      Chance chance(seed++);
      std::string text = original.text.str();
      for (unsigned changes = 1 + chance.below(2); changes > 0; --changes)
        text[chance.below(text.size())] = noise[chance.below(sizeof(noise) - 1)];
      ParseResult result = parse("damaged.eq", text);
      for (const OpDef &op : result.ops) {
        ++parsed;
        for (unsigned again = 0; again < 4; ++again)
          tryAnything(op, chance);
      }
    }
  }
  EXPECT_GT(parsed, 500u);
}

} // namespace

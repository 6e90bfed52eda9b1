#include "kumiko/Import/Build/Checks.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"

using namespace llvm;
using namespace mlir;
using namespace kumiko;

void kumiko::forEachCheck(Operation *op, StringRef place, llvm::function_ref<void(nn::Check)> add) {
  auto isSymbolic = [](mlir::Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); };
  if (!isa<nn::EquationInterface>(op) || (none_of(op->getOperandTypes(), isSymbolic) && !nn::usesSymbols(op)))
    return;
  Expected<eq::Instance> instance = nn::instantiate(op);
  if (!instance)
    return consumeError(instance.takeError());
  using Relation = nn::Check::Relation;
  auto say = [&](const Extent &lhs, const Extent &rhs, Relation relation, const Twine &what) {
    add({lhs, rhs, relation, (place + ": " + what).str()});
  };
  for (const auto &[a, b] : instance->checks)
    say(a, b, Relation::Equal, a.str() + " must be " + b.str());
  for (const auto &[a, b] : instance->broadcastChecks)
    say(a, b, Relation::Broadcast, a.str() + " and " + b.str() + " must be equal, or one of them 1");
  for (const auto &[a, b] : instance->boundChecks)
    say(a, b, Relation::AtMost, a.str() + " must not be above " + b.str());
  for (const auto &[a, b] : instance->repeatChecks) {
    Extent isNotOne = min(1, max(b - Extent(1), Extent(1) - b));
    say(a * isNotOne, b, Relation::AtMost, b.str() + " must be 1, or at least " + a.str());
  }
}

bool kumiko::isSameCheck(const nn::Check &a, const nn::Check &b) {
  bool isOrdered = a.relation == nn::Check::Relation::AtMost;
  return a.relation == b.relation &&
         ((a.lhs == b.lhs && a.rhs == b.rhs) || (!isOrdered && a.lhs == b.rhs && a.rhs == b.lhs));
}

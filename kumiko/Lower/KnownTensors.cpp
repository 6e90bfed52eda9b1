#include "kumiko/Lower/KnownTensors.h"
#include "kumiko/Equation/Access.h"
#include "kumiko/Evaluate/Evaluate.h"
#include "kumiko/Nn/Equations.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace kumiko;
using eq::Expr;
using Role = eq::Tensor::Role;

/// What one op may add to the constants of a network, and points that may take: more than a table is better computed.
constexpr uint64_t mostBytes = 1 << 16, mostPoints = 1 << 20;

static llvm::SmallDenseSet<unsigned> readsOf(const eq::Statement &statement) {
  llvm::SmallDenseSet<unsigned> reads;
  eq::eachExpr(statement, [&](const Expr &expr) {
    if (expr.kind == Expr::Kind::Read)
      reads.insert(expr.tensor);
  });
  if (statement.into)
    reads.insert(*statement.into);
  return reads;
}

static bool isStatic(const eq::Statement &statement) {
  bool known = llvm::all_of(statement.loops, [](const eq::Loop &loop) { return loop.extent.isStatic(); });
  eq::eachExpr(statement, [&](const Expr &expr) { known &= !expr.symbolic; });
  return known;
}

/// By tensor: whether it follows from attributes and extents alone. Results are left to those who fold whole ops.
static llvm::BitVector findKnown(const eq::Instance &instance) {
  llvm::BitVector known(instance.tensors.size());
  for (auto [number, tensor] : llvm::enumerate(instance.tensors))
    known[number] = tensor.role == Role::Temporary;
  for (bool changed = true; changed;) {
    changed = false;
    for (const eq::Statement &statement : instance.statements) {
      bool follows =
          isStatic(statement) && llvm::all_of(readsOf(statement), [&](unsigned tensor) { return known.test(tensor); });
      for (const eq::Target &target : statement.targets)
        if (!follows && known.test(target.tensor)) {
          known.reset(target.tensor);
          changed = true;
        }
    }
  }
  return known;
}

std::vector<lower::KnownTensor> lower::knownTensors(Operation *op, const eq::Instance &instance) {
  llvm::BitVector known = findKnown(instance);
  auto isKnown = [&](const eq::Statement &statement) { return known.test(statement.targets[0].tensor); };
  llvm::BitVector wanted(instance.tensors.size());
  for (const eq::Statement &statement : instance.statements)
    if (!isKnown(statement))
      for (unsigned tensor : readsOf(statement))
        if (known.test(tensor))
          wanted.set(tensor);
  uint64_t bytes = 0;
  for (unsigned number : wanted.set_bits()) {
    const eq::TensorType &type = instance.tensors[number].type;
    Extent count = product(type.shape);
    if (!count.isStatic() || uint64_t(count.value()) > mostBytes)
      return {};
    bytes += count.value() * bytesOf(type.element);
  }
  if (bytes == 0 || bytes > mostBytes)
    return {};

  // The same op with the tables as its results, and nothing else.
  llvm::Expected<eq::Instance> alone = nn::instantiate(op, /*onlyUsedResults=*/true);
  if (!alone)
    return llvm::consumeError(alone.takeError()), std::vector<KnownTensor>();
  llvm::erase_if(alone->statements, [&](const eq::Statement &statement) { return !isKnown(statement); });
  SmallVector<unsigned> tables(wanted.set_bits());
  for (auto [number, tensor] : llvm::enumerate(alone->tensors)) {
    auto table = llvm::find(tables, number);
    tensor.present = known.test(number);
    tensor.role = table == tables.end() ? Role::Temporary : Role::Result;
    tensor.number = table == tables.end() ? 0 : unsigned(table - tables.begin());
  }
  auto values = evaluate(*alone, {}, Precision::Declared, {mostBytes * 16, mostPoints});
  if (!values)
    return llvm::consumeError(values.takeError()), std::vector<KnownTensor>();
  std::vector<KnownTensor> found;
  for (auto [table, value] : llvm::zip_equal(tables, *values))
    found.push_back({table, std::move(value)});
  return found;
}

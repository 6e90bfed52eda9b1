// Ops that no equation says, and what networks do with their results. Sizes that data decide are not among them.
#include "kumiko/Nn/Build.h"
#include "test/Graphs/GraphMaker.h"

using namespace kumiko;
using namespace kumiko::graphs;
using mlir::Value;

static mlir::Operation *make(GraphMaker &m, llvm::StringRef name, Value x,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  std::string why;
  mlir::FailureOr<mlir::Operation *> op = nn::buildIrregularOp(m.builder, m.nextLoc(), name, x, attributes, why);
  return succeeded(op) && m.admit(*op) ? *op : nullptr;
}

/// The best of a row; sometimes other elements at the same places are taken, too.
static bool addTopk(GraphMaker &m) {
  Value x = m.any([&](Value v) { return !m.shapeOf(v).empty() && m.elementOf(v) != ElementType::B1; });
  if (!x)
    return false;
  int64_t axis = m.random.below(m.shapeOf(x).size()), extent = m.shapeOf(x)[axis];
  int64_t k = m.random.of<int64_t>({0, 1, extent / 2, extent});
  mlir::Operation *op = make(m, "topk", x,
                             {m.number("axis", axis), m.number("k", std::min(k, extent)),
                              m.named("largest", m.builder.getBoolAttr(m.random.chance(70)))});
  if (op && m.random.chance(40))
    m.make("gather_elements", {m.use(ElementType::F32, m.shapeOf(x)), op->getResult(1)}, m.number("axis", axis));
  return op != nullptr;
}

static bool addDeterminant(GraphMaker &m) {
  int64_t n = m.random.of<int64_t>({0, 1, 2, 3, 5});
  Value x = m.use(m.random.of({ElementType::F32, ElementType::F64}), {m.random.of<int64_t>({0, 1, 3}), n, n});
  return make(m, "det", x, {}) != nullptr;
}

llvm::ArrayRef<Step> graphs::irregularPatterns() {
  static constexpr Step steps[] = {addTopk, addTopk, addDeterminant};
  return steps;
}

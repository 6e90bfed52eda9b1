#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/OnnxRows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

namespace {

constexpr KnownOp knownOps[] = {
#define KNOWN_OP(name, since, until) {#name, since, until},
#include "kumiko/Import/Onnx/KnownOps.def"
};

/// The attribute `source` of the node as the equation's attribute wants it.
std::optional<NamedAttribute> translate(NodeContext &n, StringRef source, StringRef target, eq::AttributeKind kind) {
  auto give = [&](auto value) -> std::optional<NamedAttribute> {
    return value ? std::optional(n.is(target, *value)) : std::nullopt;
  };
  switch (kind) {
  case eq::AttributeKind::Int:
    return give(n.integer(source));
  case eq::AttributeKind::Ints:
    return give(n.integers(source));
  case eq::AttributeKind::Float:
    return give(n.real(source));
  case eq::AttributeKind::Bool:
    if (std::optional<int64_t> value = n.integer(source))
      return n.is(target, *value != 0);
    return std::nullopt;
  case eq::AttributeKind::Str:
  case eq::AttributeKind::Combine:
    if (n.has(source))
      return n.is(target, n.text(source, ""));
    return std::nullopt;
  case eq::AttributeKind::Floats:
  case eq::AttributeKind::Type:
    // No clause needs these; one that does gets its code here.
    if (n.has(source))
      n.fail(Code::UnsupportedForm, "attribute \"" + source + "\" cannot be translated");
    return std::nullopt;
  }
  return std::nullopt;
}

llvm::DenseMap<StringRef, const OpCode *> tableOf(std::initializer_list<ArrayRef<OpCode>> families) {
  llvm::DenseMap<StringRef, const OpCode *> table;
  for (ArrayRef<OpCode> family : families)
    for (const OpCode &code : family) {
      [[maybe_unused]] bool fresh = table.try_emplace(code.name, &code).second;
      assert(fresh && "an op has code in two families");
    }
  return table;
}

} // namespace

const OpCode *findCode(StringRef domain, StringRef name) {
  static const llvm::DenseMap<StringRef, const OpCode *> own = tableOf({
      // clang-format off: one on each line
      activationOps(),
      attentionOps(),
      castOps(),
      columnOps(),
      constantOps(),
      contractionOps(),
      controlOps(),
      convolutionOps(),
      einsumOps(),
      elementwiseOps(),
      irregularOps(),
      lossOps(),
      movementOps(),
      normalizeOps(),
      poolingOps(),
      quantizeOps(),
      randomOps(),
      recurrentOps(),
      reductionOps(),
      resizeOps(),
      sampleOps(),
      scatterOps(),
      signalOps(),
      sequenceOps(),
      sliceOps(),
      undomainedOps(),
      viewOps(),
      // clang-format on
  });
  static const llvm::DenseMap<StringRef, const OpCode *> microsoft = tableOf({
      microsoftActivationOps(),
      microsoftAttentionOps(),
      microsoftContractionOps(),
      microsoftNormalizeOps(),
      microsoftQuantizeOps(),
  });
  static const llvm::DenseMap<StringRef, const OpCode *> preview = tableOf({previewOps()});
  if (domain.empty())
    return own.lookup(name);
  if (domain == "ai.onnx.preview")
    return preview.lookup(name);
  return domain == "com.microsoft" ? microsoft.lookup(name) : nullptr;
}

const nn::OnnxRow *findRow(StringRef domain, StringRef name, int64_t opset) {
  const nn::OnnxRow *best = nullptr;
  ArrayRef<nn::OnnxRow> rows = nn::onnxRows();
  // Sorted by domain, name and version.
  const auto *row = partition_point(rows, [&](const nn::OnnxRow &row) {
    return std::pair<StringRef, StringRef>(row.domain, row.name) < std::pair(domain, name);
  });
  for (; row != rows.end() && row->domain == domain && row->name == name; ++row)
    if (int64_t(row->since) <= opset)
      best = row;
  return best;
}

Arity arityOf(const nn::OnnxRow &row) {
  const eq::OpDef *def = nn::lookupEquation(row.op);
  assert(def && "the generator writes rows only for ops it has");
  Arity arity{0, unsigned(row.operands.size()), unsigned(def->results.size())};
  for (auto [number, name] : enumerate(row.operands)) {
    const auto *operand = find_if(def->operands, [&](const eq::TensorDef &operand) { return operand.name == name; });
    if (!operand->optional)
      arity.fewestInputs = number + 1;
  }
  return arity;
}

Results importByRow(NodeContext &n, const nn::OnnxRow &row) {
  const eq::OpDef *def = nn::lookupEquation(row.op);
  assert(def && "the generator writes rows only for ops it has");
  // Operands of the row are named; the nn op wants them by position.
  SmallVector<Value, 4> operands(def->operands.size());
  for (auto [number, name] : enumerate(row.operands)) {
    const auto *operand = find_if(def->operands, [&](const eq::TensorDef &operand) { return operand.name == name; });
    operands[operand - def->operands.begin()] = n.input(number);
  }
  SmallVector<NamedAttribute, 4> attributes;
  for (const nn::OnnxRow::Attribute &attribute : row.attributes) {
    const auto *target =
        find_if(def->attributes, [&](const eq::AttributeDef &target) { return target.name == attribute.nn; });
    if (auto value = translate(n, attribute.onnx, attribute.nn, target->kind))
      attributes.push_back(*value);
    else if (!target->defaultValue && !n.failed())
      n.fail(Code::AttributeMissing, "attribute \"" + attribute.onnx + "\" is missing");
  }
  return n.makeAll(row.op, operands, attributes);
}

const KnownOp *findKnown(StringRef name) {
  const KnownOp *op = partition_point(knownOps, [&](const KnownOp &op) { return op.name < name; });
  return op == std::end(knownOps) || op->name != name ? nullptr : op;
}

StringRef closestKnown(StringRef name) {
  StringRef best;
  if (name.size() > 64)
    return best;
  unsigned bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const KnownOp &op : knownOps) {
    unsigned distance = name.edit_distance_insensitive(op.name, /*AllowReplacements=*/true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = op.name;
    }
  }
  return best;
}

} // namespace kumiko::onnx

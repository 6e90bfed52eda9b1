#include "kumiko/Import/Onnx/Registry.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
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
    if (auto list = n.reals(source)) {
      SmallVector<double> values(list->begin(), list->end());
      return NamedAttribute(StringAttr::get(n.context(), target), DenseF64ArrayAttr::get(n.context(), values));
    }
    return std::nullopt;
  case eq::AttributeKind::Type:
    if (std::optional<int64_t> number = n.integer(source)) {
      if (std::optional<ElementType> type = elementTypeOf(static_cast<DataType>(*number)))
        return n.is(target, nn::fromEquation(n.context(), *type));
      n.fail(Code::AttributeValue, "attribute \"" + source + "\" is " + Twine(*number) + ", which is no tensor type");
    }
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

OnnxRow findUserRow(ArrayRef<eq::OpDef> ops, StringRef domain, StringRef name, int64_t opset) {
  OnnxRow best;
  for (const eq::OpDef &op : ops)
    for (const eq::ImportDef &clause : op.imports)
      if (clause.format == "onnx" && clause.domain == domain && clause.name == name && clause.version <= opset &&
          (!best || clause.version > best.clause->version))
        best = {&op, &clause};
  return best;
}

OnnxRow findRow(StringRef domain, StringRef name, int64_t opset) {
  using Rows = llvm::DenseMap<std::pair<StringRef, StringRef>, SmallVector<OnnxRow, 1>>;
  static const Rows rows = [] {
    Rows rows;
    for (const eq::OpDef &op : nn::allEquations())
      for (const eq::ImportDef &clause : op.imports)
        if (clause.format == "onnx")
          rows[{clause.domain, clause.name}].push_back({&op, &clause});
    return rows;
  }();
  OnnxRow best;
  if (auto found = rows.find({domain, name}); found != rows.end())
    for (const OnnxRow &row : found->second)
      if (row.clause->version <= opset && (!best || row.clause->version > best.clause->version))
        best = row;
  return best;
}

/// Where the definition has the operand of this name; the parser has checked that it has.
static size_t positionOf(const eq::OpDef &op, StringRef operand) {
  return find_if(op.operands, [&](const eq::TensorDef &each) { return each.name == operand; }) - op.operands.begin();
}

Arity arityOf(const OnnxRow &row) {
  Arity arity{0, unsigned(row.clause->operands.size()), unsigned(row.op->results.size())};
  for (auto [number, name] : enumerate(row.clause->operands)) {
    const eq::TensorDef &operand = row.op->operands[positionOf(*row.op, name)];
    if (!operand.optional)
      arity.fewestInputs = number + 1;
    if (operand.variadic)
      arity.mostInputs = OpCode::any;
  }
  return arity;
}

Results importByRow(NodeContext &n, const OnnxRow &row) {
  const eq::OpDef &op = *row.op;
  // Operands of the row are named; the nn op wants them by position. A variadic one is the last of its row.
  std::vector<SmallVector<Value, 1>> given(op.operands.size(), {Value()});
  for (auto [number, name] : enumerate(row.clause->operands)) {
    size_t position = positionOf(op, name);
    given[position] = {n.input(number)};
    if (op.operands[position].variadic)
      given[position] = SmallVector<Value, 1>(n.inputs().drop_front(std::min(number, n.inputCount())));
  }
  SmallVector<Value, 4> operands;
  for (ArrayRef<Value> values : given)
    append_range(operands, values);
  SmallVector<NamedAttribute, 4> attributes;
  for (const eq::ImportDef::Attribute &attribute : row.clause->attributes) {
    const auto *target =
        find_if(op.attributes, [&](const eq::AttributeDef &target) { return target.name == attribute.target; });
    if (auto value = translate(n, attribute.source, attribute.target, target->kind))
      attributes.push_back(*value);
    else if (!target->defaultValue && !n.failed())
      n.fail(Code::AttributeMissing, "attribute \"" + attribute.source + "\" is missing");
  }
  if (&op == nn::lookupEquation(op.name))
    return n.makeAll(op.name, operands, attributes);
  attributes.push_back(n.is(nn::definitionName, op.text));
  return n.makeAll("custom", operands, attributes);
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

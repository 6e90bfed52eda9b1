//===- Values.cpp - names to values, tensors to constants and back -----------===//
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Build/Constants.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

/// Results of folding above this are left to compiled code.
static constexpr uint64_t foldLimit = uint64_t(1) << 20;

Scope::Entry *GraphImporter::find(Scope &scope, StringRef name, Scope **where) {
  for (Scope *around = &scope; around; around = around->outer)
    if (auto entry = around->values.find(name); entry != around->values.end()) {
      if (where)
        *where = around;
      return &entry->second;
    }
  return nullptr;
}

Value GraphImporter::lookup(Scope &scope, StringRef name) {
  Scope *where = nullptr;
  Scope::Entry *entry = find(scope, name, &where);
  if (!entry)
    return {};
  // Weights become ops where they are first needed.
  Origin &origin = entry->origin;
  bool dense = origin.kind == Origin::Kind::Initializer, sparse = origin.kind == Origin::Kind::SparseInitializer;
  if (!entry->value && (dense || sparse)) {
    auto tell = [&](Code code, const Twine &what) -> Problem & {
      return report(code, "initializer \"" + printable(name) + "\": " + what);
    };
    OpBuilder::InsertionGuard guard(builder);
    if (interpretation) // it belongs to the name, not to the node that asks first
      builder.setInsertionPointToEnd(interpretation->held);
    Location loc = NameLoc::get(builder.getStringAttr(name));
    entry->value = dense ? constant(where->initializers[origin.number], loc, /*fromNode=*/false, tell)
                         : constant(model.graph.sparseInitializers[origin.number], loc, tell);
    if (!entry->value) // reported once; afterwards it is a value that failed
      origin.kind = Origin::Kind::Failed;
  }
  return entry->value;
}

Value GraphImporter::constant(const TensorProto &tensor, Location loc, bool fromNode, Report tell) {
  // A tensor may be asked for again, in another call of a function or the next turn of a loop.
  ElementsAttr &value = constants[&tensor];
  if (!value)
    value = elementsOf(tensor, fromNode, tell);
  return value ? nn::ConstantOp::create(builder, loc, value) : Value();
}

ElementsAttr GraphImporter::elementsOf(const TensorProto &tensor, bool fromNode, Report tell) {
  std::optional<TensorData> data = dataOf(tensor, *file, options.tensorLimit, tell);
  if (!data)
    return {};
  // Keys are made unique by counting up from 1, which a file full of equal names would make slow; so we count.
  std::string key = fromNode ? (tensor.name + "." + Twine(nodeConstants++)).str() : tensor.name.str();
  return constantElements(builder.getContext(), data->element, data->shape, data->bytes, key, file);
}

Value GraphImporter::constant(const SharedTensor &tensor, Location loc) {
  const Tensor &t = tensor.tensor;
  StringRef bytes(reinterpret_cast<const char *>(t.data()), t.bytes().size());
  std::string key = ("value." + Twine(nodeConstants++)).str();
  ElementsAttr elements = constantElements(builder.getContext(), t.element(), t.shape(), bytes, key, tensor.owner);
  Value value = nn::ConstantOp::create(builder, loc, elements);
  folded[value] = tensor.share();
  return value;
}

/// How ops are computed while importing.
GraphOptions GraphImporter::evaluation() {
  GraphOptions evaluation;
  if (!interpretation) {
    evaluation.limits.bytes = 16 * foldLimit;
    evaluation.limits.points = uint64_t(1) << 24;
    return evaluation;
  }
  evaluation.precision = interpretation->options.precision;
  evaluation.limits.bytes = interpretation->options.limits.tensorBytes;
  evaluation.limits.points = interpretation->options.limits.points;
  evaluation.limits.spent = &interpretation->points;
  return evaluation;
}

/// Computes one op whose operands are all in `folded`; false when it cannot be.
bool GraphImporter::foldOne(Operation *op) {
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    // A constant is there already.
    uint64_t limit = interpretation || isa<nn::ConstantOp>(op) ? options.tensorLimit : foldLimit;
    if (!type.hasStaticShape()) // interpretation alone can compute it; the evaluator keeps the limit
      continue;
    if (auto size = byteSize(nn::toEquation(type.getElementType()), type.getShape(), limit); !size)
      return whyUnknown = toString(size.takeError()), false;
  }
  GraphOptions how = evaluation();
  how.unusedResults = true;
  auto results = evaluateOp(op, [&](Value operand) -> const SharedTensor & { return folded[operand]; }, how);
  if (!results)
    return whyUnknown = toString(results.takeError()), false;
  for (auto [value, tensor] : zip_equal(op->getResults(), *results))
    folded[value] = std::move(tensor);
  return true;
}

std::optional<Tensor> GraphImporter::valueOf(Value wanted) {
  // Depth first, with a list of our own: chains in files can be longer than the stack.
  SmallVector<Value> open{wanted};
  whyUnknown.clear();
  while (!open.empty()) {
    Value value = open.back();
    if (folded.contains(value)) {
      open.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || ((op->getNumRegions() != 0 || nn::usesSymbols(op)) && !interpretation))
      return std::nullopt;
    size_t before = open.size();
    for (Value operand : op->getOperands())
      if (!folded.contains(operand))
        open.push_back(operand);
    if (open.size() != before)
      continue;
    // References into the map are not kept across insertions: foldOne looks operands up when all of them are there.
    if (!foldOne(op))
      return std::nullopt;
  }
  const Tensor &tensor = folded[wanted].tensor;
  // In double precision floats are held wider than the graph says.
  ElementType declared = nn::toEquation(cast<RankedTensorType>(wanted.getType()).getElementType());
  if (tensor.element() == declared)
    return tensor.alias();
  Expected<Tensor> rounded = convert(tensor, declared, {}, options.tensorLimit);
  if (!rounded)
    return whyUnknown = toString(rounded.takeError()), std::nullopt;
  return std::move(*rounded);
}

} // namespace kumiko::onnx

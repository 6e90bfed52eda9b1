//===- NodeSizes.cpp - the half of NodeContext for extents and symbols ---------===//
#include "kumiko/Import/Build/Checks.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/NodeContext.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Support/Convert.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

Sizes NodeContext::sizesOf(Value value) {
  SmallVector<Extent, 4> extents = nn::extentsOf(cast<RankedTensorType>(value.getType()));
  return Sizes(extents.begin(), extents.end());
}

ArrayRef<int64_t> NodeContext::shapeOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape())
    return type.getShape();
  if (!failed())
    fail(Code::UnsupportedForm, "the shape " + describe(type) + " is not one of numbers, which this op needs")
        .helped("say how large the dimensions are, with --dim NAME=N");
  // A shape of the same rank, for the code that runs on until it looks at `failed`.
  Ints numbers(type.getShape());
  for (int64_t &size : numbers)
    size = ShapedType::isDynamic(size) ? 1 : size;
  return RankedTensorType::get(numbers, type.getElementType()).getShape();
}

int64_t NodeContext::countOf(Value value) { return cantFail(elementCount(shapeOf(value))); }

std::optional<ArrayRef<Dimension>> NodeContext::declaredShape(size_t output) const {
  if (!scope.graph || output >= node.outputs.size())
    return std::nullopt;
  auto &shapes = importer.plans[scope.source]->shapes;
  if (!shapes) {
    shapes.emplace();
    for (ArrayRef<ValueInfo> list : {scope.graph->outputs, scope.graph->values})
      for (const ValueInfo &value : list)
        if (value.type.hasShape)
          shapes->try_emplace(value.name, value.type.shape);
  }
  auto found = shapes->find(node.outputs[output]);
  return found == shapes->end() ? std::nullopt : std::optional(found->second);
}

bool NodeContext::guessOnes() {
  importer.guessedRank = true;
  return importer.takesOnes;
}

bool NodeContext::agree(const Extent &a, const Extent &b, const Twine &what) {
  if (a == b)
    return true;
  if (failed() || a.overflowed() || b.overflowed() || (a.isStatic() && b.isStatic()))
    return false;
  importer.addCheck({a, b, nn::Check::Relation::Equal, (importer.placeText(scope, index) + ": " + what).str()});
  return true;
}

bool NodeContext::broadcasts(const Extent &from, const Extent &to, const Twine &what) {
  if (from == to || from.is(1) || to.is(1))
    return true;
  if (failed() || from.overflowed() || to.overflowed() || (from.isStatic() && to.isStatic()))
    return false;
  importer.addCheck({from, to, nn::Check::Relation::Broadcast, (importer.placeText(scope, index) + ": " + what).str()});
  return true;
}

void NodeContext::atMost(const Extent &a, const Extent &b, const Twine &what) {
  if (!failed() && !(b - a).knownNonNegative())
    importer.addCheck({a, b, nn::Check::Relation::AtMost, (importer.placeText(scope, index) + ": " + what).str()});
}

bool NodeContext::isConstant(std::initializer_list<size_t> numbers) {
  return all_of(numbers, [&](size_t number) { return input(number) && importer.valueOf(input(number)); });
}

std::optional<Sizes> NodeContext::sizes(size_t number, StringRef role, llvm::function_ref<DataBounds(size_t)> bounds,
                                        std::optional<int64_t> wanted) {
  Value value = input(number);
  if (!value || failed())
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  // Numbers, and everything that is wrong with them, as ever.
  if (interprets() || !importer.options.symbols || !type || importer.valueOf(value)) {
    std::optional<Ints> list = constantIntegers(number, role);
    return list ? std::optional(Sizes(list->begin(), list->end())) : std::nullopt;
  }
  if (!isInteger(nn::toEquation(type.getElementType()))) {
    fail(Code::OperandType, role + " is " + describe(type) + ", expected integers")
        .helped("store it as int64, or put a Cast in front");
    return std::nullopt;
  }
  if (wanted && !elementsOf(value).isStatic() && agree(elementsOf(value), *wanted, role + " has as many numbers"))
    value = reshape(value, {*wanted});
  Extent count = elementsOf(value);
  if (!count.isStatic() || count.value() > eq::largestKnown) {
    fail(Code::NotConstant, role + " has " + count.str() + " elements; how many must be a small number")
        .helped("say how many, with --dim NAME=N, or give the node a list of fixed length");
    return std::nullopt;
  }
  eq::KnownElements known = importer.numbersOf(value);
  Sizes list;
  for (auto [i, element] : enumerate(known)) {
    if (element && element->denominator == 1)
      list.push_back(element->numerator);
    else
      list.push_back(importer.readSymbol(*this, value, i, bounds ? bounds(i) : DataBounds()));
  }
  return list;
}

bool NodeContext::followsFromShapes(size_t number) {
  auto isWhole = [](const std::optional<eq::Known> &element) { return element && element->denominator == 1; };
  Value value = input(number);
  if (!value || !isa<IntegerType>(elementOf(value)) || !elementsOf(value).isStatic())
    return false;
  const eq::KnownElements &known = importer.numbersOf(value);
  return int64_t(known.size()) == elementsOf(value).value() && all_of(known, isWhole);
}

bool NodeContext::takesSymbols() const { return importer.options.symbols; }

Extent NodeContext::readExtent(Value list, size_t element, Value resolved) {
  const eq::KnownElements &known = importer.numbersOf(list);
  bool isKnown = element < known.size() && known[element] && known[element]->denominator == 1;
  return isKnown ? known[element]->numerator
                 : importer.readSymbol(*this, resolved ? resolved : list, element, DataBounds());
}

std::optional<Sizes> NodeContext::sizesFrom(StringRef name, size_t number,
                                            llvm::function_ref<DataBounds(size_t)> bounds,
                                            std::optional<int64_t> count) {
  if (std::optional<Ints> list = integers(name))
    return Sizes(list->begin(), list->end());
  return sizes(number, name, bounds, count);
}

Value NodeContext::numbersOf(ArrayRef<Extent> list, ArrayRef<int64_t> shape) {
  if (failed())
    return {};
  if (all_of(list, [](const Extent &extent) { return extent.isStatic(); }))
    return constantOf(to_vector<6>(map_range(list, [](const Extent &extent) { return extent.value(); })), shape);
  SmallVector<Value, 4> parts;
  for (const Extent &extent : list)
    parts.push_back(reshape(make("number", {}, {is("value", extent)}), {1}));
  if (failed())
    return {};
  Value whole = parts.size() == 1 ? parts[0] : make("concat", parts, {is("axis", 0)});
  return whole ? reshape(whole, shape) : whole;
}

/// An irregular op whose result has an extent that values decide: that is a symbol, and the op defines it.
FailureOr<Operation *> NodeContext::withDataSymbol(Operation *op) {
  SmallVector<Value, 4> operands(op->getOperands());
  SmallVector<NamedAttribute> attributes(op->getAttrs());
  StringRef name = op->getName().stripDialect();
  Extent symbol = importer.newSymbol(node.op + "." + Twine(index), /*isData=*/true);
  SmallVector<StringRef, 1> names;
  symbol.symbols(names);
  attributes.push_back(builder().getNamedAttr("symbols", builder().getStrArrayAttr(names)));
  op->erase();
  std::string why;
  auto made = nn::buildIrregularOp(builder(), loc, name, operands, attributes, why);
  if (mlir::failed(made))
    fail(Code::OperandShape, why);
  return made;
}

void NodeContext::collectChecks(Operation *op) {
  forEachCheck(op, importer.placeText(scope, index), [&](nn::Check check) { importer.addCheck(std::move(check)); });
}

} // namespace kumiko::onnx

//===- ReadOps.cpp - expressions: ops, views, constants -------------------------------===//
#include "kumiko/Equation/SourceFile.h"
#include "kumiko/Import/Build/Describe.h"
#include "kumiko/Import/Text/Reader.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

/// Calls and bodies inside each other; the reader recurses for each.
static constexpr unsigned nestingLimit = 64;

Value Reader::readOperand() {
  size_t begin = source.position();
  Results results = readExpression();
  if (source.failed())
    return {};
  if (results.size() == 1)
    return results.front();
  source.fail(begin, source.position(), Code::Arity, "this gives " + Twine(results.size()) + " values, expected one")
      .helped("give the values names with `let a, b = ...;` first");
  return {};
}

Results Reader::readExpression() {
  size_t begin = source.position();
  if (depth >= nestingLimit) {
    source.fail(begin, begin + 1, Code::NestedTooDeep, "more than " + Twine(nestingLimit) + " levels");
    return {};
  }
  if (source.eat("if"))
    return readIf(begin);
  if (source.eat("scan"))
    return readScan(begin);
  if (source.eat("loop"))
    return readLoop(begin);
  bool isWord = source.isName() && !source.at("\"");
  auto name = source.name("a value");
  if (!name)
    return {};
  if (isWord && name->key == "." + name->base) {
    std::optional<ElementType> element = elementTypeNamed(name->base);
    if (element && (source.at("[") || source.at("("))) {
      source.rewind(begin);
      return {readConstant(*element)};
    }
    if (name->base == "weight" && source.at("("))
      return {readWeight()};
  }
  if (source.at("("))
    return readCall(*name);
  if (auto value = scope->values.find(name->key); value != scope->values.end())
    return {value->second};
  if (auto weight = weights.find(name->base); weight != weights.end() && name->key == "." + name->base) {
    Location before = std::exchange(loc, NameLoc::get(builder.getStringAttr(name->base)));
    Value value = constant(weight->second.alias(), name->base);
    loc = before;
    scope->values[name->key] = value;
    return {value};
  }
  SmallVector<StringRef> near;
  for (const auto &entry : scope->values)
    near.push_back(entry.getKey().drop_front(entry.getKey().find('.') + 1));
  StringRef slip = eq::nearest(name->base, near);
  source.fail(name->begin, name->end, Code::UndefinedName, "there is no value '" + printable(name->base) + "' here")
      .helped(slip.empty() ? "it is no input, weight or statement before this one; a body sees only what it is given"
                           : "did you mean '" + printable(slip) + "'?");
  return {};
}

Results Reader::readCall(const Name &name) {
  source.eat("(");
  SmallVector<Value, 4> operands;
  ++depth;
  while (!source.failed() && !source.at(")") && !source.at(";")) {
    operands.push_back(source.eat("_") ? Value() : readOperand());
    if (!source.eat(","))
      break;
  }
  --depth;
  const eq::OpDef *definition = nn::lookupEquation(name.base);
  if (auto own = ownOps.find(name.base); own != ownOps.end())
    definition = &own->second;
  SmallVector<NamedAttribute, 4> attributes;
  if (source.failed() || (source.eat(";") && !readAttributes(definition, attributes)) || !source.need(")"))
    return {};
  if (name.base == "reshape" || name.base == "bitcast") {
    if (operands.size() == 1 && operands.front())
      return readView(name.base, name, operands.front(), attributes);
    source.fail(name.begin, source.position(), Code::Arity, name.base + " takes one operand");
    return {};
  }
  std::string op = name.base;
  if (definition && definition != nn::lookupEquation(name.base)) {
    attributes.push_back(builder.getNamedAttr(nn::definitionName, builder.getStringAttr(definition->text)));
    op = "custom";
  } else if (!definition) {
    definition = nn::lookupEquation(op, attributes);
  }
  Operation *made = build(op, definition, operands, attributes, name);
  return made ? finishOp(made, name.begin) : Results();
}

/// Whether the traits of a record say that it takes this many operands.
static bool takes(OperationName name, size_t count) {
  switch (count) {
  case 0:
    return name.hasTrait<OpTrait::ZeroOperands>();
  case 1:
    return name.hasTrait<OpTrait::OneOperand>();
  case 2:
    return name.hasTrait<OpTrait::NOperands<2>::Impl>();
  case 3:
    return name.hasTrait<OpTrait::NOperands<3>::Impl>();
  default:
    return false;
  }
}

/// What the builders of irregular ops take for granted; empty when it is so.
static std::string refusalOfCall(OperationName op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  if (!takes(op, operands.size()) || is_contained(operands, Value()))
    return "it does not take " + std::to_string(operands.size()) + " operands";
  for (StringAttr name : op.getAttributeNames())
    if (name != "symbols" && none_of(attributes, [&](NamedAttribute each) { return each.getName() == name; }))
      return "attribute '" + name.str() + "' is missing";
  for (NamedAttribute each : attributes)
    if (!is_contained(op.getAttributeNames(), each.getName()))
      return "there is no attribute '" + each.getName().str() + "'";
  std::string why;
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &diagnostic) {
    why = diagnostic.str();
    return success();
  });
  NamedAttrList list(attributes);
  auto complain = [&] { return emitError(UnknownLoc::get(op.getContext())); };
  return op.verifyInherentAttrs(list, complain).failed() && why.empty() ? "an attribute is of another kind" : why;
}

/// The same for ops with an equation.
static std::string refusalOfCall(const eq::OpDef &op, ArrayRef<Value> operands, ArrayRef<NamedAttribute> attributes) {
  if (!op.variadicOperand() && operands.size() > op.operands.size())
    return "it takes at most " + std::to_string(op.operands.size()) + " operands";
  for (NamedAttribute each : attributes) {
    const auto *found = find_if(op.attributes, [&](const auto &row) { return each.getName() == row.name; });
    if (found == op.attributes.end() && each.getName() != nn::definitionName)
      return "there is no attribute '" + each.getName().str() + "'";
    if (found != op.attributes.end() && !nn::toEquation(each.getValue(), found->kind))
      return "attribute '" + each.getName().str() + "' is of another kind";
  }
  return "";
}

Operation *Reader::build(StringRef op, const eq::OpDef *definition, ArrayRef<Value> operands,
                         SmallVectorImpl<NamedAttribute> &attributes, const Name &name) {
  std::string why;
  OperationName full(("nn." + op).str(), builder.getContext());
  bool isIrregular = !definition && full.hasInterface<nn::IrregularInterface>();
  if (!definition && !isIrregular) {
    source.fail(name.begin, name.end, Code::UnknownOp, "there is no op '" + printable(name.base) + "'")
        .helped("docs/reference lists the ops; an op of your own is defined in front of the model");
    return nullptr;
  }
  why = isIrregular ? refusalOfCall(full, operands, attributes) : refusalOfCall(*definition, operands, attributes);
  FailureOr<Operation *> made = failure();
  if (why.empty())
    made = isIrregular ? nn::buildIrregularOp(builder, loc, op, operands, attributes, why)
                       : nn::buildEquationOp(builder, loc, op, operands, attributes, why);
  if (succeeded(made))
    return *made;
  std::string types;
  for (Value operand : operands)
    types += (types.empty() ? "" : ", ") + (operand ? describe(operand.getType()) : "_");
  source.fail(name.begin, name.end, Code::OperandShape, printable(name.base) + ": " + why)
      .with(name.base, "(" + types + ")", "");
  return nullptr;
}

/// What an op of any kind needs once it is there: names for sizes that data decide, limits, checks, its values.
Results Reader::finishOp(Operation *op, size_t begin) {
  auto isOpen = [](mlir::Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return !tensor.hasStaticShape() && !tensor.getEncoding();
  };
  if (any_of(op->getResultTypes(), isOpen)) {
    std::string base = cast<NameLoc>(loc).getName().str(), name = base;
    for (char &c : name)
      c = isSymbolName(StringRef(&c, 1)) ? c : '_';
    for (unsigned i = 1; known.contains(name); ++i)
      name = base + "." + std::to_string(i);
    SmallVector<NamedAttribute> attributes(op->getAttrs());
    attributes.push_back(builder.getNamedAttr("symbols", builder.getStrArrayAttr({name})));
    SmallVector<Value> operands(op->getOperands());
    std::string why, kind = op->getName().stripDialect().str();
    op->erase();
    auto again = nn::buildIrregularOp(builder, loc, kind, operands, attributes, why);
    if (failed(again)) {
      source.fail(begin, source.position(), Code::OperandShape, why);
      return {};
    }
    op = *again;
  }
  if (auto found = op->getAttrOfType<ArrayAttr>("symbols"); found && (!interpretation || scope->outer))
    for (auto name : found.getAsRange<StringAttr>())
      declare(name.getValue(), /*isData=*/true);
  for (mlir::Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!checkedType(nn::extentsOf(tensor), nn::toEquation(tensor.getElementType()), begin))
      return {};
  }
  deriveChecks(op);
  if (interpretation && !scope->outer && !compute(op, begin))
    return {};
  return Results(op->getResults());
}

/// The products agree; of two shapes that differ in names alone it is enough that their dimensions do.
void Reader::checkReshape(ArrayRef<Extent> before, ArrayRef<Extent> after, size_t begin) {
  using Relation = nn::Check::Relation;
  SmallVector<nn::Check> together;
  if (before.size() == after.size())
    for (auto [from, to] : zip(before, after))
      if (from != to)
        together.push_back({from, to, Relation::Equal, ""});
  std::string message = cast<NameLoc>(loc).getName().str() + ": a reshape keeps the number of elements";
  addCheck({product(before), product(after), Relation::Equal, message}, begin, /*isWritten=*/false, together);
}

Results Reader::readView(StringRef op, const Name &name, Value x, ArrayRef<NamedAttribute> attributes) {
  auto type = cast<RankedTensorType>(x.getType());
  StringRef wanted = op == "reshape" ? "shape" : "to";
  mlir::Attribute given =
      attributes.size() == 1 && attributes[0].getName() == wanted ? attributes[0].getValue() : mlir::Attribute();
  RankedTensorType result;
  if (op == "bitcast") {
    auto to = dyn_cast_if_present<TypeAttr>(given);
    unsigned bits = type.getElementTypeBitWidth();
    if (to && to.getValue().getIntOrFloatBitWidth() == bits)
      result = nn::tensorOf(nn::extentsOf(type), to.getValue());
  } else if (auto shape = given ? nn::extentsOf(given) : std::nullopt) {
    result = checkedType(*shape, nn::toEquation(type.getElementType()), name.begin);
    if (!result)
      return {};
    Extent before = product(nn::extentsOf(type)), after = product(*shape);
    if (before.overflowed() || after.overflowed() || (before - after).overflowed() ||
        ((before - after).isStatic() && before != after))
      result = {};
    else if (before != after)
      checkReshape(nn::extentsOf(type), *shape, name.begin);
  }
  if (!result) {
    source.fail(name.begin, source.position(), Code::OperandShape, op + " of " + describe(type) + " does not fit")
        .helped("write reshape(x; shape = [2, 3]) with as many elements, or bitcast(x; to = i32) with as many bits");
    return {};
  }
  Operation *made = op == "bitcast" ? nn::BitcastOp::create(builder, loc, result, x).getOperation()
                                    : nn::ReshapeOp::create(builder, loc, result, x).getOperation();
  return finishOp(made, name.begin);
}

bool Reader::readAttributes(const eq::OpDef *definition, SmallVectorImpl<NamedAttribute> &attributes) {
  while (!source.failed() && !source.at(")")) {
    auto name = source.name("an attribute");
    if (!name || !source.need("="))
      return false;
    std::optional<eq::AttributeKind> kind;
    for (const eq::AttributeDef &each : definition ? definition->attributes : ArrayRef<eq::AttributeDef>())
      if (each.name == name->base)
        kind = each.kind;
    if (any_of(attributes, [&](NamedAttribute each) { return each.getName() == name->base; })) {
      source.fail(name->begin, name->end, Code::DuplicateName, "the attribute is given twice");
      return false;
    }
    mlir::Attribute value = readAttribute(kind);
    if (!value)
      return false;
    attributes.push_back(builder.getNamedAttr(name->base, value));
    if (!source.eat(","))
      break;
  }
  return !source.failed();
}

static bool isReal(StringRef written) {
  double value;
  return !written.getAsDouble(value) &&
         (written.contains_insensitive("n") || written.contains('.') || written.contains_insensitive("e"));
}

mlir::Attribute Reader::readAttribute(std::optional<eq::AttributeKind> kind) {
  using Kind = eq::AttributeKind;
  if (source.at("["))
    return readList(kind);
  if (source.at("\"")) {
    auto text = source.string();
    return text ? builder.getStringAttr(*text) : mlir::Attribute();
  }
  size_t begin = source.position();
  StringRef written = source.raw();
  double real;
  if (kind == Kind::Float ? !written.getAsDouble(real) : !kind && isReal(written) && !written.getAsDouble(real))
    return builder.getF64FloatAttr(real);
  if (written == "true" || written == "false")
    return builder.getBoolAttr(written == "true");
  if (std::optional<ElementType> type = elementTypeNamed(written); type && *type != ElementType::Index)
    return TypeAttr::get(nn::fromEquation(builder.getContext(), *type));
  source.rewind(begin);
  auto extent = readExtent();
  return extent ? nn::numberAttr(builder.getContext(), *extent) : mlir::Attribute();
}

mlir::Attribute Reader::readList(std::optional<eq::AttributeKind> kind) {
  size_t begin = source.position();
  source.eat("[");
  SmallVector<std::string> texts;
  SmallVector<double> reals;
  bool isText = source.at("\""), isReals = kind == eq::AttributeKind::Floats;
  for (bool more = !source.at("]"); more && (isText || isReals); more = source.eat(",")) {
    if (isText) {
      auto text = source.string();
      if (!text)
        return {};
      texts.push_back(*text);
      continue;
    }
    double real;
    if (source.raw().getAsDouble(real))
      return source.expected("a number"), mlir::Attribute();
    reals.push_back(real);
  }
  if (isText || isReals) {
    if (!source.need("]"))
      return {};
    SmallVector<StringRef> views(texts.begin(), texts.end());
    return isText ? mlir::Attribute(builder.getStrArrayAttr(views))
                  : DenseF64ArrayAttr::get(builder.getContext(), reals);
  }
  source.rewind(begin);
  auto shape = readShape();
  return shape ? nn::numbersAttr(builder.getContext(), *shape) : mlir::Attribute();
}

} // namespace kumiko::text

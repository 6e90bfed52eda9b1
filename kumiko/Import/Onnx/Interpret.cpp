//===- Interpret.cpp - inputs in, outputs out ------------------------------------===//
#include "kumiko/Import/Onnx/Interpret.h"
#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

static std::string describe(const Datum &datum) {
  switch (datum.kind) {
  case Datum::Kind::Tensor:
    return kumiko::describe(datum.tensor.tensor.element(), datum.tensor.tensor.shape());
  case Datum::Kind::Sequence:
    return "a sequence of " + std::to_string(datum.list().size());
  case Datum::Kind::Optional:
    return datum.list().empty() ? "an empty optional" : "an optional";
  }
  return "?";
}

/// Whether the dimensions are those that the file declares; sizes of named ones are collected on the way.
static bool fits(const Type &type, ArrayRef<int64_t> shape, DimensionSizes &sizes, std::string &why) {
  if (!type.hasShape)
    return true;
  if (type.shape.size() != shape.size()) {
    why = "the rank differs";
    return false;
  }
  for (auto [axis, dim, size] : enumerate(type.shape, shape)) {
    if (dim.value && *dim.value >= 0 && *dim.value != size) {
      why = ("dimension " + Twine(axis) + " is " + Twine(size) + ", expected " + Twine(*dim.value)).str();
      return false;
    }
    if (isNamed(dim))
      sizes[dim.param].insert(size);
  }
  return true;
}

static bool fitsKind(const Type &type, const Datum &datum, DimensionSizes &sizes, Precision precision,
                     std::string &why) {
  if (type.kind == Type::Kind::Sequence || type.kind == Type::Kind::Optional) {
    auto wanted = type.kind == Type::Kind::Sequence ? Datum::Kind::Sequence : Datum::Kind::Optional;
    if (datum.kind != wanted)
      return false;
    // The tensors of a sequence need not be alike: a symbol inside means nothing for others.
    DimensionSizes own;
    return all_of(datum.list(), [&](const Datum &item) {
      return !type.inner || fitsKind(*type.inner, item, own = {}, precision, why);
    });
  }
  std::optional<ElementType> element = elementTypeOf(type.element);
  if (type.kind != Type::Kind::Tensor || !datum.isTensor() || !element)
    return false;
  ElementType given = datum.tensor.tensor.element();
  if (given != *element && given != storedAs(*element, precision)) {
    why = "the element type differs";
    return false;
  }
  return fits(type, datum.tensor.tensor.shape(), sizes, why);
}

void GraphImporter::bindInput(const ValueInfo &input, const Datum &given, DimensionSizes &sizes) {
  std::string why;
  if (input.type.kind != Type::Kind::None &&
      !fitsKind(input.type, given, sizes, interpretation->options.precision, why)) {
    report(Code::OperandShape, "input \"" + input.name + "\" is " + describe(given) + ", the model wants " +
                                   describe(input.type) + (why.empty() ? "" : ": " + why))
        .helped("give every input as the model declares it");
    return;
  }
  Datum own = given.share();
  if (given.isTensor()) {
    const Tensor &tensor = given.tensor.tensor;
    if (std::string refused = refusalOf(tensor.element(), tensor.shape(), options.tensorLimit); !refused.empty()) {
      report(Code::TooLarge, "input \"" + input.name + "\" is too large: " + refused);
      return;
    }
    own.declared = elementTypeOf(input.type.element).value_or(tensor.element());
  }
  top.values[input.name].value = standIn(std::move(own), interpretation->held);
}

void GraphImporter::bindInputs() {
  DimensionSizes sizes;
  for (const ValueInfo &input : model.graph.inputs) {
    auto entry = top.values.find(input.name);
    if (entry == top.values.end() || entry->second.value)
      continue;
    auto given = interpretation->inputs.find(input.name);
    if (given != interpretation->inputs.end())
      bindInput(input, given->second, sizes);
    else if (entry->second.origin.kind == Origin::Kind::Input)
      report(Code::UndefinedName, "input \"" + input.name + "\" is not given")
          .with(input.name, describe(input.type), "graph input")
          .helped("give every input of the model");
  }
  for (const auto &entry : sizes) {
    if (entry.getValue().size() < 2)
      continue;
    Problem problem(Code::SharedDimension, "inputs give \"" + printable(entry.getKey(), 40) + "\" different sizes");
    problem.at({file->path().str(), {}, {}, {}, {}, {}})
        .helped("each input keeps its own; only ops that need them equal refuse");
    problem.warning = true;
    problems.add(std::move(problem));
  }
  for (const auto &given : interpretation->inputs)
    if (none_of(model.graph.inputs, [&](const ValueInfo &input) { return input.name == given.getKey(); }))
      report(Code::UndefinedName, "the model has no input \"" + printable(given.getKey()) + "\"")
          .helped("`kumiko inspect` lists the inputs");
}

std::vector<NamedDatum> GraphImporter::takeOutputs() {
  std::vector<NamedDatum> outputs;
  if (model.graph.outputs.empty())
    report(Code::NoOutput, "the graph has no outputs").helped("a model without outputs computes nothing");
  for (const ValueInfo &output : model.graph.outputs) {
    Value value = problems.hasErrors() ? Value() : lookup(top, output.name);
    if (!value) {
      if (!problems.hasErrors())
        report(Code::UndefinedName, "graph output \"" + output.name + "\" is not defined")
            .helped("no node, graph input or initializer has this name");
      return {};
    }
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::optional<ElementType> declared = elementTypeOf(output.type.element);
    if (type && output.type.kind == Type::Kind::Tensor && declared &&
        nn::toEquation(type.getElementType()) != *declared)
      report(Code::OutputType, "graph output \"" + output.name + "\" is declared as " + describe(output.type) +
                                   " but is " + describe(type))
          .helped("the element types must agree; export the model again");
    outputs.push_back({output.name.str(), datumOf(value)});
  }
  return outputs;
}

std::vector<NamedDatum> GraphImporter::interpret(const InterpretOptions &how, const StringMap<Datum> &inputs) {
  if (!checkOpsets(model.opsets))
    return {};
  interpretation = std::make_unique<Interpretation>(how, inputs);
  // A home for the stand-ins and for the ops of the node at hand; nobody else ever sees it.
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, builder.getUnknownLoc(), "main", builder.getFunctionType({}, {}));
  interpretation->held = function.addEntryBlock();
  interpretation->work = function.addBlock();
  builder.setInsertionPointToEnd(interpretation->work);
  declareNames();
  bindInputs();
  std::vector<NamedDatum> outputs;
  if (!problems.hasErrors()) {
    importNodes(top);
    outputs = takeOutputs();
  }
  interpretation.reset();
  return outputs;
}

} // namespace kumiko::onnx

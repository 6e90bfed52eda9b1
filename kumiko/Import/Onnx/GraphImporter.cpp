#include "kumiko/Import/Onnx/GraphImporter.h"
#include "kumiko/Import/Onnx/Order.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {

GraphImporter::GraphImporter(std::shared_ptr<ModelFile> file, const Model &model, MLIRContext &context,
                             const ImportOptions &options, ProblemList &problems)
    : file(std::move(file)), model(model), options(options), problems(problems), builder(&context) {
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  top.source = &model.graph;
  top.graph = &model.graph;
  top.nodes = model.graph.nodes;
  top.initializers = model.graph.initializers;
  for (const ValueInfo &output : model.graph.outputs)
    top.outputs.push_back(output.name);
  top.opsets = model.opsets;
  for (const Function &function : model.functions)
    functions[function.name].push_back(&function);
}

bool GraphImporter::checkOpsets(ArrayRef<OpsetImport> opsets) {
  bool found = false, good = true;
  for (const OpsetImport &opset : opsets) {
    if (!opset.domain.empty() && opset.domain != "ai.onnx")
      continue;
    if (found)
      report(Code::BadOpsetImport, "the model imports ONNX's operator set twice")
          .helped("keep one entry of opset_import; \"\" and \"ai.onnx\" are one domain");
    found = true;
    if (opset.version < 1) {
      good = false;
      report(Code::BadOpsetImport, "the model imports operator set " + Twine(opset.version) + ", the first is 1")
          .helped("export the model again; opset_import names the set that its nodes are written for");
    }
    if (opset.version > newestOpset) {
      good = false;
      report(Code::UnsupportedOpset,
             "the model uses operator set " + Twine(opset.version) + ", the newest known is " + Twine(newestOpset))
          .helped("export the model for opset " + Twine(newestOpset) +
                  " or older, or convert it with onnx.version_converter");
    }
  }
  // Files of IR version 1 and 2 had no list; they mean the first set.
  if (!found && model.irVersion >= 3 && opsets.empty())
    report(Code::BadOpsetImport, "the model imports no operator set")
        .helped("opset_import is required from IR version 3 on; export the model again");
  return good;
}

/// Graph inputs and initializers; outputs of nodes are added as nodes are imported.
void GraphImporter::declareNames() {
  const Graph &graph = model.graph;
  for (auto [number, tensor] : enumerate(graph.initializers)) {
    if (tensor.name.empty())
      report(Code::UndefinedName, "initializer " + Twine(number) + " has no name");
    else if (!top.values.try_emplace(tensor.name, Scope::Entry{{}, {Origin::Kind::Initializer, uint32_t(number)}})
                  .second)
      report(Code::DuplicateName, "initializer \"" + tensor.name + "\" is defined a second time")
          .helped("every value has one definition");
  }
  for (auto [number, tensor] : enumerate(graph.sparseInitializers)) {
    // Its name is that of its values.
    if (!tensor.values || tensor.values->name.empty())
      report(Code::UndefinedName, "sparse initializer " + Twine(number) + " has no name");
    else if (!top.values
                  .try_emplace(tensor.values->name,
                               Scope::Entry{{}, {Origin::Kind::SparseInitializer, uint32_t(number)}})
                  .second)
      report(Code::DuplicateName, "initializer \"" + tensor.values->name + "\" is defined a second time")
          .helped("every value has one definition");
  }
  llvm::StringSet<> names;
  for (auto [number, input] : enumerate(graph.inputs)) {
    if (input.name.empty())
      report(Code::UndefinedName, "graph input " + Twine(number) + " has no name");
    else if (!names.insert(input.name).second)
      report(Code::DuplicateName, "graph input \"" + input.name + "\" is declared a second time")
          .helped("every value has one definition");
    else // an initializer of the same name stays: it is the input's value
      top.values.try_emplace(input.name, Scope::Entry{{}, {Origin::Kind::Input, uint32_t(number)}});
  }
}

RankedTensorType GraphImporter::inputType(const ValueInfo &input) {
  auto fail = [&](Code code, const Twine &what) -> Problem & {
    return report(code, "graph input \"" + input.name + "\" " + what);
  };
  const Type &type = input.type;
  if (type.kind == Type::Kind::None)
    return fail(Code::BadType, "has no type").helped("run onnx.shape_inference or export the model again"), nullptr;
  std::optional<ElementType> element = elementTypeOf(type.element);
  if (type.kind != Type::Kind::Tensor || !element) {
    bool unknown = type.kind == Type::Kind::Tensor && StringRef(nameOf(type.element)).starts_with("type ");
    return fail(unknown ? Code::BadElementType : Code::UnsupportedType, "is " + describe(type))
               .helped("inputs can be tensors of numbers or bools"),
           nullptr;
  }
  if (!type.hasShape)
    return fail(Code::SymbolicDimension, "has no shape").helped("give the model a shape for this input"), nullptr;
  Sizes shape;
  Ints numbers;
  std::string open, advice;
  for (auto [axis, dim] : enumerate(type.shape)) {
    std::string position = (input.name + "[" + Twine(axis) + "]").str();
    bool named = isNamed(dim);
    std::string name = named ? dim.param.str() : position;
    auto given = options.dims.find(position);
    if (given == options.dims.end())
      given = options.dims.find(name);
    std::string symbol = position;
    if (named && given == options.dims.end())
      given = options.dims.find(symbol = symbolOfDimension(input, axis));
    bool forgets = options.symbols && options.forgetSizes && !options.known.contains(input.name);
    if (dim.value && *dim.value >= 0 && !forgets) {
      shape.push_back(*dim.value);
    } else if (given != options.dims.end()) {
      usedDims[given->getKey()] = true;
      shape.push_back(given->second);
    } else if (options.symbols) {
      shape.push_back(inputSymbol(symbol));
    } else {
      open += (open.empty() ? "" : ", ") + ("axis " + Twine(axis)).str() + (named ? " is \"" + name + "\"" : "");
      // Brackets mean something to shells.
      std::string quote = named ? "" : "'", option = "--dim " + quote + name + "=1" + quote;
      if (!StringRef(advice).contains(option))
        advice += (advice.empty() ? "" : " ") + option;
    }
  }
  if (!open.empty())
    return fail(Code::SymbolicDimension, "has dimensions without a number: " + open)
               .with(input.name, describe(type), "graph input")
               .helped("say how large they are, for example " + advice),
           nullptr;
  for (const Extent &size : shape)
    numbers.push_back(size.isStatic() ? size.value() : 1);
  if (std::string why = refusalOf(*element, numbers, options.tensorLimit); !why.empty())
    return fail(Code::TooLarge, "is too large: " + why)
               .helped("a value may take " + Twine(options.tensorLimit) + " bytes"),
           nullptr;
  return nn::tensorOf(shape, nn::fromEquation(builder.getContext(), *element));
}

void GraphImporter::importInputs() {
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (auto [number, input] : enumerate(model.graph.inputs)) {
    auto known = top.values.find(input.name);
    if (known == top.values.end() || known->second.origin.kind != Origin::Kind::Input ||
        known->second.origin.number != number)
      continue;
    RankedTensorType type = inputType(input);
    if (!type)
      continue;
    Location loc = NameLoc::get(builder.getStringAttr(input.name));
    unsigned position = entry->getNumArguments();
    auto names = builder.getDictionaryAttr(builder.getNamedAttr("nn.name", builder.getStringAttr(input.name)));
    if (function.insertArgument(position, type, names, loc).failed())
      continue;
    known->second.value = entry->getArgument(position);
    const Tensor *tensor = options.known.lookup(input.name);
    if (tensor && tensor->shape() == type.getShape() && tensor->element() == nn::toEquation(type.getElementType()))
      folded[known->second.value] = SharedTensor::borrow(*tensor);
  }
}

/// In what a declared type contradicts the one that was computed; empty when it does not. What a declaration leaves
/// open contradicts nothing.
static StringRef disagreement(const Type &declared, RankedTensorType found) {
  if (declared.kind == Type::Kind::None)
    return "";
  if (declared.kind != Type::Kind::Tensor)
    return "kinds of values";
  if (declared.element != DataType::Undefined &&
      elementTypeOf(declared.element) != nn::toEquation(found.getElementType()))
    return "element types";
  if (!declared.hasShape)
    return "";
  if (declared.shape.size() != size_t(found.getRank()))
    return "ranks";
  for (auto [dim, size] : zip(declared.shape, found.getShape()))
    if (dim.value && *dim.value >= 0 && !ShapedType::isDynamic(size) && *dim.value != size)
      return "shapes";
  return "";
}

void GraphImporter::importOutputs() {
  SmallVector<Value, 4> results;
  SmallVector<mlir::Attribute, 4> names;
  if (model.graph.outputs.empty())
    report(Code::NoOutput, "the graph has no outputs").helped("a model without outputs computes nothing");
  for (const ValueInfo &output : model.graph.outputs) {
    if (output.name.empty() || !top.values.contains(output.name)) {
      // A name made by a node that was left out has been reported with that node.
      bool made = any_of(model.graph.nodes, [&](const Node &node) { return is_contained(node.outputs, output.name); });
      if (output.name.empty() || !made)
        report(Code::UndefinedName, "graph output \"" + output.name + "\" is not defined")
            .helped("no node, graph input or initializer has this name");
      continue;
    }
    Value value = lookup(top, output.name);
    if (!value)
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    if (StringRef part = disagreement(output.type, type); !part.empty()) {
      Problem problem(Code::OutputType, "graph output \"" + output.name + "\" is declared as " + describe(output.type) +
                                            " but is " + describe(type));
      problem.at({file->path().str(), {}, {}, {}, {}, {}})
          .with(output.name, describe(type), operandOf(top, output.name).origin)
          .helped(part + " must agree; export the model again, or run onnx.shape_inference");
      // Exporters often write a shape that is not so; what is computed does not depend on it.
      problem.warning = part == "ranks" || part == "shapes";
      foundOtherRank |= part == "ranks";
      problems.add(std::move(problem));
    }
    results.push_back(value);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr("nn.name", builder.getStringAttr(output.name))));
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(
      builder.getFunctionType(function.getFunctionType().getInputs(), ValueRange(results).getTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(names));
}

void GraphImporter::reportUnusedDims() {
  for (const auto &dim : options.dims)
    if (!usedDims.contains(dim.getKey()))
      problems.add(Code::UnusedDimension, "--dim " + dim.getKey() + " fits no dimension without a number")
          .at({file->path().str(), {}, {}, {}, {}, {}})
          .helped("`kumiko inspect` lists the inputs and their symbols");
}

static void eraseUnused(Block &block) {
  for (Operation &op : make_early_inc_range(reverse(block))) {
    if (isOpTriviallyDead(&op))
      op.erase();
    else
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          eraseUnused(inner);
  }
}

/// Attempts that were given up leave ops behind, and symbols that nobody finds.
void GraphImporter::dropUnused() {
  if (none_of(symbols, [](const nn::Symbol &symbol) { return symbol.isData; }))
    return;
  eraseUnused(function.getBody().front());
  llvm::StringSet<> found;
  nn::addSymbolsFoundBy(function, found);
  erase_if(symbols, [&](const nn::Symbol &symbol) { return symbol.isData && !found.contains(symbol.name); });
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  // Nodes of an unknown operator set cannot be judged.
  if (!checkOpsets(model.opsets))
    return {};
  Location loc = NameLoc::get(builder.getStringAttr(model.graph.name.empty() ? "main" : model.graph.name));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  declareNames();
  importInputs();
  importNodes(top);
  importOutputs();
  reportUnusedDims();
  dropUnused();
  nn::setSymbols(function, symbols);
  nn::setChecks(function, checks);
  return module;
}

} // namespace kumiko::onnx

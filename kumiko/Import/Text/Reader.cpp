#include "kumiko/Import/Text/Reader.h"
#include "kumiko/Equation/Parser.h"
#include "kumiko/Import/Build/Limits.h"
#include "kumiko/Nn/Types.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::text {

Reader::Reader(std::shared_ptr<ModelFile> file, MLIRContext &context, const ImportOptions &options,
               ProblemList &problems)
    : source(std::move(file), problems), options(options), builder(&context), loc(builder.getUnknownLoc()) {
  context.loadDialect<nn::NnDialect, func::FuncDialect>();
  for (const auto &dim : options.dims)
    numbers[dim.getKey()] = dim.getValue();
}

OwningOpRef<ModuleOp> Reader::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  function.addEntryBlock();
  Scope top;
  top.block = &function.getBody().front();
  scope = &top;
  readFile();
  if (source.failed())
    return {};
  Location named = NameLoc::get(builder.getStringAttr(modelName));
  function->setLoc(named);
  module->getOperation()->setLoc(named);
  for (const auto &dim : options.dims)
    if (!usedDims.contains(dim.getKey()))
      source.problems.add(Code::UnusedDimension, "--dim " + dim.getKey() + " fits no dimension without a number")
          .at({source.file->path().str(), {}, {}, {}, {}, {}})
          .helped("`kumiko inspect` lists the inputs and their symbols");
  nn::setSymbols(function, symbols);
  finishChecks();
  return module;
}

void Reader::readFile() {
  while (!source.atEnd() && !source.failed()) {
    if (source.eat("weights"))
      readWeightsFile();
    else if (source.at("op"))
      readDefinition();
    else if (source.eat("model"))
      return readModel();
    else
      source.expected("'model', 'op' or 'weights'");
  }
  if (!source.failed())
    source.expected("'model'");
}

void Reader::readWeightsFile() {
  size_t begin = source.position();
  auto location = source.string();
  if (!location)
    return;
  size_t end = source.position();
  auto report = [&](Code code, const Twine &what) -> Problem & { return source.fail(begin, end, code, what); };
  std::optional<StringRef> bytes = source.file->external(*location, report);
  std::optional<Weights> read = bytes ? readWeights(*bytes, report) : std::nullopt;
  if (!read)
    return;
  for (auto &entry : *read)
    weights[entry.getKey()] = std::move(entry.getValue());
  source.eat(";");
}

void Reader::readDefinition() {
  size_t begin = source.position();
  source.skipBraces();
  size_t end = source.position();
  StringRef own = source.slice(begin, end);
  eq::ParseResult parsed = eq::parse(source.file->path(), own);
  for (const eq::Diagnostic &mistake : parsed.diagnostics) {
    size_t at = 0;
    for (unsigned i = 1; i < mistake.line; ++i)
      at = own.find('\n', at) + 1;
    at += begin + mistake.column - 1;
    Problem &problem = source.fail(at, at + mistake.width, Code::BadText, mistake.message);
    if (!mistake.help.empty())
      problem.helped(mistake.help);
  }
  for (eq::OpDef &op : parsed.ops) {
    std::string name = op.name.str();
    if (!ownOps.try_emplace(name, std::move(op)).second)
      source.fail(begin, begin + 2, Code::DuplicateName, "op " + name + " is defined a second time");
  }
}

void Reader::readModel() {
  auto name = source.name("the model's name");
  if (!name || !source.need("("))
    return;
  modelName = name->base;
  SmallVector<mlir::Attribute> inputNames;
  while (!source.failed() && !source.at(")")) {
    readInput(inputNames);
    if (!source.eat(","))
      break;
  }
  std::vector<std::string> outputs;
  if (source.failed() || !source.need(")") || !source.need("->"))
    return;
  bool list = source.eat("(");
  do {
    auto output = source.name("an output's name");
    if (!output)
      return;
    outputs.push_back(output->base);
  } while (list && source.eat(","));
  if ((list && !source.need(")")) || !source.need("{"))
    return;
  builder.setInsertionPointToStart(&function.getBody().front());
  if (source.at("symbols"))
    readSymbols();
  readStatements();
  if (source.failed() || !source.need("}"))
    return;
  if (!source.atEnd())
    source.expected("the end of the file");
  else
    finish(outputs);
}

void Reader::readInput(SmallVectorImpl<mlir::Attribute> &names) {
  auto name = source.name("an input's name");
  if (!name || !source.need(":"))
    return;
  size_t begin = source.position();
  auto element = source.name("a type, such as f32[2, N]");
  std::optional<ElementType> type = element ? elementTypeNamed(element->base) : std::nullopt;
  if (!type) {
    if (element)
      source.fail(begin, element->end, Code::BadText, "there is no type '" + printable(element->base) + "'");
    return;
  }
  SmallVector<Extent, 4> shape;
  for (bool more = source.eat("[") && !source.eat("]"); more;) {
    size_t at = source.position();
    auto extent = source.extent();
    if (!extent)
      return;
    std::string axis = name->base + "[" + std::to_string(shape.size()) + "]";
    SmallVector<StringRef, 1> found;
    extent->symbols(found);
    for (StringRef symbol : found)
      if (auto given = options.dims.find(axis); given != options.dims.end() && found.size() == 1) {
        usedDims.insert(axis);
        numbers[symbol] = given->second;
      } else if (!numbers.contains(symbol) && !interpretation) {
        if (!options.symbols) {
          source.fail(at, source.position(), Code::SymbolicDimension, "input \"" + name->base + "\" has no number here")
              .helped("say how large it is, for example --dim " + symbol + "=1");
          return;
        }
        declare(symbol, /*isData=*/false);
      }
    if (interpretation) {
      shape.push_back(*extent);
    } else if (auto number = bound(*extent, at)) {
      shape.push_back(*number);
    } else {
      return;
    }
    more = source.eat(",");
    if (!more && !source.need("]"))
      return;
  }
  Location place = NameLoc::get(builder.getStringAttr(name->base));
  RankedTensorType whole = interpretation ? nn::tensorOf(shape, nn::fromEquation(builder.getContext(), *type))
                                          : checkedType(shape, *type, begin);
  if (!whole)
    return;
  unsigned position = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr("nn.name", builder.getStringAttr(name->base)));
  if (function.insertArgument(position, whole, attributes, place).failed())
    return;
  BlockArgument argument = function.getArgument(position);
  if (interpretation)
    bindInput(*name, whole, argument);
  define(*name, argument);
}

void Reader::declare(StringRef symbol, bool isData) {
  known.insert(symbol);
  if (none_of(symbols, [&](const nn::Symbol &each) { return each.name == symbol; }))
    symbols.push_back({symbol.str(), 0, std::nullopt, isData});
}

/// `symbols N >= 1 <= 512, data "n";`: what there is, in order; those of inputs are there already.
void Reader::readSymbols() {
  source.eat("symbols");
  SmallVector<nn::Symbol> list;
  do {
    bool isData = source.eat("data");
    auto name = source.name("a symbol's name");
    if (!name)
      return;
    nn::Symbol symbol{name->base, 0, std::nullopt, isData};
    if (source.eat(">="))
      symbol.lower = source.integer().value_or(0);
    if (source.eat("<="))
      symbol.upper = source.integer();
    if (!isSymbolName(name->base) || any_of(list, [&](const nn::Symbol &each) { return each.name == name->base; }))
      source.fail(name->begin, name->end, Code::BadText, "no symbol may be called so, or there are two");
    else if (!isData && !known.contains(name->base) && !numbers.contains(name->base) && !interpretation)
      source.fail(name->begin, name->end, Code::BadText, "no input has this symbol")
          .helped("write `data` in front of a symbol that is found while the model runs");
    if (!numbers.contains(name->base))
      list.push_back(std::move(symbol));
  } while (!source.failed() && source.eat(","));
  for (const nn::Symbol &symbol : symbols)
    if (none_of(list, [&](const nn::Symbol &each) { return each.name == symbol.name; }))
      list.push_back(symbol);
  symbols = std::move(list);
  if (!source.failed())
    source.need(";");
}

void Reader::readStatements() {
  while (!source.failed() && !source.atEnd() && !source.at("}") && !scope->yielded &&
         mayGoOn(*builder.getContext(), source.problems)) {
    if (source.eat("check"))
      readCheck();
    else if (source.eat("symbol"))
      readSymbolOp();
    else if (scope->outer && source.eat("yield")) {
      scope->yielded.emplace();
      while (!source.failed() && !source.at(";") && !source.at("}")) {
        scope->yielded->push_back(readOperand());
        if (!source.eat(","))
          break;
      }
      if (!source.at("}"))
        source.need(";");
    } else {
      readLet();
    }
  }
}

void Reader::readLet() {
  source.eat("let");
  SmallVector<Name, 2> names;
  do {
    auto name = source.name("a statement");
    if (!name)
      return;
    names.push_back(std::move(*name));
  } while (source.eat(","));
  if (!source.need("="))
    return;
  loc = NameLoc::get(builder.getStringAttr(names.front().base));
  size_t begin = source.position();
  Results results = readExpression();
  if (source.failed())
    return;
  if (results.size() != names.size()) {
    source.fail(begin, source.position(), Code::Arity,
                "this gives " + Twine(results.size()) + " values for " + Twine(names.size()) + " names");
    return;
  }
  for (auto [name, value] : zip_equal(names, results))
    define(name, value);
  source.need(";");
}

bool Reader::define(const Name &name, Value value) {
  if (scope->values.try_emplace(name.key, value).second)
    return true;
  source.fail(name.begin, name.end, Code::DuplicateName, "this name has a value already")
      .helped("every value has one definition; names of one node differ by a number behind a point");
  return false;
}

void Reader::finish(ArrayRef<std::string> outputs) {
  SmallVector<Value, 4> results;
  SmallVector<mlir::Attribute, 4> names;
  for (const std::string &output : outputs) {
    auto value = scope->values.find("." + output);
    if (value == scope->values.end()) {
      source.problems.add(Code::UndefinedName, "output \"" + printable(output) + "\" has no value")
          .at({source.file->path().str(), {}, {}, {}, {}, {}})
          .helped("a statement of the model must define it");
      return;
    }
    results.push_back(value->second);
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr("nn.name", builder.getStringAttr(output))));
  }
  func::ReturnOp::create(builder, NameLoc::get(builder.getStringAttr(modelName)), results);
  SmallVector<mlir::Type> types(function.getArgumentTypes());
  function.setFunctionType(builder.getFunctionType(types, ValueRange(results).getTypes()));
  function.setResAttrsAttr(builder.getArrayAttr(names));
}

} // namespace kumiko::text

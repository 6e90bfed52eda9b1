//===- Runner.cpp - ops compiled together and judged one by one ------------===//
//
//   size-cases [--target CPU] [--guard] [--no-tables] FILE
//
// Each line is an op on given types, as in kumiko/Nn/samples.txt, and hints about the data behind a bar:
//
//   gather f32[7,3], i64[9]; axis=0 | 1=-7:6 c0        operand 1 lies between -7 and 6, operand 0 is a constant
//
// All ops of the file become one module, which is compiled for this machine, or a lesser one, and run; with --guard
// twice more, with every buffer between pages that nobody may touch. With --no-tables no part of an op is computed when
// compiling, by the evaluator, which is to judge it. Each result is compared with the evaluator. One line is printed
// for each: `ok`, `refused WHY`, `invalid WHY` or `wrong WHAT`. Data is a function of the line alone. Numbers are
// multiples of 1/8, so that sums and products of them are exact in any order and what differs is not rounding.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Equation/Given.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Lower/Refusal.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/GuardedRun.h"
#include "kumiko/Verify/Ulp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <random>

using namespace llvm;
using namespace kumiko;

namespace {

struct Hints {
  std::map<unsigned, std::pair<double, double>> ranges;
  std::set<unsigned> constants;
};

struct Case {
  StringRef line;
  std::string verdict;
  mlir::Operation *op = nullptr;
  std::vector<Tensor> operands;       ///< by slot; of those that are there
  std::vector<SharedTensor> declared; ///< the evaluator in the types of the op
  std::vector<SharedTensor> wide;     ///< and in f64
  unsigned firstOutput = 0;
};

/// The hints are our own: what cannot be read ends the program.
Hints readHints(StringRef text) {
  Hints hints;
  for (StringRef word : split(text, ' ')) {
    unsigned operand = 0;
    auto [number, range] = word.split('=');
    if (word.consume_front("c") && !word.getAsInteger(10, operand)) {
      hints.constants.insert(operand);
    } else if (!number.empty()) {
      auto [low, high] = range.split(':');
      std::pair<double, double> bounds;
      if (number.getAsInteger(10, operand) || low.getAsDouble(bounds.first) || high.getAsDouble(bounds.second))
        exit((errs() << "size-cases: '" << word << "' is no hint\n", 2));
      hints.ranges[operand] = bounds;
    }
  }
  return hints;
}

Tensor randomTensor(const eq::TensorType &type, std::optional<std::pair<double, double>> range,
                    std::mt19937_64 &random) {
  SmallVector<int64_t> shape;
  for (const Extent &extent : type.shape)
    shape.push_back(extent.value());
  Tensor tensor = cantFail(Tensor::zeros(type.element, shape));
  bool real = isFloat(type.element);
  auto [low, high] =
      range.value_or(real ? std::pair(-2.0, 2.0) : std::pair(isUnsigned(type.element) ? 0.0 : -5.0, 7.0));
  double parts = real ? 8 : 1;
  std::uniform_int_distribution<int64_t> steps(int64_t(std::ceil(low * parts)), int64_t(std::floor(high * parts)));
  ElementType from = real ? ElementType::F64 : ElementType::I64;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t whole = type.element == ElementType::B1 ? int64_t(random() & 1) : steps(random);
    double number = double(whole) / parts;
    const void *value = real ? static_cast<const void *>(&number) : &whole;
    convertElements(static_cast<const uint8_t *>(value), from, tensor.mutableData() + i * bytesOf(type.element),
                    type.element, 1);
  }
  return tensor;
}

/// Units in the last place of the largest result by which results may differ. A product of many factors has as many
/// roundings, in another order; sums are kept in a wider type or in few parts, except those of doubles, which have
/// none: their roundings grow like the root of the number of terms, of which there are at most as many as the longest
/// axis has.
double unitsOf(const Case &each) {
  double units = 16;
  for (const Tensor &operand : each.operands)
    if (operand.element() == ElementType::F64 && !operand.shape().empty())
      units = std::max(units, std::sqrt(double(*llvm::max_element(operand.shape()))));
  if (each.line.contains("kind=*") && !each.operands.empty() && each.wide[0].tensor.count() > 0)
    units = std::max(units, double(each.operands[0].count() / each.wide[0].tensor.count()));
  return units;
}

/// What is wrong with the results of compiled code; empty when nothing is.
std::string judge(const Tensor &got, const Tensor &declared, const Tensor &wide, double units) {
  if (got.shape() != declared.shape())
    return "its shape is " + describe(got.element(), got.shape());
  double largest = 1;
  for (int64_t i = 0; i < wide.count(); ++i)
    if (double value = std::fabs(valueAt(wide, i)); std::isfinite(value))
      largest = std::max(largest, value);
  double allowed = isFloat(got.element()) ? units * ulpOf(got.element(), 1) * largest : 0;
  for (int64_t i = 0; i < got.count(); ++i) {
    auto near = [&](const Tensor &reference) {
      if (!isFloat(got.element()))
        return integerAt(got, i) == integerAt(reference, i);
      double a = valueAt(got, i), b = valueAt(reference, i);
      return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= allowed;
    };
    if (!near(declared) && !near(wide))
      return formatv("element {0} is {1:f17}, the evaluator has {2:f17}", i, valueAt(got, i), valueAt(declared, i));
  }
  return "";
}

class Batch {
public:
  Batch(StringRef text, StringRef target, bool guarded, bool tables)
      : target(target), guarded(guarded), tables(tables) {
    for (StringRef line : split(text, '\n'))
      if (!line.trim().empty())
        cases.emplace_back().line = line.trim();
  }

  int run() {
    build();
    evaluate();
    std::string failure = compileAndCompare();
    for (const Case &each : cases)
      outs() << (each.verdict.empty() ? failure.empty() ? "ok" : "wrong " + failure : each.verdict) << "\n";
    return 0;
  }

private:
  void build() {
    mlir::MLIRContext *context = &session->context();
    mlir::OpBuilder builder(context);
    auto loc = builder.getUnknownLoc();
    module = mlir::ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    main = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(main.addEntryBlock());
    lower::Refusals refusals(*module);
    SmallVector<mlir::Value> results;
    for (Case &each : cases) {
      if (Error error = add(each, builder)) {
        each.verdict = "invalid " + toString(std::move(error));
        continue;
      }
      if (Decision decision = refusals.ask(each.op); !decision) {
        each.verdict = ("refused " + decision.why()).str();
        each.op->erase();
        continue;
      }
      each.firstOutput = results.size();
      append_range(results, each.op->getResults());
    }
    mlir::func::ReturnOp::create(builder, loc, results);
    main.setType(
        builder.getFunctionType(main.getBody().getArgumentTypes(), mlir::TypeRange(mlir::ValueRange(results))));
  }

  Error add(Case &each, mlir::OpBuilder &builder) {
    auto [name, rest] = each.line.split(' ');
    auto [given, hintText] = rest.split('|');
    const eq::OpDef *op = nn::lookupEquation(name);
    if (!op)
      return createStringError("there is no such op");
    Expected<eq::Given> parsed = eq::Given::parse(*op, given.trim());
    if (!parsed)
      return parsed.takeError();
    Hints hints = readHints(hintText.trim());
    std::mt19937_64 random(xxh3_64bits(each.line));
    SmallVector<mlir::Value> operands;
    mlir::MLIRContext *context = builder.getContext();
    for (auto [number, type] : enumerate(parsed->operands)) {
      if (!type) {
        operands.push_back({});
        continue;
      }
      auto range = hints.ranges.find(number);
      each.operands.push_back(
          randomTensor(*type, range == hints.ranges.end() ? std::nullopt : std::optional(range->second), random));
      operands.push_back(
          valueOf(each.operands.back(), nn::fromEquation(context, *type), hints.constants.count(number), builder));
    }
    SmallVector<mlir::NamedAttribute> attributes;
    for (const eq::AttributeDef &attribute : op->attributes)
      if (auto found = parsed->attributes.find(attribute.name); found != parsed->attributes.end())
        attributes.push_back(
            builder.getNamedAttr(attribute.name, nn::fromEquation(context, found->second, attribute.kind)));
    std::string why;
    auto built = nn::buildEquationOp(builder, builder.getUnknownLoc(), op->name, operands, attributes, why);
    if (failed(built))
      return createStringError(why);
    each.op = *built;
    return Error::success();
  }

  /// An argument of @main, or a constant.
  mlir::Value valueOf(const Tensor &tensor, mlir::RankedTensorType type, bool constant, mlir::OpBuilder &builder) {
    auto loc = builder.getUnknownLoc();
    if (constant && tensor.element() != ElementType::B1) {
      ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor.data()), tensor.bytes().size());
      return nn::ConstantOp::create(builder, loc, type, mlir::DenseElementsAttr::getFromRawBuffer(type, bytes));
    }
    inputs.push_back(tensor.alias());
    return main.getBody().front().addArgument(type, loc);
  }

  void evaluate() {
    for (Case &each : cases) {
      if (!each.verdict.empty())
        continue;
      DenseMap<mlir::Value, SharedTensor> values;
      unsigned next = 0;
      for (mlir::Value operand : each.op->getOperands())
        values[operand] = SharedTensor::borrow(each.operands[next++]);
      for (Precision precision : {Precision::Declared, Precision::Double}) {
        GraphOptions options;
        options.precision = precision;
        options.unusedResults = true;
        auto results = evaluateOp(
            each.op, [&](mlir::Value value) -> const SharedTensor & { return values.find(value)->second; }, options);
        if (!results) {
          each.verdict = "wrong the evaluator says: " + toString(results.takeError());
          break;
        }
        auto &kept = precision == Precision::Declared ? each.declared : each.wide;
        for (SharedTensor &result : *results)
          kept.push_back(SharedTensor::own(cantFail(result.tensor.copy())));
      }
    }
  }

  /// Why nothing could be run; empty when it could.
  std::string compileAndCompare() {
    ProblemList problems;
    CompileOptions options;
    options.name = "sizes";
    options.jobs = 1;
    options.target = target.str();
    if (!tables)
      options.without.push_back("tables");
    auto compiled = compileModule(std::move(session), std::move(module), options, problems);
    for (GuardSide side : {GuardSide::After, GuardSide::Before})
      if (auto results = compiled && guarded ? runGuarded(*compiled, inputs, side, problems) : std::nullopt)
        compare(*results);
    if (!problems.all().empty())
      return problems.all().front().what;
    auto executable = compiled ? Executable::fromCompiled(*compiled, problems) : nullptr;
    if (!executable || !executable->prepare(inputs, /*threads=*/2, problems) || !executable->run(problems))
      return problems.all().empty() ? "does not run" : problems.all().front().what;
    compare(executable->results());
    return "";
  }

  void compare(ArrayRef<Tensor> results) {
    for (Case &each : cases)
      for (size_t result = 0; each.verdict.empty() && result < each.declared.size(); ++result) {
        std::string why = judge(results[each.firstOutput + result], each.declared[result].tensor,
                                each.wide[result].tensor, unitsOf(each));
        if (!why.empty())
          each.verdict = formatv("wrong result {0}: {1}", result, why);
      }
  }

  StringRef target;
  bool guarded, tables;
  std::deque<Case> cases;
  std::unique_ptr<Session> session = std::make_unique<Session>(/*jobs=*/1);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  std::vector<Tensor> inputs;
};

} // namespace

int main(int argc, char **argv) {
  StringRef target = "host", path;
  bool guarded = false, tables = true;
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (argument == "--target" && i + 1 < argc)
      target = argv[++i];
    else if (argument == "--guard")
      guarded = true;
    else if (argument == "--no-tables")
      tables = false;
    else if (path.empty() && !argument.starts_with("-"))
      path = argument;
    else
      return errs() << "usage: size-cases [--target CPU] [--guard] [--no-tables] FILE\n", 2;
  }
  auto file = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return errs() << "size-cases: cannot read " << path << ": " << file.getError().message() << "\n", 2;
  return Batch((*file)->getBuffer(), target, guarded, tables).run();
}

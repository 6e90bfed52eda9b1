//===- bench-ops.cpp - every op at one large size --------------------------===//
//
//   bench-ops [--dump=FOLDER] [--loops=FOLDER [--no-timing]] [--checked] [--most=OPERATIONS] [--offset=BYTES]
//             [--threads=N] SAMPLES [NAME...]
//
// Compiles each op of a file like kumiko/Nn/samples.txt by itself, runs it on one thread in turns with the same
// equation as plain scalar loops (ScalarLoops.h), and prints a line
//
//   op  sample  milliseconds  those of the scalar loops  operations  bytes  GB/s of memcpy beside it   (tabs between)
//
// Op and sample are a line of such a file, too. The times of the loops are `-` where C has no words for the op.
// Operations and bytes are what the equation says: each operand and result moved once. Weights are constants, as they
// are in networks. Among the values of a sample, `T=f16,i8` stands for one sample per type, `1=0:7` draws operand 1
// from these, and `weights=inputs` says that nothing is a constant. bench/ops.py makes a table of it.
//
// With --dump, the IR after every stage and the kernels of the last op are left in a folder; with --most, what would
// take scalar loops too long is left out. With --loops, compiled loops are kept in a folder and taken from it, so that
// a machine without a C compiler has them, too; --no-timing only fills it. With --checked, loops look at each index
// that data say, as the ops do: without it, what an op does against wrong data is time that the loop does not take.
// Operands begin 16 bytes behind the start of a page, as large blocks of malloc do, or as many as --offset says: how
// vectors lie across cache lines is a good part of the time of some ops, so that it is not left to chance.
//
//===----------------------------------------------------------------------===//
#include "bench/ScalarRun.h"
#include "kumiko/Equation/Cost.h"
#include "kumiko/Equation/Given.h"
#include "kumiko/Nn/Build.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Nn.h"
#include "kumiko/Nn/Types.h"
#include "kumiko/Pipeline/Execute.h"
#include "kumiko/Support/Convert.h"
#include "kumiko/Verify/Ulp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <ctime>
#include <functional>
#include <malloc.h>
#include <random>

using namespace llvm;
using namespace kumiko;

/// Threads that take turns with one; 1 where the scalar loops do.
static unsigned threads = 1;

/// Time of this thread, where all of it runs on it: what else the machine does in between does not count.
static double seconds() {
  timespec time;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// The best time of `run` in `best`, called again and again for a thousandth of a second: for longer the machine may be
/// faster than in the turns of others. Calls are timed in groups that are long enough for the clock.
static void timeTurn(double &best, function_ref<void()> run) {
  constexpr double turn = 0.001, group = 50e-6;
  int calls = 1;
  for (double begun = seconds(), start = begun; start - begun < turn;) {
    for (int call = 0; call < calls; ++call)
      run();
    double end = seconds(), each = (end - start) / calls;
    // Now and then the clock of a thread does not go on for a while.
    if (end > start)
      best = std::min(best, each);
    calls = int(std::clamp(group / std::max(each, 1e-9), 1.0, 1000.0));
    start = end;
  }
}

/// Bytes per second of a copy that no cache holds, counting what is read and what is written.
static double copySpeed() {
  constexpr size_t bytes = 64 << 20;
  static std::vector<char> from(bytes, 1), to(bytes);
  double best = 1e30;
  for (int turn = 0; turn < 8; ++turn)
    timeTurn(best, [] { std::memcpy(to.data(), from.data(), bytes); });
  return 2 * bytes / best;
}

/// The least and the largest number of an operand.
using Range = std::pair<double, double>;

/// Numbers that every op takes, divisions too: floats between 0.1 and 0.9, integers below the smallest extent that is
/// no detail.
static Range usualRange(ElementType element, int64_t bound) {
  if (isFloat(element))
    return {0.1, 0.9};
  if (element == ElementType::B1)
    return {0, 1};
  // Not more than the type has: a number that wraps may be 0.
  int64_t most = bytesOf(element) == 1 ? 31 : bytesOf(element) == 2 ? INT16_MAX : INT32_MAX;
  return {1, std::min(most, bound - 1)};
}

/// Bytes by which operands begin behind the start of a page.
static size_t operandOffset = 16;

namespace {
struct FreeBlock {
  void operator()(void *block) const { std::free(block); }
};
using Block = std::unique_ptr<void, FreeBlock>;
} // namespace

static Expected<Tensor> randomTensor(const eq::TensorType &type, Range range, std::mt19937 &random, Block &block) {
  constexpr size_t page = 4096;
  SmallVector<int64_t> shape;
  for (const Extent &extent : type.shape)
    shape.push_back(extent.value());
  Expected<uint64_t> size = byteSize(type.element, shape, INT64_MAX);
  if (!size)
    return size.takeError();
  block.reset(std::aligned_alloc(page, alignTo(operandOffset + *size + 1, page)));
  if (!block)
    return createStringError("no memory for an operand");
  uint8_t *bytes = static_cast<uint8_t *>(block.get()) + operandOffset;
  Expected<Tensor> tensor = Tensor::view(type.element, shape, ArrayRef(bytes, *size));
  if (!tensor)
    return tensor;
  std::uniform_real_distribution<double> real(range.first, range.second);
  std::uniform_int_distribution<int64_t> integer(int64_t(range.first), int64_t(range.second));
  unsigned width = bytesOf(type.element);
  for (int64_t i = 0; i < tensor->count(); ++i) {
    uint8_t *place = bytes + i * width;
    if (isFloat(type.element)) {
      double value = real(random);
      convertElements(reinterpret_cast<uint8_t *>(&value), ElementType::F64, place, type.element, 1);
    } else {
      int64_t value = integer(random);
      std::memcpy(place, &value, width);
    }
  }
  return tensor;
}

namespace {
/// What a line says about operands.
struct Drawn {
  std::map<unsigned, Range> ranges;
  bool weightsAreInputs = false;
};
} // namespace

static int64_t indexBound(const eq::Given &given) {
  int64_t bound = 32;
  if (!given.operands.empty() && given.operands[0])
    for (const Extent &extent : given.operands[0]->shape)
      if (extent.value() > 32)
        bound = bound == 32 ? extent.value() : std::min(bound, extent.value());
  return bound;
}

/// What a network knows when it is compiled.
static bool isWeight(const eq::OpDef &op, unsigned operand) {
  StringRef name = op.operands[std::min<size_t>(operand, op.operands.size() - 1)].name;
  return is_contained({"w", "bias", "scale", "slope", "mean", "var", "zero"}, name) ||
         (op.name == "matmul" && name == "b");
}

namespace {
/// An op by itself as a module, with tensors for what it reads.
struct Case {
  std::unique_ptr<Session> session = std::make_unique<Session>(/*jobs=*/1);
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the compiled program takes, and all operands of the op.
  std::vector<Tensor> inputs, operands;
  std::vector<Block> blocks; ///< where operands lie
};
} // namespace

static Error build(Case &made, const eq::OpDef &op, const eq::Given &given, const Drawn &drawn) {
  mlir::MLIRContext *context = &made.session->context();
  mlir::OpBuilder builder(context);
  auto loc = builder.getUnknownLoc();
  made.module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(made.module->getBody());
  auto main = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType({}, {}));
  mlir::Block *block = main.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  std::mt19937 random(1);
  SmallVector<mlir::Value> operands;
  for (auto [number, type] : enumerate(given.operands)) {
    if (!type) {
      operands.push_back({});
      made.operands.emplace_back();
      continue;
    }
    auto chosen = drawn.ranges.find(number);
    Range range = chosen == drawn.ranges.end() ? usualRange(type->element, indexBound(given)) : chosen->second;
    Expected<Tensor> tensor = randomTensor(*type, range, random, made.blocks.emplace_back());
    if (!tensor)
      return tensor.takeError();
    mlir::RankedTensorType mlirType = nn::fromEquation(context, *type);
    if (isWeight(op, number) && !drawn.weightsAreInputs) {
      ArrayRef<char> bytes(reinterpret_cast<const char *>(tensor->data()), tensor->bytes().size());
      auto value = mlir::DenseElementsAttr::getFromRawBuffer(mlirType, bytes);
      operands.push_back(nn::ConstantOp::create(builder, loc, mlirType, value));
    } else {
      operands.push_back(block->addArgument(mlirType, loc));
      made.inputs.push_back(tensor->alias());
    }
    made.operands.push_back(std::move(*tensor));
  }
  SmallVector<mlir::NamedAttribute> attributes;
  for (const eq::AttributeDef &attribute : op.attributes)
    if (auto found = given.attributes.find(attribute.name); found != given.attributes.end())
      attributes.push_back(
          builder.getNamedAttr(attribute.name, nn::fromEquation(context, found->second, attribute.kind)));
  std::string why;
  auto built = nn::buildEquationOp(builder, loc, op.name, operands, attributes, why);
  if (mlir::failed(built))
    return createStringError(why);
  // One result: further ones are optional and cost nothing when nobody reads them.
  mlir::Value result = (*built)->getResult(0);
  mlir::func::ReturnOp::create(builder, loc, result);
  main.setType(builder.getFunctionType(block->getArgumentTypes(), result.getType()));
  return Error::success();
}

/// Both compute the same equation; a comparison of speed with something else would mean nothing.
static Error expectAlike(const Tensor &ours, const Tensor &scalar) {
  // Both round between the steps of an op, in different places, and what is about 1 there can be small in the end: four
  // roundings of half a unit.
  double least = isFloat(ours.element()) ? std::max(1e-3, 2 * ulpOf(ours.element(), 1)) : 0;
  int64_t step = std::max<int64_t>(1, ours.count() / 65536);
  for (int64_t i = 0; i < ours.count(); i += step) {
    double left = valueAt(ours, i), right = valueAt(scalar, i);
    double bound = isFloat(ours.element()) ? least + 1e-2 * std::abs(right) : 0;
    // The difference of two infinities is no number.
    if (!(left == right || std::abs(left - right) <= bound || (std::isnan(left) && std::isnan(right))))
      return createStringError(formatv("element {0} is {1:e5}, that of the scalar loops {2:e5}", i, left, right).str());
  }
  return Error::success();
}

/// The best time of a compiled op, and that of the fastest of `others` beside it. They take turns until neither has
/// become faster for a while. A machine that others share is faster by a third for moments, in which only one of the
/// two may have run: both are compared turn by turn, and the ratio in the middle of all turns counts.
static std::pair<double, double> timeBoth(std::function<void()> compiled, ArrayRef<std::function<void()>> others) {
  constexpr double settled = 0.4, longest = 4, change = 0.01;
  double ours = 1e30;
  SmallVector<double, 2> loops(others.size(), 1e30);
  auto fastest = [&] { return loops.empty() ? 1e30 : *llvm::min_element(loops); };
  std::vector<double> ratios;
  double begun = seconds(), changed = begun, now = begun;
  for (int turn = 0; turn < 3 || (now - changed < settled && now - begun < longest); ++turn) {
    double before = ours, loopsBefore = fastest(), here = 1e30, loopsHere = 1e30;
    timeTurn(here, compiled);
    ours = std::min(ours, here);
    for (auto [number, best] : enumerate(loops)) {
      // An order of loops that is far behind needs no more turns.
      if (turn != 0 && best >= 1.5 * loopsBefore)
        continue;
      double order = 1e30;
      timeTurn(order, others[number]);
      best = std::min(best, order);
      loopsHere = std::min(loopsHere, order);
    }
    ratios.push_back(loopsHere / here);
    now = seconds();
    if (ours < before * (1 - change) || fastest() < loopsBefore * (1 - change))
      changed = now;
  }
  auto middle = ratios.begin() + ratios.size() / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  return {ours, ours * *middle};
}

static std::string dumpFolder;                                       ///< empty: none
static std::string loopsFolder;                                      ///< likewise
static bool onlyLoops = false;                                       ///< they are compiled, and nothing is timed
static bool checkedLoops = false;                                    ///< they look at indices that data say
static int64_t mostOperations = std::numeric_limits<int64_t>::max(); ///< of one op

static Error dumpKernels(const CompiledModel &compiled) {
  for (const Object &kernel : compiled.kernels) {
    std::error_code error;
    raw_fd_ostream file(dumpFolder + "/" + kernel.name + ".o", error);
    if (error)
      return createStringError(error, "cannot write into " + dumpFolder);
    file << StringRef(kernel.bytes.data(), kernel.bytes.size());
  }
  return Error::success();
}

/// `line` is what the sample is called in the table.
static Error time(const eq::OpDef &op, StringRef sample, StringRef line, const eq::Numbers &numbers,
                  const Drawn &drawn) {
  Expected<eq::Given> given = eq::Given::parse(op, sample, numbers);
  if (!given)
    return given.takeError();
  SmallVector<bool> wanted(op.results.size(), false);
  wanted[0] = true;
  eq::Application application = given->application();
  application.resultsWanted = wanted;
  Expected<eq::Instance> instance = eq::instantiate(op, application);
  if (!instance)
    return instance.takeError();
  eq::Cost cost = eq::costOf(*instance);
  if (cost.flops.value() > mostOperations)
    return Error::success();
  Case made;
  if (Error error = build(made, op, *given, drawn))
    return error;
  if (onlyLoops)
    return bench::ScalarRun::make(*instance, made.operands, loopsFolder, checkedLoops).takeError();
  ProblemList problems;
  CompileOptions options;
  options.name = "op";
  options.jobs = 1;
  options.dumpFolder = dumpFolder;
  auto compiled = compileModule(std::move(made.session), std::move(made.module), options, problems);
  if (compiled && !dumpFolder.empty())
    if (Error error = dumpKernels(*compiled))
      return error;
  auto prepared = [&](unsigned count) {
    auto executable = compiled ? Executable::fromCompiled(*compiled, problems) : nullptr;
    bool runs = executable && executable->prepare(made.inputs, count, problems) && executable->run(problems);
    return runs ? std::move(executable) : nullptr;
  };
  std::unique_ptr<Executable> executable = prepared(threads), alone = threads == 1 ? nullptr : prepared(1);
  if (!executable || (threads != 1 && !alone))
    return createStringError(problems.all().empty() ? "does not run" : problems.all().front().what);
  auto print = [&](ArrayRef<std::function<void()>> others) {
    double speed = copySpeed();
    auto [ours, theirs] = timeBoth([&] { executable->run(problems); }, others);
    outs() << formatv("{0}\t{1}\t{2:f6}\t{3}\t{4}\t{5}\t{6:f2}\n", op.name, line, ours * 1e3,
                      others.empty() ? "-" : formatv("{0:f6}", theirs * 1e3).str(), cost.flops.value(),
                      cost.bytesFused.value(), speed / 1e9);
    outs().flush();
    return Error::success();
  };
  if (alone)
    return print(std::function<void()>([&] { alone->run(problems); }));
  Expected<bench::ScalarRun> scalar = bench::ScalarRun::make(*instance, made.operands, loopsFolder, checkedLoops);
  if (!scalar)
    errs() << "bench-ops: " << op.name << ": " << toString(scalar.takeError()) << "\n";
  else
    for (bench::ScalarRun::Function order : scalar->orders()) {
      scalar->run(order);
      if (Error error = expectAlike(executable->results()[0], scalar->result()))
        return error;
    }
  std::vector<std::function<void()>> loops;
  if (scalar) {
    scalar->writeTo(const_cast<uint8_t *>(executable->results()[0].data()));
    for (bench::ScalarRun::Function order : scalar->orders())
      loops.push_back([&scalar, order] { scalar->run(order); });
  }
  return print(loops);
}

/// One line of the file.
static Error timeLine(StringRef name, StringRef rest) {
  const eq::OpDef *op = nn::lookupEquation(name);
  if (!op)
    return createStringError("there is no such op");
  auto [sample, values] = rest.split('|');
  eq::Numbers numbers;
  Drawn drawn;
  SmallVector<StringRef> types;
  std::string others; // what is no type
  for (StringRef pair : split(values.trim(), ' ')) {
    auto [key, text] = pair.split('=');
    auto [low, high] = text.split(':');
    unsigned operand = 0;
    if (Range range; !key.getAsInteger(10, operand) && !low.getAsDouble(range.first) && !high.getAsDouble(range.second))
      drawn.ranges[operand] = range;
    else if (int64_t value; !text.getAsInteger(10, value))
      numbers[key] = value;
    else if (key == "weights")
      drawn.weightsAreInputs = text == "inputs";
    else if (key == "T")
      text.split(types, ',');
    if (key != "T" && !pair.empty())
      others += (others.empty() ? " | " : " ") + pair.str();
  }
  if (types.empty())
    return time(*op, sample.trim(), sample.trim().str() + others, numbers, drawn);
  for (StringRef type : types) {
    std::string text = sample.trim().str();
    for (size_t at = 0; (at = text.find("T[", at)) != std::string::npos;)
      text.replace(at, 1, type);
    if (Error error = time(*op, text, text + others, numbers, drawn))
      return createStringError(type + ": " + toString(std::move(error)));
  }
  return Error::success();
}

int main(int argc, char **argv) {
  ArrayRef<char *> names(argv + 1, argc - 1);
  bool understood = true;
  for (; !names.empty() && StringRef(names[0]).starts_with("--"); names = names.drop_front()) {
    StringRef option = names[0];
    if (option.consume_front("--dump="))
      dumpFolder = option.str();
    else if (option.consume_front("--loops="))
      loopsFolder = option.str();
    else if (option == "--checked")
      checkedLoops = true;
    else if (option == "--no-timing")
      onlyLoops = true;
    else if (option.consume_front("--offset="))
      understood &= !option.getAsInteger(10, operandOffset);
    else if (option.consume_front("--threads="))
      understood &= !option.getAsInteger(10, threads) && threads >= 1;
    else
      understood &= option.consume_front("--most=") && !option.getAsInteger(10, mostOperations);
  }
  if (names.empty() || !understood || (onlyLoops && loopsFolder.empty()))
    return errs() << "usage: bench-ops [--dump=FOLDER] [--loops=FOLDER [--no-timing]] [--checked] [--most=OPERATIONS] "
                     "[--offset=BYTES] [--threads=N] SAMPLES [NAME...]\n",
           2;
  // Where results lie must not depend on what was timed before: by itself malloc takes larger and larger blocks from
  // the heap, where they begin anywhere.
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  const char *samples = names[0];
  names = names.drop_front();
  auto file = MemoryBuffer::getFile(samples, /*IsText=*/true);
  if (!file)
    return errs() << "bench-ops: cannot read " << samples << ": " << file.getError().message() << "\n", 1;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  int status = 0;
  for (StringRef line : lines) {
    auto [name, rest] = line.split(' ');
    if (line.starts_with("#") || (!names.empty() && none_of(names, [&](char *wanted) { return name == wanted; })))
      continue;
    Error error = timeLine(name, rest);
    if (error) {
      errs() << "bench-ops: " << name << ": " << toString(std::move(error)) << "\n";
      status = 1;
    }
  }
  return status;
}

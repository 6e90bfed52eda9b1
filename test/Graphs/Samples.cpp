// Ops of the library, each from its line in kumiko/Nn/samples.txt or samples.txt beside this file: names of extents and
// numbers get other values, variables other types, attributes others of their kind, optional operands come and go. What
// the equation refuses is tried again.
#include "kumiko/Equation/Given.h"
#include "kumiko/Nn/Equations.h"
#include "kumiko/Nn/Types.h"
#include "test/Graphs/GraphMaker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace kumiko;
using namespace kumiko::graphs;
using llvm::StringRef;

namespace {

struct Sample {
  const eq::OpDef *op;
  std::string given;
  std::vector<std::string> names; ///< of extents
};

/// What an op is to be applied to.
struct Proposal {
  llvm::SmallVector<std::optional<eq::TensorType>, 4> operands;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

} // namespace

static void readSamples(StringRef path, std::vector<Sample> &samples) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    llvm::report_fatal_error("cannot read " + path);
  for (StringRef line : llvm::split((*file)->getBuffer(), '\n')) {
    if (line.trim().empty() || line.starts_with("#"))
      continue;
    auto [text, values] = line.split('|');
    auto [name, given] = text.trim().split(' ');
    Sample sample{nn::lookupEquation(name), given.trim().str(), {}};
    if (!sample.op)
      llvm::report_fatal_error("there is no op " + name);
    for (StringRef value : llvm::split(values.trim(), ' '))
      if (!value.empty())
        sample.names.push_back(value.split('=').first.str());
    samples.push_back(std::move(sample));
  }
}

/// One list per op, in the order of the library.
static const std::vector<std::vector<Sample>> &allSamples() {
  static const auto lists = [] {
    std::vector<Sample> samples;
    readSamples(KUMIKO_SOURCE_DIR "/kumiko/Nn/samples.txt", samples);
    readSamples(KUMIKO_SOURCE_DIR "/test/Graphs/samples.txt", samples);
    std::vector<std::vector<Sample>> lists;
    for (const eq::OpDef &op : nn::allEquations()) {
      lists.emplace_back();
      for (const Sample &sample : samples)
        if (sample.op == &op)
          lists.back().push_back(sample);
      if (lists.back().empty())
        llvm::report_fatal_error("kumiko/Nn/samples.txt has no line for " + op.name);
    }
    return lists;
  }();
  return lists;
}

/// Numbers above 3 are sizes that only have to fit each other: equal ones stay equal.
static std::string withOtherNumbers(StringRef text, Random &random) {
  std::map<std::string, int64_t> others;
  std::string result;
  while (!text.empty()) {
    size_t length = text.find_if_not([](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
    StringRef token = text.take_front(length == 0 ? 1 : length);
    text = text.drop_front(token.size());
    int64_t number;
    if (token.getAsInteger(10, number) || number <= 3) {
      result += token;
      continue;
    }
    auto [other, isNew] = others.try_emplace(token.str(), 0);
    if (isNew)
      other->second = number <= 17 && random.chance(60) ? number : std::max<int64_t>(randomExtent(random), 1);
    result += std::to_string(other->second);
  }
  return result;
}

static bool haveOneShape(const eq::Given &given) {
  for (const auto &operand : given.operands)
    if (!operand || operand->shape != given.operands[0]->shape)
      return false;
  return !given.operands.empty();
}

/// Operands of one shape get another, of any rank, and dimensions that broadcast.
static void changeRank(eq::Given &given, Random &random) {
  auto shape = randomShape(random, 512);
  for (auto &operand : given.operands) {
    operand->shape.assign(shape.begin(), shape.end());
    if (given.operands.size() == 1 || random.chance(50))
      continue;
    for (Extent &extent : operand->shape)
      if (random.chance(30))
        extent = 1;
    operand->shape.erase(operand->shape.begin(), operand->shape.begin() + random.below(shape.size() + 1));
  }
}

/// A type for each variable of the op; what it said before as often as not.
static void changeTypes(const eq::OpDef &op, eq::Given &given, Random &random) {
  llvm::SmallVector<ElementType> other(op.typeVariables.size(), ElementType::Invalid);
  for (ElementType &type : other)
    if (random.chance(50))
      type = randomElement(random);
  for (auto [number, operand] : llvm::enumerate(given.operands)) {
    const eq::TensorDef &definition = op.operands[std::min(number, op.operands.size() - 1)];
    if (operand && definition.type.kind == eq::TypeRef::Kind::Variable)
      if (ElementType type = other[definition.type.number]; type != ElementType::Invalid)
        operand->element = type;
  }
}

/// Optional operands that the sample lacks, with the type of another and a shape that may fit; or one less.
static void changeOptional(const eq::OpDef &op, eq::Given &given, Random &random) {
  if (op.variadicOperand()) {
    for (int64_t more = random.below(3); more > 0; --more)
      given.operands.push_back(given.operands.back());
    if (random.chance(15))
      given.operands.resize(1);
    return;
  }
  for (auto [number, definition] : llvm::enumerate(op.operands)) {
    if (number >= given.operands.size())
      given.operands.emplace_back();
    auto &operand = given.operands[number];
    if (!definition.optional || random.chance(60) || given.operands.empty() || !given.operands[0])
      continue;
    if (operand) {
      operand.reset();
      continue;
    }
    operand = given.operands[0];
    if (random.chance(50) && !operand->shape.empty())
      operand->shape = {random.of<Extent>(operand->shape)};
    else if (random.chance(70))
      operand->shape.clear();
  }
}

static bool isPermutation(llvm::ArrayRef<int64_t> list) {
  llvm::SmallVector<int64_t> sorted(list);
  llvm::sort(sorted);
  for (auto [number, value] : llvm::enumerate(sorted))
    if (value != int64_t(number))
      return false;
  return list.size() > 1;
}

static void changeNumbers(llvm::SmallVector<int64_t, 6> &list, size_t oldRank, size_t rank, Random &random) {
  if (list.size() == oldRank && isPermutation(list)) {
    list.resize(rank);
    for (auto [number, value] : llvm::enumerate(list))
      value = number;
    random.shuffle(list);
    return;
  }
  if (list.size() == oldRank)
    list.resize(rank, list.empty() ? 1 : list[0]);
  else if (list.size() < oldRank && rank != oldRank) { // axes
    list.clear();
    for (size_t axis = 0; axis < rank; ++axis)
      if (random.chance(50))
        list.push_back(axis);
    return;
  }
  for (int64_t &value : list)
    if (random.chance(25))
      value = random.between(0, 3);
}

/// The strings that an op's equations compare its attributes with.
static llvm::SmallVector<StringRef> wordsOf(const eq::OpDef &op) {
  llvm::SmallVector<StringRef> words;
  for (const eq::StatementDef &statement : op.statements)
    walk(statement, [&](const eq::Node &node) {
      if (node.kind == eq::Node::Kind::String)
        words.push_back(node.text);
    });
  return words;
}

static void changeAttribute(const eq::OpDef &op, eq::Attribute &attribute, eq::AttributeKind kind, size_t oldRank,
                            size_t rank, Random &random) {
  switch (kind) {
  case eq::AttributeKind::Int:
    if (random.chance(oldRank == rank ? 40 : 80))
      attribute = random.between(0, std::max<int64_t>(rank, 2));
    break;
  case eq::AttributeKind::Ints:
    changeNumbers(std::get<llvm::SmallVector<int64_t, 6>>(attribute), oldRank, rank, random);
    break;
  case eq::AttributeKind::Float:
    if (random.chance(30))
      attribute = random.of({0.5, 1.0, 2.0, 0.125});
    break;
  case eq::AttributeKind::Bool:
    attribute = random.chance(50);
    break;
  case eq::AttributeKind::Str:
    if (auto words = wordsOf(op); !words.empty() && random.chance(60))
      attribute = random.of<StringRef>(words).str();
    break;
  case eq::AttributeKind::Combine:
    if (random.chance(60))
      attribute = std::string(random.of({"+", "*", "max", "min", "and", "or", "set"}));
    break;
  case eq::AttributeKind::Type:
    if (random.chance(50))
      attribute = randomElement(random);
    break;
  case eq::AttributeKind::Floats:
    break;
  }
}

static std::optional<Proposal> propose(const Sample &sample, mlir::OpBuilder &builder, Random &random) {
  eq::Numbers numbers;
  for (const std::string &name : sample.names)
    numbers[name] = randomExtent(random);
  auto given = eq::Given::parse(*sample.op, withOtherNumbers(sample.given, random), numbers);
  if (!given) {
    llvm::consumeError(given.takeError());
    return std::nullopt;
  }
  bool first = !given->operands.empty() && given->operands[0];
  size_t oldRank = first ? given->operands[0]->shape.size() : 0;
  if (haveOneShape(*given) && random.chance(70))
    changeRank(*given, random);
  changeTypes(*sample.op, *given, random);
  changeOptional(*sample.op, *given, random);
  size_t rank = first ? given->operands[0]->shape.size() : 0;
  Proposal proposal;
  proposal.operands = given->operands;
  for (const eq::AttributeDef &definition : sample.op->attributes) {
    auto found = given->attributes.find(definition.name);
    if (found == given->attributes.end())
      continue;
    changeAttribute(*sample.op, found->second, definition.kind, oldRank, rank, random);
    proposal.attributes.push_back(
        builder.getNamedAttr(definition.name, nn::fromEquation(builder.getContext(), found->second, definition.kind)));
  }
  return proposal;
}

/// Whether the equation takes it, on tensors of a size that is meant here.
static bool fits(const Sample &sample, const Proposal &proposal, mlir::MLIRContext *context) {
  llvm::SmallVector<mlir::Type> types;
  for (const auto &operand : proposal.operands) {
    types.push_back(operand ? nn::fromEquation(context, *operand) : mlir::Type());
    if (operand && llvm::cast<mlir::RankedTensorType>(types.back()).getNumElements() > 4096)
      return false;
  }
  auto results = nn::inferTypes(context, *sample.op, types, proposal.attributes);
  if (!results)
    llvm::consumeError(results.takeError());
  return bool(results);
}

static mlir::Value operandFor(GraphMaker &maker, const Sample &sample, const Proposal &proposal, size_t number) {
  const eq::TensorType &type = *proposal.operands[number];
  const eq::TensorDef &definition = sample.op->operands[std::min(number, sample.op->operands.size() - 1)];
  llvm::SmallVector<int64_t> shape;
  for (const Extent &extent : type.shape)
    shape.push_back(extent.value());
  // A second operand of integers beside one of another kind says where to look: it must lie inside.
  bool isIndex = number > 0 && isInteger(type.element) && definition.type.name != "T";
  if (!isIndex)
    return maker.use(type.element, shape, maker.random.chance(15) ? Flavour::Positive : Flavour::Plain);
  int64_t limit = 17;
  for (const Extent &extent : proposal.operands[0]->shape)
    if (extent.value() > 0)
      limit = std::min(limit, extent.value());
  return maker.fresh(type.element, shape, Flavour::Index, limit);
}

bool graphs::addSampledOp(GraphMaker &maker) {
  const std::vector<Sample> &samples = maker.random.of<std::vector<Sample>>(allSamples());
  for (int attempt = 0; attempt < 24; ++attempt) {
    const Sample &sample = maker.random.of<Sample>(samples);
    std::optional<Proposal> proposal = propose(sample, maker.builder, maker.random);
    if (!proposal || !fits(sample, *proposal, maker.builder.getContext()))
      continue;
    llvm::SmallVector<mlir::Value> operands;
    for (size_t number = 0; number < proposal->operands.size(); ++number)
      operands.push_back(proposal->operands[number] ? operandFor(maker, sample, *proposal, number) : mlir::Value());
    if (maker.makeOp(sample.op->name, operands, proposal->attributes))
      return true;
  }
  return false;
}

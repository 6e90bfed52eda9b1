//===- Einsum.cpp - sums of products over named indices --------------------------===//
//
// `bij,bjk->bik`, made of ops that exist: indices that come twice in one operand are its diagonal, indices that nobody
// else has are summed at once, and operands are joined from left to right by matrix products over what they share.
//
//===----------------------------------------------------------------------===//
#include "kumiko/Import/Onnx/Registry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace mlir;

namespace kumiko::onnx {
namespace {

/// Letters are their own label; dimensions of the ellipsis are numbered from the end.
constexpr int ellipsisLabel = 256;
using Labels = SmallVector<int, 8>;

struct Term {
  Value value;
  Labels labels; ///< one per dimension
};

struct Equation {
  SmallVector<Labels, 4> terms; ///< -1 stands for the ellipsis
  Labels output;
};

/// The labels of one term; nothing when it is malformed.
std::optional<Labels> readLabels(StringRef text) {
  Labels labels;
  for (; !text.empty();) {
    if (text.consume_front("...")) {
      if (is_contained(labels, -1))
        return std::nullopt;
      labels.push_back(-1);
    } else if (isAlpha(text.front())) {
      labels.push_back(text.front());
      text = text.drop_front();
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

std::optional<Equation> readEquation(StringRef given) {
  std::string text = given.str();
  erase_if(text, [](char letter) { return letter == ' '; });
  auto [left, right] = StringRef(text).split("->");
  bool explicitOutput = left.size() != text.size();
  Equation equation;
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  for (StringRef part : parts) {
    std::optional<Labels> labels = readLabels(part);
    if (!labels)
      return std::nullopt;
    equation.terms.push_back(std::move(*labels));
  }
  if (explicitOutput) {
    std::optional<Labels> labels = readLabels(right);
    if (!labels)
      return std::nullopt;
    equation.output = std::move(*labels);
    return equation;
  }
  // Without an arrow: the ellipsis, then the labels that come once, in alphabetical order.
  int counts[ellipsisLabel] = {};
  bool ellipsis = false;
  for (const Labels &labels : equation.terms)
    for (int label : labels)
      label < 0 ? void(ellipsis = true) : void(++counts[label]);
  if (ellipsis)
    equation.output.push_back(-1);
  for (int label = 0; label < ellipsisLabel; ++label)
    if (counts[label] == 1)
      equation.output.push_back(label);
  return equation;
}

class Einsum {
public:
  explicit Einsum(NodeContext &n) : n(n) {}
  Value run(const Equation &equation);

private:
  NodeContext &n;
  SmallVector<Term, 4> terms;
  Labels output;
  llvm::DenseMap<int, Extent> extents;

  bool bind(const Equation &equation);
  bool findExtents();
  /// x with its dimensions in this order of labels.
  Value arranged(const Term &term, ArrayRef<int> labels);
  void takeDiagonals(Term &term);
  void dropBroadcast(Term &term);
  void sumOwn(Term &term, ArrayRef<Term> others);
  Term join(Term a, Term b, ArrayRef<Term> rest);
  bool isNeeded(int label, ArrayRef<Term> others) {
    return is_contained(output, label) ||
           any_of(others, [&](const Term &other) { return is_contained(other.labels, label); });
  }
  Extent product(ArrayRef<int> labels) {
    Extent count = 1;
    for (int label : labels)
      count *= extents[label]; // part of a shape that exists
    return count;
  }
};

/// Gives every dimension of every operand its label; the ellipsis becomes labels of its own.
bool Einsum::bind(const Equation &equation) {
  auto bad = [&](const Twine &what) {
    n.fail(Code::AttributeValue, "the equation does not fit: " + what);
    return false;
  };
  if (equation.terms.size() != n.inputCount())
    return bad("it has " + Twine(equation.terms.size()) + " terms for " + Twine(n.inputCount()) + " inputs");
  int64_t longest = 0;
  bool ellipsis = false;
  auto spellOut = [&](const Labels &labels, int64_t count) {
    Labels result;
    for (int label : labels) {
      if (label >= 0)
        result.push_back(label);
      else
        for (int64_t i = 0; i < count; ++i)
          result.push_back(ellipsisLabel + int(count - 1 - i));
    }
    return result;
  };
  for (auto [number, labels] : enumerate(equation.terms)) {
    Value x = n.input(number);
    if (!x)
      return bad("input " + Twine(number) + " is left out");
    bool open = is_contained(labels, -1);
    int64_t rest = n.rankOf(x) - int64_t(labels.size()) + open;
    if (rest < 0 || (!open && rest != 0))
      return bad("term " + Twine(number) + " has " + Twine(labels.size() - open) + " labels for rank " +
                 Twine(n.rankOf(x)));
    ellipsis |= open;
    longest = std::max(longest, open ? rest : 0);
    terms.push_back({x, spellOut(labels, rest)});
  }
  if (ellipsis && longest > 0 && !is_contained(equation.output, -1))
    return bad("the output has no ellipsis");
  output = spellOut(equation.output, longest);
  for (auto [number, label] : enumerate(output))
    if (is_contained(ArrayRef(output).take_front(number), label))
      return bad("a label comes twice in the output");
  return true;
}

/// The size of each label: all dimensions of that label agree, or are 1.
bool Einsum::findExtents() {
  for (const Term &term : terms)
    for (auto [label, size] : zip_equal(term.labels, n.sizesOf(term.value))) {
      auto [known, fresh] = extents.try_emplace(label, size);
      if (fresh || known->second == size || size.is(1))
        continue;
      if (!known->second.is(1)) {
        // Expressions are taken to be equal, never to be 1.
        if (n.agree(known->second, size, "dimensions of one label are equal"))
          continue;
        n.fail(Code::OperandShape, "one label stands for dimensions of " + known->second.str() + " and " + size.str())
            .helped("dimensions with the same label must be equal, or 1");
        return false;
      }
      known->second = size;
    }
  for (int label : output)
    if (!extents.contains(label)) {
      n.fail(Code::AttributeValue, "the equation does not fit: the output has a label that no input has");
      return false;
    }
  return true;
}

Value Einsum::arranged(const Term &term, ArrayRef<int> labels) {
  Ints permutation;
  for (int label : labels)
    permutation.push_back(find(term.labels, label) - term.labels.begin());
  return n.transpose(term.value, permutation);
}

/// Two dimensions of one label become one: every (n+1)-th element of the two flattened.
void Einsum::takeDiagonals(Term &term) {
  for (size_t first = 0; first < term.labels.size() && !n.failed();) {
    auto *rest = std::find(term.labels.begin() + first + 1, term.labels.end(), term.labels[first]);
    if (rest == term.labels.end()) {
      ++first;
      continue;
    }
    int64_t second = rest - term.labels.begin();
    Extent extent = n.sizesOf(term.value)[first];
    if (!n.agree(extent, n.sizesOf(term.value)[second], "dimensions of one label are equal")) {
      n.fail(Code::OperandShape, "a label that comes twice in one term stands for different sizes");
      return;
    }
    Ints order;
    Labels labels;
    for (auto [position, label] : enumerate(term.labels))
      if (position != first && int64_t(position) != second) {
        order.push_back(position);
        labels.push_back(label);
      }
    labels.push_back(term.labels[first]);
    order.append({int64_t(first), second});
    Value moved = n.transpose(term.value, order);
    Sizes shape = n.sizesOf(moved);
    shape.pop_back_n(2);
    Sizes start(shape.size() + 1, 0), step(shape.size() + 1, 1), out(shape);
    shape.push_back(extent * extent); // part of a shape that exists
    step.back() = extent + Extent(1);
    out.push_back(extent);
    term.value =
        n.make("slice", {n.reshape(moved, shape)}, {n.is("start", start), n.is("step", step), n.is("out", out)});
    term.labels = labels;
    first = 0;
  }
}

/// A dimension of 1 whose label is larger elsewhere repeats: the operand does not depend on it.
void Einsum::dropBroadcast(Term &term) {
  Sizes shape;
  Labels labels;
  for (auto [label, size] : zip_equal(term.labels, n.sizesOf(term.value)))
    if (size == extents[label] || !size.is(1)) {
      shape.push_back(size);
      labels.push_back(label);
    }
  term.value = n.reshape(term.value, shape);
  term.labels = labels;
}

void Einsum::sumOwn(Term &term, ArrayRef<Term> others) {
  Ints axes;
  Labels kept;
  for (auto [axis, label] : enumerate(term.labels)) {
    if (isNeeded(label, others))
      kept.push_back(label);
    else
      axes.push_back(axis);
  }
  if (axes.empty() || n.failed())
    return;
  term.value = n.make("reduce", {term.value}, {n.is("kind", "+"), n.is("axes", axes)});
  term.labels = kept;
}

Term Einsum::join(Term a, Term b, ArrayRef<Term> rest) {
  Labels shared, summed, ownA, ownB;
  for (int label : a.labels) {
    bool both = is_contained(b.labels, label);
    (both ? (isNeeded(label, rest) ? shared : summed) : ownA).push_back(label);
  }
  for (int label : b.labels)
    if (!is_contained(a.labels, label))
      ownB.push_back(label);
  auto together = [](std::initializer_list<ArrayRef<int>> groups) {
    Labels all;
    for (ArrayRef<int> group : groups)
      all.append(group.begin(), group.end());
    return all;
  };
  Value left = arranged(a, together({shared, ownA, summed})), right = arranged(b, together({shared, summed, ownB}));
  if (n.failed())
    return {};
  Extent batch = product(shared), inner = product(summed), rows = product(ownA), columns = product(ownB);
  left = n.reshape(left, {batch, rows, inner});
  right = n.reshape(right, {batch, inner, columns});
  Term result{n.failed()       ? Value()
              : summed.empty() ? n.make("mul", {left, right})
                               : n.make("matmul", {left, right}),
              together({shared, ownA, ownB})};
  Sizes shape;
  for (int label : result.labels)
    shape.push_back(extents[label]);
  if (result.value)
    result.value = n.reshape(result.value, shape);
  return result;
}

Value Einsum::run(const Equation &equation) {
  if (!bind(equation))
    return {};
  for (Term &term : terms) {
    // Floats below f32 are multiplied and summed in f32, and rounded once at the end.
    if (auto type = dyn_cast<FloatType>(n.elementOf(term.value)); type && type.getWidth() < 32)
      term.value = n.cast(term.value, n.builder().getF32Type());
    takeDiagonals(term);
    if (n.failed())
      return {};
  }
  if (!findExtents())
    return {};
  for (Term &term : terms)
    if (!n.failed())
      dropBroadcast(term);
  for (size_t i = 0; i < terms.size() && !n.failed(); ++i) {
    SmallVector<Term, 4> others(terms);
    others.erase(others.begin() + i);
    sumOwn(terms[i], others);
  }
  Term result = terms.front();
  for (size_t i = 1; i < terms.size() && !n.failed(); ++i)
    result = join(result, terms[i], ArrayRef(terms).drop_front(i + 1));
  if (n.failed())
    return {};
  Value y = arranged(result, output);
  return n.failed() ? Value() : n.cast(y, n.elementOf(n.input(0)));
}

Results importEinsum(NodeContext &n) {
  StringRef text = n.text("equation", "");
  std::optional<Equation> equation = n.failed() ? std::nullopt : readEquation(text);
  if (!equation) {
    if (!n.failed())
      n.fail(Code::AttributeValue, "cannot read the equation \"" + printable(text) + "\"")
          .helped("terms of letters and at most one \"...\", separated by commas, then \"->\" and the result");
    return {};
  }
  return {Einsum(n).run(*equation)};
}

constexpr OpCode codes[] = {{"Einsum", 1, OpCode::any, 1, importEinsum}};

} // namespace

ArrayRef<OpCode> einsumOps() { return codes; }

} // namespace kumiko::onnx

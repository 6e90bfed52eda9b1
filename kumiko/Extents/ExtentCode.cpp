//===- ExtentCode.cpp - an extent as steps of a stack machine --------------===//
#include "kumiko/Extents/ExtentCode.h"
#include "kumiko/Extents/Polynomial.h"

namespace kumiko {
namespace {

using Kind = ExtentStep::Kind;
using Steps = llvm::SmallVectorImpl<ExtentStep>;

void append(const Extent &extent, Steps &steps);

Kind kindOf(Atom::Kind kind) {
  switch (kind) {
  case Atom::Kind::Symbol:
    return Kind::Symbol;
  case Atom::Kind::FloorDiv:
    return Kind::FloorDiv;
  case Atom::Kind::Max:
    return Kind::Max;
  case Atom::Kind::Min:
    return Kind::Min;
  case Atom::Kind::Broadcast:
    return Kind::Broadcast;
  }
  llvm_unreachable("all kinds are listed");
}

void append(const Atom &atom, Steps &steps) {
  if (atom.kind != Atom::Kind::Symbol) {
    append(atom.a, steps);
    append(atom.b, steps);
  }
  steps.push_back({kindOf(atom.kind), 0, atom.name});
}

void append(const Term &term, Steps &steps) {
  bool first = term.coefficient == 1;
  if (!first)
    steps.push_back({Kind::Constant, term.coefficient, {}});
  for (const AtomRef &atom : term.atoms) {
    append(*atom, steps);
    if (!first)
      steps.push_back({Kind::Multiply, 0, {}});
    first = false;
  }
}

void append(const Extent &extent, Steps &steps) {
  bool first = true;
  for (const Term &term : Polynomial::termsOf(extent)) {
    append(term, steps);
    if (!first)
      steps.push_back({Kind::Add, 0, {}});
    first = false;
  }
  int64_t constant = Polynomial::constantOf(extent);
  if (!first && constant == 0)
    return;
  steps.push_back({Kind::Constant, constant, {}});
  if (!first)
    steps.push_back({Kind::Add, 0, {}});
}

} // namespace

llvm::SmallVector<ExtentStep> codeOf(const Extent &extent) {
  assert(!extent.overflowed());
  llvm::SmallVector<ExtentStep> steps;
  append(extent, steps);
  return steps;
}

} // namespace kumiko

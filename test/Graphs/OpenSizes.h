//===- OpenSizes.h - a graph of numbers becomes one of symbols ----------------===//
#pragma once
#include "kumiko/Verify/TestCase.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace kumiko::graphs {

struct OpenGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// What the symbols are for the graph that was opened.
  llvm::StringMap<int64_t> symbols;
};

/// The graph with every dimension of an argument made a symbol that can be one: where ops ask for equal sizes symbols
/// become one symbol, and what a number in an op fixes stays a number. Nothing when no dimension can be opened. What is
/// opened follows from the graph alone.
std::optional<OpenGraph> openSizes(const TestCase &graph);

} // namespace kumiko::graphs

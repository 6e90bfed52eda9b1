//===- Order.h - names and order of the nodes of a graph ---------------------===//
#pragma once
#include "kumiko/Import/Onnx/Proto.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace kumiko::onnx {

/// Adds a problem at node `number` of the list.
using ReportAt = llvm::function_ref<Problem &(size_t number, Code, const llvm::Twine &)>;

/// An order in which every node comes after those whose results it needs: the file's own where that will do, as ONNX
/// demands; otherwise the one closest to it. `given` tells whether a name is an input or initializer of the list
/// itself, `visible` whether it is defined around it; a node may hide a name that is only visible.
///
/// Reports names that are defined twice, names that nothing defines, and nodes that wait for each other. Those nodes,
/// and those that need them, are not in the result.
std::vector<uint32_t> orderNodes(llvm::ArrayRef<Node> nodes, llvm::function_ref<bool(llvm::StringRef)> given,
                                 llvm::function_ref<bool(llvm::StringRef)> visible, ReportAt report);

/// What a node needs by name, subgraphs included; a name as often as it is needed.
llvm::SmallVector<llvm::StringRef, 4> needsOf(const Node &node);

/// Names that the subgraphs of `node` take from around it.
llvm::SmallVector<llvm::StringRef, 2> capturedBy(const Node &node);

} // namespace kumiko::onnx

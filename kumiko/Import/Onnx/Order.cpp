#include "kumiko/Import/Onnx/Order.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <queue>

using namespace llvm;

namespace kumiko::onnx {

namespace {

using Producers = DenseMap<StringRef, uint32_t>;

/// Names used in `graph` and its own subgraphs but not defined there. The reader bounds the nesting.
void collectFree(const Graph &graph, SetVector<StringRef> &free) {
  DenseSet<StringRef> defined;
  for (const ValueInfo &input : graph.inputs)
    defined.insert(input.name);
  for (const TensorProto &tensor : graph.initializers)
    defined.insert(tensor.name);
  for (const Node &node : graph.nodes)
    defined.insert_range(node.outputs);
  auto use = [&](StringRef name) {
    if (!name.empty() && !defined.contains(name))
      free.insert(name);
  };
  for (const Node &node : graph.nodes) {
    for_each(node.inputs, use);
    for_each(capturedBy(node), use);
  }
  for (const ValueInfo &output : graph.outputs)
    use(output.name);
}

Producers producersOf(ArrayRef<Node> nodes, function_ref<bool(StringRef)> given, ReportAt report) {
  Producers producers;
  for (auto [number, node] : enumerate(nodes))
    for (StringRef name : node.outputs) {
      if (name.empty())
        continue;
      auto [entry, fresh] = producers.try_emplace(name, number);
      uint32_t before = entry->second;
      if (fresh && !given(name))
        continue;
      // What is already there stays: nodes that read the name mean that.
      if (fresh)
        producers.erase(entry);
      std::string first = fresh ? "a graph input or an initializer" : "node " + std::to_string(before);
      report(number, Code::DuplicateName, "\"" + printable(name) + "\" is defined a second time; first by " + first)
          .helped("every value has one definition; give one of them another name");
    }
  return producers;
}

std::string shown(const Node &node, size_t number) {
  return node.name.empty() ? "node " + std::to_string(number) + " (" + printable(node.op, 60) + ")"
                           : "\"" + printable(node.name, 60) + "\"";
}

/// A node, and the name it waits for.
using Wait = std::pair<uint32_t, StringRef>;

/// Follows needs among nodes that wait from `start` until one comes again, or until one that an earlier walk has seen.
/// The nodes of the cycle; empty when the walk ended in an earlier one. All walks together visit each node once.
SmallVector<Wait> findCycle(ArrayRef<Node> nodes, const Producers &producers, const std::vector<uint32_t> &missing,
                            uint32_t start, std::vector<bool> &walked) {
  SmallVector<Wait> path;
  DenseMap<uint32_t, size_t> seen;
  uint32_t current = start;
  while (seen.try_emplace(current, path.size()).second) {
    if (walked[current])
      return {};
    walked[current] = true;
    for (StringRef name : needsOf(nodes[current])) {
      auto producer = producers.find(name);
      if (producer == producers.end() || missing[producer->second] == 0)
        continue;
      path.push_back({current, name});
      current = producer->second;
      break;
    }
  }
  path.erase(path.begin(), path.begin() + seen[current]);
  return path;
}

void reportCycle(ArrayRef<Node> nodes, const Producers &producers, ArrayRef<Wait> cycle, ReportAt report) {
  std::string names;
  for (auto [number, name] : cycle.take_front(6))
    names += (names.empty() ? "" : ", ") + shown(nodes[number], number);
  if (cycle.size() > 6)
    names += ", ...";
  Problem &problem =
      report(cycle.front().first, Code::Cycle,
             cycle.size() == 1 ? "node " + names + " needs its own result" : "nodes wait for each other: " + names);
  for (auto [number, name] : cycle.take_front(6)) {
    uint32_t producer = producers.lookup(name);
    problem.with(name, "",
                 "needed by " + shown(nodes[number], number) + ", made by " + shown(nodes[producer], producer));
  }
  problem.helped("a graph must not contain cycles; break it at one of these values");
}

} // namespace

SmallVector<StringRef, 2> capturedBy(const Node &node) {
  SetVector<StringRef> free;
  for (const Attribute &attribute : node.attributes) {
    if (attribute.graph)
      collectFree(*attribute.graph, free);
    for (const Graph &graph : attribute.graphs)
      collectFree(graph, free);
  }
  return SmallVector<StringRef, 2>(free.begin(), free.end());
}

SmallVector<StringRef, 4> needsOf(const Node &node) {
  SmallVector<StringRef, 4> names(node.inputs);
  append_range(names, capturedBy(node));
  erase_if(names, [](StringRef name) { return name.empty(); });
  return names;
}

std::vector<uint32_t> orderNodes(ArrayRef<Node> nodes, function_ref<bool(StringRef)> given,
                                 function_ref<bool(StringRef)> visible, ReportAt report) {
  Producers producers = producersOf(nodes, given, report);
  // missing[n]: results that node n still waits for. A name that nothing defines never comes.
  std::vector<uint32_t> missing(nodes.size()), order;
  std::vector<SmallVector<uint32_t, 1>> consumers(nodes.size());
  std::vector<bool> hopeless(nodes.size());
  for (auto [number, node] : enumerate(nodes))
    for (StringRef name : needsOf(node)) {
      if (auto producer = producers.find(name); producer != producers.end()) {
        ++missing[number];
        consumers[producer->second].push_back(number);
      } else if (!visible(name)) {
        hopeless[number] = true;
        report(number, Code::UndefinedName, "\"" + printable(name) + "\" is not defined")
            .helped("no node, graph input or initializer has this name; the model was cut or exported wrongly");
      }
    }
  // Smallest number first keeps the file's order wherever it is right.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t number = 0; number < nodes.size(); ++number)
    if (missing[number] == 0)
      ready.push(number);
  order.reserve(nodes.size());
  std::vector<bool> done(nodes.size());
  while (!ready.empty()) {
    uint32_t number = ready.top();
    ready.pop();
    done[number] = true;
    if (!hopeless[number])
      order.push_back(number);
    for (uint32_t consumer : consumers[number]) {
      if (hopeless[number])
        hopeless[consumer] = true;
      if (--missing[consumer] == 0)
        ready.push(consumer);
    }
  }
  std::vector<bool> walked(nodes.size());
  for (uint32_t number = 0; number < nodes.size(); ++number)
    if (!done[number] && !walked[number])
      if (auto cycle = findCycle(nodes, producers, missing, number, walked); !cycle.empty())
        reportCycle(nodes, producers, cycle, report);
  return order;
}

} // namespace kumiko::onnx

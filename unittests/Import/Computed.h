//===- Computed.h - the results of one node, by importer and evaluator ----------===//
#pragma once
#include "Imported.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Onnx/TensorData.h"
#include "kumiko/Support/Convert.h"

namespace kumiko::onnx::test {

/// A tensor as tests write it.
struct Given {
  DataType type;
  std::vector<int64_t> shape;
  std::vector<double> elements;
};

inline Given f32(std::vector<int64_t> shape, std::vector<double> elements) {
  return {DataType::Float, std::move(shape), std::move(elements)};
}
inline Given i64(std::vector<int64_t> shape, std::vector<double> elements) {
  return {DataType::Int64, std::move(shape), std::move(elements)};
}
/// 0, 1, 2, ... in f32.
inline Given counting(std::vector<int64_t> shape, double start = 0) {
  Given value = f32(shape, {});
  for (int64_t i = 0; i < llvm::cantFail(elementCount(shape)); ++i)
    value.elements.push_back(start + double(i));
  return value;
}

/// One node on inputs `a`, `b`, `c`, ... whose values the importer knows; its outputs are `p`, `q`, `r`, `s`.
struct Computed {
  std::string problems; ///< as printed; empty when all went well
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::vector<double>> values; ///< per output

  Computed(llvm::StringRef op, std::vector<Given> inputs, std::vector<Message> attributes = {}, int64_t opset = 22,
           size_t outputs = 1) {
    GraphParts parts;
    std::vector<std::string> inputNames, outputNames;
    std::vector<Tensor> tensors;
    for (auto [number, input] : llvm::enumerate(inputs)) {
      // An input without elements and shape is one left out.
      bool absent = input.type == DataType::Undefined;
      inputNames.push_back(absent ? "" : std::string(1, 'a' + number));
      if (absent)
        continue;
      parts.inputs.push_back(
          valueInfo(inputNames.back(), input.type, std::vector<Dim>(input.shape.begin(), input.shape.end())));
      tensors.push_back(tensorOf(input));
    }
    for (size_t i = 0; i < outputs; ++i) {
      outputNames.push_back(std::string(1, 'p' + i));
      parts.outputs.push_back(Message().text(1, outputNames.back()));
    }
    parts.nodes = {node(op, inputNames, outputNames, "", attributes)};
    ImportOptions options;
    llvm::SmallVector<const Tensor *> arguments;
    for (const Tensor &tensor : tensors)
      arguments.push_back(&tensor);
    size_t next = 0;
    for (const std::string &name : inputNames)
      if (!name.empty())
        options.known[name] = arguments[next++];
    Imported m(model(graph(parts), opset), options);
    problems = m.errors();
    if (!m.module)
      return;
    if (m.text().empty()) {
      problems = "the module does not verify";
      return;
    }
    auto results = evaluateGraph(m.module->lookupSymbol<mlir::func::FuncOp>("main"), arguments);
    if (!results) {
      problems = llvm::toString(results.takeError());
      return;
    }
    for (const Tensor &result : *results) {
      shapes.emplace_back(result.shape().begin(), result.shape().end());
      values.emplace_back();
      for (int64_t i = 0; i < result.count(); ++i)
        values.back().push_back(valueAt(result, i));
    }
  }

  static Tensor tensorOf(const Given &value) {
    Tensor wide = llvm::cantFail(Tensor::zeros(ElementType::F64, value.shape));
    assert(size_t(wide.count()) == value.elements.size() && "a test's tensor has another number of elements");
    if (wide.count())
      std::memcpy(wide.mutableData(), value.elements.data(), wide.count() * sizeof(double));
    return llvm::cantFail(convert(wide, *elementTypeOf(value.type)));
  }
};

/// Absent optional input.
inline Given none() { return {DataType::Undefined, {}, {}}; }

} // namespace kumiko::onnx::test

//===- SparseTest.cpp - sparse initializers and constants ------------------------===//
#include "Imported.h"
#include "kumiko/Evaluate/Graph.h"
#include "kumiko/Import/Onnx/Fields.h"
#include "kumiko/Support/Convert.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Ints = std::vector<int64_t>;

/// f32 values 1, 2, 3, ... at these indices.
Message sparse(size_t values, Ints indices, Ints indexShape, Ints dims) {
  Message list, rows, result;
  list.varint(field::tensor::Dims, values).varint(field::tensor::DataType, 1).text(field::tensor::Name, "w");
  for (size_t i = 0; i < values; ++i)
    list.real(field::tensor::FloatData, float(i + 1));
  for (int64_t size : indexShape)
    rows.varint(field::tensor::Dims, size);
  rows.varint(field::tensor::DataType, 7);
  for (int64_t index : indices)
    rows.varint(field::tensor::Int64Data, index);
  result.message(field::sparse::Values, list).message(field::sparse::Indices, rows);
  for (int64_t size : dims)
    result.varint(field::sparse::Dims, size);
  return result;
}

struct Loaded {
  std::string errors;
  List values;

  /// The tensor as the attribute of a Constant, or as an initializer.
  Loaded(const Message &tensor, bool initializer) {
    GraphParts parts;
    parts.outputs = {Message().text(1, "y")};
    Message bytes;
    if (initializer) {
      parts.nodes = {node("Identity", {"w"}, {"y"})};
      bytes = graph(parts);
      bytes.message(field::graph::SparseInitializer, tensor);
    } else {
      Message value;
      value.text(field::attribute::Name, "sparse_value").message(field::attribute::SparseTensor, tensor);
      value.varint(field::attribute::Type, uint64_t(Attribute::Kind::SparseTensor));
      parts.nodes = {node("Constant", {}, {"y"}, "", {value})};
      bytes = graph(parts);
    }
    Imported m(model(bytes));
    errors = m.errors();
    if (!m.module || m.text().empty())
      return;
    auto results = evaluateGraph(m.module->lookupSymbol<mlir::func::FuncOp>("main"), {});
    if (!results) {
      errors = llvm::toString(results.takeError());
      return;
    }
    for (int64_t i = 0; i < results->front().count(); ++i)
      values.push_back(valueAt(results->front(), i));
  }
};

TEST(Sparse, BecomesDense) {
  for (bool initializer : {false, true}) {
    EXPECT_EQ(Loaded(sparse(2, {1, 5}, {2}, {2, 3}), initializer).values, List({0, 1, 0, 0, 0, 2}));
    EXPECT_EQ(Loaded(sparse(2, {0, 1, 1, 2}, {2, 2}, {2, 3}), initializer).values, List({0, 1, 0, 0, 0, 2}));
    EXPECT_EQ(Loaded(sparse(0, {}, {0}, {3}), initializer).values, List({0, 0, 0}));
    EXPECT_EQ(Loaded(sparse(1, {17}, {1}, {20}), initializer).values.at(17), 1);
  }
}

TEST(Sparse, Refuses) {
  for (bool initializer : {false, true}) {
    auto errors = [&](const Message &tensor) { return Loaded(tensor, initializer).errors; };
    for (const Message &bad : {sparse(2, {1, 6}, {2}, {2, 3}), sparse(2, {-1, 5}, {2}, {2, 3}),
                               sparse(2, {0, 3, 1, 2}, {2, 2}, {2, 3}), sparse(2, {1}, {1}, {2, 3}),
                               sparse(2, {0, 0, 0, 1, 1, 1}, {2, 3}, {2, 3}), sparse(2, {0, 1}, {2, 1, 1}, {2, 3})})
      EXPECT_NE(errors(bad).find("K0203"), std::string::npos) << errors(bad);
    EXPECT_NE(errors(sparse(1, {0}, {1}, {1 << 20, 1 << 20})).find("K0507"), std::string::npos);
    EXPECT_NE(errors(sparse(1, {0}, {1}, {-1})), "");
    EXPECT_NE(errors(Message()), "");
  }
}

} // namespace

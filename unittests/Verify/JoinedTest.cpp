// Parts that lie in a joined tensor, compiled, between guard pages, against the equations.
#include "kumiko/Pipeline/Session.h"
#include "kumiko/Verify/CompiledCase.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace kumiko;

namespace {

/// Numbers that are different from each other and small.
Tensor numbers(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(ElementType::F32, shape));
  for (int64_t n = 0; n < tensor.count(); ++n)
    reinterpret_cast<float *>(tensor.mutableData())[n] = float(n * 37 % 101) / 64 - 0.7f;
  return tensor;
}

/// The first problem, or "" where compiled code and equations agree; `open` is the same network with symbols.
std::string judge(llvm::StringRef text, std::vector<std::vector<int64_t>> shapes, llvm::StringRef open = "") {
  Session session(1);
  TestCase test;
  mlir::ParserConfig config(&session.context());
  test.module = mlir::parseSourceString<mlir::ModuleOp>(text, config);
  auto compiled = mlir::parseSourceString<mlir::ModuleOp>(open.empty() ? text : open, config);
  if (!test.module || !compiled)
    return "the text is wrong: " + text.str() + open.str();
  for (llvm::ArrayRef<int64_t> shape : shapes)
    test.inputs.push_back(numbers(shape));
  ProblemList problems;
  auto answer = judgeCompiled(test, *compiled, CompileOptions(), problems);
  if (!answer)
    return problems.hasErrors() ? problems.all().front().what : "it was not run";
  return answer->outlier ? "a result is wrong" : "";
}

std::string tensorOf(llvm::ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

/// Concatenations of concatenations, of sums, products and rows that others read, too, all of one seed.
class Chain {
public:
  explicit Chain(unsigned seed) : random(seed) {
    shape.resize(1 + below(4));
    for (int64_t &extent : shape)
      extent = std::array{1, 2, 3, 5, 8, 17}[below(6)];
    axis = below(shape.size());
    first = shape;
  }

  std::string text() {
    std::string body, newest = "%x";
    std::vector<std::string> results, types;
    for (unsigned n = 0, count = 2 + below(3); n < count; ++n) {
      std::string type = tensorOf(shape), name = std::to_string(n);
      // Two readers keep the part from being computed on the way.
      body += "%r" + name + " = nn.softmax " + newest + " {axis = " + std::to_string(below(shape.size())) +
              " : i64} : (" + type + ") -> " + type + "\n";
      std::string part = "%r" + name;
      if (below(2)) {
        body += "%s" + name + " = nn.neg " + part + " : " + type + "\n";
        results.push_back("%s" + name);
        types.push_back(type);
      }
      std::vector<int64_t> joined = shape;
      joined[axis] *= 2;
      std::string parts = below(2) ? part + ", " + newest : newest + ", " + part;
      body += "%c" + name + " = nn.concat " + parts + " {axis = " + std::to_string(axis) + " : i64} : (" + type + ", " +
              type + ") -> " + tensorOf(joined) + "\n";
      newest = "%c" + name;
      shape = joined;
    }
    results.push_back(newest);
    types.push_back(tensorOf(shape));
    return "func.func @main(%x: " + tensorOf(first) + ") -> (" + llvm::join(types, ", ") + ") {\n" + body + "return " +
           llvm::join(results, ", ") + " : " + llvm::join(types, ", ") + "\n}";
  }

  std::vector<int64_t> first;

private:
  size_t below(size_t end) { return random() % end; }

  std::mt19937 random;
  std::vector<int64_t> shape;
  size_t axis = 0;
};

TEST(Joined, ChainsOfAnyShape) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    Chain chain(seed);
    std::string text = chain.text();
    EXPECT_EQ(judge(text, {chain.first}), "") << text;
  }
}

// Products side by side, one of which another product and a window read.
TEST(Joined, Products) {
  EXPECT_EQ(judge(R"(
    func.func @main(%x: tensor<7x12xf32>, %w: tensor<12x20xf32>, %v: tensor<20x5xf32>) -> (tensor<7x25xf32>, tensor<7x20xf32>) {
      %a = nn.matmul %x, %w : (tensor<7x12xf32>, tensor<12x20xf32>) -> tensor<7x20xf32>
      %b = nn.matmul %a, %v : (tensor<7x20xf32>, tensor<20x5xf32>) -> tensor<7x5xf32>
      %s = nn.softmax %a {axis = 1 : i64} : (tensor<7x20xf32>) -> tensor<7x20xf32>
      %c = nn.concat %a, %b {axis = 1 : i64} : (tensor<7x20xf32>, tensor<7x5xf32>) -> tensor<7x25xf32>
      return %c, %s : tensor<7x25xf32>, tensor<7x20xf32>
    })",
                  {{7, 12}, {12, 20}, {20, 5}}),
            "");
}

// Side by side where the rows are a symbol, and one below the other where the first one's length says where the second
// is.
TEST(Joined, OpenSizes) {
  auto network = [](llvm::StringRef attributes, llvm::StringRef x, llvm::StringRef wide, llvm::StringRef high) {
    return llvm::formatv(R"(
    func.func @main(%x: {1}) -> ({2}, {3}) {0} {{
      %a = nn.softmax %x {{axis = 1 : i64} : ({1}) -> {1}
      %b = nn.softmax %a {{axis = 1 : i64} : ({1}) -> {1}
      %c = nn.concat %a, %b {{axis = 1 : i64} : ({1}, {1}) -> {2}
      %d = nn.softmax %b {{axis = 0 : i64} : ({1}) -> {1}
      %e = nn.softmax %d {{axis = 1 : i64} : ({1}) -> {1}
      %f = nn.concat %d, %e {{axis = 0 : i64} : ({1}, {1}) -> {3}
      return %c, %f : {2}, {3}
    })",
                         attributes, x, wide, high)
        .str();
  };
  std::string open = network("attributes {nn.symbols = [{name = \"n\"}]}", "tensor<?x9xf32, #nn.extents<\"n\", 9>>",
                             "tensor<?x18xf32, #nn.extents<\"n\", 18>>", "tensor<?x9xf32, #nn.extents<\"2*n\", 9>>");
  for (int64_t rows : {0, 1, 7, 40})
    EXPECT_EQ(judge(network("", tensorOf({rows, 9}), tensorOf({rows, 18}), tensorOf({2 * rows, 9})), {{rows, 9}}, open),
              "")
        << rows << " rows";
}

// A part without elements, and one of a scalar's worth.
TEST(Joined, SmallParts) {
  EXPECT_EQ(judge(R"(
    func.func @main(%x: tensor<1xf32>, %w: tensor<0xf32>) -> tensor<2xf32> {
      %a = nn.softmax %x {axis = 0 : i64} : (tensor<1xf32>) -> tensor<1xf32>
      %b = nn.softmax %w {axis = 0 : i64} : (tensor<0xf32>) -> tensor<0xf32>
      %c = nn.concat %a, %b, %x {axis = 0 : i64} : (tensor<1xf32>, tensor<0xf32>, tensor<1xf32>) -> tensor<2xf32>
      return %c : tensor<2xf32>
    })",
                  {{1}, {0}}),
            "");
}

} // namespace

//===- SymbolicPiecesTest.cpp - results that are put together ----------------===//
#include "unittests/Codegen/CompiledKernel.h"
#include "unittests/Codegen/Sizes.h"
#include "gtest/gtest.h"

using namespace kumiko;

// Chunks of the rows are not those of what is inserted: one must not write over what another has done.
TEST(SymbolicPieces, InsertionIntoComputedRows) {
  auto kernel = CompiledKernel::create(R"(
    func.func private @main() attributes {nn.symbols = [{name = "b"}, {name = "s"}]}
    nn.kernel @k(%x: tensor<?x?x1xf32> {nn.extents = #nn.extents<"b", "s", 1>},
                 %v: tensor<?xf32> {nn.extents = #nn.extents<"b">})
        -> (tensor<?x?x3xf32> {nn.extents = #nn.extents<"b", "s", 3>}) {
      %b = nn.extent #nn.extent<"b">
      %s = nn.extent #nn.extent<"s">
      %e = tensor.empty(%b, %s) : tensor<?x?x3xf32>
      %rows = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>],
                              iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%v : tensor<?xf32>) outs(%e : tensor<?x?x3xf32>) {
      ^bb0(%p: f32, %o: f32):
        linalg.yield %p : f32
      } -> tensor<?x?x3xf32>
      %y = tensor.insert_slice %x into %rows[0, 0, 1] [%b, %s, 1] [1, 1, 1] : tensor<?x?x1xf32> into tensor<?x?x3xf32>
      nn.yield %y : tensor<?x?x3xf32>
    })");
  ASSERT_TRUE(kernel);
  for (int64_t b : {1, 172})
    for (int64_t s : {3, 309, 4001}) {
      std::vector<float> x = someFloats(b * s), v = someFloats(b), y = kernel->run({b, s}, {x, v})[0];
      for (int64_t i = 0; i < 3 * b * s; ++i)
        ASSERT_EQ(y[i], i % 3 == 1 ? x[i / 3] : v[i / 3 / s]) << b << " x " << s << " at " << i;
    }
}

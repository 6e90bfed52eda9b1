//===- LayoutsTest.cpp - where buffers lie, as data ------------------------===//
#include "kumiko/Kernel/Layouts.h"
#include "kumiko/Nn/Nn.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"

using namespace kumiko;

// Strides may be expressions; a number in place of a list is no layout, nor is an unknown key.
TEST(Layouts, RoundTrip) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect>();
  Layouts layouts;
  layouts.apart.push_back({1, Extents{Extent::symbol("n") * 3, 1}});
  layouts.apart.push_back({2, Extents{48, 1}});
  layouts.placed = {0, 0};
  mlir::DictionaryAttr attribute = layouts.toAttribute(&context);
  mlir::FailureOr<Layouts> copy = Layouts::fromAttribute(attribute);
  ASSERT_TRUE(mlir::succeeded(copy));
  EXPECT_TRUE(copy->apart == layouts.apart);
  EXPECT_TRUE(copy->isPlaced(0, 0));
  EXPECT_FALSE(copy->isPlaced(0, 1));
  EXPECT_TRUE(copy->stridesOf(2, {4, 8}) == (Extents{48, 1}));
  EXPECT_TRUE(copy->stridesOf(0, {4, 8}) == (Extents{8, 1}));
  mlir::NamedAttrList wrong(attribute);
  wrong.set("apart", mlir::Builder(&context).getArrayAttr({mlir::Builder(&context).getI64IntegerAttr(3)}));
  EXPECT_TRUE(mlir::failed(Layouts::fromAttribute(wrong.getDictionary(&context))));
  mlir::NamedAttrList unknown(attribute);
  unknown.set("inplace", mlir::Builder(&context).getDenseI64ArrayAttr({0, 0}));
  EXPECT_TRUE(mlir::failed(Layouts::fromAttribute(unknown.getDictionary(&context))));
}

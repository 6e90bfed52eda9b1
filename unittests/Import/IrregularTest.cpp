//===- IrregularTest.cpp - nodes that sort, count and search -----------------------===//
//
// Numbers of MaxRoiPool and RoiAlign are those of ONNX Runtime, the others NumPy's or counted by hand.
//
//===----------------------------------------------------------------------===//
#include "Computed.h"
#include "gtest/gtest.h"

using namespace kumiko;
using namespace kumiko::onnx;
using namespace kumiko::onnx::test;

namespace {

using List = std::vector<double>;
using Shape = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
constexpr int64_t zero = 0, one = 1;

#define EXPECT_PROBLEM(computed, code)                                                                                 \
  EXPECT_NE((computed).problems.find(code), std::string::npos) << (computed).problems
void expectNear(const List &got, const List &wanted, double error = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  for (auto [a, b] : llvm::zip_equal(got, wanted))
    EXPECT_NEAR(a, b, error);
}

TEST(TopK, TiesNansAndVersions) {
  Given x = f32({2, 4}, {1, 3, 3, 2, -0.0, NAN, 0, -1});
  Computed top("TopK", {x, i64({1}, {3})}, {}, 11, 2);
  EXPECT_EQ(top.values.at(1), List({1, 2, 3, 1, 0, 2}));
  Computed low("TopK", {x, i64({1}, {2})}, {attribute("largest", zero)}, 11, 2);
  EXPECT_EQ(low.values.at(0), List({1, 2, -1, 0}));
  EXPECT_EQ(low.values.at(1), List({0, 3, 3, 0}));
  Computed columns("TopK", {x}, {attribute("k", one), attribute("axis", zero)}, 1, 2);
  EXPECT_EQ(columns.values.at(1), List({0, 1, 0, 0}));
  // More than 53 bits: doubles would call them equal.
  Given large{DataType::Int64, {2}, {4611686018427387904.0, 4611686018427387904.0}};
  EXPECT_EQ(Computed("TopK", {large, i64({1}, {1})}, {}, 11, 2).values.at(1), List({0}));
  EXPECT_EQ(Computed("TopK", {x, i64({1}, {0})}, {}, 11, 2).shapes.at(0), Shape({2, 0}));
}

TEST(TopK, Refuses) {
  Given x = counting({2, 4});
  EXPECT_PROBLEM(Computed("TopK", {x, i64({1}, {5})}, {}, 11, 2), "K0413");
  EXPECT_PROBLEM(Computed("TopK", {x, i64({1}, {-1})}, {}, 11, 2), "K0413");
  EXPECT_PROBLEM(Computed("TopK", {x, i64({2}, {1, 1})}, {}, 11, 2), "K0413");
  EXPECT_PROBLEM(Computed("TopK", {x, f32({1}, {1})}, {}, 11, 2), "K0410");
  EXPECT_PROBLEM(Computed("TopK", {x}, {}, 11, 2), "K0401");
  EXPECT_PROBLEM(Computed("TopK", {x}, {}, 1, 2), "K0403");
  EXPECT_PROBLEM(Computed("TopK", {x, i64({1}, {1})}, {attribute("axis", int64_t(2))}, 11, 2), "K0405");
}

TEST(NonZero, CountsPositions) {
  Computed some("NonZero", {f32({2, 3}, {0, 5, NAN, 0, -0.0, 1})});
  EXPECT_EQ(some.shapes.at(0), Shape({2, 3}));
  EXPECT_EQ(some.values.at(0), List({0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(Computed("NonZero", {f32({2}, {0, 0})}).shapes.at(0), Shape({1, 0}));
  EXPECT_EQ(Computed("NonZero", {f32({}, {3})}).shapes.at(0), Shape({0, 1}));
  // A constant of more than a few elements stays outside the text of the module.
  EXPECT_EQ(Computed("NonZero", {counting({40}, 1)}).values.at(0).size(), 40u);
}

TEST(Compress, ShortAndLongConditions) {
  Given x = counting({3, 2}), yes{DataType::Bool, {2}, {0, 1}};
  EXPECT_EQ(Computed("Compress", {x, yes}, {attribute("axis", zero)}).values.at(0), List({2, 3}));
  EXPECT_EQ(Computed("Compress", {x, yes}, {attribute("axis", -one)}).values.at(0), List({1, 3, 5}));
  EXPECT_EQ(Computed("Compress", {x, yes}).values.at(0), List({1}));
  Given longer{DataType::Bool, {4}, {0, 1, 1, 1}};
  EXPECT_PROBLEM(Computed("Compress", {x, longer}, {attribute("axis", zero)}), "K0412");
  EXPECT_PROBLEM(Computed("Compress", {x, Given{DataType::Bool, {1, 1}, {1}}}), "K0411");
}

TEST(Unique, AllResults) {
  Given x = f32({6}, {2, 1, 1, 3, 4, 3});
  Computed sorted("Unique", {x}, {}, 11, 4);
  EXPECT_EQ(sorted.values, (std::vector<List>{{1, 2, 3, 4}, {1, 0, 3, 4}, {1, 0, 0, 2, 3, 2}, {2, 1, 2, 1}}));
  Computed asFound("Unique", {x}, {attribute("sorted", zero)}, 11, 4);
  EXPECT_EQ(asFound.values, (std::vector<List>{{2, 1, 3, 4}, {0, 1, 3, 4}, {0, 1, 1, 2, 3, 2}, {1, 2, 2, 1}}));
  Computed rows("Unique", {f32({3, 2}, {2, 0, 1, 0, 2, 0})}, {attribute("axis", zero)}, 11, 4);
  EXPECT_EQ(rows.values, (std::vector<List>{{1, 0, 2, 0}, {1, 0}, {1, 0, 1}, {1, 2}}));
  Computed special("Unique", {f32({5}, {NAN, -0.0, 0, NAN, -INFINITY})}, {}, 11, 4);
  EXPECT_EQ(special.values.at(1), List({4, 1, 0}));
  EXPECT_EQ(special.values.at(3), List({1, 2, 2}));
  EXPECT_EQ(Computed("Unique", {f32({0}, {})}, {}, 11, 4).shapes.at(0), Shape({0}));
  EXPECT_PROBLEM(Computed("Unique", {x}, {attribute("axis", one)}, 11, 4), "K0405");
}

TEST(NonMaxSuppression, Refuses) {
  Given boxes = counting({1, 2, 4}), scores = counting({1, 1, 2});
  EXPECT_EQ(Computed("NonMaxSuppression", {boxes, scores}, {}, 11).shapes.at(0), Shape({0, 3}));
  Given most = i64({1}, {9});
  EXPECT_EQ(Computed("NonMaxSuppression", {boxes, scores, most}, {}, 11).values.at(0), List({0, 0, 1, 0, 0, 0}));
  EXPECT_PROBLEM(Computed("NonMaxSuppression", {counting({1, 2, 3}), scores, most}, {}, 11), "K0412");
  EXPECT_PROBLEM(Computed("NonMaxSuppression", {boxes, counting({1, 1, 3}), most}, {}, 11), "K0412");
  EXPECT_PROBLEM(Computed("NonMaxSuppression", {boxes, scores, most, f32({1}, {1.5})}, {}, 11), "K0413");
  EXPECT_PROBLEM(Computed("NonMaxSuppression", {boxes, scores, i64({2}, {1, 1})}, {}, 11), "K0412");
}

TEST(Det, BySize) {
  EXPECT_EQ(Computed("Det", {f32({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})}).values.at(0), List({-2, -1}));
  expectNear(Computed("Det", {f32({3, 3}, {2, -1, 0, 1, 3, 5, 4, 1, 1})}).values.at(0), {-23}, 1e-5);
  EXPECT_EQ(Computed("Det", {f32({0, 0}, {})}).values.at(0), List({1}));
  EXPECT_EQ(Computed("Det", {f32({2, 2}, {1, 2, 2, 4})}).values.at(0), List({0}));
  EXPECT_PROBLEM(Computed("Det", {counting({2, 3})}), "K0412");
  EXPECT_PROBLEM(Computed("Det", {counting({3})}), "K0412");
}

const Given image =
    f32({2, 1, 4, 5}, {0,     0.66,  0.99,  0.84,  0.27,  -0.43, -0.92, -0.95, -0.52, 0.17, 0.77, 1,    0.73,  0.11,
                       -0.57, -0.97, -0.89, -0.37, 0.33,  0.87,  0.98,  0.61,  -0.06, -0.7, -1,   -0.8, -0.21, 0.48,
                       0.94,  0.93,  0.47,  -0.23, -0.81, -1,    -0.69, -0.04, 0.62,  0.98, 0.86, 0.31});

TEST(MaxRoiPool, Bins) {
  Message size = attribute("pooled_shape", Ints{2, 2}), scale = attribute("spatial_scale", 0.9f);
  Given rois = f32({4, 5}, {0, 0, 0, 3, 3, 1, 1, 1, 2, 2, 0, 3.4, 2.6, 9, 9, 1, 2, 2, 1, 1});
  expectNear(Computed("MaxRoiPool", {image, rois}, {size, scale}).values.at(0),
             {0.66, 0.99, 1, 0.73, -0.21, 0.48, -0.23, -0.81, 0.87, 0, 0, 0, -0.81, -0.81, -0.81, -0.81});
  EXPECT_PROBLEM(Computed("MaxRoiPool", {image, rois}), "K0403");
  EXPECT_PROBLEM(Computed("MaxRoiPool", {image, rois}, {attribute("pooled_shape", Ints{0, 2})}), "K0412");
  EXPECT_PROBLEM(Computed("MaxRoiPool", {image, counting({1, 4})}, {size}), "K0412");
  EXPECT_PROBLEM(Computed("MaxRoiPool", {image, f32({1, 5}, {2, 0, 0, 1, 1})}, {size}), "images");
  EXPECT_EQ(Computed("MaxRoiPool", {image, f32({1, 5}, {0, NAN, -1e30, INFINITY, 1e30})}, {size}).problems, "");
  EXPECT_PROBLEM(Computed("MaxRoiPool", {image, rois}, {attribute("pooled_shape", Ints{1 << 20, 1 << 20})}), "K0507");
}

TEST(RoiAlign, VersionsAndModes) {
  Given rois = f32({3, 4}, {0, 0, 3, 3, 1, 1, 2, 2, -2, 3.4, 9, 9}), batch = i64({3}, {0, 1, 0});
  auto align = [&](std::vector<Message> attributes, int64_t opset) {
    for (const char *name : {"output_height", "output_width"})
      attributes.push_back(attribute(name, int64_t(2)));
    attributes.push_back(attribute("spatial_scale", 0.9f));
    return Computed("RoiAlign", {image, rois, batch}, attributes, opset);
  };
  List old{-0.34944028, -0.26866063, 0.32696342,  0.24280557, -0.13807499, 0.11167502,
           -0.243325,   -0.31107497, -0.15611334, 0.10321999, 0,           0};
  expectNear(align({}, 10).values.at(0), old);
  expectNear(align({attribute("coordinate_transformation_mode", "output_half_pixel")}, 16).values.at(0), old);
  expectNear(align({}, 16).values.at(0), {-0.01657616, 0.37994379, 0.1712998, 0.00609979, 0.01125002, 0.11099999,
                                          -0.39646876, -0.16689378, -0.39067829, 0.16799077, 0, 0});
  EXPECT_PROBLEM(align({attribute("mode", "min")}, 16), "K0412");
  EXPECT_PROBLEM(align({attribute("coordinate_transformation_mode", "corner")}, 16), "K0405");
  EXPECT_PROBLEM(align({attribute("sampling_ratio", -one)}, 16), "K0412");
}

TEST(RoiAlign, Refuses) {
  Given batch = i64({1}, {0});
  EXPECT_PROBLEM(Computed("RoiAlign", {image, counting({1, 5}), batch}), "K0412");
  EXPECT_PROBLEM(Computed("RoiAlign", {image, counting({2, 4}), batch}), "K0412");
  EXPECT_PROBLEM(Computed("RoiAlign", {image, counting({1, 4}), i64({1}, {2})}), "image 2 of 2");
  // As many samples as pixels, and a region as large as the world.
  EXPECT_PROBLEM(Computed("RoiAlign", {image, f32({1, 4}, {0, 0, 1e30, 1e30}), batch}), "limit");
  EXPECT_EQ(Computed("RoiAlign", {image, f32({1, 4}, {NAN, NAN, NAN, NAN}), batch}).values.at(0), List({0}));
}

Computed tfIdf(const char *mode, std::vector<Message> more, Given x) {
  // 1-grams 2, 3, 5, 4 and 2-grams 5 6, 7 8, 6 7 of the specification's example.
  std::vector<Message> attributes{attribute("mode", mode), attribute("ngram_counts", Ints{0, 4}),
                                  attribute("ngram_indexes", Ints{0, 1, 2, 3, 4, 5, 6}),
                                  attribute("pool_int64s", Ints{2, 3, 5, 4, 5, 6, 7, 8, 6, 7})};
  attributes.insert(attributes.end(), more.begin(), more.end());
  return Computed("TfIdfVectorizer", {x}, attributes, 9);
}

TEST(TfIdfVectorizer, Modes) {
  Given x = i64({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  std::vector<Message> lengths{attribute("min_gram_length", one), attribute("max_gram_length", int64_t(2)),
                               attribute("max_skip_count", zero)};
  EXPECT_EQ(tfIdf("TF", lengths, x).values.at(0), List({0, 3, 1, 0, 1, 1, 1}));
  EXPECT_EQ(tfIdf("IDF", lengths, x).values.at(0), List({0, 1, 1, 0, 1, 1, 1}));
  EXPECT_PROBLEM(tfIdf("BM25", lengths, x), "K0405");
  EXPECT_PROBLEM(tfIdf("TF", {}, x), "K0403");
  EXPECT_PROBLEM(tfIdf("TF", lengths, counting({3})), "K0410");
  EXPECT_PROBLEM(tfIdf("TF", lengths, i64({1, 1, 1}, {1})), "K0411");
  lengths.push_back(attribute("ngram_indexes", Ints{0}));
}

TEST(TfIdfVectorizer, BadPools) {
  auto pool = [](Ints counts, Ints indexes, Ints numbers) {
    return Computed("TfIdfVectorizer", {i64({1}, {1})},
                    {attribute("mode", "TF"), attribute("ngram_counts", counts), attribute("ngram_indexes", indexes),
                     attribute("pool_int64s", numbers), attribute("min_gram_length", one),
                     attribute("max_gram_length", INT64_MAX), attribute("max_skip_count", INT64_MAX)},
                    9);
  };
  EXPECT_EQ(pool({0}, {0, 1}, {1, 2}).values.at(0), List({1, 0}));
  EXPECT_PROBLEM(pool({0, 1}, {0, 1}, {1, 2}), "K0412");
  EXPECT_PROBLEM(pool({-1}, {0, 1}, {1, 2}), "K0412");
  EXPECT_PROBLEM(pool({5}, {0, 1}, {1, 2}), "K0412");
  EXPECT_PROBLEM(pool({0}, {0}, {1, 2}), "K0412");
  EXPECT_PROBLEM(pool({0}, {0, -1}, {1, 2}), "K0412");
  EXPECT_PROBLEM(pool({0}, {0, int64_t(1) << 60}, {1, 2}), "K0507");
}

TEST(MelWeightMatrix, Refuses) {
  auto mel = [](double bins, double length, double rate, double low, double high) {
    return Computed("MelWeightMatrix",
                    {i64({}, {bins}), i64({}, {length}), i64({}, {rate}), f32({}, {low}), f32({}, {high})});
  };
  EXPECT_EQ(mel(8, 16, 8192, 0, 4096).shapes.at(0), Shape({9, 8}));
  EXPECT_PROBLEM(mel(8, 16, 0, 0, 4096), "K0413");
  EXPECT_PROBLEM(mel(8, 16, 8192, -1000, 4096), "K0413");
  EXPECT_PROBLEM(mel(-1, 16, 8192, 0, 4096), "K0413");
  EXPECT_PROBLEM(mel(1e9, 1e9, 8192, 0, 4096), "K0507");
}

// Without the values the number of results is not known: that is no fault of the model.
TEST(Irregular, SizesFromUnknownValues) {
  for (const char *op : {"NonZero", "Unique"}) {
    GraphParts parts;
    parts.nodes = {node(op, {"x"}, {"y"}, "the node")};
    parts.inputs = {valueInfo("x", DataType::Float, {4})};
    parts.outputs = {Message().text(1, "y")};
    Imported m(model(graph(parts)));
    EXPECT_EQ(m.exitCode(), 4);
    EXPECT_NE(m.errors().find("K0506"), std::string::npos);
    EXPECT_NE(m.errors().find("the node"), std::string::npos);
  }
}

} // namespace

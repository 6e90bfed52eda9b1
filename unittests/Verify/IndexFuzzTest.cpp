// Models of one node of random shape, on random indices, right ones and wrong ones, with every buffer between guard
// pages. The same models every time: the seed is the number of the test.
#include "Probe.h"
#include "gtest/gtest.h"
#include <random>

using namespace kumiko;
using namespace kumiko::test;
using onnx::DataType;
using onnx::test::attribute;

namespace {

using Shape = std::vector<int64_t>;

class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}

  int64_t below(int64_t limit) { return int64_t(random() % uint64_t(limit)); }
  int64_t bits() { return int64_t(random()); }
  bool coin() { return random() & 1; }
  Shape shape(int64_t rank) {
    Shape result;
    for (int64_t d = 0; d < rank; ++d)
      result.push_back(1 + below(d + 1 == rank ? 37 : 5));
    return result;
  }
  template <typename T> T oneOf(std::initializer_list<T> list) { return list.begin()[below(int64_t(list.size()))]; }

private:
  std::mt19937_64 random;
};

struct Drawn {
  ProbeNode node;
  int64_t extent; ///< of the dimension that the second input points into, or the smallest of them
};

ProbeInput indices(Draw &draw, Shape shape) {
  return {draw.coin() ? DataType::Int64 : DataType::Int32, std::move(shape)};
}

Drawn drawGather(Draw &draw) {
  Shape x = draw.shape(1 + draw.below(3));
  int64_t axis = draw.below(int64_t(x.size()));
  ProbeNode node{"Gather", {{DataType::Float, x}, indices(draw, draw.shape(draw.below(3)))}, {attribute("axis", axis)}};
  node.inputs[0].type = draw.oneOf({DataType::Float, DataType::Double, DataType::Int8, DataType::Float16});
  return {node, x[axis]};
}

Drawn drawGatherElements(Draw &draw) {
  Shape x = draw.shape(1 + draw.below(3)), index = x;
  int64_t axis = draw.below(int64_t(x.size()));
  index[axis] = 1 + draw.below(20);
  return {{"GatherElements", {{DataType::Float, x}, indices(draw, index)}, {attribute("axis", axis)}}, x[axis]};
}

/// Of points: so few that each is looked at by itself, or enough for several vectors.
int64_t drawCount(Draw &draw) { return 1 + draw.below(draw.coin() ? 9 : 120); }

/// The leading `depth` dimensions of x are pointed into.
Drawn drawNd(Draw &draw, bool scatter) {
  Shape x = draw.shape(1 + draw.below(3)), index = {drawCount(draw)};
  int64_t depth = 1 + draw.below(int64_t(x.size())), extent = *std::min_element(x.begin(), x.begin() + depth);
  Shape updates = index;
  updates.insert(updates.end(), x.begin() + depth, x.end());
  index.push_back(depth);
  if (!scatter)
    return {{"GatherND", {{DataType::Float, x}, {DataType::Int64, index}}}, extent};
  ProbeNode node{"ScatterND", {{DataType::Float, x}, {DataType::Int64, index}, {DataType::Float, updates}}};
  node.attributes = {attribute("reduction", draw.oneOf<const char *>({"none", "add", "max"}))};
  return {node, extent};
}

Drawn drawScatterElements(Draw &draw) {
  Shape x = draw.shape(1 + draw.below(3)), index;
  for (int64_t extent : x)
    index.push_back(1 + draw.below(extent));
  int64_t axis = draw.below(int64_t(x.size()));
  index[axis] = drawCount(draw);
  ProbeNode node{"ScatterElements", {{DataType::Float, x}, indices(draw, index), {DataType::Float, index}}};
  node.attributes = {attribute("axis", axis), attribute("reduction", draw.oneOf<const char *>({"none", "add", "min"}))};
  return {node, x[axis]};
}

Drawn drawNode(Draw &draw) {
  switch (draw.below(5)) {
  case 0:
    return drawGather(draw);
  case 1:
    return drawGatherElements(draw);
  case 2:
    return drawNd(draw, /*scatter=*/false);
  case 3:
    return drawNd(draw, /*scatter=*/true);
  default:
    return drawScatterElements(draw);
  }
}

TEST(IndexFuzz, RandomModels) {
  unsigned failed = 0, computed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Draw draw(seed);
    Drawn drawn = drawNode(draw);
    Probe probe(drawn.node);
    ASSERT_EQ(probe.refusal(), "") << drawn.node.op << ", seed " << seed;
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<Tensor> inputs = probe.plainInputs();
      Tensor &index = inputs[1];
      int64_t lowest = draw.coin() ? 0 : -drawn.extent;
      for (int64_t place = 0; place < index.count(); ++place)
        put(index, place, lowest + draw.below(drawn.extent - lowest));
      // None, one or many are wrong.
      for (int64_t wrong = turn == 0 ? 0 : turn == 1 ? 1 : index.count(); wrong > 0 && index.count(); --wrong)
        put(index, draw.below(index.count()), draw.coin() ? draw.bits() : drawn.extent + draw.below(3));
      ProbeResult result = probe.run(inputs);
      std::string text = drawn.node.op + ", seed " + std::to_string(seed) + ", turn " + std::to_string(turn) +
                         ": evaluator '" + result.evaluated + "', compiled '" + result.compiled + "'";
      EXPECT_EQ(result.evaluated.empty(), result.compiled.empty()) << text;
      EXPECT_EQ(result.ulp, 0) << text;
      if (turn == 0)
        EXPECT_EQ(result.compiled, "") << text;
      ++(result.compiled.empty() ? computed : failed);
    }
  }
  // Both kinds must have been met.
  EXPECT_GE(computed, 100u);
  EXPECT_GE(failed, 100u);
}

} // namespace

//===- PadTest.cpp - pads that repeat what they surround, against the evaluator ------===//
#include "unittests/Pipeline/Check.h"
#include "gtest/gtest.h"

using namespace kumiko;

namespace {

struct Pad {
  std::vector<int64_t> shape, low, high;
};

std::string joined(llvm::ArrayRef<int64_t> numbers, const char *separator) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : separator) + std::to_string(number);
  return text;
}

void checkPad(const Pad &pad, const std::string &mode) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < pad.shape.size(); ++d)
    result.push_back(pad.shape[d] + pad.low[d] + pad.high[d]);
  Tensor x = llvm::cantFail(Tensor::zeros(ElementType::I32, pad.shape));
  for (int32_t i = 0; i < x.count(); ++i)
    std::memcpy(x.mutableData() + i * sizeof(i), &i, sizeof(i));
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(x));
  std::string from = "tensor<" + joined(pad.shape, "x") + "xi32>", to = "tensor<" + joined(result, "x") + "xi32>";
  check("func.func @main(%x: " + from + ") -> " + to + " {\n  %y = nn.pad %x {lo = array<i64: " +
            joined(pad.low, ", ") + ">, hi = array<i64: " + joined(pad.high, ", ") + ">, mode = \"" + mode + "\"} : (" +
            from + ") -> " + to + "\n  return %y : " + to + "\n}",
        std::move(inputs));
}

// Stretches shorter than a vector, as long as one, and longer; cropped ends; more around than inside, so that it comes
// again and again; one row that chunks share.
TEST(Pad, RepeatsWhatItSurrounds) {
  const Pad pads[] = {{{5, 7}, {1, 2}, {2, 1}},
                      {{3, 40}, {0, 3}, {2, 18}},
                      {{4, 33}, {1, 16}, {1, 17}},
                      {{6, 64}, {3, 64}, {3, 63}},
                      {{9, 50}, {-2, -5}, {3, 20}},
                      {{9, 50}, {2, 20}, {-3, -30}},
                      {{2, 3}, {5, 9}, {4, 10}},
                      {{2, 3}, {0, 100}, {0, 100}},
                      {{1, 1}, {2, 20}, {2, 20}},
                      {{3, 20, 30, 3}, {0, 3, 2, 0}, {0, 2, 3, 0}},
                      {{3, 20, 30, 3}, {1, 0, 2, 1}, {0, 2, 0, 2}},
                      {{2, 9, 11, 70}, {0, 2, 3, 0}, {0, 1, 4, 0}},
                      {{300000}, {70}, {1000}},
                      {{2, 200001}, {1, 33}, {0, 47}}};
  for (const Pad &pad : pads)
    for (const char *mode : {"edge", "wrap", "reflect", "constant"})
      checkPad(pad, mode);
}

} // namespace

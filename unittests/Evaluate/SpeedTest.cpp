// How fast models can be judged, on one core. Prints figures; fails for nothing but wrong answers.
#include "InstanceMaker.h"
#include <ctime>

using namespace kumiko;
using namespace kumiko::test;

static double secondsOf(InstanceMaker &m, llvm::ArrayRef<const Tensor *> operands, Precision precision) {
  double best = 1e9;
  for (int round = 0; round < 2; ++round) {
    std::clock_t start = std::clock(); // of this process: a busy machine does not change it
    Tensor result = run(m.instance, operands, precision);
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
    EXPECT_GT(result.count(), 0);
  }
  return best;
}

static void report(const char *what, Precision precision, double work, double seconds, const char *unit) {
  std::printf("%-28s %-8s %7.3f s  %7.2f %s\n", what, precision == Precision::Double ? "double" : "declared", seconds,
              work / seconds * 1e-9, unit);
}

TEST(Speed, Matmul) {
  int64_t n = 512;
  InstanceMaker m;
  unsigned a = m.operand(E::F32, {n, n}), b = m.operand(E::F32, {n, n}), y = m.result(E::F32, {n, n});
  m.statement({n, n, n}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
              m.mul(m.read(a, {m.loop(0), m.loop(2)}), m.read(b, {m.loop(2), m.loop(1)})));
  Tensor left = sequence(E::F32, {n, n}, -3, 7), right = sequence(E::F32, {n, n}, -2, 5);
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("matmul 512x512x512", precision, double(n) * n * n, secondsOf(m, {&left, &right}, precision), "GMAC/s");
}

static void convolution(const char *name, int64_t channels, int64_t features, bool depthwise) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {channels, 58, 58});
  unsigned w = m.operand(E::F32, {features, depthwise ? 1 : channels, 3, 3});
  unsigned y = m.result(E::F32, {features, 56, 56});
  // loops: f o0 o1 | c k0 k1
  Ex row = m.add(m.loop(1), m.loop(4)), column = m.add(m.loop(2), m.loop(5));
  Ex channel = depthwise ? m.loop(0) : m.loop(3);
  m.statement({features, 56, 56, depthwise ? 1 : channels, 3, 3}, 3, Combine::Sum, y, {m.loop(0), m.loop(1), m.loop(2)},
              m.mul(m.read(x, {channel, row, column}), m.read(w, {m.loop(0), m.loop(3), m.loop(4), m.loop(5)})));
  Tensor image = sequence(E::F32, {channels, 58, 58}, -3, 7);
  Tensor weight = sequence(E::F32, {features, depthwise ? 1 : channels, 3, 3}, -2, 5);
  double work = double(features) * 56 * 56 * (depthwise ? 1 : channels) * 9;
  for (Precision precision : {Precision::Double, Precision::Declared})
    report(name, precision, work, secondsOf(m, {&image, &weight}, precision), "GMAC/s");
}

TEST(Speed, Convolution) { convolution("conv 3x3 64->64 56x56", 64, 64, false); }
TEST(Speed, Depthwise) { convolution("depthwise 3x3 256 56x56", 256, 256, true); }

TEST(Speed, MatrixVector) {
  int64_t n = 4096;
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1, n}), w = m.operand(E::F32, {1000, n}), y = m.result(E::F32, {1, 1000});
  m.statement({1, 1000, n}, 2, Combine::Sum, y, {m.loop(0), m.loop(1)},
              m.mul(m.read(x, {m.loop(0), m.loop(2)}), m.read(w, {m.loop(1), m.loop(2)})));
  Tensor vector = sequence(E::F32, {1, n}, -3, 7), matrix = sequence(E::F32, {1000, n}, -2, 5);
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("matvec 1000x4096", precision, 1000.0 * n, secondsOf(m, {&vector, &matrix}, precision), "GMAC/s");
}

TEST(Speed, Elementwise) {
  int64_t rows = 64, columns = 56 * 56;
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {rows, columns}), s = m.operand(E::F32, {rows}), y = m.result(E::F32, {rows, columns});
  Ex value = m.add(m.mul(m.read(x, {m.loop(0), m.loop(1)}), m.read(s, {m.loop(0)})), m.real(1));
  m.statement({rows, columns}, 2, Combine::Set, y, {m.loop(0), m.loop(1)}, m.apply(Function::Max, {value, m.real(0)}));
  Tensor input = sequence(E::F32, {rows, columns}, -3, 7), scale = sequence(E::F32, {rows});
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("relu(x*s + 1)", precision, double(rows * columns), secondsOf(m, {&input, &scale}, precision), "Gpoint/s");
}

TEST(Speed, Padding) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {64, 56, 56}), y = m.result(E::F32, {64, 58, 58});
  m.statement({64, 58, 58}, 3, Combine::Set, y, {m.loop(0), m.loop(1), m.loop(2)},
              m.read(x, {m.loop(0), m.sub(m.loop(1), m.integer(1)), m.sub(m.loop(2), m.integer(1))}, m.real(0)));
  Tensor input = sequence(E::F32, {64, 56, 56});
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("pad", precision, 64.0 * 58 * 58, secondsOf(m, {&input}, precision), "Gpoint/s");
}

TEST(Speed, MaxPool) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {64, 113, 113}), y = m.result(E::F32, {64, 56, 56});
  auto at = [&](unsigned o, unsigned k) { return m.add(m.mul(m.loop(o), m.integer(2)), m.loop(k)); };
  m.statement({64, 56, 56, 3, 3}, 3, Combine::Max, y, {m.loop(0), m.loop(1), m.loop(2)},
              m.read(x, {m.loop(0), at(1, 3), at(2, 4)}));
  Tensor input = sequence(E::F32, {64, 113, 113}, 0, 1000);
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("max pool 3x3/2", precision, 64.0 * 56 * 56 * 9, secondsOf(m, {&input}, precision), "Gpoint/s");
}

TEST(Speed, RowSum) {
  InstanceMaker m;
  unsigned x = m.operand(E::F32, {1024, 1000}), y = m.result(E::F32, {1024});
  m.statement({1024, 1000}, 1, Combine::Sum, y, {m.loop(0)},
              m.apply(Function::Exp, {m.read(x, {m.loop(0), m.loop(1)})}));
  Tensor input = sequence(E::F32, {1024, 1000}, 0, 5);
  for (Precision precision : {Precision::Double, Precision::Declared})
    report("sum of exp over rows", precision, 1024.0 * 1000, secondsOf(m, {&input}, precision), "Gpoint/s");
}

#include "unittests/VectorMath/Arguments64.h"
#include <cmath>
#include <limits>

using namespace kumiko;

std::vector<double> kumiko::corners64() {
  constexpr double most = std::numeric_limits<double>::max();
  // Where numbers end; where an expansion changes its formula; where results overflow and underflow; multiples of pi/2.
  const double sizes[] = {0.0,
                          5e-324,
                          1e-323,
                          1e-310,
                          2.2250738585072014e-308,
                          1e-300,
                          0x1p-900,
                          0x1p-54,
                          0x1p-53,
                          0x1p-28,
                          0x1p-27,
                          0.34657359027997264,
                          0.4375,
                          0.5,
                          0.625,
                          0.6875,
                          0.70710678118654752,
                          1.0,
                          1.4142135623730951,
                          1.5,
                          2.0,
                          3.0,
                          4.0,
                          5.9,
                          6.0,
                          20.0,
                          40.0,
                          600.0,
                          708.39641853226408,
                          709.78271289338397,
                          710.47586007394386,
                          711.0,
                          745.13321910194111,
                          746.0,
                          900.0,
                          1022.0,
                          1023.0,
                          1024.0,
                          1074.0,
                          1075.0,
                          1080.0,
                          0x1p20,
                          0x1p30,
                          4503599627370495.5,
                          4503599627370496.0,
                          9007199254740991.0,
                          9007199254740992.0,
                          0x1p64,
                          0x1p100,
                          0x1p1000,
                          0x1.8p1023,
                          most,
                          0.78539816339744828,
                          1.5707963267948966,
                          3.1415926535897931,
                          6.2831853071795862,
                          411774.0,
                          std::numeric_limits<double>::infinity()};
  std::vector<double> values;
  for (double size : sizes)
    for (double near : {size, std::nextafter(size, 0.0), std::nextafter(size, most)})
      values.insert(values.end(), {near, -near});
  // Quiet NaNs of either sign, with and without a payload.
  for (uint64_t bits : {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff8000000000001u, 0xfffd432100000001u})
    values.push_back(std::bit_cast<double>(bits));
  return values;
}

double kumiko::argument64(uint64_t number, const std::vector<double> &corners) {
  uint64_t bits = scramble(number);
  if (number % 4 == 0)
    return doubleOf(bits, false);
  if (number % 4 == 1)
    return corners[bits % corners.size()] * (1 + double(int64_t(scramble(bits))) * 0x1p-73);
  return doubleOf(bits, true);
}

//===- Coefficients.h - polynomials and constants of the expansions ---------===//
//
// Found by fit.py beside this file, which says what each approximates; the comment is the error of the fit alone.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace kumiko {

/// (2/pi 2^s) mod 4 in three pieces, for arguments scaled by 2^-s.
struct Turns {
  double scale, first, second, third;
};

inline constexpr Turns turns[] = {
    {0x1.0000000000000p+0, 0x1.45f306c000000p-1, 0x1.c9c882a000000p-29, 0x1.4fe13abe8fa9ap-59},
    {0x1.0000000000000p-24, 0x1.b727221000000p+1, -0x1.5ac07b2000000p-29, 0x1.5f47d4d377037p-58},
    {0x1.0000000000000p-48, 0x1.529fc20000000p-4, 0x1.d5f47d4000000p-30, 0x1.a6ee06db14acdp-59},
    {0x1.0000000000000p-72, 0x1.3abe900000000p-3, -0x1.596447e000000p-29, -0x1.24eb53361de38p-59},
    {0x1.0000000000000p-96, 0x1.f534ddc000000p+0, 0x1.b6c52c0000000p-33, -0x1.9b0ef1bef806cp-58},
};
// 2^-26.1
inline constexpr float expTail[] = {0x1p-1f, 0x1.5554bp-3f, 0x1.5554e4p-5f, 0x1.122796p-7f, 0x1.6d51e4p-10f};
// 2^-28.3
inline constexpr float exp2Tail[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af78p-5f,
                                     0x1.3b2a3ep-7f, 0x1.5f0a78p-10f, 0x1.442f98p-13f};
// 2^-27.6
inline constexpr float logTail[] = {0x1.55550cp-2f, -0x1.fffe5ep-3f, 0x1.99ce34p-3f, -0x1.55b7fp-3f,
                                    0x1.1ef264p-3f, -0x1.f03b32p-4f, 0x1.1defc4p-3f, -0x1.0e2c88p-3f};
// 2^-24.4
inline constexpr float erfSmall[] = {0x1.06eba2p-3f,  -0x1.81267ap-2f, 0x1.ce0a34p-4f,
                                     -0x1.b5af6cp-6f, 0x1.4281dap-8f,  -0x1.28046cp-11f};
// 2^-23.3
inline constexpr float exp2Short[] = {0x1.62e432p-1f, 0x1.ebf9b6p-3f, 0x1.c6adbep-5f, 0x1.3cec4cp-7f, 0x1.5faf8cp-10f};
// 2^-27.8
inline constexpr float tanhSmall[] = {-0x1.555534p-2f, 0x1.11075ep-3f, -0x1.b842cap-5f, 0x1.524c9cp-6f,
                                      -0x1.767caap-8f};
// 2^-29.8
inline constexpr float erfcLog2[] = {-0x1.0b7a9cp-11f, -0x1.a03ffp+0f,  -0x1.d76e66p-1f, -0x1.307094p-3f,
                                     0x1.01b5c8p-5f,   -0x1.15f0b6p-8f, 0x1.18bd3cp-12f};
// 2^-28.7
inline constexpr float atanTail[] = {-0x1.55554p-2f, 0x1.999268p-3f,  -0x1.24265cp-3f, 0x1.c0cc0cp-4f,  -0x1.58c94cp-4f,
                                     0x1.dccc6p-5f,  -0x1.016c7cp-5f, 0x1.69fdeap-7f,  -0x1.ddf76ep-10f};
// 2^-37.1
inline constexpr double sineTurn[] = {0x1.921fb5443b586p+0, -0x1.4abbce56ad70ep-1, 0x1.466bbac76e4a7p-4,
                                      -0x1.32ca9cc08f28dp-8, 0x1.4bc81f300c78cp-13};
// 2^-34.3
inline constexpr double cosineTurn[] = {0x1.ffffffff978f1p-1, -0x1.3bd3cc7312a78p+0, 0x1.03c1dc156fb8ep-2,
                                        -0x1.55c5781c45704p-6, 0x1.d9c28fa3419efp-11};
// 2^-41.2
inline constexpr double logRatio[] = {0x1.55555559216a2p-1, 0x1.99998f2e267f6p-2, 0x1.2496eb9f1a515p-2,
                                      0x1.c551a9101cd69p-3, 0x1.9c336aec34543p-3};
// 2^-34.5
inline constexpr double exp2Even[] = {0x1.ffffffffa6dfdp-1, 0x1.ebfbe0aa4b73dp-3, 0x1.3b29d882381ecp-7,
                                      0x1.446ca5e39cb8ap-13};
// 2^-38.2
inline constexpr double exp2Odd[] = {0x1.62e42fef9cc2dp-1, 0x1.c6b08da721dc9p-5, 0x1.5d8775768358fp-10,
                                     0x1.00c0ff15474c9p-16};
// 2^-31.7
inline constexpr double asinTail[] = {0x1.55554c3021274p-3, 0x1.333891ef7f5abp-4, 0x1.6cabb63b3ee6ap-5,
                                      0x1.04aaf82e6f741p-5, 0x1.d7a879a5060f3p-7, 0x1.33d6eba9d6838p-5};

} // namespace kumiko

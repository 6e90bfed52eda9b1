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
// 2^-28.0
inline constexpr float sineTail[] = {-0x1.555546p-3f, 0x1.11077ep-7f, -0x1.9956b6p-13f};
// 2^-33.1
inline constexpr float cosineTail[] = {0x1.55554ap-5f, -0x1.6c0c1ap-10f, 0x1.99e0ecp-16f};
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

// For results in double precision.
// 2^-61.7
inline constexpr double expTail64[] = {0x1.p-1,
                                       0x1.5555555555559p-3,
                                       0x1.5555555555556p-5,
                                       0x1.111111110f64cp-7,
                                       0x1.6c16c16c15e66p-10,
                                       0x1.a01a01b008234p-13,
                                       0x1.a01a01a8fa96cp-16,
                                       0x1.71ddf8034f1f8p-19,
                                       0x1.27e4d59374724p-22,
                                       0x1.af5f40195f1a4p-26,
                                       0x1.1f7d80f82a5d7p-29};
// 2^-57.9
inline constexpr double exp2Tail64[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5ap-3,   0x1.c6b08d704a154p-5,
                                        0x1.3b2ab6fba0917p-7,  0x1.5d87fe7892f7ep-10, 0x1.4309130d95716p-13,
                                        0x1.ffcbfcaa06db1p-17, 0x1.62bfca4220c6cp-20, 0x1.b524871686f33p-24,
                                        0x1.e61760ba2b73fp-28, 0x1.ea6c023a5cc39p-32};
// 2^-56.5
inline constexpr double tanhSmall64[] = {-0x1.5555555555502p-2,  0x1.111111110af73p-3,  -0x1.ba1ba1b52240bp-5,
                                         0x1.664f477f69ae4p-6,   -0x1.226e1698fe3acp-7, 0x1.d6cf34a1ce11dp-9,
                                         -0x1.7d6919a3f3486p-10, 0x1.3368dc8468292p-11, -0x1.df6a42e417da5p-13,
                                         0x1.43bcce609b3ep-14,   -0x1.0df63be3ce476p-16};
// 2^-62.9
inline constexpr double sinhSmall64[] = {0x1.5555555555555p-3,  0x1.1111111111199p-7,  0x1.a01a01a007b18p-13,
                                         0x1.71de3a6825409p-19, 0x1.ae6442043d9f9p-26, 0x1.6130b301bb65p-33,
                                         0x1.a6cee06c33949p-41, 0x1.c455864da928ap-48};
// 2^-58.5
inline constexpr double logRatio64[] = {0x1.5555555555593p-1, 0x1.999999997fab7p-2, 0x1.2492494217ed2p-2,
                                        0x1.c71c51ebac90dp-3, 0x1.746644c561b1fp-3, 0x1.39a126edcb121p-3,
                                        0x1.2f0b2158b61bep-3};
// 2^-73.5
inline constexpr double atanhRatio64[] = {0x1.9999999999996p-3, 0x1.2492492492f53p-3, 0x1.c71c71c59629cp-4,
                                          0x1.745d18299521ap-4, 0x1.3b1364b5e9545p-4, 0x1.11207265bc935p-4,
                                          0x1.de3ce446142c9p-5, 0x1.eaca8f58bf263p-5};
// 2^-55.9
inline constexpr double erfSmall64[] = {0x1.06eba8214db68p-3,   -0x1.812746b0379a2p-2,  0x1.ce2f21a03fe0ap-4,
                                        -0x1.b82ce311c2edbp-6,  0x1.565bccf27285p-8,    -0x1.c02daf4960793p-11,
                                        0x1.f9a2a4e882584p-14,  -0x1.f4c90e422ea82p-17, 0x1.b9740c5d0f986p-20,
                                        -0x1.5bc1ec4172333p-23, 0x1.d54e803eb9a39p-27,  -0x1.a6818185b2e22p-31};
// 2^-57.0
inline constexpr double erfcLog2Far64[] = {
    -0x1.558eada6637f3p+1,  -0x1.e75328fe78c2cp+1, -0x1.37627e9b5d8e5p+0, -0x1.eb313685da191p-5,  0x1.da57640d43efep-7,
    -0x1.7603d98fe4517p-9,  0x1.6701aae0c5267p-12, 0x1.3e3e16033309bp-15, -0x1.492a73ef63976p-15, 0x1.d42bed3415abfp-17,
    -0x1.9cc9d508002b8p-19, 0x1.3d1b986a66ee1p-22, 0x1.67c72139ebd97p-24, -0x1.9e07ff47d88b5p-25, 0x1.a68086feaefc8p-27,
    -0x1.05b2dfe746ea2p-29, 0x1.7ac8e5f73e2b7p-33, -0x1.ee3436054e456p-38};
// 2^-57.7
inline constexpr double atanTail64[] = {-0x1.555555555550cp-2, 0x1.999999998e9d7p-3,  -0x1.2492491ffdabbp-3,
                                        0x1.c71c6fde8ef16p-4,  -0x1.745cdbf870e24p-4, 0x1.3b0f2548a822bp-4,
                                        -0x1.10d630b64c34p-4,  0x1.dddfef2366492p-5,  -0x1.97a910ae8f54cp-5,
                                        0x1.2b29e9877a893p-5,  -0x1.0aa02cae2e812p-6};
// 2^-55.9
inline constexpr double asinTail64[] = {0x1.5555555555384p-3, 0x1.333333336fep-4,    0x1.6db6db419ae33p-5,
                                        0x1.f1c72c7fef02dp-6, 0x1.6e89edb3dc36dp-6,  0x1.1c6c42ef4cf18p-6,
                                        0x1.c6f65bca3cbb1p-7, 0x1.8ef2dfcade5d5p-7,  0x1.aa36c43a4df5ap-8,
                                        0x1.41089796694ebp-6, -0x1.0b7ed4a3b623fp-6, 0x1.05fe4b7b069c4p-5};
// 2^-58.0
inline constexpr double sineTail64[] = {-0x1.5555555555549p-3, 0x1.111111110f8a7p-7,   -0x1.a01a019c1643ap-13,
                                        0x1.71de357b4268dp-19, -0x1.ae5e68bd114a5p-26, 0x1.5d93acef28e66p-33};
// 2^-64.2
inline constexpr double cosineTail64[] = {0x1.555555555554cp-5,   -0x1.6c16c16c1521fp-10, 0x1.a01a019cbf601p-16,
                                          -0x1.27e4f812b2749p-22, 0x1.1ee9f14e77102p-29,  -0x1.8fb12e363b987p-37};

} // namespace kumiko

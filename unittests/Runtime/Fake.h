/*===- Fake.h - a model written by hand --------------------------------------===
 *
 *   a[i]  = x[i] * w[i % 64]      16 chunks of 64; checks that its scratch is nobody else's
 *   y[c]  = a[pick[c]]            16 chunks; fails with KUMIKO_E_INDEX on a bad index
 *   s     = sum of a              one chunk
 *
 *===------------------------------------------------------------------------===*/
#ifndef KUMIKO_FAKE_H
#define KUMIKO_FAKE_H

#include "kumiko/kumiko.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FAKE_X = 4 * 256, FAKE_PICK = 16 };

extern const float fake_weights[64];
const kumiko_artefact *fake_artefact(void);

/** Memory for one user of the model, filled with values that depend on `seed`, and its expected results. */
typedef struct fake_user {
  float x[FAKE_X];
  int32_t pick[FAKE_PICK];
  float y[FAKE_PICK];
  float s;
  float expected_y[FAKE_PICK];
  float expected_s;
} fake_user;

void fake_user_init(fake_user *user, uint32_t seed);
/** 0, or the status of the first binding that failed. */
int fake_user_bind(fake_user *user, const kumiko_api *k, kumiko_context *context);
/** Do the results have the expected bits? Wipes them for the next run. */
int fake_user_right(fake_user *user);

#ifdef __cplusplus
}
#endif
#endif

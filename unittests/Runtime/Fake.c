#include "Fake.h"
#include <string.h>

#define W1 0.5f, 1.25f, -2.0f, 3.0f, 0.1f, -0.7f, 1.0f, 1.5f
#define W2 W1, W1, W1, W1
_Alignas(64) const float fake_weights[64] = {W2, W2};

static float product(const float *x, int64_t i) { return x[i] * fake_weights[i % 64]; }

static int multiply(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)symbols;
  const float *x = buffers[0], *w = buffers[1];
  float *a = buffers[2];
  volatile int64_t *mine = scratch;
  for (int i = 0; i < 64; ++i)
    mine[i] = chunk * 64 + i;
  for (int i = 0; i < 64; ++i)
    a[chunk * 64 + i] = x[chunk * 64 + i] * w[i];
  for (int i = 0; i < 64; ++i)
    if (mine[i] != chunk * 64 + i)
      return KUMIKO_E_INTERNAL;
  return 0;
}

static int gather(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)symbols, (void)scratch;
  const float *a = buffers[0];
  const int32_t *pick = buffers[1];
  if (pick[chunk] < 0 || pick[chunk] >= FAKE_X)
    return KUMIKO_E_INDEX;
  ((float *)buffers[2])[chunk] = a[pick[chunk]];
  return 0;
}

static int sum(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)symbols, (void)chunk, (void)scratch;
  const float *a = buffers[0];
  float total = 0;
  for (int i = 0; i < FAKE_X; ++i)
    total += a[i];
  *(float *)buffers[1] = total;
  return 0;
}

/* Zero chunks: must never be called. */
static int never(void *const *buffers, const int64_t *symbols, int64_t chunk, void *scratch) {
  (void)buffers, (void)symbols, (void)chunk, (void)scratch;
  return KUMIKO_E_INTERNAL;
}

static const int64_t x_shape[] = {4, 256}, pick_shape[] = {FAKE_PICK};
static const kumiko_value inputs[] = {{"x", KUMIKO_F32, 2, x_shape}, {"pick", KUMIKO_I32, 1, pick_shape}};
static const kumiko_value outputs[] = {{"y", KUMIKO_F32, 1, pick_shape}, {"s", KUMIKO_F32, 0, NULL}};

static const kumiko_buffer multiply_buffers[] = {
    {KUMIKO_SPACE_INPUT, 0, 0, NULL, 0}, {KUMIKO_SPACE_WEIGHTS, 0, 0, NULL, 0}, {KUMIKO_SPACE_ARENA, 0, 128, NULL, 0}};
static const kumiko_buffer gather_buffers[] = {
    {KUMIKO_SPACE_ARENA, 0, 128, NULL, 0}, {KUMIKO_SPACE_INPUT, 1, 0, NULL, 0}, {KUMIKO_SPACE_OUTPUT, 0, 0, NULL, 0}};
static const kumiko_buffer sum_buffers[] = {{KUMIKO_SPACE_ARENA, 0, 128, NULL, 0},
                                            {KUMIKO_SPACE_OUTPUT, 1, 0, NULL, 0}};

static const kumiko_call calls[] = {
    {multiply, multiply_buffers, 3, 16, 64 * sizeof(int64_t), "k_multiply", "scale/mul", KUMIKO_CALL_KERNEL, 0, 0, 0, 0,
     0},
    {gather, gather_buffers, 3, FAKE_PICK, 0, "k_gather", "head/gather, head/cast", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
    {never, NULL, 0, 0, 0, "k_never", "empty", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
    {sum, sum_buffers, 2, 1, 0, "k_sum", "head/sum", KUMIKO_CALL_KERNEL, 0, 0, 0, 0, 0},
};

static const kumiko_artefact artefact = {
    .version = KUMIKO_ARTEFACT_VERSION,
    .struct_bytes = sizeof(kumiko_artefact),
    .name = "fake",
    .producer = "by hand",
    .provenance = "none",
    .input_count = 2,
    .inputs = inputs,
    .output_count = 2,
    .outputs = outputs,
    .call_count = 4,
    .calls = calls,
    .weights = fake_weights,
    .weights_bytes = sizeof fake_weights,
    .arena_bytes = 128 + FAKE_X * sizeof(float),
    .scratch_bytes = 64 * sizeof(int64_t),
};

const kumiko_artefact *fake_artefact(void) { return &artefact; }

void fake_user_init(fake_user *user, uint32_t seed) {
  memset(user, 0, sizeof *user);
  for (int i = 0; i < FAKE_X; ++i) {
    seed = seed * 1664525u + 1013904223u;
    user->x[i] = (float)(int32_t)seed / 65536.0f;
    user->expected_s += product(user->x, i);
  }
  for (int i = 0; i < FAKE_PICK; ++i) {
    seed = seed * 1664525u + 1013904223u;
    user->pick[i] = (int32_t)(seed >> 8) % FAKE_X;
    user->expected_y[i] = product(user->x, user->pick[i]);
  }
}

int fake_user_bind(fake_user *user, const kumiko_api *k, kumiko_context *context) {
  const kumiko_tensor x = {user->x, KUMIKO_F32, 2, x_shape, NULL};
  const kumiko_tensor pick = {user->pick, KUMIKO_I32, 1, pick_shape, NULL};
  const kumiko_tensor y = {user->y, KUMIKO_F32, 1, pick_shape, NULL};
  const kumiko_tensor s = {&user->s, KUMIKO_F32, 0, NULL, NULL};
  int status = k->bind_input(context, "x", &x);
  if (!status)
    status = k->bind_input_number(context, 1, &pick);
  if (!status)
    status = k->bind_output_number(context, 0, &y);
  return status ? status : k->bind_output(context, "s", &s);
}

int fake_user_right(fake_user *user) {
  int right = !memcmp(user->y, user->expected_y, sizeof user->y) && user->s == user->expected_s;
  memset(user->y, 0, sizeof user->y);
  user->s = 0;
  return right;
}

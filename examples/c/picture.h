/* A clean picture for the sample network: which of its four shapes is drawn, and which one the network says it is. */
#ifndef PICTURE_H
#define PICTURE_H

static const char *const labels[] = {"circle", "square", "triangle", "cross"};

static int inside(int kind, float x, float y) {
  float across = x < 0 ? -x : x, up = y < 0 ? -y : y;
  float larger = across > up ? across : up, smaller = across > up ? up : across;
  switch (kind) {
  case 0:
    return x * x + y * y < 0.8f;
  case 1:
    return larger < 0.8f;
  case 2:
    return y < 0.6f && y > 2 * across - 1;
  default:
    return smaller < 0.25f && larger < 1;
  }
}

/* 28 x 28, 0 outside and 1 inside. */
static void draw(int kind, float *picture) {
  for (int row = 0; row < 28; ++row)
    for (int column = 0; column < 28; ++column)
      *picture++ = (float)inside(kind, ((float)column - 14) / 8, ((float)row - 14) / 8);
}

static int likeliest(const float *probability) {
  int best = 0;
  for (int kind = 1; kind < 4; ++kind)
    if (probability[kind] > probability[best])
      best = kind;
  return best;
}

#endif

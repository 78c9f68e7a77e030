// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

// The number of steps depends on every rounding.
#pragma STDC FP_CONTRACT OFF

void run(void **in, void **out) {
  int32_t *O = out[0];
  (void)in;
  for (int64_t i = 0; i < I; ++i)
    for (int64_t j = 0; j < J; ++j) {
      float re = -2.0f + j * 0.0029296875f, im = -1.5f + i * 0.0029296875f, x = 0, y = 0;
      int32_t step = 0;
      while (x * x + y * y <= 4 && step < 64) {
        float next = x * x - y * y + re;
        y = x * y * 2 + im;
        x = next;
        ++step;
      }
      O[i * J + j] = step;
    }
}

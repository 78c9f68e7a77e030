// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *x = in[0];
  float *y = out[0];
  for (int64_t i = 0; i < I; ++i)
    y[i] = x[i] < 0 ? x[i] * 0.5f : x[i] * x[i];
}

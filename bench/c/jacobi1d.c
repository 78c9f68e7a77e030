// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *x = in[0];
  float *y = out[0];
  for (int64_t i = 0; i < I; ++i)
    y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3;
}

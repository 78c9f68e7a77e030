// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float(*x)[J + 2] = in[0];
  float *y = out[0];
  for (int64_t i = 0; i < I; ++i)
    for (int64_t j = 0; j < J; ++j)
      y[i * J + j] = (x[i][j + 1] + x[i + 1][j] + x[i + 1][j + 1] + x[i + 1][j + 2] + x[i + 2][j + 1]) / 5;
}

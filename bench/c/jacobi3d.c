// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float(*x)[J + 2][K + 2] = in[0];
  float *y = out[0];
#pragma omp parallel for
  for (int64_t i = 0; i < I; ++i)
    for (int64_t j = 0; j < J; ++j)
      for (int64_t k = 0; k < K; ++k)
        y[(i * J + j) * K + k] = 0.161f * x[i + 1][j + 1][k + 2] + 0.162f * x[i + 1][j + 1][k] +
                                 0.163f * x[i + 1][j + 2][k + 1] + 0.164f * x[i + 1][j][k + 1] +
                                 0.165f * x[i + 2][j + 1][k + 1] + 0.166f * x[i][j + 1][k + 1] -
                                 1.67f * x[i + 1][j + 1][k + 1];
}

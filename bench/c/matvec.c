// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *M = in[0], *v = in[1];
  float *w = out[0];
#pragma omp parallel for
  for (int64_t i = 0; i < I; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < K; ++k)
      sum += M[i * K + k] * v[k];
    w[i] = sum;
  }
}

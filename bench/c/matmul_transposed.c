// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *A = in[0], *B = in[1];
  float *C = out[0];
#pragma omp parallel for collapse(2)
  for (int64_t i = 0; i < I; ++i)
    for (int64_t j = 0; j < J; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += A[k * I + i] * B[j * K + k];
      C[j * I + i] = sum;
    }
}

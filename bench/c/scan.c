// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *A = in[0];
  float *Out = out[0], sum = 0;
  for (int64_t i = 0; i < I; ++i) {
    sum += A[i];
    Out[i] = sum;
  }
}

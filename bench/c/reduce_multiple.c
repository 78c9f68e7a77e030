// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

void run(void **in, void **out) {
  const float *x = in[0];
  float sum = 0, product = 1;
  for (int64_t i = 0; i < I; ++i) {
    sum += x[i];
    product *= x[i];
  }
  *(float *)out[0] = sum;
  *(float *)out[1] = product;
}

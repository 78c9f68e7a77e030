// Plain loops over math functions, with the size and the function as macros: see ../peers/math.py.
#include <math.h>
#include <stdint.h>

static inline float sigmoid(float x) { return 1 / (1 + expf(-x)); }
static inline float gelu_erf(float x) { return 0.5f * x * (1 + erff(x * 0.70710678118654752f)); }
static inline float gelu_tanh(float x) {
  return 0.5f * x * (1 + tanhf(0.79788456080286536f * x * (1 + 0.044715f * (x * x))));
}
#define exp expf
#define log logf
#define tanh tanhf
#define erf erff
#define sin sinf

void run(void **in, void **out) {
  const float *x = in[0];
  float *y = out[0];
#pragma omp parallel for
  for (int64_t i = 0; i < I; ++i)
    y[i] = FUNCTION(x[i]);
}

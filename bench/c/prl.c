// Plain loops, sizes as macros: see ../run.py.
#include <stdint.h>

static const float agree[14] = {9.96875f, 8.96875f, 9.96875f, 8.96875f, 7.96875f,  3.921875f, 0.984375f,
                                4.96875f, 3.5625f,  5.96875f, 6.921875f, 7.84375f, 6.875f,    5.890625f};
static const float differ[14] = {-5.328125f, -5.3125f,   -5.328125f, -5.3125f,  -5.3125f,  -4.234375f, -5.640625f,
                                 -5.59375f,  -5.515625f, -5.625f,    -4.3125f,  -3.3125f,  -3.625f,    -3.8125f};

void run(void **in, void **out) {
  const int64_t *N_id = in[0], *E_id = in[2];
  const int32_t(*N)[14] = in[1], (*E)[14] = in[3];
  int64_t *M_a = out[0], *M_b = out[1];
  float *M_w = out[2];
  int32_t *M_class = out[3];
#pragma omp parallel for
  for (int64_t i = 0; i < I; ++i) {
    float best = 0;
    int64_t match = 0;
    for (int64_t j = 0; j < J; ++j) {
      float weight = 0;
      for (int attribute = 0; attribute < 14; ++attribute)
        weight += N[i][attribute] == E[j][attribute] ? agree[attribute] : differ[attribute];
      if (j == 0 || weight > best || (weight == best && E_id[j] < match)) {
        best = weight;
        match = E_id[j];
      }
    }
    M_a[i] = N_id[i];
    M_b[i] = match;
    M_w[i] = best;
    M_class[i] = (best >= 15) + (best >= 45);
  }
}

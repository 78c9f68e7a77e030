// Calls compiled functions through the generated header.
#include "matvec.h"

#include <stdio.h>

int main(void) {
  float M[3 * 4], v[4] = {1, 2, 3, 4};
  for (int i = 0; i < 12; ++i)
    M[i] = (float)i;

  mdh_f32_1d_t w = matvec_call(mdh_f32_2d(M, 3, 4), mdh_f32_1d(v, 4));
  printf("matvec:");
  for (int64_t i = 0; i < w.sizes[0]; ++i)
    printf(" %g", mdh_f32_1d_data(w)[i]);
  printf("\n");
  mdh_f32_1d_free(w);

  // In place, and a scalar argument by value.
  scale_call(mdh_f32_1d(v, 4), 0.5f, 2);
  printf("scale: %g %g %g %g\n", v[0], v[1], v[2], v[3]);

  extremes_results_t results = extremes_call(mdh_f32_1d(v, 4));
  printf("extremes: %g %g of %lld\n", *mdh_f32_0d_data(results.result0), *mdh_f32_0d_data(results.result1),
         (long long)results.result2);
  mdh_f32_0d_free(results.result0);
  mdh_f32_0d_free(results.result1);
  return 0;
}

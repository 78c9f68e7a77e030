// Calls compiled functions through the generated header.
#include "matvec.h"

#include <stdio.h>

int main(void) {
  float M[3 * 4], v[4] = {1, 2, 3, 4};
  for (int i = 0; i < 12; ++i)
    M[i] = (float)i;
  int64_t rows[] = {3, 4}, length = 4, height;

  // The function allocates its result.
  mdh_array factors[] = {mdh_const_f32(M, 2, rows, NULL), mdh_const_f32(v, 1, &length, NULL)};
  mdh_array w = mdh_f32(NULL, 1, &height, NULL);
  if (matvec(factors, &w, NULL) != MDH_OK)
    return 1;
  printf("matvec:");
  for (int64_t i = 0; i < height; ++i)
    printf(" %g", ((float *)w.data)[i]);
  printf("\n");
  free(w.allocation);

  // In place, and with scalars.
  float factor = 0.5f;
  int64_t count = 2;
  mdh_array scaled[] = {mdh_f32(v, 1, &length, NULL), mdh_f32(&factor, 0, NULL, NULL), mdh_index(&count, 0, NULL, NULL)};
  scale(scaled, NULL, NULL);
  printf("scale: %g %g %g %g\n", v[0], v[1], v[2], v[3]);

  // Results in memory of the caller.
  float low, high;
  int64_t number;
  mdh_array found[] = {mdh_f32(&low, 0, NULL, NULL), mdh_f32(&high, 0, NULL, NULL), mdh_index(&number, 0, NULL, NULL)};
  extremes(scaled, found, NULL);
  printf("extremes: %g %g of %lld\n", low, high, (long long)number);
  return 0;
}

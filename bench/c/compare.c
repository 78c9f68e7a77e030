// The largest difference of two arrays, relative to the larger of the elements and 1; NaN equals only NaN.
#include <math.h>
#include <stdint.h>

#define COMPARE(name, type)                                                                                            \
  double name(const type *left, const type *right, int64_t count) {                                                   \
    double worst = 0;                                                                                                  \
    for (int64_t i = 0; i < count; ++i) {                                                                              \
      double x = (double)left[i], y = (double)right[i];                                                                \
      if (x == y || (x != x && y != y))                                                                                \
        continue;                                                                                                      \
      double difference = fabs(x - y) / fmax(1, fmax(fabs(x), fabs(y)));                                               \
      if (!(difference <= worst))                                                                                      \
        worst = difference == difference ? difference : INFINITY;                                                      \
    }                                                                                                                  \
    return worst;                                                                                                      \
  }

COMPARE(compare_f32, float)
COMPARE(compare_f64, double)
COMPARE(compare_i32, int32_t)
COMPARE(compare_i64, int64_t)

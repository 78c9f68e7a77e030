// Computes x * x - round(x * x), which is 0 if the product is rounded.
#include "levels.h"

#include <stdio.h>

int main(void) {
  double x[8], y[8], z[8];
  for (int i = 0; i < 8; ++i) {
    // (1 + e)^2 = 1 + 2 e + e^2, where e^2 is less than half of the last digit.
    x[i] = 1 + 0x1p-27;
    y[i] = -(1 + 0x1p-26);
  }
  char message[MDH_MESSAGE];
  printf("checked: %d\n", (int)mdh_checked_my_residuals);
  // The second call does not choose again.
  for (int call = 0; call < 2; ++call)
    if (mdh_call_my_residuals(x, 8, y, 8, z, 8, message) != MDH_OK)
      return 1;
  for (int i = 0; i < 8; ++i)
    printf("%g%s", z[i], i == 7 ? "\n" : " ");
  mdh_call_my_residuals(x, 8, y, 7, z, 8, message);
  printf("%s\n", message);
  return 0;
}

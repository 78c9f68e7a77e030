// Calls typed functions of the header.
#include "typed.h"

#include <stdio.h>
#include <string.h>

static char message[MDH_MESSAGE];

static void print(const char *label, const float *data, int count) {
  printf("%s:", label);
  for (int i = 0; i < count; ++i)
    printf(" %g", (double)data[i]);
  printf("\n");
}

static void failed(int32_t status) {
  printf("%d: %s\n", (int)status, message);
}

// The bits of a number are compared, because printf takes no float of 16 bits.
static void scalars_of_all_types(void) {
  const uint16_t half = 0x3e00, brain = 0x3fc0;
  mdh_float16 h, h_result;
  mdh_bfloat16 b, b_result;
  memcpy(&h, &half, sizeof(h));
  memcpy(&b, &brain, sizeof(b));
  mdh_int128 i_result;
  int64_t size;
  const int32_t x[] = {3, 7};
  int32_t x_result[2];
  mdh_call_scalars(h, b, -3, true, x, 2, 1, &h_result, &b_result, &i_result, &size, x_result, 2, 1, message);
  printf("scalars: %s %s %d %d, of %d numbers\n", memcmp(&h_result, &half, sizeof(h)) ? "wrong" : "1.5",
         memcmp(&b_result, &brain, sizeof(b)) ? "wrong" : "1.5", (int)i_result, (int)x_result[1], (int)size);
}

int main(void) {
  printf("checked: %d\n", (int)mdh_checked_matvec);
#ifndef UNCHECKED
  float A[12], strided[12], v[4] = {1, 2, 3, 4}, w[3];
  for (int i = 0; i < 12; ++i)
    strided[i] = -1, A[i] = (float)i;
  for (int i = 0; i < 8; ++i)
    strided[i / 4 * 6 + i % 4] = (float)i;
  mdh_call_fixed(A, 4, w, message);
  print("static", w, 2);
  mdh_call_fixed(strided, 6, w, message);
  print("strided", w, 2);

  mdh_call_matvec(A, 3, 4, 4, v, 4, w, 3, message);
  print("dynamic", w, 3);
  failed(mdh_call_matvec(A, 3, 4, 4, v, 3, w, 3, message));
  failed(mdh_call_matvec(A, 3, 4, 4, v, 4, w, 2, message));
  // A result that is dropped.
  mdh_call_matvec(A, 3, 4, 4, v, 4, NULL, 3, message);

  mdh_call_arguments(v, 2, 2, 0.5f, message);
  print("written", v, 4);
  failed(mdh_call_arguments(v, 2, 1, 0.5f, message));

  scalars_of_all_types();

  const float x[] = {1, 2, 0, 0, 3, 4};
  float y[4];
  mdh_call_times_i(x, 2, 2, y, 2, 1, message);
  print("complex", y, 4);
  printf("nothing: %d\n", (int)mdh_call_nothing(NULL));
#endif
  return 0;
}

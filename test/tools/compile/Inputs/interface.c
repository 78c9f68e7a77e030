// Calls checked functions with arrays of various shapes, strides and types.
#include "interface.h"

#include <stdio.h>

static int allocations;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size) {
  ++allocations;
  return __real_malloc(size);
}

static char message[MDH_MESSAGE];

static void refused(mdh_function *function, const mdh_array *arguments, mdh_array *results) {
  int32_t status = function(arguments, results, message);
  printf("%d: %s\n", status, message);
}

static void print(const char *label, const float *data, int64_t count) {
  printf("%s:", label);
  for (int64_t i = 0; i < count; ++i)
    printf(" %g", data[i]);
}

static void call(const char *label, mdh_function *function, const mdh_array *arguments, mdh_array *result) {
  allocations = 0;
  int32_t status = function(arguments, result, message);
  if (status != MDH_OK)
    printf("%s: %d: %s\n", label, status, message);
}

// Arguments that are only read, with any strides, and results that are allocated by the function or the caller.
static void strides(void) {
  float M[12], columns[12], v[4] = {1, 2, 3, 4}, reversed[4] = {4, 3, 2, 1};
  for (int i = 0; i < 12; ++i)
    columns[i / 4 + i % 4 * 3] = M[i] = (float)i;
  const int64_t matrix[] = {3, 4}, vector = 4, column_major[] = {1, 3};
  int64_t height, backwards[] = {-4, -1}, three = 3, two = 2;

  mdh_array arguments[] = {mdh_const_f32(M, 2, matrix, NULL), mdh_const_f32(v, 1, &vector, NULL)};
  mdh_array w = mdh_f32(NULL, 1, &height, NULL);
  call("row-major", matvec, arguments, &w);
  print("row-major", w.data, height);
  printf(", %d allocations\n", allocations);
  free(w.allocation);

  arguments[0] = mdh_const_f32(columns, 2, matrix, column_major);
  w.data = NULL;
  call("column-major", matvec, arguments, &w);
  print("column-major", w.data, height);
  printf(", %d allocations\n", allocations);
  free(w.allocation);

  float reversed_w[3];
  arguments[0] = mdh_const_f32(M + 11, 2, matrix, backwards);
  arguments[1] = mdh_const_f32(reversed + 3, 1, &vector, &backwards[1]);
  w = mdh_f32(reversed_w + 2, 1, &three, &backwards[1]);
  call("reversed", matvec, arguments, &w);
  print("reversed", reversed_w, 3);
  printf(", %d allocations\n", allocations);

  float apart[6] = {-1, -1, -1, -1, -1, -1};
  arguments[0] = mdh_const_f32(M, 2, matrix, NULL);
  arguments[1] = mdh_const_f32(v, 1, &vector, NULL);
  w = mdh_f32(apart, 1, &three, &two);
  call("into every second element", matvec, arguments, &w);
  print("into every second element", apart, 6);

  const int64_t none[] = {0, 4};
  arguments[0] = mdh_const_f32(NULL, 2, none, NULL);
  w = mdh_f32(NULL, 1, &height, NULL);
  call("nothing", matvec, arguments, &w);
  printf("\nnothing: %lld rows\n", (long long)height);
  free(w.allocation);
}

// Arguments that are also results.
static void destinations(void) {
  const float A[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t matrix[] = {2, 4};
  int64_t two = 2, three = 3;
  float C[4] = {9, 9, 9, 9}, w[2];
  mdh_array arguments[] = {mdh_const_f32(A, 2, matrix, NULL), mdh_f32(C, 1, &two, NULL)};
  mdh_array result = mdh_f32(w, 1, &two, NULL);
  call("destination", destination, arguments, &result);
  printf("destination: %g %g, caller's %g %g, %d allocations\n", w[0], w[1], C[0], C[1], allocations);

  int64_t size;
  result = mdh_f32(NULL, 1, &size, NULL);
  call("in place", in_place, arguments, &result);
  printf("in place: %g %g, %s memory, %d allocations\n", C[0], C[1],
         result.data == C && !result.allocation ? "the same" : "other", allocations);

  C[0] = C[1] = 9;
  arguments[1] = mdh_f32(C, 1, &two, &two);
  result = mdh_f32(w, 1, &two, NULL);
  call("in place with strides", in_place, arguments, &result);
  print("in place with strides", C, 4);
  printf(", result %g %g\n", w[0], w[1]);

  bool x[6] = {0, 0, 1, 1, 0, 1};
  mdh_array bits = mdh_i1(x, 1, &three, &two);
  call("negated", negated, &bits, NULL);
  printf("negated: %d %d %d, %d %d %d\n", x[0], x[2], x[4], x[1], x[3], x[5]);
}

static void all_sorts(void) {
  uint16_t h = 0x3e00, b = 0x3fc0, h_result, b_result;
  int32_t n = 0xffffff, n_result;
  __int128 i = -3, i_result;
  float x[2] = {1, 2};
  const int64_t two = 2;
  int64_t size;
  mdh_array arguments[] = {{&h, NULL, NULL, NULL, MDH_FLOAT(16), 0}, {&b, NULL, NULL, NULL, MDH_BFLOAT16, 0},
                           mdh_i24(&n, 0, NULL, NULL), mdh_i128(&i, 0, NULL, NULL), mdh_const_f32(x, 1, &two, NULL)};
  mdh_array results[] = {{&h_result, NULL, NULL, NULL, MDH_FLOAT(16), 0}, {&b_result, NULL, NULL, NULL, MDH_BFLOAT16, 0},
                         mdh_i24(&n_result, 0, NULL, NULL), mdh_i128(&i_result, 0, NULL, NULL),
                         mdh_f32(NULL, 1, &size, NULL), mdh_f32(NULL, 1, &size, NULL)};
  call("scalars", scalars, arguments, results);
  printf("scalars: %#x %#x %#x %d, %g %g\n", h_result, b_result, (unsigned)n_result, (int)i_result,
         ((float *)results[4].data)[1], ((float *)results[5].data)[1]);
  free(results[4].allocation);
  free(results[5].allocation);
}

static void errors(void) {
  float A[12] = {0}, C[4], w[3];
  const int64_t matrix[] = {2, 4}, narrow[] = {2, 3}, large[] = {3, 4};
  int64_t two = 2, three = 3, negative[] = {-1, 4}, zero = 0, four = 4;
  mdh_array good[] = {mdh_const_f32(A, 2, matrix, NULL), mdh_f32(C, 1, &two, NULL)};
  mdh_array result = mdh_f32(w, 1, &two, NULL);
  mdh_array given[] = {mdh_const_f32(A, 2, narrow, NULL), good[1]};
  refused(destination, given, &result);
  given[0] = good[0];
  given[0].type = MDH_FLOAT(64);
  refused(destination, given, &result);
  given[0] = good[0];
  given[1].rank = 2;
  refused(destination, given, &result);
  given[1] = good[1];
  given[0].data = NULL;
  refused(destination, given, &result);
  given[0].data = (char *)A + 1;
  refused(destination, given, &result);
  mdh_array factors[] = {mdh_const_f32(A, 2, large, NULL), mdh_f32(C, 1, &three, NULL)};
  refused(matvec, factors, &result);
  float x[4] = {0, 1, 2, 3};
  int64_t extent = 3;
  mdh_array window[] = {mdh_const_f32(x, 1, &four, NULL), mdh_index(&extent, 0, NULL, NULL)};
  mdh_array taken = mdh_f32(w, 1, &three, NULL);
  call("backwards", backwards, window, &taken);
  print("backwards", w, 3);
  printf("\n");
  extent = 5;
  refused(backwards, window, &taken);
  extent = 1;
  window[0].sizes = &three;
  refused(backwards, window, &taken);
  factors[0].sizes = negative;
  refused(matvec, factors, &result);
  given[0] = good[0];
  given[1].strides = &zero;
  refused(in_place, given, &result);
  factors[0] = mdh_const_f32(A, 2, large, NULL);
  factors[1] = mdh_f32(C, 1, &four, NULL);
  refused(matvec, factors, &result);
  refused(matvec, NULL, &result);
  printf("%d without a message\n", matvec(NULL, &result, NULL));
}

int main(void) {
  strides();
  destinations();
  all_sorts();
  errors();
  return 0;
}

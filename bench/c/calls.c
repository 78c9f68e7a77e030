// Calls functions n times and returns the time in seconds: see ../peers/worker.py. A loop in Python would dominate
// short calls.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "../../tools/interface/array.c"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

double time_calls(int64_t n, void (*function)(void **, void **), void **in, void **out) {
  double start = now();
  for (int64_t i = 0; i < n; ++i)
    function(in, out);
  return now() - start;
}

// A compiled function allocates its results. Those of the last call are kept.
double time_compiled(int64_t n, mdh_function *function, const mdh_array *in, mdh_array *results,
                     int64_t outputs) {
  double start = now();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < outputs; ++k) {
      if (i)
        free(results[k].allocation);
      results[k].data = NULL;
    }
    function(in, results, NULL);
  }
  return now() - start;
}

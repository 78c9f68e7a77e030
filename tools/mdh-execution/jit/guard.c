// Calls of compiled code that it can leave: code that cannot go on, because a check fails or there is no memory, goes
// back to its caller. `setjmp` is a function of C that no other language can call, and functions with any number of
// arguments, such as those that start parallel regions, are ones that no other language can define.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// The innermost call of this thread.
static _Thread_local jmp_buf *innermost;

// The number of divisions that were skipped in the call that this thread executes, or takes part in. A handler of
// signals reads it, so it is no memory that is allocated at the first access.
static _Thread_local uint64_t *skipped __attribute__((tls_model("initial-exec")));

// A function of the C interface, with arrays in the memory of the host or of a device. The other one is NULL.
typedef int32_t host_function(const void *arguments, void *results, char *message);
typedef int32_t device_function(const void *arguments, void *results, void *stream, char *message);

// Calls a function of the C interface, and counts the divisions that are skipped. Returns 1 if it has returned, and 0 if it was left.
int32_t mdh_guard_call(host_function *on_host, device_function *on_device, const void *arguments, void *results,
                       void *stream, char *message, int32_t *status, uint64_t *divisions) {
  jmp_buf here;
  // It is changed after setjmp never, so it has its value when the function is left.
  jmp_buf *const outer = innermost;
  uint64_t *const outer_skipped = skipped;
  if (_setjmp(here)) {
    innermost = outer;
    skipped = outer_skipped;
    return 0;
  }
  innermost = &here;
  skipped = divisions;
  *status = on_device ? on_device(arguments, results, stream, message) : on_host(arguments, results, message);
  innermost = outer;
  skipped = outer_skipped;
  return 1;
}

// Returns 1 if this thread is in a call that can be left.
int32_t mdh_guard_active(void) { return innermost != NULL; }

// Leaves the innermost call of this thread.
_Noreturn void mdh_guard_leave(void) { _longjmp(*innermost, 1); }

// The number of skipped divisions of the call of this thread; NULL outside of calls. Async-signal-safe.
uint64_t *mdh_guard_divisions(void) { return skipped; }

enum { MOST = 15 };

// The body of a parallel region: it takes two numbers of the thread and the arguments of the region.
typedef void body(int32_t *, int32_t *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                  void *, void *, void *, void *);
typedef void fork_call(void *location, int32_t count, void *body, ...);

// A parallel region, with the call that it is a part of.
typedef struct {
  body *run;
  void *arguments[MOST];
  uint64_t *skipped;
} region;

// OpenMP's function.
static fork_call *openmp;

void mdh_guard_use_openmp(fork_call *function) { openmp = function; }

// Called by each thread of a region.
static void take_part(int32_t *thread, int32_t *bound, const region *of) {
  uint64_t *const outer = skipped;
  void *const *a = of->arguments;
  skipped = of->skipped;
  // Those that the body does not have are ignored, because the caller removes arguments.
  of->run(thread, bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]);
  skipped = outer;
}

// `__kmpc_fork_call` of compiled code: executes a parallel region, whose threads take part in the call of this thread.
void mdh_guard_fork(void *location, int32_t count, void *run, ...) {
  region of = {.run = (body *)run, .skipped = skipped};
  va_list given;
  va_start(given, run);
  for (int32_t i = 0; i < count && i < MOST; ++i)
    of.arguments[i] = va_arg(given, void *);
  va_end(given);
  openmp(location, 1, (void *)take_part, &of);
}

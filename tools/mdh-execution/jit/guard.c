// Calls of compiled code that it can leave: code that cannot go on, because a check fails or there is no memory, goes
// back to its caller. `setjmp` is a function of C that no other language can call.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// The innermost call of this thread.
static _Thread_local jmp_buf *innermost;

// A function of the C interface, with arrays in the memory of the host or of a device. The other one is NULL.
typedef int32_t host_function(const void *arguments, void *results, char *message);
typedef int32_t device_function(const void *arguments, void *results, void *stream, char *message);

// Calls a function of the C interface. Returns 1 if it has returned, and 0 if it was left.
int32_t mdh_guard_call(host_function *on_host, device_function *on_device, const void *arguments, void *results,
                       void *stream, char *message, int32_t *status) {
  jmp_buf here;
  // It is changed after setjmp never, so it has its value when the function is left.
  jmp_buf *const outer = innermost;
  if (_setjmp(here)) {
    innermost = outer;
    return 0;
  }
  innermost = &here;
  *status = on_device ? on_device(arguments, results, stream, message) : on_host(arguments, results, message);
  innermost = outer;
  return 1;
}

// Returns 1 if this thread is in a call that can be left.
int32_t mdh_guard_active(void) { return innermost != NULL; }

// Leaves the innermost call of this thread.
_Noreturn void mdh_guard_leave(void) { _longjmp(*innermost, 1); }

// A function that OpenMP calls on each thread of a parallel region.
typedef void body_of_region(int32_t *thread, int32_t *bound, void *data);

// `region.rs`.
void mdh_guard_fork(void *location, body_of_region *body, void *data);

// `__kmpc_fork_call` for compiled code, whose regions have at most one operand.
void mdh_guard_fork_call(void *location, int32_t count, body_of_region *body, ...) {
  va_list operands;
  va_start(operands, body);
  void *data = count > 0 ? va_arg(operands, void *) : NULL;
  va_end(operands);
  mdh_guard_fork(location, body, data);
}

// Executes the part of this thread of a parallel region. Returns 1 if it has ended, and 0 if it was left.
int32_t mdh_guard_region(int32_t *thread, int32_t *bound, body_of_region *body, void *data) {
  jmp_buf here;
  jmp_buf *const outer = innermost;
  if (_setjmp(here)) {
    innermost = outer;
    return 0;
  }
  innermost = &here;
  body(thread, bound, data);
  innermost = outer;
  return 1;
}

// The wrapper between callers and compiled code whose arrays are in the memory of a device. The compiled code submits its
// work to the stream of the caller, who waits for it. `build.rs` compiles it to LLVM IR, and `interface.rs` links it into
// modules with such functions.
#include "common.c"

// Entry points of the run-time library (`mdh-runtime/entries.rs`).
void mdhCudaBeginCall(void *stream);
int32_t mdhCudaEndCall(char *message, size_t size);
int32_t mdhCudaCheckMemory(const void *memory, char *message, size_t size);

// The alignment in bytes that kernels assume.
#define ALIGNMENT 16

// Checks that an array is where kernels can access it as they do.
static int32_t check_memory(const function *of, const char *what, int32_t i, const parameter *wanted,
                            const mdh_array *given, char *message) {
  const char *name = of->name;
  if (!is_row_major(given->sizes, given->strides, wanted->rank))
    return INVALID("%s %d of '%s' is in device memory, and requires row-major order, but has other strides", what, i + 1,
                   name);
  if (!elements(given->sizes, wanted->rank))
    return MDH_OK;
  if (!given->data)
    return INVALID("%s %d of '%s' requires data in device memory, but it is NULL", what, i + 1, name);
  if ((uintptr_t)given->data % ALIGNMENT)
    return INVALID("%s %d of '%s' requires data at a multiple of %d bytes, but it is at %p", what, i + 1, name, ALIGNMENT,
                   given->data);
  char problem[MDH_MESSAGE];
  if (of->is_checked && mdhCudaCheckMemory(given->data, problem, sizeof(problem)))
    return INVALID("%s %d of '%s' %s", what, i + 1, name, problem);
  return MDH_OK;
}

// Returns 1 if two arrays have common bytes.
static int overlaps(const parameter *a, const mdh_array *first, const parameter *b, const mdh_array *second) {
  uintptr_t from = (uintptr_t)first->data, other = (uintptr_t)second->data;
  uintptr_t end = from + elements(first->sizes, a->rank) * bytes(a->type);
  return from < other + elements(second->sizes, b->rank) * bytes(b->type) && other < end;
}

// Checks that an array that is written shares no memory with others.
static int32_t check_apart(const function *of, int32_t place, const mdh_array *arguments, const mdh_array *results,
                           char *message) {
  int32_t count = of->arguments;
  const parameter *own = &of->parameters[place];
  const mdh_array *written = place < count ? &arguments[place] : &results[place - count];
  for (int32_t i = 0; i < count + of->results; ++i) {
    const parameter *other = &of->parameters[i];
    const mdh_array *given = i < count ? &arguments[i] : &results[i - count];
    if (i != place && !other->is_scalar && overlaps(own, written, other, given))
      return INVALID("%s %d of '%s' is written, and must not share memory with %s %d", place < count ? "argument" : "result",
                     (place < count ? place : place - count) + 1, of->name, i < count ? "argument" : "result",
                     (i < count ? i : i - count) + 1);
  }
  return MDH_OK;
}

// Calls compiled code through its entry, with the caller's arrays on the device.
int32_t mdh_call_on_device(const function *of, entry *entry, const mdh_array *arguments, mdh_array *results, void *stream,
                           char *message) {
  int32_t status = begin(of, arguments, results, message);
  if (status)
    return status;
  unit outcome[of->units + 1];
  int64_t numbers[of->numbers + 1];
  void *pointers[of->pointers + 1];
  int64_t *next = numbers;
  for (int32_t i = 0; i < of->arguments + of->results; ++i) {
    const parameter *wanted = &of->parameters[i];
    int is_argument = i < of->arguments;
    const mdh_array *given = is_argument ? &arguments[i] : &results[i - of->arguments];
    if (wanted->is_scalar) {
      if (is_argument)
        pointers[wanted->place] = given->data;
      continue;
    }
    int32_t number = is_argument ? i : i - of->arguments;
    status = check_memory(of, is_argument ? "argument" : "result", number, wanted, given, message);
    if (!status && of->is_checked && (wanted->is_written || !is_argument))
      status = check_apart(of, i, arguments, results, message);
    if (status)
      return status;
    pointers[wanted->place] = next;
    next = describe(next, given->data, given->sizes, wanted->rank);
  }
  char *start = outcome->bytes, problem[MDH_MESSAGE];
  pointers[of->results_place] = start;
  mdhCudaBeginCall(stream);
  entry(pointers);
  status = mdhCudaEndCall(problem, sizeof(problem));
  if (status) {
    if (message)
      snprintf(message, MDH_MESSAGE, "'%s': %s", of->name, problem);
    return status;
  }
  for (int32_t i = 0; i < of->results; ++i) {
    const parameter *wanted = &of->parameters[of->arguments + i];
    int32_t given =
        wanted->is_scalar ? give_scalar(of, wanted, start + wanted->place, &results[i], message) : MDH_OK;
    status = status ? status : given;
  }
  return status;
}

// What the wrappers between callers and compiled code share: the description of a function, the checks of its arguments,
// and scalar results.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.c"

// An argument or a result, as described by `interface.rs`.
typedef struct {
  int32_t type;
  int32_t rank;
  // A scalar value, not a buffer of rank 0.
  int32_t is_scalar;
  // The function may write the memory of the argument.
  int32_t is_written;
  // Of an argument, and of a result in the memory of a device: its index in the pointers that the entry takes. Of
  // another result: its byte offset in the struct of results.
  int64_t place;
  // The required sizes, -1 for dynamic ones.
  const int64_t *sizes;
} parameter;

// A factor times the largest index of an extent: a size of an argument (or its value if the dimension is -1) minus 1.
typedef struct {
  int32_t argument, dimension;
  int64_t factor;
} term;

// The largest or smallest index that the function accesses in a dimension of an argument: the sum of a constant and
// terms.
typedef struct {
  int32_t argument, dimension;
  int64_t constant;
  int64_t count;
  const term *terms;
} bound;

typedef struct {
  const char *name;
  int32_t arguments;
  int32_t results;
  int32_t is_checked;
  int32_t bounds;
  // The index of the results in the pointers that the entry takes.
  int64_t results_place;
  int64_t pointers;
  // The number of 64-bit words in the descriptors of all arguments, and of results in the memory of a device, and of
  // 16-byte units in the results.
  int64_t numbers;
  int64_t units;
  const parameter *parameters;
  const bound *each_bound;
} function;

typedef void entry(void **pointers);

// Memory that is aligned for any element.
typedef struct {
  _Alignas(16) char bytes[16];
} unit;

#define INVALID(...) ((void)(message ? snprintf(message, MDH_MESSAGE, __VA_ARGS__) : 0), MDH_INVALID)

#define NO_MEMORY ((void)(message ? snprintf(message, MDH_MESSAGE, "no memory for the arrays of '%s'", of->name) : 0), MDH_NO_MEMORY)

static int64_t bits(int32_t type) { return type & 0xff; }

static int64_t bytes(int32_t type) {
  int64_t size = 1;
  while (8 * size < bits(type))
    size *= 2;
  return size;
}

static const char *kind(int32_t type) { return type >> 8 == 1 ? "i" : type >> 8 == 2 ? "f" : type >> 8 == 3 ? "bf" : "?"; }

static int64_t elements(const int64_t *sizes, int64_t rank) {
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= sizes[i];
  return count;
}

static int is_row_major(const int64_t *sizes, const int64_t *strides, int64_t rank) {
  if (!strides || !elements(sizes, rank))
    return 1;
  int64_t expected = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    if (sizes[i] != 1 && strides[i] != expected)
      return 0;
    expected *= sizes[i];
  }
  return 1;
}

static void row_major(int64_t *strides, const int64_t *sizes, int64_t rank) {
  int64_t stride = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= sizes[i];
  }
}

// Returns 1 if all indices have distinct elements: each stride, from the smallest on, exceeds the span of those before.
static int is_distinct(const int64_t *sizes, const int64_t *strides, int64_t rank) {
  char is_done[rank + 1];
  memset(is_done, 0, rank + 1);
  int64_t reached = 0;
  for (;;) {
    int64_t least = -1, step = 0;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t stride = strides[i] < 0 ? -strides[i] : strides[i];
      if (sizes[i] > 1 && !is_done[i] && (least < 0 || stride < step)) {
        least = i;
        step = stride;
      }
    }
    if (least < 0)
      return 1;
    if (step <= reached)
      return 0;
    reached += step * (sizes[least] - 1);
    is_done[least] = 1;
  }
}

static int32_t check_array(const function *of, const char *what, int32_t i, const parameter *wanted, const mdh_array *given,
                           int is_written, char *message) {
  const char *name = of->name;
  if (given->type != wanted->type)
    return INVALID("%s %d of '%s' requires type %s%d, but has type %s%d", what, i + 1, name, kind(wanted->type),
                   (int)bits(wanted->type), kind(given->type), (int)bits(given->type));
  if (given->rank != wanted->rank)
    return INVALID("%s %d of '%s' requires rank %d, but has rank %d", what, i + 1, name, wanted->rank, given->rank);
  if (wanted->rank && !given->sizes)
    return INVALID("%s %d of '%s' requires sizes, but they are NULL", what, i + 1, name);
  if (what[0] == 'r' && !given->data)
    return MDH_OK;
  int64_t room = INT64_MAX / bytes(wanted->type);
  for (int32_t d = 0; d < wanted->rank; ++d) {
    int64_t size = given->sizes[d];
    if (size < 0)
      return INVALID("%s %d of '%s' requires sizes of at least 0, but has %lld in dimension %d", what, i + 1, name,
                     (long long)size, d + 1);
    if (wanted->sizes[d] >= 0 && size != wanted->sizes[d])
      return INVALID("%s %d of '%s' requires size %lld in dimension %d, but has %lld", what, i + 1, name,
                     (long long)wanted->sizes[d], d + 1, (long long)size);
    if (size > room)
      return INVALID("%s %d of '%s' is larger than the address space", what, i + 1, name);
    room /= size ? size : 1;
  }
  if (!elements(given->sizes, wanted->rank))
    return MDH_OK;
  if (!given->data)
    return INVALID("%s %d of '%s' requires data, but it is NULL", what, i + 1, name);
  int64_t alignment = bytes(wanted->type) < 8 ? bytes(wanted->type) : 8;
  if ((uintptr_t)given->data % alignment)
    return INVALID("%s %d of '%s' requires data at a multiple of %d bytes, but it is at %p", what, i + 1, name,
                   (int)alignment, given->data);
  if (is_written && given->strides && !is_distinct(given->sizes, given->strides, wanted->rank))
    return INVALID("%s %d of '%s' is written, and requires strides with an element for each index", what, i + 1, name);
  return MDH_OK;
}

static int32_t check(const function *of, const mdh_array *arguments, const mdh_array *results, char *message) {
  if (of->arguments && !arguments)
    return INVALID("'%s' requires %d arguments, but they are NULL", of->name, of->arguments);
  if (of->results && !results)
    return INVALID("'%s' requires %d results, but they are NULL", of->name, of->results);
  for (int32_t i = 0; i < of->arguments; ++i) {
    const parameter *wanted = &of->parameters[i];
    int32_t status = check_array(of, "argument", i, wanted, &arguments[i], wanted->is_written, message);
    if (status)
      return status;
  }
  for (int32_t i = 0; i < of->results; ++i) {
    int32_t status =
        check_array(of, "result", i, &of->parameters[of->arguments + i], &results[i], 1, message);
    if (status)
      return status;
  }
  for (int32_t i = 0; i < of->bounds; ++i) {
    const bound *bound = &of->each_bound[i];
    __int128 index = bound->constant;
    int is_empty = 0;
    for (int64_t t = 0; t < bound->count; ++t) {
      const term *term = &bound->terms[t];
      const mdh_array *source = &arguments[term->argument];
      int64_t size = term->dimension < 0 ? *(const int64_t *)source->data : source->sizes[term->dimension];
      is_empty |= size <= 0;
      index += (__int128)term->factor * (size - 1);
    }
    int64_t size = arguments[bound->argument].sizes[bound->dimension];
    if (!is_empty && (index >= size || index < 0))
      return INVALID("argument %d of '%s' has size %lld in dimension %d, but is accessed at index %lld", bound->argument + 1,
                     of->name, (long long)size, bound->dimension + 1,
                     (long long)(index > INT64_MAX ? INT64_MAX : index < INT64_MIN ? INT64_MIN : index));
  }
  return MDH_OK;
}

// Clears the padding bits of integers, which compiled code leaves undefined.
static void clear(char *data, int64_t count, int32_t type) {
  int64_t size = bytes(type), unused = 8 * size - bits(type);
  if (!unused)
    return;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t byte = size - 1, rest = unused; rest > 0; --byte, rest -= 8)
      data[i * size + byte] &= rest >= 8 ? 0 : 0xff >> rest;
}

// Stores a scalar result for the caller.
static int32_t give_scalar(const function *of, const parameter *wanted, char *value, mdh_array *result, char *message) {
  int64_t size = bytes(wanted->type);
  if (!result->data && !(result->data = result->allocation = malloc(size)))
    return NO_MEMORY;
  clear(value, 1, wanted->type);
  memcpy(result->data, value, size);
  return MDH_OK;
}

// Begins a call: no result is allocated yet, and the arrays of a checked function match.
static int32_t begin(const function *of, const mdh_array *arguments, mdh_array *results, char *message) {
  for (int32_t i = 0; results && i < of->results; ++i)
    results[i].allocation = NULL;
  return of->is_checked ? check(of, arguments, results, message) : MDH_OK;
}

// Writes the descriptor of a row-major array, and returns its end.
static int64_t *describe(int64_t *descriptor, const void *data, const int64_t *sizes, int64_t rank) {
  int64_t *own = descriptor + 3, *strides = own + rank;
  descriptor[0] = descriptor[1] = (int64_t)(uintptr_t)data;
  descriptor[2] = 0;
  memcpy(own, sizes, rank * sizeof(int64_t));
  row_major(strides, own, rank);
  return strides + rank;
}

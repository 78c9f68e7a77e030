// The wrapper between callers and compiled code, in every object: it checks arguments, makes row-major copies of those
// in other layouts, and stores results where the caller wants them. `build.rs` compiles it to LLVM IR, and
// `interface.rs` links it into each module.
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
  // Of an argument: its index in the pointers that the entry takes. Of a result: its byte offset in the struct of
  // results.
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
  // The number of 64-bit words in the descriptors of all arguments, and of 16-byte units in the results.
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

#define MOVE(type)                                                                                                     \
  for (int64_t i = 0; i < sizes[0]; ++i)                                                                               \
  ((type *)to)[i * to_strides[0]] = ((const type *)from)[i * from_strides[0]]

// Returns the dimension along which elements are closest in memory; -1 if there is one element only.
static int64_t fastest(const int64_t *sizes, const int64_t *strides, int64_t rank) {
  int64_t found = -1, least = 0;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t stride = strides[i] < 0 ? -strides[i] : strides[i];
    if (sizes[i] > 1 && stride && (found < 0 || stride < least)) {
      found = i;
      least = stride;
    }
  }
  return found;
}

// The largest extent of a block, in elements, whose lines in both arrays are in the first cache together.
#define BLOCK 32

// Copies elements of `size` bytes from one array to another.
static void copy(char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides,
                 const int64_t *sizes, int64_t rank, int64_t size) {
  // A transposed array is copied in blocks, which are halves of halves.
  int64_t of_to = rank < 2 ? -1 : fastest(sizes, to_strides, rank);
  int64_t of_from = of_to < 0 ? -1 : fastest(sizes, from_strides, rank);
  if (of_from >= 0 && of_from != of_to && (sizes[of_to] > BLOCK || sizes[of_from] > BLOCK)) {
    int64_t split = sizes[of_to] > sizes[of_from] ? of_to : of_from, half[rank];
    memcpy(half, sizes, rank * sizeof(int64_t));
    half[split] = sizes[split] / 2;
    copy(to, to_strides, from, from_strides, half, rank, size);
    to += half[split] * to_strides[split] * size;
    from += half[split] * from_strides[split] * size;
    half[split] = sizes[split] - half[split];
    copy(to, to_strides, from, from_strides, half, rank, size);
  } else if (rank == 0)
    memcpy(to, from, size);
  else if (rank == 1 && to_strides[0] == 1 && from_strides[0] == 1)
    memcpy(to, from, sizes[0] * size);
  else if (rank == 1 && size == 1)
    MOVE(uint8_t);
  else if (rank == 1 && size == 2)
    MOVE(uint16_t);
  else if (rank == 1 && size == 4)
    MOVE(uint32_t);
  else if (rank == 1 && size == 8)
    MOVE(uint64_t);
  else
    for (int64_t i = 0; i < sizes[0]; ++i)
      copy(to + i * to_strides[0] * size, to_strides + 1, from + i * from_strides[0] * size, from_strides + 1, sizes + 1,
           rank - 1, size);
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

// A result that compiled code has left in memory: its allocation, its first element, its sizes and strides.
typedef struct {
  char *allocated;
  char *start;
  const int64_t *sizes;
  const int64_t *strides;
} buffer;

static buffer read_buffer(const parameter *wanted, char *outcome) {
  const int64_t *numbers = (const int64_t *)(outcome + wanted->place);
  buffer result = {(char *)(uintptr_t)numbers[0], (char *)(uintptr_t)numbers[1] + numbers[2] * bytes(wanted->type),
                   numbers + 3, numbers + 3 + wanted->rank};
  return result;
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

// Copies the elements of a buffer to the caller's memory.
static int32_t give_copy(const function *of, int32_t i, const parameter *wanted, buffer from, mdh_array *result,
                         char *message) {
  for (int32_t d = 0; d < wanted->rank; ++d)
    if (of->is_checked && result->sizes[d] != from.sizes[d])
      return INVALID("result %d of '%s' has size %lld in dimension %d, but its memory has %lld", i + 1, of->name,
                     (long long)from.sizes[d], d + 1, (long long)result->sizes[d]);
  int64_t strides[wanted->rank + 1];
  row_major(strides, from.sizes, wanted->rank);
  const int64_t *to = result->strides ? result->strides : strides;
  if (elements(from.sizes, wanted->rank) && (result->data != from.start || !is_row_major(from.sizes, to, wanted->rank)))
    copy(result->data, to, from.start, from.strides, from.sizes, wanted->rank, bytes(wanted->type));
  return MDH_OK;
}

// Calls compiled code through its entry, with the caller's arrays.
int32_t mdh_call(const function *of, entry *entry, const mdh_array *arguments, mdh_array *results, char *message) {
  for (int32_t i = 0; results && i < of->results; ++i)
    results[i].allocation = NULL;
  if (of->is_checked) {
    int32_t status = check(of, arguments, results, message);
    if (status)
      return status;
  }
  unit outcome[of->units + 1];
  int64_t numbers[of->numbers + 1];
  void *pointers[of->pointers + 1];
  char *copies[of->arguments + 1];
  int64_t *next = numbers;
  int32_t status = MDH_OK;
  for (int32_t i = 0; i < of->arguments; ++i)
    copies[i] = NULL;
  for (int32_t i = 0; i < of->arguments && !status; ++i) {
    const parameter *wanted = &of->parameters[i];
    const mdh_array *given = &arguments[i];
    if (wanted->is_scalar) {
      pointers[wanted->place] = given->data;
      continue;
    }
    int64_t rank = wanted->rank, size = bytes(wanted->type), *sizes = next + 3, *strides = sizes + rank;
    memcpy(sizes, given->sizes, rank * sizeof(int64_t));
    row_major(strides, sizes, rank);
    char *data = given->data;
    if (!is_row_major(sizes, given->strides, rank)) {
      data = copies[i] = malloc(elements(sizes, rank) * size);
      if (data)
        copy(data, strides, given->data, given->strides, sizes, rank, size);
      else
        status = MDH_NO_MEMORY;
    }
    next[0] = next[1] = (int64_t)(uintptr_t)data;
    next[2] = 0;
    pointers[wanted->place] = next;
    next = strides + rank;
  }
  if (status) {
    for (int32_t i = 0; i < of->arguments; ++i)
      free(copies[i]);
    return NO_MEMORY;
  }
  char *start = outcome->bytes;
  pointers[of->results_place] = start;
  entry(pointers);

  next = numbers;
  for (int32_t i = 0; i < of->arguments; ++i) {
    const parameter *wanted = &of->parameters[i];
    if (wanted->is_scalar)
      continue;
    int64_t rank = wanted->rank, *sizes = next + 3, *strides = sizes + rank;
    if (wanted->is_written) {
      clear((char *)(uintptr_t)next[1], elements(sizes, rank), wanted->type);
      if (copies[i])
        copy(arguments[i].data, arguments[i].strides, copies[i], strides, sizes, rank, bytes(wanted->type));
    }
    next = strides + rank;
  }
  for (int32_t i = 0; i < of->results; ++i) {
    const parameter *wanted = &of->parameters[of->arguments + i];
    mdh_array *result = &results[i];
    if (wanted->is_scalar) {
      int32_t given = give_scalar(of, wanted, start + wanted->place, result, message);
      status = status ? status : given;
      continue;
    }
    buffer from = read_buffer(wanted, start);
    clear(from.start, elements(from.sizes, wanted->rank), wanted->type);
    if (result->data) {
      int32_t given = give_copy(of, i, wanted, from, result, message);
      status = status ? status : given;
      continue;
    }
    // Memory that another result or the caller owns already is not given away twice.
    char *owner = from.allocated;
    for (int32_t j = 0; j < of->arguments; ++j) {
      const parameter *argument = &of->parameters[j];
      if (!argument->is_scalar && owner && ((int64_t *)pointers[argument->place])[0] == (int64_t)(uintptr_t)owner) {
        owner = copies[j];
        copies[j] = NULL;
      }
    }
    for (int32_t j = 0; j < i; ++j)
      if (results[j].allocation == owner)
        owner = NULL;
    result->data = from.start;
    result->allocation = owner;
    memcpy(result->sizes, from.sizes, wanted->rank * sizeof(int64_t));
    if (result->strides)
      memcpy(result->strides, from.strides, wanted->rank * sizeof(int64_t));
  }
  // Memory that has no owner is freed once.
  for (int32_t i = 0; i < of->results; ++i) {
    const parameter *wanted = &of->parameters[of->arguments + i];
    if (wanted->is_scalar)
      continue;
    char *allocated = read_buffer(wanted, start).allocated;
    int is_kept = 0;
    for (int32_t j = 0; j < of->arguments; ++j) {
      const parameter *argument = &of->parameters[j];
      is_kept |= !argument->is_scalar && ((int64_t *)pointers[argument->place])[0] == (int64_t)(uintptr_t)allocated;
    }
    for (int32_t j = 0; j < of->results; ++j) {
      const parameter *other = &of->parameters[of->arguments + j];
      is_kept |= results[j].allocation == allocated && !other->is_scalar;
      is_kept |= j < i && !other->is_scalar && read_buffer(other, start).allocated == allocated;
    }
    if (!is_kept)
      free(allocated);
  }
  for (int32_t i = 0; i < of->arguments; ++i)
    free(copies[i]);
  return status;
}

// The wrapper between callers and compiled code, in every object: it checks arguments, makes row-major copies of those
// in other layouts, and stores results where the caller wants them. `build.rs` compiles it to LLVM IR, and
// `interface.rs` links it into each module.
#include "common.c"

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
  int32_t status = begin(of, arguments, results, message);
  if (status)
    return status;
  unit outcome[of->units + 1];
  int64_t numbers[of->numbers + 1];
  void *pointers[of->pointers + 1];
  char *copies[of->arguments + 1];
  int64_t *next = numbers;
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
    int64_t *end = describe(next, given->data, given->sizes, rank);
    if (!is_row_major(sizes, given->strides, rank)) {
      char *data = copies[i] = malloc(elements(sizes, rank) * size);
      next[0] = next[1] = (int64_t)(uintptr_t)data;
      if (data)
        copy(data, strides, given->data, given->strides, sizes, rank, size);
      else
        status = MDH_NO_MEMORY;
    }
    pointers[wanted->place] = next;
    next = end;
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

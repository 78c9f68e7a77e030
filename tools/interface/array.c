#ifndef MDH_ARRAY_1
#define MDH_ARRAY_1
// What functions return.
enum {
  MDH_OK = 0,
  // An argument or a result does not fit. Nothing has been computed if it is an argument.
  MDH_INVALID = 1,
  // There is no memory for a result, or for a copy of an argument.
  MDH_NO_MEMORY = 2,
};

// The bytes of a message, with the zero at its end.
#define MDH_MESSAGE 256

// An array of any rank; a scalar has rank 0.
typedef struct {
  // The element whose indices are all 0. NULL in a result: the function allocates it.
  void *data;
  // A number for each dimension. In a result that is allocated they are filled in, else they are only read.
  int64_t *sizes;
  // How many elements lie between neighbours of each dimension, which may be negative; NULL is row-major order.
  int64_t *strides;
  // In results only: what the caller gives to free(); NULL where the memory is the caller's own.
  void *allocation;
  // One of the numbers below, which functions mdh_<type> fill in.
  int32_t type;
  int32_t rank;
} mdh_array;

// An integer of n bits, a float of n bits, and bf16. An index is an integer of 64 bits.
#define MDH_INTEGER(n) (0x100 | (n))
#define MDH_FLOAT(n) (0x200 | (n))
#define MDH_BFLOAT16 0x310

// Every function is of this type: it takes its arguments and its results, and room for a message or NULL.
typedef int32_t mdh_function(const mdh_array *arguments, mdh_array *results, char *message);
#endif

#ifndef MDH_ARRAY_1
#define MDH_ARRAY_1
// Status codes of functions.
enum {
  MDH_OK = 0,
  // An argument or a result is invalid. If it is an argument, nothing has been computed.
  MDH_INVALID = 1,
  // Memory for a result, or for a copy of an argument, could not be allocated.
  MDH_NO_MEMORY = 2,
  // The device has failed. Only functions with arrays in device memory return this: others end the process.
  MDH_FAILED = 3,
};

// The size of a message in bytes, including the terminating zero.
#define MDH_MESSAGE 256

// An array of any rank; a scalar has rank 0.
typedef struct {
  // The element at index 0 in all dimensions. NULL in a result: the function allocates it.
  void *data;
  // The size of each dimension. Filled in for results that are allocated, else only read.
  int64_t *sizes;
  // The stride of each dimension in elements, which may be negative; NULL means row-major order.
  int64_t *strides;
  // In results only: the pointer that the caller passes to free(); NULL if the memory belongs to the caller.
  void *allocation;
  // One of the type codes below; the functions mdh_<type> set it.
  int32_t type;
  int32_t rank;
} mdh_array;

// An integer of n bits, a float of n bits, and bf16. An index is a 64-bit integer.
#define MDH_INTEGER(n) (0x100 | (n))
#define MDH_FLOAT(n) (0x200 | (n))
#define MDH_BFLOAT16 0x310

// The type of every function. It takes its arguments, its results, and a buffer for a message or NULL.
typedef int32_t mdh_function(const mdh_array *arguments, mdh_array *results, char *message);

// The type of every function whose arrays are in device memory. It also takes a stream (CUstream), or NULL for the default one.
typedef int32_t mdh_device_function(const mdh_array *arguments, mdh_array *results, void *stream, char *message);
#endif

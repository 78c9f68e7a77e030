// Products and convolutions by oneDNN, with the sizes as macros: see ../peers/worker.py. RANK, SOURCE, WEIGHTS, TARGET
// are the dimensions in oneDNN's order; SOURCE_TAG and WEIGHTS_TAG are the memory layouts. PACKED: 0, weights are used
// in the given layout; 1, oneDNN chooses their layout, and they are converted once; 2, they are converted in each call.
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static dnnl_primitive_t primitive;
static dnnl_exec_arg_t arguments[3];
static dnnl_primitive_t conversion;
static dnnl_exec_arg_t conversion_arguments[2];

// The time to convert the weights, in seconds.
double packing;

static void check(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", status);
    exit(1);
  }
}

static dnnl_memory_desc_t describe(const dnnl_dim_t *dimensions, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t result;
  check(dnnl_memory_desc_create_with_tag(&result, RANK, dimensions, dnnl_f32, tag));
  return result;
}

static dnnl_memory_t memory(const_dnnl_memory_desc_t description, void *data) {
  dnnl_memory_t result;
  check(dnnl_memory_create(&result, description, engine, data));
  return result;
}

static void execute(dnnl_primitive_t what, int count, const dnnl_exec_arg_t *with) {
  check(dnnl_primitive_execute(what, stream, count, with));
  check(dnnl_stream_wait(stream));
}

static void prepare(void *source_data, void *weights_data, void *target_data) {
  const dnnl_dim_t source_dimensions[] = {SOURCE}, weights_dimensions[] = {WEIGHTS}, target_dimensions[] = {TARGET};
  check(dnnl_engine_create(&engine, dnnl_cpu, 0));
  check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  dnnl_memory_desc_t source = describe(source_dimensions, SOURCE_TAG), target = describe(target_dimensions, SOURCE_TAG);
  dnnl_memory_desc_t given = describe(weights_dimensions, WEIGHTS_TAG);
  dnnl_memory_desc_t weights = PACKED ? describe(weights_dimensions, dnnl_format_tag_any) : given;
  dnnl_primitive_desc_t description;
#ifdef STRIDE
  const dnnl_dim_t strides[] = {STRIDE, STRIDE}, none[] = {0, 0};
  check(dnnl_convolution_forward_primitive_desc_create(&description, engine, dnnl_forward_inference, dnnl_convolution_auto, source,
                                                       weights, NULL, target, strides, none, none, none, NULL));
#else
  check(dnnl_matmul_primitive_desc_create(&description, engine, source, weights, NULL, target, NULL));
#endif
  check(dnnl_primitive_create(&primitive, description));
  dnnl_memory_t used = memory(given, weights_data);
  const_dnnl_memory_desc_t wanted = dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
  if (!dnnl_memory_desc_equal(wanted, given)) {
    dnnl_memory_t packed = memory(wanted, DNNL_MEMORY_ALLOCATE);
    dnnl_primitive_desc_t reorder_description;
    check(dnnl_reorder_primitive_desc_create(&reorder_description, given, engine, wanted, engine, NULL));
    check(dnnl_primitive_create(&conversion, reorder_description));
    conversion_arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_FROM, used};
    conversion_arguments[1] = (dnnl_exec_arg_t){DNNL_ARG_TO, packed};
    // The first call includes page faults of new memory.
    for (int repeat = 0; repeat < 3; ++repeat) {
      struct timespec start, end;
      clock_gettime(CLOCK_MONOTONIC, &start);
      execute(conversion, 2, conversion_arguments);
      clock_gettime(CLOCK_MONOTONIC, &end);
      packing = end.tv_sec - start.tv_sec + 1e-9 * (end.tv_nsec - start.tv_nsec);
    }
    used = packed;
  }
  arguments[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, memory(source, source_data)};
  arguments[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, used};
  arguments[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, memory(target, target_data)};
}

void run(void **in, void **out) {
  if (!primitive)
    prepare(in[0], in[1], out[0]);
  if (PACKED == 2 && conversion)
    execute(conversion, 2, conversion_arguments);
  execute(primitive, 3, arguments);
}

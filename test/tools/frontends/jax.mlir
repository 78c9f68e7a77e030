// The object file of a JAX function gives the results of JAX.
// REQUIRES: jax
// REQUIRES: cc
// RUN: rm -rf %t && mkdir -p %t
// RUN: %frontends-python %examples/frontends/jax_to_object.py %t/attention.o | FileCheck %s
// CHECK: agrees
// RUN: FileCheck %s --check-prefix=HEADER < %t/attention.h
// HEADER: int32_t jax_main(const mdh_array *arguments, mdh_array *results, char *message);

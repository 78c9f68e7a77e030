// The output of mdh devices, on any machine.
// RUN: mdh devices --help | FileCheck %s --check-prefix=HELP
// HELP: List the CUDA and OpenCL devices that kernels can run on, with their limits
// RUN: mdh help | FileCheck %s --check-prefix=CODES
// CODES: 4   no device of the requested API is available; the message says what is missing
// A missing loader gives a one-sentence message, and exit code 4.
// RUN: env MDH_OPENCL_LIBRARY=missing.so bash -c 'mdh devices --engine opencl; echo "exit code $?"' > %t 2>&1
// RUN: FileCheck %s --check-prefix=LOADER --match-full-lines < %t
// LOADER-NOT: {{.}}
// LOADER: error: no OpenCL device: MDH_OPENCL_LIBRARY requires the path of an ICD loader, got 'missing.so' ({{.*}})
// LOADER-NEXT: exit code 4
// RUN: env MDH_OPENCL_LIBRARY=missing.so not mdh devices --engine opencl --json | FileCheck %s --check-prefix=JSON
// JSON: "devices": [],
// JSON-NEXT: "missing": {
// JSON-NEXT: "opencl": "no OpenCL device: MDH_OPENCL_LIBRARY requires
// RUN: not mdh devices --engine vulkan 2>&1 | FileCheck %s --check-prefix=ENGINE
// ENGINE: [possible values: cuda, opencl]

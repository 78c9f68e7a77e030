// Threads that share a reduction read the second input once: each reads its rows for both tiles of x, one after the other. Threads that share x read all of it. A search that changes one loop at a time does not get from the one to the other.
// RUN: sed -e 's/"bandwidth": 16.0/"bandwidth": 32.0/; s/"bytes": 2097152/"bytes": 1048576/; s/"reorder_buffer": 256/"reorder_buffer": 448/' %examples/machines/avx512.json > %t.part.json
// RUN: sed -e 's/"gigahertz": 3.0/"gigahertz": 4.4/; s/"prefetch_streams": 16/"prefetch_streams": 50/; s/"memory_bandwidth": 34.0/"memory_bandwidth": 61.2/' %t.part.json > %t.json
// RUN: mdh explain %examples/matmul.mlir --function matmul_resnet50_batch16 --threads 2 --machine %t.json --why | FileCheck %s
// CHECK: loops: threads z 2 · {{.*}}x 2 · registers x 8 ·

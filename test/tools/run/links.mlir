// An output that is a symbolic link is kept, and its target is written; a link to itself is an error.
// RUN: rm -rf %t && mkdir %t && ln -s written %t/link && ln -s loop %t/loop && ln -s array.npy %t/array
// RUN: mdh compile %s --emit hom --output %t/link && test -L %t/link && FileCheck %s --input-file=%t/written
// RUN: mdh run %s --input 3 --output %t/array && test -L %t/array && test -s %t/array.npy
// RUN: not mdh compile %s --emit hom --output %t/loop 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not mdh run %s --input 3 --output %t/loop 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: test -L %t/loop
// CHECK: func.func @same
// LOOP: error: cannot write '{{.*}}loop': too many levels of symbolic links
func.func @same(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

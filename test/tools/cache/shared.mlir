// Code in a directory that others can write to is not run, unless the user trusts it.

// RUN: rm -rf %t && mkdir -p %t && chmod 777 %t
// RUN: not mdh run %s --input 1 --cache %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: the cache '{{.*}}' requires a directory that nobody else can write to, but it has mode 777 (--cache-shared uses it)
// RUN: mdh run %s --input 1 --cache %t --cache-shared --json | FileCheck %s --check-prefix=MISS
// MISS: "cache": "miss"
// RUN: mdh run %s --input 1 --cache %t --cache-shared --json | FileCheck %s --check-prefix=HIT
// HIT: "cache": "hit"
// RUN: not mdh run %s --input 1 --cache-shared 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: --cache <DIR>
func.func @f(%x: i64) -> i64 {
  return %x : i64
}

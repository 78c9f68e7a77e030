"""Prints a program with a scalar function of many operations, chained or nested.

    scalar_function.py long|nested N
"""

import sys

form, count = sys.argv[1], int(sys.argv[2])
print("""func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %in = mdh.view.inp_view %x[affine_map<(i) -> (i)>] : (tensor<4xf32>) -> !mdh.mda<4, f32>
  %r = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %v0 = arith.addf %a, %a : f32""")
if form == "long":
    last = count
    for i in range(1, count + 1):
        print(f"    %v{i} = arith.{'mulf' if i % 2 else 'addf'} %v{i - 1}, %a : f32")
else:
    last = 1
    print("    %c = arith.cmpf olt, %a, %zero : f32")
    for i in range(1, count + 1):
        print(f"%v{i} = scf.if %c -> (f32) {{")
    print("scf.yield %a : f32")
    for i in range(count, 0, -1):
        print("} else { scf.yield %v0 : f32 }")
        if i > 1:
            print(f"scf.yield %v{i} : f32")
print(f"""    mdh.hom.yield %v{last} : f32
  }} : !mdh.mda<4, f32> -> !mdh.mda<4, f32>
  %o = mdh.view.out_view %r[affine_map<(i) -> (i)>] : !mdh.mda<4, f32> -> tensor<4xf32>
  return %o : tensor<4xf32>
}}""")

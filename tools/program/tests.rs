//! Limits the size of the code that loops are lowered to.
use super::{context, lower, parse};
use mdh_dialects::ir;
use mdh_passes::pipeline::Options;
use std::{fs, path::Path};

/// Maximum number of operations in the loops of a function.
const MOST: usize = 3000;
/// Functions with more operations, and the reasons; there are none.
const LONGER: [(&str, &str); 0] = [];

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"))
}

/// The number of operations of each function after the stage `loops`, with the default schedules for the widest vectors
/// (AVX-512).
fn operations(program: &[u8]) -> Vec<(String, usize)> {
    let context = context();
    let mut module = parse(&context, program).expect("a program");
    let machine = examples().join("machines/avx512.json").display().to_string();
    let options = Options {
        machine: Some(machine),
        stop_after: Some("loops".to_owned()),
        threads: Some(2),
        ..Options::default()
    };
    lower(&context, &mut module, &options).expect("a program that can be lowered");
    let functions = ir::find(ir::op(module.as_operation()), "func.func");
    let name = |function| ir::attribute(function, "sym_name").and_then(ir::string_attribute).expect("a name");
    functions.into_iter().map(|function| (name(function).to_owned(), ir::descendants(function).len())).collect()
}

#[test]
fn the_loops_of_examples_have_few_operations() {
    let mut longer = vec![];
    for entry in fs::read_dir(examples()).expect("the examples").flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "mlir") {
            let counts = operations(&fs::read(entry.path()).expect("an example"));
            assert!(!counts.is_empty());
            longer.extend(counts.into_iter().filter(|(_, count)| *count > MOST));
        }
    }
    let names: Vec<_> = longer.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, LONGER.map(|(name, _)| name), "{longer:?}");
}

/// A matrix product whose elements cannot be loaded as vectors, and whose extents are not multiples of any tile.
const BITS: &str = "
    func.func @product(%x: tensor<63x127xi1>, %y: tensor<127x62xi1>) -> tensor<63x62xi1> {
      %in = mdh.view.inp_view %x[affine_map<(i, j, k) -> (i, k)>], %y[affine_map<(i, j, k) -> (k, j)>]
          : (tensor<63x127xi1>, tensor<127x62xi1>) -> !mdh.mda<63x62x127, i1, i1>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc, #mdh.pw<add>] {
      ^bb0(%a: i1, %b: i1):
        %p = arith.andi %a, %b : i1
        mdh.hom.yield %p : i1
      } : !mdh.mda<63x62x127, i1, i1> -> !mdh.mda<63x62x1, i1>
      %o = mdh.view.out_view %r[affine_map<(i, j, k) -> (i, j)>] : !mdh.mda<63x62x1, i1> -> tensor<63x62xi1>
      return %o : tensor<63x62xi1>
    }";

/// A scalar function with a branch in each vector lane.
const BRANCHES: &str = "
    func.func @choices(%x: tensor<1021x1019xf32>) -> tensor<1019x1021xf32> {
      %in = mdh.view.inp_view %x[affine_map<(i, j) -> (i, j)>] : (tensor<1021x1019xf32>) -> !mdh.mda<1021x1019, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
      ^bb0(%a: f32):
        %zero = arith.constant 0.0 : f32
        %c = arith.cmpf olt, %a, %zero : f32
        %y = scf.if %c -> (f32) {
          STEPS
          scf.yield %s40 : f32
        } else {
          scf.yield %a : f32
        }
        mdh.hom.yield %y : f32
      } : !mdh.mda<1021x1019, f32> -> !mdh.mda<1021x1019, f32>
      %o = mdh.view.out_view %r[affine_map<(i, j) -> (j, i)>] : !mdh.mda<1021x1019, f32> -> tensor<1019x1021xf32>
      return %o : tensor<1019x1021xf32>
    }";

#[test]
fn the_loops_of_what_no_vector_computes_have_few_operations() {
    let steps = (1..=40).map(|i| format!("%s{i} = arith.mulf %s{}, %a : f32\n", i - 1));
    let steps = format!("%s0 = arith.addf %a, %a : f32\n{}", steps.collect::<String>());
    let branches = BRANCHES.replace("STEPS", &steps);
    for program in [BITS, &branches] {
        let counts = operations(program.as_bytes());
        assert!(counts.iter().all(|(_, count)| *count <= MOST), "{counts:?}");
    }
}

//! Round trip from a homomorphism with a schedule to a chain, and back to the schedule.
use super::{partition, promote_memory, tag_operators};
use crate::{
    analysis::computation::Computation,
    check,
    notation::{attribute, chain},
    schedule::{
        self,
        random::{Random, random_schedule},
    },
};
use mdh_dialects::{
    ir::{self, Op},
    schedule::{model::System, rules, systems::BUILTIN},
};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Module, operation::OperationLike},
    utility::register_all_dialects,
};

/// Programs with every kind of operator, several outputs, several accesses, rank 0 and dynamic extents.
const PROGRAMS: [&str; 4] = [
    "func.func @matvec(%M: tensor<7x10xf32>, %v: tensor<10xf32>) -> tensor<7xf32> {
      %in = mdh.view.inp_view %M[affine_map<(i, k) -> (i, k)>], %v[affine_map<(i, k) -> (k)>]
          : (tensor<7x10xf32>, tensor<10xf32>) -> !mdh.mda<7x10, f32, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.pw<add>] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        mdh.hom.yield %p : f32
      } : !mdh.mda<7x10, f32, f32> -> !mdh.mda<7x1, f32>
      %w = mdh.view.out_view %r[affine_map<(i, k) -> (i)>] : !mdh.mda<7x1, f32> -> tensor<7xf32>
      return %w : tensor<7xf32>
    }",
    "func.func @reduce(%A: memref<?xf32>, %s: memref<f32>, %p: memref<f32>) {
      %in = mdh.view.inp_view %A[affine_map<(i) -> (i)>] : (memref<?xf32>) -> !mdh.mda<?, f32>
      %r = mdh.hom.md_hom %in combine [#mdh.pw<[add, mul]>] {
      ^bb0(%a: f32):
        mdh.hom.yield %a, %a : f32, f32
      } : !mdh.mda<?, f32> -> !mdh.mda<1, f32, f32>
      mdh.view.out_view %r[affine_map<(i) -> ()>], [affine_map<(i) -> ()>] into %s, %p
          : !mdh.mda<1, f32, f32>, memref<f32>, memref<f32>
      return
    }",
    "func.func @jacobi(%A: memref<12x9xf64>) -> memref<10x9xf64> {
      %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + 2, j)>]
          : (memref<12x9xf64>) -> !mdh.mda<10x9, f64, f64>
      %r = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
      ^bb0(%a: f64, %b: f64):
        %p = arith.addf %a, %b : f64
        mdh.hom.yield %p : f64
      } : !mdh.mda<10x9, f64, f64> -> !mdh.mda<10x9, f64>
      %w = mdh.view.out_view %r[affine_map<(i, j) -> (i, j)>] : !mdh.mda<10x9, f64> -> memref<10x9xf64>
      return %w : memref<10x9xf64>
    }",
    "func.func @mbbs(%A: tensor<6x5xi32>) -> tensor<6xi32> {
      %in = mdh.view.inp_view %A[affine_map<(i, j) -> (i, j)>] : (tensor<6x5xi32>) -> !mdh.mda<6x5, i32>
      %r = mdh.hom.md_hom %in combine [#mdh.ps<add>, #mdh.pw<add>] {
      ^bb0(%a: i32):
        mdh.hom.yield %a : i32
      } : !mdh.mda<6x5, i32> -> !mdh.mda<6x1, i32>
      %w = mdh.view.out_view %r[affine_map<(i, j) -> (i)>] : !mdh.mda<6x1, i32> -> tensor<6xi32>
      return %w : tensor<6xi32>
    }",
];

pub(crate) fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    mdh_dialects::tool::register_dialect(&registry);
    let context = Context::new_with_registry(&registry, true);
    context.load_all_available_dialects();
    context
}

fn computation<'c>(module: Op<'c>) -> Computation<'c> {
    Computation::all(module).into_iter().next().expect("a computation")
}

#[test]
fn a_chain_holds_its_whole_schedule() {
    let context = context();
    let mut random = Random::new(3);
    for source in PROGRAMS {
        for case in 0..45 {
            let parsed = Module::parse(&context, source).expect("the program parses");
            let module = ir::op(parsed.as_operation());
            let before = computation(module);
            let shape = before.shape();
            let system = System::builtin(BUILTIN[case % BUILTIN.len()]).expect("a system");
            let schedule = random_schedule(&shape, &system, &mut random);
            schedule.system.declare(before.hom.op()).expect("a module is around it");
            let attribute = attribute::of(&schedule, &context).expect("an attribute");
            assert_eq!(attribute::read(attribute, &shape, before.hom.op()), Ok(schedule.clone()));
            ir::set_attribute(before.hom.op(), "schedule", attribute);
            partition::run(module).expect("partition");
            assert!(parsed.as_operation().verify(), "{}", parsed.as_operation());
            tag_operators::run(module).expect("tag operators");
            assert!(parsed.as_operation().verify(), "{}", parsed.as_operation());
            promote_memory::run(module).expect("promote memory");
            assert!(parsed.as_operation().verify(), "{}", parsed.as_operation());
            let after = computation(module);
            assert_eq!(after.shape(), shape);
            assert_eq!(chain::read(&after), Ok(schedule));
            assert!(check::run(module).is_empty());
        }
    }
}

#[test]
fn default_schedules_of_programs_are_legal() {
    let context = context();
    for source in PROGRAMS {
        for name in BUILTIN {
            let parsed = Module::parse(&context, source).expect("the program parses");
            let module = ir::op(parsed.as_operation());
            let options = schedule::Options { system: name.to_owned(), ..schedule::Options::default() };
            schedule::run(module, &options).expect("a schedule");
            for pass in [partition::run, tag_operators::run, promote_memory::run] {
                pass(module).expect("a pass");
            }
            let chain = computation(module);
            assert_eq!(rules::check(&chain::read(&chain).expect("a schedule"), &chain.shape()), Ok(()));
        }
    }
}

#[test]
fn exported_schedules_can_be_imported() {
    let context = context();
    let two = PROGRAMS[0].to_owned() + PROGRAMS[3];
    for source in [PROGRAMS[0], PROGRAMS[1], two.as_str()] {
        let parsed = Module::parse(&context, source).expect("the program parses");
        let module = ir::op(parsed.as_operation());
        schedule::run(module, &schedule::Options { system: "cuda".to_owned(), ..schedule::Options::default() })
            .expect("a schedule");
        let exported = schedule::export(module).expect("a file");
        partition::run(module).expect("partition");
        assert_eq!(schedule::export(module).expect("a file"), exported);

        let other = Module::parse(&context, source).expect("the program parses");
        let file = Some(("file.json".to_owned(), exported.clone()));
        let options = schedule::Options { system: "cpu".to_owned(), file, ..schedule::Options::default() };
        let module = ir::op(other.as_operation());
        schedule::run(module, &options).expect("the file fits");
        for pass in [partition::run, tag_operators::run, promote_memory::run] {
            pass(module).expect("a pass");
        }
        assert_eq!(schedule::export(module).expect("a file"), exported);
    }
}

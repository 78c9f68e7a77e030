//! Misuse of handles in safe code: it panics or is harmless.
#![forbid(unsafe_code)]
use super::{Builder, Op, Region, arguments, body, defining, erase, erase_argument, find, move_before, name, op};
use super::{operands, parse_module, replace_uses, results, rewrite, set_operand, users};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Location, Module, operation::OperationLike},
    utility::register_all_dialects,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

const SOURCE: &[u8] = b"func.func @f(%a: i32, %b: i1) -> i32 {
  %sum = arith.addi %a, %a : i32
  %chosen = scf.if %b -> i32 {
    %product = arith.muli %sum, %sum : i32
    scf.yield %product : i32
  } else {
    scf.yield %a : i32
  }
  func.return %chosen : i32
}";

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    Context::new_with_registry(&registry, false)
}

fn one<'c>(root: Op<'c>, wanted: &str) -> Op<'c> {
    find(root, wanted)[0]
}

fn refused(change: impl FnOnce()) -> String {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(change));
    std::panic::set_hook(hook);
    let message = result.expect_err("it is refused");
    message
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| message.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

fn changed(module: &mut Module<'_>, change: impl for<'m> FnOnce(Op<'m>)) -> String {
    rewrite(module, change);
    module.as_operation().to_string()
}

#[test]
fn erased_operations_are_there_until_the_end() {
    let context = context();
    let mut module = parse_module(&context, SOURCE).expect("it parses");
    let text = changed(&mut module, |root| {
        let (choice, inner, sum) = (one(root, "scf.if"), one(root, "arith.muli"), one(root, "arith.addi"));
        let (value, block) = (results(inner)[0], body(choice, 0).expect("a block"));
        replace_uses(results(choice)[0], operands(sum)[0]);
        erase(choice);
        erase(choice);
        // Operations nested in an erased one, and their operands and results, stay accessible.
        erase(inner);
        erase(inner);
        assert_eq!((name(choice), name(inner)), ("scf.if", "arith.muli"));
        assert_eq!((operands(inner), defining(value)), (vec![], Some(inner)));
        assert!(arguments(block).is_empty() && users(results(sum)[0]).is_empty());
        erase(sum);
    });
    assert!(!text.contains("arith.") && !text.contains("scf.") && text.contains("return %arg0"), "{text}");
    assert!(module.as_operation().verify());
}

#[test]
fn results_that_have_uses_are_an_error_and_stay() {
    let context = context();
    let mut module = parse_module(&context, SOURCE).expect("it parses");
    let message = refused(|| {
        rewrite(&mut module, |root| erase(one(root, "arith.addi")));
    });
    assert_eq!(message, "internal error: 1 operations or arguments are erased and still have uses");
    let product = one(op(module.as_operation()), "arith.muli");
    assert_eq!(defining(operands(product)[0]).map(name), Some("arith.addi"));
}

#[test]
fn an_argument_is_there_until_the_end() {
    let context = context();
    let mut module = parse_module(&context, b"scf.execute_region {\n  scf.yield\n}").expect("it parses");
    rewrite(&mut module, |root| {
        let block = body(find(root, "scf.execute_region")[0], 0).expect("a block");
        let b = Builder::before(find(root, "scf.execute_region")[0]).at_end(block);
        let (first, second) = (b.argument(block, b.i32()), b.argument(block, b.f32()));
        erase_argument(block, 0);
        assert_eq!(arguments(block), [second]);
        assert!(users(first).is_empty() && defining(first).is_none() && super::owner(first) == Some(block));
        assert!(refused(|| erase_argument(block, 1)).contains("has no argument 1"));
        erase_argument(block, 0);
    });
    assert!(module.as_operation().verify());
}

#[test]
fn nothing_is_built_or_moved_to_what_is_erased() {
    let context = context();
    let mut module = parse_module(&context, SOURCE).expect("it parses");
    changed(&mut module, |root| {
        let (sum, choice, product) = (one(root, "arith.addi"), one(root, "scf.if"), one(root, "arith.muli"));
        assert!(refused(|| _ = Builder::before(root)).contains("has no place before it"));
        assert!(refused(|| move_before(choice, product)).contains("not into itself"));
        assert!(refused(|| set_operand(sum, 2, operands(sum)[0])).contains("has no operand 2"));
        let b = Builder::before(choice);
        let block = b.region(&[b.i32()]).1;
        assert_eq!(arguments(block).len(), 1);
        replace_uses(results(choice)[0], operands(sum)[0]);
        erase(choice);
        let built = || _ = b.op("scf.execute_region", &[], &[], &[], vec![Region::new()]);
        assert!(refused(built).contains("has no place before it"));
        assert!(refused(|| move_before(sum, choice)).contains("has no place"));
        erase(root);
    });
    assert!(module.as_operation().verify());
}

#[test]
fn modules_are_not_joined() {
    let context = context();
    let (mut one_module, other) = (parse_module(&context, SOURCE), parse_module(&context, SOURCE));
    let (one_module, other) = (one_module.as_mut().expect("it parses"), other.expect("it parses"));
    let foreign = one(op(other.as_operation()), "arith.addi");
    rewrite(one_module, |root| {
        let sum = one(root, "arith.addi");
        for change in [
            &(|| set_operand(sum, 0, results(foreign)[0])) as &dyn Fn(),
            &|| replace_uses(results(foreign)[0], results(sum)[0]),
            &|| move_before(foreign, sum),
            &|| _ = Builder::before(sum).clone_operation(foreign),
            &|| _ = Builder::before(sum).op("arith.negf", &results(foreign), &[], &[], vec![]),
        ] {
            assert!(refused(change).contains("of different modules are never joined"));
        }
    });
    let elsewhere = self::context();
    let attribute = melior::ir::Attribute::unit(&elsewhere);
    rewrite(one_module, |root| {
        assert!(refused(|| super::set_attribute(root, "a", attribute)).contains("of different contexts"));
        let mut b = Builder::before(one(root, "arith.addi"));
        b.location = Location::unknown(&elsewhere);
        assert!(refused(|| _ = b.op("test.a", &[], &[], &[], vec![])).contains("of different contexts"));
    });
}

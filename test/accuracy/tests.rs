//! The promised bounds hold on a sample, and the documents state them.
use crate::{
    document,
    engine::{Engine, WIDTHS, Width},
    functions::{FUNCTIONS, Function},
    measure, monotone, mpfr,
    samples::Samples,
};
use mdh_tools::{
    accuracy::{EVALUATOR, PROMISES, Promise},
    array::Element,
};
use std::{collections::BTreeSet, fs, path::Path, sync::Mutex};

/// The narrowest vectors, without fused multiply-add, and the widest available ones. The widths in between compute the
/// same results as these.
fn widths() -> Vec<Width> {
    let mut widths: Vec<_> = WIDTHS.into_iter().filter(Width::is_available).skip(1).collect();
    widths.drain(1..widths.len().max(2) - 1);
    widths
}

/// Errors above their bound, and wrong special values.
fn problems(count: usize) -> Vec<String> {
    let widths = widths();
    let problems = Mutex::new(vec![]);
    let report = |function: &Function, element: Element, measured: &measure::Measured| {
        let bound = Promise::of(function.operation()).map_or(0.0, |promise| promise.host(element));
        let names = widths.iter().map(|width| width.name).chain(["evaluator"]);
        let bounds = widths.iter().map(|_| bound).chain([EVALUATOR]);
        let errors = measured.widths.iter().chain([&measured.evaluator]);
        let mut problems = problems.lock().expect("no thread has failed");
        for ((name, bound), errors) in names.zip(bounds).zip(errors) {
            if errors.worst > bound {
                let text = format!("{:.3} ulp, at most {bound} are promised: {:?}", errors.worst, errors.place);
                problems.push(format!("{} of {element}, {name}: {text}", function.name));
            }
            if errors.wrong > 0 {
                let text = format!("{} special values are wrong: {:?}", errors.wrong, errors.examples);
                problems.push(format!("{} of {element}, {name}: {text}", function.name));
            }
        }
    };
    let functions: Vec<_> = FUNCTIONS.iter().collect();
    let measured = measure::all(&functions, &[Element::F32, Element::F64], &widths, count, false, &report);
    measured.expect("the functions compile and MPFR is there");
    problems.into_inner().expect("no thread has failed")
}

#[test]
fn promises_hold_on_a_sample() {
    let problems = problems(100_000);
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn functions_that_users_rely_on_are_monotone() {
    for form in monotone::FORMS {
        let found = monotone::measure(form, &widths(), 200, false).unwrap();
        assert!(found.falls.iter().all(|falls| *falls == 0), "{}: {found:?}", form.name);
    }
}

/// `powf` with some constant exponents has shorter lowerings.
#[test]
fn powers_with_known_exponents_are_as_exact_as_others() {
    let judge = mpfr::Function::new("mpfr_pow", mpfr::Operands::Two).unwrap();
    let function = Function::named(&["powf".into()]).unwrap()[0];
    for element in [Element::F32, Element::F64] {
        let mut samples = Samples::new(function, element);
        let bases = [samples.edges().remove(0), samples.draw(1000).remove(0)].concat();
        let operands = [measure::array(element, &bases).unwrap()];
        for exponent in [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0] {
            let body = format!(
                "%c = arith.constant {exponent:?} : {element}
                %y = math.powf %x0, %c : {element}"
            );
            let engine = Engine::map(element, &body, "%y", WIDTHS[1], false).unwrap();
            let results = engine.apply(&operands).unwrap();
            for (i, base) in bases.iter().enumerate() {
                let result = element.to_f64(results.get(i));
                let distance = judge.apply(&[*base, exponent]).distance(result, element);
                let bound = Promise::of("powf").unwrap().host(element);
                let holds = distance.is_some_and(|distance| distance <= bound);
                assert!(holds, "{base:e} to the power of {exponent} in {element} is {result:e}: {distance:?}");
            }
        }
    }
}

#[test]
fn every_promise_is_measured() {
    let operations: BTreeSet<_> = FUNCTIONS.iter().map(Function::operation).collect();
    for promise in PROMISES {
        assert!(operations.contains(promise.name), "{} is promised and not measured", promise.name);
    }
}

#[test]
fn documents_say_what_is_promised() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/math.md");
    let text = fs::read_to_string(path).unwrap();
    for element in [Element::F32, Element::F64] {
        let heading = format!("### {element}\n");
        let table = text.split(&heading).nth(1).and_then(|rest| rest.split("\n### ").next()).unwrap_or_default();
        for function in FUNCTIONS {
            let row = format!("| {} | {} |", document::name(function), document::promised(function, element));
            assert!(
                table.contains(&row),
                "docs/math.md requires '{row}…' under '{}': run make accuracy",
                heading.trim()
            );
        }
    }
}

use mdh_accuracy::{engine::WIDTHS, functions::Function, measure};
use mdh_tools::array::Element;
fn main() {
    let names: Vec<String> = std::env::args().skip(2).collect();
    let n = std::env::args().nth(1).unwrap().parse().unwrap();
    let widths: Vec<_> = WIDTHS.into_iter().filter(|w| w.is_available()).collect();
    for f in Function::named(&names).unwrap() {
        for e in [Element::F32, Element::F64, Element::F16, Element::Bf16] {
            let t = std::time::Instant::now();
            match measure::measure(f, e, &widths, n, false) {
                Ok(m) => {
                    print!(
                        "{:9} {e} {:.2}s ref {:.3} wrong {} | ",
                        f.name,
                        t.elapsed().as_secs_f64(),
                        m.evaluator.worst,
                        m.evaluator.wrong
                    );
                    for w in &m.widths {
                        print!("{:.3} ({}) ", w.worst, w.wrong);
                    }
                    println!(
                        "REF {:?} {:?} ENG {:?} {:?}",
                        m.evaluator.place,
                        m.evaluator.examples,
                        m.widths[0].place.as_ref().map(|p| p.operands.clone()),
                        m.widths.iter().flat_map(|w| w.examples.iter()).take(3).collect::<Vec<_>>()
                    );
                }
                Err(x) => println!("{} {e} {x:#}", f.name),
            }
        }
    }
}

//! `mdh-accuracy`: measures the errors of functions of `math`, and writes the tables of docs/math.md.
use anyhow::{Context as _, Result, bail};
use clap::Parser;
use mdh_accuracy::{
    document::{self, Record},
    engine::WIDTHS,
    functions::Function,
    measure, monotone,
};
use mdh_tools::{accuracy::EVALUATOR, array::Element};
use std::{fs, path::PathBuf, time::Instant};

/// Measure the errors of compiled functions of math against exact results, in units of the last place
#[derive(Parser)]
#[command(name = "mdh-accuracy")]
struct Arguments {
    /// The functions, such as exp or powf [default: all]
    functions: Vec<String>,
    /// Number of random operands of f32 and of f64 per function
    #[arg(long, default_value_t = 10_000_000)]
    count: usize,
    /// The element types
    #[arg(long = "type", value_name = "TYPE", default_values = ["f32", "f64", "f16", "bf16"])]
    types: Vec<String>,
    /// Measure the functions of the C library, which `mdh run --strict` calls
    #[arg(long)]
    strict: bool,
    /// The document whose tables are replaced by the results
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let functions = Function::named(&arguments.functions).map_err(anyhow::Error::msg)?;
    let mut types = vec![];
    for name in &arguments.types {
        match Element::from_name(name).filter(|element| element.is_float()) {
            Some(element) => types.push(element),
            None => bail!("unknown type '{name}': expects f16, bf16, f32 or f64"),
        }
    }
    let widths: Vec<_> = WIDTHS.into_iter().filter(|width| width.is_available()).collect();
    let report = |function: &Function, element: Element, measured: &measure::Measured| {
        let worst: Vec<_> = widths
            .iter()
            .zip(&measured.widths)
            .map(|(width, errors)| {
                let wrong =
                    if errors.wrong > 0 { format!(" ({} special values wrong)", errors.wrong) } else { String::new() };
                format!("{} {:.3}{wrong}", width.name, errors.worst)
            })
            .collect();
        eprintln!(
            "{} {element}: {}, evaluator {:.3}{} (at {} s)",
            function.name,
            worst.join(", "),
            measured.evaluator.worst,
            // No table lists where the evaluator exceeds its bound.
            if measured.evaluator.worst > EVALUATOR {
                format!(": {:?}", measured.evaluator.place)
            } else {
                String::new()
            },
            start.elapsed().as_secs()
        );
    };
    let rows = measure::all(&functions, &types, &widths, arguments.count, arguments.strict, &report)?;
    let places = arguments.count / 1000;
    let forms =
        monotone::FORMS.iter().map(|form| Ok((form, monotone::measure(form, &widths, places, arguments.strict)?)));
    let record =
        Record { forms: forms.collect::<Result<Vec<_>>>()?, widths: widths.clone(), count: arguments.count, rows };
    match &arguments.write {
        Some(path) => {
            let name = path.display();
            let text = fs::read_to_string(path).with_context(|| format!("cannot read '{name}'"))?;
            fs::write(path, document::replaced(&text, &record.tables())?)
                .with_context(|| format!("cannot write '{name}'"))?;
        }
        None => print!("{}", record.tables()),
    }
    Ok(())
}

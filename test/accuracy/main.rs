//! `mdh-accuracy`: measures functions of `math`, and writes the tables of docs/math.md.
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

/// Measure how far compiled functions of math are from the exact results, in units of the last place
#[derive(Parser)]
#[command(name = "mdh-accuracy")]
struct Arguments {
    /// The functions, such as exp or powf; all of them if none is given
    functions: Vec<String>,
    /// How many random operands of f32 and of f64 each function gets
    #[arg(long, default_value_t = 10_000_000)]
    count: usize,
    /// The types
    #[arg(long = "type", value_name = "TYPE", default_values = ["f32", "f64", "f16", "bf16"])]
    types: Vec<String>,
    /// Measure the functions of the C library, which `mdh run --strict` calls
    #[arg(long)]
    strict: bool,
    /// A document to write the tables to, in place of those that it has
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
            // What the evaluator promises is on no other list.
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

//! Compiles a function in this process, and calls it twice.
use mdh_tools::{
    array::{Array, Element},
    jit::Argument,
    program,
    session::Session,
};

fn array(shape: &[usize], value: impl Fn(usize) -> f64) -> anyhow::Result<Array> {
    let mut array = Array::filled(Element::F32, shape, 0).map_err(anyhow::Error::msg)?;
    (0..array.len()).for_each(|i| array.set(i, Element::F32.from_f64(value(i))));
    Ok(array)
}

fn main() -> anyhow::Result<()> {
    let file = std::env::args().nth(1).ok_or_else(|| anyhow::anyhow!("usage: embedding docs/matvec.mlir"))?;
    let (context, session) = (program::context(), Session::default());
    let matvec = session.function(&context, &std::fs::read(file)?, Some("matvec"))?;
    let mut arguments =
        [Argument::Array(array(&[512, 4096], |i| (i / 4096) as f64)?), Argument::Array(array(&[4096], |_| 0.5)?)];
    for _ in 0..2 {
        let results = matvec.call(&mut arguments)?;
        println!("{}", Element::F32.to_f64(results[0].get(511)));
    }
    // An array with the wrong shape is an error, and the function is not called.
    arguments.swap(0, 1);
    println!("{:#}", matvec.call(&mut arguments).unwrap_err());
    Ok(())
}

//! Initial values of random programs.
use crate::fuzz::{
    buffer::{Buffer, Destination, Dimension, Operator, Scalar, Size, bracket, buffer_type},
    program::Program,
    scalar::Writer,
    views::{self, Views},
};
use mdh_passes::schedule::random::Random;
use serde::{Deserialize, Serialize};

/// The initial value of a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initial {
    /// A constant, wrapped to the type.
    Constant(i64),
    /// A scalar that is loaded from a buffer of rank 0.
    Scalar(Buffer),
    /// The elements of a buffer.
    Elements(Buffer),
    /// The previous contents of the destination, by the access that writes it.
    InPlace,
}

impl Initial {
    /// The buffer that is an argument, if there is one.
    pub fn buffer(&self) -> Option<&Buffer> {
        match self {
            Self::Scalar(buffer) | Self::Elements(buffer) => Some(buffer),
            Self::Constant(_) | Self::InPlace => None,
        }
    }

    /// As [`Self::buffer`].
    pub fn buffer_mut(&mut self) -> Option<&mut Buffer> {
        match self {
            Self::Scalar(buffer) | Self::Elements(buffer) => Some(buffer),
            Self::Constant(_) | Self::InPlace => None,
        }
    }
}

/// Random initial values for the components of a program: for each, or for none.
pub fn draw(random: &mut Random, program: &Program) -> Vec<Initial> {
    let combines = program.dimensions.iter().any(|dimension| dimension.operator != Operator::Concatenation);
    if !combines || !random.once_in(3) {
        return vec![];
    }
    let dimensions = first(program);
    let memref = random.once_in(2);
    let components = program.outputs.iter().flat_map(|output| {
        output.buffer.accesses.iter().map(|_| (output.buffer.element, output.destination != Destination::New))
    });
    let mut draw = |(element, is_destination): (Scalar, bool)| match random.below(6) {
        0 => Initial::Constant(random.below(7) as i64 - 3),
        1 => Initial::Scalar(Buffer { element, sizes: vec![], memref, accesses: vec![] }),
        2 | 3 if is_destination => Initial::InPlace,
        _ => {
            let rank = random.below(4);
            let mut views = Views { dimensions: &dimensions, random };
            let mut buffer = views.input(element, memref, 1, rank);
            fit(&mut buffer, program);
            Initial::Elements(buffer)
        }
    };
    components.map(&mut draw).collect()
}

/// The dimensions of the initial values: extent 1 where results are combined.
fn first(program: &Program) -> Vec<Dimension> {
    let one = |dimension: &Dimension| match dimension.operator {
        Operator::Concatenation => dimension.clone(),
        _ => Dimension { extent: 1, dynamic: false, operator: Operator::Concatenation },
    };
    program.dimensions.iter().map(one).collect()
}

/// Gives a buffer the sizes from which dynamic extents follow. Returns false if it is too small for its access.
pub fn fit(buffer: &mut Buffer, program: &Program) -> bool {
    let dimensions = first(program);
    let extents: Vec<_> = dimensions.iter().map(|dimension| dimension.extent).collect();
    for (axis, row) in buffer.accesses[0].iter().enumerate() {
        if let Some(d) = row.single().filter(|d| dimensions[*d].dynamic) {
            buffer.sizes[axis] = Size { size: extents[d], dynamic: true };
        }
    }
    let lowest = buffer.accesses[0].iter().map(|row| row.range(&extents).0).min().unwrap_or(0);
    let needed = views::needed(&buffer.accesses, &extents);
    lowest >= 0 && buffer.sizes.iter().zip(needed).all(|(size, needed)| size.size >= needed)
}

/// The text of initial values: the operations that define them, and the clause of the homomorphism. `names`: by
/// component, the argument or the destination that is read. `extent`: the name and the text of the definition of a
/// dynamic extent, by dimension.
pub fn text(program: &Program, names: &[String], extent: &dyn Fn(usize) -> String) -> (String, String) {
    if program.inits.is_empty() {
        return (String::new(), String::new());
    }
    let dimensions = first(program);
    let extents = dimensions.iter().map(|d| if d.dynamic { "?".to_owned() } else { d.extent.to_string() });
    let extents = extents.collect::<Vec<_>>().join("x");
    let (mut before, mut values, mut types) = (String::new(), vec![], vec![]);
    let outputs = program.outputs.iter().flat_map(|output| {
        output.buffer.accesses.iter().map(|access| Buffer { accesses: vec![access.clone()], ..output.buffer.clone() })
    });
    for (i, ((initial, output), name)) in program.inits.iter().zip(outputs).zip(names).enumerate() {
        let element = output.element;
        let mda = format!("!mdh.mda<{extents}, {}>", element.name());
        match initial {
            Initial::Constant(value) => {
                let mut writer = Writer::new(&[], 2);
                let constant = writer.integer(*value, element);
                before += &writer.finish().replace(&constant, &format!("%init{i}"));
                types.push(element.name().to_owned());
            }
            Initial::Scalar(buffer) => {
                let load = if buffer.memref { "memref.load" } else { "tensor.extract" };
                before += &format!("    %init{i} = {load} {name}[] : {}\n", buffer_type(buffer));
                types.push(element.name().to_owned());
            }
            Initial::Elements(_) | Initial::InPlace => {
                let buffer = match initial {
                    Initial::Elements(buffer) => buffer,
                    _ => &output,
                };
                let is_known = |d: &usize| buffer.accesses[0].iter().any(|row| row.single() == Some(*d));
                let open = (0..dimensions.len()).filter(|&d| dimensions[d].dynamic).filter(|d| !is_known(d));
                let open: Vec<_> = open.map(extent).collect();
                let given = if open.is_empty() { String::new() } else { format!(" extents({})", open.join(", ")) };
                let view = bracket(&buffer.accesses, dimensions.len());
                let of = buffer_type(buffer);
                before += &format!("    %init{i} = mdh.view.inp_view {name}{view}{given} : ({of}) -> {mda}\n");
                types.push(mda);
            }
        }
        values.push(format!("%init{i}"));
    }
    (before, format!(" init({} : {})", values.join(", "), types.join(", ")))
}

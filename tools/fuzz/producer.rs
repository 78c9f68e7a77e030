//! Producers: computations before the main one, each of which computes one of its inputs from an argument of the same
//! type.
use crate::fuzz::{
    buffer::{Buffer, Destination, buffer_type},
    program::Program,
};
use serde::{Deserialize, Serialize};

/// A computation that negates every element of an input, which preserves the range of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// The input buffer.
    pub input: usize,
    /// True if it also computes running maxima along the buffer's first dimension.
    pub scan: bool,
}

impl Producer {
    /// Returns true if an input can be produced: an MDA needs a dimension, and an overwritten memref must be an
    /// argument, so that the caller sees the writes.
    pub fn is_possible(program: &Program, input: usize) -> bool {
        let buffer = &program.inputs[input];
        let overwritten = || program.outputs.iter().any(|output| output.destination == Destination::Input(input));
        !(buffer.sizes.is_empty() || buffer.memref && overwritten())
    }

    /// The operations of the computation, and the name of its result, for the argument of this name.
    pub fn text(self, buffer: &Buffer, argument: &str) -> (String, String) {
        let (element, of) = (buffer.element.name(), buffer_type(buffer));
        let extent = |size: &super::buffer::Size| if size.dynamic { "?".into() } else { size.size.to_string() };
        let extents: Vec<String> = buffer.sizes.iter().map(extent).collect();
        let mda = format!("!mdh.mda<{}, {element}>", extents.join("x"));
        let dimensions: Vec<_> = (0..extents.len()).map(|d| format!("d{d}")).collect();
        let dimensions = dimensions.join(", ");
        let view = format!("[affine_map<({dimensions}) -> ({dimensions})>]");
        let mut operators = vec!["#mdh.cc"; extents.len()];
        if self.scan {
            operators[0] = "#mdh.ps<max>";
        }
        let negative = match buffer.element.is_float() {
            true => format!("      %n = arith.negf %x : {element}\n"),
            false if element == "i1" => {
                format!("      %one = arith.constant true\n      %n = arith.xori %x, %one : {element}\n")
            }
            false => {
                format!("      %one = arith.constant -1 : {element}\n      %n = arith.xori %x, %one : {element}\n")
            }
        };
        let i = self.input;
        let text = format!(
            "    %before{i} = mdh.view.inp_view {argument}{view} : ({of}) -> {mda}\n    \
             %negative{i} = mdh.hom.md_hom %before{i} combine [{}] {{\n    ^bb0(%x: {element}):\n{negative}      \
             mdh.hom.yield %n : {element}\n    }} : {mda} -> {mda}\n    \
             %made{i} = mdh.view.out_view %negative{i}{view} : {mda} -> {of}\n",
            operators.join(", "),
        );
        (text, format!("%made{i}"))
    }
}

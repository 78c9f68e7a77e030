//! Programs as MLIR text, and the types of their arguments and results.
use crate::fuzz::{
    initial::{self, Initial},
    program::{Access, Buffer, Destination, IndexFunction, Operator, Program, Scalar},
    scalar::{self, Writer},
};
use std::cell::RefCell;

/// The name of the function.
pub const FUNCTION: &str = "program";

/// An argument of the function.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument<'a> {
    /// An input buffer.
    Input(&'a Buffer),
    /// A destination, with the index of its output.
    Destination(usize, &'a Buffer),
    /// The buffer of an initial value, with its component.
    Initial(usize, &'a Buffer),
    /// The extent of a dimension.
    Extent(u64),
}

impl Program {
    /// The arguments in order.
    pub fn parameters(&self) -> Vec<Argument<'_>> {
        let own = self.outputs.iter().enumerate().filter(|(_, output)| output.destination == Destination::Own);
        let mut all: Vec<_> = self.inputs.iter().map(Argument::Input).collect();
        all.extend(own.map(|(i, output)| Argument::Destination(i, &output.buffer)));
        let inits = self.inits.iter().enumerate();
        all.extend(inits.filter_map(|(i, initial)| Some(Argument::Initial(i, initial.buffer()?))));
        all.extend(self.extent_operands().into_iter().map(|d| Argument::Extent(self.dimensions[d].extent)));
        all
    }

    /// The outputs that are results of the function, in order.
    pub fn results(&self) -> Vec<usize> {
        let is_result = |i: &usize| {
            let output = &self.outputs[*i];
            output.destination == Destination::New || !output.buffer.memref
        };
        (0..self.outputs.len()).filter(is_result).collect()
    }

    /// The text of the module.
    pub fn text(&self) -> String {
        let rank = self.dimensions.len();
        let mut names = vec![];
        let mut parameters = vec![];
        let mut destinations = vec![String::new(); self.outputs.len()];
        for (i, parameter) in self.parameters().into_iter().enumerate() {
            let (name, ty) = match parameter {
                Argument::Input(buffer) => (format!("%in{i}"), buffer_type(buffer)),
                Argument::Destination(output, buffer) => (format!("%out{output}"), buffer_type(buffer)),
                Argument::Initial(component, buffer) => (format!("%from{component}"), buffer_type(buffer)),
                Argument::Extent(_) => (format!("%extent{i}"), "index".to_owned()),
            };
            if let Argument::Destination(output, _) = parameter {
                destinations[output] = name.clone();
            }
            parameters.push(format!("{name}: {}", ty));
            names.push((name, ty));
        }
        for (output, name) in self.outputs.iter().zip(&mut destinations) {
            if let Destination::Input(input) = output.destination {
                *name = names[input].0.clone();
            }
        }
        let mut before = String::new();
        for producer in &self.producers {
            let (text, name) = producer.text(&self.inputs[producer.input], &names[producer.input].0);
            before += &text;
            for destination in destinations.iter_mut().filter(|destination| **destination == names[producer.input].0) {
                destination.clone_from(&name);
            }
            names[producer.input].0 = name;
        }
        for &(one, other) in &self.same {
            names[other].0 = names[one].0.clone();
        }
        let arguments = self.arguments();
        let components = self.components();
        let mda = |types: &[Scalar], collapsed: bool| {
            let extents = self.dimensions.iter().map(|dimension| match dimension.operator {
                Operator::PointWise if collapsed => "1".to_owned(),
                _ if dimension.dynamic => "?".to_owned(),
                _ => dimension.extent.to_string(),
            });
            let types: String = types.iter().map(|t| format!(", {}", t.name())).collect();
            format!("!mdh.mda<{}{types}>", extents.collect::<Vec<_>>().join("x"))
        };
        let inits = self.initial_values(&names, &destinations);
        let (from, to) = (mda(&arguments, false), mda(&components, true));
        let result_types: Vec<_> = self.results().iter().map(|&i| buffer_type(&self.outputs[i].buffer)).collect();
        let result_type = list(&result_types);
        let arrow = if result_types.is_empty() { String::new() } else { format!(" -> {result_type}") };

        let inputs: Vec<_> = (self.inputs.iter().zip(&names))
            .map(|(b, (name, _))| format!("{name}{}", bracket(&b.accesses, rank)))
            .collect();
        let operands = &names[names.len() - self.extent_operands().len()..];
        let extents = match operands.is_empty() {
            true => String::new(),
            false => {
                format!(" extents({})", operands.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", "))
            }
        };
        let operand_types: Vec<_> = names[..self.inputs.len()].iter().map(|(_, t)| t.clone()).collect();
        let inputs = if inputs.is_empty() { String::new() } else { format!(" {}", inputs.join(", ")) };
        let inp_view =
            format!("    %in = mdh.view.inp_view{inputs}{extents} : ({}) -> {from}\n", operand_types.join(", "));

        let operators = self.dimensions.iter().map(|dimension| match dimension.operator {
            Operator::Concatenation => "#mdh.cc".to_owned(),
            Operator::PointWise => format!("#mdh.pw<{}>", self.combine.parameter()),
            Operator::PrefixSum => format!("#mdh.ps<{}>", self.combine.parameter()),
        });
        let operators = operators.collect::<Vec<_>>().join(", ");
        let block: Vec<_> = arguments.iter().enumerate().map(|(i, t)| format!("%x{i}: {}", t.name())).collect();
        let block = if block.is_empty() { String::new() } else { format!("    ^bb0({}):\n", block.join(", ")) };
        let mut w = Writer::new(&arguments, 3);
        let count = self.combined();
        let combines = self.dimensions.iter().any(|dimension| dimension.operator != Operator::Concatenation);
        let yields = self.scalar.iter().zip(&components).enumerate().map(|(i, (expression, t))| {
            let grows = if combines { self.combine.grows(i) } else { None };
            w.component(expression, *t, grows, count)
        });
        let yields: Vec<_> = yields.collect();
        let types: Vec<_> = components.iter().map(|t| t.name()).collect();
        let declared = if self.declares_homomorphism() { " attributes {homomorphism}" } else { "" };
        let hom = format!(
            "{}    %res = mdh.hom.md_hom %in{} combine [{operators}]{declared} {{\n{block}{}      mdh.hom.yield {} : {}\n    }} : {from} -> {to}\n",
            inits.0,
            inits.1,
            w.finish(),
            yields.join(", "),
            types.join(", ")
        );

        let outputs = self.outputs.iter().map(|output| bracket(&output.buffer.accesses, rank));
        let outputs = outputs.collect::<Vec<_>>().join(", ");
        let names: Vec<_> = self.results().iter().map(|i| format!("%r{i}")).collect();
        let defines = if names.is_empty() { String::new() } else { format!("{} = ", names.join(", ")) };
        let (into, of) = match self.outputs.iter().all(|output| output.destination == Destination::New) {
            true => (String::new(), String::new()),
            false => {
                let types: Vec<_> = self.outputs.iter().map(|output| buffer_type(&output.buffer)).collect();
                (format!(" into {}", destinations.join(", ")), format!(", {}", types.join(", ")))
            }
        };
        let returned = match result_types.join(", ") {
            types if types.is_empty() => String::new(),
            types => format!(" -> {types}"),
        };
        let out_view = format!("    {defines}mdh.view.out_view %res{outputs}{into} : {to}{of}{returned}\n");
        let r#return = match names.is_empty() {
            true => "    return\n".to_owned(),
            false => format!("    return {} : {}\n", names.join(", "), result_types.join(", ")),
        };
        let uses_symbol = combines && self.combine.parameter().starts_with('@');
        let operator = if uses_symbol { self.combine.declaration(&components) } else { String::new() };
        format!(
            "module {{\n{operator}{}  func.func @{FUNCTION}({}){arrow} {{\n{before}{inp_view}{hom}{out_view}{return}  }}\n}}\n",
            scalar::functions(&hom),
            parameters.join(", ")
        )
    }
}

impl Program {
    /// The text of the initial values. `names`: those of the arguments, with their types. `destinations`: by output.
    fn initial_values(&self, names: &[(String, String)], destinations: &[String]) -> (String, String) {
        let by_component = self.outputs.iter().zip(destinations);
        let by_component = by_component.flat_map(|(output, name)| vec![name.clone(); output.buffer.accesses.len()]);
        let read = by_component.zip(&self.inits).enumerate().map(|(i, (destination, initial))| match initial {
            Initial::InPlace => destination,
            _ => format!("%from{i}"),
        });
        let read: Vec<_> = read.collect();
        let operands = self.extent_operands();
        let sizes = RefCell::new(String::new());
        let extent = |d: usize| match self.defining(d) {
            Some((buffer, axis)) => {
                let (name, ty) = &names[buffer];
                let dialect = if self.inputs[buffer].memref { "memref" } else { "tensor" };
                let mut sizes = sizes.borrow_mut();
                if !sizes.contains(&format!("%size{d} = ")) {
                    *sizes += &format!("    %axis{d} = arith.constant {axis} : index\n");
                    *sizes += &format!("    %size{d} = {dialect}.dim {name}, %axis{d} : {ty}\n");
                }
                format!("%size{d}")
            }
            None => {
                let position = operands.iter().position(|operand| *operand == d).unwrap_or_default();
                names[names.len() - operands.len() + position].0.clone()
            }
        };
        let (text, clause) = initial::text(self, &read, &extent);
        (sizes.into_inner() + &text, clause)
    }
}

fn list(types: &[String]) -> String {
    if types.len() == 1 { types[0].clone() } else { format!("({})", types.join(", ")) }
}

/// The MLIR type of a buffer.
pub fn buffer_type(buffer: &Buffer) -> String {
    let kind = if buffer.memref { "memref" } else { "tensor" };
    let sizes = buffer.sizes.iter().map(|size| if size.dynamic { "?x".to_owned() } else { format!("{}x", size.size) });
    format!("{kind}<{}{}>", sizes.collect::<String>(), buffer.element.name())
}

/// The accesses of a buffer.
pub fn bracket(accesses: &[Access], rank: usize) -> String {
    let dimensions: Vec<_> = (0..rank).map(|d| format!("d{d}")).collect();
    let maps = accesses.iter().map(|access| {
        let rows: Vec<_> = access.iter().map(row).collect();
        format!("affine_map<({}) -> ({})>", dimensions.join(", "), rows.join(", "))
    });
    format!("[{}]", maps.collect::<Vec<_>>().join(", "))
}

fn row(row: &IndexFunction) -> String {
    let term = |(d, c): (usize, &i64)| match c {
        0 => None,
        1 => Some(format!("d{d}")),
        c => Some(format!("d{d} * {c}")),
    };
    let mut terms: Vec<_> = row.coefficients.iter().enumerate().filter_map(term).collect();
    if row.constant != 0 || terms.is_empty() {
        terms.push(row.constant.to_string());
    }
    terms.join(" + ")
}

//! Programs as MLIR text, and the types of their arguments and results.
use crate::fuzz::{
    buffer::{Buffer, Destination, Operator, Scalar, bracket, buffer_type},
    initial::{self, Initial},
    program::Program,
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
        let mut named = self.named();
        let parameters: Vec<_> = named.arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let before = self.produced(&mut named);
        for &(one, other) in &self.same {
            named.arguments[other].0 = named.arguments[one].0.clone();
        }
        let result_types: Vec<_> = self.results().iter().map(|&i| buffer_type(&self.outputs[i].buffer)).collect();
        let arrow = if result_types.is_empty() { String::new() } else { format!(" -> {}", list(&result_types)) };
        let (inp_view, hom, out_view) = (self.inp_view(&named), self.hom(&named), self.out_view(&named));
        let uses_symbol = self.combines() && self.combine.parameter().starts_with('@');
        let operator = if uses_symbol { self.combine.declaration(&self.components()) } else { String::new() };
        format!(
            "module {{\n{operator}{}  func.func @{FUNCTION}({}){arrow} {{\n{before}{inp_view}{hom}{out_view}  }}\n}}\n",
            scalar::functions(&hom),
            parameters.join(", ")
        )
    }

    /// Returns true if there is a dimension whose elements are combined.
    fn combines(&self) -> bool {
        self.dimensions.iter().any(|dimension| dimension.operator != Operator::Concatenation)
    }

    /// The names of the arguments and destinations.
    fn named(&self) -> Named {
        let mut named = Named { arguments: vec![], destinations: vec![String::new(); self.outputs.len()] };
        for (i, parameter) in self.parameters().into_iter().enumerate() {
            let (name, ty) = match parameter {
                Argument::Input(buffer) => (format!("%in{i}"), buffer_type(buffer)),
                Argument::Destination(output, buffer) => (format!("%out{output}"), buffer_type(buffer)),
                Argument::Initial(component, buffer) => (format!("%from{component}"), buffer_type(buffer)),
                Argument::Extent(_) => (format!("%extent{i}"), "index".to_owned()),
            };
            if let Argument::Destination(output, _) = parameter {
                named.destinations[output].clone_from(&name);
            }
            named.arguments.push((name, ty));
        }
        for (output, name) in self.outputs.iter().zip(&mut named.destinations) {
            if let Destination::Input(input) = output.destination {
                name.clone_from(&named.arguments[input].0);
            }
        }
        named
    }

    /// The producers, whose results replace the arguments that they read.
    fn produced(&self, named: &mut Named) -> String {
        let mut before = String::new();
        for producer in &self.producers {
            let former = named.arguments[producer.input].0.clone();
            let (text, name) = producer.text(&self.inputs[producer.input], &former);
            before += &text;
            for destination in named.destinations.iter_mut().filter(|destination| **destination == former) {
                destination.clone_from(&name);
            }
            named.arguments[producer.input].0 = name;
        }
        before
    }

    /// The type of the multi-dimensional array of the arguments, or of the results.
    fn mda(&self, types: &[Scalar], collapsed: bool) -> String {
        let extents = self.dimensions.iter().map(|dimension| match dimension.operator {
            Operator::PointWise if collapsed => "1".to_owned(),
            _ if dimension.dynamic => "?".to_owned(),
            _ => dimension.extent.to_string(),
        });
        let types: String = types.iter().map(|t| format!(", {}", t.name())).collect();
        format!("!mdh.mda<{}{types}>", extents.collect::<Vec<_>>().join("x"))
    }

    /// The `inp_view`.
    fn inp_view(&self, named: &Named) -> String {
        let (rank, names) = (self.dimensions.len(), &named.arguments);
        let inputs: Vec<_> = (self.inputs.iter().zip(names))
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
        let to = self.mda(&self.arguments(), false);
        format!("    %in = mdh.view.inp_view{inputs}{extents} : ({}) -> {to}\n", operand_types.join(", "))
    }

    /// The initial values and the `md_hom`.
    fn hom(&self, named: &Named) -> String {
        let (arguments, components) = (self.arguments(), self.components());
        let inits = self.initial_values(&named.arguments, &named.destinations);
        let operators = self.dimensions.iter().map(|dimension| match dimension.operator {
            Operator::Concatenation => "#mdh.cc".to_owned(),
            Operator::PointWise => format!("#mdh.pw<{}>", self.combine.parameter()),
            Operator::PrefixSum => format!("#mdh.ps<{}>", self.combine.parameter()),
        });
        let operators = operators.collect::<Vec<_>>().join(", ");
        let block: Vec<_> = arguments.iter().enumerate().map(|(i, t)| format!("%x{i}: {}", t.name())).collect();
        let block = if block.is_empty() { String::new() } else { format!("    ^bb0({}):\n", block.join(", ")) };
        let mut w = Writer::new(&arguments, 3);
        let (count, combines) = (self.combined(), self.combines());
        let yields = self.scalar.iter().zip(&components).enumerate().map(|(i, (expression, t))| {
            let grows = if combines { self.combine.grows(i) } else { None };
            w.component(expression, *t, grows, count)
        });
        let yields: Vec<_> = yields.collect();
        let types: Vec<_> = components.iter().map(|t| t.name()).collect();
        let declared = if self.declares_homomorphism() { " attributes {homomorphism}" } else { "" };
        format!(
            "{}    %res = mdh.hom.md_hom %in{} combine [{operators}]{declared} {{\n{block}{}      mdh.hom.yield {} : {}\n    }} : {} -> {}\n",
            inits.0,
            inits.1,
            w.finish(),
            yields.join(", "),
            types.join(", "),
            self.mda(&arguments, false),
            self.mda(&components, true)
        )
    }

    /// The `out_view`, and the return of the function.
    fn out_view(&self, named: &Named) -> String {
        let rank = self.dimensions.len();
        let outputs = self.outputs.iter().map(|output| bracket(&output.buffer.accesses, rank));
        let outputs = outputs.collect::<Vec<_>>().join(", ");
        let results = self.results();
        let result_types: Vec<_> = results.iter().map(|&i| buffer_type(&self.outputs[i].buffer)).collect();
        let result_types = result_types.join(", ");
        let names: Vec<_> = results.iter().map(|i| format!("%r{i}")).collect();
        let names = names.join(", ");
        let (into, of) = match self.outputs.iter().all(|output| output.destination == Destination::New) {
            true => (String::new(), String::new()),
            false => {
                let types: Vec<_> = self.outputs.iter().map(|output| buffer_type(&output.buffer)).collect();
                (format!(" into {}", named.destinations.join(", ")), format!(", {}", types.join(", ")))
            }
        };
        let to = self.mda(&self.components(), true);
        let (defines, returned, r#return) = match results.is_empty() {
            true => (String::new(), String::new(), "    return\n".to_owned()),
            false => {
                (format!("{names} = "), format!(" -> {result_types}"), format!("    return {names} : {result_types}\n"))
            }
        };
        format!("    {defines}mdh.view.out_view %res{outputs}{into} : {to}{of}{returned}\n{return}")
    }
}

/// What the text of a program names.
struct Named {
    /// The arguments of the function, with their types; those that producers read have the names of their results.
    arguments: Vec<(String, String)>,
    /// The destinations, by output.
    destinations: Vec<String>,
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

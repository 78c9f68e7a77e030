//! Other operations of random programs than generic ones that write all elements: partial outputs, outputs that nothing
//! uses, maps, transpositions, and arithmetic on tensors.
use super::{LinalgChain, LinalgTensor};
use std::fmt::Write as _;

impl LinalgChain<'_> {
    /// An operation that writes some elements of an existing tensor, perhaps with other outputs that nothing uses and
    /// that alone have its extents.
    pub(super) fn partial(&mut self) {
        let destination = self.any();
        if destination.sizes.is_empty() {
            return;
        }
        let (mut rows, mut extents) = (vec![], vec![]);
        for size in destination.sizes.clone() {
            if self.random.once_in(4) {
                rows.push(self.random.below(size as usize).to_string());
                continue;
            }
            let (factor, offset) = (1 + self.random.below(2) as u64, self.random.below(size as usize) as u64);
            let most = (size - offset).div_ceil(factor);
            let d = extents.len();
            // An iterator that is an index alone has the size as its extent.
            let extent = if (factor, offset) == (1, 0) { size } else { 1 + self.random.below(most as usize) as u64 };
            extents.push(extent);
            rows.push(format!("d{d} * {factor} + {offset}"));
        }
        let rank = extents.len();
        let element = self.element;
        let result = self.name();
        let sizes = self.shape_of(&result, &extents);
        let ty = self.ty(&destination);
        let is_output = self.random.once_in(2);
        let dimensions: Vec<_> = (0..rank).map(|d| format!("d{d}")).collect();
        let map = |rows: &[String]| format!("affine_map<({}) -> ({})>", dimensions.join(", "), rows.join(", "));
        let iterators = vec!["\"parallel\""; rank].join(", ");
        let (name, own) = (&destination.name, &sizes);
        let (operands, types) = match is_output {
            true => (format!("outs({result}_shape, {name} : {own}, {ty})"), format!("({own}, {ty})")),
            false => (format!("ins({result}_shape : {own}) outs({name} : {ty})"), ty.clone()),
        };
        let count = if is_output { ":2" } else { "" };
        let maps = [map(&dimensions), map(&rows)].join(", ");
        let _ = writeln!(
            self.text,
            "  {result}{count} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} {operands} \
             {{\n  ^bb0(%s: {element}, %o: {element}):"
        );
        let number = self.random.below(5) as i64 - 2;
        let number = if self.is_float() { format!("{number}.0") } else { number.to_string() };
        let mut value = self.define(&format!("arith.constant {number} : {element}"));
        if self.random.once_in(3) {
            let kind = if self.is_float() { "maximumf" } else { "subi" };
            value = self.define(&format!("arith.{kind} {value}, %o : {element}"));
        }
        let (yielded, yields) = match is_output {
            true => (format!("{value}, {value}"), format!("{element}, {element}")),
            false => (value, element.to_owned()),
        };
        let _ = writeln!(self.text, "    linalg.yield {yielded} : {yields}\n  }} -> {types}");
        let name = if is_output { format!("{result}#1") } else { result };
        self.tensors.push(LinalgTensor { name, ..destination });
    }

    /// Defines an empty tensor `NAME_shape` with some extents, whose type may not have them; returns its type.
    fn shape_of(&mut self, name: &str, extents: &[u64]) -> String {
        let (mut sizes, mut operands) = (String::new(), vec![]);
        for (axis, extent) in extents.iter().enumerate() {
            match self.random.once_in(3) {
                true => {
                    let _ = writeln!(self.text, "  {name}_size{axis} = arith.constant {extent} : index");
                    operands.push(format!("{name}_size{axis}"));
                    sizes += "?x";
                }
                false => sizes += &format!("{extent}x"),
            }
        }
        let ty = format!("tensor<{sizes}{}>", self.element);
        let _ = writeln!(self.text, "  {name}_shape = tensor.empty({}) : {ty}", operands.join(", "));
        ty
    }

    /// Two tensors of one type and of the same sizes.
    fn pair(&mut self) -> (LinalgTensor, LinalgTensor) {
        let first = self.any();
        let ty = self.ty(&first);
        let alike: Vec<_> =
            self.tensors.iter().filter(|other| other.sizes == first.sizes && self.ty(other) == ty).cloned().collect();
        let second = alike[self.random.below(alike.len())].clone();
        (first, second)
    }

    /// An operation of `linalg.map`, which may read its output.
    pub(super) fn map(&mut self) {
        let (input, output) = self.pair();
        let (ty, element, name) = (self.ty(&input), self.element, self.name());
        let kind = if self.is_float() { "minimumf" } else { "subi" };
        let other = ["%o", "%x"][self.random.below(2)];
        let _ = writeln!(
            self.text,
            "  {name} = linalg.map ins({} : {ty}) outs({} : {ty}) (%x: {element}, %o: {element}) {{\n    %s = \
             arith.{kind} %x, {other} : {element}\n    linalg.yield %s : {element}\n  }}",
            input.name, output.name
        );
        self.tensors.push(LinalgTensor { name, sums: input.sums.max(output.sums), ..input });
    }

    /// Arithmetic on tensors.
    pub(super) fn elementwise(&mut self) {
        let (left, right) = self.pair();
        let (ty, name) = (self.ty(&left), self.name());
        let kinds: &[&str] = match self.is_float() {
            true => &["arith.maximumf", "arith.minimumf"],
            false => &["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minui", "arith.xori"],
        };
        let (a, b) = (&left.name, &right.name);
        let _ = match self.random.below(4) {
            0 => {
                let truth = ty.replace(&format!("{}>", self.element), "i1>");
                let kind = if self.is_float() { "cmpf olt" } else { "cmpi slt" };
                let (first, second) = if self.random.once_in(2) { (a, b) } else { (b, a) };
                let _ = writeln!(self.text, "  {name}_is = arith.{kind}, {a}, {b} : {ty}");
                writeln!(self.text, "  {name} = arith.select {name}_is, {first}, {second} : {truth}, {ty}")
            }
            1 => {
                let _ = writeln!(self.text, "  {name}_is = arith.constant {}", self.random.once_in(2));
                writeln!(self.text, "  {name} = arith.select {name}_is, {a}, {b} : {ty}")
            }
            _ => {
                let kind = kinds[self.random.below(kinds.len())];
                writeln!(self.text, "  {name} = {kind} {a}, {b} : {ty}")
            }
        };
        self.tensors.push(LinalgTensor { name, sums: left.sums.max(right.sums), ..left });
    }

    /// A transposition to a new tensor.
    pub(super) fn transposition(&mut self) {
        let source = self.any();
        // MLIR's verifier crashes on a transposition without axes.
        if source.sizes.is_empty() || source.dynamic.contains(&true) {
            return;
        }
        let mut order: Vec<_> = (0..source.sizes.len()).collect();
        self.random.shuffle(&mut order);
        let sizes: Vec<_> = order.iter().map(|axis| source.sizes[*axis]).collect();
        let result = LinalgTensor { name: self.name(), sizes, ..source.clone() };
        let (from, to, name) = (self.ty(&source), self.ty(&result), &result.name);
        let _ = writeln!(self.text, "  {name}_empty = tensor.empty() : {to}");
        let _ = writeln!(
            self.text,
            "  {name} = linalg.transpose ins({} : {from}) outs({name}_empty : {to}) permutation = {order:?}",
            source.name
        );
        self.tensors.push(result);
    }
}

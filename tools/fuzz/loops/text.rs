//! The text of loops and accesses: on tensors, loops carry them, and an insertion gives a tensor its next name.
use super::{Nests, Place, SIZE};

impl Nests<'_> {
    /// What a loop carries, with its types: a number, if there is one, then the tensors.
    fn carried(&self, number: Option<&str>) -> Vec<(String, String)> {
        let mut carried: Vec<_> = number.map(|number| (number.to_owned(), "i32".to_owned())).into_iter().collect();
        if self.is_tensor {
            carried.extend(self.names.iter().cloned().zip(self.types()));
        }
        carried
    }

    /// Begins a loop, which carries the tensors, and a number if `number` is its name before the loop. Returns the name
    /// of its results and that of the number in it.
    pub(super) fn begin(&mut self, depth: usize, head: &str, number: Option<&str>) -> (String, String) {
        let (results, inside) = (self.name(), self.name());
        let carried = self.carried(number);
        if carried.is_empty() {
            self.line(depth, &format!("{head} {{"));
            return (results, inside);
        }
        let tensors = usize::from(number.is_some());
        let name = |i: usize| format!("{inside}_{i}");
        let inits: Vec<_> = carried.iter().enumerate().map(|(i, (init, _))| format!("{} = {init}", name(i))).collect();
        let types: Vec<_> = carried.iter().map(|(_, ty)| ty.clone()).collect();
        if self.is_tensor {
            self.names = (tensors..carried.len()).map(name).collect();
        }
        let line = format!(
            "{results}:{} = {head} iter_args({}) -> ({}) {{",
            carried.len(),
            inits.join(", "),
            types.join(", ")
        );
        self.line(depth, &line);
        (results, name(0))
    }

    /// Ends a loop with these results, which carries the tensors, and a number if its next value is given.
    pub(super) fn end(&mut self, depth: usize, results: &str, number: Option<&str>) {
        let carried = self.carried(number);
        let tensors = usize::from(number.is_some());
        if self.is_tensor {
            self.names = (tensors..carried.len()).map(|i| format!("{results}#{i}")).collect();
        }
        if !carried.is_empty() {
            let (names, types): (Vec<_>, Vec<_>) = carried.into_iter().unzip();
            self.line(depth + 1, &format!("affine.yield {} : {}", names.join(", "), types.join(", ")));
        }
        self.line(depth, "}");
    }

    /// The definition of a view of a memref, which begins with the same element.
    pub(super) fn view(&self, number: usize) -> String {
        let (ty, view) = (self.ty(number), self.view_type(number));
        match self.is_flat {
            true => format!(
                "  %w{number} = memref.reinterpret_cast %m{number} to offset: [0], sizes: [{}], strides: [1] : {ty} to {view}\n",
                SIZE.pow(self.ranks[number] as u32)
            ),
            false => format!("  %w{number} = memref.cast %m{number} : {ty} to {view}\n"),
        }
    }

    fn view_type(&self, number: usize) -> String {
        match self.is_flat {
            true => format!("memref<{}xi32>", SIZE.pow(self.ranks[number] as u32)),
            false => self.ty(number),
        }
    }

    /// The present name of a buffer, or that of its view, and the type.
    fn memref(&mut self, number: usize) -> (String, String) {
        match self.has_views && self.random.once_in(3) {
            true => (format!("%w{number}"), self.view_type(number)),
            false => (self.names[number].clone(), self.ty(number)),
        }
    }

    pub(super) fn store_to(&mut self, depth: usize, value: &str, place: &Place) {
        let (name, ty) = self.memref(place.0);
        let indices = self.indices(depth, place);
        if self.is_tensor {
            let new = self.name();
            self.line(depth, &format!("{new} = tensor.insert {value} into {name}[{indices}] : {ty}"));
            self.names[place.0] = new;
        } else {
            self.line(depth, &format!("affine.store {value}, {name}[{indices}] : {ty}"));
        }
    }

    pub(super) fn load(&mut self, depth: usize, place: &Place) -> String {
        // The tensor from before all loops keeps its elements.
        let is_old = self.is_tensor && self.random.once_in(8);
        let (name, ty) = self.memref(place.0);
        let name = if is_old { format!("%m{}", place.0) } else { name };
        let load = if self.is_tensor { "tensor.extract" } else { "affine.load" };
        let indices = self.indices(depth, place);
        let value = self.name();
        self.line(depth, &format!("{value} = {load} {name}[{indices}] : {ty}"));
        value
    }

    /// The indices of an element, which are computed before for tensors.
    pub(super) fn indices(&mut self, depth: usize, place: &Place) -> String {
        let mut indices = vec![];
        for (variable, added) in &place.1 {
            let (of, factor) = variable.clone().unwrap_or(("%c0".to_owned(), 1));
            indices.push(match (self.is_tensor, variable) {
                (false, None) => added.to_string(),
                (false, Some(_)) => format!("{factor} * {of} + {added}"),
                (true, _) => {
                    let index = self.name();
                    let map = format!("affine_map<(d) -> ({factor} * d + {added})>");
                    self.line(depth, &format!("{index} = affine.apply {map}({of})"));
                    index
                }
            });
        }
        match (&indices[..], self.is_dynamic) {
            ([row, column], true) if self.is_flat => format!("({row}) * symbol(%size) + {column}"),
            ([row, column], false) if self.is_flat => format!("({row}) * {SIZE} + {column}"),
            _ => indices.join(", "),
        }
    }
}

//! Scatters as loops over the updates.
//!
//! ```text
//! "stablehlo.scatter"(%x, %k, %u)            for each index of %u, in lexicographic order:
//!                                     ──▶      j = start (from %k) + position in the window
//!                                              if j is in %x: x[j] = combine(x[j], u[index])
//! ```
use super::region;
use crate::analysis::extents::dim;
use mdh_dialects::ir::{self, Blk, Builder, IntPredicate, Op, Region, Val};
use melior::ir::{TypeLike, ValueLike};

/// The scatters.
pub const SCATTERS: [&str; 2] = ["stablehlo.scatter", "tm_tensor.scatter"];

/// Why the loops of a scatter are not raised.
pub const REASON: &str =
    "requires indices that are linear in iterators, but those of a scatter are elements: it is a loop over its updates";

/// A scatter into one tensor.
struct Scatter<'c> {
    operand: Val<'c>,
    indices: Val<'c>,
    updates: Val<'c>,
    /// The axis of the indices along which the components of one index are; their rank if it has one component.
    vector: usize,
    /// By component of an index: the axis of the operand.
    starts: Vec<usize>,
    /// The axes of the updates that are positions in a window, with the axes of the operand.
    windows: Vec<(usize, usize)>,
    /// Pairs of an axis of the operand and an axis of the indices that are the same position.
    batches: Vec<(usize, usize)>,
    body: Blk<'c>,
    yielded: Val<'c>,
    /// True if the region has the update first.
    has_update_first: bool,
}

/// Replaces a scatter, and returns its outermost loop, if there is one. The error is the requirement that it does not
/// meet; nothing has changed then.
pub fn expand(operation: Op<'_>) -> Result<Option<Op<'_>>, String> {
    let scatter = Scatter::of(operation)?;
    let b = Builder::before(operation);
    let previous = b.previous();
    let result = scatter.build(&b);
    let outermost = b.built_after(previous).into_iter().find(|built| ir::name(*built) == "scf.for");
    ir::replace_uses(ir::results(operation)[0], result);
    ir::erase(operation);
    Ok(outermost)
}

/// Checks the requirements on the operands and the dimension numbers of a scatter.
pub fn check(operation: Op<'_>) -> Result<(), String> {
    Scatter::of(operation).map(|_| ())
}

/// Builds, before a scatter, assertions that it has an index for each update where their sizes are dynamic. The expansion
/// does not check them.
pub fn assert_sizes(operation: Op<'_>) {
    let Ok(scatter) = Scatter::of(operation) else { return };
    let b = Builder::before(operation);
    for (update, index) in scatter.positions() {
        let is_static =
            |tensor: Val<'_>, axis: usize| ir::shape(tensor.r#type()).is_some_and(|shape| shape[axis].is_some());
        if is_static(scatter.updates, update) && is_static(scatter.indices, index) {
            continue;
        }
        let sizes = [size(&b, scatter.updates, update), size(&b, scatter.indices, index)];
        let is_equal = b.cmpi(IntPredicate::Eq, sizes[0], sizes[1]);
        let name = ir::name(operation);
        let message = format!(
            "'{name}' fails: requires an index for each update, but axis {} of the updates and axis {} of the indices have \
             different sizes",
            update + 1,
            index + 1
        );
        b.op("cf.assert", &[is_equal], &[], &[("msg", b.string(&message))], vec![]);
    }
}

/// The lists of numbers of an attribute of a dialect that is not registered: `#stablehlo.scatter<a = [0, 1], b = 2>`.
pub fn entries(text: &str) -> Option<Vec<(String, Vec<usize>)>> {
    let mut rest = text.strip_prefix("#stablehlo.scatter<")?.strip_suffix('>')?.trim();
    let mut found = vec![];
    while !rest.is_empty() {
        let (name, value) = rest.split_once('=')?;
        let value = value.trim_start();
        let (numbers, after) = match value.strip_prefix('[') {
            Some(list) => list.split_once(']')?,
            None => value.split_at(value.find(',').unwrap_or(value.len())),
        };
        let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
        found.push((name.trim().to_owned(), numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?));
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    Some(found)
}

impl<'c> Scatter<'c> {
    fn of(operation: Op<'c>) -> Result<Self, String> {
        let body = ir::body(operation, 0).ok_or("requires a region")?;
        let is_of_torch = ir::name(operation) == SCATTERS[1];
        let (operand, indices, updates) = match (&ir::operands(operation)[..], ir::results(operation).len()) {
            ([updates, indices, operand], 1) if is_of_torch => (*operand, *indices, *updates),
            ([operand, indices, updates], 1) => (*operand, *indices, *updates),
            (operands, results) => {
                let count = operands.len();
                return Err(format!(
                    "requires one tensor with its indices and updates, but has {count} operands and {results} results"
                ));
            }
        };
        let element = ir::element_type_or_self(operand.r#type());
        let is_index = ir::element_type(indices.r#type()).is_some_and(|ty| ty.is_integer() && is_number(ty));
        let has_types = operand.r#type() == ir::results(operation)[0].r#type()
            && is_number(element)
            && ir::element_type(updates.r#type()) == Some(element);
        if !has_types || !is_index || ![operand, indices, updates].iter().all(|value| value.r#type().is_tensor()) {
            return Err(format!(
                "requires a result of the operand's type, updates with its elements, and indices of signless integers, but \
                 has {}, {} and {}",
                operand.r#type(),
                updates.r#type(),
                indices.r#type()
            ));
        }
        let yielded = region::yielded(body, 2, element)?;
        region::check(body)?;
        let mut scatter = Self {
            operand,
            indices,
            updates,
            vector: 1,
            starts: vec![],
            windows: vec![],
            batches: vec![],
            body,
            yielded,
            has_update_first: is_of_torch,
        };
        let known = if is_of_torch { scatter.of_torch(operation) } else { scatter.of_stablehlo(operation) };
        known.filter(|()| scatter.is_consistent()).ok_or("requires dimension numbers that fit its operands")?;
        if !scatter.has_index_for_each_update() {
            return Err(format!(
                "requires an index for each update, but has {} and {}",
                updates.r#type(),
                indices.r#type()
            ));
        }
        Ok(scatter)
    }

    /// Reads the map from the components of an index to axes. The other axes are those of a window.
    fn of_torch(&mut self, operation: Op<'c>) -> Option<()> {
        let map = ir::attribute(operation, "dimension_map").and_then(ir::dense_array_attribute)?;
        self.starts = map.into_iter().map(|axis| usize::try_from(axis).ok()).collect::<Option<_>>()?;
        let first = (rank(self.operand) + 1).checked_sub(rank(self.updates))?;
        self.windows = (1..rank(self.updates)).map(|axis| (axis, first + axis - 1)).collect();
        Some(())
    }

    fn of_stablehlo(&mut self, operation: Op<'c>) -> Option<()> {
        let attribute = ir::attribute(operation, "scatter_dimension_numbers")?;
        let entries = entries(&attribute.to_string())?;
        let list = |name: &str| entries.iter().find(|(key, _)| key == name).map_or(vec![], |(_, list)| list.clone());
        self.vector = list("index_vector_dim").first().copied().unwrap_or(0);
        self.starts = list("scatter_dims_to_operand_dims");
        let batching = list("input_batching_dims");
        let of_indices = list("scatter_indices_batching_dims");
        let left_out = [list("inserted_window_dims"), batching.clone()].concat();
        let kept = (0..rank(self.operand)).filter(|axis| !left_out.contains(axis)).collect::<Vec<_>>();
        let windows = list("update_window_dims");
        self.windows = windows.iter().copied().zip(kept.iter().copied()).collect();
        self.batches = batching.iter().copied().zip(of_indices.iter().copied()).collect();
        (windows.len() == kept.len() && batching.len() == of_indices.len()).then_some(())
    }

    /// True if all axes exist, and the indices have one index for each position of the updates outside of windows.
    fn is_consistent(&self) -> bool {
        let (of_operand, of_indices, of_updates) = (rank(self.operand), rank(self.indices), rank(self.updates));
        let sizes = ir::shape(self.indices.r#type()).unwrap_or_default();
        let components = sizes.get(self.vector).copied().unwrap_or(Some(1));
        let positions = of_indices - usize::from(self.vector < of_indices);
        let is_unique = |axes: &[usize]| (0..axes.len()).all(|i| !axes[..i].contains(&axes[i]));
        let windows: Vec<_> = self.windows.iter().map(|(axis, _)| *axis).collect();
        self.vector <= of_indices
            && components == Some(self.starts.len() as u64)
            && self.starts.iter().chain(self.windows.iter().map(|(_, axis)| axis)).all(|axis| *axis < of_operand)
            && self
                .batches
                .iter()
                .all(|(axis, other)| *axis < of_operand && *other < of_indices && *other != self.vector)
            && windows.iter().all(|axis| *axis < of_updates)
            && is_unique(&windows)
            && is_unique(&self.starts)
            && of_updates == windows.len() + positions
    }

    /// The axes of the updates, but those of windows, with the axes of the indices that have the same size.
    fn positions(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_window = |axis: &usize| self.windows.iter().any(|(window, _)| window == axis);
        let of_updates = (0..rank(self.updates)).filter(move |axis| !is_window(axis));
        of_updates.zip((0..rank(self.indices)).filter(|axis| *axis != self.vector))
    }

    /// True if the updates have the sizes of the indices along all axes but those of windows and of components, as far as
    /// these are static.
    fn has_index_for_each_update(&self) -> bool {
        let size = |tensor: Val<'c>, axis: usize| ir::shape(tensor.r#type()).and_then(|shape| shape[axis]);
        let sizes = self.positions().map(|(update, index)| (size(self.updates, update), size(self.indices, index)));
        sizes.into_iter().all(|(update, index)| update.zip(index).is_none_or(|(update, index)| update == index))
    }

    /// Builds the loops, and returns the tensor after them.
    fn build(&self, b: &Builder<'c>) -> Val<'c> {
        let sizes = |tensor: Val<'c>| (0..rank(tensor)).map(|axis| size(b, tensor, axis)).collect::<Vec<_>>();
        let (updates, operand) = (sizes(self.updates), sizes(self.operand));
        self.each(b, &updates, &operand, vec![], self.operand)
    }

    /// Builds the loops over the axes of the updates from that of the next index on.
    fn each(
        &self,
        b: &Builder<'c>,
        updates: &[Val<'c>],
        operand: &[Val<'c>],
        index: Vec<Val<'c>>,
        tensor: Val<'c>,
    ) -> Val<'c> {
        let Some(size) = updates.get(index.len()) else { return self.update(b, operand, &index, tensor) };
        let ty = tensor.r#type();
        let (region, block) = b.region(&[b.index(), ty]);
        let bounds = [b.constant(0, b.index()), *size, b.constant(1, b.index()), tensor];
        let new = b.op("scf.for", &bounds, &[ty], &[], vec![region]);
        let inside = b.at_end(block);
        let arguments = ir::arguments(block);
        let inner: Vec<_> = index.into_iter().chain([arguments[0]]).collect();
        let value = self.each(&inside, updates, operand, inner, arguments[1]);
        inside.op("scf.yield", &[value], &[], &[], vec![]);
        ir::results(new)[0]
    }

    /// Builds one update, if its element exists.
    fn update(&self, b: &Builder<'c>, sizes: &[Val<'c>], index: &[Val<'c>], tensor: Val<'c>) -> Val<'c> {
        let place = self.place(b, index);
        let below = |(place, size): (&Val<'c>, &Val<'c>)| {
            // An index below 0 is a large one without a sign.
            let unsigned = [("predicate", b.i64_number(6))];
            b.value("arith.cmpi", &[*place, *size], b.i1(), &unsigned)
        };
        let all = place.iter().zip(sizes).map(below);
        let Some(exists) = all.reduce(|all, one| b.value("arith.andi", &[all, one], b.i1(), &[])) else {
            return self.combine(b, &place, index, tensor);
        };
        let branch = |updates: bool| {
            let (region, block) = b.region(&[]);
            let inside = b.at_end(block);
            let value = if updates { self.combine(&inside, &place, index, tensor) } else { tensor };
            inside.op("scf.yield", &[value], &[], &[], vec![]);
            region
        };
        let regions: Vec<Region<'c>> = vec![branch(true), branch(false)];
        ir::results(b.op("scf.if", &[exists], &[tensor.r#type()], &[], regions))[0]
    }

    /// The index of the element of an update.
    fn place(&self, b: &Builder<'c>, index: &[Val<'c>]) -> Vec<Val<'c>> {
        let windows: Vec<_> = self.windows.iter().map(|(axis, _)| *axis).collect();
        let positions: Vec<_> =
            (0..index.len()).filter(|axis| !windows.contains(axis)).map(|axis| index[axis]).collect();
        // The position at an axis of the indices, which may have one more axis for the components.
        let at = |axis: usize| positions[axis - usize::from(axis > self.vector)];
        let sum = |one: Option<Val<'c>>, other: Val<'c>| match one {
            None => other,
            Some(one) => b.value("arith.addi", &[one, other], b.index(), &[]),
        };
        let mut place: Vec<Option<Val<'c>>> = vec![None; rank(self.operand)];
        for (component, axis) in self.starts.iter().enumerate() {
            let number = b.constant(component as i64, b.index());
            let axes = 0..rank(self.indices);
            let own: Vec<_> = axes.map(|axis| if axis == self.vector { number } else { at(axis) }).collect();
            let operands: Vec<_> = [self.indices].into_iter().chain(own).collect();
            let ty = ir::element_type_or_self(self.indices.r#type());
            let start = b.value("tensor.extract", &operands, ty, &[]);
            let start = b.value("arith.index_cast", &[start], b.index(), &[]);
            place[*axis] = Some(sum(place[*axis], start));
        }
        for (axis, other) in &self.batches {
            place[*axis] = Some(sum(place[*axis], at(*other)));
        }
        for (axis, other) in &self.windows {
            place[*other] = Some(sum(place[*other], index[*axis]));
        }
        place.into_iter().map(|index| index.unwrap_or_else(|| b.constant(0, b.index()))).collect()
    }

    /// Combines an element with its update.
    fn combine(&self, b: &Builder<'c>, place: &[Val<'c>], index: &[Val<'c>], tensor: Val<'c>) -> Val<'c> {
        let element = ir::element_type_or_self(tensor.r#type());
        let read = |from: Val<'c>, at: &[Val<'c>]| b.value("tensor.extract", &[&[from], at].concat(), element, &[]);
        let (before, update) = (read(tensor, place), read(self.updates, index));
        let arguments = if self.has_update_first { [update, before] } else { [before, update] };
        let value = region::inline(b, self.body, &arguments, self.yielded);
        b.value("tensor.insert", &[&[value, tensor], place].concat(), tensor.r#type(), &[])
    }
}

fn is_number(ty: melior::ir::Type<'_>) -> bool {
    mdh_dialects::view::is_scalar(ty)
}

fn rank(tensor: Val<'_>) -> usize {
    ir::shape(tensor.r#type()).map_or(0, |shape| shape.len())
}

/// The size of a tensor along an axis.
fn size<'c>(b: &Builder<'c>, tensor: Val<'c>, axis: usize) -> Val<'c> {
    match ir::shape(tensor.r#type()).and_then(|shape| shape[axis]) {
        Some(size) => b.constant(size as i64, b.index()),
        None => dim(b, tensor, axis),
    }
}

//! Tiles of tensors (`linalg.pack`, `linalg.unpack`), by the definition of each element.
use super::{Evaluator, Results, buffers::index, computation::Buffer, memory::Value, scalar::Failure};
use mdh_dialects::ir::{self, Op};

/// The operation that divides a tensor into tiles.
pub(super) const PACK: &str = "linalg.pack";
/// The operation that puts tiles together.
pub(super) const UNPACK: &str = "linalg.unpack";

impl Evaluator<'_> {
    /// A tensor in tiles, or the tensor that tiles make up. A tensor keeps the operands: the source, the destination, the
    /// padding of a packed tensor if there is one, and the dynamic sizes of tiles.
    pub(super) fn tiles(&mut self, operation: Op<'_>, operands: &[Value]) -> Results {
        let fail = |message: &str| Failure::at(operation, message);
        let is_pack = ir::name(operation) == PACK;
        let content = |position: usize| {
            let value = operands.get(position).ok_or_else(|| fail("requires 2 tensors"))?;
            self.memory.content(value).map_err(|message| fail(&message))
        };
        let (source, destination) = (content(0)?, content(1)?);
        let (whole, packed) = if is_pack { (&source, &destination) } else { (&destination, &source) };
        let (sizes, packed) = (whole.array.shape.clone(), packed.array.shape.clone());
        let tiles = Tiles::of(operation, operands, sizes.len()).ok_or_else(|| fail("requires tiles"))?;
        let is_tiled = packed.len() == sizes.len() + tiles.positions.len()
            && tiles.sizes.iter().zip(&packed[sizes.len().min(packed.len())..]).all(|(tile, size)| tile == size);
        if !is_tiled || !(0..sizes.len()).all(|d| packed[tiles.outer(d)] * tiles.size(d) >= sizes[d]) {
            return Err(fail(&format!("requires tiles of shape {sizes:?}, but they have shape {packed:?}")));
        }
        let mut result = Buffer::clone(&destination);
        let padding = operands.get(2).filter(|_| is_pack && tiles.has_padding);
        for position in 0..result.array.len() {
            let at = result.array.position(position);
            let from = match is_pack {
                true => tiles.element(&at, &sizes),
                false => Some(tiles.place(&at)),
            };
            match (from, padding) {
                (Some(from), _) => {
                    let shape = &source.array.shape;
                    let from = from.iter().zip(shape).fold(0, |linear, (index, size)| linear * size + index);
                    result.set(position, source.array.get(from), source.is_defined(from), source.error(from));
                }
                (None, Some(Value::Scalar(slot, error))) => result.set(position, *slot, true, *error),
                (None, _) => return Err(fail("requires a padding value, because the last tiles are not full")),
            }
        }
        self.written(operation, &operands[1], None, result)
    }
}

/// How a tensor is divided into tiles.
struct Tiles {
    /// By outer axis of the packed tensor: the dimension.
    order: Vec<usize>,
    /// By inner axis: the dimension.
    positions: Vec<usize>,
    /// By inner axis: the size of a tile.
    sizes: Vec<usize>,
    has_padding: bool,
}

impl Tiles {
    fn of(operation: Op<'_>, operands: &[Value], rank: usize) -> Option<Self> {
        let numbers = |name: &str| ir::attribute(operation, name).and_then(ir::dense_array_attribute);
        let axes = |name: &str| -> Option<Vec<usize>> {
            numbers(name).unwrap_or_default().into_iter().map(|axis| usize::try_from(axis).ok()).collect()
        };
        let fixed = numbers("static_inner_tiles")?;
        let open = fixed.iter().filter(|size| **size == ir::DYNAMIC).count();
        let mut dynamic = operands[operands.len().checked_sub(open)?..].iter();
        let mut size = |size: i64| match size {
            ir::DYNAMIC => usize::try_from(index(dynamic.next()?)?).ok(),
            size => usize::try_from(size).ok(),
        };
        let sizes = fixed.iter().map(|known| size(*known)).collect::<Option<Vec<_>>>()?;
        let order = Some(axes("outer_dims_perm")?).filter(|order| !order.is_empty());
        let (order, positions) = (order.unwrap_or_else(|| (0..rank).collect()), axes("inner_dims_pos")?);
        let is_valid = order.len() == rank && positions.len() == sizes.len() && sizes.iter().all(|size| *size > 0);
        is_valid.then_some(Self { order, positions, sizes, has_padding: operands.len() - open > 2 })
    }

    /// The outer axis of a dimension.
    fn outer(&self, d: usize) -> usize {
        self.order.iter().position(|other| *other == d).unwrap_or_default()
    }

    /// The inner axis of a dimension, counted from the first one.
    fn inner(&self, d: usize) -> Option<usize> {
        self.positions.iter().position(|other| *other == d)
    }

    fn size(&self, d: usize) -> usize {
        self.inner(d).map_or(1, |inner| self.sizes[inner])
    }

    /// The element of the tensor that a place in the tiles has; `None` if it is beyond the tensor.
    fn element(&self, place: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
        let inside = |d: usize| self.inner(d).map_or(0, |inner| place[sizes.len() + inner]);
        let index = |d: usize| place[self.outer(d)] * self.size(d) + inside(d);
        (0..sizes.len()).map(|d| Some(index(d)).filter(|index| *index < sizes[d])).collect()
    }

    /// The place of an element in the tiles.
    fn place(&self, element: &[usize]) -> Vec<usize> {
        let outer = self.order.iter().map(|d| element[*d] / self.size(*d));
        outer.chain(self.positions.iter().map(|d| element[*d] % self.size(*d))).collect()
    }
}

//! Siblings: two computations on the same points that read elements by the same access become one, with the results of
//! both.
//!
//! ```text
//! sums(i) = add over k of x(i, k)
//! maxima(j) = max over k of x(j, k)        ──▶        sums(i), maxima(i) = add, max over k of x(i, k), x(i, k)
//! ```
//!
//! The dimensions may have another order, but dimensions that are combined keep theirs, unless the function is exact:
//! the order of rounded sums is that of the program. Both have the same combine operators, dimension by dimension;
//! functions of reductions may differ by component, if they are built in. If one has initial values, the other one gets
//! the identities of its functions: their combination from the left changes no bit.
//!
//! Readers are joined before what they read, because siblings with one reader may be computed in parts of it
//! (`schedule/producers.rs`). For the same reason, a computation stays by itself if its only reader reads the common elements,
//! too, and does not read the results of the other one: in parts of its reader it reads them from a cache.
use super::{
    candidates::is_raised,
    compose::Row,
    elements::{Elements, MAX_ELEMENTS},
    extents,
    join::{accesses, join, renamed},
    motion, profit,
};
use crate::analysis::{
    computation::{Computation, InitialValue},
    extents::ExtentValue,
};
use mdh_dialects::{
    attributes::CONTRACT,
    hom::{CombineOperator, Function, Kind},
    ir::{self, Op, OpView, Val},
    view::{InpView, OutView},
};
use melior::ir::{TypeLike, ValueLike};

/// The most components of a joined computation: each may have a vector register for its accumulator.
const MAX_COMPONENTS: usize = 8;

/// Two computations that can be joined.
pub struct Pair<'c> {
    /// The first one, in whose place the joined one is.
    pub first: Computation<'c>,
    /// The second one.
    pub second: Computation<'c>,
    /// By dimension of the second one: that of the first one.
    pub dimensions: Vec<usize>,
    /// The operators of the joined one, by dimension.
    pub operators: Vec<CombineOperator>,
    /// The elements that both read.
    pub elements: Elements<'c>,
    /// The extents that are operands of its view.
    pub extents: Vec<Val<'c>>,
    /// The operations that the second one depends on, which move before the first one.
    pub moved: Vec<Op<'c>>,
}

/// Joins siblings. `all`: also computations that have not been raised.
pub fn run(root: Op<'_>, all: bool) {
    let mut views = OutView::all(root);
    while let Some(view) = views.pop() {
        let Some(second) = candidate(view, all) else { continue };
        let pair = earlier(&second, &views).into_iter().find_map(|position| {
            let pair = Pair::of(candidate(views[position], all)?, second.clone())?;
            Some((position, pair))
        });
        if let Some((position, pair)) = pair {
            // The order of the views stays that of the program: what moves is before the joined one.
            let moved: Vec<_> = pair.moved.iter().filter_map(|operation| OutView::cast(*operation)).collect();
            views.retain(|view| !pair.moved.contains(&view.op()));
            views.splice(position..=position, moved.into_iter().chain([join(pair)]));
        }
    }
}

/// The computation of a view, if it may be joined with others.
fn candidate(view: OutView<'_>, all: bool) -> Option<Computation<'_>> {
    let computation = Computation::from_out_view(view)?;
    let hom = computation.md_hom()?;
    let is_plain = hom.schedule().is_none() && !hom.is_homomorphism();
    (is_plain && (all || is_raised(&computation))).then_some(computation)
}

/// The positions of the views in the same block of computations that read one of the buffers, last first.
fn earlier<'c>(of: &Computation<'c>, views: &[OutView<'c>]) -> Vec<usize> {
    let readers = of.inp_view.buffers().into_iter().flat_map(ir::users).filter_map(InpView::cast);
    let steps = readers.flat_map(|view| ir::users(view.result())).flat_map(ir::results);
    let ends: Vec<_> = steps.flat_map(ir::users).collect();
    let block = ir::block(of.out_view.op());
    let is_near = |view: OutView<'c>| ends.contains(&view.op()) && ir::block(view.op()) == block;
    (0..views.len()).rev().filter(|position| is_near(views[*position])).collect()
}

impl<'c> Pair<'c> {
    /// Two computations in the order of the program, if it is legal to join them, and pays off.
    fn of(first: Computation<'c>, second: Computation<'c>) -> Option<Self> {
        let count = first.output_types.len() + second.output_types.len();
        if first.rank() != second.rank() || count > MAX_COMPONENTS || !have_outputs_alike(&first, &second) {
            return None;
        }
        // One of the sums would be fused with its product, or not, against the program.
        let [contracts, other] = [&first, &second].map(|of| ir::attribute(of.hom.op(), CONTRACT));
        if contracts != other {
            return None;
        }
        let (dimensions, common) = dimensions(&first, &second)?;
        let mut elements = Elements::default();
        accesses(&first).into_iter().for_each(|(value, rows)| elements.add(value, &rows));
        accesses(&second).into_iter().for_each(|(value, rows)| elements.add(value, &renamed(rows, &dimensions)));
        let operators = (0..first.rank()).map(|d| {
            let other = dimensions.iter().position(|image| *image == d)?;
            joined(&first.operators[d], &second.operators[other])
        });
        let operators = operators.collect::<Option<Vec<_>>>()?;
        let pays_off = elements.list.len() <= MAX_ELEMENTS
            && profit::joining_pays_off(&first, &second, &common)
            && !has_better_place(&first, &second, &common)
            && !has_better_place(&second, &first, &common);
        if !pays_off {
            return None;
        }
        let extents = extents(&first, &second, &dimensions, &elements)?;
        let moved = motion::before(&first, &second)?;
        Some(Self { first, second, dimensions, operators, elements, extents, moved })
    }
}

/// True if the outputs of both can be those of one view: all are new, or all are destinations, each another one.
fn have_outputs_alike(first: &Computation<'_>, second: &Computation<'_>) -> bool {
    let (own, other) = (first.out_view.destinations(), second.out_view.destinations());
    let is_memref = |value: Val<'_>| value.r#type().is_mem_ref();
    let mut buffers = first.out_view.buffers().into_iter().chain(second.out_view.buffers()).map(is_memref);
    let kind = buffers.next();
    own.is_empty() == other.is_empty()
        && buffers.all(|is_memref| Some(is_memref) == kind)
        && !own.iter().any(|destination| other.contains(destination))
}

/// The operator of a dimension of the joined computation.
fn joined(first: &CombineOperator, second: &CombineOperator) -> Option<CombineOperator> {
    let kinds = |operator: &CombineOperator| match operator.function() {
        Some(Function::Builtin(kinds)) => Some(kinds.clone()),
        Some(Function::Symbol(_)) | None => None,
    };
    match (first, second) {
        (CombineOperator::Concatenation, CombineOperator::Concatenation) => Some(CombineOperator::Concatenation),
        (CombineOperator::PointWise(_), CombineOperator::PointWise(_)) => {
            Some(CombineOperator::PointWise(Function::Builtin([kinds(first)?, kinds(second)?].concat())))
        }
        (CombineOperator::PrefixSum(_), CombineOperator::PrefixSum(_)) => {
            let kinds = [kinds(first)?, kinds(second)?].concat();
            let is_one = kinds.windows(2).all(|pair| pair[0] == pair[1]);
            is_one.then_some(CombineOperator::PrefixSum(Function::Builtin(kinds)))
        }
        _ => None,
    }
}

/// Buffers, each with the index functions of an access to it.
type CommonElements<'c> = Vec<(Val<'c>, Vec<Row>)>;

/// By dimension of the second computation, that of the first one, and the elements that are read by the same access then.
/// Of all orders in which an access of both is the same, the one with the most common elements.
fn dimensions<'c>(first: &Computation<'c>, second: &Computation<'c>) -> Option<(Vec<usize>, CommonElements<'c>)> {
    let (own, other) = (accesses(first), accesses(second));
    let mut best: Option<(Vec<usize>, CommonElements<'c>)> = None;
    for (value, rows) in &own {
        for (_, others) in other.iter().filter(|(known, _)| known == value) {
            let Some(order) = order(first, second, rows, others) else { continue };
            let mut common: Vec<(Val<'c>, Vec<Row>)> = vec![];
            for (value, rows) in &other {
                let element = (*value, renamed(rows.clone(), &order));
                if own.contains(&element) && !common.contains(&element) {
                    common.push(element);
                }
            }
            if best.as_ref().is_none_or(|(_, known)| known.len() < common.len()) {
                best = Some((order, common));
            }
        }
    }
    best
}

/// By dimension of the second computation, that of the first one, if an access of both is the same then.
fn order(first: &Computation<'_>, second: &Computation<'_>, rows: &[Row], others: &[Row]) -> Option<Vec<usize>> {
    if !rows.iter().map(|(_, constant)| constant).eq(others.iter().map(|(_, constant)| constant)) {
        return None;
    }
    let mut order: Vec<usize> = vec![];
    for d in 0..second.rank() {
        let is_alike = |image: &usize| {
            first.domain.extent(*image) == second.domain.extent(d)
                && joined(&first.operators[*image], &second.operators[d]).is_some()
                && rows.iter().zip(others).all(|((own, _), (other, _))| own[*image] == other[d])
        };
        let images = [d].into_iter().chain(0..first.rank());
        let image = images.filter(|image| !order.contains(image)).find(is_alike)?;
        order.push(image);
    }
    let combined = |d: &usize| second.operators[*d].combines();
    let is_kept = (0..order.len()).filter(combined).map(|d| order[d]).is_sorted();
    (is_kept || is_exact(second)).then_some(order)
}

/// True if the order of the dimensions that are combined changes no bit of the results.
fn is_exact(computation: &Computation<'_>) -> bool {
    let is_exact = |operator: &CombineOperator| match operator {
        CombineOperator::Concatenation => true,
        CombineOperator::PointWise(Function::Builtin(kinds)) => kinds
            .iter()
            .zip(&computation.output_types)
            .all(|(kind, ty)| !ty.is_float() || matches!(kind, Kind::Min | Kind::Max)),
        CombineOperator::PointWise(Function::Symbol(_)) | CombineOperator::PrefixSum(_) => false,
    };
    computation.operators.iter().all(is_exact)
}

/// The extents of the joined computation that are operands of its view. `None` if dynamic extents are not the same values
/// in both computations and in the joined one, or if initial values have dynamic extents in another order.
fn extents<'c>(
    first: &Computation<'c>,
    second: &Computation<'c>,
    to: &[usize],
    elements: &Elements<'c>,
) -> Option<Vec<Val<'c>>> {
    let origin = |of: &Computation<'c>, d: usize| ExtentValue::of(of, d).map(ExtentValue::origin);
    let is_same = |d: usize| origin(first, to[d]) == origin(second, d);
    let has_operands = |init: &InitialValue<'c>| match init {
        InitialValue::Scalar(_) => false,
        InitialValue::Elements(view, _) => !view.extents().is_empty(),
    };
    let is_known = to.is_sorted() || !second.inits.iter().any(has_operands);
    extents::operands(first, elements).filter(|_| is_known && (0..second.rank()).all(is_same))
}

/// True if a computation is better computed in parts of its only reader, which reads a common element, too, but not the
/// results of the other computation.
fn has_better_place<'c>(own: &Computation<'c>, other: &Computation<'c>, common: &[(Val<'c>, Vec<Row>)]) -> bool {
    let has_parts = |d: usize| own.operators[d].keeps() && own.domain.extent(d) != Some(1);
    let Some(reader) = only_reader(own).filter(|_| own.domain.is_static() && (0..own.rank()).any(has_parts)) else {
        return false;
    };
    let reads = reader.buffers();
    common.iter().any(|(value, _)| reads.contains(value))
        && only_reader(other).is_none_or(|view| view.op() != reader.op())
}

/// The view that alone reads the results of a computation.
fn only_reader<'c>(computation: &Computation<'c>) -> Option<InpView<'c>> {
    let users: Vec<_> = computation.out_view.results().into_iter().flat_map(ir::users).collect();
    let (first, rest) = users.split_first()?;
    rest.iter().all(|user| user == first).then(|| InpView::cast(*first))?
}

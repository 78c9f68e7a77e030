//! Joins two computations to one: the components of the second one follow those of the first one.
use super::{
    candidates::is_raised,
    compose::{Row, rows},
    elements::Elements,
    siblings::Pair,
};
use crate::analysis::computation::Computation;
use mdh_dialects::{
    attributes::CONTRACT,
    hom::{CombineOperator, Index, MdHom, Yield},
    ir::{self, Builder, Op, OpView, Val},
    view::{IndexFunction, InpView, OutView, mda_type, mda_type_of},
};
use melior::ir::{Attribute, ValueLike};

/// Rows of the dimensions of one computation as rows of those of another one. `to`: by dimension, the other one.
pub fn renamed(of: Vec<Row>, to: &[usize]) -> Vec<Row> {
    let row = |(old, constant): Row| {
        let mut new = vec![0; old.len()];
        old.into_iter().zip(to).for_each(|(coefficient, d)| new[*d] = coefficient);
        (new, constant)
    };
    of.into_iter().map(row).collect()
}

/// Replaces two computations by one in the place of the first one.
pub fn join<'c>(pair: Pair<'c>) -> OutView<'c> {
    let Pair { first, second, dimensions, operators, mut elements, extents: operands, moved } = pair;
    let anchor = first.out_view.op();
    moved.into_iter().for_each(|operation| ir::move_before(operation, anchor));
    let b = Builder::before(anchor).located(first.hom.op());
    let (own, rank) = ((0..first.rank()).collect::<Vec<_>>(), first.rank());

    let types = elements.types();
    let (region, block) = b.region(&types);
    let inside = b.at_end(block);
    elements.arguments = ir::arguments(block);
    let mut yields = inlined(&inside, &elements, &first, &own);
    yields.extend(inlined(&inside, &elements, &second, &dimensions));
    Yield::build(&inside, &yields);

    let (buffers, lists) = elements.brackets(&b, rank);
    let extents: Vec<_> = first.domain.extents().collect();
    let view = InpView::build(&b, &buffers, &operands, &lists, mda_type_of(b.context, &extents, &types));
    let mut inits = initial_values(&b, &first, &second, &own);
    inits.extend(initial_values(&b, &second, &first, &dimensions));
    let reduced: Vec<_> = operators
        .iter()
        .zip(extents)
        .map(|(operator, extent)| if operator.reduces() { Some(1) } else { extent })
        .collect();
    let outputs = [&first.output_types[..], &second.output_types].concat();
    let combine: Vec<_> = operators.iter().map(|operator| operator.attribute(b.context)).collect();
    let mda = mda_type_of(b.context, &reduced, &outputs);
    let hom = MdHom::build(&b, view.result(), &inits, &combine, region, mda);
    if is_raised(&first) && is_raised(&second) {
        hom.set_raised();
    }
    if first.hom.is_ordered() || second.hom.is_ordered() {
        hom.set_ordered();
    }
    if let Some(contract) = ir::attribute(first.hom.op(), CONTRACT) {
        ir::set_attribute(hom.op(), CONTRACT, contract);
    }
    let second_names = renamed_names(&second.dimension_names(), &dimensions);
    if let Some(names) = [first.dimension_names(), second_names].into_iter().find(|names| names.len() == rank) {
        hom.set_dimension_names(&names);
    }
    replace(&b, hom, &first, (&second, &dimensions))
}

/// The names of the dimensions of one computation as names of those of another one, `to` by dimension.
fn renamed_names<'c>(names: &[&'c str], to: &[usize]) -> Vec<&'c str> {
    let name = |d| names.iter().zip(to).find(|(_, other)| **other == d).map(|(name, _)| *name);
    (0..to.len()).map_while(name).collect()
}

/// The results of the scalar function of a computation, in another one. `to`: by dimension, that of the other one.
fn inlined<'c>(b: &Builder<'c>, elements: &Elements<'c>, of: &Computation<'c>, to: &[usize]) -> Vec<Val<'c>> {
    let arguments = accesses(of).into_iter().map(|(value, rows)| elements.argument(value, &renamed(rows, to)));
    let arguments: Vec<_> = arguments.collect();
    let mut index = |here: &Builder<'c>, inner: Op<'c>| {
        let dimension = to[Index::cast(inner)?.dimension()];
        Some(vec![here.value(Index::NAME, &[], here.index(), &[("dimension", here.i64_number(dimension as i64))])])
    };
    of.hom.body().map_or_else(Vec::new, |body| b.inline_block(body, &arguments, &mut index))
}

/// The elements that a computation reads, by component.
pub fn accesses<'c>(computation: &Computation<'c>) -> Vec<(Val<'c>, Vec<Row>)> {
    let lists = computation.inp_view.accesses().unwrap_or_default();
    let rows = |access: &IndexFunction| rows(access, computation.rank());
    let buffers = computation.inp_view.buffers().into_iter().zip(lists);
    buffers.flat_map(|(value, list)| list.iter().map(|access| (value, rows(access))).collect::<Vec<_>>()).collect()
}

/// The initial values of a computation that is joined with another one: identities if only the other one has some. `to`:
/// by dimension, that of the joined one.
fn initial_values<'c>(b: &Builder<'c>, of: &Computation<'c>, other: &Computation<'c>, to: &[usize]) -> Vec<Val<'c>> {
    if !of.inits.is_empty() {
        return of.hom.inits().into_iter().map(|init| moved_view(b, init, to)).collect();
    }
    let function = of.operators.iter().find_map(CombineOperator::function).filter(|_| !other.inits.is_empty());
    let identity = function.and_then(|function| {
        let scope = of.hom.op();
        function.identity(b, scope, &of.output_types)
    });
    identity.unwrap_or_default()
}

/// An initial value next to the joined computation: nothing between the view and the computation overwrites the buffer.
fn moved_view<'c>(b: &Builder<'c>, init: Val<'c>, to: &[usize]) -> Val<'c> {
    let Some((view, (old, types))) = ir::defining(init).and_then(InpView::cast).zip(mda_type(init.r#type())) else {
        return init;
    };
    let mut extents = vec![None; to.len()];
    old.into_iter().zip(to).for_each(|(extent, d)| extents[*d] = extent);
    let lists = renamed_lists(b, view.accesses().unwrap_or_default(), to);
    let mda = mda_type_of(b.context, &extents, &types);
    InpView::build(b, &view.buffers(), &view.extents(), &lists, mda).result()
}

/// The accesses of a view as attributes, by buffer, with other dimensions.
fn renamed_lists<'c>(b: &Builder<'c>, lists: Vec<Vec<IndexFunction>>, to: &[usize]) -> Vec<Attribute<'c>> {
    let access =
        |access: &IndexFunction| IndexFunction::new(renamed(rows(access, to.len()), to)).attribute(b.context, to.len());
    lists.iter().map(|list| b.array(&list.iter().map(access).collect::<Vec<_>>())).collect()
}

/// Builds the view of the results, which replace those of both computations.
fn replace<'c>(
    b: &Builder<'c>,
    hom: MdHom<'c>,
    first: &Computation<'c>,
    (second, dimensions): (&Computation<'c>, &[usize]),
) -> OutView<'c> {
    let own: Vec<_> = (0..first.rank()).collect();
    let views = [first.out_view, second.out_view];
    let mut lists = renamed_lists(b, first.out_view.accesses().unwrap_or_default(), &own);
    lists.extend(renamed_lists(b, second.out_view.accesses().unwrap_or_default(), dimensions));
    let results: Vec<_> = views.iter().flat_map(|view| view.results()).collect();
    let destinations: Vec<_> = views.iter().flat_map(|view| view.destinations()).collect();
    let types: Vec<_> = results.iter().map(|result| result.r#type()).collect();
    let view = OutView::build(b, hom.result(), &destinations, &lists, &types);
    results.into_iter().zip(view.results()).for_each(|(old, new)| ir::replace_uses(old, new));
    for computation in [first, second] {
        let inits =
            computation.hom.inits().into_iter().filter_map(ir::defining).filter(|op| InpView::cast(*op).is_some());
        let inits: Vec<_> = inits.collect();
        ir::erase(computation.out_view.op());
        for operation in [computation.hom.op(), computation.inp_view.op()].into_iter().chain(inits) {
            if ir::block(operation).is_some() && ir::is_unused(operation) {
                ir::erase(operation);
            }
        }
    }
    view
}

//! Functions of the computation: its scalar function, and the combination of tuples.
use super::{
    emission::{Emission, Site},
    lanes::{self, lift},
    operators::CombineCode,
    vectorize,
};
use crate::nest::tree::{Combine, Scalar};
use mdh_dialects::{
    hom,
    ir::{self, Builder, OpView, Val},
};

impl<'c> Emission<'_, 'c> {
    /// Inlines the scalar function; its results are vectors if `scalar` has lanes.
    pub(super) fn scalar(&mut self, site: &Site<'c>, scalar: &Scalar) -> Vec<Val<'c>> {
        let Some(body) = ir::body(self.program.hom, 0) else { return vec![] };
        let values = vectorize::inline(&site.b, body, &site.operands, scalar.lanes, &mut |b, operation, lane| {
            let dimension = hom::Index::cast(operation)?.dimension();
            let Some(asked) = scalar.indices.iter().find(|index| index.dimension == dimension) else {
                unreachable!("the nest computes the index of dimension {dimension}")
            };
            self.block(b, asked.code);
            let [stride, inside] = [asked.stride, asked.inside].map(|index| index.map(|index| self.index(index)));
            Some(vec![lanes::index(b, scalar.lanes.zip(stride), self.index(asked.first), lane, inside)])
        });
        values.into_iter().map(|value| lift(&site.b, scalar.lanes, value)).collect()
    }

    /// Combines two tuples. The operands are the components of the left tuple, then those of the right one.
    pub(super) fn combine(&self, site: &Site<'c>, combine: Combine) -> Vec<Val<'c>> {
        let combiner = self.combiner();
        let (left, right) = site.operands.split_at(site.operands.len() / 2);
        match combine.accumulates {
            true => combiner.accumulate(&site.b, left, right),
            false => combiner.combine(&site.b, left, right, combine.lanes),
        }
    }

    /// Emits the identity of the combining function.
    pub(super) fn identity(&self, b: &Builder<'c>) -> Vec<Val<'c>> {
        self.combiner().identity(b).unwrap_or_else(|| unreachable!("the combining function has an identity"))
    }

    /// Emits the constant initial value of a component.
    pub(super) fn initial(&self, b: &Builder<'c>, component: usize) -> Vec<Val<'c>> {
        let constant = self.program.inits.get(component).copied().flatten().and_then(ir::defining);
        let constant = constant.unwrap_or_else(|| unreachable!("initial value {component} is a constant"));
        ir::results(b.clone_operation(constant))
    }

    fn combiner(&self) -> &CombineCode<'c> {
        self.combiner.as_ref().unwrap_or_else(|| unreachable!("what is combined has a function"))
    }
}

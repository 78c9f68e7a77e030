//! The results of an operator for all pairs of tuples of its domain.
use super::{
    domain::ValueDomain,
    program::SelectionProgram,
    scalar::{ScalarType, number, text},
};

/// An operator, and how it is used.
pub struct Claim<'a> {
    /// The operator.
    pub program: &'a SelectionProgram,
    /// By component: true if a result has it.
    pub observed: &'a [bool],
    /// The component of the points that is the index of the only reduction, from 0 to less than the largest number.
    pub index: Option<usize>,
    /// The initial value, if it is constant.
    pub initial: Option<Vec<u64>>,
}

/// The most tuples that are enumerated: all triples of them take some 100 ms.
const MAX_TUPLES: usize = 320;

/// Results, by the numbers of tuples.
pub struct CombinationTable {
    types: Vec<ScalarType>,
    /// By component: the values.
    columns: Vec<Vec<u64>>,
    /// The tuples.
    pub tuples: Vec<Vec<u64>>,
    /// By tuple: true if it can be an identity.
    is_constant: Vec<bool>,
    /// By pair: the result in the order of the index.
    results: Vec<usize>,
    /// By pair: the result in the order of the pair.
    in_order: Vec<usize>,
    /// By tuple: the one that it cannot be told from.
    same: Vec<usize>,
}

impl CombinationTable {
    /// Evaluates an operator. `index`: the component by whose order the tuples of a pair are combined. `has_initial`: the
    /// initial value is one of the tuples.
    pub fn of(claim: &Claim<'_>, index: Option<usize>, has_initial: bool) -> Result<Self, String> {
        let types = claim.program.types.clone();
        let (columns, constants) = columns(claim, index, has_initial);
        let count = columns.iter().try_fold(1usize, |count, column| count.checked_mul(column.len()));
        let count = count.filter(|count| *count <= MAX_TUPLES).ok_or_else(|| {
            format!("requires an operator with at most {MAX_TUPLES} different cases of a tuple, but it has more")
        })?;
        let mut table = Self {
            types,
            columns,
            tuples: vec![],
            is_constant: vec![],
            results: vec![],
            in_order: vec![],
            same: vec![],
        };
        for number in 0..count {
            let mut rest = number;
            let mut next = |column: &Vec<u64>| {
                let position = rest % column.len();
                rest /= column.len();
                position
            };
            let positions: Vec<_> = table.columns.iter().map(&mut next).collect();
            table.is_constant.push(positions.iter().zip(&constants).all(|(position, column)| column[*position]));
            let values = positions.iter().zip(&table.columns).map(|(position, column)| column[*position]);
            table.tuples.push(values.collect());
        }
        table.evaluate(claim.program, index)?;
        table.merge_zeros(claim.observed)?;
        Ok(table)
    }

    fn evaluate(&mut self, program: &SelectionProgram, index: Option<usize>) -> Result<(), String> {
        let mut scratch = vec![];
        for a in &self.tuples {
            for b in &self.tuples {
                let result = self.find(&program.evaluate(a, b, &mut scratch))?;
                self.in_order.push(result);
            }
        }
        let all = 0..self.tuples.len();
        let is_swapped = |a, b| index.is_some_and(|index| self.number(a, index) > self.number(b, index));
        let result = |a, b| if is_swapped(a, b) { self.source(b, a) } else { self.source(a, b) };
        self.results = all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).map(|(a, b)| result(a, b)).collect();
        Ok(())
    }

    /// Zeros of components that no result has are equal, if combinations keep them so: they are only compared.
    fn merge_zeros(&mut self, observed: &[bool]) -> Result<(), String> {
        let merged = |tuple: &Vec<u64>| {
            let zero = |((value, observed), ty): ((&u64, &bool), &ScalarType)| {
                let is_zero = *ty == ScalarType::Float && f64::from_bits(*value) == 0.0;
                if is_zero && !observed { 0 } else { *value }
            };
            self.find(&tuple.iter().zip(observed).zip(&self.types).map(zero).collect::<Vec<_>>())
        };
        self.same = self.tuples.iter().map(merged).collect::<Result<_, _>>()?;
        let all = || 0..self.tuples.len();
        let is_kept = |a: usize, b: usize| {
            let with = self.same[a];
            self.is_same(self.result(a, b), self.result(with, b))
                && self.is_same(self.result(b, a), self.result(b, with))
        };
        if !all().filter(|a| self.same[*a] != *a).all(|a| all().all(|b| is_kept(a, b))) {
            self.same = all().collect();
        }
        Ok(())
    }

    /// The number of a tuple.
    pub fn find(&self, tuple: &[u64]) -> Result<usize, String> {
        let (mut number, mut factor) = (0, 1);
        for (value, column) in tuple.iter().zip(&self.columns) {
            let position = column.iter().position(|known| known == value);
            number += position.ok_or("requires an operator that selects one of the values")? * factor;
            factor *= column.len();
        }
        Ok(number)
    }

    /// The combination of two tuples.
    pub fn result(&self, a: usize, b: usize) -> usize {
        self.results[a * self.tuples.len() + b]
    }

    /// The combination of two tuples in this order.
    pub fn source(&self, a: usize, b: usize) -> usize {
        self.in_order[a * self.tuples.len() + b]
    }

    /// The tuples that points are: all, or those with an index.
    pub fn points(&self, index: Option<usize>) -> Vec<usize> {
        let all = 0..self.tuples.len();
        let Some(component) = index else { return all.collect() };
        let largest = all.clone().map(|tuple| self.number(tuple, component)).max().unwrap_or_default();
        all.filter(|tuple| (0..largest).contains(&self.number(*tuple, component))).collect()
    }

    /// A tuple that changes none of these tuples, and not itself.
    pub fn identity(&self, tuples: &[usize]) -> Option<Vec<u64>> {
        let keeps = |e: usize, a: usize| self.is_same(self.result(e, a), a) && self.is_same(self.result(a, e), a);
        let is_identity = |e: &usize| keeps(*e, *e) && tuples.iter().all(|a| keeps(*e, *a));
        let found = (0..self.tuples.len()).filter(|e| self.is_constant[*e]).find(is_identity)?;
        Some(self.tuples[found].clone())
    }

    /// Requires that three tuples have the same combination in both ways.
    pub fn associative(&self, [a, b, c]: [usize; 3]) -> Result<(), String> {
        if self.is_same(self.result(self.result(a, b), c), self.result(a, self.result(b, c))) {
            return Ok(());
        }
        let example = self.example(&[a, b, c]);
        Err(format!("requires an associative operator f, but f(f(a, b), c) and f(a, f(b, c)) differ for {example}"))
    }

    /// Requires that two tuples have the same combination in both orders.
    pub fn commutative(&self, [a, b]: [usize; 2]) -> Result<(), String> {
        if self.is_same(self.result(a, b), self.result(b, a)) {
            return Ok(());
        }
        let example = self.example(&[a, b]);
        Err(format!("requires a commutative operator f, but f(a, b) and f(b, a) differ for {example}"))
    }

    /// True if two tuples cannot be told apart.
    pub fn is_same(&self, a: usize, b: usize) -> bool {
        self.same[a] == self.same[b]
    }

    /// The integer that a component of a tuple is.
    pub fn number(&self, tuple: usize, component: usize) -> i64 {
        number(self.tuples[tuple][component], self.types[component])
    }

    /// Tuples as text: `a = (1.0, 0), b = (NaN, 1)`.
    pub fn example(&self, tuples: &[usize]) -> String {
        let one = |(name, tuple): (char, &usize)| {
            let values = self.tuples[*tuple].iter().zip(&self.types).map(|(bits, ty)| text(*bits, *ty));
            format!("{name} = ({})", values.collect::<Vec<_>>().join(", "))
        };
        ('a'..).zip(tuples).map(one).collect::<Vec<_>>().join(", ")
    }
}

/// By component: the values, and which of them can be those of an identity.
fn columns(claim: &Claim<'_>, index: Option<usize>, has_initial: bool) -> (Vec<Vec<u64>>, Vec<Vec<bool>>) {
    let types = &claim.program.types;
    let classes = claim.program.classes();
    let column = |component: usize| {
        let ty = types[component];
        let class = classes.iter().find(|class| class.components.contains(&component));
        let Some(class) = class else { return (vec![], vec![]) };
        // The initial value and 0, the first index, are constants of laws.
        let initial = claim.initial.iter().flat_map(|initial| class.components.iter().map(|c| initial[*c]));
        let zero = index.filter(|index| class.components.contains(index)).map(|_| 0);
        let others: Vec<_> = initial.filter(|_| has_initial).chain(zero).collect();
        let is_compared = class.is_compared || zero.is_some();
        let mut domain = ValueDomain::of((class, is_compared), ty, &others);
        if index == Some(component) && class.components.len() == 1 {
            // Indices are not negative, but that of the initial value may be.
            domain.retain(|value| number(value, ty) >= 0 || others.contains(&value));
        }
        (domain.values, domain.is_constant)
    };
    (0..types.len()).map(column).unzip()
}

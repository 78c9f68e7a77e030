//! The results of an operator for all pairs of tuples of its domain.
use super::{
    Claim,
    domain::ValueDomain,
    program::Program,
    scalar::{ScalarType, number, text},
};

/// The most tuples that are enumerated: all triples of them take some 50 ms.
const MAX_TUPLES: usize = 256;

/// Results, by the numbers of tuples.
pub struct Table {
    types: Vec<ScalarType>,
    /// By component: the values.
    columns: Vec<Vec<u64>>,
    /// The tuples.
    pub tuples: Vec<Vec<u64>>,
    /// By tuple: true if it can be an identity.
    pub is_constant: Vec<bool>,
    /// By pair: the result.
    results: Vec<usize>,
    /// By tuple: the one that it cannot be told from.
    same: Vec<usize>,
}

impl Table {
    /// Evaluates an operator. `index`: the component by whose order the tuples of a pair are combined.
    pub fn of(claim: &Claim<'_>, index: Option<usize>) -> Result<Self, String> {
        let types = claim.program.types.clone();
        let (columns, constants) = columns(claim, index);
        let count = columns.iter().try_fold(1usize, |count, column| count.checked_mul(column.len()));
        let count = count.filter(|count| *count <= MAX_TUPLES).ok_or_else(|| {
            format!("requires an operator with at most {MAX_TUPLES} different cases of a tuple, but it has more")
        })?;
        let mut table = Self { types, columns, tuples: vec![], is_constant: vec![], results: vec![], same: vec![] };
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

    fn evaluate(&mut self, program: &Program, index: Option<usize>) -> Result<(), String> {
        let mut scratch = vec![];
        for (i, a) in self.tuples.iter().enumerate() {
            for (j, b) in self.tuples.iter().enumerate() {
                let is_swapped = index.is_some_and(|index| self.number(i, index) > self.number(j, index));
                let (first, second) = if is_swapped { (b, a) } else { (a, b) };
                let result = self.find(&program.evaluate(first, second, &mut scratch))?;
                self.results.push(result);
            }
        }
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
fn columns(claim: &Claim<'_>, index: Option<usize>) -> (Vec<Vec<u64>>, Vec<Vec<bool>>) {
    let types = &claim.program.types;
    let classes = claim.program.classes();
    let column = |component: usize| {
        let ty = types[component];
        let class = classes.iter().find(|class| class.components.contains(&component));
        let Some(class) = class else { return (vec![], vec![]) };
        // In the order of an index, the initial value and 0, the first index, are constants of the laws.
        let initial = claim.initial.iter().flat_map(|initial| class.components.iter().map(|c| initial[*c]));
        let zero = index.filter(|index| class.components.contains(index)).map(|_| 0);
        let others: Vec<_> = initial.filter(|_| index.is_some()).chain(zero).collect();
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

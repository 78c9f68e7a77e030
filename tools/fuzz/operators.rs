//! Combining functions: built-in kinds, and user operators composed of small rules with known algebraic laws.
use crate::fuzz::{buffer::Scalar, scalar::Writer};
use serde::{Deserialize, Serialize};

/// The function of all combine operators of a program except concatenations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Combine {
    /// Built-in kinds, one for each component, printed as one kind if `single`.
    Builtin {
        /// The kind of each component: `add`, `mul`, …
        kinds: Vec<String>,
        /// True if printed without brackets; all kinds are equal.
        single: bool,
    },
    /// A user operator.
    User {
        /// The rules, applied to consecutive components.
        rules: Vec<Rule>,
        /// True if the operator declares its identity.
        identity: bool,
        /// True if selections are branches.
        branch: bool,
    },
}

/// A rule of a user operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// `a + b`
    Sum,
    /// `a + b + 1`, with the identity -1
    SumAndOne,
    /// `a * b + a + b`, with the identity 0
    ProductLike,
    /// The maximum.
    Largest,
    /// The left operand: not commutative.
    Left,
    /// The right operand: not commutative.
    Right,
    /// `(a, i)` with the larger a, and the smaller i for equal a
    Best,
    /// The product of complex numbers.
    Complex,
    /// The composition of linear functions `a * x + b`: not commutative.
    Compose,
    /// The product of 2 x 2 matrices: not commutative.
    Matrix,
}

impl Rule {
    /// The number of components.
    pub fn arity(self) -> usize {
        match self {
            Self::Best | Self::Complex | Self::Compose => 2,
            Self::Matrix => 4,
            _ => 1,
        }
    }

    /// Returns true if the rule is commutative.
    pub fn is_commutative(self) -> bool {
        !matches!(self, Self::Left | Self::Right | Self::Compose | Self::Matrix)
    }

    /// Maximum number of prefix-sum dimensions with this rule. With several dimensions, the results must not depend on
    /// the order in which dimensions are combined. Point-wise dimensions count as infinitely many, because they require
    /// a commutative rule.
    pub fn most_dimensions(self) -> usize {
        match self {
            Self::Left | Self::Right => usize::MAX - 1,
            Self::Compose | Self::Matrix => 1,
            _ => usize::MAX,
        }
    }

    /// Returns true if the rule has an identity in these types.
    pub fn has_identity(self, types: &[Scalar]) -> bool {
        match self {
            Self::Left | Self::Right => false,
            Self::Largest | Self::Best => {
                !types[0].is_float() && types[0] != Scalar::I1 && types.last() != Some(&Scalar::I1)
            }
            _ => true,
        }
    }

    /// Returns true if the rule can combine components of these types.
    pub fn accepts(self, types: &[Scalar]) -> bool {
        let integers = types.iter().all(|t| !t.is_float());
        let equal = types.iter().all(|t| *t == types[0]);
        match self {
            Self::Sum | Self::Largest | Self::Left | Self::Right => true,
            Self::SumAndOne | Self::ProductLike => integers,
            Self::Best => !types[1].is_float(),
            Self::Complex | Self::Compose | Self::Matrix => integers && equal,
        }
    }

    /// The identity of each component, as integers.
    fn identity(self, types: &[Scalar]) -> Vec<i64> {
        let smallest = |t: Scalar| if t.width() == 64 { i64::MIN } else { -(1i64 << (t.width() - 1)) };
        match self {
            Self::SumAndOne => vec![-1],
            Self::Largest => vec![smallest(types[0])],
            Self::Best => vec![smallest(types[0]), !smallest(types[1])],
            Self::Complex | Self::Compose => vec![1, 0],
            Self::Matrix => vec![1, 0, 0, 1],
            _ => vec![0],
        }
    }

    fn write(self, w: &mut Writer<'_>, types: &[Scalar], a: &[String], b: &[String], branch: bool) -> Vec<String> {
        let t = types[0];
        let mut op = |name: &str, x: &str, y: &str| w.arithmetic(name, x, y, t);
        let mut dot = |x: &[&String], y: &[&String]| {
            let (first, second) = (op("mul", x[0], y[0]), op("mul", x[1], y[1]));
            op("add", &first, &second)
        };
        match self {
            Self::Sum => vec![op("add", &a[0], &b[0])],
            Self::SumAndOne => {
                let sum = op("add", &a[0], &b[0]);
                let one = w.constant(1.0, t);
                vec![w.arithmetic("add", &sum, &one, t)]
            }
            Self::ProductLike => {
                let product = op("mul", &a[0], &b[0]);
                let sum = op("add", &product, &a[0]);
                vec![op("add", &sum, &b[0])]
            }
            Self::Left => a.to_vec(),
            Self::Right => b.to_vec(),
            Self::Largest => {
                let keep = w.compare("ge", &a[0], &b[0], t);
                w.simple_from_data(&keep, a, b, types, branch)
            }
            Self::Best => {
                let (larger, equal) = (w.compare("gt", &a[0], &b[0], t), w.compare("eq", &a[0], &b[0], t));
                let smaller = w.compare("le", &a[1], &b[1], types[1]);
                let tie = w.arithmetic("and", &equal, &smaller, Scalar::I1);
                let keep = w.arithmetic("or", &larger, &tie, Scalar::I1);
                w.simple_from_data(&keep, a, b, types, branch)
            }
            Self::Complex => {
                let (first, second) = (op("mul", &a[0], &b[0]), op("mul", &a[1], &b[1]));
                let real = op("sub", &first, &second);
                let (first, second) = (op("mul", &a[0], &b[1]), op("mul", &a[1], &b[0]));
                vec![real, op("add", &first, &second)]
            }
            Self::Compose => {
                let factor = op("mul", &a[0], &b[0]);
                let scaled = op("mul", &a[0], &b[1]);
                vec![factor, op("add", &scaled, &a[1])]
            }
            Self::Matrix => vec![
                dot(&[&a[0], &a[1]], &[&b[0], &b[2]]),
                dot(&[&a[0], &a[1]], &[&b[1], &b[3]]),
                dot(&[&a[2], &a[3]], &[&b[0], &b[2]]),
                dot(&[&a[2], &a[3]], &[&b[1], &b[3]]),
            ],
        }
    }
}

impl Combine {
    /// The parameter of the attribute, as in `#mdh.pw<add>`.
    pub fn parameter(&self) -> String {
        match self {
            Self::Builtin { kinds, single: true } => kinds[0].clone(),
            Self::Builtin { kinds, single: false } => format!("[{}]", kinds.join(", ")),
            Self::User { .. } => "@combine".to_owned(),
        }
    }

    /// Returns true if the function is commutative.
    pub fn is_commutative(&self) -> bool {
        match self {
            Self::Builtin { .. } => true,
            Self::User { rules, .. } => rules.iter().all(|rule| rule.is_commutative()),
        }
    }

    /// Returns true if an identity is declared or built in.
    pub fn has_identity(&self) -> bool {
        match self {
            Self::Builtin { .. } => true,
            Self::User { identity, .. } => *identity,
        }
    }

    /// `add` or `mul` if a component is combined by addition or multiplication, which floats compute exactly only for
    /// small numbers.
    pub fn grows(&self, component: usize) -> Option<&str> {
        match self {
            Self::Builtin { kinds, .. } => {
                Some(kinds[component].as_str()).filter(|kind| matches!(*kind, "add" | "mul"))
            }
            Self::User { rules, .. } => {
                let mut first = 0;
                let rule = rules.iter().find(|rule| {
                    first += rule.arity();
                    first > component
                });
                (rule == Some(&Rule::Sum)).then_some("add")
            }
        }
    }

    /// The `mdh.hom.operator` of a user operator on components of these types.
    pub fn declaration(&self, types: &[Scalar]) -> String {
        let Self::User { rules, identity, branch } = self else { return String::new() };
        let names = |side: &str| -> Vec<_> { (0..types.len()).map(|i| format!("%{side}{i}")).collect() };
        let (left, right) = (names("a"), names("b"));
        let typed = |names: &[String]| -> Vec<_> {
            names.iter().zip(types).map(|(n, t)| format!("{n}: {}", t.name())).collect()
        };
        let parameters = [typed(&left), typed(&right)].concat().join(", ");
        let list: Vec<_> = types.iter().map(|t| t.name()).collect();
        let list = list.join(", ");
        let mut w = Writer::new(&[], 2);
        let mut results = vec![];
        let mut constants = Writer::new(&[], 2);
        let mut neutral = vec![];
        let mut first = 0;
        for rule in rules {
            let range = first..first + rule.arity();
            let own = &types[range.clone()];
            results.extend(rule.write(&mut w, own, &left[range.clone()], &right[range], *branch));
            if *identity {
                // Of floats, only sums have an identity, -0.0: 0.0 plus -0.0 is 0.0.
                neutral.extend(rule.identity(own).into_iter().zip(own).map(|(value, t)| match t.is_float() {
                    true => constants.constant(-0.0, *t),
                    false => constants.integer(value, *t),
                }));
            }
            first += rule.arity();
        }
        let commutative = if self.is_commutative() { " commutative" } else { "" };
        let body = format!("{}    mdh.hom.yield {} : {list}\n", w.finish(), results.join(", "));
        let identity = match identity {
            true => {
                format!(" identity {{\n{}    mdh.hom.yield {} : {list}\n  }}", constants.finish(), neutral.join(", "))
            }
            false => String::new(),
        };
        format!("  mdh.hom.operator @combine{commutative} ({parameters}) -> ({list}) {{\n{body}  }}{identity}\n")
    }
}

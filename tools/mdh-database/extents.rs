//! The extents of the computations of a function: `[[1024, 1024, 512], [8, dynamic]]` <-> `1024,1024,512;8,?`.
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The extents of each dimension of each computation of a function, in order; `None` is dynamic.
///
/// As text, a semicolon separates computations and a comma dimensions; `?` is a dynamic extent, and `-` a computation
/// without dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Extents(pub Vec<Vec<Option<u64>>>);

impl Extents {
    /// Returns how different two sizes of a computation are: the Euclidean distance of the base-2 logarithms of their
    /// extents, so that a factor of two in one dimension is 1. `None` if their numbers of computations or dimensions
    /// differ, or if an extent is dynamic in only one of them.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        let same_ranks = self.0.iter().map(Vec::len).eq(other.0.iter().map(Vec::len));
        let pairs = self.0.iter().flatten().zip(other.0.iter().flatten());
        let squares = pairs.map(|pair| match pair {
            (Some(a), Some(b)) => Some((logarithm(*a) - logarithm(*b)).powi(2)),
            (None, None) => Some(0.0),
            _ => None,
        });
        let sum = squares.sum::<Option<f64>>()?;
        same_ranks.then(|| sum.sqrt())
    }
}

/// Returns the base-2 logarithm of an extent. That of 0 counts as half of that of 1, so that distances are finite.
fn logarithm(extent: u64) -> f64 {
    if extent == 0 { -1.0 } else { (extent as f64).log2() }
}

impl fmt::Display for Extents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = |extent: &Option<u64>| extent.map_or_else(|| "?".to_owned(), |extent| extent.to_string());
        let computation = |extents: &Vec<Option<u64>>| match extents.is_empty() {
            true => "-".to_owned(),
            false => extents.iter().map(extent).collect::<Vec<_>>().join(","),
        };
        formatter.write_str(&self.0.iter().map(computation).collect::<Vec<_>>().join(";"))
    }
}

impl FromStr for Extents {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let extent = |text: &str| match text {
            "?" => Some(None),
            // Only the form that is printed: no sign, no leading zeros.
            _ => text.parse::<u64>().ok().filter(|extent| extent.to_string() == text).map(Some),
        };
        let computation = |text: &str| match text {
            "-" => Some(vec![]),
            _ => text.split(',').map(extent).collect::<Option<Vec<_>>>(),
        };
        if text.is_empty() {
            return Ok(Self::default());
        }
        let all = text.split(';').map(computation).collect::<Option<Vec<_>>>();
        all.map(Self).ok_or_else(|| format!("extents require a form such as 1024,512;8,?, but they are '{text}'"))
    }
}

impl From<Extents> for String {
    fn from(extents: Extents) -> Self {
        extents.to_string()
    }
}

impl TryFrom<String> for Extents {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn extents(text: &str) -> Extents {
        text.parse().unwrap()
    }

    #[test]
    fn text() {
        assert_eq!(extents("1024,1024,512;8,?").0, [vec![Some(1024), Some(1024), Some(512)], vec![Some(8), None]]);
        assert_eq!(extents("").0, [[]; 0]);
        assert_eq!(extents("-;3").0, [vec![], vec![Some(3)]]);
        for malformed in
            [",", ";", "1,", "1;", "x", "-1", "+1", "01", " 1", "1 ", "1.0", "--", "?,-", "99999999999999999999"]
        {
            let error = malformed.parse::<Extents>().unwrap_err();
            assert_eq!(error, format!("extents require a form such as 1024,512;8,?, but they are '{malformed}'"));
        }
    }

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| extents(a).distance(&extents(b));
        assert_eq!(distance("1024,512", "1024,512"), Some(0.0));
        assert_eq!(distance("1024,512", "2048,512"), Some(1.0));
        assert_eq!(distance("8,16", "64,256"), Some(5.0));
        assert_eq!(distance("8;16", "64;256"), Some(5.0));
        assert_eq!(distance("?,4", "?,8"), Some(1.0));
        assert_eq!(distance("0", "1"), Some(1.0));
        assert_eq!(distance("", ""), Some(0.0));
        for (a, b) in [("8", "8,8"), ("8;8", "8,8"), ("8;8", "8"), ("?", "8"), ("-", "")] {
            assert_eq!((distance(a, b), distance(b, a)), (None, None), "{a} {b}");
        }
    }

    fn any_extents() -> impl Strategy<Value = Extents> {
        let extent = proptest::option::weighted(0.8, prop_oneof![0..20u64, any::<u64>()]);
        let computation = proptest::collection::vec(extent, 0..4);
        proptest::collection::vec(computation, 0..4).prop_map(Extents)
    }

    proptest! {
        #[test]
        fn text_and_extents_correspond(a in any_extents(), b in any_extents()) {
            prop_assert_eq!(&extents(&a.to_string()), &a);
            prop_assert_eq!(a.to_string() == b.to_string(), a == b);
        }

        #[test]
        fn a_text_is_rejected_or_printed_again(text in "[0-9,;?+ -]{0,8}") {
            if let Ok(read) = text.parse::<Extents>() {
                prop_assert_eq!(read.to_string(), text);
            }
        }

        #[test]
        fn the_distance_is_a_metric(sizes in proptest::collection::vec([0..5000u64, 0..5000, 0..5000], 3)) {
            let all: Vec<_> = sizes.iter().map(|size| Extents(vec![size.iter().copied().map(Some).collect()])).collect();
            let distance = |i: usize, j: usize| all[i].distance(&all[j]).unwrap();
            prop_assert_eq!(distance(0, 1), distance(1, 0));
            prop_assert_eq!(distance(0, 1) == 0.0, sizes[0] == sizes[1]);
            prop_assert!(distance(0, 2) <= distance(0, 1) + distance(1, 2) + 1e-9);
        }
    }
}

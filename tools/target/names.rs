//! Checks of names that a target knows.
use anyhow::{Result, bail, ensure};

/// Checks that a name is among the known ones; the error lists the nearest of them.
pub fn check(kind: &str, name: &str, known: &[String]) -> Result<()> {
    if known.iter().any(|known| known == name) {
        return Ok(());
    }
    let mut near: Vec<_> = known.iter().map(|known| (distance(name, known), known.as_str())).collect();
    near.sort();
    near.dedup();
    let near: Vec<_> = near.into_iter().take(5).map(|(_, known)| known).collect();
    ensure!(!near.is_empty(), "unknown {kind} '{name}'");
    bail!("unknown {kind} '{name}': the nearest known are {}", near.join(", "))
}

/// The edit distance of two names: the number of insertions, deletions and substitutions of characters.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<_> = right.chars().collect();
    let mut row: Vec<_> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

//! The keys that the actions on a database select, and the numbers that they print.
use anyhow::{Result, bail};
use mdh_database::{Database, Key};

/// Returns the selected keys of a database; all if there is no selector. It is an error if it selects none.
pub fn selected(rows: &Database, selector: Option<&str>) -> Result<Vec<Key>> {
    let keys = rows.keys(selector.unwrap_or_default())?;
    match selector {
        Some(text) if keys.is_empty() => bail!(
            "the database '{}' has no key or fingerprint that begins with '{text}', and no function '{text}'; 'mdh \
            database list' prints its keys",
            rows.path().display()
        ),
        _ => Ok(keys),
    }
}

/// Returns a number of things, such as `1 row` and `2 rows`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

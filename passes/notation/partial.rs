//! Partial schedules: a file that specifies only the differences from the default, and single changes (`--set`).
//!
//! ```text
//! {"version": 2, "parts": [null, null, [null, "?"], …]}   over the default schedule   ──▶   a complete schedule
//! parts[5][1]=12                                          over any schedule           ──▶   a complete schedule
//! ```
use crate::notation::{
    json,
    reader::{Node, Result},
};
use mdh_dialects::schedule::{
    model::{Schedule, System},
    rules::Shape,
};
use serde_json::Value;
use std::fmt;

/// The fields that a complete schedule must have; a schedule without one of them is partial.
const REQUIRED: [&str; 3] = ["system", "parts", "decompose"];

/// True if a schedule omits a field that a complete one must have.
pub fn is_partial(schedule: &Value) -> bool {
    schedule.is_object() && REQUIRED.iter().any(|key| schedule.get(key).is_none_or(Value::is_null))
}

/// Completes a partial schedule from the default one, which is generated for the system that the partial one names, if
/// any. `null`, also as an entry or a row of a matrix, keeps the default.
pub fn complete(
    partial: &Value,
    shape: &Shape,
    resolve: &dyn Fn(&str) -> Option<System>,
    default: impl FnOnce(Option<System>) -> Result<Schedule>,
) -> Result<Schedule> {
    let root = Node::root(partial);
    json::schedule_fields(&root)?;
    let version = json::version(&root, true)?;
    let system = root.optional("system").map(|node| json::system::read(&node, version, resolve)).transpose()?;
    let mut value = json::to_value(&default(system)?);
    for (key, field) in root.object()? {
        // The header is excluded: the default is already for all layers of the system.
        if !json::HEADER.contains(&key.as_str()) {
            overlay(&mut value[key], field, key)?;
        }
    }
    json::from_value(&value, shape, resolve)
}

/// Overrides a value by another one. `path` is its path in error messages.
fn overlay(base: &mut Value, change: &Value, path: &str) -> Result<()> {
    match (base, change) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(change)) => {
            for (key, value) in change {
                let path = format!("{path}.{key}");
                match base.get_mut(key) {
                    Some(base) => overlay(base, value, &path)?,
                    None => {
                        let known: Vec<_> = base.keys().map(String::as_str).collect();
                        return Err(format!("{path}: unknown field, the known ones are {}", known.join(", ")));
                    }
                }
            }
        }
        (Value::Array(base), Value::Array(change)) => {
            if base.len() != change.len() {
                let (required, count) = (base.len(), change.len());
                return Err(format!(
                    "{path}: requires {required} entries, null for those of the default, but has {count}"
                ));
            }
            for (i, (base, value)) in base.iter_mut().zip(change).enumerate() {
                overlay(base, value, &format!("{path}[{i}]"))?;
            }
        }
        (base, change) => *base = change.clone(),
    }
    Ok(())
}

/// A change of one entry of a schedule, such as `parts[5][1]=12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The function and the index of the computation in it, counted from 0; `None` for the only computation of the
    /// module.
    pub computation: Option<(String, usize)>,
    path: Vec<Segment>,
    value: Value,
    text: String,
}

/// One segment of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Field(String),
    Entry(usize),
}

impl Change {
    /// Parses `PATH=VALUE`. The path has the syntax of error messages, with entries counted from 0, and is prefixed by
    /// `schedules.FUNCTION[NUMBER].` if a module has several computations. A value that is not JSON is taken as a
    /// string.
    pub fn parse(text: &str) -> Result<Self> {
        let error = |problem: &str| format!("{problem}, such as parts[5][1]=12");
        let (path, value) = text.split_once('=').ok_or_else(|| error("requires a path and a value"))?;
        let mut segments =
            segments(path.trim()).ok_or_else(|| error("requires a path of fields and of entries counted from 0"))?;
        let mut computation = None;
        if segments.first() == Some(&Segment::Field("schedules".to_owned())) {
            match segments.as_slice() {
                [_, Segment::Field(function), Segment::Entry(number), _, ..] => {
                    computation = Some((function.clone(), *number));
                    segments.drain(..3);
                }
                _ => return Err(error("requires schedules.FUNCTION[NUMBER] and what is changed in it")),
            }
        }
        let value = value.trim();
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok(Self { computation, path: segments, value, text: text.to_owned() })
    }

    /// Returns the text if it is a valid change; used by the tools to validate arguments.
    pub fn checked(text: &str) -> Result<String> {
        Self::parse(text).map(|_| text.to_owned())
    }

    /// Applies the change to a complete schedule. Errors name the change and the available fields or entries.
    fn apply(&self, schedule: &mut Value) -> Result<()> {
        let error = |path: &str, problem: String| format!("{self}: {path}{problem}");
        let (mut place, mut path) = (schedule, "the schedule".to_owned());
        for segment in &self.path {
            place = match (segment, place) {
                (Segment::Field(field), Value::Object(fields)) => {
                    let known: Vec<_> = fields.keys().cloned().collect();
                    let problem = || error(&path, format!(" has the fields {}, but no {field}", known.join(", ")));
                    fields.get_mut(field).ok_or_else(problem)?
                }
                (Segment::Entry(entry), Value::Array(entries)) => {
                    let count = entries.len();
                    let problem =
                        || error(&path, format!(" has the entries 0 to {}, but no {entry}", count.max(1) - 1));
                    entries.get_mut(*entry).ok_or_else(problem)?
                }
                (_, value) => return Err(error(&path, format!(" is {value}, which has no fields or entries"))),
            };
            match segment {
                Segment::Field(field) if path == "the schedule" => path.clone_from(field),
                Segment::Field(field) => path += &format!(".{field}"),
                Segment::Entry(entry) => path += &format!("[{entry}]"),
            }
        }
        *place = self.value.clone();
        Ok(())
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.text)
    }
}

/// Parses a path such as `decompose.tags[0][1]`; `None` if it is malformed.
fn segments(path: &str) -> Option<Vec<Segment>> {
    let mut found = vec![];
    for part in path.split('.') {
        let (field, entries) = part.split_at(part.find('[').unwrap_or(part.len()));
        if field.is_empty() {
            return None;
        }
        found.push(Segment::Field(field.to_owned()));
        let mut rest = entries;
        while !rest.is_empty() {
            let (number, remainder) = rest.strip_prefix('[')?.split_once(']')?;
            found.push(Segment::Entry(number.trim().parse().ok()?));
            rest = remainder;
        }
    }
    Some(found)
}

/// A schedule with changes applied.
pub fn changed(
    schedule: &Schedule,
    changes: &[&Change],
    shape: &Shape,
    resolve: &dyn Fn(&str) -> Option<System>,
) -> Result<Schedule> {
    let mut value = json::to_value(schedule);
    // A position in a consumer can be added, and removed by null.
    value.as_object_mut().map(|fields| fields.entry("at").or_insert(Value::Null));
    changes.iter().try_for_each(|change| change.apply(&mut value))?;
    json::from_value(&value, shape, resolve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn overlaid(mut base: Value, change: &Value) -> Result<Value> {
        overlay(&mut base, change, "parts")?;
        Ok(base)
    }

    #[test]
    fn null_leaves_what_is_there() {
        let base = json!([[1, 2], [3, 4]]);
        assert_eq!(overlaid(base.clone(), &json!([null, [null, "?"]])), Ok(json!([[1, 2], [3, "?"]])));
        assert_eq!(overlaid(base.clone(), &json!(null)), Ok(base.clone()));
        let error = "parts[1]: requires 2 entries, null for those of the default, but has 1";
        assert_eq!(overlaid(base, &json!([null, [1]])), Err(error.to_owned()));
    }

    #[test]
    fn a_schedule_without_a_required_field_is_partial() {
        assert!(is_partial(&json!({"version": 2})));
        assert!(is_partial(&json!({"version": 2, "system": "cpu", "parts": null, "decompose": {}})));
        assert!(!is_partial(&json!({"system": "cpu", "parts": [], "decompose": {}})));
        assert!(!is_partial(&json!(3)));
    }

    #[test]
    fn changes_have_a_path_and_a_value() {
        let mut value = json!({"parts": [[1, 2]], "scalar": {"reads": ["MM[1]"]}});
        for change in ["parts[0][1]=12", "parts [0][0] = ?", "scalar.reads[0]=L1[1]"] {
            let change = change.replace("parts [", "parts[");
            Change::parse(&change).and_then(|change| change.apply(&mut value)).unwrap();
        }
        assert_eq!(value, json!({"parts": [["?", 12]], "scalar": {"reads": ["L1[1]"]}}));
        let change = Change::parse("schedules.f[2].parts[0]=1").unwrap();
        assert_eq!((change.computation, change.path.len()), (Some(("f".to_owned(), 2)), 2));
        for wrong in ["parts", "=1", "parts[x]=1", "parts[0=1", ".a=1", "schedules.f=1"] {
            assert!(Change::parse(wrong).is_err(), "{wrong}");
        }
        let apply = |text: &str| Change::parse(text).and_then(|change| change.apply(&mut value.clone())).unwrap_err();
        assert_eq!(apply("parts[3]=1"), "'parts[3]=1': parts has the entries 0 to 0, but no 3");
        assert_eq!(apply("part=1"), "'part=1': the schedule has the fields parts, scalar, but no part");
        assert_eq!(apply("parts[0][1].x=1"), "'parts[0][1].x=1': parts[0][1] is 12, which has no fields or entries");
    }
}

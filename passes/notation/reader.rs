//! A reader of JSON values whose errors state the path, the requirement, and the actual value.
use serde_json::{Map, Value};

/// The value read, or an error message.
pub type Result<T> = std::result::Result<T, String>;

/// A value with its path from the root.
#[derive(Clone)]
pub struct Node<'a> {
    /// The value.
    pub value: &'a Value,
    what: &'static str,
    path: String,
}

impl<'a> Node<'a> {
    /// A whole schedule.
    pub fn root(value: &'a Value) -> Self {
        Self::named("the schedule", value)
    }

    /// A whole document; `what` is its name in errors.
    pub fn named(what: &'static str, value: &'a Value) -> Self {
        Self { value, what, path: String::new() }
    }

    /// An error at this value: the requirement, followed by the value.
    pub fn error(&self, required: &str) -> String {
        let shown = self.value.to_string();
        let shown = if shown.chars().count() > 60 {
            format!("{}…", shown.chars().take(60).collect::<String>())
        } else {
            shown
        };
        format!("{}: {required}, but it is {shown}", self.place())
    }

    /// An error at this value whose message describes the actual value itself.
    pub fn problem(&self, problem: &str) -> String {
        format!("{}: {problem}", self.place())
    }

    fn place(&self) -> &str {
        if self.path.is_empty() { self.what } else { &self.path }
    }

    fn child(&self, key: &str, value: &'a Value) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { value, what: self.what, path }
    }

    /// The fields of an object.
    pub fn object(&self) -> Result<&'a Map<String, Value>> {
        self.value.as_object().ok_or_else(|| self.error("an object is required"))
    }

    /// Checks that an object has only known fields.
    pub fn fields(&self, known: &[&str]) -> Result<()> {
        match self.object()?.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => Err(format!("{}: unknown field {key}, the known ones are {}", self.place(), known.join(", "))),
        }
    }

    /// A field, if present and not null.
    pub fn optional(&self, key: &str) -> Option<Node<'a>> {
        self.value.get(key).filter(|value| !value.is_null()).map(|value| self.child(key, value))
    }

    /// A required field.
    pub fn field(&self, key: &str) -> Result<Node<'a>> {
        self.object()?;
        self.optional(key).ok_or_else(|| format!("{}: the field {key} is required", self.place()))
    }

    /// The elements of an array.
    pub fn array(&self) -> Result<Vec<Node<'a>>> {
        let array = self.value.as_array().ok_or_else(|| self.error("an array is required"))?;
        let element = |(i, value)| Self { value, what: self.what, path: format!("{}[{i}]", self.path) };
        Ok(array.iter().enumerate().map(element).collect())
    }

    /// An array with one entry for each of `count` items; `what` names an item in errors.
    pub fn list<T>(&self, count: usize, what: &str, read: impl FnMut(Node<'a>) -> Result<T>) -> Result<Vec<T>> {
        let elements = self.array()?;
        if elements.len() != count {
            return Err(format!(
                "{}: an entry for {what} is required, {count} altogether, but there are {}",
                self.place(),
                elements.len()
            ));
        }
        elements.into_iter().map(read).collect()
    }

    /// A matrix: one row per layer, one entry per dimension.
    pub fn matrix<T>(
        &self,
        layers: usize,
        rank: usize,
        mut read: impl FnMut(Node<'a>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        self.list(layers, "a layer", |row| row.list(rank, "a dimension", &mut read))
    }

    /// A natural number.
    pub fn number(&self) -> Result<u64> {
        self.value.as_u64().ok_or_else(|| self.error("a natural number is required"))
    }

    /// A number, with or without a fraction.
    pub fn decimal(&self) -> Result<f64> {
        self.value.as_f64().ok_or_else(|| self.error("a number is required"))
    }

    /// A boolean.
    pub fn truth(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.error("true or false is required"))
    }

    /// A string.
    pub fn string(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.error("a string is required"))
    }
}

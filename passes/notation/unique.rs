//! JSON parsing that rejects duplicate fields in objects: `serde_json` alone silently keeps the last one.
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};
use std::fmt::{Formatter, Result as Written};

/// Parses the JSON text of `what`. Errors state the line and the column.
pub fn parse(what: &str, text: &str) -> Result<Value, String> {
    let Unique(value) = serde_json::from_str(text).map_err(|error| format!("{what} is no JSON: {error}"))?;
    Ok(value)
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values).map(Self)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = vec![];
        while let Some(Unique(element)) = elements.next_element()? {
            array.push(element);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Unique(value))) = fields.next_entry::<String, _>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate field '{key}'")));
            }
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_field_twice_is_an_error() {
        let text = r#"{"a": [1, -2, 0.5, null, true, "b"], "c": {"a": {}}}"#;
        assert_eq!(parse("it", text).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
        let error = parse("the schedule", "{\"a\": {\"b\": 1,\n\"b\": 2}}").unwrap_err();
        assert_eq!(error, "the schedule is no JSON: duplicate field 'b' at line 2 column 7");
    }
}

//! Parses whole numbers in requests and in arguments of the command line.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Parses a whole number in an argument of the command line.
///
/// # Errors
/// When the text is no whole number, or one that the type cannot hold.
pub fn parse<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| "expected a whole number".to_owned())
}

/// A whole number of 0 or more. JSON has only one number type, so 8000.0 is accepted as 8000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeNumber(pub u64);

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u64(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = WholeNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of 0 or more")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<WholeNumber, E> {
        let refuse = |_| E::invalid_value(Unexpected::Signed(value), &self);
        value.try_into().map(WholeNumber).map_err(refuse)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<WholeNumber, E> {
        // Above it, not every integer has an exact `f64`.
        const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
        if value.fract() == 0.0 && (0.0..=MAX_EXACT).contains(&value) {
            Ok(WholeNumber(value as u64))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }
}

impl JsonSchema for WholeNumber {
    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_number_is_accepted_in_float_notation() {
        let read = serde_json::from_str::<WholeNumber>;
        for (text, number) in [
            ("0", 0),
            ("80", 80),
            ("80.0", 80),
            ("8e3", 8000),
            ("-0.0", 0),
        ] {
            assert_eq!(read(text).expect(text), WholeNumber(number));
        }
        for bad in ["-1", "0.5", "-1.0", "1e300", "\"8\"", "true", "null", "[1]"] {
            let error = read(bad).expect_err(bad).to_string();
            assert!(
                error.contains("expected a whole number of 0 or more"),
                "{error}"
            );
        }
    }
}

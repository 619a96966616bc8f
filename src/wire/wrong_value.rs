//! Rewrites serde's messages about a value that a field cannot have in the words of JSON.

use std::borrow::Cow;

use super::unknown_field::UnknownField;

/// Says what is wrong with a value, beginning with what is expected. A message of another form stays as it is.
pub fn explain(message: &str) -> String {
    match UnknownField::parse_value(message) {
        Some(unknown) => format!("it cannot be `{}`; {}", unknown.name, unknown.advice()),
        None => expectation(message).unwrap_or_else(|| message.to_owned()),
    }
}

/// Turns ``invalid type: string "8k", expected a number`` around.
fn expectation(message: &str) -> Option<String> {
    // In query parameters.
    if message == "provided string was not `true` or `false`" {
        return Some("expected `true` or `false`".to_owned());
    }
    let rest = message.strip_prefix("invalid type: ");
    let rest = rest.or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "f32" | "f64" => "a number",
        other => other,
    };
    Some(format!("expected {expected}, not {}", value(found)))
}

/// Returns a value as JSON writes it; of a list or an object, the type alone is known.
fn value(found: &str) -> Cow<'_, str> {
    let quoted = ["integer `", "floating point `", "boolean `"]
        .iter()
        .find_map(|kind| found.strip_prefix(*kind)?.strip_suffix('`'));
    match found {
        "sequence" => "a list".into(),
        "map" => "an object".into(),
        _ => quoted
            .or_else(|| found.strip_prefix("string "))
            .unwrap_or(found)
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;

    fn explained<T: DeserializeOwned + Debug>(json: &str) -> String {
        let value: serde_json::Value = serde_json::from_str(json).expect(json);
        let error = serde_json::from_value::<T>(value).expect_err(json);
        explain(&error.to_string())
    }

    #[test]
    fn types_are_those_of_json() {
        assert_eq!(
            explained::<Vec<String>>("\"a\""),
            "expected a list, not \"a\""
        );
        assert_eq!(explained::<f32>("[1]"), "expected a number, not a list");
        assert_eq!(explained::<f64>("{}"), "expected a number, not an object");
        assert_eq!(explained::<String>("5"), "expected a string, not 5");
        assert_eq!(explained::<String>("1.5"), "expected a string, not 1.5");
        assert_eq!(explained::<String>("true"), "expected a string, not true");
        assert_eq!(explained::<String>("null"), "expected a string, not null");
        assert_eq!(
            explained::<BTreeMap<String, u8>>("3"),
            "expected an object, not 3"
        );
    }

    #[test]
    fn other_messages_stay_and_unknown_values_get_advice() {
        for (message, wanted) in [
            (
                "unknown variant `path`, expected `text` or `paths`",
                "it cannot be `path`; did you mean `paths`?",
            ),
            (
                "provided string was not `true` or `false`",
                "expected `true` or `false`",
            ),
            (
                "it is only allowed with `path`",
                "it is only allowed with `path`",
            ),
        ] {
            assert_eq!(explain(message), wanted);
        }
    }
}

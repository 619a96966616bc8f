//! Describes an invalid setting: its key, what it must be, what it is, and where it was set. It must not name Rust
//! types, nor show values that may hold a secret.

use std::fmt;
use std::net::SocketAddr;

use figment::Figment;
use figment::error::{Actual, Kind, OneOf};
use serde::de::{Deserializer, Unexpected, Visitor};

use super::ConfigError;
use super::setting_source::SettingSources;
use super::spelling;

/// Describes the first error, with its place.
pub(super) fn explain(error: figment::Error, sources: &SettingSources<'_>) -> ConfigError {
    let Some(error) = error.into_iter().next() else {
        return ConfigError::new("");
    };
    let key = error.path.join(".");
    let text = match &error.kind {
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            let expected = in_words(expected);
            let may_be_secret = ["git.tokens", "forge.", "storage.database_url"];
            if may_be_secret.iter().any(|secret| key.starts_with(secret)) {
                format!("{key} must be {expected}")
            } else {
                format!("{key} must be {expected}, not {}", shown(found))
            }
        }
        Kind::UnknownVariant(found, known) => {
            format!("{key} must be {}, not `{found}`", OneOf(known))
        }
        // The path ends in the unknown name.
        Kind::UnknownField(name, known) => {
            let nearest = spelling::nearest(name, known);
            let meant = nearest.map(|nearest| format!("did you mean {nearest}? "));
            format!(
                "{key} is not a setting; {}expected one of {}",
                meant.unwrap_or_default(),
                known.join(", ")
            )
        }
        Kind::MissingField(name) => format!("{key}.{name} is missing"),
        other => format!("{key}: {other}"),
    };
    let source = error.metadata.as_ref();
    let place = source.and_then(|source| sources.of(&key, &source.name));
    ConfigError {
        text: with_place(text, place),
        line: source.and_then(|source| sources.line(&key, &source.name)),
        key,
    }
}

/// Adds the place of the key to an error whose text begins with the key.
pub(super) fn placed(
    error: ConfigError,
    figment: &Figment,
    sources: &SettingSources<'_>,
) -> ConfigError {
    let key = error.text.split([' ', ':']).next().unwrap_or_default();
    let source = figment.find_metadata(key);
    let place = source.and_then(|source| sources.of(key, &source.name));
    ConfigError {
        key: key.to_owned(),
        line: source.and_then(|source| sources.line(key, &source.name)),
        text: with_place(error.text, place),
    }
}

fn with_place(text: String, place: Option<String>) -> String {
    match place {
        Some(place) => format!("{text} ({place})"),
        None => text,
    }
}

/// Describes an expected type without Rust names.
fn in_words(expected: &str) -> &str {
    match expected {
        "usize" | "u64" => "a whole number of 0 or more",
        "u32" => "a whole number from 0 to 4294967295",
        "a boolean" => "true or false",
        "a sequence" => "a list such as [a, b]",
        "a map" => "a table such as {a = \"b\"}",
        "path string" => "a path",
        _ if expected.starts_with("struct ") => "a table of settings",
        _ => expected,
    }
}

fn shown(found: &Actual) -> String {
    match found {
        Actual::Bool(value) => value.to_string(),
        Actual::Unsigned(value) => value.to_string(),
        Actual::Signed(value) => value.to_string(),
        Actual::Float(value) => value.to_string(),
        Actual::Str(value) => format!("{value:?}"),
        Actual::Seq => "a list".to_owned(),
        Actual::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Deserializes `server.listen`.
pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    deserializer.deserialize_str(Address)
}

struct Address;

impl Visitor<'_> for Address {
    type Value = SocketAddr;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an IP address and a port, such as 127.0.0.1:7878 or [::1]:7878")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SocketAddr, E> {
        let refuse = |_| E::invalid_value(Unexpected::Str(text), &self);
        text.parse().map_err(refuse)
    }
}

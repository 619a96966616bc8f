//! Extracts request bodies, query strings and path segments. Rejections become problems that name the field.

use std::fmt;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{HeaderMap, StatusCode, header};
use mediatype::{MediaType, names};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::HttpState;
use super::problem::Problem;
use crate::wire::unknown_field::UnknownField;
use crate::wire::wrong_value;

/// Maximum fields of an object that the refusal of another value lists.
const MAX_LISTED_FIELDS: usize = 4;

/// The byte order mark of UTF-8, which some programs write before JSON. A reader may ignore it (RFC 8259, section 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A JSON body, an object.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<HttpState> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &HttpState) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::unsupported_media_type());
        }
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|rejection| unread(&rejection, state.limits.max_body_bytes))?;
        let text = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&body);
        if text.trim_ascii().is_empty() {
            return Err(invalid_json("it is empty"));
        }
        let axum::Json(Object(body)) = axum::Json::from_bytes(text)?;
        Ok(Self(body))
    }
}

/// Whether a body is declared as JSON: `application/json`, or a type with the suffix `+json`.
fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|value| value.to_str().ok());
    let declared = declared.and_then(|text| MediaType::parse(text.trim()).ok());
    declared.is_some_and(|declared| {
        declared.ty == names::APPLICATION
            && (declared.subty == names::JSON || declared.suffix == Some(names::JSON))
    })
}

/// Returns the problem of a body that was not read to its end.
pub(super) fn unread(rejection: &BytesRejection, max_bytes: usize) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::body_too_large(max_bytes),
        _ => Problem::undecodable_body(),
    }
}

fn invalid_json(reason: &str) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        "invalid_json",
        format!("the body is not JSON in UTF-8: {reason}"),
    )
}

/// A JSON object. Without this wrapper, derived implementations also accept an array of the fields in their order.
#[derive(Debug, Default)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfFields(PhantomData))
    }
}

struct OfFields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OfFields<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = fields_of::<T>();
        if fields.is_empty() || fields.len() > MAX_LISTED_FIELDS {
            return f.write_str("an object");
        }
        write!(f, "an object (fields: `{}`)", fields.join("`, `"))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(Object)
    }
}

/// Returns the fields of a type: its derived implementation names them before it reads a value.
fn fields_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // It fails, as there is no value.
    let _ = T::deserialize(FieldNames(&mut fields));
    fields
}

/// Has no value; keeps the names of the fields that are asked for.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("there is no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The query parameters.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Parameters<T>(pub T);

/// The variable path segments.
#[derive(Debug, FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Segments<T>(pub T);

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let text = rejection.body_text();
        match rejection {
            JsonRejection::JsonDataError(_) => wrong_field(reason(&text)),
            _ => invalid_json(reason(&text)),
        }
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        let text = rejection.body_text();
        let reason = reason(&text);
        match reason.split_once(": ") {
            Some((field, message)) if is_of_number_parser(message) => wrong_field(&format!(
                "{field}: expected a whole number of 0 or more, in digits only"
            )),
            _ => wrong_field(reason),
        }
    }
}

impl From<PathRejection> for Problem {
    fn from(_: PathRejection) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "invalid_path",
            "a segment of the path is not valid UTF-8; a file with such a name is listed with its other bytes escaped (`caf\\xe9.py`), and has no text in the index",
        )
    }
}

/// Whether a message is that of the standard library's parser of integers. A query string is text, in which a number is
/// parsed before the type of its field can say what it takes; unlike in JSON, 2.0 is no whole number there.
fn is_of_number_parser(message: &str) -> bool {
    let starts = ["invalid digit", "number too", "cannot parse integer"];
    starts.iter().any(|start| message.starts_with(start))
}

/// Returns serde's message, without the sentence that axum puts before it.
fn reason(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, reason)| reason)
}

/// Builds a problem from a message of serde such as ``path.to.field: unknown field `x`, expected `y` ``.
fn wrong_field(reason: &str) -> Problem {
    let (path, message) = match reason.split_once(": ") {
        Some((path, message)) if !path.contains([' ', '`']) => (path, message),
        _ => ("", reason),
    };
    let message = without_position(message);
    let join = |name: &str| match path.rsplit_once('.') {
        _ if path.is_empty() || path == name => name.to_owned(),
        // The path may already end in the unknown field itself.
        Some((_, last)) if last == name => path.to_owned(),
        _ => format!("{path}.{name}"),
    };
    if let Some(unknown) = UnknownField::parse(message) {
        let field = join(unknown.name);
        let advice = unknown.advice();
        return Problem {
            code: "unknown_field",
            ..Problem::invalid_field(
                &field,
                format!("`{field}` is not a field of this request: {advice}"),
            )
        };
    }
    let missing = message.strip_prefix("missing field `");
    let missing = missing.and_then(|rest| rest.split_once('`'));
    let field = missing.map_or_else(|| path.to_owned(), |(name, _)| join(name));
    let explained = wrong_value::explain(message);
    if field.is_empty() {
        let detail = format!("the request: {explained}");
        return Problem::new(StatusCode::BAD_REQUEST, "invalid_field", detail);
    }
    let detail = match missing {
        Some(_) => format!("`{field}` is missing"),
        None => format!("`{field}`: {explained}"),
    };
    Problem::invalid_field(&field, detail)
}

/// Returns a message without serde's position at its end: the field says where the error is.
fn without_position(message: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match message.rsplit_once(" at line ") {
        Some((text, position))
            if (position.split_once(" column "))
                .is_some_and(|(line, column)| is_number(line) && is_number(column)) =>
        {
            text
        }
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_names_the_field() {
        for (reason, code, field) in [
            (
                "source.x: unknown field `x`, expected `path`",
                "unknown_field",
                "source.x",
            ),
            ("x: unknown field `x`, expected `a`", "unknown_field", "x"),
            ("unknown field `x`, expected `a`", "unknown_field", "x"),
            (
                "source: missing field `path`", "invalid_field", "source.path",
            ),
            ("missing field `query` at line 1", "invalid_field", "query"),
            ("limit: invalid type: string", "invalid_field", "limit"),
        ] {
            let problem = wrong_field(reason);
            assert_eq!(
                (problem.code, problem.field.as_deref()),
                (code, Some(field))
            );
        }
    }

    #[test]
    fn detail_has_no_words_of_the_parser() {
        for (reason, detail) in [
            (
                "missing field `name` at line 1 column 39",
                "`name` is missing",
            ),
            (
                "limit: invalid type: string \"8k\", expected a whole number of 0 or more at line 1 column 8",
                "`limit`: expected a whole number of 0 or more, not \"8k\"",
            ),
            (
                "invalid type: sequence, expected an object at line 1 column 0",
                "the request: expected an object, not a list",
            ),
            (
                "intent: unknown variant `BUGFIX`, expected `BUG_FIX` or `REFACTOR` at line 1 column 20",
                "`intent`: it cannot be `BUGFIX`; did you mean `BUG_FIX`?",
            ),
            (
                "watch: it is only allowed with `path` at line 1 column 82",
                "`watch`: it is only allowed with `path`",
            ),
        ] {
            assert_eq!(wrong_field(reason).detail, detail);
        }
    }
}

//! Parses serde's messages about a field that a request does not have, and about a value that a field does not have, and
//! finds the known one that may be meant.

use crate::config::spelling;

/// A field that a request does not have, or a value that a field does not have.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// Its name.
    pub name: &'a str,
    /// The fields that the request can have, or the values of the field.
    known: Vec<&'a str>,
}

impl<'a> UnknownField<'a> {
    /// Parses a message such as ``unknown field `x`, expected `a` or `b` ``; `None` if it is another message.
    pub fn parse(message: &'a str) -> Option<Self> {
        Self::after("unknown field `", message)
    }

    /// Parses a message about a value, such as ``unknown variant `x`, expected `a` or `b` ``; `None` if it is another
    /// message.
    pub fn parse_value(message: &'a str) -> Option<Self> {
        Self::after("unknown variant `", message)
    }

    fn after(beginning: &str, message: &'a str) -> Option<Self> {
        let (name, rest) = message.strip_prefix(beginning)?.split_once('`')?;
        Some(Self {
            name,
            known: rest.split('`').skip(1).step_by(2).collect(),
        })
    }

    /// Returns the known one that may be meant.
    pub fn nearest(&self) -> Option<&'a str> {
        spelling::nearest(self.name, &self.known)
    }

    /// Says what may be meant, or else what is possible.
    pub fn advice(&self) -> String {
        match (self.nearest(), &self.known[..]) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, []) => "there are no fields".to_owned(),
            (None, [only]) => format!("expected `{only}`"),
            (None, known) => format!("expected one of `{}`", known.join("`, `")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_field_is_suggested_and_others_are_listed() {
        for (message, name, advice) in [
            (
                "unknown field `budget`, expected one of `repo`, `budget_tokens`, `breadth` at line 1 column 9",
                "budget",
                "did you mean `budget_tokens`?",
            ),
            (
                "unknown field `tokens`, expected `repo` or `budget_tokens`",
                "tokens",
                "did you mean `budget_tokens`?",
            ),
            (
                "unknown field `query`, expected one of `kind`, `q`, `ref`",
                "query",
                "did you mean `q`?",
            ),
            (
                "unknown field `path`, expected `symbols` or `paths`",
                "path",
                "did you mean `paths`?",
            ),
            (
                "unknown field `url`, expected `path` or `git` at line 1 column 9",
                "url",
                "expected one of `path`, `git`",
            ),
            (
                "unknown field `skiped`, expected `skipped`",
                "skiped",
                "did you mean `skipped`?",
            ),
            (
                "unknown field `bugdet_tokens`, expected one of `repo`, `budget_tokens`",
                "bugdet_tokens",
                "did you mean `budget_tokens`?",
            ),
            (
                "unknown field `bugdet_token`, expected one of `repo`, `budget_tokens`",
                "bugdet_token",
                "expected one of `repo`, `budget_tokens`",
            ),
            (
                "unknown field `x`, there are no fields",
                "x",
                "there are no fields",
            ),
        ] {
            let unknown = UnknownField::parse(message).expect(message);
            assert_eq!((unknown.name, &*unknown.advice()), (name, advice));
        }
        assert_eq!(UnknownField::parse("missing field `x`"), None);
        for (value, meant) in [
            ("BUGFIX", Some("BUG_FIX")),
            ("bug_fix", Some("BUG_FIX")),
            ("CHAT", None),
        ] {
            let message =
                format!("unknown variant `{value}`, expected one of `BUG_FIX`, `REFACTOR`");
            let unknown = UnknownField::parse_value(&message).expect(value);
            assert_eq!(unknown.nearest(), meant, "{value}");
        }
    }
}

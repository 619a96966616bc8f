//! Parses serde's message about a field that a request does not have, and finds the known field that may be meant.

/// A field that a request does not have.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownField<'a> {
    /// Its name.
    pub name: &'a str,
    /// The fields that the request can have.
    known: Vec<&'a str>,
}

impl<'a> UnknownField<'a> {
    /// Parses a message such as ``unknown field `x`, expected `a` or `b` ``; `None` if it is another message.
    pub fn parse(message: &'a str) -> Option<Self> {
        let (name, rest) = message.strip_prefix("unknown field `")?.split_once('`')?;
        Some(Self {
            name,
            known: rest.split('`').skip(1).step_by(2).collect(),
        })
    }

    /// Returns the known field that may be meant: one that contains the name, or that the name begins with.
    pub fn nearest(&self) -> Option<&'a str> {
        let is_near = |known: &&str| {
            let is_part = self.name.len() >= MIN_PART && known.contains(self.name);
            is_part || self.name.starts_with(*known)
        };
        let near = self.known.iter().copied().filter(is_near);
        near.min_by_key(|known| known.len().abs_diff(self.name.len()))
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

/// Shortest part of a name that is recognised.
const MIN_PART: usize = 3;

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
                "expected `skipped`",
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
    }
}

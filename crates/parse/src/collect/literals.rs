//! Adds string literals: the regions of their text, and the messages that users may see.

use std::ops::Range;

use foveate_model::{Message, MessageKind, RegionKind, Span};
use tree_sitter::Node;

use super::{Collector, span};
use crate::messages::named;
use crate::syntax::{Descend, children};

impl Collector<'_> {
    /// Adds the regions of a string literal, without the parts that are code, and its text as a message. The
    /// result says to visit these parts.
    pub(crate) fn literal(
        &mut self,
        node: Node<'_>,
        is_code: impl Fn(Node<'_>) -> bool,
    ) -> Descend {
        let (mut start, mut descend) = (node.start_byte(), Descend::Past);
        for code in children(node).into_iter().filter(|part| is_code(*part)) {
            self.region(RegionKind::Text, Span::new(start, code.start_byte()));
            (start, descend) = (code.end_byte(), Descend::Into);
        }
        self.region(RegionKind::Text, Span::new(start, node.end_byte()));
        let kind = self.context.message;
        if let Some(kind) = kind.or_else(|| self.named_message(span(node))) {
            self.add_message(kind, self.inside_quotes(node));
        }
        descend
    }

    /// Returns the kind of message that a literal is by its name, or by that of the function that returns it. A literal
    /// beside a message continues it.
    fn named_message(&self, literal: Span) -> Option<MessageKind> {
        let before = self.text.get(..literal.start as usize)?;
        let continued = self.facts.messages.last().filter(|last| {
            let between = before.get(last.span.end as usize..);
            between.is_some_and(named::is_between_parts)
        });
        if let Some(continued) = continued {
            return Some(continued.kind);
        }
        if !named::is_sentence(literal.of(self.text)) {
            return None;
        }
        let function = self.context.enclosing.and_then(|id| self.definition(id));
        let is_named = function.is_some_and(|function| named::describes(&function.name))
            || named::names_literal_after(before);
        is_named.then_some(MessageKind::Error)
    }

    /// Returns the span of a literal's text, which excludes its quotes and what is written before and after
    /// them: `r#"…"#`.
    pub(crate) fn inside_quotes(&self, literal: Node<'_>) -> Span {
        let inside = match literal.kind().starts_with("heredoc") {
            true => None,
            false => quoted(self.of(literal)),
        };
        inside.map_or(span(literal), |inside| {
            let start = literal.start_byte();
            Span::new(start + inside.start, start + inside.end)
        })
    }

    /// Adds a string literal if the current context says that users may see it.
    pub(crate) fn message(&mut self, literal: Span) {
        if let Some(kind) = self.context.message {
            self.add_message(kind, literal);
        }
    }

    fn add_message(&mut self, kind: MessageKind, literal: Span) {
        if !literal.of(self.text).trim().is_empty() {
            self.facts.messages.push(Message {
                kind,
                span: literal,
                line: self.lines.line_of(literal.start),
                enclosing: self.context.enclosing,
            });
        }
    }
}

/// Returns the range of the text between the quotes of a literal. `None` for other literals, and those without an
/// end.
fn quoted(literal: &str) -> Option<Range<usize>> {
    let is_prefix = |c: char| c.is_ascii_alphanumeric() || "@$#".contains(c);
    let open = literal.find(|c| !is_prefix(c))?;
    let (prefix, rest) = literal.split_at_checked(open)?;
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    // As many `#` as before the quotes of a raw string of Rust come after them.
    let rest = rest.strip_suffix(prefix.trim_start_matches(|c| c != '#'))?;
    let inner = rest.trim_start_matches(quote);
    let count = match rest.len() - inner.len() {
        all if inner.is_empty() => all / 2,
        before if before < 3 => 1,
        // Quotes may be part of the text beside the three or more that delimit it.
        before => before.min(inner.len() - inner.trim_end_matches(quote).len()),
    };
    let end = rest
        .len()
        .checked_sub(count)
        .filter(|_| rest.ends_with(quote))?;
    (count > 0 && count <= end).then(|| open + count..open + end)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_of_the_text_are_not_those_of_the_literal() {
        for (literal, text) in [
            (r#""no file 'x'""#, "no file 'x'"),
            (r#"'no "x"'"#, r#"no "x""#),
            (r#""issue #""#, "issue #"),
            (r#""`a` or \"b\"""#, r#"`a` or \"b\""#),
            (r##"br#"raw "x""#"##, r#"raw "x""#),
            ("$@\"{a}: '{b}'\"", "{a}: '{b}'"),
            (r#"""""a" b""""#, r#""a" b"#),
            ("\"\"\"\n'a'\n\"\"\"", "\n'a'\n"),
            ("\"\"", ""),
            ("\"\"\"\"\"\"", ""),
            ("`a`", "a"),
        ] {
            assert_eq!(
                quoted(literal).and_then(|inside| literal.get(inside)),
                Some(text)
            );
        }
        for other in ["\"", "\"no end", "/it's/", "%q(it's)", "", "can't"] {
            assert_eq!(quoted(other), None, "{other}");
        }
    }
}

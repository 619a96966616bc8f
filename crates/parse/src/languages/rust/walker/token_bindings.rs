//! Binds the local variables that the tokens of a macro's call declare with a type or a value: `|a: &A, b: B| …`,
//! `let a: A = …;`, `let a = A::new();`.

use foveate_model::Span;
use foveate_model::values::{TypeForm, TypeName, Value};
use tree_sitter::Node;

use super::patterns::is_binding;
use super::{BUILTIN_TYPES, TRANSPARENT, WRAPPERS};
use crate::walk::Walk;

/// Maximum number of tokens of a declaration that are read.
const MAX_TOKENS: usize = 64;

/// Binds the variable after `let`. Patterns are not read.
pub(super) fn variable<'t>(walk: &mut Walk<'t>, tokens: &[Node<'t>]) {
    let mut tokens = Tokens::new(tokens, walk.collector.text);
    let Some(name) = tokens.name() else {
        return;
    };
    let value = if tokens.take(":") {
        tokens.value_of_type(walk)
    } else if tokens.take("=") {
        tokens.expression()
    } else {
        Value::Unknown
    };
    walk.local(name, value);
}

/// Binds the parameters with a type after the `|` of a closure.
pub(super) fn parameters<'t>(walk: &mut Walk<'t>, tokens: &[Node<'t>]) {
    let mut tokens = Tokens::new(tokens, walk.collector.text);
    while let Some(name) = tokens.name() {
        if !tokens.take(":") {
            return;
        }
        let value = tokens.value_of_type(walk);
        walk.local(name, value);
        if !tokens.skip_past_comma() {
            return;
        }
    }
}

/// The tokens that are not read yet.
struct Tokens<'a, 't> {
    rest: &'a [Node<'t>],
    text: &'t str,
    /// Number of type arguments that are open.
    open: i32,
}

impl<'a, 't> Tokens<'a, 't> {
    fn new(tokens: &'a [Node<'t>], text: &'t str) -> Self {
        Self {
            rest: tokens.get(..MAX_TOKENS).unwrap_or(tokens),
            text,
            open: 0,
        }
    }

    /// Returns the text of the token after `count` others; empty after the last.
    fn ahead(&self, count: usize) -> &'t str {
        let token = self.rest.get(count);
        let text = token.and_then(|token| self.text.get(token.byte_range()));
        text.unwrap_or("")
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Reads the next token if it is this one, and returns whether it is.
    fn take(&mut self, token: &str) -> bool {
        let is_next = self.ahead(0) == token;
        if is_next {
            self.skip(1);
        }
        is_next
    }

    /// Reads the name of a variable.
    fn name(&mut self) -> Option<Node<'t>> {
        while matches!(self.ahead(0), "mut" | "ref") {
            self.skip(1);
        }
        let name = *self.rest.first()?;
        let is_name = name.kind() == "identifier" && is_binding(self.ahead(0));
        self.skip(1);
        is_name.then_some(name)
    }

    /// Reads a path.
    fn path(&mut self) -> Option<Span> {
        let first = self.rest.first().filter(|first| is_part(first))?;
        let mut last = first;
        self.skip(1);
        while let Some(next) = self.rest.get(1).filter(|next| is_part(next)) {
            let is_joined = match self.ahead(0) {
                "::" => true,
                "." => !is_transparent(self.ahead(1)),
                _ => false,
            };
            if !is_joined {
                break;
            }
            last = next;
            self.skip(2);
        }
        Some(Span::new(first.start_byte(), last.end_byte()))
    }

    /// Reads the beginning of a type, behind references and in wrappers: `A` of `&Arc<A>`.
    fn value_of_type(&mut self, walk: &Walk<'t>) -> Value {
        loop {
            self.skip_marks();
            let Some(path) = self.path() else {
                return Value::Unknown;
            };
            let written = path.of(self.text);
            let name = written.rsplit("::").next().unwrap_or(written);
            if WRAPPERS.binary_search(&name).is_ok() && self.take("<") {
                self.open += 1;
                continue;
            }
            let mut generics = walk.generics.iter();
            let is_unknown = BUILTIN_TYPES.binary_search(&written).is_ok()
                || generics.any(|generic| generic.names.contains(&written));
            return match is_unknown {
                true => Value::Unknown,
                false => Value::Type(TypeName {
                    path,
                    form: TypeForm::Instance,
                }),
            };
        }
    }

    /// Skips what precedes the name of a type: `&'a mut`, `*const`, `dyn`, and a lifetime before a type argument.
    fn skip_marks(&mut self) {
        loop {
            match self.ahead(0) {
                "&" | "&&" | "*" | "mut" | "const" | "dyn" | "impl" => self.skip(1),
                "'" => {
                    self.skip(2);
                    self.take(",");
                }
                _ => return,
            }
        }
    }

    /// Reads an initial value: a name or the call of one, and what only unwraps it.
    fn expression(&mut self) -> Value {
        while matches!(self.ahead(0), "&" | "*" | "mut") {
            self.skip(1);
        }
        let Some(path) = self.path() else {
            return Value::Unknown;
        };
        let value = match self.ahead(0).starts_with(['(', '{']) {
            true => {
                self.skip(1);
                Value::Call(path)
            }
            false => Value::Name(path),
        };
        self.skip_unwrapping();
        match self.ahead(0) {
            ";" | "}" | ")" | "]" => value,
            _ => Value::Unknown,
        }
    }

    /// Skips `?`, `.await`, `.unwrap()` and the like.
    fn skip_unwrapping(&mut self) {
        loop {
            match (self.ahead(0), self.ahead(1)) {
                ("?", _) => self.skip(1),
                (".", "await") => self.skip(2),
                (".", name) if is_transparent(name) && self.ahead(2).starts_with('(') => {
                    self.skip(3);
                }
                _ => return,
            }
        }
    }

    /// Skips the rest of a parameter and the comma after it; returns whether there is one.
    fn skip_past_comma(&mut self) -> bool {
        let mut open = std::mem::take(&mut self.open);
        while !self.rest.is_empty() {
            let token = self.ahead(0);
            self.skip(1);
            match token {
                "<" => open += 1,
                ">" => open -= 1,
                ">>" => open -= 2,
                "," if open <= 0 => return true,
                "|" => return false,
                _ => {}
            }
        }
        false
    }
}

/// Whether a token may be a part of a path.
fn is_part(token: &Node<'_>) -> bool {
    matches!(token.kind(), "identifier" | "self" | "super" | "crate")
}

fn is_transparent(name: &str) -> bool {
    TRANSPARENT.binary_search(&name).is_ok()
}

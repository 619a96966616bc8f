//! Reads the local variables of functions, and what they return, from the lines of their bodies. This suffices
//! to see that a local name hides a module's, and to find the class of `x = Foo()`. A misread line only costs
//! the quality of a guess.

use foveate_model::values::{Local, TypeForm, Value};
use foveate_model::{Definition, DefinitionKind, FileFacts, LocalId, RegionKind, Span};

use super::ValueForm;
use super::documented;
use super::results::{OutwardValue, are_alike};
use super::text::{annotation, clip, element, expression, leading_name, member, receiver, span_of};

/// What a line tells about the name that it binds, most informative first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding<'t> {
    /// The text that begins with its type.
    Annotation(&'t str),
    /// The text that begins with its value.
    Value(&'t str),
    /// The text that begins with the collection that it is an element of.
    Element(&'t str),
    /// The text that begins with the value that it is a member of, and the name of the member.
    Member(&'t str, &'t str),
    /// The text that begins with the type that it is a member of, and the name of the member.
    MemberOfType(&'t str, &'t str),
    /// The text that begins with the class of the caught exception.
    Caught(&'t str),
    /// The whole text of the collection whose elements it is, one after another, in a part of the function only: in a
    /// nameless function or a comprehension. Two parts may use one name for elements of different collections.
    Passed(&'t str),
    /// Nothing.
    Unknown,
}

/// Rank of [`Binding::Passed`], the last.
const PASSED: u8 = 4;

/// A binding of a name in a scope.
struct ScopedBinding {
    /// Position of the function plus one; zero outside of functions.
    scope: u32,
    name: Span,
    /// Rank of the binding's kind, and its position: the smallest is kept.
    order: (u8, usize),
    value: Value,
}

/// Scans the lines of a file.
pub(crate) struct Scan<'f> {
    text: &'f str,
    facts: &'f FileFacts,
    /// Ends and positions of the definitions around the current line, outermost first.
    open: Vec<(u32, u32)>,
    next_definition: usize,
    next_region: usize,
    /// Position of the function around the current line plus one; zero outside of functions.
    scope: u32,
    found: Vec<ScopedBinding>,
    returned: Vec<OutwardValue>,
}

/// Returns the local variables of a file, by scope and name, and the values that its functions return.
pub(super) fn locals_and_results(
    text: &str,
    facts: &FileFacts,
    form: &ValueForm,
) -> (Vec<Local>, Vec<OutwardValue>) {
    let mut scan = Scan {
        text,
        facts,
        open: Vec::new(),
        next_definition: 0,
        next_region: 0,
        scope: 0,
        found: Vec::new(),
        returned: Vec::new(),
    };
    let mut offset = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes());
    for end in ends.chain([text.len()]) {
        let line = text.get(offset..end).unwrap_or("");
        let blanks = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let indent = blanks.count();
        let start = offset + indent;
        offset = end + 1;
        let code = line.get(indent..).unwrap_or("").trim_end();
        if code.len() < 3 || scan.is_text(start) {
            continue;
        }
        let function = scan.function_at(start);
        let is_nameless = form.has_nameless_scopes && indent > 0;
        if function.is_some() || is_nameless {
            scan.scope = function.map_or(0, |id| id + 1);
            (form.bindings)(&mut scan, code);
        }
    }
    for (scope, definition) in (1..).zip(&facts.definitions) {
        let parameters = definition.parameters.map_or("", |span| span.of(text));
        let parameters = parameters.trim_start();
        if parameters.starts_with(form.patterns) {
            scan.scope = scope;
            scan.bind_pattern(parameters);
        }
    }
    scan.finish()
}

impl<'f> Scan<'f> {
    /// Records that the current line, which contains `name`, binds it. The text of a binding may continue
    /// after the line.
    pub(crate) fn bind(&mut self, name: &str, binding: Binding<'_>) {
        if name.is_empty() {
            return;
        }
        let (order, value) = self.value_of(binding);
        self.found.push(ScopedBinding {
            scope: self.scope,
            name: span_of(self.text, name),
            order,
            value,
        });
    }

    /// Records that the current line binds a name of what encloses its function.
    pub(crate) fn bind_around(&mut self, name: &str, binding: Binding<'_>) {
        let inner = self.scope;
        let outer = self.function().and_then(|function| function.parent);
        self.scope = outer.map_or(0, |id| id.0 + 1);
        self.bind(name, binding);
        self.scope = inner;
    }

    /// Records that the current line ends its function with a value.
    pub(crate) fn returns(&mut self, value: Binding<'_>) {
        let (_, value) = self.value_of(value);
        self.add_result(value);
    }

    /// Records that the current line returns an object, whose members are the functions inside its function. The name of
    /// the function stands for the object. (A method's name is not in scope inside the method.)
    pub(crate) fn returns_object(&mut self) {
        let named = self.function().filter(|function| {
            function.kind == DefinitionKind::Function && !function.name_span.is_empty()
        });
        if let Some(named) = named {
            self.add_result(Value::Name(named.name_span));
        }
    }

    /// Adds a value that the function around the current line returns.
    fn add_result(&mut self, value: Value) {
        if let Some(function) = self.scope.checked_sub(1).map(LocalId) {
            self.returned.push(OutwardValue {
                definition: function,
                function,
                value,
            });
        }
    }

    /// Moves to the function around a later part of the current line. Returns whether the names that the part
    /// binds belong to a scope: outside of functions, only where the whole line is.
    pub(crate) fn advance(&mut self, part: &str) -> bool {
        let start = span_of(self.text, part).start as usize;
        match self.function_at(start) {
            Some(id) => {
                self.scope = id + 1;
                true
            }
            None => self.scope == 0,
        }
    }

    /// Returns the text of the current line, `code`, before a part of it, as far as it belongs to the body of the
    /// function around the part.
    pub(crate) fn before_in_function(&self, code: &str, part: &str) -> &'f str {
        let end = span_of(self.text, part).start;
        let head = self.function().map_or(0, |function| function.signature.end);
        let start = span_of(self.text, code).start.max(head).min(end);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// Returns the text that begins with the type in the documentation directly before a part of the current line.
    pub(crate) fn documented_type(&self, part: &str) -> Option<&'f str> {
        documented::before(self.text, span_of(self.text, part).start as usize)
    }

    /// Returns the text of the receiver before the name of a function, and its last name. It may begin in an earlier line.
    pub(crate) fn receiver_of(&self, name: &str) -> Option<(&'f str, &'f str)> {
        let end = span_of(self.text, name).start as usize;
        let links = receiver(self.text, end);
        let (first, last) = (links.first()?.name, links.last()?.name);
        let before = self.text.get(first.start as usize..end)?;
        let before = before.trim_end_matches(['.', '?', '!', ' ', '\t', '\n', '\r']);
        Some((before, last.of(self.text)))
    }

    /// Returns the function around the current line, or around the part of it that is read.
    pub(crate) fn function(&self) -> Option<&'f Definition> {
        self.facts.definition(LocalId(self.scope.checked_sub(1)?))
    }

    /// Whether the head of the function around the current line ends in that line, whose text is `code`.
    pub(crate) fn is_head(&self, code: &str) -> bool {
        let line = span_of(self.text, code);
        let end = self.function().map(|function| function.signature.end);
        end.is_some_and(|end| (line.start..=line.end).contains(&end))
    }

    /// Returns the value that a binding tells, and its rank and position among those of one name.
    fn value_of(&self, binding: Binding<'_>) -> ((u8, usize), Value) {
        let text = self.text;
        let start = |part: &str| span_of(text, part).start as usize;
        let from = |part: &str| text.get(start(part)..).unwrap_or("");
        let typed = |part: &str| annotation(text, from(part));
        let (rank, part, value) = match binding {
            Binding::Annotation(part) => (0, part, typed(part).map(Value::Type)),
            Binding::Value(part) => (1, part, expression(text, from(part))),
            Binding::Element(part) => (1, part, element(text, from(part))),
            Binding::Member(part, name) => {
                let whole = expression(text, from(part));
                let value = whole.and_then(|whole| member(whole, span_of(text, name)));
                (1, part, value)
            }
            Binding::MemberOfType(part, name) => {
                let of = typed(part).filter(|of| of.form == TypeForm::Instance);
                let name = span_of(text, name);
                let value = of.map(|of| Value::MemberOfType { of: of.path, name });
                (0, part, value)
            }
            Binding::Caught(part) => (2, part, typed(part).map(Value::Type)),
            Binding::Unknown => return ((3, 0), Value::Unknown),
            Binding::Passed(part) => {
                // An expression of several lines would be read up to the end of the first.
                let is_line = !part.contains('\n');
                (PASSED, part, element(text, part).filter(|_| is_line))
            }
        };
        ((rank, start(part)), value.unwrap_or(Value::Unknown))
    }

    /// Records that the text from `pattern` on binds the names of a destructuring pattern: `{ a, b: c } = value`,
    /// `{ a }: Type`, `[a, b] = value`. The pattern may have several lines.
    pub(crate) fn bind_pattern(&mut self, pattern: &str) {
        let text = self.text;
        let start = span_of(text, pattern).start as usize;
        let whole = clip(text.get(start..).unwrap_or(""));
        let (names, after) = whole.split_at(whole.find(['}', ']']).unwrap_or(whole.len()));
        let after = after.trim_start_matches(['}', ']', ' ']);
        // The members of inner patterns are not those of the value, and those of arrays have no names.
        let is_plain = names
            .strip_prefix('{')
            .is_some_and(|names| !names.contains(['{', '[']));
        for item in names.split(',') {
            let item = item.trim_start_matches(['{', '[', ' ', '\t', '\r', '\n']);
            let (left, _) = item.split_once('=').unwrap_or((item, ""));
            let member = leading_name(left);
            let bound = left.rsplit(':').next().unwrap_or(left);
            let bound = leading_name(bound.trim_start_matches(['{', '[', ' ', '.']));
            let binding = if !is_plain || member.is_empty() {
                Binding::Unknown
            } else if let Some(written) = after.strip_prefix(':') {
                Binding::MemberOfType(written, member)
            } else if let Some(value) = after.strip_prefix("= ") {
                Binding::Member(value, member)
            } else {
                Binding::Unknown
            };
            self.bind(bound, binding);
        }
    }

    fn finish(mut self) -> (Vec<Local>, Vec<OutwardValue>) {
        let text = self.text;
        let key = |found: &ScopedBinding| (found.scope, found.name.of(text));
        self.found
            .sort_unstable_by(|a, b| (key(a), a.order).cmp(&(key(b), b.order)));
        self.found.dedup_by(|later, kept| {
            let is_same = key(later) == key(kept);
            if is_same && kept.order.0 == PASSED && !are_alike(kept.value, later.value, text) {
                kept.value = Value::Unknown;
            }
            is_same
        });
        // The name may mean something else in other parts of the function.
        let is_known = |found: &ScopedBinding| found.value != Value::Unknown;
        self.found
            .retain(|found| found.order.0 != PASSED || is_known(found));
        let locals = self.found.into_iter().map(|found| Local {
            function: found.scope.checked_sub(1).map(LocalId),
            name: found.name,
            value: found.value,
        });
        (locals.collect(), self.returned)
    }

    /// Whether a position is inside a string or documentation.
    fn is_text(&mut self, at: usize) -> bool {
        let regions = &self.facts.regions;
        while regions
            .get(self.next_region)
            .is_some_and(|region| region.span.end as usize <= at)
        {
            self.next_region += 1;
        }
        regions.get(self.next_region).is_some_and(|region| {
            (region.span.start as usize) < at && region.kind != RegionKind::Comment
        })
    }

    /// Returns the innermost function around a position. Positions must not decrease.
    fn function_at(&mut self, at: usize) -> Option<u32> {
        let definitions = &self.facts.definitions;
        while let Some(definition) = definitions.get(self.next_definition) {
            if definition.span.start as usize > at {
                break;
            }
            // A function's first line counts as inside it, but binds nothing there.
            if definition.kind.is_function() || definition.kind.is_container() {
                self.open
                    .push((definition.span.end, self.next_definition as u32));
            }
            self.next_definition += 1;
        }
        self.open.retain(|(end, _)| *end as usize > at);
        let (_, innermost) = *self.open.last()?;
        let definition = definitions.get(innermost as usize)?;
        definition.kind.is_function().then_some(innermost)
    }
}

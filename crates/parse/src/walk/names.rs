//! Finds the name that an expression refers to, which is its last: `c` in `a.b.c()`. Its path contains the
//! names before it. If these include a call, the chain of names and calls is recorded instead.

use std::cmp::Reverse;

use foveate_model::values::{Link, Value};
use foveate_model::{ReferenceKind, Span};
use tree_sitter::Node;

use super::{Form, Walk};
use crate::collect::{Receiver, span};

/// Maximum number of names of one expression that are followed.
const MAX_LINKS: usize = 16;
/// Longest path, in bytes. One expression may be read many times, as the value of each arm of a `match` is.
const MAX_PATH: usize = 4096;
/// Maximum number of names of fields in the literals of one file that have a reference. Tables may have
/// hundreds of thousands, all of the same few fields.
const MAX_LITERAL_FIELDS: usize = 2048;

/// How an expression or type is composed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'n> {
    /// A name on its own, including `this` and `self`.
    Name,
    /// A name after something: `a.b`, `a::b`, `a->b`.
    Member {
        /// The object before the name; `None` for `::b`.
        object: Option<Node<'n>>,
        name: Node<'n>,
    },
    /// A member that is called, in a grammar without a node for `a.b` in `a.b()`.
    Invoke {
        /// The object before the name.
        object: Option<Node<'n>>,
        name: Node<'n>,
    },
    /// A name inside a scope, in a grammar that nests the rest inside the scope: `a::(b::c)`.
    Scoped {
        /// The outermost scope; `None` for `::b`.
        scope: Option<Node<'n>>,
        /// The rest after the scope, which may be scoped again.
        rest: Node<'n>,
    },
    /// A call or construction: `f()`, `new C()`.
    Call(Node<'n>),
    /// An element of a collection or tuple: `a[0]`, `a.0`. Only languages that tell types of collections from those of
    /// their elements have it.
    Indexed(Node<'n>),
    /// An expression with the same meaning as a part of it: `(a)`, `*a`, `a!!`, `a<T>`.
    Same(Node<'n>),
    /// Anything else.
    Other,
}

impl<'n> Step<'n> {
    /// Returns the step of a member; [`Step::Other`] without a name.
    pub(crate) fn member(object: Option<Node<'n>>, name: Option<Node<'n>>) -> Self {
        name.map_or(Self::Other, |name| Self::Member { object, name })
    }

    /// Returns the step of a call; [`Step::Other`] without a function.
    pub(crate) fn call(function: Option<Node<'n>>) -> Self {
        function.map_or(Self::Other, Self::Call)
    }

    /// Returns the step of an element of a collection; [`Step::Other`] without one.
    pub(crate) fn indexed(collection: Option<Node<'n>>) -> Self {
        collection.map_or(Self::Other, Self::Indexed)
    }

    /// Returns the step of what stands for its inner node; [`Step::Other`] without one.
    pub(crate) fn same(inner: Option<Node<'n>>) -> Self {
        inner.map_or(Self::Other, Self::Same)
    }
}

/// An expression that ends in a name.
struct Chain<'n> {
    name: Node<'n>,
    path: Span,
    receiver: Receiver,
    /// The names before it, last to first; empty if they are not known.
    links: Vec<Link>,
}

impl<'t> Walk<'t> {
    /// Adds a reference for an `expression` that ends in a name, and returns the name and its path. The
    /// walk then skips the names in it.
    pub(crate) fn refer(
        &mut self,
        kind: ReferenceKind,
        expression: Node<'t>,
    ) -> Option<(Span, Span)> {
        let tail = last_name(self.steps(), expression)?;
        let is_handled = self.is_handled(tail.name);
        let chain = self.chain_to(tail);
        let found = (span(chain.name), chain.path);
        if !is_handled {
            self.add_reference(kind, chain);
        }
        Some(found)
    }

    /// Adds a reference as [`Self::refer`] does. What precedes a name that is handled is not read.
    pub(super) fn refer_once(&mut self, kind: ReferenceKind, expression: Node<'t>) {
        let Some(tail) = last_name(self.steps(), expression) else {
            return;
        };
        if !self.is_handled(tail.name) {
            let chain = self.chain_to(tail);
            self.add_reference(kind, chain);
        }
    }

    fn add_reference(&mut self, kind: ReferenceKind, chain: Chain<'t>) {
        let is_type = matches!(kind, ReferenceKind::Type | ReferenceKind::Base);
        if !(is_type && self.is_no_type(chain.path)) {
            self.collector
                .refer_through(kind, chain.name, chain.path, chain.receiver);
        }
        match chain.receiver {
            Receiver::Names => self.collector.skip_to(chain.name.end_byte()),
            Receiver::Opaque => {
                self.handled.push(Reverse(chain.name.start_byte()));
                self.collector.receivers(span(chain.name), chain.links);
            }
        }
    }

    /// Adds a reference for a name that is a node of its own.
    pub(super) fn refer_to_leaf(&mut self, kind: ReferenceKind, node: Node<'t>) {
        if self.collector.is_bound(node.start_byte()) {
            self.collector.bind(node);
        } else if kind == ReferenceKind::Name || !self.is_no_type(span(node)) {
            self.collector.refer(kind, node);
        }
    }

    /// Adds references for the names of fields in a literal: `b` in `A { b: 1 }`, where `made` is the node of the type
    /// `A`.
    pub(crate) fn literal_fields(
        &mut self,
        names: impl IntoIterator<Item = Node<'t>>,
        made: Node<'t>,
    ) {
        let chain = self.chain(made);
        let chain = chain.filter(|chain| chain.receiver == Receiver::Names);
        let Some(chain) = chain.filter(|chain| !self.is_no_type(chain.path)) else {
            return;
        };
        let mut links = vec![Link {
            name: span(chain.name),
            is_called: false,
            is_indexed: false,
        }];
        links.extend(chain.links);
        let left = MAX_LITERAL_FIELDS.saturating_sub(self.literal_fields);
        for name in names.into_iter().take(left) {
            self.literal_fields += 1;
            let kind = ReferenceKind::Attribute;
            self.collector
                .refer_through(kind, name, span(name), Receiver::Opaque);
            self.collector.receivers(span(name), links.clone());
        }
    }

    /// Adds a call of the member of an object that a text such as a symbol names: `b` in `a.send(:b)`. Without an object,
    /// nothing is known about it: `b` in `&:b`.
    pub(crate) fn call_named_member(&mut self, object: Option<Node<'t>>, name: Span) {
        let mut before = Before::nothing();
        self.add_object(&mut before, object);
        self.collector.refer_to_member(ReferenceKind::Call, name);
        self.collector.receivers(name, before.links);
    }

    /// Whether the name of a type yields no reference: it belongs to the language itself, or is a type
    /// parameter of an enclosing declaration.
    fn is_no_type(&mut self, path: Span) -> bool {
        let text = path.of(self.collector.text);
        let start = path.start as usize;
        self.generics.retain(|generic| generic.end > start);
        let first = text.split(['.', ':', ' ']).next().unwrap_or(text);
        let mut generics = self.generics.iter();
        self.is_builtin(text) || generics.any(|generic| generic.names.contains(&first))
    }

    /// Whether a name was handled before the walk reached it.
    pub(super) fn is_handled(&mut self, name: Node<'_>) -> bool {
        let start = name.start_byte();
        if self.collector.is_skipped(start) {
            return true;
        }
        // Names come in text order: positions before this one are no longer needed.
        while self.handled.peek().is_some_and(|name| name.0 < start) {
            self.handled.pop();
        }
        self.handled.peek().is_some_and(|name| name.0 == start)
    }

    /// Whether a member returns its receiver, or the value that it wraps.
    pub(super) fn is_transparent(&self, name: Node<'_>) -> bool {
        let transparent = self.form.types.transparent;
        !transparent.is_empty() && transparent.binary_search(&self.of(name)).is_ok()
    }

    fn is_builtin(&self, name: &str) -> bool {
        self.form.types.builtin.binary_search(&name).is_ok()
    }

    /// Returns the path of an expression or type that consists of plain names.
    pub(super) fn plain_path(&self, expression: Node<'_>) -> Option<Span> {
        let chain = self.chain(expression)?;
        (chain.receiver == Receiver::Names).then_some(chain.path)
    }

    /// Returns the node of the last name of an expression.
    pub(super) fn last_name<'n>(&self, expression: Node<'n>) -> Option<Node<'n>> {
        last_name(self.steps(), expression).map(|tail| tail.name)
    }

    /// Returns the value of an expression that ends in a name: `plain` of its path if it consists of names alone, otherwise
    /// its chain, if all names before the last are known.
    pub(super) fn value_of_names(
        &self,
        expression: Node<'_>,
        plain: fn(Span) -> Value,
    ) -> Option<Value> {
        let chain = self.chain(expression)?;
        if chain.receiver == Receiver::Names {
            return Some(plain(chain.path));
        }
        Some(Value::Chain {
            first: chain.links.last()?.name,
            name: span(chain.name),
            is_element: false,
        })
    }

    fn steps(&self) -> Steps<'t> {
        Steps {
            form: self.form,
            text: self.collector.text,
        }
    }

    /// Returns how an expression is composed.
    pub(super) fn step<'n>(&self, node: Node<'n>) -> Step<'n> {
        self.steps().of(node)
    }

    fn chain<'n>(&self, expression: Node<'n>) -> Option<Chain<'n>> {
        last_name(self.steps(), expression).map(|tail| self.chain_to(tail))
    }

    /// Returns the chain that a last name ends.
    fn chain_to<'n>(&self, tail: Tail<'n>) -> Chain<'n> {
        let mut before = Before::nothing();
        before.scopes(&tail, self.steps());
        let start = self.add_object(&mut before, tail.object);
        let start = start.unwrap_or(tail.start);
        let Before {
            links, is_plain, ..
        } = before;
        let path = Span::new(start, tail.name.end_byte());
        let is_plain = is_plain && is_path(path.of(self.collector.text));
        Chain {
            name: tail.name,
            path: if is_plain { path } else { span(tail.name) },
            receiver: if is_plain {
                Receiver::Names
            } else {
                Receiver::Opaque
            },
            links,
        }
    }

    /// Adds the names of the object before a name, if there is one, and returns where they start.
    fn add_object<'n>(&self, before: &mut Before, mut object: Option<Node<'n>>) -> Option<usize> {
        let mut start = None;
        while let Some(node) = object {
            if before.links.len() == MAX_LINKS {
                before.forget();
                break;
            }
            start = Some(node.start_byte());
            object = self.add_before(before, node);
        }
        start
    }

    /// Adds the last name of an expression that precedes others, and returns the expression before it.
    fn add_before<'n>(&self, before: &mut Before, node: Node<'n>) -> Option<Node<'n>> {
        let steps = self.steps();
        match steps.of(node) {
            Step::Name => {
                before.name(node);
                None
            }
            Step::Member { object, name } => {
                before.name(name);
                object
            }
            Step::Invoke { object, name } => {
                self.add_call(before, name);
                object
            }
            Step::Scoped { .. } => {
                match last_name(steps, node) {
                    Some(tail) => {
                        before.name(tail.name);
                        before.scopes(&tail, steps);
                    }
                    None => before.forget(),
                }
                None
            }
            Step::Same(inner) => {
                before.is_plain = false;
                Some(inner)
            }
            Step::Indexed(object) => {
                before.is_plain = false;
                before.is_indexed = true;
                Some(object)
            }
            Step::Call(function) => {
                let Some(tail) = last_name(steps, function) else {
                    before.forget();
                    return None;
                };
                self.add_call(before, tail.name);
                before.scopes(&tail, steps);
                tail.object
            }
            Step::Other => {
                before.forget();
                None
            }
        }
    }

    /// Adds a name that is called, unless the call returns its receiver.
    fn add_call(&self, before: &mut Before, name: Node<'_>) {
        before.is_plain = false;
        if !self.is_transparent(name) {
            before.link(name, true);
        }
    }
}

/// The names before a name.
struct Before {
    /// The names, last to first; empty if they are not known.
    links: Vec<Link>,
    /// Whether it consists of names only.
    is_plain: bool,
    /// Whether an element is taken of the name that is added next.
    is_indexed: bool,
}

impl Before {
    fn nothing() -> Self {
        Self {
            links: Vec::new(),
            is_plain: true,
            is_indexed: false,
        }
    }

    fn link(&mut self, name: Node<'_>, is_called: bool) {
        self.links.push(Link {
            name: span(name),
            is_called,
            is_indexed: std::mem::take(&mut self.is_indexed),
        });
    }

    fn name(&mut self, name: Node<'_>) {
        self.link(name, false);
    }

    /// Adds the scopes of a name, last to first, if they are names.
    fn scopes(&mut self, tail: &Tail<'_>, steps: Steps<'_>) {
        for scope in tail.scopes.iter().rev() {
            self.is_plain &= matches!(steps.of(*scope), Step::Name);
            match last_name(steps, *scope) {
                Some(tail) => self.name(tail.name),
                None => self.links.clear(),
            }
        }
    }

    /// Marks the names before as unknown.
    fn forget(&mut self) {
        self.links.clear();
        self.is_plain = false;
    }
}

/// The steps of a form in a text.
#[derive(Clone, Copy)]
struct Steps<'t> {
    form: &'static Form,
    text: &'t str,
}

impl Steps<'_> {
    /// Returns the type that a cast names, given the call and what it calls.
    fn cast<'n>(self, call: Node<'n>, called: Node<'n>) -> Option<Node<'n>> {
        let casts = self.form.types.casts;
        if casts.is_empty() {
            return None;
        }
        let name = last_name(self, called)?.name;
        let text = self.text.get(name.byte_range())?;
        casts.binary_search(&text).ok()?;
        (self.form.types.type_argument)(name, call)
    }

    /// Returns how an expression is composed. A cast is a construction of its type.
    fn of<'n>(self, node: Node<'n>) -> Step<'n> {
        let step = (self.form.step)(node);
        let called = match step {
            Step::Call(function) => Some(function),
            Step::Invoke { name, .. } => Some(name),
            _ => None,
        };
        let class = called.and_then(|called| self.cast(node, called));
        class.map_or_else(|| self.without_cast(node, step), Step::Call)
    }

    /// Returns how an expression is composed if it is no cast, given how it is written. `C.new` is a construction where
    /// `new` is a method of the class. A call that wraps a value stands for it, as a type of the wrapper stands for its
    /// argument.
    fn without_cast<'n>(self, node: Node<'n>, step: Step<'n>) -> Step<'n> {
        if matches!(step, Step::Call(_))
            && let Some(value) = (self.form.types.wrapped)(node, self.text)
        {
            return Step::Same(value);
        }
        let Some(constructor) = self.form.types.constructor else {
            return step;
        };
        match step {
            Step::Invoke { object, name } | Step::Member { object, name } => match object {
                Some(class) if self.text.get(name.byte_range()) == Some(constructor) => {
                    Step::Call(class)
                }
                _ => step,
            },
            _ => step,
        }
    }
}

/// The last name of an expression, and the parts before it.
struct Tail<'n> {
    name: Node<'n>,
    /// The object that it is a member of.
    object: Option<Node<'n>>,
    /// The scopes around it, outermost first.
    scopes: Vec<Node<'n>>,
    /// Start of the name or of the first scope.
    start: usize,
}

fn last_name<'n>(steps: Steps<'_>, mut expression: Node<'n>) -> Option<Tail<'n>> {
    let (mut scopes, mut start) = (Vec::new(), None);
    for _ in 0..MAX_LINKS {
        // The name of a cast is that of the method that is called: `make` of `$a->make(B::class)`.
        let written = (steps.form.step)(expression);
        let (name, object) = match steps.without_cast(expression, written) {
            Step::Name => (expression, None),
            Step::Member { object, name } | Step::Invoke { object, name } => (name, object),
            Step::Same(inner) => {
                expression = inner;
                continue;
            }
            Step::Scoped { scope, rest } => {
                start = start.or(Some(expression.start_byte()));
                scopes.extend(scope);
                expression = rest;
                continue;
            }
            Step::Call(_) | Step::Indexed(_) | Step::Other => return None,
        };
        return Some(Tail {
            name,
            object,
            scopes,
            start: start.unwrap_or(name.start_byte()),
        });
    }
    None
}

/// Whether a text consists of names and separators, without brackets and arguments, and is short enough for a path.
fn is_path(text: &str) -> bool {
    text.len() <= MAX_PATH
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || byte >= 0x80
                || byte.is_ascii_whitespace()
                || b"_$@.:->?!\\&".contains(&byte)
        })
}

//! How expressions end in names: `a.b.c()` uses `c`, whose path says what stands before it; where a call
//! stands before it, the chain of names and calls does.

use foveate_model::values::Link;
use foveate_model::{ReferenceKind, Span};
use tree_sitter::Node;

use super::{Form, Walk};
use crate::collect::{Receiver, span};

/// Most names of one expression that are looked at.
const MAX_LINKS: usize = 16;

/// How an expression or type is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'n> {
    /// A name on its own, `this` and `self` among them.
    Name,
    /// A name after something: `a.b`, `a::b`, `a->b`.
    Member {
        /// What stands before it; `None` for `::b`.
        object: Option<Node<'n>>,
        /// The name.
        name: Node<'n>,
    },
    /// A member that is called, where the grammar has no node for `a.b` in `a.b()`.
    Invoke {
        /// What stands before it.
        object: Option<Node<'n>>,
        /// The name.
        name: Node<'n>,
    },
    /// A name inside a scope, where the grammar nests what follows the scope: `a::(b::c)`.
    Scoped {
        /// The outermost scope; `None` for `::b`.
        scope: Option<Node<'n>>,
        /// What follows it, which may be scoped again.
        rest: Node<'n>,
    },
    /// A call or construction: `f()`, `new C()`.
    Call(Node<'n>),
    /// What means the same as a part of it: `(a)`, `*a`, `a!!`, `a<T>`.
    Same(Node<'n>),
    /// Anything else.
    Other,
}

/// An expression that ends in a name.
struct Chain<'n> {
    name: Node<'n>,
    path: Span,
    receiver: Receiver,
    /// The names before it, last to first, where they are known.
    links: Vec<Link>,
}

impl<'t> Walk<'t> {
    /// Records a use of `expression` where it ends in a name: gives the name and its path. The walk
    /// passes over the names in it.
    pub(crate) fn refer(
        &mut self,
        kind: ReferenceKind,
        expression: Node<'t>,
    ) -> Option<(Span, Span)> {
        let chain = self.chain(expression)?;
        let (name, path) = (span(chain.name), chain.path);
        if self.is_done(chain.name) {
            return Some((name, path));
        }
        let is_type = matches!(kind, ReferenceKind::Type | ReferenceKind::Base);
        if !(is_type && self.is_no_type(path)) {
            self.collector
                .refer_through(kind, chain.name, path, chain.receiver);
        }
        match chain.receiver {
            Receiver::Names => self.collector.skip_to(chain.name.end_byte()),
            Receiver::Opaque => {
                self.done.push(chain.name.start_byte());
                self.collector.receivers(name, chain.links);
            }
        }
        Some((name, path))
    }

    /// Records a use of a name that is a node of its own.
    pub(super) fn refer_to_leaf(&mut self, kind: ReferenceKind, node: Node<'t>) {
        if node.start_byte() < self.collector.bind_until {
            self.collector.bind(node);
        } else if kind == ReferenceKind::Name || !self.is_no_type(span(node)) {
            self.collector.refer(kind, node);
        }
    }

    /// Whether a name of a type is no reference: it is one of the language's own, or a parameter of
    /// the declaration around.
    fn is_no_type(&mut self, path: Span) -> bool {
        let text = path.of(self.collector.text);
        let start = path.start as usize;
        self.generics.retain(|generic| generic.end > start);
        let first = text.split(['.', ':', ' ']).next().unwrap_or(text);
        let mut generics = self.generics.iter();
        self.is_builtin(text) || generics.any(|generic| generic.names.contains(&first))
    }

    /// Whether a name was recorded before the walk came to it.
    pub(super) fn is_done(&mut self, name: Node<'_>) -> bool {
        let start = name.start_byte();
        if start < self.collector.skip_until {
            return true;
        }
        // Names come in the order of the text: what lies before this one is not asked for again.
        self.done.retain(|done| *done >= start);
        self.done.contains(&start)
    }

    /// Whether a member gives what stands before it, or what that wraps.
    pub(super) fn is_transparent(&self, name: Node<'_>) -> bool {
        let transparent = self.form.transparent;
        !transparent.is_empty() && transparent.binary_search(&self.of(name)).is_ok()
    }

    fn is_builtin(&self, name: &str) -> bool {
        self.form.builtin_types.binary_search(&name).is_ok()
    }

    /// The path of an expression or type of plain names.
    pub(super) fn plain_path(&self, expression: Node<'_>) -> Option<Span> {
        let chain = self.chain(expression)?;
        (chain.receiver == Receiver::Names).then_some(chain.path)
    }

    fn steps(&self) -> Steps<'t> {
        Steps {
            form: self.form,
            text: self.collector.text,
        }
    }

    /// How an expression is made.
    pub(super) fn step<'n>(&self, node: Node<'n>) -> Step<'n> {
        self.steps().of(node)
    }

    fn chain<'n>(&self, expression: Node<'n>) -> Option<Chain<'n>> {
        let steps = self.steps();
        let tail = last_name(steps, expression)?;
        let (name, mut object) = (tail.name, tail.object);
        let mut links = Vec::new();
        let (mut start, mut is_plain) = (tail.start, tail.link_scopes(steps, &mut links));
        while let Some(node) = object {
            if links.len() == MAX_LINKS {
                (links, is_plain) = (Vec::new(), false);
                break;
            }
            let mut link = |name: Node<'n>, is_called| {
                if !(is_called && self.is_transparent(name)) {
                    links.push(Link {
                        name: span(name),
                        is_called,
                    });
                }
            };
            start = node.start_byte();
            object = match steps.of(node) {
                Step::Name => {
                    link(node, false);
                    None
                }
                Step::Member { object, name } => {
                    link(name, false);
                    object
                }
                Step::Invoke { object, name } => {
                    is_plain = false;
                    link(name, true);
                    object
                }
                Step::Scoped { .. } => match last_name(steps, node) {
                    Some(tail) => {
                        link(tail.name, false);
                        is_plain &= tail.link_scopes(steps, &mut links);
                        None
                    }
                    None => {
                        (links, is_plain) = (Vec::new(), false);
                        break;
                    }
                },
                Step::Same(inner) => {
                    is_plain = false;
                    Some(inner)
                }
                Step::Call(function) => {
                    is_plain = false;
                    match last_name(steps, function) {
                        Some(tail) => {
                            link(tail.name, true);
                            tail.link_scopes(steps, &mut links);
                            tail.object
                        }
                        None => {
                            links.clear();
                            break;
                        }
                    }
                }
                Step::Other => {
                    (links, is_plain) = (Vec::new(), false);
                    break;
                }
            };
        }
        let path = Span::new(start, name.end_byte());
        let is_plain = is_plain && is_path(path.of(self.collector.text));
        Some(Chain {
            name,
            path: if is_plain { path } else { span(name) },
            receiver: if is_plain {
                Receiver::Names
            } else {
                Receiver::Opaque
            },
            links,
        })
    }
}

/// The steps of a form, in a text.
#[derive(Clone, Copy)]
struct Steps<'t> {
    form: &'static Form,
    text: &'t str,
}

impl Steps<'_> {
    /// How an expression is made. `C.new` constructs where that is a method of the class.
    fn of<'n>(self, node: Node<'n>) -> Step<'n> {
        let step = (self.form.step)(node);
        let Some(constructor) = self.form.constructor else {
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

/// The last name of an expression, and what stands before it.
struct Tail<'n> {
    name: Node<'n>,
    /// What it is a member of.
    object: Option<Node<'n>>,
    /// The scopes that it stands in, the outermost first.
    scopes: Vec<Node<'n>>,
    /// Where the name or the first scope starts.
    start: usize,
}

impl Tail<'_> {
    /// Adds the names of the scopes, last to first, as far as they are names. Whether they are names
    /// alone, without arguments.
    fn link_scopes(&self, steps: Steps<'_>, links: &mut Vec<Link>) -> bool {
        let mut is_plain = true;
        for scope in self.scopes.iter().rev() {
            let is_name = matches!(steps.of(*scope), Step::Name);
            is_plain &= is_name;
            match last_name(steps, *scope) {
                Some(tail) => links.push(Link {
                    name: span(tail.name),
                    is_called: false,
                }),
                None => links.clear(),
            }
        }
        is_plain
    }
}

fn last_name<'n>(steps: Steps<'_>, mut expression: Node<'n>) -> Option<Tail<'n>> {
    let (mut scopes, mut start) = (Vec::new(), None);
    for _ in 0..MAX_LINKS {
        let (name, object) = match steps.of(expression) {
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
            Step::Call(_) | Step::Other => return None,
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

/// Whether a text is names and what stands between them, without brackets and arguments.
fn is_path(text: &str) -> bool {
    text.bytes().all(|byte| {
        byte.is_ascii_alphanumeric()
            || byte >= 0x80
            || byte.is_ascii_whitespace()
            || b"_$@.:->?!\\&".contains(&byte)
    })
}

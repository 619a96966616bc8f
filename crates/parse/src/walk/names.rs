//! How expressions end in names: `a.b.c()` uses `c`, whose path says what stands before it; where a call
//! stands before it, the chain of names and calls does.

use foveate_model::values::Link;
use foveate_model::{ReferenceKind, Span};
use tree_sitter::Node;

use super::Walk;
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
        if !(is_type && path == name && self.is_builtin(self.of(chain.name))) {
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
        } else if kind == ReferenceKind::Name || !self.is_builtin(self.of(node)) {
            self.collector.refer(kind, node);
        }
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

    fn is_builtin(&self, name: &str) -> bool {
        self.form.builtin_types.binary_search(&name).is_ok()
    }

    /// The path of an expression or type of plain names.
    pub(super) fn plain_path(&self, expression: Node<'_>) -> Option<Span> {
        let chain = self.chain(expression)?;
        (chain.receiver == Receiver::Names).then_some(chain.path)
    }

    fn chain<'n>(&self, expression: Node<'n>) -> Option<Chain<'n>> {
        let step = self.form.step;
        let (name, mut object) = last_name(step, expression)?;
        let mut links = Vec::new();
        let (mut start, mut is_plain) = (name.start_byte(), true);
        while let Some(node) = object {
            if links.len() == MAX_LINKS {
                (links, is_plain) = (Vec::new(), false);
                break;
            }
            let mut link = |name: Node<'n>, is_called| {
                links.push(Link {
                    name: span(name),
                    is_called,
                });
            };
            start = node.start_byte();
            object = match step(node) {
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
                Step::Same(inner) => {
                    is_plain = false;
                    Some(inner)
                }
                Step::Call(function) => {
                    is_plain = false;
                    match last_name(step, function) {
                        Some((name, object)) => {
                            link(name, true);
                            object
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

/// The last name of an expression, and what stands before it.
fn last_name<'n>(
    step: for<'s> fn(Node<'s>) -> Step<'s>,
    mut expression: Node<'n>,
) -> Option<(Node<'n>, Option<Node<'n>>)> {
    for _ in 0..MAX_LINKS {
        match step(expression) {
            Step::Name => return Some((expression, None)),
            Step::Member { object, name } | Step::Invoke { object, name } => {
                return Some((name, object));
            }
            Step::Same(inner) => expression = inner,
            Step::Call(_) | Step::Other => return None,
        }
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

//! Finds what a declarator declares: `*(*f)(int)` declares a variable `f`, `*f(int)` a function.

use foveate_model::Span;
use tree_sitter::Node;

use crate::walk::{child_of_kind, field, last_child};

/// Deepest declarator that is examined.
const MAX_DEPTH: usize = 32;

/// The result of reading a declarator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declarator<'n> {
    /// Its last name.
    pub(super) name: Node<'n>,
    /// The whole name, with the scopes before it.
    pub(super) whole: Node<'n>,
    /// The declarator with the parameters, where it is a function.
    pub(super) function: Option<Node<'n>>,
    /// The initial value.
    pub(super) value: Option<Node<'n>>,
    /// Whether it is a pointer or a reference.
    pub(super) is_pointer: bool,
}

/// Reads a declarator; `None` if it has no name.
pub(super) fn declared(declarator: Node<'_>) -> Option<Declarator<'_>> {
    let (mut node, mut function, mut value) = (declarator, None, None);
    let mut is_pointer = false;
    for _ in 0..MAX_DEPTH {
        node = match node.kind() {
            "function_declarator" => {
                function = Some(node);
                field(node, "declarator")?
            }
            "init_declarator" => {
                value = field(node, "value");
                field(node, "declarator")?
            }
            "pointer_declarator" | "pointer_type_declarator" => {
                // A pointer to a function is called, and it is a variable.
                (function, is_pointer) = (None, true);
                field(node, "declarator")?
            }
            "reference_declarator" => {
                (function, is_pointer) = (None, true);
                node.named_child(0)?
            }
            "array_declarator" => {
                function = None;
                field(node, "declarator")?
            }
            "variadic_declarator" | "attributed_declarator" => node.named_child(0)?,
            "parenthesized_declarator" => last_child(node)?,
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "operator_name"
            | "destructor_name"
            | "operator_cast"
            | "primitive_type"
            | "qualified_identifier"
            | "template_function"
            | "template_method"
            | "template_type" => {
                let name = last_of(node)?;
                return Some(Declarator {
                    name,
                    whole: node,
                    function: function.or((name.kind() == "operator_cast").then_some(name)),
                    value,
                    is_pointer,
                });
            }
            _ => return None,
        };
    }
    None
}

/// Returns the last name of `a::b<T>::c<U>`.
pub(super) fn last_of(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_DEPTH {
        node = match node.kind() {
            "qualified_identifier" | "template_function" | "template_method" | "template_type" => {
                field(node, "name")?
            }
            "dependent_name" => node.named_child(0)?,
            // A pointer to a member: `void (A::*f)()`.
            "pointer_type_declarator" => field(node, "declarator")?,
            _ => return Some(node),
        };
    }
    None
}

impl<'n> Declarator<'n> {
    /// Returns the span of the name; for a conversion `operator T`, including the type.
    pub(super) fn name_span(&self) -> Span {
        let end = match self.name.kind() {
            "operator_cast" => field(self.name, "type").map(|to| to.end_byte()),
            _ => None,
        };
        Span::new(self.name.start_byte(), end.unwrap_or(self.name.end_byte()))
    }

    /// Returns the scopes before the name as written, without the `::` after them.
    pub(super) fn scope(&self, text: &'n str) -> Option<&'n str> {
        let before = text.get(self.whole.start_byte()..self.name.start_byte())?;
        let scope = before.trim_end().strip_suffix("::")?.trim();
        let scope = scope.trim_start_matches("::").trim();
        (!scope.is_empty()).then_some(scope)
    }

    /// Returns the list of parameters, for functions.
    pub(super) fn parameters(&self) -> Option<Node<'n>> {
        let function = self.function?;
        match function.kind() {
            "operator_cast" => field(field(function, "declarator")?, "parameters"),
            _ => field(function, "parameters"),
        }
    }

    /// Returns the type after `->`.
    pub(super) fn trailing_type(&self) -> Option<Node<'n>> {
        child_of_kind(self.function?, "trailing_return_type")
    }
}

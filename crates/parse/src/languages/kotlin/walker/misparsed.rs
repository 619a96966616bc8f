//! Recovers classes that the grammar parses as expressions: after annotations, `open class A { … }` may
//! become a call of `class` between `open` and `A { … }`.

use foveate_model::DefinitionKind;
use tree_sitter::Node;

use super::definitions::plain_name;
use super::references::annotated;
use crate::collect::{Draft, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, child_of_kind};

/// Maximum number of annotations before a class.
const MAX_ANNOTATIONS: usize = 32;

/// A class that was parsed as an expression.
struct MisparsedClass<'n> {
    kind: DefinitionKind,
    name: Node<'n>,
    body: Option<Node<'n>>,
}

/// Adds `a f b`: a call of `f`, unless it is a misparsed class.
pub(super) fn infix<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let Some(class) = misparsed_class(walk, node) else {
        return walk.call(node, depth);
    };
    let mut draft = walk.draft(class.kind, node, class.name, class.body);
    let end = class.body.unwrap_or(class.name).end_byte();
    draft.span = span(node);
    draft.span.end = u32::try_from(end).unwrap_or(draft.span.end);
    if class.body.is_none() {
        draft.signature_end = end;
    }
    annotate(walk, &mut draft, node.parent());
    plain_name(&mut draft);
    let id = walk.define(draft);
    // The words before the name are keywords, not references.
    walk.collector.skip_to(class.name.end_byte());
    if class.body.is_some() {
        walk.enter_definition(depth, id, class.kind);
    }
    Some(Descend::Into)
}

/// Adds the annotations that enclose an expression.
fn annotate<'t>(walk: &Walk<'t>, draft: &mut Draft<'t>, mut around: Option<Node<'t>>) {
    for _ in 0..MAX_ANNOTATIONS {
        let Some(outer) = around.filter(|outer| outer.kind() == "annotated_expression") else {
            break;
        };
        draft.span.start = span(outer).start;
        let annotation = child_of_kind(outer, "annotation");
        let names = annotation.map_or_else(Vec::new, annotated);
        let names = names.into_iter().map(|name| walk.of(name).into());
        draft.decorators.splice(0..0, names);
        around = outer.parent();
    }
}

fn misparsed_class<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<MisparsedClass<'t>> {
    let (left, word) = (node.named_child(0)?, node.named_child(1)?);
    let right = node.named_child(2)?;
    let kind = |word: Node<'t>| match walk.of(word) {
        "class" if walk.of(left).ends_with("enum") => Some(DefinitionKind::Enum),
        "class" | "object" => Some(DefinitionKind::Class),
        "interface" => Some(DefinitionKind::Interface),
        _ => None,
    };
    if let Some(kind) = kind(word) {
        return match right.kind() {
            "identifier" => Some(MisparsedClass {
                kind,
                name: right,
                body: None,
            }),
            "call_expression" => Some(MisparsedClass {
                kind,
                name: right.named_child(0).filter(|n| n.kind() == "identifier")?,
                body: Some(child_of_kind(right, "annotated_lambda")?.named_child(0)?),
            }),
            _ => None,
        };
    }
    // `class A` was parsed as a call of `A` between `class` and what follows.
    let kind = kind(left).filter(|_| left.kind() == "identifier")?;
    Some(MisparsedClass {
        kind,
        name: word,
        body: Some(right).filter(|right| right.kind() == "lambda_literal"),
    })
}

/// Whether the current node, a lambda, is the body of a class.
pub(super) fn is_body<'t>(walk: &Walk<'t>, lambda: Node<'t>) -> bool {
    let is_of = |class: Node<'t>| {
        class.kind() == "infix_expression"
            && misparsed_class(walk, class).is_some_and(|class| class.body == Some(lambda))
    };
    walk.ancestor(1).is_some_and(is_of) || walk.ancestor(3).is_some_and(is_of)
}

//! Walks Java syntax trees and collects their facts.

mod definitions;
mod imports;
mod locals;
#[cfg(test)]
mod tests;

use foveate_model::{MessageKind, ReferenceKind};
use tree_sitter::Node;

use crate::collect::CollectorRules;
use crate::languages::MAX_TYPE_NESTING;
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, arguments, base_list, child_of_kind,
    children, comment, constructed, field, into, last_child, member, name, parent_in, past, text,
    type_member, type_name, type_position,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    messages: message,
    is_statement: |kind| {
        kind.ends_with("_statement")
            || kind.ends_with("_declaration")
            || matches!(kind, "switch_block_statement_group" | "switch_rule")
    },
    rules: CollectorRules {
        // Local variables are recorded, so other bare names are members or names of other files.
        keeps_name: Some(|name| name.len() > 1),
        ..CollectorRules::new(&["noinspection", "CHECKSTYLE", "@formatter", "NOSONAR"])
    },
    ..Form::new(tree_sitter_java::LANGUAGE, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    transparent: &["orElse", "orElseGet", "orElseThrow"],
    wrappers: &["Optional"],
    collections: COLLECTIONS,
    type_argument,
    ..TypeRules::new(named_type)
};

/// Types that every program has without an import, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "Boolean", "Byte", "CharSequence", "Character", "Class", "Double", "Float", "Integer", "Long",
    "Number", "Object", "Short", "String", "Void", "var",
];

/// Kinds of nodes that yield no facts.
const PASSED: &[&str] = &[
    "receiver_parameter", "break_statement", "continue_statement", "module_declaration",
    "character_literal", "this", "super",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "line_comment" | "block_comment" => comment,
        "string_literal" => text,
        "identifier" => name,
        "type_identifier" => type_use,
        "field_access" => member,
        "scoped_type_identifier" => type_member,
        "method_invocation" => |walk, node, depth| walk.call(node, depth),
        "object_creation_expression" => creation,
        "method_reference" => method_reference,
        "throw_statement" => throw,
        "marker_annotation" | "annotation" => annotation,
        "superclass" | "super_interfaces" | "extends_interfaces" => base_list,
        "type_arguments" => type_position,
        "package_declaration" => imports::package,
        "import_declaration" => imports::import,
        "class_declaration"
        | "interface_declaration"
        | "annotation_type_declaration"
        | "enum_declaration" => definitions::type_declaration,
        "record_declaration" => definitions::record,
        "enum_constant" => definitions::enum_constant,
        "method_declaration" | "annotation_type_element_declaration" => definitions::method,
        "constructor_declaration" | "compact_constructor_declaration" => definitions::constructor,
        "field_declaration" | "constant_declaration" => definitions::fields,
        "block" | "static_initializer" => locals::block,
        "lambda_expression" => locals::lambda,
        "local_variable_declaration" => locals::variables,
        "enhanced_for_statement" => locals::loop_variable,
        "resource" => locals::resource,
        "instanceof_expression" | "type_pattern" | "record_pattern_component" => locals::pattern,
        "record_pattern" => locals::record_pattern,
        "catch_clause" => locals::catch,
        // The key of `@A(key = value)` is a member of the annotation, not a name of the file.
        "type_parameter" | "labeled_statement" | "element_value_pair" => past_first,
        _ if PASSED.contains(&kind) => past,
        kind if kind.ends_with("_literal") && kind != "class_literal" => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "identifier" | "type_identifier" | "this" | "super" => Step::Name,
        "scoped_identifier" | "field_access" => {
            let object = field(node, "object").or_else(|| field(node, "scope"));
            Step::member(object, field(node, "field").or_else(|| field(node, "name")))
        }
        "scoped_type_identifier" | "method_reference" => {
            let object = node.named_child(0);
            let name = last_child(node).filter(|name| object != Some(*name));
            let is_name = |name: &Node<'_>| matches!(name.kind(), "identifier" | "type_identifier");
            Step::member(object, name.filter(is_name))
        }
        "method_invocation" => match field(node, "name") {
            Some(name) => Step::Invoke {
                object: field(node, "object"),
                name,
            },
            None => Step::Other,
        },
        // Both yield an object of the type.
        "object_creation_expression" | "cast_expression" => Step::call(field(node, "type")),
        "generic_type" | "parenthesized_expression" => Step::same(node.named_child(0)),
        "annotated_type" => Step::same(last_child(node)),
        // The recorded type of an array variable is that of its elements.
        "array_access" => Step::same(field(node, "array")),
        _ => Step::Other,
    }
}

/// Returns the name in a type: `B` for `B[]`, `a.B<C>` and `@D B`.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        node = match node.kind() {
            "type_identifier" | "scoped_type_identifier" => return Some(node),
            "generic_type" => node.named_child(0)?,
            "array_type" => field(node, "element")?,
            "annotated_type" => last_child(node)?,
            _ => return None,
        };
    }
    None
}

/// Collections, maps and iterators of the standard library, sorted. The elements of a map are its values.
const COLLECTIONS: &[&str] = &[
    "ArrayDeque", "ArrayList", "BlockingQueue", "Collection", "ConcurrentHashMap", "ConcurrentMap",
    "CopyOnWriteArrayList", "Deque", "EnumMap", "HashMap", "HashSet", "Iterable", "Iterator",
    "LinkedHashMap", "LinkedHashSet", "LinkedList", "List", "ListIterator", "Map", "NavigableMap",
    "NavigableSet", "PriorityQueue", "Queue", "Set", "SortedMap", "SortedSet", "TreeMap",
    "TreeSet", "Vector",
];

/// Returns `A` of `Optional<A>` and `Map<K, A>`, given the node of the name before it, and one around the type.
fn type_argument<'n>(named: Node<'n>, whole: Node<'n>) -> Option<Node<'n>> {
    let generic = parent_in(whole, named).filter(|it| it.kind() == "generic_type")?;
    last_child(child_of_kind(generic, "type_arguments")?)
}

/// Returns the kind of message that a call's string arguments are.
pub(in crate::languages) fn message(path: &str, name: &str) -> Option<MessageKind> {
    let is_bare = path == name;
    let is_of_class = is_bare || path.starts_with(char::is_uppercase);
    match name {
        "checkArgument" | "checkState" | "checkNotNull" | "requireNonNull" | "requireNotNull"
        | "fail"
            if is_of_class =>
        {
            Some(MessageKind::Error)
        }
        "require" | "check" | "error" if is_bare => Some(MessageKind::Error),
        "println" | "printf" if matches!(path.split('.').nth(1), None | Some("out" | "err")) => {
            Some(MessageKind::Log)
        }
        "d" | "e" | "i" | "v" | "w" if path.starts_with("Log.") => Some(MessageKind::Log),
        "severe" | "warning" | "config" | "fine" | "finer" | "finest" => {
            let receiver = path.strip_suffix(name)?;
            messages::of_call(&format!("{receiver}info"), "info")
        }
        _ => messages::of_call(path, name),
    }
}

/// Adds a type on its own. A type of one letter is a type parameter.
fn type_use<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    match node.byte_range().len() {
        1 => Some(Descend::Past),
        _ => type_name(walk, node, depth),
    }
}

/// Adds the method of `A::b`, which does not call it; `A::new` constructs objects.
fn method_reference<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    match step(node) {
        Step::Member { .. } => walk.refer(ReferenceKind::Attribute, node),
        _ => node
            .named_child(0)
            .filter(|_| walk.of(node).ends_with("new"))
            .and_then(|made| walk.refer(ReferenceKind::Call, made)),
    };
    Some(Descend::Into)
}

/// Adds `new A(…)`. In the body of `new A() { … }`, names may be members of `A`.
fn creation<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if let (Some(base), Some(body)) = (field(node, "type"), child_of_kind(node, "class_body")) {
        walk.nameless_class(body, base);
    }
    constructed(walk, node, depth)
}

/// Adds the type raised by `throw new E("…")`.
fn throw<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let thrown = node.named_child(0);
    let made = thrown.filter(|thrown| thrown.kind() == "object_creation_expression");
    if let Some(made) = made.and_then(|made| field(made, "type")) {
        walk.refer(ReferenceKind::Raise, made);
        walk.collector
            .within(depth, |context| context.message = Some(MessageKind::Error));
    }
    Some(Descend::Into)
}

fn annotation<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    if let Some(name) = field(node, "name") {
        walk.refer(ReferenceKind::Decorator, name);
    }
    arguments(walk, node, depth)
}

/// Skips the first name, which is declared and not used.
fn past_first<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let first = children(node)
        .into_iter()
        .find(|child| child.kind().ends_with("identifier"));
    if let Some(first) = first {
        walk.collector.skip_to(first.end_byte());
    }
    Some(Descend::Into)
}

//! Walks Go syntax trees and collects their facts.

mod definitions;
#[cfg(test)]
mod tests;

use foveate_model::values::Value;
use foveate_model::{DefinitionKind, ImportKind, ImportedName, MessageKind};
use tree_sitter::Node;

use crate::collect::CollectorRules;
use crate::languages::MAX_TYPE_NESTING;
use crate::messages;
use crate::syntax::Descend;
use crate::walk::{
    Form, Handled, Handler, Step, TypeRules, Walk, Walker, base_list, children, comment, field,
    into, member, name, parent_in, past, text, type_member, type_name,
};

pub(super) static WALKER: Walker = Walker::new(Form {
    messages: message,
    is_documentation: |_| false,
    is_statement: |kind| {
        kind.ends_with("_statement") || kind.ends_with("_declaration") || kind == "expression_case"
    },
    rules: CollectorRules {
        keeps_name: Some(|name| name.len() > 2 && !BUILTINS.contains(&name)),
        ..CollectorRules::new(&["go:", "nolint", "+build", "export "])
    },
    ..Form::new(tree_sitter_go::LANGUAGE, handler, step, TYPES)
});

const TYPES: TypeRules = TypeRules {
    builtin: BUILTIN_TYPES,
    casts: &["make", "new"],
    type_argument,
    ..TypeRules::new(named_type)
};

/// Types of the language itself, sorted.
const BUILTIN_TYPES: &[&str] = &[
    "any", "bool", "byte", "comparable", "complex128", "complex64", "error", "float32", "float64",
    "int", "int16", "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintptr",
];

/// Names that are bound everywhere.
pub(super) const BUILTINS: &[&str] = &[
    "append", "bool", "byte", "cap", "clear", "close", "complex", "copy", "delete", "error",
    "false", "float32", "float64", "imag", "int", "int32", "int64", "iota", "len", "make", "max",
    "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true",
    "uint", "uint32", "uint64", "uint8",
];

fn handler(kind: &str) -> Handler {
    match kind {
        "comment" => comment,
        "interpreted_string_literal" | "raw_string_literal" => text,
        "identifier" => name,
        "type_identifier" => type_name,
        "selector_expression" => member,
        "qualified_type" => type_member,
        "call_expression" => call,
        "composite_literal" => literal,
        "literal_element" => literal_element,
        "package_clause" => package,
        "import_spec" => import,
        "function_declaration" => definitions::function,
        "method_declaration" => definitions::method,
        "method_elem" => definitions::interface_method,
        "type_spec" | "type_alias" => definitions::type_spec,
        "field_declaration" => definitions::field_declaration,
        "const_spec" | "var_spec" => definitions::values,
        "func_literal" => definitions::function_literal,
        "short_var_declaration" => short_variables,
        "range_clause" => range,
        "receive_statement" => short_variables,
        "type_switch_statement" => type_switch,
        "type_conversion_expression" => conversion,
        "type_elem" => type_element,
        "field_identifier" | "package_identifier" | "label_name" | "escape_sequence"
        | "int_literal" | "float_literal" | "imaginary_literal" | "rune_literal" | "nil"
        | "true" | "false" | "iota" => past,
        _ => into,
    }
}

fn step(node: Node<'_>) -> Step<'_> {
    match node.kind() {
        "identifier" | "type_identifier" | "package_identifier" | "field_identifier" => Step::Name,
        "selector_expression" => Step::member(field(node, "operand"), field(node, "field")),
        "qualified_type" => Step::member(field(node, "package"), field(node, "name")),
        "call_expression" => Step::call(called(node)),
        // `T{…}` yields an object of `T`.
        "composite_literal" => Step::call(field(node, "type").and_then(made)),
        "generic_type" => Step::same(field(node, "type")),
        "unary_expression" => Step::same(field(node, "operand")),
        "parenthesized_expression" | "pointer_type" => Step::same(node.named_child(0)),
        // Of lists of lists, only the innermost elements are known.
        "index_expression" => match field(node, "operand") {
            Some(inner) if inner.kind() == "index_expression" => Step::Same(inner),
            operand => Step::indexed(operand),
        },
        "type_assertion_expression" => Step::call(field(node, "type")),
        _ => Step::Other,
    }
}

/// Returns the type in `make(A)` and `new(A)`. They are written as calls with a type as their argument.
fn type_argument<'n>(function: Node<'n>, call: Node<'n>) -> Option<Node<'n>> {
    made(field(parent_in(call, function)?, "arguments")?.named_child(0)?)
}

/// Returns the type of an object that is made. A list or map counts as one of its elements.
fn made(declared: Node<'_>) -> Option<Node<'_>> {
    match declared.kind() {
        "slice_type" | "array_type" | "map_type" | "channel_type" => named_type(declared),
        _ => Some(declared),
    }
}

/// Returns the function that a call calls; `f` of `f[T](a)`, which may be parsed as an element.
fn called(call: Node<'_>) -> Option<Node<'_>> {
    let function = field(call, "function")?;
    match function.kind() {
        "index_expression" => field(function, "operand"),
        _ => Some(function),
    }
}

/// Returns the name in a type: `T` for `*a.T`, `[]T`, `map[K]T` and `chan T`; for several results of a
/// function, that of the first.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    for _ in 0..MAX_TYPE_NESTING {
        node = match node.kind() {
            "type_identifier" | "qualified_type" => return Some(node),
            "pointer_type" | "parenthesized_type" => node.named_child(0)?,
            "slice_type" | "array_type" => field(node, "element")?,
            "map_type" | "channel_type" => field(node, "value")?,
            "generic_type" => field(node, "type")?,
            "parameter_list" => field(node.named_child(0)?, "type")?,
            _ => return None,
        };
    }
    None
}

fn message(path: &str, name: &str) -> Option<MessageKind> {
    match (path, name) {
        ("errors.New" | "fmt.Errorf" | "panic", _) => Some(MessageKind::Error),
        (_, "Errorf" | "Wrap" | "Wrapf") => Some(MessageKind::Error),
        (
            _,
            "Fatal" | "Fatalf" | "Printf" | "Println" | "Infof" | "Warningf" | "Warnf" | "Debugf"
            | "Logf",
        ) => Some(MessageKind::Log),
        (_, "Info" | "Debug" | "Warn" | "Warning" | "Error" | "Fatalln" | "Panic" | "Panicf") => {
            let receiver = path.rsplit('.').nth(1)?.to_ascii_lowercase();
            receiver.contains("log").then_some(MessageKind::Log)
        }
        _ => messages::of_call(path, name),
    }
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = called(node)?;
    // `string(a)` is a conversion.
    if BUILTIN_TYPES.binary_search(&walk.of(function)).is_ok() {
        walk.mark_handled(function);
        return Some(Descend::Into);
    }
    walk.call(function, depth)
}

/// Adds the call of `F[T](a)`, which is parsed as a conversion to a type but mostly calls a function.
fn conversion<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let function = field(node, "type").filter(|made| made.kind() == "generic_type")?;
    walk.call(function, depth)
}

/// Adds a base: `io.Reader` on its own in an interface is one.
fn type_element<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    let around = walk.ancestor(1);
    let is_base = node.named_child_count() == 1
        && around.is_some_and(|around| around.kind() == "interface_type");
    match is_base {
        true => base_list(walk, node, depth),
        false => Some(Descend::Into),
    }
}

/// Adds the names of the fields in `T{Key: value}`, and in the elements of `[]T{{Key: value}}`.
fn literal<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let (made, body) = (field(node, "type")?, field(node, "body")?);
    let named = named_type(made)?;
    match made.kind() {
        "qualified_type" if is_standard_map(walk, made) => {}
        "type_identifier" | "qualified_type" | "generic_type" => add_keys(walk, body, named),
        "slice_type" | "array_type" | "map_type" if has_fields(walk, element_type(made)) => {
            for part in children(body) {
                let element = field(part, "value").unwrap_or(part);
                let inner = element.named_child(0);
                if let Some(inner) = inner.filter(|inner| inner.kind() == "literal_value") {
                    add_keys(walk, inner, named);
                }
            }
        }
        _ => {}
    }
    Some(Descend::Into)
}

fn add_keys<'t>(walk: &mut Walk<'t>, body: Node<'t>, named: Node<'t>) {
    let parts = children(body).into_iter();
    let keys = parts.filter_map(|part| field(part, "key")?.named_child(0));
    walk.literal_fields(keys.filter(|key| key.kind() == "identifier"), named);
}

/// Skips the key of `T{Key: value}`: it is a field of `T`, not a name of the file.
fn literal_element<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let around = walk.ancestor(1);
    let is_key = around.is_some_and(|around| {
        around.kind() == "keyed_element" && around.named_child(0) == Some(node)
    });
    let inner = node.named_child(0).filter(|_| is_key);
    if inner.is_some_and(|key| key.kind() == "identifier")
        && has_fields(walk, literal_type(walk, 2, MAX_LITERALS))
    {
        walk.collector.skip_to(node.end_byte());
    }
    Some(Descend::Into)
}

/// Maximum number of literals around one whose type is looked for. Deeper ones count as literals of structs.
const MAX_LITERALS: usize = 4;

/// Types of the standard library that are maps, sorted.
const STANDARD_MAPS: [&str; 4] = [
    "http.Header", "mail.Header", "textproto.MIMEHeader", "url.Values",
];

fn is_standard_map(walk: &Walk<'_>, made: Node<'_>) -> bool {
    STANDARD_MAPS.binary_search(&walk.of(made)).is_ok()
}

/// Whether the keys in the braces of a literal of a type are fields. Those of maps, arrays and slices are expressions.
fn has_fields(walk: &Walk<'_>, made: Option<Node<'_>>) -> bool {
    made.is_none_or(|made| {
        !is_standard_map(walk, made)
            && !matches!(
                made.kind(),
                "map_type" | "slice_type" | "array_type" | "implicit_length_array_type"
            )
    })
}

/// Returns the type of a literal whose braces are `body` levels above the current node. `{…}` in another literal has the
/// type of that one's elements.
fn literal_type<'t>(walk: &Walk<'t>, body: usize, literals: usize) -> Option<Node<'t>> {
    let around = walk.ancestor(body + 1)?;
    if around.kind() == "composite_literal" {
        return field(around, "type");
    }
    let part = walk.ancestor(body + 2)?;
    let is_keyed = part.kind() == "keyed_element";
    let is_key = is_keyed && part.named_child(0) == Some(around);
    let outer = body + if is_keyed { 3 } else { 2 };
    let made = literal_type(walk, outer, literals.checked_sub(1)?)?;
    match made.kind() {
        "map_type" if is_key => field(made, "key"),
        _ => element_type(made),
    }
}

/// Returns the type of the elements of a list or the values of a map.
fn element_type(made: Node<'_>) -> Option<Node<'_>> {
    match made.kind() {
        "map_type" => field(made, "value"),
        "slice_type" | "array_type" | "implicit_length_array_type" => field(made, "element"),
        _ => None,
    }
}

fn package<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    if let Some(name) = node.named_child(0) {
        walk.collector.facts.package = walk.of(name).into();
    }
    Some(Descend::Past)
}

/// Adds `import name "a/b"`. Without a name, the package is named after the last part of its path, ignoring
/// versions.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let Some(path) = field(node, "path") else {
        return Some(Descend::Past);
    };
    let module = walk.of(path).trim_matches(['"', '`']);
    let alias = field(node, "name").map(|name| walk.of(name));
    let names = match alias {
        Some("_") => Vec::new(),
        Some(".") => vec![ImportedName::new("*", "")],
        Some(alias) => vec![ImportedName::new("*", alias)],
        None => vec![ImportedName::new("*", package_name(module))],
    };
    walk.collector
        .import(node, None, ImportKind::From, module, names);
    Some(Descend::Past)
}

/// Returns the usual name of a package: `yaml` of `gopkg.in/yaml.v3`, `b` of `a/b/v2`, and `v1` of `a/b/v1`, since
/// the path of a module has its major version from the second on.
fn package_name(module: &str) -> &str {
    let is_major = |part: &&str| is_version(part) && !matches!(*part, "v0" | "v1");
    let mut parts = module.rsplit('/').filter(|part| !is_major(part));
    let last = parts.next().unwrap_or(module);
    let last = match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    };
    last.strip_prefix("go-").unwrap_or(last)
}

fn is_version(part: &str) -> bool {
    let number = part.strip_prefix('v');
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Adds the variables of `a, b := f(), g`: each gets its value; if one call has several results, only the
/// first does.
fn short_variables<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let (left, right) = (field(node, "left")?, field(node, "right")?);
    let values = children(right);
    for (at, target) in children(left).into_iter().enumerate() {
        if target.kind() != "identifier" || walk.of(target) == "_" {
            continue;
        }
        let value = values
            .get(at)
            .map_or(Value::Unknown, |value| walk.value_of(*value));
        walk.local(target, value);
    }
    Some(Descend::Into)
}

/// Adds the variables of `for i, a := range list`. Of lists of lists, only the innermost elements are known.
fn range<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let value = match field(node, "right") {
        Some(inner) if inner.kind() == "index_expression" => walk.value_of(inner),
        list => walk.element_value(None, list),
    };
    for (at, target) in field(node, "left")
        .into_iter()
        .flat_map(children)
        .enumerate()
    {
        if target.kind() == "identifier" && walk.of(target) != "_" {
            walk.local(target, if at == 1 { value } else { Value::Unknown });
        }
    }
    Some(Descend::Into)
}

/// Adds the variable of `switch a := b.(type)`.
fn type_switch<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    for target in field(node, "alias").into_iter().flat_map(children) {
        if target.kind() == "identifier" {
            walk.local(target, Value::Unknown);
        }
    }
    Some(Descend::Into)
}

/// Whether a definition at this position belongs to the package, not to a function.
fn is_top_level(walk: &Walk<'_>) -> bool {
    walk.context().enclosing.is_none() && !walk.is_in_function()
}

/// Derives visibility from the first letter of a name: Go has no other marker.
fn visibility(name: &str) -> foveate_model::Visibility {
    match name.starts_with(char::is_uppercase) {
        true => foveate_model::Visibility::Public,
        // Every file of the package sees it.
        false => foveate_model::Visibility::Protected,
    }
}

/// Returns the definition kind of a type, by the node of its declaration.
fn kind_of_type(node: Option<Node<'_>>) -> DefinitionKind {
    match node.map_or("", |node| node.kind()) {
        "struct_type" => DefinitionKind::Class,
        "interface_type" => DefinitionKind::Interface,
        _ => DefinitionKind::TypeAlias,
    }
}

//! Handles calls with a special meaning: imports, mixins, sections, accessors, methods defined by name,
//! raised errors. A call that is recognised by its name alone must have no receiver.

use foveate_model::values::Value;
use foveate_model::{
    DefinitionKind, ImportKind, ImportedName, LocalId, MessageKind, ReferenceKind, Span, Visibility,
};
use tree_sitter::Node;

use super::bindings::owner;
use super::definitions::with_here_documents;
use super::yard::types_above;
use super::{arguments, is_constant, literal_name, skip_name, specs};
use crate::collect::{Draft, Position, span};
use crate::syntax::Descend;
use crate::walk::{Handled, Walk, children, field};

/// Handles a call whose name has a special meaning. `None`: it is an ordinary call.
pub(super) fn special_call<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    receiver: Option<Node<'t>>,
    name: &'t str,
    depth: u32,
) -> Handled {
    let is_in_class = walk.parent_kind().is_some_and(DefinitionKind::is_container);
    match (receiver.map(|receiver| walk.of(receiver)), name) {
        (None | Some("RSpec"), _) if specs::is_group(name) || specs::is_example(name) => {
            return specs::block(walk, node, name, depth);
        }
        (
            Some(_),
            "send" | "public_send" | "__send__" | "method" | "instance_method" | "respond_to?"
            | "try",
        ) => {
            named_call(walk, node);
            return None;
        }
        (Some(_), "include" | "extend" | "prepend") => {}
        (Some("Kernel"), "require" | "raise") => {}
        (Some(_), _) => return None,
        (None, _) => {}
    }
    if is_in_class {
        methods_in_options(walk, node, name);
    }
    match name {
        "require" | "require_relative" | "load" | "autoload" => import(walk, node, name),
        "raise" | "fail" => return raise(walk, node, depth),
        "include" | "extend" | "prepend" if receiver.is_none() => mixin(walk, node, depth),
        "let" | "let!" | "subject" | "subject!" => return specs::value(walk, node),
        "send" | "public_send" | "method" => named_call(walk, node),
        "alias_method" => alias_method(walk, node),
        _ if owner(walk).is_none() => return None,
        "attr_reader" | "attr_writer" | "attr_accessor" | "attr" | "cattr_accessor"
        | "mattr_accessor" | "class_attribute" | "cattr_reader" | "mattr_reader" => {
            accessors(walk, node, name);
        }
        _ if is_in_class => return call_in_class(walk, node, name, depth),
        _ => return None,
    }
    Some(Descend::Into)
}

/// Handles a call that changes or defines members of the class or module in whose body it is.
fn call_in_class<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &'t str, depth: u32) -> Handled {
    match name {
        "private"
        | "protected"
        | "public"
        | "private_class_method"
        | "public_class_method"
        | "private_constant"
        | "module_function" => return section(walk, node, name, depth),
        "define_method" | "define_singleton_method" => return add_method(walk, node, name, depth),
        // `scope :admin do … end` groups something; a scope of a model has a query.
        "scope" if arguments(node).len() > 1 => return add_method(walk, node, name, depth),
        "has_many"
        | "has_one"
        | "belongs_to"
        | "has_and_belongs_to_many"
        | "has_many_attached"
        | "has_one_attached"
        | "has_rich_text"
        | "attribute"
        | "enum"
        | "store_accessor" => {
            declared_fields(walk, node, name);
            // The call itself may be of a method of this repository.
            return None;
        }
        "class_methods" => {
            walk.collector
                .within(depth, |context| context.section.is_static = true);
            return Some(Descend::Into);
        }
        "delegate"
        | "def_delegators"
        | "def_delegator"
        | "def_instance_delegators"
        | "def_instance_delegator" => delegations(walk, node, name),
        _ if is_callback(name) => callbacks(walk, node),
        _ if is_declared(walk, node) => return add_method(walk, node, name, depth),
        _ => return None,
    }
    Some(Descend::Into)
}

/// Number of bytes at the end of a comment in which the declaration of a method is searched.
const MAX_COMMENT: usize = 4 << 10;

/// Whether the comment above a call declares the method that its first argument names, as YARD has it:
/// `# @!method a?(b)` above `matcher :a?, '…'`.
fn is_declared(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let Some(comment) = walk.collector.comment_above(node) else {
        return false;
    };
    let argument = arguments(node).into_iter().next();
    let Some((name, _)) = argument.and_then(|argument| literal_name(walk, argument)) else {
        return false;
    };
    // A comment may be above thousands of calls, all on one line.
    let written = comment.of(walk.collector.text);
    let start = written.len().saturating_sub(MAX_COMMENT);
    let end = (start..).find_map(|at| written.get(at..)).unwrap_or("");
    end.lines().any(|line| {
        let declared = line.trim_start_matches([' ', '\t', '#']);
        let declared = declared.strip_prefix("@!method ").map(str::trim_start);
        let rest = declared.map(|declared| declared.strip_prefix("self.").unwrap_or(declared));
        let rest = rest.and_then(|declared| declared.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', ' ', '[']))
    })
}

/// Adds the fields `a` and `b` of `delegate :a, :b, to: :c`, `def_delegators :@c, :a, :b`, `def_delegator :@c, :a, :b`,
/// which are read through another object. The last form names only `b`.
fn delegations<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str) {
    let arguments = arguments(node);
    let names = match name {
        "delegate" => arguments.get(..),
        _ if name.ends_with('s') => arguments.get(1..),
        _ => arguments
            .get(1..)
            .and_then(<[_]>::last)
            .map(std::slice::from_ref),
    };
    skip_name(walk, node);
    fields(walk, node, names.unwrap_or_default(), false);
}

/// Adds `require 'a/b'`. A path relative to the file gets a dot: `require_relative 'a'` imports `./a`.
fn import<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str) {
    let arguments = arguments(node);
    let argument = match name {
        "autoload" => arguments.get(1),
        _ => arguments.first(),
    };
    let Some(module) = argument.and_then(|argument| module(walk, *argument, name)) else {
        return;
    };
    walk.import(
        node,
        ImportKind::Require,
        &module,
        ImportedName::new("*", ""),
    );
}

fn module(walk: &Walk<'_>, argument: Node<'_>, name: &str) -> Option<String> {
    if let Some((path, _)) = literal_name(walk, argument) {
        return Some(match name {
            "require_relative" if !path.starts_with('.') => format!("./{path}"),
            _ => path.to_owned(),
        });
    }
    // `File.expand_path('../a', __FILE__)`, `File.join(__dir__, 'a')`, `"#{__dir__}/a"`
    let written = walk.of(argument);
    if argument.kind() == "string" {
        let rest = written.trim_matches('"').strip_prefix("#{__dir__}/")?;
        return (!rest.contains("#{")).then(|| format!("./{rest}"));
    }
    let inside = arguments(argument);
    let (path, _) = inside.iter().find_map(|part| literal_name(walk, *part))?;
    if written.contains("__FILE__") && !written.contains("dirname") {
        // The path is relative to the file itself, so its directory is one step up.
        let rest = path.strip_prefix("..")?;
        return Some(format!("./{}", rest.trim_start_matches('/')));
    }
    let is_here = written.contains("__dir__") || written.contains("dirname(__FILE__)");
    is_here.then(|| format!("./{}", path.trim_start_matches('/')))
}

/// Adds the modules of `include A, B::C` to the bases of the enclosing class.
fn mixin<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) {
    let bases = arguments(node)
        .into_iter()
        .filter(|base| is_constant(*base));
    let bases = bases.map(|base| walk.of(base).trim_start_matches("::").into());
    let bases: Vec<Box<str>> = bases.collect();
    if walk.add_bases(bases) {
        walk.collector.enter_position(depth, Position::Base);
    }
    skip_name(walk, node);
}

/// Adds the class raised by `raise A::B, "text"`, `raise B.new("text")`; `raise "text"` has none.
fn raise<'t>(walk: &mut Walk<'t>, node: Node<'t>, depth: u32) -> Handled {
    skip_name(walk, node);
    let raised = arguments(node).into_iter().next();
    let created = raised.filter(|raised| raised.kind() == "call");
    let created = created.and_then(|created| field(created, "receiver"));
    if let Some(class) = created.or(raised).filter(|class| is_constant(*class)) {
        walk.refer(ReferenceKind::Raise, class);
    }
    walk.collector
        .within(depth, |context| context.message = Some(MessageKind::Error));
    Some(Descend::Into)
}

/// Adds the fields of `attr_reader :a, :b`.
fn accessors<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str) {
    skip_name(walk, node);
    let arguments = arguments(node);
    // The first field takes the comment. Without one, many calls on a line would read the same comment.
    let is_field = |argument: &Node<'t>| literal_name(walk, *argument).is_some();
    let value = match arguments.iter().any(is_field) {
        true => types_above(walk, node)
            .returned
            .map_or(Value::Unknown, Value::Type),
        false => Value::Unknown,
    };
    for id in fields(walk, node, &arguments, name.starts_with(['c', 'm'])) {
        walk.holds(id, value);
    }
}

/// Adds the fields of a model, which others read and set: `has_many :a, through: :b`, `attribute :a, :string`,
/// `enum a: { b: 0 }`, `store_accessor :a, :b, :c`.
fn declared_fields<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str) {
    let arguments = arguments(node);
    let names = match name {
        "store_accessor" => arguments.get(1..),
        _ => arguments.get(..1),
    };
    let keys = names.unwrap_or_default().iter();
    // An enum may be the first of several options.
    let keys = keys.map(|argument| match argument.kind() {
        "pair" if name == "enum" => field(*argument, "key").unwrap_or(*argument),
        _ => *argument,
    });
    let keys: Vec<Node<'t>> = keys.collect();
    fields(walk, node, &keys, false);
}

/// Adds the fields that arguments name, and returns them.
fn fields<'t>(
    walk: &mut Walk<'t>,
    node: Node<'t>,
    arguments: &[Node<'t>],
    is_of_class: bool,
) -> Vec<LocalId> {
    let section = walk.context().section;
    let mut added = Vec::new();
    for argument in arguments {
        let Some((name, place)) = literal_name(walk, *argument) else {
            continue;
        };
        let mut draft = Draft::new(name, DefinitionKind::Field, span(node), place);
        draft.visibility = Some(section.visibility);
        draft.modifiers.is_static = section.is_static || is_of_class;
        let owner = owner(walk);
        added.push(walk.collector.define_in(owner, draft));
    }
    added
}

/// Begins a section at a word without arguments, such as `private`; `false` if the word begins none.
pub(super) fn begin_section(walk: &mut Walk<'_>, word: &str) -> bool {
    let section = &mut walk.collector.context.section;
    match word {
        "private" => section.visibility = Visibility::Private,
        "protected" => section.visibility = Visibility::Protected,
        "public" => section.visibility = Visibility::Public,
        "module_function" => section.is_static = true,
        _ => return false,
    }
    true
}

/// Sets the visibility of the members in `private def a`, `private attr_reader :a`, `private :a, :b`,
/// `private_class_method :a`.
fn section<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str, depth: u32) -> Handled {
    skip_name(walk, node);
    let visibility = match name {
        "protected" => Visibility::Protected,
        "public" | "public_class_method" | "module_function" => Visibility::Public,
        _ => Visibility::Private,
    };
    let parent = walk.context().parent;
    let is_static = name == "module_function";
    let arguments = arguments(node);
    let lists = arguments.iter().filter(|list| list.kind() == "array");
    let inside: Vec<Node<'t>> = lists.flat_map(|list| children(*list)).collect();
    for argument in arguments.iter().chain(&inside) {
        let Some((named, _)) = literal_name(walk, *argument) else {
            continue;
        };
        let last = walk.collector.members(parent, named).last().copied();
        if let Some(member) =
            last.and_then(|id| walk.collector.facts.definitions.get_mut(id.0 as usize))
        {
            member.visibility = visibility;
            member.modifiers.is_static |= is_static;
        }
    }
    walk.collector.within(depth, |context| {
        context.section.visibility = visibility;
        context.section.is_static |= is_static;
    });
    Some(Descend::Into)
}

/// Adds the method of `define_method(:a) { |b| … }`.
fn add_method<'t>(walk: &mut Walk<'t>, node: Node<'t>, name: &str, depth: u32) -> Option<Descend> {
    let is_static = matches!(name, "define_singleton_method" | "scope");
    let is_macro = !name.starts_with("define_");
    let (name, place) = literal_name(walk, arguments(node).into_iter().next()?)?;
    let block = field(node, "block");
    let parameters = block.and_then(|block| field(block, "parameters"));
    let section = walk.context().section;
    let whole = with_here_documents(node);
    let mut draft = Draft::new(name, DefinitionKind::Method, whole, place);
    draft.body = block.map(span).or(field(node, "arguments").map(span));
    draft.signature_end = block.map_or(node.end_byte(), |block| block.start_byte());
    draft.parameters = parameters.map(|list| Span::new(list.start_byte() + 1, list.end_byte() - 1));
    draft.visibility = Some(section.visibility);
    draft.modifiers.is_static = is_static || section.is_static;
    let id = walk.define(draft);
    if !is_macro {
        skip_name(walk, node);
    }
    walk.enter_definition(depth, id, DefinitionKind::Method);
    Some(Descend::Into)
}

/// Adds the alias of `alias_method :new, :old`.
fn alias_method<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    skip_name(walk, node);
    let mut names = arguments(node)
        .into_iter()
        .map_while(|argument| literal_name(walk, argument));
    if let (Some(new), Some((_, old))) = (names.next(), names.next()) {
        add_alias(walk, node, new, old);
    }
}

/// Adds the alias of `alias new old` and `alias :new :old`.
pub(super) fn alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let side = |name: &'static str| {
        let side = field(node, name)?;
        literal_name(walk, side).or_else(|| Some((walk.of(side), span(side))))
    };
    if let (Some(new), Some((_, old))) = (side("name"), side("alias")) {
        add_alias(walk, node, new, old);
    }
    Some(Descend::Past)
}

/// Adds an alias of a method: a method of its own that uses the other one.
fn add_alias<'t>(walk: &mut Walk<'t>, node: Node<'t>, (name, place): (&'t str, Span), old: Span) {
    // Global variables have aliases, too; these are no methods.
    if name.starts_with('$') {
        return;
    }
    let owner = owner(walk);
    let kind = match owner {
        Some(_) => DefinitionKind::Method,
        None => DefinitionKind::Function,
    };
    let section = walk.context().section;
    let mut draft = Draft::new(name, kind, span(node), place);
    draft.body = Some(old);
    draft.visibility = Some(section.visibility);
    draft.modifiers.is_static = section.is_static;
    walk.collector.define_in(owner, draft);
    // Nothing is called here, and a bare `Name` would count as a call.
    walk.collector.refer_at(ReferenceKind::Attribute, old, old);
}

/// Records a call of the method that the symbol in `method(:a)` and `b.send(:a)` names.
fn named_call<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let argument = arguments(node).into_iter().next();
    let Some(place) = argument.and_then(|argument| symbol(walk, argument)) else {
        return;
    };
    let receiver = field(node, "receiver").filter(|receiver| receiver.kind() != "self");
    match receiver {
        Some(object) => walk.call_named_member(Some(object), place),
        None => walk.collector.refer_at(ReferenceKind::Call, place, place),
    }
}

/// Returns the place of the name in a symbol.
fn symbol<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Span> {
    let (_, place) = literal_name(walk, node).filter(|_| node.kind() == "simple_symbol")?;
    Some(place)
}

/// Adds the call of `&:a`: that of the method of each object that the block would get.
pub(super) fn block_argument<'t>(walk: &mut Walk<'t>, node: Node<'t>, _: u32) -> Handled {
    let place = node
        .named_child(0)
        .and_then(|argument| symbol(walk, argument))?;
    walk.call_named_member(None, place);
    Some(Descend::Past)
}

/// Whether a call names callbacks: `before_action :a`, `skip_before_action :a`, `validate :a`, `after_commit :a`.
fn is_callback(name: &str) -> bool {
    let place = name.split_once('_').filter(|(first, _)| {
        // Where a callback is added to others, or that it is removed.
        matches!(*first, "prepend" | "append" | "skip")
    });
    let hook = place.map_or(name, |(_, hook)| hook);
    let is_hook = ["before_", "after_", "around_"]
        .iter()
        .any(|beginning| hook.starts_with(beginning));
    is_hook || matches!(name, "validate" | "helper_method" | "memoize")
}

/// Records calls of the methods that options of a call in a class name: `validates :a, if: :b?`,
/// `after_save :a, unless: [:b?, :c?]`, `rescue_from A, with: :b`.
fn methods_in_options<'t>(walk: &mut Walk<'t>, node: Node<'t>, called: &str) {
    for option in arguments(node) {
        let (Some(key), Some(value)) = (field(option, "key"), field(option, "value")) else {
            continue;
        };
        let is_method = match literal_name(walk, key) {
            Some(("if" | "unless", _)) => true,
            Some(("with", _)) => called == "rescue_from",
            _ => false,
        };
        match value.kind() {
            _ if !is_method => {}
            "array" => refer_to_symbols(walk, children(value)),
            _ => refer_to_symbols(walk, [value]),
        }
    }
}

/// Records calls of the methods that symbols name.
fn refer_to_symbols<'t>(walk: &mut Walk<'t>, names: impl IntoIterator<Item = Node<'t>>) {
    for name in names {
        if let Some(place) = symbol(walk, name) {
            walk.collector.refer_at(ReferenceKind::Call, place, place);
        }
    }
}

fn callbacks<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    skip_name(walk, node);
    refer_to_symbols(walk, arguments(node));
}

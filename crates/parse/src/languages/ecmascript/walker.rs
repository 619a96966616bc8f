//! Walks JavaScript with JSX, TypeScript and TSX: one walker for three grammars that share their node
//! names. It dispatches on node kinds; the modules below it handle each construct.

mod classes;
mod commonjs;
mod constants;
mod definitions;
mod documentation;
mod grammar;
mod imports;
mod prototypes;
mod references;
mod specs;
#[cfg(test)]
mod tests;
mod types;

use std::collections::{HashMap, HashSet};

use foveate_model::{FileFacts, Language, LocalId, ReferenceKind, RegionKind, Span};
use tree_sitter::Node;

use self::documentation::DocumentedName;
use self::grammar::{Grammar, Kind};
pub(super) use self::specs::{HOOKS, TEST_BLOCKS};
use super::{JAVASCRIPT, TSX};
use crate::chunks::Nesting;
use crate::collect::{Collector, CollectorRules, Position, Scope, span};
use crate::limits::Limits;
use crate::syntax::{self, Budget, Descend, Visitor};

/// Maximum number of parentheses, casts, `await` and assignments around a value that are removed.
const MAX_WRAPPERS: usize = 8;

static RULES: CollectorRules = CollectorRules {
    nesting: Nesting::Scopes,
    ..CollectorRules::new(&[
        "eslint-", "eslint ", "@ts-", "prettier-ignore", "istanbul ", "tslint:", "biome-ignore",
        "type:",
    ])
};

/// Parses a language of the family. `None` if a limit of the parser was reached.
pub(super) fn facts(language: Language, text: &str, limits: &Limits) -> Option<FileFacts> {
    facts_within(language, text, (text, None), limits)
}

/// Returns the facts of `code`, which is `text` with blanks in place of everything that is not code. If the whole is a
/// component without a default export, the tag that begins it is its definition.
pub(super) fn facts_within(
    language: Language,
    code: &str,
    (text, component): (&str, Option<Span>),
    limits: &Limits,
) -> Option<FileFacts> {
    let mut budget = Budget::new(limits);
    let mut grammar = Grammar::get(language);
    let mut tree = grammar.tree(code, &mut budget)?;
    if language == JAVASCRIPT.language && tree.root_node().has_error() {
        // The text has Flow type annotations, or JSX that the JavaScript grammar does not know. The TSX
        // grammar parses most of these.
        let wider = Grammar::get(TSX.language);
        let other = wider.tree(code, &mut budget);
        if let Some(other) = other.filter(|other| !other.root_node().has_error()) {
            (grammar, tree) = (wider, other);
        }
    }
    let mut walker = Walker {
        grammar,
        collector: Collector::new(language, text, &RULES),
        wrapper: None,
        claimed: None,
        bound_import: None,
        called: None,
        caught: None,
        chained: None,
        exports_object: None,
        constants: None,
        members_of: HashSet::new(),
        implemented: HashSet::new(),
        member_decorators: None,
        top_level: HashMap::new(),
        class_name: None,
        read: Span::default(),
        reads_documentation: language == JAVASCRIPT.language,
        documented: Vec::new(),
    };
    if let Some(tag) = component {
        walker.component(tag);
    }
    walker.collector.facts.issues = syntax::walk(&tree, limits.max_depth, &mut walker);
    walker.refer_to_documented();
    Some(walker.collector.finish())
}

struct Walker<'t> {
    grammar: &'static Grammar,
    collector: Collector<'t>,
    /// The `export` or `declare` around the next declaration.
    wrapper: Option<Outer>,
    /// A function or class that was already defined under the name that it is bound to.
    claimed: Option<usize>,
    /// A `require` or `import()` whose names are already recorded.
    bound_import: Option<usize>,
    /// A `new` expression that is not a plain call, and the kind of its reference.
    called: Option<(usize, ReferenceKind)>,
    /// The right side of an `instanceof` inside a `catch`.
    caught: Option<usize>,
    /// A member expression whose last name is already recorded.
    chained: Option<usize>,
    /// The object assigned to `module.exports`.
    exports_object: Option<usize>,
    /// The object literal in the value of a variable whose members are constants.
    constants: Option<usize>,
    /// The object types whose members become those of a type alias or interface; those that the walk has reached are
    /// removed.
    members_of: HashSet<usize>,
    /// Names of types that object literals implement; those that the walk has reached are removed.
    implemented: HashSet<usize>,
    /// Decorators that precede their member as siblings, as in TypeScript's grammar, and the start of the
    /// first.
    member_decorators: Option<(usize, Vec<Box<str>>)>,
    /// Definitions at the top level by name, for `Foo.prototype.bar = …`.
    top_level: HashMap<&'t str, LocalId>,
    /// The name of the class just entered, if decorators precede it.
    class_name: Option<usize>,
    /// Decorators or a default value among names that are bound: names in it are read.
    read: Span,
    /// Whether documentation states types: TypeScript states them in its code.
    reads_documentation: bool,
    /// The types that documentation names.
    documented: Vec<DocumentedName<'t>>,
}

/// The statement around a declaration, and what it states about the declaration.
#[derive(Clone, Debug)]
struct Outer {
    /// The declaration.
    inner: usize,
    span: Span,
    decorators: Vec<Box<str>>,
    is_exported: bool,
    is_default: bool,
}

impl<'t> Visitor<'t> for Walker<'_> {
    fn enter(&mut self, node: Node<'t>, depth: u32) -> Descend {
        let (kind, is_statement) = self.grammar.kinds.of(node);
        if is_statement {
            self.collector.statement(node, depth);
        }
        match kind {
            Kind::Skip | Kind::This => return Descend::Past,
            Kind::Plain => {}
            Kind::Wrapper => self.note_satisfied(node),
            Kind::Object => self.object(node, depth),
            Kind::Comment => return self.comment(node),
            Kind::Text => return self.string(node),
            Kind::Substitution => self.collector.within(depth, |c| c.message = None),
            Kind::Markup => return self.markup(node),
            Kind::Identifier => return self.identifier(node),
            Kind::BoundIdentifier => return self.bound_identifier(node),
            Kind::TypeIdentifier => return self.type_identifier(node),
            Kind::NestedType => return self.nested_type(node),
            Kind::Member => return self.member(node),
            Kind::Call => self.call(node, depth),
            Kind::New => self.new_object(node, depth),
            Kind::Arguments => self.arguments(depth),
            Kind::Pattern | Kind::Parameters => self.bind_pattern(node),
            Kind::TypedParameter => self.typed_parameter(node),
            Kind::TypeParameter => self.type_parameter(node),
            Kind::TypeArguments => self.collector.enter_position(depth, Position::Value),
            Kind::TypeQuery => self.collector.enter_position(depth, Position::Type),
            Kind::Function => self.function(node, depth),
            Kind::Arrow => self.arrow(node, depth),
            Kind::Class => self.class(node, depth),
            Kind::ClassBody | Kind::InterfaceBody => self.class_body(depth),
            Kind::Heritage => self.collector.enter_position(depth, Position::Base),
            Kind::Method => self.method(node, depth),
            Kind::Signature => self.signature(node, depth),
            Kind::Field => self.field(node, depth),
            Kind::PropertySignature => self.property_signature(node),
            Kind::Interface => self.interface(node, depth),
            Kind::ObjectType => self.object_type(node, depth),
            Kind::Enum => self.enumeration(node, depth),
            Kind::EnumBody => self.enum_members(node),
            Kind::Namespace => self.namespace(node, depth),
            Kind::TypeAlias => self.type_alias(node, depth),
            Kind::Declaration => self.declaration(node, depth),
            Kind::Declarator => self.declarator(node, depth),
            Kind::Assignment => self.assignment(node, depth),
            Kind::Pair => self.pair(node, depth),
            Kind::Export => return self.export(node, depth),
            Kind::Ambient => self.ambient(node),
            Kind::Import => return self.import(node),
            Kind::ImportAlias => self.import_alias(node),
            Kind::Decorator => self.decorator(node, depth),
            Kind::Catch => self.catch(node, depth),
            Kind::Throw => self.throw(node, depth),
            Kind::For => self.loop_scope(depth),
            Kind::ForIn => self.for_in(node, depth),
            Kind::Binary => self.binary(node),
            Kind::JsxName => self.jsx(node),
        }
        Descend::Into
    }

    fn leave(&mut self, depth: u32) {
        self.collector.leave(depth);
    }
}

impl<'t> Walker<'t> {
    fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar.kinds.of(node).0
    }

    fn comment(&mut self, node: Node<'_>) -> Descend {
        let text = self.collector.of(node);
        let is_documentation = text.starts_with("/**") && !text.starts_with("/**/");
        let kind = match is_documentation {
            true => RegionKind::Documentation,
            false => RegionKind::Comment,
        };
        self.collector.comment(node, kind);
        if is_documentation {
            self.documentation(node);
        }
        Descend::Past
    }

    /// Adds the region of a string literal, without its substitutions, and its message.
    fn string(&mut self, node: Node<'_>) -> Descend {
        let kinds = &self.grammar.kinds;
        self.collector
            .literal(node, |part| kinds.of(part).0 == Kind::Substitution)
    }

    /// Adds the text between the tags of JSX.
    fn markup(&mut self, node: Node<'_>) -> Descend {
        if !self.collector.of(node).trim().is_empty() {
            self.collector.region(RegionKind::Text, span(node));
        }
        Descend::Past
    }

    fn arguments(&mut self, depth: u32) {
        self.collector.within(depth, |context| {
            context.position = Position::Value;
            context.in_local_call |= context.scope == Scope::Function;
        });
    }

    fn object_type(&mut self, node: Node<'_>, depth: u32) {
        let has_members = self.members_of.remove(&node.id());
        self.collector
            .within(depth, |context| context.has_members = has_members);
    }

    fn catch(&mut self, node: Node<'_>, depth: u32) {
        self.collector
            .bind_field(node, self.grammar.fields.parameter);
        self.collector
            .within(depth, |context| context.in_catch = true);
    }

    /// Enters a loop, whose variables are not module variables.
    fn loop_scope(&mut self, depth: u32) {
        self.collector
            .within(depth, |context| context.scope = Scope::Function);
    }

    fn for_in(&mut self, node: Node<'_>, depth: u32) {
        self.collector.bind_field(node, self.grammar.fields.left);
        self.loop_scope(depth);
    }

    fn class_body(&mut self, depth: u32) {
        self.collector.within(depth, |context| {
            context.scope = Scope::Class;
            context.position = Position::Value;
            context.constructs = None;
            context.has_members = true;
            context.members_at = depth + 1;
            context.is_exports = false;
            context.in_local_call = false;
        });
    }

    /// Returns the value inside parentheses, casts, `await` and further assignments.
    fn unwrapped<'n>(&self, mut value: Node<'n>) -> Node<'n> {
        for _ in 0..MAX_WRAPPERS {
            let inner = match self.kind(value) {
                Kind::Wrapper => self.first_expression(value),
                Kind::Assignment => value.child_by_field_id(self.grammar.fields.right),
                _ if value.kind() == "await_expression" => value.named_child(0),
                _ => None,
            };
            match inner {
                Some(inner) => value = inner,
                None => break,
            }
        }
        value
    }

    fn first_expression<'n>(&self, wrapper: Node<'n>) -> Option<Node<'n>> {
        let is_assertion = wrapper.kind() == "type_assertion";
        let mut cursor = wrapper.walk();
        let mut inner = wrapper
            .named_children(&mut cursor)
            .filter(|child| !matches!(self.kind(*child), Kind::Comment | Kind::TypeArguments));
        if is_assertion {
            inner.last()
        } else {
            inner.next()
        }
    }

    /// Returns the value of a string literal, as written.
    fn string_value(&self, literal: Node<'_>) -> Option<&'t str> {
        (self.kind(literal) == Kind::Text)
            .then(|| {
                self.collector
                    .inside_quotes(literal)
                    .of(self.collector.text)
            })
            .filter(|value| !value.contains("${"))
    }
}

//! Turns Python's syntax tree into facts. The walker dispatches on node kinds; [`definitions`], [`imports`]
//! and [`references`] handle each construct.

mod definitions;
mod imports;
mod references;
#[cfg(test)]
mod tests;
mod unchanged;

use std::sync::OnceLock;

use foveate_model::{Content, DefinitionKind, FileFacts, RegionKind, Span};
use tree_sitter::{Node, Tree};

use self::unchanged::UnchangedFunctions;
use super::LANGUAGE;
use super::documentation::TOOL_NOTES;
use crate::collect::{Collector, CollectorRules, Position, Scope, span};
use crate::limits::Limits;
use crate::syntax::{self, Budget, Descend, IsNamed, KindTable, Visitor, fields, kinds};

/// Parses Python. `None` if a limit of the parser was reached. `earlier` is an earlier version of the file:
/// the facts are the same with it, but only differences are parsed.
pub(crate) fn facts(text: &str, earlier: Option<&Content>, limits: &Limits) -> Option<FileFacts> {
    // What the attempts take is not missing when the whole text is parsed after them: otherwise a text that
    // needs most of the budget would have other facts with an earlier version than without.
    let mut budget = Budget::new(&Limits {
        max_steps: limits.max_steps / u64::from(BUDGET_OF_CHANGES),
        timeout: limits.timeout / BUDGET_OF_CHANGES,
        ..*limits
    });
    let changed = earlier.and_then(|earlier| facts_of_changes(text, earlier, limits, &mut budget));
    changed.or_else(|| facts_of_whole(text, limits))
}

/// All attempts to parse only the changes may take one in this many parts of the limits.
const BUDGET_OF_CHANGES: u32 = 4;

/// Maximum number of attempts to parse only the changes. A function that turns out to differ is parsed in the next
/// attempt, which can reveal another.
const MAX_ATTEMPTS: usize = 3;

/// Parses only what differs. `None` if that saves no work, or could give other facts.
fn facts_of_changes(
    text: &str,
    earlier: &Content,
    limits: &Limits,
    budget: &mut Budget,
) -> Option<FileFacts> {
    let mut unchanged = UnchangedFunctions::find(earlier, text);
    for _ in 0..MAX_ATTEMPTS {
        if !unchanged.is_worthwhile(text) {
            return None;
        }
        let (reduced, edits) = unchanged.reduced(text);
        let mut tree = tree(&reduced, budget)?;
        edits.iter().for_each(|edit| tree.edit(edit));
        let walker = walk(&tree, text, Some(&unchanged), limits);
        if !walker.collector.facts.issues.is_empty() {
            return None;
        }
        let known = walker.collector.known_names();
        let was_reused = |function| walker.collector.was_reused(function);
        let mut refused = unchanged.refused(&known, was_reused);
        if refused.is_empty() {
            let facts = walker.collector.finish();
            refused = unchanged.with_different_chunks(text, &facts);
            if refused.is_empty() {
                return Some(facts);
            }
        }
        unchanged = unchanged.without(&refused);
    }
    None
}

fn facts_of_whole(text: &str, limits: &Limits) -> Option<FileFacts> {
    let tree = tree(text.as_bytes(), &mut Budget::new(limits))?;
    let walker = walk(&tree, text, None, limits);
    Some(walker.collector.finish())
}

static RULES: CollectorRules = CollectorRules::new(TOOL_NOTES);

fn tree(text: &[u8], budget: &mut Budget) -> Option<Tree> {
    let language = &Grammar::get().language;
    syntax::with_parser(language, |parser| syntax::tree(parser, text, budget))
}

fn walk<'t>(
    tree: &Tree,
    text: &'t str,
    unchanged: Option<&'t UnchangedFunctions<'t>>,
    limits: &Limits,
) -> Walker<'t> {
    let mut walker = Walker {
        grammar: Grammar::get(),
        collector: Collector::new(LANGUAGE, text, &RULES),
        unchanged,
        docstring_at: usize::MAX,
        wrapped: None,
        called: None,
        base_list: None,
        chained: None,
        type_checking: Span::default(),
    };
    walker.collector.facts.issues = syntax::walk(tree, limits.max_depth, &mut walker);
    walker
}

/// A kind, and whether it is a statement, before which a long function can be split.
type Action = (Kind, IsStatement);
type IsStatement = bool;

/// Kinds of nodes that yield no facts.
const SKIPPED: &[&str] = &[
    "ellipsis", "escape_sequence", "escape_interpolation", "false", "float", "integer", "none",
    "true", "line_continuation", "string_start", "string_content", "string_end",
    "global_statement", "nonlocal_statement", "pass_statement", "break_statement",
    "continue_statement", "type_conversion", "import_prefix", "wildcard_import",
    "keyword_separator", "positional_separator",
];

kinds! {
    Module = "module";
    Comment = "comment";
    Text = "string";
    Interpolation = "interpolation";
    Identifier = "identifier";
    Attribute = "attribute";
    Call = "call";
    Arguments = "argument_list";
    Subscript = "subscript";
    Type = "type";
    Tuple = "tuple";
    AsPattern = "as_pattern";
    AsTarget = "as_pattern_target";
    KeywordArgument = "keyword_argument";
    Lambda = "lambda";
    Parameters = "parameters" | "lambda_parameters";
    DefaultParameter = "default_parameter";
    TypedParameter = "typed_parameter" | "typed_default_parameter";
    ForTarget = "for_statement" | "for_in_clause";
    NamedExpression = "named_expression";
    Decorated = "decorated_definition";
    Decorator = "decorator";
    Function = "function_definition";
    Class = "class_definition";
    Assignment = "assignment";
    AugmentedAssignment = "augmented_assignment";
    TypeAlias = "type_alias_statement";
    If = "if_statement";
    Except = "except_clause";
    Raise = "raise_statement";
    Import = "import_statement";
    ImportFrom = "import_from_statement" | "future_import_statement";
    DottedName = "dotted_name";
}

fn action(name: &str, IsNamed(named): IsNamed) -> Action {
    if !named {
        return (Kind::Skip, false);
    }
    let is_statement = name.ends_with("_statement")
        || matches!(
            name,
            "function_definition" | "class_definition" | "decorated_definition"
        );
    (Kind::of(name, SKIPPED), is_statement)
}

struct Grammar {
    language: tree_sitter::Language,
    kinds: KindTable<Action>,
    fields: Fields,
}

fields! {
    alias, arguments, attribute, body, condition, consequence, definition, left, module_name, name,
    parameters, right, superclasses, r#type
}

impl Grammar {
    fn get() -> &'static Self {
        static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
        GRAMMAR.get_or_init(|| {
            let language = tree_sitter::Language::new(tree_sitter_python::LANGUAGE);
            let fields = Fields::new(&language);
            Self {
                kinds: KindTable::new(&language, (Kind::Plain, false), action),
                language,
                fields,
            }
        })
    }
}

struct Walker<'t> {
    grammar: &'static Grammar,
    collector: Collector<'t>,
    /// Functions that an earlier text contains too.
    unchanged: Option<&'t UnchangedFunctions<'t>>,
    /// Start of the docstring of the definition just entered.
    docstring_at: usize,
    /// The definition below the decorators just entered, which is already recorded.
    wrapped: Option<usize>,
    /// A call that is also a raise or a decorator, and the kind of its reference.
    called: Option<(usize, foveate_model::ReferenceKind)>,
    /// The brackets after the name of the class just entered.
    base_list: Option<usize>,
    /// A dotted expression whose last name is already recorded.
    chained: Option<usize>,
    /// The block under `if TYPE_CHECKING`.
    type_checking: Span,
}

impl<'t> Visitor<'t> for Walker<'_> {
    fn enter(&mut self, node: Node<'t>, depth: u32) -> Descend {
        let (kind, is_statement) = self.grammar.kinds.of(node);
        if is_statement {
            self.collector.statement(node, depth);
            if self.reuse_function(node, depth) {
                return Descend::Past;
            }
        }
        match kind {
            Kind::Skip => return Descend::Past,
            Kind::Plain | Kind::Tuple | Kind::AsPattern | Kind::Lambda => {}
            Kind::Module => {
                self.docstring_at = self.docstring(node).map_or(usize::MAX, |d| d.start_byte())
            }
            Kind::Comment => return self.comment(node),
            Kind::Text => return self.string(node),
            Kind::Interpolation => self.collector.within(depth, |c| c.message = None),
            Kind::Identifier => return self.identifier(node),
            Kind::Attribute => return self.attribute(node),
            Kind::Call => self.call(node, depth),
            Kind::Arguments => {
                if self.base_list == Some(node.id()) {
                    self.collector.enter_position(depth, Position::Base);
                }
            }
            Kind::Subscript => self.subscript(node, depth),
            Kind::Type => self.collector.enter_position(depth, Position::Type),
            Kind::AsTarget => self.collector.bind_to(node.end_byte()),
            Kind::KeywordArgument => {
                self.collector.enter_position(depth, Position::Value);
                self.collector.skip_field(node, self.grammar.fields.name);
            }
            Kind::Parameters => self.parameters(node),
            Kind::DefaultParameter | Kind::NamedExpression => {
                self.collector.bind_field(node, self.grammar.fields.name);
            }
            Kind::TypedParameter => {
                if let Some(name) = node.child(0) {
                    self.collector.bind_to(name.end_byte());
                }
            }
            Kind::ForTarget => self.collector.bind_field(node, self.grammar.fields.left),
            Kind::Decorated => self.decorated(node, depth),
            Kind::Decorator => self.decorator(node),
            Kind::Function => self.function(node, depth),
            Kind::Class => self.class(node, depth),
            Kind::Assignment => self.assignment(node, depth),
            Kind::AugmentedAssignment => self.augmented_assignment(node),
            Kind::TypeAlias => self.type_alias(node, depth),
            Kind::If => self.conditional(node),
            Kind::Except => self.except(node),
            Kind::Raise => self.raise(node, depth),
            Kind::Import => return self.import(node),
            Kind::ImportFrom => return self.import_from(node),
            Kind::DottedName => return self.pattern_name(node),
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

    /// Returns the child in a field of the grammar.
    fn get<'n>(&self, node: Node<'n>, field: u16) -> Option<Node<'n>> {
        node.child_by_field_id(field)
    }

    /// Reuses the function of the earlier text that a statement (a number in the reduced text) stands
    /// for, unless its surroundings would change its facts. Returns whether it did.
    fn reuse_function(&mut self, node: Node<'_>, depth: u32) -> bool {
        let Some(unchanged) = self.unchanged else {
            return false;
        };
        let Some(function) = unchanged.at(node.start_byte()) else {
            return false;
        };
        let kind = match self.collector.context.scope {
            Scope::Class | Scope::Enum => DefinitionKind::Method,
            Scope::Module | Scope::Function => DefinitionKind::Function,
        };
        let UnchangedFunctions { earlier, .. } = unchanged;
        let before = earlier.facts.definition(function.id);
        let is_same = before.is_some_and(|before| before.kind == kind)
            && depth <= function.depth
            && !self.collector.is_in_function();
        let start = function.span.start;
        is_same
            && self
                .collector
                .reuse_function(earlier, function.id, start)
                .is_some()
    }

    fn comment(&mut self, node: Node<'_>) -> Descend {
        self.collector.comment(node, RegionKind::Comment);
        Descend::Past
    }

    /// Adds the region of a string literal, without its interpolations, and its message.
    fn string(&mut self, node: Node<'_>) -> Descend {
        if node.start_byte() == self.docstring_at {
            self.docstring_at = usize::MAX;
            self.collector.region(RegionKind::Documentation, span(node));
            return Descend::Past;
        }
        self.quoted_type(node);
        let kinds = &self.grammar.kinds;
        self.collector
            .literal(node, |part| kinds.of(part).0 == Kind::Interpolation)
    }

    /// Returns the docstring of a module or block: its first statement, if that is a plain string.
    fn docstring<'n>(&self, block: Node<'n>) -> Option<Node<'n>> {
        let mut cursor = block.walk();
        let first = block
            .named_children(&mut cursor)
            .find(|child| self.kind(*child) != Kind::Comment)?;
        let literal = (first.kind() == "expression_statement")
            .then(|| first.child(0))
            .flatten()?;
        let is_plain = self.kind(literal) == Kind::Text
            && !self.collector.of(literal).starts_with(['f', 'F', 'b', 'B']);
        is_plain.then_some(literal)
    }
}

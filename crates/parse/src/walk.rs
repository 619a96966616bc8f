//! The walker of languages with plain trees: for each a table from node kinds to handlers, and the
//! handlers that all of them share. A language adds its own handlers for definitions, imports and
//! whatever else it writes differently ([`Form`]).

mod handlers;
mod names;
mod values;

use std::cell::RefCell;
use std::sync::OnceLock;

use foveate_model::{
    DefinitionKind, FileFacts, Language, LocalId, MessageKind, ParseIssue, ReferenceKind, Span,
};
use tree_sitter::{Node, Parser, Tree};
use tree_sitter_language::LanguageFn;

pub(crate) use self::handlers::{
    arguments, base_list, comment, into, member, name, past, text, type_member, type_name,
    type_position,
};
pub(crate) use self::names::Step;
use crate::chunks::Nesting;
use crate::collect::{Collector, Context, Draft, Place, Position, span};
use crate::limits::Limits;
use crate::syntax::{self, Budget, Coverage, Descend, KindTable, Visitor};

/// What is done with a node on the way down; the number is its depth.
pub(crate) type Handler = for<'t> fn(&mut Walk<'t>, Node<'t>, u32) -> Descend;

/// How a language is walked.
pub(crate) struct Form {
    /// The grammar.
    pub(crate) grammar: LanguageFn,
    /// The handler of a named node kind; [`into`] for those that mean nothing themselves.
    pub(crate) handler: fn(&str) -> Handler,
    /// Whether a node of a kind is a statement, before which a long function can be split.
    pub(crate) is_statement: fn(&str) -> bool,
    /// How an expression or a type is made of names.
    pub(crate) step: for<'n> fn(Node<'n>) -> Step<'n>,
    /// The method that is called on a class to get an object of it, where there is no word for that.
    pub(crate) constructor: Option<&'static str>,
    /// Whether a bare name that begins with a small letter, and that nothing binds, is a call.
    pub(crate) bare_calls: bool,
    /// The node of the name in a type, without what wraps it: of `*a.B`, `[]B` and `B<C>` that of `B`.
    pub(crate) named_type: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
    /// Types of the language itself, sorted: they are no references.
    pub(crate) builtin_types: &'static [&'static str],
    /// Whether a bare name that the file neither binds nor imports may be one of another file, by its
    /// form (`MAX_SIZE`, `Config`).
    pub(crate) keeps_name: fn(&str) -> bool,
    /// What the string arguments of a call are, by the callee's path and its last name.
    pub(crate) messages: fn(&str, &str) -> Option<MessageKind>,
    /// Whether a comment is documentation, by its text.
    pub(crate) is_documentation: fn(&str) -> bool,
    /// Beginnings of comments that are for tools.
    pub(crate) tool_notes: &'static [&'static str],
    /// What documentation says, without its markup.
    pub(crate) doc: fn(String) -> String,
    /// What functions inside functions are.
    pub(crate) nesting: Nesting,
    /// Members that give what stands before them, or what it wraps, sorted: `unwrap` in `a.unwrap().b()`.
    pub(crate) transparent: &'static [&'static str],
    /// Types that are about their first type argument, sorted: `Option` in `Option<A>`.
    pub(crate) wrappers: &'static [&'static str],
    /// The first type argument of a type, by the node of its name.
    pub(crate) type_argument: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
    /// The text to be parsed instead, every byte of it at its place: where the tree of the text shows
    /// that a macro hides definitions from the grammar.
    pub(crate) exposed: fn(&Tree, &str, &mut Parser, &mut Budget) -> Option<String>,
}

impl Form {
    /// The rules that most languages share, with a grammar and what no language can do without.
    pub(crate) const fn new(
        grammar: LanguageFn,
        handler: fn(&str) -> Handler,
        step: for<'n> fn(Node<'n>) -> Step<'n>,
        named_type: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
    ) -> Self {
        Self {
            grammar,
            handler,
            is_statement: |kind| kind.ends_with("_statement") || kind.ends_with("_declaration"),
            step,
            named_type,
            constructor: None,
            bare_calls: false,
            builtin_types: &[],
            keeps_name: |_| false,
            messages: crate::messages::of_call,
            is_documentation: |text| text.starts_with("/**"),
            tool_notes: &[],
            doc: |text| text,
            nesting: Nesting::Plain,
            transparent: &[],
            wrappers: &[],
            type_argument: |_| None,
            exposed: |_, _, _, _| None,
        }
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// A form and the tables that are made of it at its first use.
pub(crate) struct Walker {
    form: Form,
    tables: OnceLock<Tables>,
}

struct Tables {
    language: tree_sitter::Language,
    kinds: KindTable<(Handler, bool)>,
}

impl Walker {
    pub(crate) const fn new(form: Form) -> Self {
        Self {
            form,
            tables: OnceLock::new(),
        }
    }

    /// Parses a text. `None` when a limit of the parser was reached.
    pub(crate) fn facts(
        &'static self,
        language: Language,
        text: &str,
        limits: &Limits,
    ) -> Option<FileFacts> {
        self.facts_of(language, text, text.as_bytes(), limits)
    }

    /// Parses a text of which the grammar is to see `shown`: as long, with the same line ends.
    pub(crate) fn facts_of(
        &'static self,
        language: Language,
        text: &str,
        shown: &[u8],
        limits: &Limits,
    ) -> Option<FileFacts> {
        let tables = self.tables();
        let mut budget = Budget::new(limits);
        let tree = PARSER.with_borrow_mut(|parser| {
            parser.set_language(&tables.language).ok()?;
            let tree = syntax::tree(parser, shown, &mut budget)?;
            let exposed = (self.form.exposed)(&tree, text, parser, &mut budget);
            let exposed = exposed.filter(|exposed| exposed.len() == text.len());
            exposed
                .and_then(|exposed| syntax::tree(parser, exposed.as_bytes(), &mut budget))
                .or(Some(tree))
        })?;
        Some(self.walk(&tree, text, limits).finish(language))
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| {
            let language = tree_sitter::Language::new(self.form.grammar);
            let other: (Handler, bool) = (into, false);
            let kinds = KindTable::new(&language, other, |kind, named| match named.0 {
                true => ((self.form.handler)(kind), (self.form.is_statement)(kind)),
                false => (past as Handler, false),
            });
            Tables { language, kinds }
        })
    }

    fn walk<'t>(&'static self, tree: &'t Tree, text: &'t str, limits: &Limits) -> Walk<'t> {
        let mut collector = Collector::new(text, self.form.tool_notes);
        collector.keeps_name = Some(self.form.keeps_name);
        collector.clean_doc = self.form.doc;
        collector.bare_calls = self.form.bare_calls;
        let mut walk = Walk {
            form: &self.form,
            kinds: &self.tables().kinds,
            collector,
            done: Vec::new(),
            generics: Vec::new(),
            types: Vec::new(),
            attributes: None,
        };
        if let Some(line) = syntax::first_error(tree) {
            walk.collector.issue(ParseIssue::Syntax { line });
        }
        if syntax::walk(tree, limits.max_depth, &mut walk) == Coverage::Cut {
            walk.collector.issue(ParseIssue::Depth);
        }
        walk
    }
}

/// A walk over one tree.
pub(crate) struct Walk<'t> {
    form: &'static Form,
    kinds: &'static KindTable<(Handler, bool)>,
    pub(crate) collector: Collector<'t>,
    /// Starts of the last names of expressions that are recorded before the walk comes to them.
    done: Vec<usize>,
    /// The declarations with type parameters around, the outermost first.
    pub(crate) generics: Vec<Generic<'t>>,
    /// Nodes to come that stand where a type is meant, by their ids.
    types: Vec<usize>,
    /// Attributes that stand as nodes of their own before what they belong to, since the first of them.
    pub(crate) attributes: Option<Attributes>,
}

/// A declaration with parameters that stand for types: their names mean nothing outside it.
#[derive(Clone, Debug)]
pub(crate) struct Generic<'t> {
    /// The byte after it.
    pub(crate) end: usize,
    pub(crate) names: Vec<&'t str>,
    /// The byte where it starts, until what it declares is defined.
    pub(crate) head: Option<usize>,
}

/// Attributes before a definition, where the grammar does not put them inside it.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    /// The byte of the first.
    pub(crate) start: usize,
    /// As written, without arguments.
    pub(crate) names: Vec<Box<str>>,
}

impl<'t> Visitor<'t> for Walk<'t> {
    fn enter(&mut self, node: Node<'t>, depth: u32) -> Descend {
        if !self.types.is_empty() && self.types.contains(&node.id()) {
            self.types.retain(|marked| *marked != node.id());
            self.collector
                .within(depth, |context| context.position = Position::Type);
        }
        let (handler, is_statement) = self.kinds.of(node);
        if is_statement {
            self.collector.statement(node, depth);
        }
        handler(self, node, depth)
    }

    fn leave(&mut self, depth: u32) {
        self.collector.leave(depth);
    }
}

impl<'t> Walk<'t> {
    /// The source under a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &'t str {
        self.collector.of(node)
    }

    /// What the current place belongs to.
    pub(crate) fn context(&self) -> &Context {
        &self.collector.context
    }

    /// The kind of the innermost definition around.
    pub(crate) fn parent_kind(&self) -> Option<DefinitionKind> {
        let parent = self.collector.context.parent?;
        Some(self.collector.definitions.get(parent.0 as usize)?.kind)
    }

    /// Whether variables here are local.
    pub(crate) fn is_in_function(&self) -> bool {
        self.collector.context.place == Place::Function
    }

    /// A definition by its node, the node of its name and its body, up to which its head reaches.
    pub(crate) fn draft(
        &self,
        kind: DefinitionKind,
        node: Node<'t>,
        name: Node<'t>,
        body: Option<Node<'t>>,
    ) -> Draft<'t> {
        let mut draft = Draft::new(self.of(name), kind, span(node), span(name));
        if let Some(body) = body {
            draft.body = Some(span(body));
            draft.signature_end = body.start_byte();
        }
        draft
    }

    /// Adds a definition. Its name is dealt with.
    pub(crate) fn define(&mut self, mut draft: Draft<'t>) -> LocalId {
        if let Some(attributes) = self.attributes.take() {
            draft.own_start = draft.own_start.or(Some(draft.span.start));
            draft.span = Span::new(attributes.start, draft.span.end as usize);
            draft.decorators.extend(attributes.names);
        }
        self.done.push(draft.name_span.start as usize);
        self.collector.define(draft)
    }

    /// A part of the node being entered stands where a type is meant, which its kind does not tell.
    pub(crate) fn mark_type(&mut self, part: Option<Node<'t>>) {
        self.types.extend(part.map(|part| part.id()));
    }

    /// A name means nothing where it stands.
    pub(crate) fn pass_over(&mut self, name: Node<'_>) {
        self.done.push(name.start_byte());
    }

    /// What the node at `depth` holds stands inside a definition.
    pub(crate) fn enter_definition(&mut self, depth: u32, id: LocalId, kind: DefinitionKind) {
        self.collector.within(depth, |context| {
            context.parent = Some(id);
            context.receiver = None;
            context.position = Position::Value;
            context.message = None;
            context.place = match kind {
                DefinitionKind::Module => Place::Module,
                DefinitionKind::Enum => Place::Enum,
                kind if kind.is_function() => Place::Function,
                _ => Place::Class,
            };
            if kind != DefinitionKind::Module {
                context.enclosing = Some(id);
            }
        });
    }

    /// What the node at `depth` holds is the body of a nameless function.
    pub(crate) fn enter_nameless(&mut self, depth: u32) {
        self.collector.within(depth, |context| {
            context.place = Place::Function;
            context.position = Position::Value;
        });
    }

    /// A call: the use of the last name of `function`, and what kind of text its arguments hold.
    pub(crate) fn call(&mut self, function: Node<'t>, depth: u32) -> Descend {
        let used = self.refer(ReferenceKind::Call, function);
        let text = self.collector.text;
        let message = self.collector.context.message.or_else(|| {
            let (name, path) = used?;
            (self.form.messages)(path.of(text), name.of(text))
        });
        self.collector.within(depth, |context| {
            context.position = Position::Value;
            context.message = message;
        });
        Descend::Into
    }

    fn finish(self, language: Language) -> FileFacts {
        self.collector.finish(language, self.form.nesting)
    }
}

/// The child of a node under a field of the grammar.
pub(crate) fn field<'n>(node: Node<'n>, name: &str) -> Option<Node<'n>> {
    node.child_by_field_name(name)
}

/// The named children of a node.
pub(crate) fn children<'n>(node: Node<'n>) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The first named child of a kind.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| child.kind() == kind)
}

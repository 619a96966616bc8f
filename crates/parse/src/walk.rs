//! Walks languages with simple trees. Each has a table from node kinds to handlers; this module holds the
//! handlers that all share. A language adds its own handlers for definitions, imports and other constructs
//! that it writes differently ([`Form`]).

mod attributes;
mod handlers;
mod names;
mod values;

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroU16;
use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};
use foveate_model::values::TypeName;
use foveate_model::{
    Definition, DefinitionKind, FileFacts, ImportKind, ImportedName, Language, LocalId,
    MessageKind, ReferenceKind,
};
use tree_sitter::{Node, Parser, Tree};
use tree_sitter_language::LanguageFn;

use self::attributes::Attributes;
pub(crate) use self::handlers::{
    arguments, base_list, comment, constructed, handled_name, into, member, name, past, skip_name,
    text, type_member, type_name, type_position,
};
pub(crate) use self::names::Step;
use crate::collect::{Collector, CollectorRules, Context, Draft, Position, Scope, span};
use crate::limits::Limits;
use crate::syntax::{self, Budget, Descend, KindTable, Visitor};
pub(crate) use crate::syntax::{child_of_kind, children, parent_in};

/// Handles a node on the way down; the number is its depth.
pub(crate) type Handler = for<'t> fn(&mut Walk<'t>, Node<'t>, u32) -> Handled;

/// The result of a handler. `None`, where the node lacks a part that the handler needs, visits the children, too.
pub(crate) type Handled = Option<Descend>;

/// Describes how a language is walked.
pub(crate) struct Form {
    pub(crate) grammar: LanguageFn,
    /// Returns the handler of a named node kind; [`into`] for kinds that only contain others.
    pub(crate) handler: fn(&str) -> Handler,
    /// Returns the text that the grammar sees, with every byte at its original position: without what it cannot
    /// parse.
    pub(crate) masked: fn(&str) -> Cow<'_, str>,
    /// Returns a tree to walk instead, with every byte at its original position, if this one shows that a macro
    /// hides definitions from the grammar.
    pub(crate) with_macro_contents: fn(&Tree, &str, &mut Parser, &mut Budget) -> Option<Tree>,
    /// Whether a node of a kind is a statement, before which a long function can be split.
    pub(crate) is_statement: fn(&str) -> bool,
    /// Whether a comment is documentation, by its text.
    pub(crate) is_documentation: fn(&str) -> bool,
    /// Returns the kind of message that a call's string arguments are, by the callee's path and its last
    /// name.
    pub(crate) messages: fn(&str, &str) -> Option<MessageKind>,
    /// Returns how an expression or a type is composed of names.
    pub(crate) step: for<'n> fn(Node<'n>) -> Step<'n>,
    pub(crate) rules: CollectorRules,
    pub(crate) types: TypeRules,
}

/// Describes the types of a language, and what has the type of something else.
pub(crate) struct TypeRules {
    /// Returns the node of the name in a type, without wrappers: `B` of `*a.B`, `[]B` and `B<C>`.
    pub(crate) named_type: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
    /// Types of the language itself, sorted. They yield no references.
    pub(crate) builtin: &'static [&'static str],
    /// Whether values of these types count as values from elsewhere, on which extensions may be called.
    pub(crate) extends_builtin: bool,
    /// Returns the receiver of a function type: `A` of `A.() -> B`.
    pub(crate) function_receiver: for<'n> fn(Node<'n>) -> Option<Node<'n>>,
    /// Returns the type of the first argument that functions of a type are called with, given the text: `A` of
    /// `Action<A>` and of `(A) -> B`.
    pub(crate) callback_argument: for<'n> fn(Node<'n>, &str) -> Option<Node<'n>>,
    /// The method that is called on a class to construct an object, in a language without a keyword for
    /// that.
    pub(crate) constructor: Option<&'static str>,
    /// Members that return their receiver, or the value that it wraps, sorted: `unwrap` in
    /// `a.unwrap().b()`.
    pub(crate) transparent: &'static [&'static str],
    /// Types that stand for their first type argument, sorted: `Option` in `Option<A>`.
    pub(crate) wrappers: &'static [&'static str],
    /// Types of collections whose first type argument is the type of their elements, sorted.
    pub(crate) collections: &'static [&'static str],
    /// Types of maps, sorted. Their elements are their values.
    pub(crate) maps: &'static [&'static str],
    /// Returns the type of the values of a map, given the node of the map's name, and one around the type.
    pub(crate) type_of_values: for<'n> fn(Node<'n>, Node<'n>) -> Option<Node<'n>>,
    /// Functions and methods whose result has the type of their first type argument, sorted: `static_cast<A*>(b)`.
    pub(crate) casts: &'static [&'static str],
    /// Returns the value that a call wraps, given the call and the text: `a` of `Arc::new(a)`.
    pub(crate) wrapped: for<'n> fn(Node<'n>, &str) -> Option<Node<'n>>,
    /// Returns the first type argument of a type or of a function, given the node of its name, and one around the type or
    /// the call.
    pub(crate) type_argument: for<'n> fn(Node<'n>, Node<'n>) -> Option<Node<'n>>,
}

impl Form {
    /// Creates a form with what most languages share. The parameters are the parts that every language must
    /// provide.
    pub(crate) const fn new(
        grammar: LanguageFn,
        handler: fn(&str) -> Handler,
        step: for<'n> fn(Node<'n>) -> Step<'n>,
        types: TypeRules,
    ) -> Self {
        Self {
            grammar,
            handler,
            masked: |text| Cow::Borrowed(text),
            with_macro_contents: |_, _, _, _| None,
            is_statement: |kind| kind.ends_with("_statement") || kind.ends_with("_declaration"),
            is_documentation: |text| text.starts_with("/**"),
            messages: crate::messages::of_call,
            step,
            rules: CollectorRules::new(&[]),
            types,
        }
    }
}

impl TypeRules {
    /// Creates the rules that most languages share, given how the name in a type is found.
    pub(crate) const fn new(named_type: for<'n> fn(Node<'n>) -> Option<Node<'n>>) -> Self {
        Self {
            named_type,
            builtin: &[],
            extends_builtin: false,
            function_receiver: |_| None,
            callback_argument: |_, _| None,
            constructor: None,
            transparent: &[],
            wrappers: &[],
            collections: &[],
            maps: &[],
            type_of_values: |_, _| None,
            casts: &[],
            wrapped: |_, _| None,
            type_argument: |_, _| None,
        }
    }

    /// Returns the maximum number of wrappers, collections and maps in each other whose type arguments are read.
    fn max_wrappers(&self) -> usize {
        let lists = [self.wrappers, self.collections, self.maps];
        match lists.iter().all(|names| names.is_empty()) {
            true => 0,
            false => MAX_WRAPPERS,
        }
    }

    /// Whether the lists are sorted in which names are looked up.
    fn is_sorted(&self) -> bool {
        let lists = [
            self.builtin, self.transparent, self.wrappers, self.collections, self.maps, self.casts,
        ];
        lists.iter().all(|names| names.is_sorted())
    }
}

/// Maximum number of wrappers that are removed from an expression or a type.
const MAX_WRAPPERS: usize = 8;

thread_local! {
    static FIELD_IDS: RefCell<FieldIds> = RefCell::default();
}

/// A form, and the tables that are built from it at first use.
pub(crate) struct Walker {
    form: Form,
    tables: OnceLock<Tables>,
}

struct Tables {
    language: tree_sitter::Language,
    kinds: KindTable<Action>,
}

/// How a node is handled, and whether it is a statement; `None` for tokens, which yield no facts.
type Action = Option<(Handler, bool)>;

impl Walker {
    pub(crate) const fn new(form: Form) -> Self {
        Self {
            form,
            tables: OnceLock::new(),
        }
    }

    /// Parses a text. `None` if a limit of the parser was reached.
    pub(crate) fn facts(
        &'static self,
        language: Language,
        text: &str,
        limits: &Limits,
    ) -> Option<FileFacts> {
        let shown = (self.form.masked)(text);
        self.facts_of(language, text, shown.as_bytes(), limits)
    }

    /// Parses a text of which the grammar sees only `shown`, which has the same length and line ends.
    pub(crate) fn facts_of(
        &'static self,
        language: Language,
        text: &str,
        shown: &[u8],
        limits: &Limits,
    ) -> Option<FileFacts> {
        let tables = self.tables();
        let mut budget = Budget::new(limits);
        let tree = syntax::with_parser(&tables.language, |parser| {
            let tree = syntax::tree(parser, shown, &mut budget)?;
            let exposed = (self.form.with_macro_contents)(&tree, text, parser, &mut budget);
            exposed.or(Some(tree))
        })?;
        Some(self.walk(language, &tree, text, limits).collector.finish())
    }

    fn tables(&self) -> &Tables {
        self.tables.get_or_init(|| {
            debug_assert!(
                self.form.types.is_sorted(),
                "a list that is searched is not sorted"
            );
            let language = tree_sitter::Language::new(self.form.grammar);
            let other: (Handler, bool) = (into, false);
            let kinds = KindTable::new(&language, Some(other), |kind, named| {
                named
                    .0
                    .then(|| ((self.form.handler)(kind), (self.form.is_statement)(kind)))
            });
            Tables { language, kinds }
        })
    }

    fn walk<'t>(
        &'static self,
        language: Language,
        tree: &'t Tree,
        text: &'t str,
        limits: &Limits,
    ) -> Walk<'t> {
        let mut walk = Walk {
            form: &self.form,
            kinds: &self.tables().kinds,
            collector: Collector::new(language, text, &self.form.rules),
            handled: BinaryHeap::new(),
            generics: Vec::new(),
            types: HashSet::default(),
            attributes: None,
            literal_fields: 0,
            nameless: HashSet::default(),
            path: Vec::new(),
        };
        walk.collector.facts.issues = syntax::walk(tree, limits.max_depth, &mut walk);
        walk
    }
}

/// A walk over one tree.
pub(crate) struct Walk<'t> {
    form: &'static Form,
    kinds: &'static KindTable<Action>,
    pub(crate) collector: Collector<'t>,
    /// Starts of names that are already recorded, or need no reference, before the walk reaches them; the
    /// first in the text is on top.
    handled: BinaryHeap<Reverse<usize>>,
    /// The enclosing declarations with type parameters, outermost first.
    pub(crate) generics: Vec<Generic<'t>>,
    /// Ids of nodes not yet visited that are in the position of a type.
    types: HashSet<usize>,
    /// The last attributes that are separate nodes before their definition.
    attributes: Option<Attributes>,
    /// Number of names of fields in literals that have a reference.
    literal_fields: usize,
    /// Starts of the names of parameters of nameless functions with a known value.
    nameless: HashSet<u32>,
    /// The nodes around the current one, outermost first, and that itself.
    path: Vec<Node<'t>>,
}

/// Maximum number of type parameters of a declaration that are known, and of their bounds: each name of a type is
/// compared with all of them.
const MAX_TYPE_PARAMETERS: usize = 256;

/// A declaration with type parameters, whose names mean nothing outside of it.
#[derive(Clone, Debug)]
pub(crate) struct Generic<'t> {
    /// The byte after the declaration.
    pub(crate) end: usize,
    pub(crate) names: Vec<&'t str>,
    /// The bounds of the names that have one.
    pub(crate) bounds: Vec<(&'t str, TypeName)>,
    /// The byte where the declaration starts; `None` once its definition is added.
    pub(crate) head: Option<usize>,
}

impl<'t> Visitor<'t> for Walk<'t> {
    fn enter(&mut self, node: Node<'t>, depth: u32) -> Descend {
        let Some((handler, is_statement)) = self.kinds.of(node) else {
            return Descend::Past;
        };
        self.path.truncate(depth as usize);
        self.path.push(node);
        if !self.types.is_empty() && self.types.remove(&node.id()) {
            self.collector.enter_position(depth, Position::Type);
        }
        if is_statement {
            self.collector.statement(node, depth);
        }
        handler(self, node, depth).unwrap_or(Descend::Into)
    }

    fn leave(&mut self, depth: u32) {
        self.collector.leave(depth);
    }
}

impl<'t> Walk<'t> {
    /// Returns the source of a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &'t str {
        self.collector.of(node)
    }

    /// Returns the node some levels above the current one; at 0, that itself. tree-sitter looks for parents from the root
    /// on.
    pub(crate) fn ancestor(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.path.len().checked_sub(levels + 1)?;
        self.path.get(at).copied()
    }

    /// Returns the context of the current node.
    pub(crate) fn context(&self) -> &Context {
        &self.collector.context
    }

    /// Returns the innermost enclosing definition.
    pub(crate) fn parent(&self) -> Option<&Definition> {
        self.collector.definition(self.collector.context.parent?)
    }

    /// Returns the kind of the innermost enclosing definition.
    pub(crate) fn parent_kind(&self) -> Option<DefinitionKind> {
        Some(self.parent()?.kind)
    }

    /// Adds bases to the innermost enclosing definition if that is a type, and returns whether it is.
    pub(crate) fn add_bases(&mut self, bases: impl IntoIterator<Item = Box<str>>) -> bool {
        let parent = self.collector.context.parent;
        let parent = parent.and_then(|id| self.collector.facts.definitions.get_mut(id.0 as usize));
        let class = parent.filter(|parent| parent.kind.is_container());
        let is_class = class.is_some();
        if let Some(class) = class {
            class.bases.extend(bases);
        }
        is_class
    }

    /// Adds an import statement of the enclosing definition.
    pub(crate) fn import(
        &mut self,
        statement: Node<'t>,
        kind: ImportKind,
        module: &str,
        name: ImportedName,
    ) {
        let enclosing = self.collector.context.enclosing;
        self.collector
            .import(statement, enclosing, kind, module, vec![name]);
    }

    /// Whether variables here are local.
    pub(crate) fn is_in_function(&self) -> bool {
        self.collector.context.scope == Scope::Function
    }

    /// Creates the draft of a definition from its node, the node of its name, and its body, where its head
    /// ends.
    pub(crate) fn draft(
        &self,
        kind: DefinitionKind,
        node: Node<'t>,
        name: Node<'t>,
        body: Option<Node<'t>>,
    ) -> Draft<'t> {
        let mut draft = self.collector.draft(kind, span(node), name);
        if let Some(body) = body {
            draft.body = Some(span(body));
            draft.signature_end = body.start_byte();
        }
        draft
    }

    /// Adds a definition and marks its name as handled.
    pub(crate) fn define(&mut self, mut draft: Draft<'t>) -> LocalId {
        self.take_attributes(&mut draft);
        self.handled.push(Reverse(draft.name_span.start as usize));
        self.collector.define(draft)
    }

    /// Marks a part of the entered node as being in the position of a type, which its kind does not tell.
    pub(crate) fn mark_type(&mut self, part: Option<Node<'t>>) {
        self.types.extend(part.map(|part| part.id()));
    }

    /// Marks a name, if there is one, as handled, so that it yields no reference.
    pub(crate) fn mark_handled<'n>(&mut self, name: impl Into<Option<Node<'n>>>) {
        let name = name.into();
        self.handled
            .extend(name.map(|name| Reverse(name.start_byte())));
    }

    /// Adds a declaration with type parameters: inside it, their names are no references.
    pub(crate) fn add_generics(
        &mut self,
        node: Node<'t>,
        mut names: Vec<&'t str>,
        head: Option<usize>,
    ) {
        let start = node.start_byte();
        names.truncate(MAX_TYPE_PARAMETERS);
        self.generics.retain(|generic| generic.end > start);
        self.generics.push(Generic {
            end: node.end_byte(),
            names,
            bounds: Vec::new(),
            head,
        });
    }

    /// Adds the bounds of type parameters, each with its name, to the declaration that was added last. Of a
    /// parameter with several, the first whose name is known counts.
    pub(crate) fn add_bounds(&mut self, bounds: impl IntoIterator<Item = (Node<'t>, Node<'t>)>) {
        for (name, bound) in bounds.into_iter().take(MAX_TYPE_PARAMETERS) {
            let (name, known) = (self.of(name), self.type_of(bound));
            if let (Some(type_name), Some(generic)) = (known, self.generics.last_mut())
                && !generic.bounds.iter().any(|(bounded, _)| *bounded == name)
            {
                generic.bounds.push((name, type_name));
            }
        }
    }

    /// Places everything below the node at `depth` inside a definition.
    pub(crate) fn enter_definition(&mut self, depth: u32, id: LocalId, kind: DefinitionKind) {
        self.collector.within(depth, |context| {
            context.parent = Some(id);
            context.receiver = None;
            context.position = Position::Value;
            context.message = None;
            context.is_nameless = false;
            context.scope = match kind {
                DefinitionKind::Module => Scope::Module,
                DefinitionKind::Enum => Scope::Enum,
                kind if kind.is_function() => Scope::Function,
                _ => Scope::Class,
            };
            if kind != DefinitionKind::Module {
                context.enclosing = Some(id);
            }
        });
    }

    /// Places everything below the node at `depth` in the body of an unnamed function.
    pub(crate) fn enter_anonymous_function(&mut self, depth: u32) {
        self.collector.within(depth, |context| {
            context.scope = Scope::Function;
            context.position = Position::Value;
            context.is_nameless = true;
        });
    }

    /// Adds a call of the last name of `function`, and sets the kind of message that its arguments are.
    pub(crate) fn call(&mut self, function: Node<'t>, depth: u32) -> Handled {
        let used = self.refer(ReferenceKind::Call, function);
        self.collector.enter_call(depth, used, self.form.messages);
        Some(Descend::Into)
    }

    /// Adds a string literal. The parts of it that are code are visited.
    pub(crate) fn literal(
        &mut self,
        node: Node<'t>,
        depth: u32,
        is_code: impl Fn(Node<'_>) -> bool,
    ) -> Handled {
        let descend = self.collector.literal(node, is_code);
        if descend == Descend::Into {
            self.collector.within(depth, |context| {
                context.message = None;
                context.position = Position::Value;
            });
        }
        Some(descend)
    }
}

/// Returns the child in a field of the grammar.
pub(crate) fn field<'n>(node: Node<'n>, name: &'static str) -> Option<Node<'n>> {
    node.child_by_field_id(field_id(node, name))
}

/// Returns the children in a field of the grammar that may have several.
pub(crate) fn children_in<'n>(node: Node<'n>, name: &'static str) -> Vec<Node<'n>> {
    let Some(id) = NonZeroU16::new(field_id(node, name)) else {
        return Vec::new();
    };
    let mut cursor = node.walk();
    node.children_by_field_id(id, &mut cursor).collect()
}

/// Returns the id of a field in the grammar of a node. It is looked up once: tree-sitter compares a name with those of
/// all fields.
fn field_id(node: Node<'_>, name: &'static str) -> u16 {
    FIELD_IDS.with_borrow_mut(|known| {
        let language = node.language();
        if known.language.as_ref() != Some(&*language) {
            known.language = Some(language.clone());
            known.ids.clear();
        }
        let key = (name.as_ptr().addr(), name.len());
        if let Some(id) = known.ids.get(&key) {
            return *id;
        }
        let id = syntax::field(&language, name);
        known.ids.insert(key, id);
        id
    })
}

/// The ids of fields in the grammar that was asked last.
#[derive(Default)]
struct FieldIds {
    language: Option<tree_sitter::Language>,
    /// By address and length of the name, which is quicker than by its text.
    ids: HashMap<(usize, usize), u16>,
}

/// Returns the last named child of a node.
pub(crate) fn last_child<'n>(node: Node<'n>) -> Option<Node<'n>> {
    let last = node.named_child_count().checked_sub(1)?;
    node.named_child(u32::try_from(last).ok()?)
}

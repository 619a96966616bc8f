//! Gathers facts while a walker visits a tree: ids, lines, qualified names, leading comments. [`finish`]
//! orders them at the end. It knows no grammar.

mod comments;
mod context;
mod finish;
mod literals;
mod reuse;
mod values;

use comments::CommentRun;
pub(crate) use context::{Context, DeclarationProperties, Position, Scope, Section};
pub(crate) use finish::known_names;

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashMap, HashSet};
use foveate_model::values::Link;
use foveate_model::{
    Definition, DefinitionKind, FileFacts, Import, ImportKind, ImportedName, Language, LocalId,
    MessageKind, Modifiers, Reference, ReferenceKind, Region, RegionKind, Span, Visibility,
};
use tree_sitter::Node;

use crate::chunks::Nesting;
use crate::documentation;
use crate::lines::{LineIndex, NO_STATEMENT};
use crate::values::results::OutwardValue;

/// Maximum number of bytes of a name that qualifies others, each of which repeats it.
const MAX_SCOPE: usize = 2048;

/// What a walker knows about a definition; the collector adds the rest.
#[derive(Debug)]
pub(crate) struct Draft<'t> {
    pub(crate) name: &'t str,
    pub(crate) kind: DefinitionKind,
    pub(crate) span: Span,
    /// Byte where the definition itself begins, if `span` starts with attributes or the like.
    pub(crate) own_start: Option<u32>,
    pub(crate) name_span: Span,
    /// End of the head; trailing blanks and semicolons are removed.
    pub(crate) signature_end: usize,
    pub(crate) parameters: Option<Span>,
    pub(crate) body: Option<Span>,
    /// The docstring; without one, the comment directly above is the documentation.
    pub(crate) doc: Option<String>,
    pub(crate) bases: Vec<Box<str>>,
    pub(crate) decorators: Vec<Box<str>>,
    /// Visibility that the language states; without it, the form of the name decides.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) modifiers: Modifiers,
    /// The receiver as written (`Foo` in `Foo.bar = …`). It qualifies the name of a definition without a
    /// parent; for an out-of-line member it comes after the parent's name.
    pub(crate) receiver: Option<&'t str>,
}

impl<'t> Draft<'t> {
    /// A definition without head, body or anything else.
    pub(crate) fn new(name: &'t str, kind: DefinitionKind, span: Span, name_span: Span) -> Self {
        Self {
            name,
            kind,
            span,
            own_start: None,
            name_span,
            signature_end: span.end as usize,
            parameters: None,
            body: None,
            doc: None,
            bases: Vec::new(),
            decorators: Vec::new(),
            visibility: None,
            modifiers: Modifiers::default(),
            receiver: None,
        }
    }
}

/// The facts found so far, and the current context of the walk.
#[derive(Debug)]
pub(crate) struct Collector<'t> {
    pub(crate) text: &'t str,
    rules: &'static CollectorRules,
    pub(crate) lines: LineIndex,
    /// The facts, in the order of the walk and by its definition ids until [`Self::finish`] sorts them.
    pub(crate) facts: FileFacts,
    pub(crate) context: Context,
    saved: Vec<(u32, Context)>,
    pub(crate) drafts: ValueDrafts,
    names: NameFilter,
    layout: Layout,
    members: MemberIndex<'t>,
}

/// What the language decides about the facts that are kept.
#[derive(Debug)]
pub(crate) struct CollectorRules {
    /// Beginnings of comments addressed to tools.
    pub(crate) tool_notes: &'static [&'static str],
    /// Decides by form whether a bare name is kept that the file neither imports nor defines (`MAX_SIZE`,
    /// `Config`). Set for languages whose walk records local variables; these then determine receivers, even
    /// those with the name of an import.
    pub(crate) keeps_name: Option<fn(&str) -> bool>,
    /// Whether a bare name of any form that nothing binds may mean a field that the file defines.
    pub(crate) keeps_fields: bool,
    /// Whether a bare name is a call if it begins with a small letter or `_` and no enclosing scope binds
    /// it.
    pub(crate) bare_calls: bool,
    /// Strips markup from documentation.
    pub(crate) clean_doc: fn(String) -> String,
    /// How the language uses functions inside functions.
    pub(crate) nesting: Nesting,
}

impl CollectorRules {
    /// Creates the rules that most languages share. `tool_notes` are the beginnings of comments addressed to tools.
    pub(crate) const fn new(tool_notes: &'static [&'static str]) -> Self {
        Self {
            tool_notes,
            keeps_name: None,
            keeps_fields: false,
            bare_calls: false,
            clean_doc: |text| text,
            nesting: Nesting::Plain,
        }
    }
}

/// Facts about values that the text and the order of the other facts complete at the end.
#[derive(Debug, Default)]
pub(crate) struct ValueDrafts {
    /// What functions return and assign to fields, by the definition ids of the walk.
    pub(crate) results: Vec<OutwardValue>,
    /// Receiver chains of references, by the spans of the names that they precede.
    receivers: Vec<(Span, Vec<Link>)>,
    /// Lambdas and bodies of nameless classes that may have a receiver for bare names, with what gives it; see
    /// [`ReceiverChain`](foveate_model::values::ReceiverChain).
    pub(crate) lambdas: Vec<(Span, Link)>,
}

/// Decides which names are references.
#[derive(Debug, Default)]
struct NameFilter {
    /// Names that start before this byte are already handled.
    skip_until: usize,
    /// Names that start before this byte are bound, not read.
    bind_until: usize,
    /// Names that a definition binds; `None` means the top level of the file.
    bindings: Vec<(Span, Option<LocalId>)>,
    /// References by the names of parameters, which stay although the parameters bind these names.
    by_parameter: Vec<Reference>,
    /// Functions reused from an earlier text, each with the range of its references, which are already filtered.
    reused: Vec<(Span, Range<usize>)>,
}

/// Where comments and statements are.
#[derive(Debug)]
struct Layout {
    /// The last comments, which may document the next definition.
    comments: Option<CommentRun>,
    /// Per definition: its first row (0-based), leading comments included.
    heads: Vec<u32>,
    /// Per row: the depth of the outermost statement that starts there.
    statements: Vec<u16>,
}

/// Definitions by parent and name.
#[derive(Debug, Default)]
struct MemberIndex<'t> {
    by_name: HashMap<(Option<LocalId>, Box<str>), Vec<LocalId>>,
    /// Number of definitions that were added to it.
    len: usize,
    /// Fields and variables added so far: each counts once, however often it is assigned.
    once: HashSet<(Option<LocalId>, &'t str)>,
}

pub(crate) fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// The 0-based row on which a node starts.
pub(crate) fn row(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX)
}

impl<'t> Collector<'t> {
    /// Creates an empty collector.
    pub(crate) fn new(language: Language, text: &'t str, rules: &'static CollectorRules) -> Self {
        let lines = LineIndex::new(text);
        let mut facts = FileFacts::empty(language);
        facts.line_count = lines.count();
        facts.references.reserve(text.len() / 64);
        Self {
            text,
            rules,
            layout: Layout {
                comments: None,
                heads: Vec::new(),
                statements: vec![NO_STATEMENT; lines.count() as usize],
            },
            lines,
            facts,
            context: Context::default(),
            saved: Vec::new(),
            drafts: ValueDrafts::default(),
            names: NameFilter::default(),
            members: MemberIndex::default(),
        }
    }

    /// Returns the source of a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Returns a definition that was added.
    pub(crate) fn definition(&self, id: LocalId) -> Option<&Definition> {
        self.facts.definitions.get(id.0 as usize)
    }

    /// Returns the definitions of a name in a parent, in the order in which they were added.
    pub(crate) fn members(&mut self, parent: Option<LocalId>, name: &str) -> &[LocalId] {
        let new = self
            .facts
            .definitions
            .iter()
            .enumerate()
            .skip(self.members.len);
        for (at, definition) in new {
            let key = (definition.parent, definition.name.clone());
            let id = LocalId(u32::try_from(at).unwrap_or(u32::MAX));
            self.members.by_name.entry(key).or_default().push(id);
        }
        self.members.len = self.facts.definitions.len();
        let known = self.members.by_name.get(&(parent, name.into()));
        known.map_or(&[], Vec::as_slice)
    }

    /// Changes the context for the node entered at `depth` and everything below it.
    pub(crate) fn within(&mut self, depth: u32, change: impl FnOnce(&mut Context)) {
        self.saved.push((depth, self.context));
        change(&mut self.context);
    }

    /// Changes the role of the names in the node entered at `depth`.
    pub(crate) fn enter_position(&mut self, depth: u32, position: Position) {
        self.within(depth, |context| context.position = position);
    }

    /// Changes the context for the arguments of a call: they are values. Texts among them are messages if the callee,
    /// given as its name and its path, makes them one.
    pub(crate) fn enter_call(
        &mut self,
        depth: u32,
        callee: Option<(Span, Span)>,
        message: fn(&str, &str) -> Option<MessageKind>,
    ) {
        let of_callee = || {
            let (name, path) = callee?;
            message(path.of(self.text), name.of(self.text))
        };
        let message = self.context.message.or_else(of_callee);
        self.within(depth, |context| {
            context.position = Position::Value;
            context.message = message;
        });
    }

    /// Restores the context that was changed for the node at `depth`.
    #[inline]
    pub(crate) fn leave(&mut self, depth: u32) {
        while let Some((at, context)) = self.saved.last() {
            if *at != depth {
                return;
            }
            self.context = *context;
            self.saved.pop();
        }
    }

    /// Records that a statement starts here, so that long stretches can be split before it.
    #[inline]
    pub(crate) fn statement(&mut self, node: Node<'_>, depth: u32) {
        if let Some(known) = self.layout.statements.get_mut(node.start_position().row) {
            *known = (*known).min(u16::try_from(depth).unwrap_or(NO_STATEMENT - 1));
        }
    }

    /// Adds a stretch that is not code.
    pub(crate) fn region(&mut self, kind: RegionKind, span: Span) {
        if !span.is_empty() {
            self.facts.regions.push(Region { kind, span });
        }
    }

    /// Drafts a definition from the node of its name.
    pub(crate) fn draft(&self, kind: DefinitionKind, place: Span, name: Node<'_>) -> Draft<'t> {
        Draft::new(self.of(name), kind, place, span(name))
    }

    /// Adds a definition inside the current context's parent.
    pub(crate) fn define(&mut self, draft: Draft<'t>) -> LocalId {
        self.define_in(self.context.parent, draft)
    }

    /// Adds a field or variable unless its scope already has one of that name.
    pub(crate) fn define_once(
        &mut self,
        parent: Option<LocalId>,
        draft: Draft<'t>,
    ) -> Option<LocalId> {
        let new = self.members.once.insert((parent, draft.name));
        new.then(|| self.define_in(parent, draft))
    }

    /// Adds a definition.
    pub(crate) fn define_in(&mut self, parent: Option<LocalId>, draft: Draft<'t>) -> LocalId {
        let id = LocalId(u32::try_from(self.facts.definitions.len()).unwrap_or(u32::MAX));
        let qualified_name = self.qualified_name(parent, &draft);
        let signature = self.signature(&draft);
        let lines = self.lines.lines_of(draft.span);
        let own_line = draft.own_start.map(|start| self.lines.line_of(start));
        let above = self
            .layout
            .comments
            .filter(|run| self.documents(run, lines.start - 1, draft.span));
        if above.is_some() {
            self.layout.comments = None;
        }
        let doc = draft.doc.unwrap_or_else(|| {
            above.map_or_else(String::new, |run| {
                (self.rules.clean_doc)(documentation::comment(
                    run.span.of(self.text),
                    self.rules.tool_notes,
                ))
            })
        });
        let encloses = draft.kind.is_function() || draft.kind.is_container();
        if encloses && !draft.decorators.is_empty() {
            self.enclose_since(draft.span.start, id);
        }
        self.layout
            .heads
            .push(above.map_or(lines.start - 1, |run| run.first_row));
        self.facts.definitions.push(Definition {
            name: draft.name.into(),
            qualified_name,
            kind: draft.kind,
            parent,
            span: draft.span,
            lines,
            lines_above: own_line.map_or(0, |line| line.saturating_sub(lines.start)),
            name_span: draft.name_span,
            signature,
            parameters: draft.parameters,
            body: draft.body,
            doc: doc.into(),
            bases: draft.bases,
            decorators: draft.decorators,
            visibility: draft.visibility.unwrap_or_else(|| by_form(draft.name)),
            modifiers: draft.modifiers,
        });
        id
    }

    /// Returns the qualified name of a parent, unless it is too long to qualify others.
    fn scope(&self, parent: Option<LocalId>) -> Option<&str> {
        let parent = self.definition(parent?)?;
        Some(&*parent.qualified_name).filter(|name| name.len() <= MAX_SCOPE)
    }

    /// Returns the name qualified by the parent's; a member defined outside of its type is also qualified
    /// by the type, a test by its suite.
    fn qualified_name(&self, parent: Option<LocalId>, draft: &Draft<'t>) -> Box<str> {
        let scope = self.scope(parent);
        let name = draft.name;
        let is_outside = draft.modifiers.is_out_of_line || draft.modifiers.is_block;
        match (scope, draft.receiver) {
            (Some(scope), Some(owner)) if is_outside => {
                format!("{scope}.{}.{name}", plain_scope(owner)).into()
            }
            (None, Some(owner)) if draft.modifiers.is_out_of_line => {
                format!("{}.{name}", plain_scope(owner)).into()
            }
            (Some(scope), _) | (None, Some(scope)) => joined(scope, name).into(),
            (None, None) => name.into(),
        }
    }

    /// Returns the span from the start of a definition to the end of its signature, without trailing
    /// semicolons and blanks.
    fn signature(&self, draft: &Draft<'t>) -> Span {
        let start = draft.span.start as usize;
        let head = self.text.get(start..draft.signature_end).unwrap_or("");
        let head = head.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        Span::new(start, start + head.len())
    }

    /// Adds a reference whose name is not a node of its own.
    pub(crate) fn refer_at(&mut self, kind: ReferenceKind, name: Span, path: Span) {
        let line = self.lines.line_of(name.start);
        let reference = self.reference(kind, (name, path), line, Receiver::Names);
        self.facts.references.push(reference);
    }

    /// Adds a reference to a member of an object that no plain path names.
    pub(crate) fn refer_to_member(&mut self, kind: ReferenceKind, name: Span) {
        let line = self.lines.line_of(name.start);
        let reference = self.reference(kind, (name, name), line, Receiver::Opaque);
        self.facts.references.push(reference);
    }

    /// Returns a reference by a name with its path.
    fn reference(
        &self,
        kind: ReferenceKind,
        (name, path): (Span, Span),
        line: u32,
        receiver: Receiver,
    ) -> Reference {
        Reference {
            kind,
            name,
            path,
            line,
            enclosing: self.context.enclosing,
            opaque_receiver: receiver == Receiver::Opaque,
        }
    }

    /// Marks names before `byte` as handled. The mark only moves forward, as the walk does.
    pub(crate) fn skip_to(&mut self, byte: usize) {
        self.names.skip_until = self.names.skip_until.max(byte);
    }

    /// Whether a name that starts at `byte` is already handled.
    pub(crate) fn is_skipped(&self, byte: usize) -> bool {
        byte < self.names.skip_until
    }

    /// Whether a name that starts at `byte` is bound, not read.
    pub(crate) fn is_bound(&self, byte: usize) -> bool {
        byte < self.names.bind_until
    }

    /// Marks names before `byte` as bound.
    pub(crate) fn bind_to(&mut self, byte: usize) {
        self.names.bind_until = self.names.bind_until.max(byte);
    }

    /// Marks the names in a field of a node as bound. Everything else in the node that is visited comes after it.
    pub(crate) fn bind_field(&mut self, node: Node<'_>, field: u16) {
        if let Some(target) = node.child_by_field_id(field) {
            self.bind_to(target.end_byte());
        }
    }

    /// Marks the names in a field of a node as handled.
    pub(crate) fn skip_field(&mut self, node: Node<'_>, field: u16) {
        if let Some(name) = node.child_by_field_id(field) {
            self.skip_to(name.end_byte());
        }
    }

    /// Assigns the references since `start` to the definition `id`: decorators are visited before the
    /// definition that they belong to.
    fn enclose_since(&mut self, start: u32, id: LocalId) {
        for reference in self.facts.references.iter_mut().rev() {
            if reference.name.start < start {
                break;
            }
            reference.enclosing = Some(id);
        }
    }

    /// Adds a reference by a single name.
    #[inline]
    pub(crate) fn refer(&mut self, kind: ReferenceKind, name: Node<'_>) {
        self.refer_through(kind, name, span(name), Receiver::Names);
    }

    /// Adds a reference by the last name of an expression.
    pub(crate) fn refer_through(
        &mut self,
        kind: ReferenceKind,
        name: Node<'_>,
        path: Span,
        receiver: Receiver,
    ) {
        let reference = self.reference(kind, (span(name), path), row(name) + 1, receiver);
        self.facts.references.push(reference);
    }

    /// Adds a reference by the name of a parameter, which tells where its value comes from. It is kept although
    /// the same name is bound there.
    pub(crate) fn refer_by_parameter(&mut self, name: Node<'_>) {
        let (kind, place) = (ReferenceKind::Name, (span(name), span(name)));
        let reference = self.reference(kind, place, row(name) + 1, Receiver::Names);
        self.names.by_parameter.push(reference);
    }

    /// Adds a reference, at `node`, to the member of `through` whose name is written at `name`. Where `super` alone
    /// means the inherited method with the name of the enclosing one, it is both. Each name is added once.
    pub(crate) fn refer_to_member_of(
        &mut self,
        kind: ReferenceKind,
        name: Span,
        node: Node<'_>,
        through: Link,
    ) {
        let mut last = self.drafts.receivers.iter().rev().take(64);
        if last.any(|(known, _)| *known == name) {
            return;
        }
        let reference = self.reference(kind, (name, name), row(node) + 1, Receiver::Opaque);
        self.facts.references.push(reference);
        self.drafts.receivers.push((name, vec![through]));
    }

    /// Adds an import statement that `enclosing` contains.
    pub(crate) fn import(
        &mut self,
        statement: Node<'_>,
        enclosing: Option<LocalId>,
        kind: ImportKind,
        module: &str,
        names: Vec<ImportedName>,
    ) {
        self.facts.imports.push(Import {
            kind,
            module: module.into(),
            names,
            span: span(statement),
            line: row(statement) + 1,
            enclosing,
            type_only: false,
        });
    }

    /// Records that a function binds a name.
    pub(crate) fn bind_name(&mut self, name: Span, function: LocalId) {
        self.names.bindings.push((name, Some(function)));
    }

    /// Records that the enclosing function binds this name, which then does not refer to the file's import.
    pub(crate) fn bind(&mut self, name: Node<'_>) {
        let enclosing = self.context.enclosing;
        let is_local = enclosing.is_some() && self.context.scope == Scope::Function;
        if is_local || self.rules.bare_calls {
            self.names.bindings.push((span(name), enclosing));
        }
    }
}

/// An expression that ends in a name.
pub(crate) struct Chain<'n> {
    pub(crate) name: Node<'n>,
    /// The whole expression, or only the name if its receiver is opaque.
    pub(crate) path: Span,
    pub(crate) receiver: Receiver,
}

impl<'n> Chain<'n> {
    pub(crate) fn new(expression: Node<'n>, name: Node<'n>, receiver: Receiver) -> Self {
        let path = match receiver {
            Receiver::Names => span(expression),
            Receiver::Opaque => span(name),
        };
        Self {
            name,
            path,
            receiver,
        }
    }
}

/// Whether the receiver of a name consists of plain names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Receiver {
    /// It does, or there is none.
    Names,
    /// A call, subscript or literal precedes the name.
    Opaque,
}

/// Converts a scope as written (`a::B<T>::C`) to its form in qualified names: `a.B.C`.
fn plain_scope(written: &str) -> Cow<'_, str> {
    if !written.contains(['<', ':', ' ']) {
        return Cow::Borrowed(written);
    }
    let mut plain = String::with_capacity(written.len());
    let mut depth = 0_usize;
    for c in written.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && !plain.is_empty() && !plain.ends_with('.') => plain.push('.'),
            c if depth == 0 && c != ':' && !c.is_whitespace() => plain.push(c),
            _ => {}
        }
    }
    Cow::Owned(plain)
}

/// Joins a scope and a name. The title of a block may begin with a dot: `describe('.redirect(url)', …)`.
fn joined(scope: &str, name: &str) -> String {
    match name.starts_with('.') {
        true => [scope, name].concat(),
        false => [scope, ".", name].concat(),
    }
}

/// Derives visibility from the form of a name: `_x` and `#x` are private, `__x__` is part of the language.
fn by_form(name: &str) -> Visibility {
    let dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    if name.starts_with('#') || (name.starts_with('_') && name.len() > 1 && !dunder) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

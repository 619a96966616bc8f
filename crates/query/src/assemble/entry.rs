//! Defines an entry of a context before it is rendered: a card, a body or a line.

use foveate_index::{FileId, Files};
use foveate_model::escape::escape;
use foveate_model::{Language, Lines};

use super::pack::Fidelity;

foveate_model::named_enum! {
    /// The sections of a context.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum SectionKind {
        Definitions = "definitions",
        Snippets = "snippets",
        Imports = "imports",
        Tests = "tests",
        Callers = "callers",
    }
}

impl SectionKind {
    /// The name of one entry of it, used as an XML tag.
    pub(super) fn item(self) -> &'static str {
        self.name().trim_end_matches('s')
    }

    /// The heading above it in Markdown.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Definitions => "Definitions",
            Self::Snippets => "Snippets",
            Self::Imports => "Imports",
            Self::Tests => "Tests",
            Self::Callers => "Callers",
        }
    }
}

/// Whether an entry's body is a block of lines or one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Block,
    Line,
}

/// The head of a class, rendered above its shown methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    /// Qualified name of the class.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its signature, on one line.
    pub text: String,
}

/// The constant, variable or field that an entry shows a part of, such as a long table.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    /// Qualified name.
    pub name: String,
    pub lines: Lines,
}

/// One thing to render.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub section: SectionKind,
    pub layout: Layout,
    pub path: String,
    pub name: String,
    pub kind: &'static str,
    pub lines: Lines,
    pub fidelity: Fidelity,
    pub cut: bool,
    /// Whether only documentation, comments and string literals were left out.
    pub folded: bool,
    /// The class that contains it.
    pub scope: Option<Scope>,
    /// The value that begins above it or goes on below it.
    pub part_of: Option<Whole>,
    /// The type of a member that is defined outside of the lines of its type, as in Rust; may be empty.
    pub type_elsewhere: String,
    /// Why it is in the context. Listed with the item, not part of the rendered text.
    pub reason: String,
    /// Further facts about it, such as the confidence of a caller.
    pub facts: Vec<(&'static str, String)>,
    pub language: Language,
    /// Without forbidden characters: see [`crate::excerpt::clean`].
    pub body: String,
}

impl Entry {
    /// Makes a compact block of lines of a file, without name, reason and body.
    pub(super) fn new(files: &Files, file: FileId, section: SectionKind, lines: Lines) -> Self {
        Self {
            section,
            layout: Layout::Block,
            path: files.path(file).to_owned(),
            name: String::new(),
            kind: "",
            lines,
            fidelity: Fidelity::Compact,
            cut: false,
            folded: false,
            scope: None,
            part_of: None,
            type_elsewhere: String::new(),
            reason: String::new(),
            facts: Vec::new(),
            language: files.file(file).language,
            body: String::new(),
        }
    }

    /// Whether this entry and one further down in the same file could be shown as one if nothing were between
    /// them: both are bodies, and the second is in no class, in the same one, or in one that begins after this entry
    /// does, so that the reader sees its first line.
    pub(super) fn may_join(&self, below: &Self) -> bool {
        let is_body = |entry: &Self| {
            entry.layout == Layout::Block
                && entry.fidelity == Fidelity::Full
                && entry.facts.is_empty()
        };
        let is_class_apparent = match &below.scope {
            Some(class) => self.scope == below.scope || class.line >= self.lines.start,
            None => true,
        };
        is_body(self) && is_body(below) && is_class_apparent
    }

    /// Whether another entry of the same file goes on where this one ends, so that both are shown as one.
    pub(super) fn is_continued_by(&self, next: &Self) -> bool {
        self.lines.end + 1 == next.lines.start && self.may_join(next)
    }

    /// Makes one entry of entries that continue each other. The code tells their names, except that of a type whose
    /// methods stand outside of it, as in Rust: that becomes the name. Returns `None` for no entries.
    pub(super) fn join<'e>(entries: impl Iterator<Item = &'e Self> + Clone) -> Option<Self> {
        let named = entries.clone().filter(|entry| !entry.name.is_empty());
        let mut types = named.map(|entry| &entry.type_elsewhere);
        let of_type = types.next().filter(|first| types.all(|t| t == *first));
        let wholes = entries.clone().filter_map(|entry| entry.part_of.as_ref());
        let mut entries = entries;
        let first = entries.next()?;
        let mut joined = Self {
            name: of_type.cloned().unwrap_or_default(),
            kind: "",
            ..first.clone()
        };
        for entry in entries {
            joined.lines.end = entry.lines.end;
            joined.cut |= entry.cut;
            joined.folded |= entry.folded;
            joined.body.push('\n');
            joined.body.push_str(&entry.body);
        }
        // Together, parts may be a whole.
        let lines = joined.lines;
        joined.part_of = wholes
            .filter(|whole| !lines.covers(whole.lines))
            .last()
            .cloned();
        Some(joined)
    }

    /// Returns the value of a fact.
    pub(super) fn fact(&self, name: &str) -> Option<&str> {
        let mut facts = self.facts.iter();
        let (_, value) = facts.find(|(known, _)| *known == name)?;
        Some(value)
    }

    /// Calls `show` with its properties in display order, without those that are empty or have their usual
    /// value. Values are escaped.
    pub(super) fn for_each_property(&self, mut show: impl FnMut(&'static str, &str)) {
        if !self.name.is_empty() {
            show("name", &escape(&self.name));
        }
        if !self.kind.is_empty() {
            show("kind", self.kind);
        }
        show("lines", &self.lines.to_string());
        if self.fidelity != Fidelity::Full && self.layout == Layout::Block {
            show("fidelity", self.fidelity.name());
        }
        if self.cut {
            show("cut", "true");
        }
        if self.folded {
            show("folded", "true");
        }
        if let Some(whole) = &self.part_of {
            show(
                "part_of",
                &escape(&format!("{} ({})", whole.name, whole.lines)),
            );
        }
        for (name, value) in &self.facts {
            show(name, &escape(value));
        }
    }

    /// Returns an empty string with capacity for the rendered entry.
    pub(super) fn text_with_capacity(&self) -> String {
        String::with_capacity(self.body.len() + self.body.len() / 16 + 256)
    }
}

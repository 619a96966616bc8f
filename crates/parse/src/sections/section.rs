//! Defines a section, a part of a file without a grammar, and its kinds.

use foveate_model::Lines;

/// A part of a file that forms a unit, with the path of the sections above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The path from the outermost section, at most 200 bytes: `Installation > From source`,
    /// `jobs.publish`, `tool.mypy.overrides[1]`. Empty if the lines are below no heading.
    pub title: String,
    /// The construct that begins it.
    pub kind: SectionKind,
    /// Its own lines, up to its first child. These tile the file.
    pub lines: Lines,
    /// The last line of its last descendant; `lines.end` without children.
    pub subtree_end: u32,
    /// Number of sections that enclose it.
    pub depth: u32,
    /// Number of blank lines at the end of its own lines.
    pub blank_tail: u32,
}

/// The construct that begins a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// None: the text before the first heading, text between sections, or a paragraph.
    Text,
    /// A heading.
    Section,
    /// A directive that documents one name: a setting, an option, a function.
    Entry,
    /// A key of a mapping.
    Key,
    /// An element of a list.
    Item,
    /// A table of a settings file.
    Table,
    /// A job of a workflow.
    Job,
    /// A step of a job.
    Step,
    /// A statement.
    Statement,
    /// A target of a makefile.
    Target,
    /// A rule of a style sheet.
    Rule,
    /// Another block in braces.
    Block,
    /// A build stage.
    Stage,
    /// An instruction of a build stage.
    Instruction,
    /// A function of a script.
    Function,
    /// An element of a page.
    Element,
}

impl SectionKind {
    /// Returns the stable lower-case name that is used on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Section => "section",
            Self::Entry => "entry",
            Self::Key => "key",
            Self::Item => "item",
            Self::Table => "table",
            Self::Job => "job",
            Self::Step => "step",
            Self::Statement => "statement",
            Self::Target => "target",
            Self::Rule => "rule",
            Self::Block => "block",
            Self::Stage => "stage",
            Self::Instruction => "instruction",
            Self::Function => "function",
            Self::Element => "element",
        }
    }

    /// Whether a section of this kind can be understood without its enclosing section.
    pub(super) fn stands_alone(self) -> bool {
        !matches!(
            self,
            Self::Text | Self::Key | Self::Item | Self::Step | Self::Instruction
        )
    }

    /// Whether a section of this kind joins the surrounding lines if it is a single line.
    pub(super) fn folds(self) -> bool {
        matches!(
            self,
            Self::Key
                | Self::Item
                | Self::Step
                | Self::Instruction
                | Self::Rule
                | Self::Block
                | Self::Element
        )
    }
}

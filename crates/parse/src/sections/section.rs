//! A part of a file without a grammar, and what begins it.

use foveate_model::Lines;

/// A part of a file that reads as one thing, with the path of what stands above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The path from the outermost section, at most 200 bytes: `Installation > From source`,
    /// `jobs.publish`, `tool.mypy.overrides[1]`. Empty where no heading stands above the lines.
    pub title: String,
    /// What begins it.
    pub kind: SectionKind,
    /// Its own lines, up to its first child. These tile the file.
    pub lines: Lines,
    /// The last line of its last descendant; `lines.end` where it has no children.
    pub subtree_end: u32,
    /// How many sections enclose it.
    pub depth: u32,
    /// How many of its own lines are blank at their end.
    pub blank_tail: u32,
}

/// What begins a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Nothing: what stands before the first heading, between sections, or a paragraph.
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
    /// The stable lower-case name used on the wire.
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

    /// Whether it can be understood without what encloses it.
    pub(super) fn stands_alone(self) -> bool {
        !matches!(
            self,
            Self::Text | Self::Key | Self::Item | Self::Step | Self::Instruction
        )
    }

    /// Whether one that is a single line is left to the lines around it.
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

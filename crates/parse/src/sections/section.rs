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

foveate_model::named_enum! {
    /// The construct that begins a section.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SectionKind {
        /// None: the text before the first heading, text between sections, or a paragraph.
        Text = "text",
        /// A heading.
        Section = "section",
        /// A directive that documents one name: a setting, an option, a function.
        Entry = "entry",
        /// A key of a mapping.
        Key = "key",
        /// An element of a list.
        Item = "item",
        /// A table of a settings file.
        Table = "table",
        /// A job of a workflow.
        Job = "job",
        /// A step of a job.
        Step = "step",
        /// A statement.
        Statement = "statement",
        /// A target of a makefile.
        Target = "target",
        /// A rule of a style sheet.
        Rule = "rule",
        /// Another block in braces.
        Block = "block",
        /// A build stage.
        Stage = "stage",
        /// An instruction of a build stage.
        Instruction = "instruction",
        /// A function of a script.
        Function = "function",
        /// An element of a page.
        Element = "element",
    }
}

impl SectionKind {
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

//! Names the sources of evidence: the part of the query or request that names a definition or file.

foveate_model::named_enum! {
    /// Where a name was found, or how it was matched.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum EvidenceSource {
        /// Inline code of the query.
        InlineCode = "inline_code",
        /// The title of the query.
        Title = "title",
        /// The prose of the query.
        Prose = "prose",
        /// An error message in the query.
        ErrorMessage = "error_message",
        /// A code block of the query.
        CodeBlock = "code_block",
        /// An import in code of the query.
        Import = "import",
        /// A dotted name that leads to a file as a module.
        Module = "module",
        /// A text in the query that a string literal of the code equals or begins with.
        Literal = "literal",
        /// A frame of a stack trace, or a failed test in the output of a test runner.
        Traceback = "traceback",
        /// A line of a file.
        Line = "line",
        /// The path of a file, or a link to it.
        Path = "path",
        /// A heading that names a release.
        Heading = "heading",
        /// Adjacent words of the title, joined.
        Words = "words",
        /// Two words of the title, joined, with a similar spelling.
        WordsFuzzy = "words_fuzzy",
        /// A single word of the title.
        Word = "word",
        /// A name with a similar spelling.
        Fuzzy = "fuzzy",
        /// The caller's focus.
        Focus = "focus",
        /// The caller's change.
        Change = "change",
    }
}

//! Describes how a language's code looks in issues, and reads the import statements that several languages have.

/// How code of a language looks in an issue.
#[derive(Clone, Copy)]
pub(crate) struct CodeForm {
    /// Words that fences use for it, in lower case.
    pub(crate) fences: &'static [&'static str],
    /// The word to write in a fence, where it differs from the language's name.
    pub(crate) fence: Option<&'static str>,
    /// Returns the word to write in a fence for the file at a path, where its name decides.
    pub(crate) fence_of_file: fn(&str) -> Option<&'static str>,
    /// What begins a comment of one line.
    pub(crate) line_comment: &'static str,
    /// Lines that few other languages contain.
    pub(crate) lines: &'static [Line],
    /// Beginnings of lines that are code even between sentences.
    pub(crate) pasted: &'static [&'static str],
    /// First words of lines that open an indented block and end in a colon.
    pub(crate) block_words: &'static [&'static str],
    /// Returns what follows the prompt of an interactive session; `None` for a line without a prompt.
    pub(crate) after_prompt: fn(&str) -> Option<&str>,
    /// Its import statements.
    pub(crate) imports: Option<Imports>,
}

/// A line that is characteristic of a language.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) start: &'static str,
    /// Further condition on the whole line.
    pub(crate) fits: fn(&str) -> bool,
}

/// How import statements of a language are read.
#[derive(Clone, Copy)]
pub(crate) struct Imports {
    /// Returns, for the first line of a statement, the brackets that may hold its names over several lines;
    /// `None` for any other line.
    pub(crate) brackets: fn(&str) -> Option<&'static [char]>,
    /// Returns the names that a whole statement imports; `None` if it is no statement of the language.
    pub(crate) names: fn(&str) -> Option<Vec<String>>,
}

impl CodeForm {
    /// A form that recognises nothing.
    pub(crate) const NONE: Self = Self {
        fences: &[],
        fence: None,
        fence_of_file: |_| None,
        line_comment: "//",
        lines: &[],
        pasted: &[],
        block_words: &[],
        after_prompt: |_| None,
        imports: None,
    };
}

impl Line {
    /// Matches every line that begins with `start`.
    pub(crate) const fn starting(start: &'static str) -> Self {
        Self::when(start, |_| true)
    }

    /// Matches the lines that begin with `start` and fit.
    pub(crate) const fn when(start: &'static str, fits: fn(&str) -> bool) -> Self {
        Self { start, fits }
    }
}

/// `import a.b.C;`, `import static a.b.C.of`, `import a.b as c, d`: absolute dotted names.
pub(crate) fn dotted_import(statement: &str) -> Option<Vec<String>> {
    let list = statement.strip_prefix("import ")?;
    let list = list.strip_prefix("static ").unwrap_or(list);
    let names = list.split(',').map(|item| {
        let name = item.split(" as ").next().unwrap_or("");
        name.trim().trim_end_matches(".*").to_owned()
    });
    Some(names.collect())
}

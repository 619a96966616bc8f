//! Describes how a language's code looks in issues. Also holds the helpers that the readers of import
//! statements share.

/// How code of a language looks in an issue.
#[derive(Clone, Copy)]
pub(crate) struct CodeForm {
    /// Words that fences use for it, in lower case.
    pub(crate) fences: &'static [&'static str],
    /// The word to write in a fence, where it differs from the language's name.
    pub(crate) fence: Option<&'static str>,
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
    /// Appends the names that a whole statement imports; returns whether it is a statement of the language.
    pub(crate) names: fn(&str, &mut Vec<String>) -> bool,
}

impl CodeForm {
    /// A form that recognises nothing.
    pub(crate) const NONE: Self = Self {
        fences: &[],
        fence: None,
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

/// Longest name of an import, in bytes.
const MAX_NAME: usize = 300;

/// Appends a name if an import can have it.
pub(crate) fn push_import(names: &mut Vec<String>, name: String) {
    let valid = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$'))
        && name.len() <= MAX_NAME
        && !name.contains(char::is_whitespace);
    if valid {
        names.push(name);
    }
}

/// `import a.b.C;`, `import static a.b.C.of`, `import a.b as c, d`: absolute dotted names.
pub(crate) fn dotted_import(statement: &str, names: &mut Vec<String>) -> bool {
    let Some(list) = statement.strip_prefix("import ") else {
        return false;
    };
    let list = list.strip_prefix("static ").unwrap_or(list);
    for item in list.split(',') {
        let name = item.split(" as ").next().unwrap_or("");
        push_import(names, name.trim().trim_end_matches(".*").to_owned());
    }
    true
}

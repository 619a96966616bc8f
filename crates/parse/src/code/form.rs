//! What a language says of its code in issues, and what its readers of import statements share.

/// How code of a language looks in an issue.
#[derive(Clone, Copy)]
pub(crate) struct CodeForm {
    /// What fences call it.
    pub(crate) fences: &'static [&'static str],
    /// What to call it in a fence, where that is not its name.
    pub(crate) fence: Option<&'static str>,
    /// Lines that few other languages could hold.
    pub(crate) lines: &'static [Line],
    /// Beginnings of lines that are code even between sentences.
    pub(crate) pasted: &'static [&'static str],
    /// First words of lines that open an indented block and end in a colon.
    pub(crate) block_words: &'static [&'static str],
    /// What follows the prompt that a line of an interactive session begins with.
    pub(crate) after_prompt: fn(&str) -> Option<&str>,
    /// Its import statements.
    pub(crate) imports: Option<Imports>,
}

/// A line that says its language.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    pub(crate) start: &'static str,
    /// What must be true of the whole line besides.
    pub(crate) fits: fn(&str) -> bool,
}

/// How import statements of a language are read.
#[derive(Clone, Copy)]
pub(crate) struct Imports {
    /// For the first line of a statement, the brackets that may hold its names over several lines.
    pub(crate) brackets: fn(&str) -> Option<&'static [char]>,
    /// Adds what a whole statement names; says whether it is a statement of the language.
    pub(crate) names: fn(&str, &mut Vec<String>) -> bool,
}

impl CodeForm {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        fences: &[],
        fence: None,
        lines: &[],
        pasted: &[],
        block_words: &[],
        after_prompt: |_| None,
        imports: None,
    };
}

impl Line {
    /// Every line that begins so.
    pub(crate) const fn starting(start: &'static str) -> Self {
        Self {
            start,
            fits: |_| true,
        }
    }
}

/// The longest name that an import may have, in bytes.
const MAX_NAME: usize = 300;

/// Adds a name that an import may have.
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

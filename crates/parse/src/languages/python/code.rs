//! Recognises Python in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, dotted_import, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    line_comment: "#",
    fences: &[
        "py", "python", "python2", "python3", "pycon", "ipython", "ipython3", "doctest", "pytb",
        "py3tb",
    ],
    lines: &[
        Line::starting(">>> "),
        Line::starting("In ["),
        block("def "),
        block("async def "),
        block("elif "),
        Line::when("from ", |line| line.contains(" import ")),
    ],
    pasted: &[">>>", "In [", "Out[", "def ", "async def ", "@pytest."],
    block_words: &[
        "class ", "if ", "for ", "while ", "with ", "try", "else", "elif ", "except", "finally",
    ],
    after_prompt,
    imports: Some(Imports {
        brackets: |line| {
            let is_import = line.starts_with("from ") || line.starts_with("import ");
            is_import.then_some(&['(', '{'])
        },
        names: imported,
    }),
    ..CodeForm::NONE
};

const fn block(start: &'static str) -> Line {
    Line::when(start, |line| line.ends_with(':'))
}

/// Strips the prompts of Python, IPython and doctests.
fn after_prompt(line: &str) -> Option<&str> {
    for prompt in [">>>", "..."] {
        if let Some(rest) = line.strip_prefix(prompt) {
            return Some(rest.strip_prefix(' ').unwrap_or(rest));
        }
    }
    let (_, code) = line.strip_prefix("In [")?.split_once("]: ")?;
    Some(code)
}

fn imported(statement: &str, names: &mut Vec<String>) -> bool {
    let Some(rest) = statement.strip_prefix("from ") else {
        // A quoted specifier belongs to a script.
        return !statement.contains(['\'', '"', '`']) && dotted_import(statement, names);
    };
    if let Some((module, list)) = rest.split_once(" import ") {
        from(module.trim(), list, names);
    }
    true
}

fn from(module: &str, list: &str, names: &mut Vec<String>) {
    if module.starts_with('.') || !is_dotted(module) {
        return;
    }
    let list = list.split('#').next().unwrap_or(list);
    for item in list.split([',', '(', ')']) {
        let name = item.split(" as ").next().unwrap_or("").trim();
        match name {
            "" => {}
            "*" => push_import(names, module.to_owned()),
            name => push_import(names, format!("{module}.{name}")),
        }
    }
}

fn is_dotted(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

//! Registers Jupyter notebooks, and extracts their text: the code of their cells, with their prose as comments, each line
//! where it is in the file. Outputs are left out: they are pictures and numbers.
//!
//! Jupyter writes notebooks with sorted keys and each line of a cell on a line of its own (nbformat 4). Notebooks in another
//! layout give no text.

use foveate_model::{Language, LanguageRules};

use super::python::PYTHON;
use super::spec::{LanguageSpec, Names};

pub(super) static NOTEBOOK: LanguageSpec = {
    static RULES: LanguageRules = LanguageRules::new("notebook", 130);
    LanguageSpec {
        names: Names::extensions(&["ipynb"]),
        embedded_text: Some(text_of_cells),
        by_content: language_of_cells,
        ..LanguageSpec::new(Language::of(&RULES))
    }
};

/// Beginning of the line of the extracted text that names the language of the cells.
const LANGUAGE: &str = "# language: ";

/// How the lines of a cell are written in the extracted text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Code,
    /// As comments: prose, or commands for another program.
    Comment,
    Other,
}

/// Returns the text of the cells, with as many lines as the file has.
fn text_of_cells(notebook: &str) -> String {
    let mut text = String::with_capacity(notebook.len() / 2);
    let mut cell = Cell::Other;
    let mut in_source = false;
    for line in notebook.lines() {
        let line = line.trim();
        if in_source && line.starts_with(']') {
            in_source = false;
        } else if in_source {
            push_line(&mut text, &mut cell, line);
        } else if let Some(kind) = line.strip_prefix("\"cell_type\": \"") {
            cell = match kind.trim_end_matches(['"', ',']) {
                "code" => Cell::Code,
                "markdown" => Cell::Comment,
                _ => Cell::Other,
            };
        } else if let Some(language) = line.strip_prefix("\"language\": \"") {
            text.push_str(LANGUAGE);
            text.push_str(language.trim_end_matches(['"', ',']));
        }
        in_source |= line == "\"source\": [";
        text.push('\n');
    }
    text
}

/// Appends a line of a cell, which is a string of JSON. `%%bash` makes the rest of its cell text of another program.
fn push_line(text: &mut String, cell: &mut Cell, json: &str) {
    let json = json.strip_suffix(',').unwrap_or(json);
    let Ok(line) = serde_json::from_str::<String>(json) else {
        return;
    };
    // One string with several lines would move those below.
    let line = line.lines().next().unwrap_or("").trim_end();
    if *cell == Cell::Code && line.starts_with("%%") {
        *cell = Cell::Comment;
    }
    let is_command = line.trim_start().starts_with(['%', '!']);
    match *cell {
        _ if line.is_empty() => return,
        Cell::Other => return,
        Cell::Code if !is_command => {}
        Cell::Code | Cell::Comment => text.push_str("# "),
    }
    text.push_str(line);
}

/// Returns the language of the cells: that of the kernel, or Python.
fn language_of_cells(text: &str) -> Option<Language> {
    let kernel = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(LANGUAGE));
    match kernel {
        Some(kernel) => super::by_name(&kernel.to_ascii_lowercase()),
        None => Some(PYTHON.language),
    }
}

#[cfg(test)]
mod tests {
    use foveate_model::{RepoPath, Role, SkipReason};

    use super::*;
    use crate::limits::Limits;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# The \"cart\"\n",
    "\n",
    "Rounds its total."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "data": {
      "image/png": "iVBORw0KGgo"
     }
    }
   ],
   "source": [
    "%matplotlib inline\n",
    "def total(cart):\n",
    "    return round(cart.sum())\n"
   ]
  },
  {
   "cell_type": "code",
   "source": [
    "%%bash\n",
    "ls"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "language": "python",
   "name": "python3"
  }
 }
}
"##;

    #[test]
    fn cells_keep_their_lines() {
        let text = text_of_cells(NOTEBOOK);
        let found: Vec<(usize, &str)> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.is_empty())
            .collect();
        assert_eq!(
            found,
            [
                (7, "# # The \"cart\""),
                (9, "# Rounds its total."),
                (24, "# %matplotlib inline"),
                (25, "def total(cart):"),
                (26, "    return round(cart.sum())"),
                (32, "# %%bash"),
                (33, "# ls"),
                (39, "# language: python"),
            ]
        );
        assert_eq!(text.lines().count(), NOTEBOOK.lines().count());
        assert_eq!(language_of_cells(&text), Some(PYTHON.language));
        let julia = text.replace("language: python", "language: julia");
        let name = language_of_cells(&julia).map(|language| language.name());
        assert_eq!(name, Some("julia"));
    }

    #[test]
    fn functions_of_cells_are_on_the_lines_of_the_file() {
        let path = RepoPath::new("analysis/cart.ipynb").unwrap();
        let by_name = crate::language_by_name(&path);
        let (language, content) = crate::read(by_name, NOTEBOOK.as_bytes(), &Limits::default());
        assert_eq!(language, PYTHON.language);
        assert_eq!(crate::role(&path, language, false), Role::Documentation);
        let content = content.unwrap();
        let total = content.facts.definitions.first().unwrap();
        assert_eq!(
            (&*total.name, total.lines.start, total.lines.end),
            ("total", 25, 26)
        );
        assert!(!content.text.contains("iVBORw0KGgo"));
    }

    #[test]
    fn pictures_do_not_make_a_notebook_too_large() {
        let by_name = crate::language_by_name(&RepoPath::new("cart.ipynb").unwrap());
        let limits = Limits {
            max_bytes: 2_000,
            ..Limits::default()
        };
        let read = |picture: usize| {
            let notebook = NOTEBOOK.replace("iVBORw0KGgo", &"A".repeat(picture));
            crate::read(by_name, notebook.as_bytes(), &limits).1
        };
        let content = read(20_000).unwrap();
        assert!(content.text.contains("def total(cart):"));
        let limit = limits.max_bytes_of(by_name);
        assert_eq!(limit, 32_000);
        let refused = read(32_000).map(|_| ()).unwrap_err();
        assert!(matches!(refused, SkipReason::TooLarge { limit: told, .. } if told == limit));
        let long_cell = "x = 1\\n\",\n    \"".repeat(400);
        let notebook = NOTEBOOK.replace("%matplotlib inline", &long_cell);
        let refused = crate::read(by_name, notebook.as_bytes(), &limits).1;
        assert!(matches!(
            refused,
            Err(SkipReason::TooLarge { limit: 2_000, .. })
        ));
    }

    #[test]
    fn other_layouts_give_no_text() {
        for notebook in [
            "",
            "[]",
            r#"{"cells": [{"cell_type": "code", "source": ["x = 1"]}]}"#,
        ] {
            assert_eq!(text_of_cells(notebook).trim(), "");
        }
    }
}

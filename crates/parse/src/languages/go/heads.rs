//! Reads the types in the heads of methods, by which a method of a type is compared with one of an interface. Start at
//! [`types`].

/// Maximum bytes of a head that is read.
const MAX_HEAD: usize = 1_000;

/// Stands between the types of the parameters and those of the results.
const RESULTS: &str = "->";

/// Words that begin a type, so that no name of a parameter precedes what follows them.
const TYPE_WORDS: [&str; 5] = ["chan", "func", "interface", "map", "struct"];

/// Returns the types of `(a, b int, c ...io.Writer) (n int, err error)`: `int`, `int`, `...Writer`, `->`, `int`, `error`.
/// Packages are left out: inside of its own package a type has none. A type that is made of type parameters, which have
/// one letter by convention, is empty; of the type of a function only `func` is left.
pub(super) fn types(head: &str) -> Option<Vec<String>> {
    if head.len() > MAX_HEAD {
        return None;
    }
    let head = without_comments(head);
    let (parameters, results) = bracketed(head.trim())?;
    let mut found = types_of_list(parameters);
    found.push(RESULTS.to_owned());
    let results = results.trim_end_matches('{').trim();
    match bracketed(results) {
        Some((list, _)) => found.extend(types_of_list(list)),
        None if results.is_empty() => {}
        None => found.push(comparable(results)),
    }
    Some(found)
}

/// Replaces the comments of several lines of parameters by blanks.
fn without_comments(head: &str) -> String {
    let lines = head.lines().map(|line| match line.split_once("//") {
        Some((code, _)) => code,
        None => line,
    });
    lines.collect::<Vec<&str>>().join(" ")
}

/// Returns what is between the bracket at the start of a text and its counterpart, and what follows.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 0usize;
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((inner.get(..at)?, inner.get(at + 1..)?)),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the types of a list of parameters, one for each of them.
fn types_of_list(list: &str) -> Vec<String> {
    let parts = parts(list);
    let named: Vec<Option<&str>> = parts.iter().map(|part| type_behind_name(part)).collect();
    if named.iter().all(Option::is_none) {
        return parts.into_iter().map(comparable).collect();
    }
    // In `a, b int`, the first part is only a name: it has the type of the next one.
    let mut last = String::new();
    let mut types = Vec::with_capacity(parts.len());
    for written in named.into_iter().rev() {
        if let Some(written) = written {
            last = comparable(written);
        }
        types.push(last.clone());
    }
    types.reverse();
    types
}

/// Splits a list at the commas that are in no brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(list.get(start..at).unwrap_or("").trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list.get(start..).unwrap_or("").trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the type in `name type`; `None` if the part is a type or a name alone.
fn type_behind_name(part: &str) -> Option<&str> {
    let (name, written) = part.split_once(char::is_whitespace)?;
    let is_name = name.chars().all(is_letter) && !TYPE_WORDS.contains(&name);
    is_name.then_some(written)
}

/// Returns a type in the form in which types are compared; see [`types`].
fn comparable(written: &str) -> String {
    let mut found = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(first) = rest.chars().next() {
        let (word, after) = split_word(rest);
        if word.is_empty() {
            if !first.is_whitespace() {
                found.push(first);
            }
            rest = rest.get(first.len_utf8()..).unwrap_or("");
            continue;
        }
        // Behind the name of a package, one letter is the name of a type: `testing.T`.
        if let Some(name) = after
            .strip_prefix('.')
            .filter(|name| name.starts_with(is_letter))
        {
            let (name, after) = split_word(name);
            found.push_str(name);
            rest = after;
            continue;
        }
        if is_type_parameter(word) {
            return String::new();
        }
        found.push_str(word);
        rest = after;
        if word == "func" {
            break;
        }
    }
    found.replace("interface{}", "any")
}

/// Splits a text behind the letters and digits at its start.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_letter(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_type_parameter(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::types;

    #[track_caller]
    fn check(head: &str, wanted: &str) {
        let found = types(head).map(|types| types.join(" "));
        assert_eq!(found.as_deref(), Some(wanted), "{head}");
    }

    #[test]
    fn names_and_packages_are_left_out() {
        check("()", "->");
        check(
            "(c *echo.Context, target any) error",
            "*Context any -> error",
        );
        check(
            "(*Context, interface{}) (err error) {",
            "*Context any -> error",
        );
        check("(a, b int, rest ...io.Writer)", "int int ...Writer ->");
        check(
            "(int, string) (n int, err error)",
            "int string -> int error",
        );
        check("(p []byte) (int, error)", "[]byte -> int error");
        check(
            "(m map[string]pkg.A, c chan int)",
            "map[string]A chanint ->",
        );
        check(
            "(chan int, <-chan pkg.B) <-chan bool",
            "chanint <-chanB -> <-chanbool",
        );
        check(
            "(\n\ta int, // the (first\n\tb string,\n) bool",
            "int string -> bool",
        );
    }

    #[test]
    fn functions_and_type_parameters_are_coarse() {
        check(
            "(fn func(k, v []byte) error, n int) error",
            "func int -> error",
        );
        check("(key K, found func(V) bool) (T, bool)", " func ->  bool");
        check("(t *testing.T)", "*T ->");
    }

    #[test]
    fn other_texts_are_no_heads() {
        assert_eq!(types(""), None);
        assert_eq!(types("(a int"), None);
        assert_eq!(types(&"(".repeat(10_000)), None);
    }
}

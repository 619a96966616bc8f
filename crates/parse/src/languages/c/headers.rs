//! Decides whether a file with a C name is written in C++: both use `.h`.

/// Whether the text contains a line that only C++ can have.
pub(super) fn is_cpp(text: &str) -> bool {
    let mut in_comment = false;
    for line in text.lines() {
        let line = line.trim_start();
        let is_code = !in_comment;
        if is_code && is_of_cpp(line) {
            return true;
        }
        // The last comment mark of a line counts.
        match (line.rfind("/*"), line.rfind("*/")) {
            (Some(open), Some(close)) => in_comment = open > close,
            (Some(_), None) => in_comment = true,
            (None, Some(_)) => in_comment = false,
            (None, None) => {}
        }
    }
    false
}

fn is_of_cpp(line: &str) -> bool {
    if includes_standard_header(line) || has_scope(line) {
        return true;
    }
    let after = |word: &str| {
        let rest = line.strip_prefix(word)?;
        rest.starts_with([' ', '\t', '<', ':', '{'])
            .then(|| rest.trim())
    };
    if line.trim_end() == "namespace" {
        return true;
    }
    if let Some(rest) = after("namespace").or_else(|| after("inline namespace")) {
        return is_head(rest);
    }
    if let Some(rest) = after("class") {
        return rest.starts_with(is_word) && (is_head(rest) || rest.ends_with(';'));
    }
    if let Some(rest) = after("struct") {
        let bases = rest.split_once(" : ").map(|(_, bases)| bases);
        return bases.is_some_and(|bases| bases.starts_with(is_word) && bases.ends_with('{'));
    }
    if let Some(rest) = after("template") {
        return rest.starts_with('<');
    }
    if let Some(rest) = after("using") {
        return rest.ends_with(';');
    }
    let mut marks = ["public", "private", "protected"].into_iter();
    marks.any(|mark| after(mark).is_some_and(|rest| rest == ":"))
}

/// Whether a line includes a header of C++'s standard library, which has no extension: `#include <memory>`.
fn includes_standard_header(line: &str) -> bool {
    let rest = line.strip_prefix('#').map(str::trim_start);
    let rest = rest.and_then(|rest| rest.strip_prefix("include"));
    let name = rest.and_then(|rest| rest.trim_start().strip_prefix('<')?.split_once('>'));
    name.is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
}

/// Whether a line has `a::b` outside comments, strings and attributes.
fn has_scope(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let code = code.split("/*").next().unwrap_or(code);
    let Some((before, after)) = code.split_once("::") else {
        return false;
    };
    let is_string = before.contains(['"', '\'']);
    let is_attribute = before.contains("[[") || line.starts_with('#');
    let is_scope = before.ends_with(is_word) && after.starts_with(|c| is_word(c) || c == '~');
    is_scope && !is_string && !is_attribute
}

/// Whether `rest` continues a line like the head of a class or namespace: names, then a body, bases, or
/// nothing.
fn is_head(rest: &str) -> bool {
    let rest = rest.split("//").next().unwrap_or(rest).trim_end();
    let head = rest.split(['{', ':', '(']).next().unwrap_or("");
    let names = head.split_whitespace().count();
    let is_plain = head.chars().all(|c| is_word(c) || c.is_whitespace());
    is_plain && names <= 3 && (rest.len() > head.len() || names <= 2)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::is_cpp;

    #[test]
    fn cpp_headers_are_recognised() {
        for (text, expected) in [
            ("namespace a {\n}", true),
            ("#include <memory>\nvoid f(void);", true),
            ("#include <stdio.h>\n#include \"memory\"\n", false),
            ("void ns::Widget::draw(int x) {}", true),
            ("[[gnu::cold]] void f(void);", false),
            ("// see ns::Widget\nconst char* s = \"a::b\";", false),
            ("namespace a::b {", true),
            ("struct join : view {", true),
            ("struct flags { int a : 1; };", false),
            ("namespace\n{", true),
            ("  template <typename T>\n", true),
            ("class A : public B {", true),
            ("class API A;\n", true),
            ("using A = int;\n", true),
            ("public:\n", true),
            ("int class;\n", false),
            ("#ifdef __cplusplus\nextern \"C\" {\n#endif\n", false),
            (
                "/*\nclass of things {\nnamespace a {\n*/\nint f(void);",
                false,
            ),
            ("struct a { int b; };\n", false),
            ("class = next_class;\n", false),
            ("template = 1;\n", false),
            ("// namespace a {\n", false),
        ] {
            assert_eq!(is_cpp(text), expected, "{text}");
        }
    }
}

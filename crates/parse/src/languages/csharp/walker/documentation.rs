//! Removes the tags from XML documentation.

/// Returns the text of an XML comment: references are replaced by the name that they refer to, elements
/// by their content.
pub(super) fn without_tags(text: String) -> String {
    if !text.contains('<') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        match after.split_once('>').filter(|_| is_tag) {
            Some((tag, after)) => {
                plain.push_str(referenced_name(tag));
                rest = after;
            }
            None => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    let plain = plain
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    crate::documentation::joined(plain.lines().map(str::trim_end).filter(|l| !l.is_empty()))
}

/// Returns the name in a reference without content: `<see cref="T:A.B"/>`, `<paramref name="a"/>`.
/// Other tags give an empty text.
fn referenced_name(tag: &str) -> &str {
    let Some((_, value)) = tag.split_once("=\"") else {
        return "";
    };
    let value = value.split('"').next().unwrap_or("");
    let is_reference = tag.ends_with('/') && tag.starts_with(['s', 'p', 't']);
    match value.split_once(':') {
        _ if !is_reference => "",
        Some((kind, name)) if kind.len() == 1 => name,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::without_tags;

    #[test]
    fn tags_are_left_out() {
        for (written, text) in [
            ("<summary>\nOpens it.\n</summary>", "Opens it."),
            (
                "<summary>Uses <see cref=\"T:A.B\"/> and <c>x</c>.</summary>\n<param name=\"a\">The <paramref name=\"b\" />.</param>",
                "Uses A.B and x.\nThe b.",
            ),
            ("a &lt; b, a < b", "a < b, a < b"),
            ("Plain.", "Plain."),
            ("<inheritdoc/>", ""),
            ("cut <see cref=\"A", "cut <see cref=\"A"),
        ] {
            assert_eq!(without_tags(written.to_owned()), text, "{written}");
        }
    }
}

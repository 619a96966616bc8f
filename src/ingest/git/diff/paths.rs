//! Parses the paths in the header of a file in a patch. Names may be quoted; a path that leads out of the repository is
//! rejected.

use foveate_model::RepoPath;

/// The text before the path of the earlier file in a header: a sign and a directory, or words if the file is renamed.
pub(super) const EARLIER: [&str; 3] = ["--- ", "a/", "rename from "];
/// The same for the later file.
pub(super) const LATER: [&str; 3] = ["+++ ", "b/", "rename to "];

/// Parses the path on one side from a line of a file's header; a file that is missing on that side has none.
pub(super) fn path_of(line: &[u8], [sign, directory, rename]: [&str; 3]) -> Option<RepoPath> {
    let (name, prefix) = match line.strip_prefix(sign.as_bytes()) {
        // Git ends a name that has blanks with a tab.
        Some(name) => (name.strip_suffix(b"\t").unwrap_or(name), directory),
        None => (line.strip_prefix(rename.as_bytes())?, ""),
    };
    let name = unquoted(name)?;
    let path = std::str::from_utf8(&name).ok()?.strip_prefix(prefix)?;
    RepoPath::new(path).ok()
}

/// Parses the path in `a/x b/x`, the names of a file whose path did not change.
pub(super) fn path_of_both(names: &[u8]) -> Option<RepoPath> {
    // They are equally long, so that the blank in the middle is known although names may have blanks.
    let name = unquoted(names.get(..names.len() / 2)?)?;
    let path = std::str::from_utf8(&name).ok()?.strip_prefix("a/")?;
    RepoPath::new(path).ok()
}

/// Decodes a name as git writes it: quoted and escaped if it has quotes, backslashes or control characters.
/// Returns `None` if it is malformed.
fn unquoted(name: &[u8]) -> Option<Vec<u8>> {
    let Some(mut rest) = name.strip_prefix(b"\"") else {
        return Some(name.to_owned());
    };
    let mut bytes = Vec::with_capacity(rest.len());
    loop {
        let (byte, tail) = match *rest {
            [b'"'] => return Some(bytes),
            [
                b'\\',
                a @ b'0'..=b'3',
                b @ b'0'..=b'7',
                c @ b'0'..=b'7',
                ref tail @ ..,
            ] => ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), tail),
            [b'\\', letter, ref tail @ ..] => (escaped(letter)?, tail),
            [byte, ref tail @ ..] if byte != b'"' => (byte, tail),
            _ => return None,
        };
        bytes.push(byte);
        rest = tail;
    }
}

fn escaped(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => letter,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_unquoted_and_stay_inside_root() {
        for (name, path) in [
            (r#""b/tab\there""#, Some("tab\there")),
            (r#""b/line\nend""#, Some("line\nend")),
            (
                r#""b/say \"hi\" \\ \001\303\274""#,
                Some("say \"hi\" \\ \u{1}ü"),
            ),
            ("b/ü ber\t", Some("ü ber")),
            ("\"b/a\\tb c\"\t", Some("a\tb c")),
            ("b/b/c", Some("b/c")),
            ("/dev/null", None),
            ("b/../secret", None),
            ("b//etc/passwd", None),
            ("b/", None),
            ("", None),
            (r#""b/open"#, None),
            (r#""b/in"side""#, None),
            (r#""b/odd\q""#, None),
            (r#""b/large\777""#, None),
            (r#""b/end\""#, None),
            (r#""b/\377""#, None),
            (r#""b/nul\000""#, None),
        ] {
            let found = path_of(format!("+++ {name}").as_bytes(), LATER);
            assert_eq!(found.as_ref().map(RepoPath::as_str), path, "{name}");
        }
        let long = format!("+++ b/{}", "a".repeat(5000));
        assert!(path_of(long.as_bytes(), LATER).is_none());
    }
}

//! C# in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["cs", "csharp", "c#", "razor"],
    lines: &[
        Line {
            start: "using ",
            fits: |line| used(line.trim_end_matches(';')).is_some() && line.ends_with(';'),
        },
        Line {
            start: "namespace ",
            fits: |line| !line.contains(['\\', ':']) && !line.ends_with('{'),
        },
        Line::starting("public async Task"),
        Line::starting("internal class "),
        Line::starting("public sealed class "),
        Line::starting("public partial class "),
        Line::starting("var builder = WebApplication"),
    ],
    pasted: &["public async Task"],
    imports: Some(Imports {
        brackets: |line| used(line.trim_end_matches(';')).map(|_| [].as_slice()),
        names: |statement, names| {
            let Some(name) = used(statement) else {
                return false;
            };
            push_import(names, name.to_owned());
            true
        },
    }),
    ..CodeForm::NONE
};

/// `using A.B`, `using static A.B.C`, `using D = A.B.C`, `global using A.B`: the name. A block or a
/// variable that is closed at its end begins with the same word.
fn used(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("global ").unwrap_or(statement);
    let rest = rest.strip_prefix("using ")?;
    let rest = rest.strip_prefix("static ").unwrap_or(rest);
    let name = rest.split_once(" = ").map_or(rest, |(_, name)| name).trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (name.starts_with(char::is_uppercase) && name.chars().all(is_name)).then_some(name)
}

//! Recognizes C# code in the text of an issue.

use crate::code::form::{CodeForm, Imports, Line, push_import};

pub(super) const CODE: CodeForm = CodeForm {
    fences: &["cs", "csharp", "c#", "razor"],
    lines: &[
        Line::when("using ", |line| {
            using_name(line.trim_end_matches(';')).is_some() && line.ends_with(';')
        }),
        Line::when("namespace ", |line| {
            !line.contains(['\\', ':']) && !line.ends_with('{')
        }),
        Line::starting("public async Task"),
        Line::starting("internal class "),
        Line::starting("public sealed class "),
        Line::starting("public partial class "),
        Line::starting("var builder = WebApplication"),
    ],
    pasted: &["public async Task"],
    imports: Some(Imports {
        brackets: |line| using_name(line.trim_end_matches(';')).map(|_| [].as_slice()),
        names: |statement, names| {
            let Some(name) = using_name(statement) else {
                return false;
            };
            push_import(names, name.to_owned());
            true
        },
    }),
    ..CodeForm::NONE
};

/// Returns the name in `using A.B`, `using static A.B.C`, `using D = A.B.C` and `global using A.B`. A
/// `using` block and a `using` variable, which is disposed at the end of its block, begin with the same
/// word and give `None`.
fn using_name(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("global ").unwrap_or(statement);
    let rest = rest.strip_prefix("using ")?;
    let rest = rest.strip_prefix("static ").unwrap_or(rest);
    let name = rest.split_once(" = ").map_or(rest, |(_, name)| name).trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (name.starts_with(char::is_uppercase) && name.chars().all(is_name)).then_some(name)
}

//! How the tests of this crate write facts: one short line each.

use foveate_model::{Content, Definition, FileFacts, Language, Modifiers, Visibility};

use crate::{Limits, parse};

/// Languages by their names.
macro_rules! languages {
    ($($name:ident)*) => {
        $(pub(crate) fn $name() -> Language {
            crate::languages::by_name(stringify!($name)).unwrap()
        })*
    };
}

languages!(c cpp csharp css go html java javascript json kotlin markdown php python restructuredtext ruby rust shell sql svelte toml tsx typescript vue yaml);

/// Parses a source and asserts that it has no issues.
pub(crate) fn facts(language: Language, text: &str) -> FileFacts {
    let facts = parse(language, text, &Limits::default());
    assert_eq!(facts.issues, [], "{text}");
    facts
}

/// Asserts that two lists of lines are the same, blank lines and indentation aside.
#[track_caller]
pub(crate) fn same(found: &[String], expected: &str, source: &str) {
    let found: Vec<&str> = found.iter().map(|line| line.trim()).collect();
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    assert_eq!(
        found,
        expected,
        "\nin:\n{source}\nfound:\n{}\n",
        found.join("\n")
    );
}

/// `kind qualified_name flags: signature`.
pub(crate) fn definitions(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .definitions
        .iter()
        .map(|definition| {
            let flags = flags(definition);
            let signature = one_line(definition.signature.of(text));
            format!(
                "{} {}{flags}: {signature}",
                definition.kind.name(),
                definition.qualified_name
            )
        })
        .collect()
}

/// `kind path [in enclosing]`, with `?` before an opaque receiver.
pub(crate) fn references(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    let name = |id| {
        facts
            .definition(id)
            .map_or("", |d: &Definition| &d.qualified_name)
    };
    facts
        .references
        .iter()
        .map(|reference| {
            let opaque = if reference.opaque_receiver { "?" } else { "" };
            let place = reference
                .enclosing
                .map_or(String::new(), |id| format!(" in {}", name(id)));
            format!(
                "{:?} {opaque}{}{place}",
                reference.kind,
                one_line(reference.path.of(text))
            )
            .to_lowercase()
        })
        .collect()
}

/// `Kind module: name as local, …`.
pub(crate) fn imports(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    facts
        .imports
        .iter()
        .map(|import| {
            let names: Vec<String> = import
                .names
                .iter()
                .map(|n| {
                    if n.name == n.local {
                        n.name.to_string()
                    } else {
                        format!("{} as {}", n.name, n.local)
                    }
                })
                .collect();
            let place = import.enclosing.and_then(|id| facts.definition(id));
            let place = place.map_or(String::new(), |d| format!(" in {}", d.qualified_name));
            let type_only = if import.type_only { " (type)" } else { "" };
            format!(
                "{:?} {}: {}{place}{type_only}",
                import.kind,
                import.module,
                names.join(", ")
            )
        })
        .collect()
}

/// `local as exported`.
pub(crate) fn exports(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .exports
        .iter()
        .map(|export| format!("{} as {}", export.local, export.exported))
        .collect()
}

/// `Kind: text`.
pub(crate) fn messages(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .messages
        .iter()
        .map(|message| format!("{:?}: {}", message.kind, message.span.of(text)))
        .collect()
}

/// `first-last kind definition`.
pub(crate) fn chunks(language: Language, text: &str) -> Vec<String> {
    let facts = facts(language, text);
    facts
        .chunks
        .iter()
        .map(|chunk| {
            let owner = chunk.definition.and_then(|id| facts.definition(id));
            let owner = owner.map_or(String::new(), |d| format!(" {}", d.qualified_name));
            format!(
                "{}-{} {:?}{owner}",
                chunk.lines.start, chunk.lines.end, chunk.kind
            )
        })
        .collect()
}

/// `Kind: text`.
pub(crate) fn regions(language: Language, text: &str) -> Vec<String> {
    facts(language, text)
        .regions
        .iter()
        .map(|region| format!("{:?}: {}", region.kind, one_line(region.span.of(text))))
        .collect()
}

fn flags(definition: &Definition) -> String {
    let Modifiers {
        is_async,
        is_static,
        is_abstract,
        is_overload,
        is_constructor,
        is_property,
        is_exported,
        is_default_export,
        is_out_of_line,
    } = definition.modifiers;
    [
        (is_async, "async"),
        (is_static, "static"),
        (is_abstract, "abstract"),
        (is_overload, "overload"),
        (is_constructor, "constructor"),
        (is_property, "property"),
        (is_exported, "exported"),
        (is_default_export, "default"),
        (is_out_of_line, "out-of-line"),
        (definition.visibility == Visibility::Private, "private"),
        (definition.visibility == Visibility::Protected, "protected"),
    ]
    .into_iter()
    .filter(|(set, _)| *set)
    .map(|(_, flag)| format!(" {flag}"))
    .collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text and its facts.
pub(crate) fn content(language: Language, text: &str) -> Content {
    Content {
        text: text.into(),
        facts: facts(language, text),
    }
}

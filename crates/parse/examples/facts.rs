//! Prints the facts of the files given as arguments, to inspect what the parser extracts.
//!
//! `cargo run --release -p foveate-parse --example facts -- [--time] FILE…`; with `--time` only the
//! totals and the time spent, with `-` the file names are read from standard input.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::time::{Duration, Instant};

use foveate_model::{Content, FileFacts, RepoPath};
use foveate_parse::Limits;

#[derive(Default)]
struct Totals {
    files: usize,
    skipped: usize,
    bytes: usize,
    definitions: usize,
    references: usize,
    chunks: usize,
    issues: usize,
    spent: Duration,
}

fn main() -> std::io::Result<()> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let only_totals = paths.iter().any(|argument| argument == "--time");
    paths.retain(|argument| argument != "--time");
    if paths == ["-"] {
        paths = std::io::stdin().lines().collect::<Result<_, _>>()?;
    }
    let mut totals = Totals::default();
    for path in paths {
        let Ok(name) = RepoPath::new(path.trim_start_matches(['/', '.'])) else {
            continue;
        };
        if foveate_parse::skip_by_name(&name).is_some() {
            totals.skipped += 1;
            continue;
        }
        let bytes = std::fs::read(&path)?;
        let started = Instant::now();
        let by_name = foveate_parse::language_by_name(&name);
        let (language, content) = foveate_parse::read(by_name, &bytes, &Limits::default());
        totals.spent += started.elapsed();
        match content {
            Ok(content) => {
                totals.files += 1;
                totals.bytes += bytes.len();
                totals.definitions += content.facts.definitions.len();
                totals.references += content.facts.references.len();
                totals.chunks += content.facts.chunks.len();
                totals.issues += content.facts.issues.len();
                if !only_totals {
                    let role = foveate_parse::role(&name, language, content.facts.generated);
                    println!("{path}: {} {}", language.name(), role.name());
                    print(&content);
                }
            }
            Err(reason) => {
                totals.skipped += 1;
                eprintln!("{path}: {}", reason.code());
            }
        }
    }
    eprintln!(
        "{} files ({} skipped), {} bytes, {} definitions, {} references, {} chunks, {} issues, {:?}",
        totals.files,
        totals.skipped,
        totals.bytes,
        totals.definitions,
        totals.references,
        totals.chunks,
        totals.issues,
        totals.spent
    );
    Ok(())
}

fn print(content: &Content) {
    let (text, facts) = (&*content.text, &content.facts);
    for issue in &facts.issues {
        println!("  issue {issue:?}");
    }
    print_definitions(text, facts);
    print_imports(facts);
    print_references(text, facts);
    for message in &facts.messages {
        println!(
            "  message {} {:?} {}",
            message.line,
            message.kind,
            one_line(message.span.of(text))
        );
    }
    print_chunks(facts);
    for region in &facts.regions {
        println!(
            "  region {:?} {}",
            region.kind,
            one_line(region.span.of(text))
        );
    }
}

fn print_definitions(text: &str, facts: &FileFacts) {
    for definition in &facts.definitions {
        println!(
            "  definition {}-{} @{} {} {} | {} | bases {:?} decorators {:?} {:?} {:?} | {}",
            definition.lines.start,
            definition.lines.end,
            text.get(..definition.name_span.start as usize)
                .map_or(0, |before| before.matches('\n').count() + 1),
            definition.kind.name(),
            definition.qualified_name,
            one_line(definition.signature.of(text)),
            definition.bases,
            definition.decorators,
            definition.visibility,
            flags(definition),
            one_line(&definition.doc),
        );
    }
}

fn print_imports(facts: &FileFacts) {
    for import in &facts.imports {
        let names: Vec<_> = import
            .names
            .iter()
            .map(|name| format!("{} as {}", name.name, name.local))
            .collect();
        println!(
            "  import {} {:?} {} {names:?}{}",
            import.line,
            import.kind,
            import.module,
            if import.type_only { " type" } else { "" }
        );
    }
    for export in &facts.exports {
        println!("  export {} as {}", export.local, export.exported);
    }
}

fn print_references(text: &str, facts: &FileFacts) {
    for reference in &facts.references {
        println!(
            "  reference {} {:?} {}{} in {}",
            reference.line,
            reference.kind,
            one_line(reference.path.of(text)),
            if reference.opaque_receiver {
                " (opaque)"
            } else {
                ""
            },
            reference
                .enclosing
                .and_then(|id| facts.definition(id))
                .map_or("module", |definition| &definition.qualified_name),
        );
    }
}

fn print_chunks(facts: &FileFacts) {
    for chunk in &facts.chunks {
        let owner = chunk.definition.and_then(|id| facts.definition(id));
        println!(
            "  chunk {}-{} {:?} {}",
            chunk.lines.start,
            chunk.lines.end,
            chunk.kind,
            owner.map_or("", |definition| &definition.qualified_name),
        );
    }
}

fn flags(definition: &foveate_model::Definition) -> Vec<&'static str> {
    let modifiers = definition.modifiers;
    [
        (modifiers.is_async, "async"),
        (modifiers.is_static, "static"),
        (modifiers.is_abstract, "abstract"),
        (modifiers.is_overload, "overload"),
        (modifiers.is_constructor, "constructor"),
        (modifiers.is_property, "property"),
        (modifiers.is_exported, "exported"),
        (modifiers.is_default_export, "default"),
        (modifiers.is_out_of_line, "out-of-line"),
        (modifiers.is_macro, "macro"),
        (modifiers.is_block, "block"),
        (modifiers.is_extension, "extension"),
    ]
    .into_iter()
    .filter_map(|(set, name)| set.then_some(name))
    .collect()
}

/// Returns the text on one line, cut after 100 characters.
fn one_line(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(100)
        .collect()
}

//! Prints the output of `foveate context`: the context or the answer on standard output or into a file, all else on
//! standard error.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use foveate_model::escape::{escape, escape_code};
use foveate_query::Request;

use super::ContextArgs;
use crate::cli::{UsageError, stdout};
use crate::disk::write_output_file;
use crate::engine::AnswerWithSnapshot;
use crate::wire::answer::{AnswerOptions, ContextAnswer, SignalAnswer};

/// Prints an answer in the form that the arguments select.
pub(super) fn print(
    args: &ContextArgs,
    request: &Request,
    answered: AnswerWithSnapshot,
) -> anyhow::Result<()> {
    let options = AnswerOptions {
        request_id: None,
        budget_tokens: request.budget_tokens,
        explain: args.explain,
        signals: true,
    };
    let answer = ContextAnswer::new(answered, options);
    write(args, &answer.context, answer.sections.len(), &answer)?;
    if args.json {
        return Ok(());
    }
    let listed = answer.issues.iter();
    issues(listed.map(|issue| (issue.code.to_string(), issue.detail.to_string())));
    if args.explain {
        let _ = explain(&mut std::io::stderr().lock(), &answer);
    }
    Ok(())
}

/// Writes the context, or with `--json` the whole answer, to the file that the arguments name, else to standard output.
/// A context without sections has only its head, which a CI job would take for a result: the file becomes empty.
pub(super) fn write(
    args: &ContextArgs,
    context: &str,
    section_count: usize,
    answer: &impl serde::Serialize,
) -> anyhow::Result<()> {
    let mut text = Vec::new();
    if args.json {
        crate::cli::print_json(&mut text, answer)?;
    } else {
        writeln!(text, "{}", context.trim_end())?;
    }
    if let Some(path) = &args.output {
        if section_count == 0 && !args.json {
            text.clear();
        }
        return write_file(path, &text);
    }
    let mut out = stdout();
    if std::io::stdout().is_terminal() && !args.json {
        // Repository text must not send control sequences to the terminal.
        out.write_all(escape_code(&String::from_utf8_lossy(&text)).as_bytes())?;
    } else {
        out.write_all(&text)?;
    }
    Ok(out.flush()?)
}

/// Refuses the file that `--output` names where it cannot be written, before the work whose result it is for.
pub(super) fn check_file(path: &Path) -> Result<(), UsageError> {
    let parent = path.parent().unwrap_or(path);
    let reason = if path.is_dir() {
        "it is a directory".to_owned()
    } else if !parent.as_os_str().is_empty() && !parent.is_dir() {
        format!("there is no directory {}", parent.display())
    } else {
        return Ok(());
    };
    let path = path.display();
    Err(UsageError(format!(
        "--output: cannot write {path}: {reason}"
    )))
}

/// Writes the file that `--output` names.
pub(super) fn write_file(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    write_output_file(path, text)
        .with_context(|| format!("--output: cannot write {}", path.display()))
}

/// Prints the issues of an answer, each given as its code and detail.
pub(super) fn issues(issues: impl Iterator<Item = (String, String)>) {
    let mut out = std::io::stderr().lock();
    for (code, detail) in issues {
        let detail = with_options(&detail);
        let _ = writeln!(out, "{}: {}", escape(&code), escape(&detail));
    }
}

/// Names the options of the command line in place of the fields of the HTTP interface.
fn with_options(detail: &str) -> String {
    let options = [
        ("`seen`", "`--seen-path` or `--seen-place`"),
        ("`focus`", "`--focus-path` or `--focus-symbol`"),
        ("`max_chars`", "`--max-chars`"),
        ("`budget_tokens`", "`--budget`"),
    ];
    let replace = |text: String, (field, option): (&str, &str)| text.replace(field, option);
    options.into_iter().fold(detail.to_owned(), replace)
}

fn explain(out: &mut impl std::io::Write, answer: &ContextAnswer) -> std::io::Result<()> {
    let intent = &answer.intent;
    let signals = intent.signals.join(", ");
    writeln!(
        out,
        "intent {} {:.2} ({signals})",
        intent.kind, intent.confidence
    )?;
    for symbol in &answer.symbols {
        let resolved = symbol.resolved.join(", ");
        let (name, resolved) = (escape(&symbol.name), escape(&resolved));
        writeln!(out, "symbol {name} ({}) -> {resolved}", symbol.from)?;
    }
    for file in &answer.files {
        let path = escape(&file.path);
        write!(out, "{:8.3} {path} [{}]", file.score, file.role)?;
        reasons(out, file.signals.as_deref().unwrap_or_default())?;
    }
    for function in &answer.functions {
        let lines = format!("{}-{}", function.start_line, function.end_line);
        let (path, name) = (escape(&function.path), escape(&function.name));
        write!(out, "{:8.3} {path}:{lines} {name}", function.score)?;
        reasons(out, function.signals.as_deref().unwrap_or_default())?;
    }
    let timings = &answer.timings_ms;
    writeln!(
        out,
        "{} of {} tokens; intent {} ms, resolve {} ms, rank {} ms, assemble {} ms, total with indexing {} ms",
        answer.tokens.used,
        answer.tokens.budget,
        timings.intent,
        timings.resolve,
        timings.rank,
        timings.assemble,
        timings.total
    )
}

fn reasons(out: &mut impl std::io::Write, signals: &[SignalAnswer]) -> std::io::Result<()> {
    for signal in signals {
        write!(out, " {}={:.3}", signal.name, signal.value)?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::with_options;

    #[test]
    fn issues_name_the_options_of_the_command_line() {
        assert_eq!(
            with_options("a larger `max_chars` would help; the code is in `seen`"),
            "a larger `--max-chars` would help; the code is in `--seen-path` or `--seen-place`"
        );
    }
}

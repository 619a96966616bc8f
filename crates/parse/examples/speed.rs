//! Measures how fast each language is parsed, compared with its tree-sitter grammar alone. Both are timed in turn on
//! each file, and the fastest of several rounds counts, so that other programs disturb the comparison little.
//!
//! `find DIRECTORY -type f | cargo run --release -p foveate-parse --example speed`

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use foveate_model::{Language, RepoPath};
use foveate_parse::{Limits, language_by_name, parse};
use tree_sitter::Parser;

/// Rounds per file.
const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    let mut texts: BTreeMap<&'static str, (Language, Vec<String>)> = BTreeMap::new();
    for path in std::io::stdin().lines() {
        let path = path?;
        let Ok(name) = RepoPath::new(path.trim_start_matches(['/', '.'])) else {
            continue;
        };
        let Some(language) = language_by_name(&name).filter(|l| grammar(l.name()).is_some()) else {
            continue;
        };
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if text.len() < 1 << 20 {
            let known = texts.entry(language.name());
            known.or_insert((language, Vec::new())).1.push(text);
        }
    }
    println!("language     files      MB   MB/s  grammar alone  ratio");
    for (name, (language, texts)) in texts {
        let mut parser = Parser::new();
        if let Some(grammar) = grammar(name) {
            parser
                .set_language(&grammar)
                .map_err(std::io::Error::other)?;
        }
        let (mut whole, mut alone) = (Duration::ZERO, Duration::ZERO);
        for text in &texts {
            let rounds = (0..ROUNDS).map(|_| {
                let whole = timed(|| drop(black_box(parse(language, text, &Limits::default()))));
                let alone = timed(|| drop(black_box(parser.parse(text, None))));
                (whole, alone)
            });
            let (fastest_whole, fastest_alone) = rounds
                .reduce(|a, b| (a.0.min(b.0), a.1.min(b.1)))
                .unwrap_or_default();
            whole += fastest_whole;
            alone += fastest_alone;
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name:<12} {:>5} {:>7.1} {:>6.1} {:>14.1} {:>6.2}",
            texts.len(),
            bytes as f64 / 1e6,
            rate(whole),
            rate(alone),
            whole.as_secs_f64() / alone.as_secs_f64(),
        );
    }
    Ok(())
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn grammar(language: &str) -> Option<tree_sitter::Language> {
    Some(match language {
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "csharp" => tree_sitter_c_sharp::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "ruby" => tree_sitter_ruby::LANGUAGE.into(),
        "rust" => tree_sitter_rust::LANGUAGE.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => return None,
    })
}

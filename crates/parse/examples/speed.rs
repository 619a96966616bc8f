//! Measures how fast each language is parsed, compared with its tree-sitter grammar alone. Both are timed
//! in turn over the same files.
//!
//! `find DIRECTORY -type f | cargo run --release -p foveate-parse --example speed`

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use foveate_model::{Language, RepoPath};
use foveate_parse::{Limits, language_by_name, parse};
use tree_sitter::Parser;

/// Rounds per measurement; the median is reported.
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
        let bytes: usize = texts.iter().map(String::len).sum();
        let (mut whole, mut alone) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            whole.push(timed(|| {
                for text in &texts {
                    std::hint::black_box(parse(language, text, &Limits::default()));
                }
            }));
            alone.push(timed(|| trees(name, &texts)));
        }
        let (whole, alone) = (median(whole), median(alone));
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

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn trees(language: &str, texts: &[String]) {
    let mut parser = Parser::new();
    let Some(grammar) = grammar(language) else {
        return;
    };
    if parser.set_language(&grammar).is_err() {
        return;
    }
    for text in texts {
        std::hint::black_box(parser.parse(text, None));
    }
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

//! Builds the graph of a directory and prints what was resolved and what it cost.
//!
//! `cargo run --release -p foveate-index --example graph -- DIR [NAME …]` also prints, for each
//! NAME (`Class.method` or an absolute dotted path), its uses, bases and tests.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use foveate_index::{Confidence, DefId, Files, Graph, Symbols};
use foveate_model::{ObjectId, RepoPath, SourceFile};
use foveate_parse::Limits;
use rayon::prelude::*;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: graph DIR [NAME …]");
        return;
    };
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    let start = Instant::now();
    let sources: Vec<SourceFile> = paths.par_iter().filter_map(|p| read(&root, p)).collect();
    println!("read and parsed in {:?}", start.elapsed());
    let files = Files::new(sources);
    let start = Instant::now();
    let symbols = Symbols::new(&files);
    println!("symbols in {:?}", start.elapsed());
    let start = Instant::now();
    let mut graph = Graph::new(&files, &symbols);
    println!("graph in {:?}", start.elapsed());
    for _ in 0..5 {
        let start = Instant::now();
        graph = Graph::new(&files, &symbols);
        println!("graph again in {:?}", start.elapsed());
    }
    summary(&files, &symbols, &graph);
    for name in arguments {
        show(&files, &symbols, &graph, &name);
    }
}

fn summary(files: &Files, symbols: &Symbols, graph: &Graph) {
    let contents = || files.as_slice().iter().filter_map(|f| f.content.as_ref());
    println!(
        "{} files, {} definitions, {} references, {} imports",
        files.len(),
        files.definition_count(),
        contents().map(|c| c.facts.references.len()).sum::<usize>(),
        contents().map(|c| c.facts.imports.len()).sum::<usize>(),
    );
    println!(
        "{:?}, heap {} bytes",
        graph.resolution(),
        graph.heap_bytes()
    );
    let (mut inside, mut resolved) = (0, 0);
    let mut missing: Vec<String> = Vec::new();
    let tops = top_names(files);
    for id in files.ids() {
        let Some(content) = files.content(id) else {
            continue;
        };
        let python = content.facts.language.name() == "python";
        for (import, module) in content.facts.imports.iter().zip(graph.import_modules(id)) {
            let first = import.module.split(if python { '.' } else { '/' }).next();
            let scoped = import
                .module
                .split('/')
                .take(2)
                .collect::<Vec<_>>()
                .join("/");
            let own = import.module.starts_with('.')
                || tops.contains(&scoped)
                || first.is_some_and(|first| tops.contains(first));
            if own || module.is_some() {
                inside += 1;
                resolved += usize::from(module.is_some());
                if module.is_none() {
                    missing.push(format!("{}: {}", files.path(id), import.module));
                }
            }
        }
    }
    println!(
        "imports that look internal: {resolved} of {inside} resolved ({:.1} %)",
        100.0 * resolved as f64 / inside.max(1) as f64
    );
    let step = (missing.len() / 15).max(1);
    for line in missing.iter().step_by(step).take(15) {
        println!("  unresolved {line}");
    }
    for level in [
        Confidence::Certain,
        Confidence::Likely,
        Confidence::NameOnly,
    ] {
        sample(files, graph, level);
    }
    unresolved(files, symbols, graph);
    let tested = files
        .definition_ids()
        .filter(|id| !graph.tests_of(*id).is_empty())
        .count();
    let with_tests = files
        .ids()
        .filter(|id| !graph.test_files_of(*id).is_empty());
    println!(
        "{tested} definitions and {} files have tests",
        with_tests.count()
    );
}

/// A sample of what was resolved, to be judged by eye.
fn sample(files: &Files, graph: &Graph, level: Confidence) {
    let sites: Vec<_> = files
        .definition_ids()
        .flat_map(|id| graph.uses_of(id).iter().map(move |site| (id, site)))
        .filter(|(_, site)| site.confidence == level)
        .collect();
    println!("a sample of the {} ones", level.name());
    let step = (sites.len() / 25).max(1);
    for (id, site) in sites.iter().skip(step / 2).step_by(step) {
        let line = files.text(site.file).lines().nth(site.line as usize - 1);
        println!(
            "  {}:{} | {} -> {}:{}",
            files.path(site.file),
            site.line,
            line.unwrap_or("").trim(),
            files.path(files.file_of(*id)),
            files.definition(*id).qualified_name
        );
    }
}

/// A sample of the references that lead nowhere although the repository's sources define their
/// name once or twice.
fn unresolved(files: &Files, symbols: &Symbols, graph: &Graph) {
    let resolved: BTreeSet<(u32, u32)> = files
        .definition_ids()
        .flat_map(|id| graph.uses_of(id))
        .map(|site| (site.file.0, site.reference))
        .collect();
    let mut lines = Vec::new();
    let mut all = 0;
    for id in files.ids() {
        let Some(content) = files.content(id) else {
            continue;
        };
        for (at, reference) in content.facts.references.iter().enumerate() {
            let named = symbols.named(reference.name.of(&content.text));
            let ours = named
                .iter()
                .filter(|d| files.file(files.file_of(**d)).role == foveate_model::Role::Source)
                .count();
            all += 1;
            if (1..3).contains(&ours) && !resolved.contains(&(id.0, at as u32)) {
                let line = content.text.lines().nth(reference.line as usize - 1);
                lines.push(format!(
                    "{}:{} {:?} {} | {}",
                    files.path(id),
                    reference.line,
                    reference.kind,
                    reference.path.of(&content.text),
                    line.unwrap_or("").trim()
                ));
            }
        }
    }
    println!(
        "{} of {all} references resolved; {} unresolved ones have one or two namesakes",
        resolved.len(),
        lines.len()
    );
    let step = (lines.len() / 60).max(1);
    for line in lines.iter().step_by(step) {
        println!("  {line}");
    }
}

/// First names of packages of the repository: directories with an `__init__.py` whose parent has
/// none, and the names of npm packages.
fn top_names(files: &Files) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files.as_slice() {
        let directory = file.path.directory();
        if file.path.file_name() == "__init__.py" {
            let above = directory.rsplit_once('/').map_or("", |(above, _)| above);
            if files.find(&format!("{above}/__init__.py")).is_none() {
                names.extend(directory.rsplit('/').next().map(String::from));
            }
        }
        if file.path.file_name() == "package.json"
            && let Some(content) = &file.content
            && let Ok(json) = serde_json::from_str::<serde_json::Value>(&content.text)
        {
            names.extend(json["name"].as_str().map(String::from));
        }
    }
    names
}

fn show(files: &Files, symbols: &Symbols, graph: &Graph, name: &str) {
    println!("\n== {name}");
    let describe = |id: DefId| {
        let definition = files.definition(id);
        format!(
            "{}:{} {} ({})",
            files.path(files.file_of(id)),
            definition.lines.start,
            definition.qualified_name,
            definition.kind.name()
        )
    };
    let mut ids = graph.resolve_dotted(files, symbols, name);
    println!(
        "as a dotted path: {:?}",
        ids.iter().map(|id| describe(*id)).collect::<Vec<_>>()
    );
    if ids.is_empty() {
        ids = symbols.qualified(name).iter().take(4).copied().collect();
    }
    for id in ids {
        println!("-- {}", describe(id));
        for level in [
            Confidence::Certain,
            Confidence::Likely,
            Confidence::NameOnly,
        ] {
            let sites: Vec<_> = graph
                .uses_of(id)
                .iter()
                .filter(|s| s.confidence == level)
                .collect();
            println!("  {} uses {}", sites.len(), level.name());
            let step = (sites.len() / 6).max(1);
            for site in sites.iter().step_by(step).take(6) {
                let line = files.text(site.file).lines().nth(site.line as usize - 1);
                println!(
                    "    {}:{} {}",
                    files.path(site.file),
                    site.line,
                    line.unwrap_or("").trim()
                );
            }
        }
        for base in graph.bases(id) {
            println!("  base {}", describe(*base));
        }
        println!("  {} subclasses", graph.subclasses(id).len());
        println!("  uses {} definitions", graph.used_by(id).len());
        for (test, link) in graph.tests_of(id).iter().take(5) {
            println!("  test {link:?} {}", describe(*test));
        }
        for (file, link) in graph.test_files_of(files.file_of(id)).iter().take(5) {
            println!("  test file {link:?} {}", files.path(*file));
        }
    }
}

fn walk(directory: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => walk(&path, paths),
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

fn read(root: &Path, path: &Path) -> Option<SourceFile> {
    let relative = path.strip_prefix(root).ok()?.to_str()?;
    let repo_path = RepoPath::new(relative).ok()?;
    let bytes = std::fs::read(path).ok()?;
    let by_name = foveate_parse::language_by_name(&repo_path);
    let (language, content) = foveate_parse::read(by_name, &bytes, &Limits::default());
    let (content, skipped) = match content {
        Ok(content) => (Some(std::sync::Arc::new(content)), None),
        Err(reason) => (None, Some(reason)),
    };
    let generated = content.as_ref().is_some_and(|c| c.facts.generated);
    Some(SourceFile {
        role: foveate_parse::role(&repo_path, language, generated),
        path: repo_path,
        blob: ObjectId::from_sha1([0; 20]),
        size: bytes.len() as u64,
        language,
        content,
        skipped,
    })
}

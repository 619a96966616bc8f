//! Measures a cold index of a real directory, each stage beside its lower bound, on the same cores in the same run:
//! `FOVEATE_BENCH_TREE=DIRECTORY cargo bench --bench tree`. It reads the files that the service would read: files whose
//! name marks them as binary or data are left out, and those larger than a megabyte. Without the variable it
//! measures nothing.

mod corpus;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use corpus::{file, revision, snapshot};
use divan::Bencher;
use divan::counter::BytesCount;
use foveate_index::lexical::Lexical;
use foveate_index::{Files, Graph, Messages, Snapshot, StoredIndex, Symbols};
use foveate_model::{RepoPath, SourceFile};
use rayon::prelude::*;

#[allow(clippy::print_stdout)] // The output is for the person who runs it.
fn main() {
    let texts = texts();
    if texts.is_empty() {
        println!("nothing to measure: FOVEATE_BENCH_TREE names no directory with text files");
        return;
    }
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    println!(
        "{} files, {bytes} bytes, {} threads",
        texts.len(),
        rayon::current_num_threads()
    );
    divan::main();
}

const LARGEST: usize = 1 << 20;

/// The directory, and the paths of its files below it.
static PATHS: LazyLock<(PathBuf, Vec<String>)> = LazyLock::new(|| {
    let root = std::env::var_os("FOVEATE_BENCH_TREE").map(PathBuf::from);
    let root = root.unwrap_or_default();
    let mut paths = Vec::new();
    if !root.as_os_str().is_empty() {
        walk(&root, &root, &mut paths);
    }
    paths.sort();
    (root, paths)
});

/// Paths and texts of the files.
static TEXTS: LazyLock<Vec<(String, String)>> = LazyLock::new(read);

fn texts() -> &'static [(String, String)] {
    &TEXTS
}

fn walk(root: &Path, directory: &Path, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => walk(root, &path, paths),
            Ok(kind) if kind.is_file() => {
                let below = path.strip_prefix(root).ok().and_then(Path::to_str);
                let below = below.and_then(|below| RepoPath::new(below).ok());
                let read = below.filter(|path| foveate_parse::skip_by_name(path).is_none());
                paths.extend(read.map(|path| path.as_str().to_owned()));
            }
            _ => {}
        }
    }
}

fn read() -> Vec<(String, String)> {
    let (root, paths) = &*PATHS;
    let text = |path: &String| {
        let text = std::fs::read_to_string(root.join(path)).ok()?;
        (text.len() <= LARGEST).then_some((path.clone(), text))
    };
    paths.par_iter().filter_map(text).collect()
}

fn bytes() -> BytesCount {
    BytesCount::new(texts().iter().map(|(_, text)| text.len()).sum::<usize>())
}

fn parsed(texts: &[(String, String)]) -> Vec<SourceFile> {
    let numbered = texts.par_iter().enumerate();
    let files = numbered.filter_map(|(number, text)| file(number, text));
    files.collect()
}

/// Lower bound of everything: reading the files.
#[divan::bench]
fn limit_reading(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(read);
}

/// Lower bound of parsing: tree-sitter alone, on the files with a grammar.
#[divan::bench]
fn limit_tree_sitter(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(|| {
        let parse = |(path, text): &(String, String)| {
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&grammar(path)?).ok()?;
            let tree = parser.parse(text, None)?;
            Some(tree.root_node().end_byte())
        };
        texts().par_iter().filter_map(parse).sum::<usize>()
    });
}

fn grammar(path: &str) -> Option<tree_sitter::Language> {
    let language = match foveate_parse::language_by_name(&RepoPath::new(path).ok()?)?.name() {
        "c" => tree_sitter_c::LANGUAGE,
        "cpp" => tree_sitter_cpp::LANGUAGE,
        "csharp" => tree_sitter_c_sharp::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "javascript" => tree_sitter_javascript::LANGUAGE,
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE,
        "php" => tree_sitter_php::LANGUAGE_PHP,
        "python" => tree_sitter_python::LANGUAGE,
        "ruby" => tree_sitter_ruby::LANGUAGE,
        "rust" => tree_sitter_rust::LANGUAGE,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        _ => return None,
    };
    Some(language.into())
}

/// Lower bound of the lexical index: splitting into terms alone.
#[divan::bench]
fn limit_terms(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(|| {
        let count = |(_, text): &(String, String)| {
            let mut terms = 0;
            foveate_index::tokens::for_each_term(text, |_| terms += 1);
            terms
        };
        texts().par_iter().map(count).sum::<usize>()
    });
}

/// Parsing to facts.
#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    bencher.counter(bytes()).bench(|| parsed(texts()));
}

/// The segments of the lexical index.
#[divan::bench]
fn lexical(bencher: Bencher<'_, '_>) {
    let files = Files::new(parsed(texts()));
    bencher.counter(bytes()).bench(|| Lexical::new(&files));
}

/// The symbol table.
#[divan::bench]
fn symbols(bencher: Bencher<'_, '_>) {
    let files = Files::new(parsed(texts()));
    bencher.bench(|| Symbols::new(&files));
}

/// The texts of errors and log calls.
#[divan::bench]
fn messages(bencher: Bencher<'_, '_>) {
    let files = Files::new(parsed(texts()));
    bencher.bench(|| Messages::new(&files));
}

/// The graph.
#[divan::bench]
fn graph(bencher: Bencher<'_, '_>) {
    let files = Files::new(parsed(texts()));
    let symbols = Symbols::new(&files);
    bencher.bench(|| Graph::new(&files, &symbols));
}

/// Everything that a snapshot holds, from parsed files.
#[divan::bench]
fn index(bencher: Bencher<'_, '_>) {
    let files = parsed(texts());
    bencher
        .with_inputs(|| files.clone())
        .bench_values(|files| snapshot(files, None));
}

/// Encoding the resolved references for storage.
#[divan::bench]
fn store_references(bencher: Bencher<'_, '_>) {
    let snapshot = snapshot(parsed(texts()), None);
    bencher.bench(|| snapshot.as_ref().map(|s| s.graph.stored_references()));
}

/// Like [`index`], from a stored index of the same files.
#[divan::bench]
fn restore(bencher: Bencher<'_, '_>) {
    let files = parsed(texts());
    let Some(stored) = snapshot(files.clone(), None).and_then(|s| stored(&s)) else {
        return;
    };
    bencher
        .with_inputs(|| files.clone())
        .bench_values(|files| Snapshot::restore(revision(), 1, files, None, &stored));
}

fn stored(snapshot: &Snapshot) -> Option<StoredIndex> {
    let segments = snapshot.segments().map(|segment| segment.encode(|_| true));
    Some(StoredIndex {
        segments: segments.collect::<Result<_, _>>().ok()?,
        references: snapshot.graph.stored_references(),
        commits: None,
    })
}

/// From disk to a snapshot, without past commits.
#[divan::bench]
fn cold(bencher: Bencher<'_, '_>) {
    bencher
        .counter(bytes())
        .bench(|| snapshot(parsed(&read()), None));
}

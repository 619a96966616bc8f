//! Measures the stages of the write path, each beside its lower bound: parsing alone and splitting into terms alone, on
//! the same cores, in the same run. `cargo bench --bench write`. `benches/save.py` measures how long a save takes in a
//! running service.

mod corpus;

use corpus::{file, files, snapshot, texts};
use divan::Bencher;
use divan::counter::BytesCount;
use foveate_index::lexical::Lexical;
use foveate_index::{Files, Graph, Messages, Symbols};
use rayon::prelude::*;

fn main() {
    divan::main();
}

/// Modules of the generated repository, each size four times the previous one: 60 modules have 0.3 MB.
const SIZES: [usize; 3] = [60, 240, 960];

fn bytes(texts: &[(String, String)]) -> BytesCount {
    BytesCount::new(texts.iter().map(|(_, text)| text.len()).sum::<usize>())
}

/// Lower bound of everything: tree-sitter alone, on all cores.
#[divan::bench(args = SIZES)]
fn limit_tree_sitter(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    bencher.counter(bytes(&texts)).bench(|| {
        let parse = |(_, text): &(String, String)| {
            let mut parser = tree_sitter::Parser::new();
            parser
                .set_language(&tree_sitter_python::LANGUAGE.into())
                .ok()?;
            let tree = parser.parse(text, None)?;
            Some(tree.root_node().end_byte())
        };
        texts.par_iter().filter_map(parse).sum::<usize>()
    });
}

/// Lower bound of the lexical index: splitting into terms alone, on all cores.
#[divan::bench(args = SIZES)]
fn limit_terms(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    bencher.counter(bytes(&texts)).bench(|| {
        let count = |(_, text): &(String, String)| {
            let mut terms = 0;
            foveate_index::tokens::for_each_term(text, |_| terms += 1);
            terms
        };
        texts.par_iter().map(count).sum::<usize>()
    });
}

/// Parsing to facts, on all cores.
#[divan::bench(args = SIZES)]
fn parse(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    bencher.counter(bytes(&texts)).bench(|| files(&texts));
}

/// The segments of the lexical index.
#[divan::bench(args = SIZES)]
fn lexical(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    let files = Files::new(files(&texts));
    bencher
        .counter(bytes(&texts))
        .bench(|| Lexical::new(&files));
}

/// The symbol table.
#[divan::bench(args = SIZES)]
fn symbols(bencher: Bencher<'_, '_>, modules: usize) {
    let files = Files::new(files(&texts(modules)));
    bencher.bench(|| Symbols::new(&files));
}

/// The texts of errors and log calls.
#[divan::bench(args = SIZES)]
fn messages(bencher: Bencher<'_, '_>, modules: usize) {
    let files = Files::new(files(&texts(modules)));
    bencher.bench(|| Messages::new(&files));
}

/// The graph.
#[divan::bench(args = SIZES)]
fn graph(bencher: Bencher<'_, '_>, modules: usize) {
    let files = Files::new(files(&texts(modules)));
    let symbols = Symbols::new(&files);
    bencher.bench(|| Graph::new(&files, &symbols));
}

/// Everything that a snapshot holds, including the lexical index, from parsed files.
#[divan::bench(args = SIZES)]
fn index(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    let files = files(&texts);
    bencher
        .counter(bytes(&texts))
        .with_inputs(|| files.clone())
        .bench_values(|files| snapshot(files, None));
}

/// A repository from scratch: parsed and indexed.
#[divan::bench(args = SIZES)]
fn cold(bencher: Bencher<'_, '_>, modules: usize) {
    let texts = texts(modules);
    bencher
        .counter(bytes(&texts))
        .bench(|| snapshot(files(&texts), None));
}

/// Measures the change that `edit` makes to the texts, given the previous snapshot. The changed files are parsed
/// again.
fn derive(bencher: Bencher<'_, '_>, modules: usize, edit: impl Fn(&mut Vec<(String, String)>)) {
    let before = texts(modules);
    let mut after = before.clone();
    edit(&mut after);
    let parsed = files(&before);
    let Some(previous) = snapshot(parsed.clone(), None) else {
        return;
    };
    bencher.bench(|| {
        let changed = after
            .iter()
            .enumerate()
            .filter(|(n, text)| before.get(*n) != Some(text));
        let mut now = parsed.clone();
        now.truncate(after.len());
        for (number, text) in changed {
            let file = file(modules + number, text)?;
            match now.get_mut(number) {
                Some(known) => *known = file,
                None => now.push(file),
            }
        }
        snapshot(now, Some(&previous))
    });
}

/// One more line inside a function.
#[divan::bench(args = SIZES)]
fn derive_body(bencher: Bencher<'_, '_>, modules: usize) {
    derive(bencher, modules, |texts| {
        let text = &mut texts[modules / 2].1;
        *text = text.replacen("        return", "        self.close()\n        return", 1);
    });
}

/// One more function at the end of a file.
#[divan::bench(args = SIZES)]
fn derive_function(bencher: Bencher<'_, '_>, modules: usize) {
    derive(bencher, modules, |texts| {
        texts[modules / 2].1 += "\n\ndef added_function(value):\n    return value\n";
    });
}

/// One more file: all files after it are renumbered.
#[divan::bench(args = SIZES)]
fn derive_file(bencher: Bencher<'_, '_>, modules: usize) {
    derive(bencher, modules, |texts| {
        texts.push((
            "shop/added.py".to_owned(),
            "def added_function(value):\n    return value\n".to_owned(),
        ));
    });
}

/// Another commit: one file in twenty is changed, and one is deleted.
#[divan::bench(args = SIZES)]
fn derive_commit(bencher: Bencher<'_, '_>, modules: usize) {
    derive(bencher, modules, |texts| {
        for (_, text) in texts.iter_mut().step_by(20) {
            *text = text.replacen("def ", "def renamed_", 1);
        }
        texts.pop();
    });
}

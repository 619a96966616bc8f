//! Generates the repository of the benchmarks: the same text in every run.

#![allow(dead_code)] // Each benchmark uses a part of it.

use std::fmt::Write as _;
use std::sync::Arc;

use foveate_index::{Revision, Snapshot};
use foveate_model::{ObjectId, RepoPath, SourceFile};
use foveate_parse::Limits;
use rayon::prelude::*;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const NOUNS: [&str; 12] = [
    "order", "invoice", "customer", "session", "token", "template", "field", "query", "cache",
    "schedule", "report", "payment",
];
const VERBS: [&str; 10] = [
    "load", "store", "render", "validate", "merge", "split", "cancel", "resolve", "format", "parse",
];

/// Returns paths and texts of the given number of modules.
pub fn texts(modules: usize) -> Vec<(String, String)> {
    (0..modules).map(module).collect()
}

/// Generates a module with one class, a method per verb that calls another module's function, and a function per noun.
fn module(number: usize) -> (String, String) {
    let noun = NOUNS[number % NOUNS.len()];
    let other = NOUNS[(number * 7 + 3) % NOUNS.len()];
    let class = format!("{}{}{number}", &noun[..1].to_uppercase(), &noun[1..]);
    let neighbour = number / 2;
    let mut text = format!(
        "\"\"\"Everything about the {noun} and its {other}.\"\"\"\n\n\
         from shop.{}.module_{neighbour} import {}_of_{neighbour}\n\n\n\
         class {class}:\n    \"\"\"One {noun}, with its {other}.\"\"\"\n\n",
        NOUNS[neighbour % NOUNS.len()],
        NOUNS[0],
    );
    for (position, verb) in VERBS.iter().enumerate() {
        let subject = NOUNS[(number + position) % NOUNS.len()];
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "    def {verb}_{subject}(self, {other}, limit={position}):\n        \
             \"\"\"The {subject} of a {other}, to {verb} it at most limit times.\"\"\"\n        \
             if {other}.closed:\n            \
             raise ValueError(\"cannot {verb} the {subject} of a closed {noun}\")\n        \
             for entry in self.{subject}_entries[:limit]:\n            \
             entry.{verb}({other}, {number})\n        \
             return {}_of_{neighbour}(self, limit)\n\n",
            NOUNS[0],
        );
    }
    for noun in NOUNS {
        let _ = write!(
            text,
            "\ndef {noun}_of_{number}({noun}, limit):\n    \
             result = {class}().{}_{noun}({noun}, limit)\n    \
             return result or [{noun}] * {number}\n\n",
            VERBS[number % VERBS.len()],
        );
    }
    (format!("shop/{noun}/module_{number}.py"), text)
}

/// Parses texts to files, on all cores.
pub fn files(texts: &[(String, String)]) -> Vec<SourceFile> {
    let numbered = texts.par_iter().enumerate();
    numbered
        .filter_map(|(number, text)| file(number, text))
        .collect()
}

/// Parses one file; `number` serves as its blob id.
pub fn file(number: usize, (path, text): &(String, String)) -> Option<SourceFile> {
    let path = RepoPath::new(path).ok()?;
    let named = foveate_parse::language_by_name(&path);
    let (language, content) = foveate_parse::read(named, text.as_bytes(), &Limits::default());
    let role = foveate_parse::role(&path, language, false);
    let purpose = foveate_parse::purpose(&path, role, text);
    let mut digest = [0; 20];
    digest[..8].copy_from_slice(&(number as u64).to_be_bytes());
    Some(SourceFile {
        path,
        blob: ObjectId::from_sha1(digest),
        size: text.len() as u64,
        language,
        role,
        purpose,
        content: Some(Arc::new(content.ok()?)),
        skipped: None,
    })
}

pub fn snapshot(files: Vec<SourceFile>, previous: Option<&Snapshot>) -> Option<Snapshot> {
    Snapshot::build(revision(), 1, files, None, previous).ok()
}

pub fn revision() -> Revision {
    Revision::of_commit(String::new())
}

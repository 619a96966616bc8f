//! Tests that a snapshot derived from an earlier one equals a rebuild from nothing, over random edits.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foveate_fixture::snapshot::lexical_weights;
use foveate_index::lexical::{Hits, QueryTerm};
use foveate_index::{DefId, Revision, Snapshot};
use foveate_model::Touched;
use foveate_model::{
    Commit, Content, History, Lines, ObjectId, Purpose, RepoPath, SourceFile, Span,
};
use proptest::prelude::*;

type Tree = BTreeMap<String, Arc<Content>>;

fn content(path: &str, text: &str) -> Arc<Content> {
    let path = RepoPath::new(path).unwrap();
    let by_name = foveate_parse::language_by_name(&path);
    let (_, content) =
        foveate_parse::read(by_name, text.as_bytes(), &foveate_parse::Limits::default());
    Arc::new(content.unwrap())
}

fn files(tree: &Tree) -> Vec<SourceFile> {
    tree.iter()
        .map(|(path, content)| {
            let path = RepoPath::new(path).unwrap();
            let language = content.facts.language;
            SourceFile {
                purpose: Purpose::default(),
                blob: ObjectId::from_sha1([0; 20]),
                size: content.text.len() as u64,
                role: foveate_parse::role(&path, language, false),
                language,
                content: Some(content.clone()),
                skipped: None,
                path,
            }
        })
        .collect()
}

fn commit(message: &str, paths: &[&str]) -> Commit {
    let touched = |path: &&str| Touched {
        path: RepoPath::new(path).unwrap(),
        functions: Vec::new(),
    };
    Commit {
        id: ObjectId::from_sha1([0; 20]),
        message: message.to_owned(),
        is_bot: false,
        touched: paths.iter().map(touched).collect(),
    }
}

fn build(tree: &Tree, previous: Option<&Snapshot>) -> Snapshot {
    let revision = Revision {
        commit: String::new(),
        dirty: true,
    };
    let history = History {
        commits: vec![
            commit("connect the client to the pool", &["m1.py", "gone.py"]),
            commit("value of the pool", &["m2.py"]),
        ],
    };
    Snapshot::build(revision, 1, files(tree), Some(Arc::new(history)), previous).unwrap()
}

fn search(snapshot: &Snapshot) -> Hits {
    search_weighted(snapshot, 1.0)
}

fn search_weighted(snapshot: &Snapshot, file: f32) -> Hits {
    let terms: Vec<QueryTerm> = ["client", "connect", "m1", "pool", "valu"]
        .iter()
        .map(|term| QueryTerm {
            term: (*term).to_owned(),
            file,
            chunk: 1.0,
            title: 0.5,
            code: 0.5,
        })
        .collect();
    let weights = lexical_weights();
    snapshot.lexical.search(&terms, &weights, &|| true).unwrap()
}

/// Returns everything that a reader can observe.
fn observe(snapshot: &Snapshot) -> (Hits, Vec<String>, Vec<Vec<String>>) {
    let name = |id: DefId| {
        let files = &snapshot.files;
        format!(
            "{}:{}",
            files.path(id.file),
            files.definition(id).qualified_name
        )
    };
    let symbols = ["connect", "Client", "value"]
        .iter()
        .flat_map(|n| snapshot.symbols.named(n))
        .map(|id| name(*id))
        .collect();
    let uses = snapshot
        .files
        .definition_ids()
        .map(|id| {
            snapshot
                .graph
                .uses_of(id)
                .iter()
                .map(|site| {
                    format!(
                        "{}:{}:{:?}",
                        snapshot.files.path(site.file),
                        site.line,
                        site.confidence
                    )
                })
                .collect()
        })
        .collect();
    (search(snapshot), symbols, uses)
}

fn body() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "import m1\nfrom m2 import connect\n",
            "def connect(pool):\n    \"\"\"Connect the client.\"\"\"\n    return pool.value\n",
            "class Client:\n    def connect(self):\n        return connect(self)\n",
            "value = 3  # the value of the pool\n",
            "def run():\n    raise ValueError('the pool has no client')\n",
        ]),
        1..6,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn derived_equals_rebuilt(
        start in prop::collection::btree_map(0u8..12, body(), 0..8),
        edits in prop::collection::vec((0u8..12, prop::option::of(body())), 1..10),
    ) {
        let mut tree: Tree = start
            .iter()
            .map(|(n, text)| (format!("m{n}.py"), content("x.py", text)))
            .collect();
        let mut snapshot = build(&tree, None);
        for (n, text) in edits {
            let path = format!("m{n}.py");
            match text {
                Some(text) => { tree.insert(path, content("x.py", &text)); }
                None => { tree.remove(&path); }
            }
            snapshot = build(&tree, Some(&snapshot));
            let rebuilt = build(&tree, None);
            prop_assert_eq!(observe(&snapshot), observe(&rebuilt));
        }
    }
}

/// Returns a file of 25 kB of which little is words.
fn large_file(number: usize) -> (String, Arc<Content>) {
    let filling = format!("{}\n", "-".repeat(99)).repeat(250);
    let text = format!("pool {number}\n{filling}");
    let path = format!("m{number:03}.txt");
    let content = content(&path, &text);
    (path, content)
}

#[test]
fn edits_keep_the_segments_of_a_cold_build_by_many_threads() {
    const THREADS: usize = 8;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build();
    let ids = |snapshot: &Snapshot| -> BTreeSet<String> {
        let ids = snapshot.segments().map(|segment| segment.id().to_owned());
        ids.collect()
    };
    pool.unwrap().install(|| {
        let mut tree: Tree = (0..400).map(large_file).collect();
        let mut snapshot = build(&tree, None);
        let cold = ids(&snapshot);
        assert_eq!(cold.len(), THREADS);
        for edit in 0..3 * THREADS {
            let path = format!("m{:03}.txt", 16 * edit);
            let text = format!("client {edit}\n");
            tree.insert(path.clone(), content(&path, &text));
            snapshot = build(&tree, Some(&snapshot));
            assert!(ids(&snapshot).is_superset(&cold), "edit {edit}");
            let segments = snapshot.lexical.segment_count();
            assert!(segments <= 2 * THREADS + 1, "{segments} after edit {edit}");
        }
    });
}

#[test]
fn dotted_names_without_a_parent_are_found_by_qualified_name() {
    let tree: Tree = [
        ("pool.js", "Pool.acquire = function () { return 1; };\n"),
        ("types.ts", "namespace A.B { export const x = 1; }\n"),
    ]
    .map(|(path, text)| (path.to_owned(), content(path, text)))
    .into();
    let snapshot = build(&tree, None);
    for name in ["Pool.acquire", "A.B"] {
        let found = snapshot.symbols.qualified(name).iter();
        let found: Vec<_> = found
            .map(|id| &*snapshot.files.definition(*id).qualified_name)
            .collect();
        assert_eq!(found, [name]);
    }
}

#[test]
fn cached_scores_do_not_affect_other_searches() {
    let tree: Tree = [
        (
            "m1.py",
            "class Client:\n    def connect(self):\n        return self.pool\n",
        ),
        ("m2.py", "def value():\n    return connect().value\n"),
    ]
    .map(|(path, text)| (path.to_owned(), content(path, text)))
    .into();
    let searched = build(&tree, None);
    search_weighted(&searched, 3.0);
    assert!(searched.lexical.cache_bytes() > 0);
    assert_eq!(search(&searched), search(&build(&tree, None)));
}

#[test]
fn chunk_belongs_to_unit_of_its_definition() {
    let text = "import os\n\n\nclass Client:\n    pool = 1\n\n    def connect(self):\n        return os\n\n\ndef value():\n    return 1\n";
    let tree: Tree = [("m1.py".to_owned(), content("m1.py", text))].into();
    let files = build(&tree, None).files;
    let file = files.find("m1.py").unwrap();
    let units = files.units_of(file);
    let found = files.chunk_units(file);
    let found: Vec<_> = found
        .map(|at| Some(DefId::new(file, units[at?].local)))
        .collect();
    let expected = files.chunks_of(file).map(|chunk| {
        let definition = files.chunk_definition(chunk)?;
        files.unit_of(definition)
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
    assert_eq!(found.iter().flatten().count(), 2, "{found:?}");
}

#[test]
fn line_spans_match_counting_from_file_start() {
    let code = "import os\n\n\ndef first():\n    return 1\n\n\nclass Second:\n    \"\"\"Two.\"\"\"\n\n    a = 1\n\n    def third(self):\n        return 3\n";
    for text in [code, code.trim_end(), "", "\n", "one line", "\n\n\n"] {
        let tree = Tree::from([("m.py".to_owned(), content("m.py", text))]);
        let files = build(&tree, None).files;
        let file = files.find("m.py").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for first in 1..=lines.len() {
            for last in first..=lines.len() {
                let span = files.lines_span(file, Lines::new(first as u32, last as u32));
                let expected = lines[first - 1..last].join("\n");
                assert_eq!(span.of(text), expected, "{first}-{last} of {text:?}");
            }
        }
        let beyond = lines.len() as u32 + 2;
        let span = files.lines_span(file, Lines::new(beyond, beyond));
        assert_eq!(span, Span::new(text.len(), text.len()));
    }
}

#[test]
fn other_names_follow_edits_and_moves() {
    let rest: String = (0..20)
        .map(|number| format!("def part_{number}():\n    pass\n"))
        .collect();
    let component = "<script setup>\nconst size = 1;\n</script>\n";
    let tree = |path: &str, pool: &str| -> Tree {
        [
            ("m1.py", rest.as_str()),
            (path, component),
            ("src/pool.js", pool),
        ]
        .map(|(path, text)| (path.to_owned(), content(path, text)))
        .into()
    };
    let first = tree(
        "src/Card.vue",
        "function open() {}\nexport { open as connect };\n",
    );
    let later = tree(
        "src/Row.vue",
        "const size = 1;\nfunction open() {}\nexport { open as link };\n",
    );
    let known = |snapshot: &Snapshot| -> Vec<String> {
        let names = ["Card", "Row", "connect", "link"].into_iter();
        let found = names.flat_map(|name| snapshot.symbols.also_named(name));
        let described = found.map(|id| {
            let name = &snapshot.files.definition(*id).name;
            format!("{}:{name}", snapshot.files.path(id.file))
        });
        described.collect()
    };
    let before = build(&first, None);
    assert_eq!(known(&before), ["src/Card.vue:default", "src/pool.js:open"]);
    for previous in [None, Some(&before)] {
        let now = build(&later, previous);
        assert_eq!(known(&now), ["src/Row.vue:default", "src/pool.js:open"]);
    }
}

#[test]
fn names_of_reexports_follow_edits_and_moves() {
    let rest: String = (0..20)
        .map(|number| format!("def part_{number}():\n    pass\n"))
        .collect();
    let tree = |path: &str, exports: &str| -> Tree {
        [
            ("m1.py", rest.as_str()),
            ("src/pool.js", "export function open() {}\n"),
            (path, exports),
        ]
        .map(|(path, text)| (path.to_owned(), content(path, text)))
        .into()
    };
    let first = tree(
        "src/index.js",
        "export { open as connect } from './pool';\n",
    );
    let later = tree(
        "src/all.js",
        "import { open as start } from './pool';\nexport { start as link };\n",
    );
    let known = |snapshot: &Snapshot| -> Vec<String> {
        let Snapshot {
            files,
            symbols,
            graph,
            ..
        } = snapshot;
        let mut known = Vec::new();
        for name in ["open", "connect", "start", "link"] {
            for id in graph.reexported(files, symbols, name) {
                let path = files.path(id.file);
                known.push(format!("{name} {path}:{}", files.definition(id).name));
            }
        }
        known
    };
    let before = build(&first, None);
    assert_eq!(known(&before), ["connect src/pool.js:open"]);
    for previous in [None, Some(&before)] {
        let now = build(&later, previous);
        assert_eq!(known(&now), ["link src/pool.js:open"]);
    }
}

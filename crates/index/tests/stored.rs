//! Tests that stored data round-trips: facts, segments and references.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::sync::Arc;
use std::time::{Duration, Instant};

use foveate_fixture::snapshot::lexical_weights;
use foveate_index::graph::stored::table;
use foveate_index::lexical::{Hits, QueryTerm};
use foveate_index::stored::bytes::Encoder;
use foveate_index::stored::facts;
use foveate_index::{Revision, Snapshot, StoredIndex};
use foveate_model::{
    Content, FileFacts, Language, Lines, LocalId, ObjectId, ParseIssue, RepoPath, SkipReason,
    SourceFile, Span,
};
use foveate_parse::Limits;

fn language(name: &str) -> Language {
    foveate_parse::languages::by_name(name).unwrap()
}

const PYTHON: &str = "'''Doc.'''\nimport a.b as c\nfrom . import d as e\nif TYPE_CHECKING:\n    from f import g\n\n@deco(1)\nclass A(B, c.D):\n    '''Größe.'''\n    x: int = 1\n    @property\n    def _p(self, q, *args): return self.x().y\n    async def m(self):\n        import late\n        raise E('no way')\n\n# above\ntry:\n    pass\nexcept (E, c.F) as g:\n    log.info('hé %s', g)\n__all__ = ['A']\n";
const TSX: &str = "/** Doc. */\nimport a, { b as c } from './d';\nexport * as e from 'f';\nimport type { T } from './t';\nconst { g } = require('j');\nexport default abstract class K<T> extends B<T> implements I {\n  static #x = 1;\n  constructor(private y: Y) { super(); }\n  over(a: string): void;\n  over(a: any) { throw new M(`n ${a}`); }\n}\nexport const enum O { P }\nexport { g as h };\nconst V = () => <ns.Item on={go}>Hé<Child /></ns.Item>;\n";
const KOTLIN: &str = "fun f() {\n    val a = b().c().d()\n    for (e in b().c().d()) e.g()\n    if (a is A) a.h()\n}\n";
const BROKEN: &str = "def (:\n  class\n)))) x.y(z\n";
const PROSE: &str = "# Title\n\nSome words.\n";

fn read(named: Option<Language>, text: &str) -> (Language, Result<Content, SkipReason>) {
    foveate_parse::read(named, text.as_bytes(), &Limits::default())
}

#[test]
fn facts_round_trip() {
    let long = format!("x = [{}]", "1,".repeat(9_000));
    for (named, text) in [
        (Some(language("python")), PYTHON),
        (Some(language("tsx")), TSX),
        (Some(language("kotlin")), KOTLIN),
        (Some(language("javascript")), BROKEN),
        (Some(language("markdown")), PROSE),
        (None, "#!/usr/bin/env python3\nprint(1)\n"),
        (None, ""),
        (None, "\0"),
        (Some(language("python")), &long),
    ] {
        let (language, content) = read(named, text);
        let bytes = facts::encode(language, content.as_ref()).unwrap();
        let back = facts::decode(&bytes, foveate_parse::languages::by_code).unwrap();
        assert_eq!(format!("{back:?}"), format!("{:?}", (language, content)));
        for end in 0..bytes.len() {
            assert!(
                facts::decode(&bytes[..end], foveate_parse::languages::by_code).is_none(),
                "cut at {end}"
            );
        }
    }
}

/// What a parser process with damaged memory may send.
#[test]
fn facts_with_bad_ids_and_spans_are_refused() {
    let text = format!("{PYTHON}def f(p: A) -> A:\n    q = p\n    return g().h()\nv = A()\n");
    type Edit = fn(&mut FileFacts);
    let decoded = |edit: Edit| {
        let (language, content) = read(Some(language("python")), &text);
        let mut content = content.unwrap();
        edit(&mut content.facts);
        let bytes = facts::encode(language, Ok(&content)).unwrap();
        facts::decode(&bytes, foveate_parse::languages::by_code)
    };
    assert!(decoded(|_| {}).is_some());
    let edits: [(&str, Edit); 16] = [
        ("own parent", |f| f.definitions[1].parent = OWN),
        ("cycle", |f| {
            f.definitions[0].parent = Some(LocalId(1));
            f.definitions[1].parent = Some(LocalId(0));
        }),
        ("parent", |f| f.definitions[1].parent = NONE),
        ("reference", |f| f.references[0].enclosing = NONE),
        ("import", |f| f.imports[0].enclosing = NONE),
        ("message", |f| f.messages[0].enclosing = NONE),
        ("chunk", |f| f.chunks[0].definition = NONE),
        ("local", |f| f.values.locals[0].function = NONE),
        ("parameter", |f| f.values.parameters[0].function = FAR),
        ("type", |f| f.values.types[0].definition = FAR),
        ("held value", |f| f.values.held[0].definition = FAR),
        ("receiver", |f| f.values.receivers[0].reference = FAR.0),
        ("span", |f| {
            f.definitions[0].span = Span { start: 2, end: 1 }
        }),
        ("region", |f| f.regions[0].span = Span { start: 2, end: 1 }),
        ("lines", |f| f.chunks[0].lines = Lines { start: 2, end: 1 }),
        ("all lines", |f| {
            f.chunks[0].lines = Lines {
                start: 0,
                end: u32::MAX,
            };
        }),
    ];
    for (name, edit) in edits {
        assert!(decoded(edit).is_none(), "{name}");
    }
}

const FAR: LocalId = LocalId(1_000);
const NONE: Option<LocalId> = Some(FAR);
const OWN: Option<LocalId> = Some(LocalId(1));

#[test]
fn unreproducible_results_are_not_stored() {
    let limits = Limits {
        timeout: Duration::ZERO,
        ..Limits::default()
    };
    let text = PYTHON.repeat(200);
    let (language, content) =
        foveate_parse::read(Some(language("python")), text.as_bytes(), &limits);
    let content = content.unwrap();
    assert_eq!(content.facts.issues, [ParseIssue::Timeout]);
    assert!(facts::encode(language, Ok(&content)).is_none());
    for reason in [
        SkipReason::Unreadable("no permission".to_owned()),
        SkipReason::TooLarge { bytes: 2, limit: 1 },
        SkipReason::Symlink,
    ] {
        assert!(facts::encode(Language::TEXT, Err(&reason)).is_none());
    }
}

/// Returns the files of a tree; the id of a blob is derived from its text.
fn files(tree: &[(&str, &str)]) -> Vec<SourceFile> {
    let file = |(path, text): &(&str, &str)| {
        let (language, content) = read(Some(language("python")), text);
        let sum = text
            .bytes()
            .fold(7_u8, |sum, byte| sum.rotate_left(3) ^ byte);
        SourceFile {
            path: RepoPath::new(path).unwrap(),
            blob: ObjectId::from_sha1([sum; 20]),
            size: text.len() as u64,
            language,
            role: foveate_model::Role::Source,
            purpose: foveate_model::Purpose::default(),
            content: Some(Arc::new(content.unwrap())),
            skipped: None,
        }
    };
    tree.iter().map(file).collect()
}

fn revision() -> Revision {
    Revision {
        commit: String::new(),
        dirty: true,
    }
}

fn search(snapshot: &Snapshot) -> Hits {
    let terms = ["deco", "way", "connect", "client", "new"].map(|term| QueryTerm {
        term: term.to_owned(),
        file: 1.0,
        chunk: 1.0,
        title: 0.5,
        code: 0.5,
    });
    let weights = lexical_weights();
    snapshot.lexical.search(&terms, &weights, &|| true).unwrap()
}

const CLIENT: &str = "class Client:\n    def connect(self):\n        return connect(self)\n";
const FIRST: [(&str, &str); 3] = [("a.py", PYTHON), ("b.py", CLIENT), ("c.py", BROKEN)];

fn stored(tree: &[(&str, &str)]) -> Vec<Vec<u8>> {
    let snapshot = Snapshot::build(revision(), 1, files(tree), None, None).unwrap();
    let segments = snapshot.segments();
    segments
        .map(|segment| segment.encode(|_| true).unwrap())
        .collect()
}

fn restore(tree: &[(&str, &str)], segments: &[Vec<u8>], references: &[Vec<u8>]) -> Snapshot {
    let stored = StoredIndex {
        segments: segments.to_vec(),
        references: references.to_vec(),
        commits: None,
    };
    Snapshot::restore(revision(), 1, files(tree), None, &stored).unwrap()
}

#[test]
fn restored_snapshot_equals_built_one() {
    let segments = stored(&FIRST);
    assert!(!segments.is_empty());
    let trees: [&[(&str, &str)]; 5] = [
        &FIRST,
        // Files changed, moved, removed, added, and all replaced.
        &[
            ("a.py", PYTHON),
            ("b.py", "def new():\n    pass\n"),
            ("c.py", BROKEN),
        ],
        &[("a.py", PYTHON), ("z/b.py", CLIENT), ("c.py", BROKEN)],
        &[("b.py", CLIENT), ("new.py", "new = 1\n")],
        &[("new.py", "new = 1\n")],
    ];
    for tree in trees {
        let restored = restore(tree, &segments, &[]);
        let built = Snapshot::build(revision(), 1, files(tree), None, None).unwrap();
        assert_eq!(search(&restored), search(&built), "{tree:?}");
    }
}

#[test]
fn stored_segments_are_reused_with_their_ids() {
    let snapshot = Snapshot::build(revision(), 1, files(&FIRST), None, None).unwrap();
    let names = |snapshot: &Snapshot| -> Vec<String> {
        snapshot
            .segments()
            .map(|segment| segment.id().to_owned())
            .collect()
    };
    let restore = |segments: &[Vec<u8>]| restore(&FIRST, segments, &[]);
    let segments: Vec<_> = snapshot.segments().collect();
    let whole: Vec<_> = segments
        .iter()
        .map(|s| s.encode(|_| true).unwrap())
        .collect();
    assert_eq!(names(&restore(&whole)), names(&snapshot));
    // Contents that are not stored may differ the next time.
    let none: Vec<_> = segments
        .iter()
        .map(|s| s.encode(|_| false).unwrap())
        .collect();
    assert_ne!(names(&restore(&none)), names(&snapshot));
}

#[test]
fn damaged_segments_are_ignored() {
    let segments = stored(&FIRST);
    let built = Snapshot::build(revision(), 1, files(&FIRST), None, None).unwrap();
    for end in (0..segments[0].len()).step_by(97) {
        let cut = vec![segments[0][..end].to_vec()];
        let restored = restore(&FIRST, &cut, &[]);
        assert_eq!(search(&restored), search(&built), "cut at {end}");
    }
}

/// Tantivy does not expect damaged files of its own; the caller has a checksum for them.
#[test]
fn segment_with_flipped_bytes_is_ignored_or_consistent() {
    let built = Snapshot::build(revision(), 1, files(&FIRST), None, None).unwrap();
    let segment = built.segments().next().unwrap();
    let bytes = segment.encode(|_| true).unwrap();
    let id = segment.id().as_bytes();
    let head = bytes.windows(id.len()).position(|window| window == id);
    for at in 0..head.unwrap() {
        let mut other = bytes.clone();
        other[at] ^= 0x55;
        search(&restore(&FIRST, &[other], &[]));
    }
}

#[test]
fn number_of_documents_is_bounded_by_the_bytes() {
    // All documents, not only those of one file.
    for (files, documents) in [(1_u32, u32::MAX), (10_000, 50_000)] {
        let mut bytes = Encoder::default();
        bytes.number(files);
        for file in 0..files {
            bytes.text(&format!("{file}.py"));
            bytes.bytes(&[]);
            bytes.number(documents);
        }
        let started = Instant::now();
        search(&restore(&FIRST, &[bytes.into_bytes()], &[]));
        assert!(started.elapsed() < Duration::from_secs(10), "{files}");
    }
}

#[test]
fn replaced_content_is_dropped_while_its_segment_is_shared() {
    let first = files(&FIRST);
    let replaced = Arc::downgrade(first[1].content.as_ref().unwrap());
    let before = Snapshot::build(revision(), 1, first, None, None).unwrap();
    let edited = [
        ("a.py", PYTHON),
        ("b.py", "def new():\n    pass\n"),
        ("c.py", BROKEN),
    ];
    let mut now = files(&edited);
    for at in [0, 2] {
        now[at].content = before.files.as_slice()[at].content.clone();
    }
    let after = Snapshot::build(revision(), 2, now, None, Some(&before)).unwrap();
    let ids = |snapshot: &Snapshot| -> Vec<String> {
        let ids = snapshot.segments().map(|segment| segment.id().to_owned());
        ids.collect()
    };
    assert!(ids(&after).contains(&ids(&before)[0]), "it is used again");
    assert!(replaced.upgrade().is_some());
    drop(before);
    assert!(replaced.upgrade().is_none());
}

/// Returns a tree of more files than one part of the references holds; the last file calls `called`.
fn callers(called: &str) -> Vec<(String, String)> {
    let client = (
        "client.py".to_owned(),
        CLIENT.to_owned() + "def other():\n    pass\n",
    );
    let caller = |number: usize| {
        let text =
            format!("from client import Client\n\ndef f{number}():\n    Client().connect()\n");
        (format!("m{number:03}.py"), text)
    };
    let last = format!("from client import Client, other\n\ndef last():\n    {called}()\n");
    std::iter::once(client)
        .chain((0..130).map(caller))
        .chain([("z.py".to_owned(), last)])
        .collect()
}

fn borrowed(tree: &[(String, String)]) -> Vec<(&str, &str)> {
    tree.iter().map(|(path, text)| (&**path, &**text)).collect()
}

/// Returns the names of the definitions that the last function refers to, and the number of uses of
/// `Client.connect`.
fn references(snapshot: &Snapshot) -> (Vec<String>, usize) {
    let (files, graph) = (&snapshot.files, &snapshot.graph);
    let last = snapshot.symbols.named("last")[0];
    let used = graph.used_by(last).iter();
    let used = used.map(|(id, _)| files.definition(*id).qualified_name.to_string());
    let connect = snapshot.symbols.qualified("Client.connect")[0];
    (used.collect(), graph.uses_of(connect).len())
}

#[test]
fn stored_references_are_read_only_for_the_same_file_table() {
    let (tree, other) = (callers("Client"), callers("other"));
    let (tree, other) = (borrowed(&tree), borrowed(&other));
    let built = Snapshot::build(revision(), 1, files(&tree), None, None).unwrap();
    let parts = built.graph.stored_references();
    assert_eq!(parts.len(), 132_usize.div_ceil(64));
    let expected = (vec!["Client".to_owned()], 130);
    assert_eq!(references(&built), expected);
    assert_eq!(references(&restore(&tree, &[], &parts)), expected);
    // Stored references are not resolved again: other files with the same positions get the same targets.
    assert_eq!(references(&restore(&other, &[], &[])).0, ["other"]);
    assert_eq!(references(&restore(&other, &[], &parts)).0, ["Client"]);
    // Therefore they are stored under a key that identifies exactly these files.
    let mut tables: Vec<Vec<u8>> = [&tree, &other].iter().map(|t| table(&files(t))).collect();
    let change = |edit: fn(&mut SourceFile)| {
        let mut files = files(&tree);
        edit(&mut files[0]);
        table(&files)
    };
    tables.extend([
        change(|file| file.path = RepoPath::new("b.py").unwrap()),
        change(|file| file.language = Language::TEXT),
        change(|file| file.role = foveate_model::Role::Test),
        change(|file| file.content = None),
    ]);
    for (at, one) in tables.iter().enumerate() {
        assert!(!tables[..at].contains(one), "{at}");
    }
    let mut reversed = files(&tree);
    reversed.reverse();
    assert_eq!(table(&reversed), tables[0], "the order does not count");
}

#[test]
fn damaged_references_are_resolved_again() {
    let tree = callers("Client");
    let tree = borrowed(&tree);
    let built = Snapshot::build(revision(), 1, files(&tree), None, None).unwrap();
    let (parts, expected) = (built.graph.stored_references(), references(&built));
    let check = |parts: &[Vec<u8>]| {
        assert_eq!(references(&restore(&tree, &[], parts)), expected);
    };
    for at in (0..parts[1].len()).step_by(41) {
        let mut cut = parts.clone();
        cut[1].truncate(at);
        check(&cut);
    }
    check(&parts[1..]);
    check(&[parts.clone(), parts.clone()].concat());
    // A tree without the definitions and references in the parts.
    let small: Vec<_> = tree
        .iter()
        .map(|(path, _)| (*path, "def last(): pass\n"))
        .collect();
    let restored = restore(&small, &[], &parts);
    assert_eq!(
        restored.graph.used_by(restored.symbols.named("last")[0]),
        []
    );
}

//! What the names of a query resolve to, and how each was found.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::sync::Arc;

use foveate_index::{Revision, Snapshot};
use foveate_model::{ObjectId, RepoPath, SourceFile};
use foveate_query::resolve::{Candidates, resolve};
use foveate_query::text::QueryText;
use foveate_query::{Focus, RankingConfig};

const LIBRARY: &str = "
    //- lib/__init__.py
    from .store import Store as Depot

    //- lib/store.py
    class Store:
        def bulk_create(self, rows):
            return len(rows)

        def get(self, key):
            return key


    def open_store(path):
        raise OSError('no store here')

    //- lib/views.py
    def max_length(text):
        return len(text)


    def show(request):
        return max_length(request)

    //- tests/test_store.py
    from lib import Depot


    def open_store(path):
        return Depot()
";

fn snapshot(text: &str, more: &[(String, String)]) -> Snapshot {
    let limits = foveate_parse::Limits::default();
    let fixture = foveate_fixture::repository(text)
        .into_iter()
        .map(|file| (file.path, file.text));
    let more = more
        .iter()
        .map(|(path, text)| (RepoPath::new(path).unwrap(), text.clone()));
    let files = fixture
        .chain(more)
        .map(|(path, text)| {
            let by_name = foveate_parse::language_by_name(&path);
            let (language, content) = foveate_parse::read(by_name, text.as_bytes(), &limits);
            SourceFile {
                blob: ObjectId::from_sha1([0; 20]),
                size: text.len() as u64,
                role: foveate_parse::role(&path, language, false),
                language,
                content: content.ok().map(Arc::new),
                skipped: None,
                path,
            }
        })
        .collect();
    let revision = Revision {
        commit: String::new(),
        dirty: false,
    };
    Snapshot::build(revision, 1, files, None, None).unwrap()
}

fn find(snapshot: &Snapshot, query: &str, focus: &Focus) -> Candidates {
    let config = RankingConfig::default();
    resolve(snapshot, &QueryText::parse(query), focus, &config.resolve)
}

/// `query` must resolve `name`, found as `from`, to exactly `expected`.
fn check(query: &str, name: &str, from: &str, expected: &[&str]) {
    let found = find(&snapshot(LIBRARY, &[]), query, &Focus::default());
    let symbol = found
        .symbols
        .iter()
        .find(|symbol| symbol.name == name && symbol.from == from);
    let resolved = symbol.map(|symbol| symbol.resolved.clone());
    assert_eq!(
        resolved.unwrap_or_default(),
        expected,
        "{:?}",
        found.symbols
    );
}

#[test]
fn names_in_backticks() {
    let expected = &["lib/store.py:Store.bulk_create"];
    check(
        "`bulk_create` is slow",
        "bulk_create",
        "inline_code",
        expected,
    );
    check(
        "`Store.bulk_create` is slow",
        "Store.bulk_create",
        "inline_code",
        expected,
    );
}

#[test]
fn shipped_definitions_hide_those_of_tests() {
    check(
        "`open_store` fails",
        "open_store",
        "inline_code",
        &["lib/store.py:open_store"],
    );
}

#[test]
fn dotted_paths_lead_through_reexports() {
    check(
        "`lib.Depot` is slow",
        "lib.Depot",
        "inline_code",
        &["lib/store.py:Store"],
    );
    check(
        "It fails\n\n```python\nfrom lib import Depot\nDepot().get(1)\n```",
        "lib.Depot",
        "import",
        &["lib/store.py:Store"],
    );
}

#[test]
fn case_and_underscores_may_differ() {
    check(
        "`maxLength` is wrong",
        "maxLength",
        "inline_code",
        &["lib/views.py:max_length"],
    );
}

#[test]
fn typos_are_matched_fuzzily() {
    check(
        "`bulk_craete` is slow",
        "bulk_craete",
        "fuzzy",
        &["lib/store.py:Store.bulk_create"],
    );
}

#[test]
fn words_of_the_title_mean_identifiers() {
    let expected = &["lib/store.py:Store.bulk_create"];
    check(
        "Bulk creation loses rows",
        "bulk creation",
        "words",
        expected,
    );
    check(
        "Opening a store fails",
        "store",
        "word",
        &["lib/store.py:Store"],
    );
}

#[test]
fn frames_name_functions() {
    check(
        "Crash\n\nTraceback (most recent call last):\n  File \"/usr/lib/site-packages/lib/views.py\", line 6, in show\n    return max_length(request)\nTypeError: no len\n",
        "views.py:show",
        "traceback",
        &["lib/views.py:show"],
    );
}

#[test]
fn places_name_what_stands_there() {
    check(
        "see lib/views.py:6 for the cause",
        "lib/views.py:6",
        "line",
        &["lib/views.py:show"],
    );
}

#[test]
fn focus_is_evidence() {
    let focus = Focus {
        paths: vec![RepoPath::new("lib/views.py").unwrap()],
        symbols: vec!["Store.get".to_owned()],
    };
    let found = find(&snapshot(LIBRARY, &[]), "it is slow", &focus);
    assert!(found.files.iter().any(|evidence| evidence.from == "focus"));
    let symbol = found.symbols.iter().find(|symbol| symbol.from == "focus");
    assert_eq!(symbol.map(|s| s.name.as_str()), Some("Store.get"));
}

#[test]
fn a_name_with_dozens_of_definitions_is_listed_but_no_evidence() {
    let many: Vec<(String, String)> = (0..60)
        .map(|n| {
            (
                format!("app/m{n}.py"),
                "def handle(x):\n    return x\n".to_owned(),
            )
        })
        .collect();
    let snapshot = snapshot(LIBRARY, &many);
    let found = find(&snapshot, "`handle` is slow", &Focus::default());
    let symbol = found.symbols.iter().find(|s| s.name == "handle").unwrap();
    assert_eq!((symbol.resolved.len(), symbol.total), (5, 60));
    assert!(found.definitions.is_empty());
}

const TOOL: &str = "
    //- tool/cli.py
    PAGE_SIZE = 20


    def arguments(parser):
        parser.add_argument('--dry-run', action='store_true')


    def no_input(answers):
        return answers

    //- tool/checks.py
    import os


    def check_names(found):
        return [Error('clash', id='names.E304')]


    def limit():
        return os.environ['UPLOAD_LIMIT']

    //- tool/web.py
    @app.route('/api/users/<int:user>')
    def show_user(user):
        return user


    def other():
        return 'E3041', '--dry-runs', '/api/userspace'

    //- tests/test_web.py
    class TestUsers:
        def test_show(self):
            assert show_user(1)
";

/// `query` must name exactly these definitions by their string literals.
#[track_caller]
fn check_literal(query: &str, expected: &[&str]) {
    let found = find(&snapshot(TOOL, &[]), query, &Focus::default());
    let literals = found.symbols.iter().filter(|s| s.from == "literal");
    let resolved: Vec<&String> = literals.flat_map(|s| &s.resolved).collect();
    assert_eq!(resolved, expected, "{:?}", found.symbols);
}

#[test]
fn literals_lead_to_what_holds_them() {
    check_literal(
        "The --dry-run option is ignored",
        &["tool/cli.py:arguments"],
    );
    check_literal("Running with `--no-input` hangs", &["tool/cli.py:no_input"]);
    check_literal(
        "names.E304 is raised twice",
        &["tool/checks.py:check_names"],
    );
    check_literal("UPLOAD_LIMIT is not an integer", &["tool/checks.py:limit"]);
    check_literal("GET /api/users/<id> is slow", &["tool/web.py:show_user"]);
    // Nothing holds these, and a name that is defined is found as a name.
    check_literal("--dry and E30 and /api/use are not there", &[]);
    check_literal("PAGE_SIZE is too small", &[]);
}

#[test]
fn tests_are_found_by_their_place() {
    let found = find(
        &snapshot(TOOL, &[]),
        "It breaks\n\n```\nFAILED tests/test_web.py::TestUsers::test_show - KeyError: 1\n```\n",
        &Focus::default(),
    );
    let names: Vec<&str> = found.symbols.iter().map(|s| s.name.as_str()).collect();
    assert!(names.contains(&"TestUsers.test_show"), "{names:?}");
    assert!(found.files.iter().any(|f| f.from == "path"));
}

#[test]
fn a_link_to_lines_names_what_stands_at_both_ends() {
    let found = find(
        &snapshot(LIBRARY, &[]),
        "See https://github.com/o/r/blob/0a1b/lib/store.py#L2-L6",
        &Focus::default(),
    );
    let lines = found.symbols.iter().filter(|s| s.from == "line");
    let resolved: Vec<&String> = lines.flat_map(|s| &s.resolved).collect();
    assert_eq!(
        resolved,
        ["lib/store.py:Store.bulk_create", "lib/store.py:Store.get"]
    );
}

#[test]
fn a_focus_that_is_not_there_is_told() {
    let focus = Focus {
        paths: ["lib/views.py", "lib/gone.py", "lib"]
            .iter()
            .map(|path| RepoPath::new(path).unwrap())
            .collect(),
        symbols: ["Store.get", "bulk_craete", "Store.gone", "Depot"]
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    let found = find(&snapshot(LIBRARY, &[]), "it is slow", &focus);
    assert_eq!(found.unknown.paths, ["lib/gone.py", "lib"]);
    assert_eq!(
        found.unknown.symbols,
        ["bulk_craete", "Store.gone", "Depot"]
    );
}

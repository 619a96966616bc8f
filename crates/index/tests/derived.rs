//! Tests that snapshots derived from an earlier one, and snapshots restored from storage, equal snapshots
//! built from nothing after any change. Everything that a reader can query is compared.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use foveate_fixture::changes::{Changes, Tree};
use foveate_fixture::languages;
use foveate_fixture::snapshot::lexical_weights;
use foveate_index::citations::Citation;
use foveate_index::lexical::{CommitIndex, Field, QueryTerm};
use foveate_index::symbols::fold;
use foveate_index::{DefId, Revision, Snapshot, StoredIndex, tokens};
use foveate_model::{Commit, Content, History, ObjectId, Purpose, RepoPath, SourceFile, Touched};

/// Parsed contents by language and text. Equal texts share one content.
#[derive(Default)]
struct Contents(HashMap<(String, String), Arc<Content>>);

impl Contents {
    fn files(&mut self, tree: &Tree) -> Vec<SourceFile> {
        tree.iter()
            .map(|(path, text)| {
                let path = RepoPath::new(path).unwrap();
                let named = foveate_parse::language_by_name(&path);
                let extension = path.as_str().rsplit('.').next();
                let key = (format!("{named:?} {extension:?}"), text.clone());
                let content = self.0.entry(key);
                let content = Arc::clone(content.or_insert_with(|| read(&path, text)));
                let language = content.facts.language;
                let toy_role = languages::role(&path);
                SourceFile {
                    purpose: Purpose::default(),
                    blob: ObjectId::from_sha1([0; 20]),
                    size: text.len() as u64,
                    role: toy_role.unwrap_or_else(|| foveate_parse::role(&path, language, false)),
                    language,
                    content: Some(content),
                    skipped: None,
                    path,
                }
            })
            .collect()
    }
}

fn read(path: &RepoPath, text: &str) -> Arc<Content> {
    if let Some(content) = languages::read(path, text) {
        return Arc::new(content);
    }
    let named = foveate_parse::language_by_name(path);
    let limits = foveate_parse::Limits::default();
    let (_, content) = foveate_parse::read(named, text.as_bytes(), &limits);
    Arc::new(content.unwrap())
}

fn history() -> Arc<History> {
    let commit = |message: &str, paths: &[&str]| Commit {
        id: ObjectId::from_sha1([0; 20]),
        message: message.to_owned(),
        is_bot: false,
        touched: paths
            .iter()
            .map(|path| Touched {
                path: RepoPath::new(path).unwrap(),
                functions: vec!["connect".into(), "close_all".into()],
            })
            .collect(),
    };
    Arc::new(History {
        commits: vec![
            commit(
                "connect the client to the pool",
                &["shop/client.py", "gone.py"],
            ),
            commit(
                "acquire a connection, #12",
                &["web/src/pool.ts", "shop/pool.py"],
            ),
            commit("a record of its own, #12", &["shop/records.py"]),
            commit("the client of the web, #12", &["web/src/client.ts"]),
        ],
    })
}

fn build(files: Vec<SourceFile>, history: &Arc<History>, previous: Option<&Snapshot>) -> Snapshot {
    let revision = Revision {
        commit: String::new(),
        dirty: true,
    };
    let history = Some(Arc::clone(history));
    Snapshot::build(revision, 1, files, history, previous).unwrap()
}

/// Encodes a snapshot and restores it.
fn stored(snapshot: &Snapshot, files: Vec<SourceFile>) -> Snapshot {
    let segments = snapshot.segments();
    let index = StoredIndex {
        segments: segments.map(|s| s.encode(|_| true).unwrap()).collect(),
        references: snapshot.graph.stored_references(),
        commits: CommitIndex::decode(&snapshot.lexical.commits().index().encode()).map(Arc::new),
    };
    let history = snapshot.history.clone();
    Snapshot::restore(snapshot.revision.clone(), 1, files, history, &index).unwrap()
}

/// Returns everything that a snapshot can answer, as text.
fn dump(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    definitions(snapshot, &mut out);
    places(snapshot, &mut out);
    searches(snapshot, &mut out);
    out
}

fn name(snapshot: &Snapshot, id: DefId) -> String {
    let files = &snapshot.files;
    let path = files.path(id.file);
    format!("{path}:{}", files.definition(id).qualified_name)
}

fn definitions(snapshot: &Snapshot, out: &mut String) {
    let (files, graph, symbols) = (&snapshot.files, &snapshot.graph, &snapshot.symbols);
    for id in files.definition_ids() {
        let definition = files.definition(id);
        writeln!(out, "{}", name(snapshot, id)).unwrap();
        writeln!(out, "  unit {:?}", files.unit_of(id)).unwrap();
        writeln!(out, "  uses {:?}", graph.uses_of(id)).unwrap();
        writeln!(out, "  used {:?}", graph.used_by(id)).unwrap();
        writeln!(out, "  bases {:?}", graph.bases(id)).unwrap();
        writeln!(out, "  tests {:?}", graph.tests_of(id)).unwrap();
        let named = symbols.named(&definition.name);
        let folded = symbols.folded(&fold(&definition.name));
        let qualified = symbols.qualified(&definition.qualified_name);
        writeln!(out, "  {named:?} {folded:?} {qualified:?}").unwrap();
    }
    let names: Vec<_> = symbols.names_by_length(0..=1000).collect();
    writeln!(out, "{names:?}").unwrap();
}

fn places(snapshot: &Snapshot, out: &mut String) {
    let (files, graph, symbols) = (&snapshot.files, &snapshot.graph, &snapshot.symbols);
    for id in files.ids() {
        writeln!(out, "{} {:?}", files.path(id), files.find(files.path(id))).unwrap();
        writeln!(out, "  units {:?}", files.units_of(id)).unwrap();
        writeln!(out, "  chunks {:?}", files.chunk_range(id)).unwrap();
        writeln!(out, "  imports {:?}", graph.imports(id)).unwrap();
        writeln!(out, "  importers {:?}", graph.importers(id)).unwrap();
        writeln!(out, "  modules {:?}", graph.import_modules(id)).unwrap();
        writeln!(out, "  tests {:?}", graph.test_files_of(id)).unwrap();
        for asked in [
            "Client", "connect", "Pool.acquire_connection", "shop.client", "helper",
        ] {
            let found = graph.resolve_name(files, symbols, id, asked);
            writeln!(out, "  {asked} {found:?}").unwrap();
        }
    }
    for path in [
        "shop.client.Client.connect", "shop.make_pool", "@shop/web", "client.connect",
        "shop.Client.connect", "shop.helper",
    ] {
        let found = graph.resolve_dotted(files, symbols, path);
        let module = graph.resolve_module(files, path);
        writeln!(out, "{path} {found:?} {module:?}").unwrap();
    }
    for path in ["pool.py", "x/src/client.ts", "client.py"] {
        writeln!(out, "{path} {:?}", files.find_by_suffix(path)).unwrap();
    }
}

fn searches(snapshot: &Snapshot, out: &mut String) {
    for text in [
        "the record of the pool is not valid",
        "Error: the pool has no free connection left",
        "the pool of the shop is closed",
    ] {
        writeln!(out, "{text} {:?}", snapshot.messages.search(text)).unwrap();
    }
    let terms = [
        "client", "connect", "pool", "shop", "acquir", "acquire_connection",
    ];
    let terms = terms.map(|term| QueryTerm {
        term: term.to_owned(),
        file: 1.0,
        chunk: 1.0,
        title: 0.5,
        code: 0.5,
    });
    let weights = lexical_weights();
    let hits = snapshot.lexical.search(&terms, &weights, &|| true).unwrap();
    writeln!(out, "{hits:?}").unwrap();
    // The limits lie between the chunks of a segment and those of all.
    for (term, field) in [("pool", Field::Code), ("client", Field::Name)] {
        for max_chunks in [1, 2, 4, 8] {
            let found = snapshot
                .lexical
                .chunks_with(&[term.into()], field, max_chunks);
            writeln!(out, "{term} {max_chunks} {:?}", found.unwrap()).unwrap();
        }
    }
    past(snapshot, &terms, out);
}

fn past(snapshot: &Snapshot, terms: &[QueryTerm], out: &mut String) {
    let commits = snapshot.lexical.commits();
    let lengths = (&commits.file_lengths, commits.total_file_length);
    writeln!(
        out,
        "{} {} {lengths:?}",
        commits.len(),
        commits.total_length
    )
    .unwrap();
    for term in terms {
        let postings = commits.postings(&term.term).iter();
        let seen: Vec<_> = postings.filter(|(at, _)| commits.is_visible(*at)).collect();
        writeln!(out, "{} {seen:?}", term.term).unwrap();
    }
    for commit in (0..commits.positions() as u32).map(|at| commits.at(at)) {
        let files: Vec<_> = commit.files().collect();
        let functions: Vec<_> = commit.functions().collect();
        let share = 1.0 / (functions.len() as f32).sqrt();
        assert_eq!(share, commit.function_share());
        writeln!(out, "{files:?} {functions:?}").unwrap();
    }
    writeln!(out, "{:?}", commits.cited(&Citation::Number(12))).unwrap();
    for id in snapshot.files.ids() {
        let function = commits.function(id, tokens::hash("connect"));
        let touching = function.map(|of| (commits.touching(of), commits.messages_length(of)));
        writeln!(out, "{function:?} {touching:?}").unwrap();
    }
}

/// Returns the first lines that differ, after the unindented line that precedes them.
fn first_difference<'a>(derived: &'a str, rebuilt: &'a str) -> (&'a str, &'a str, &'a str) {
    let mut about = "";
    for (derived, rebuilt) in derived.lines().zip(rebuilt.lines()) {
        if derived != rebuilt {
            return (about, derived, rebuilt);
        }
        if !derived.starts_with(' ') {
            about = derived;
        }
    }
    (about, "", "")
}

/// Returns the number of random repositories, each with 24 changes. `FOVEATE_SEEDS=2000` sets another number.
fn seeds() -> u64 {
    let wanted = std::env::var("FOVEATE_SEEDS").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(10)
}

#[test]
fn derived_snapshots_equal_rebuilt_ones() {
    check(Changes::new);
}

/// Covers packages, members outside of their types, and qualified paths.
#[test]
fn derived_snapshots_equal_rebuilt_ones_in_toy_languages() {
    check(Changes::of_toy_languages);
}

fn check(changes: fn(u64) -> Changes) {
    let history = history();
    for seed in 0..seeds() {
        let mut contents = Contents::default();
        let mut changes = changes(seed);
        let mut snapshots = vec![build(contents.files(&changes.tree()), &history, None)];
        for step in 0..24_usize {
            let tree = changes.step();
            if step % 7 == 6 {
                // Dropped contents are parsed again.
                contents.0.retain(|(_, text), _| text.len() % 3 > 0);
            }
            // Derives mostly from the previous state, and sometimes from an earlier one, as for a commit.
            let back = if step % 5 == 4 { 4 } else { 1 };
            let previous = &snapshots[snapshots.len().saturating_sub(back)];
            let derived = build(contents.files(&tree), &history, Some(previous));
            let rebuilt = build(contents.files(&tree), &history, None);
            let stored = stored(&derived, contents.files(&tree));
            let rebuilt = dump(&rebuilt);
            for (how, snapshot) in [("derived", &derived), ("stored", &stored)] {
                let dump = dump(snapshot);
                if dump != rebuilt {
                    let (about, is, wanted) = first_difference(&dump, &rebuilt);
                    panic!("{how}, seed {seed}, step {step}, {about}: {is:?}, not {wanted:?}");
                }
            }
            // Later steps derive from both kinds of snapshots.
            snapshots.push(if step % 3 == 1 { stored } else { derived });
        }
    }
}

/// Tests single edits, each of which only one of the change rules detects.
#[test]
fn edits_of_names_found_by_other_files_are_detected() {
    let importer = "
        //- n/asking.pkg
        package shop
        fun run
          call helper
        ";
    let edits = [
        // The settings alone join the packages.
        (
            "//- n/z.pkg\npackage web\nfun helper\n//- joined.packages\nsub\n",
            "sub",
            "shop web",
        ),
        (
            "//- n/z.pkg\npackage web\nfun helper\n",
            "package web",
            "package shop",
        ),
        (
            "//- n/z.pkg\npackage shop\nfun helper\n",
            "fun",
            "private fun",
        ),
        (
            "//- n/z.pkg\npackage shop\nclass Cart\nfun helper\n",
            "\nfun",
            "\n  fun",
        ),
        (
            "//- n/z.pkg\npackage shop\nfun helper\n//- a/c.pkg\npackage shop\nfun helper\n",
            "fun",
            "proto",
        ),
    ];
    for (others, pattern, replacement) in edits {
        let others = others.replace('\n', "\n        ");
        check_edit(&format!("{importer}{others}"), pattern, replacement);
    }
}

#[test]
fn edits_of_resolver_inputs_are_detected() {
    let repository = "
        //- app.crate
        use crate::lib::pool::Pool as shop
        //- asking.crate
        use crate::app::shop: make_pool
        fun run
          call make_pool
        //- calling.crate
        fun run
          call crate::app::shop::make_pool
        //- lib/pool.crate
        class Pool
        fun make_pool
        ";
    // The paths of the import and of the call reach the class by another name.
    check_edit(repository, "class Pool", "class Other");
    check_edit(repository, "Pool as shop", "Pool as other");
    check_edit(
        "
        //- a/asking.pkg
        package a
        use shop.Cart: State
        use shop: *
        fun run
          call State
        //- shop/cart.pkg
        package shop
        class Car
        //- shop/other.pkg
        package shop
        class Cart
          class State
        ",
        "class Car\n",
        "class Cart\n  class State\n",
    );
}

#[test]
fn edits_of_manifests_that_move_modules_are_detected() {
    let python = "//- tool.py\ndef tool(): pass\n";
    for (repository, pattern, replacement) in [
        (
            "//- a/package.json\n{\"name\": \"shop\", \"main\": \"one.js\"}\n\
             //- a/one.js\nexport function late() {}\n//- a/two.js\nexport function late() {}\n\
             //- b/run.js\nimport { late } from 'shop';\nlate();\n",
            "one.js\"",
            "two.js\"",
        ),
        (
            "//- a/Cargo.toml\n[package]\nname = \"shop\"\n//- a/src/lib.rs\npub fn late() {}\n\
             //- b/Cargo.toml\n[package]\nname = \"app\"\n//- b/src/lib.rs\npub fn run() { shop::late(); }\n",
            "\"shop\"",
            "\"store\"",
        ),
        (
            "//- go.mod\nmodule example.org/shop\n//- cart/cart.go\npackage cart\nfunc Late() {}\n\
             //- run/run.go\npackage run\nimport \"example.org/shop/cart\"\nfunc Run() { cart.Late() }\n",
            "example.org/shop\n",
            "example.org/store\n",
        ),
        (
            "//- a/Cart.kt\n@file:JvmName(\"Carts\")\npackage a\nfun late() {}\n\
             //- b/Run.java\npackage b;\nimport static a.Carts.late;\nclass Run { void run() { late(); } }\n",
            "Carts",
            "Shops",
        ),
        (
            "//- a/Run.java\npackage a;\nimport b.Carts;\nclass Run { void run() { Carts.late(); } }\n\
             //- b/Cart.kt\n@file:JvmName(\"Carts\")\npackage b\nfun late() {}\n",
            "\"Carts\"",
            "\"Shops\"",
        ),
        (
            "//- a/Cart.cs\nnamespace A { public partial class Cart { } }\n\
             //- a/Part.cs\nnamespace A { public partial class Cart { public class Line { public static void Late() {} } } }\n\
             //- b/Run.cs\nusing static A.Cart.Line;\nnamespace B { class Run { void Go() { Late(); } } }\n",
            "class Line",
            "class Row",
        ),
    ] {
        check_edit(&format!("{repository}{python}"), pattern, replacement);
    }
}

#[test]
fn added_and_removed_files_that_imports_name_are_detected() {
    for (repository, path, text) in [
        (
            "//- bin/run.rb\nrequire 'cart'\nlate\n//- gems/shop/lib/cart.rb\ndef late\nend\n",
            "gems/shop/shop.gemspec",
            "Gem::Specification.new\n",
        ),
        (
            "//- a.hpp\n#include \"a.inl\"\nvoid run() { late(); }\n",
            "a.inl",
            "int late() { return 1; }\n",
        ),
        (
            "//- a/Run.java\npackage a;\nclass Run { void run() { shop.Cart.late(); } }\n",
            "x/Cart.java",
            "package shop;\npublic class Cart { public static void late() {} }\n",
        ),
        (
            "//- a/Part.kt\npackage a\nclass Part\n\
             //- b/Run.java\npackage b;\nimport a.CartKt;\nclass Run { void run() { CartKt.late(); } }\n",
            "a/Cart.kt",
            "package a\nfun late() {}\n",
        ),
        (
            "//- a/Run.java\npackage a;\nclass Run { void run() { CartKt.late(); } }\n",
            "x/Cart.kt",
            "package a\nfun late() {}\n",
        ),
        (
            "//- a/Run.cs\nnamespace A { class Run { void Go() { Shop.Carts.Cart.Late(); } } }\n",
            "x/Cart.cs",
            "namespace Shop.Carts { public class Cart { public static void Late() {} } }\n",
        ),
        (
            "//- run.php\n<?php\nShop\\Cart\\late();\n",
            "x/cart.php",
            "<?php\nnamespace Shop\\Cart;\nfunction late() {}\n",
        ),
        (
            "//- run.php\n<?php\nuse App\\Util;\nUtil\\helper();\n",
            "src/Util/helper.php",
            "<?php\nnamespace App\\Util;\nfunction helper() {}\n",
        ),
        (
            "//- Rakefile\nload 'lib/tasks/a.rake'\n",
            "lib/tasks/a.rake",
            "def late\nend\n",
        ),
        (
            "//- scripts/tool.py\nfrom . import util\n//- scripts/util.py\ndef run(): pass\n",
            "scripts.py",
            "def util(): pass\n",
        ),
        (
            "//- tests/unit/test_cart.py\ndef test_cart(cart):\n    pass\n",
            "tests/conftest.py",
            "import pytest\n@pytest.fixture\ndef cart():\n    pass\n",
        ),
    ] {
        let before = tree_of(repository);
        let mut after = before.clone();
        after.insert(path.to_owned(), text.to_owned());
        check_both_ways(&before, &after, path);
    }
}

#[test]
fn edits_of_what_functions_return_are_detected() {
    let repository = "
        //- conftest.py
        import pytest
        from shop import open_cart
        @pytest.fixture
        def cart():
            yield open_cart()
        //- shop.py
        class Cart:
            def get(self): pass
        class Other:
            def get(self): pass
        def open_cart():
            return Cart()
        //- test_cart.py
        def test_cart(cart):
            cart.get()
        ";
    check_edit(repository, "@pytest.fixture", "@pytest.mark");
    check_edit(repository, "yield open_cart()", "yield None");
    check_edit(repository, "return Cart()", "return Other()");
}

#[test]
fn edits_of_chains_are_detected() {
    let repository = "
        //- app/Held.kt
        package app
        val held = Maker().one().take()
        //- app/Maker.kt
        package app
        class Maker { fun one() = Shelf()
            fun two() = Rack() }
        class Shelf { fun take(): Cart = Cart() }
        class Rack { fun take(): Other = Other() }
        class Cart { fun get() {} }
        class Other { fun get() {} }
        //- app/Run.kt
        package app
        fun run() { held.get() }
        ";
    check_edit(repository, "one().take", "two().take");
    let repository = "
        //- app/Base.java
        package app;
        abstract class Base<B extends Base<B>> { B add() { return null; } }
        //- app/Car.java
        package app;
        class Car extends Base<Car> { void close() {} }
        //- app/Other.java
        package app;
        class Other { void close() {} }
        //- app/Run.java
        package app;
        class Run { void run() { new Car().add().close(); } }
        ";
    // The bound of the type parameter is the same class.
    check_edit(repository, "B add()", "Base add()");
}

#[test]
fn edits_of_aliases_and_overridden_methods_are_detected() {
    let repository = "
        //- doors.py
        class Door:
            def shut(self): pass
        class Hatch:
            def shut(self): pass
        Gate = Door
        //- tower.py
        from doors import Gate
        class Tower(Gate):
            def guard(self):
                self.shut()
        ";
    check_edit(repository, "Gate = Door", "Gate = Hatch");
    let repository = "
        //- memory.py
        from store import Store
        class Memory(Store):
            def open(self): pass
        //- pool.py
        class Pool:
            def close(self): pass
        class Other:
            def close(self): pass
        //- store.py
        from pool import Other, Pool
        class Store:
            def open(self) -> Pool: pass
        //- use.py
        from memory import Memory
        def use():
            Memory().open().close()
        ";
    check_edit(repository, "-> Pool", "-> Other");
}

#[test]
fn edits_of_what_projects_import_are_detected() {
    let repository = "
        //- Core/Extensions.cs
        namespace Acme.Core;
        public static class Extensions { public static int Words(this string text) => 1; }
        //- Shop/Cart.cs
        namespace Acme.Shop;
        class Cart { int Count(string text) { return text.Words(); } }
        ";
    let project = "//- Shop/Shop.csproj\n<Project />\n";
    let usings = "//- Shop/Usings.cs\nglobal using Acme.Core;\n";
    let own = format!("{repository}{project}{usings}");
    check_edit(&own, "global using", "using");
    check_edit(&own, "global using Acme.Core", "global using Acme.None");
    let settings = "//- Shop/Shop.csproj\n<Project><Using Include=\"Acme.Core\" /></Project>\n";
    check_edit(
        &format!("{repository}{settings}"),
        "Using Include",
        "Using Remove",
    );
    let shared = "//- Directory.Build.props\n<Project><Using Include=\"Acme.Core\" /></Project>\n";
    let other = tree_of(&format!("{repository}{project}"));
    for file in [usings, shared] {
        let with_file = tree_of(&format!("{repository}{project}{file}"));
        check_both_ways(&other, &with_file, file);
    }
    let without_project = tree_of(&format!("{repository}{usings}"));
    check_both_ways(&without_project, &tree_of(&own), "added project");
}

/// Makes an edit and undoes it, and compares derived with rebuilt snapshots.
#[track_caller]
fn check_edit(repository: &str, pattern: &str, replacement: &str) {
    let before = tree_of(repository);
    // The last file with the text is edited; the files before it depend on it.
    let edited = before.iter().rfind(|(_, text)| text.contains(pattern));
    let (path, text) = edited.unwrap();
    let mut after = before.clone();
    after.insert(path.clone(), text.replacen(pattern, replacement, 1));
    check_both_ways(&before, &after, &format!("{pattern:?} to {replacement:?}"));
}

fn tree_of(repository: &str) -> Tree {
    let files = foveate_fixture::repository(repository).into_iter();
    files
        .map(|file| (file.path.to_string(), file.text))
        .collect()
}

#[track_caller]
fn check_both_ways(before: &Tree, after: &Tree, change: &str) {
    let history = history();
    let mut contents = Contents::default();
    for (from, to) in [(before, after), (after, before)] {
        let earlier = build(contents.files(from), &history, None);
        let derived = dump(&build(contents.files(to), &history, Some(&earlier)));
        let rebuilt = dump(&build(contents.files(to), &history, None));
        assert_ne!(dump(&earlier), rebuilt, "{change}: nothing differs");
        let difference = first_difference(&derived, &rebuilt);
        assert!(derived == rebuilt, "{change}: {difference:?}");
    }
}

//! Tests what the names of a query resolve to, and by which evidence.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

#[path = "../shared/described.rs"]
mod described;
mod literals;
mod native;
mod other_names;
mod packages;
mod unknown;
mod wording;

use foveate_fixture::snapshot::{of_files, source_file, source_files};
use foveate_index::Snapshot;
use foveate_model::{Lines, RepoPath};
use foveate_query::resolve::{EvidenceSource, Resolution, ResolvedSymbol, resolve};
use foveate_query::text::QueryText;
use foveate_query::{Change, Deadline, Focus, Hunk, RankingConfig, Request};

use self::described::described;

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
    let more = more.iter().map(|(path, text)| {
        let path = RepoPath::new(path).unwrap();
        source_file(path, text, &limits)
    });
    of_files(source_files(text).into_iter().chain(more).collect(), None)
}

fn find(snapshot: &Snapshot, query: &str, focus: &Focus) -> Resolution {
    let request = Request {
        focus: focus.clone(),
        ..Request::default()
    };
    find_with(snapshot, query, &request)
}

fn find_with(snapshot: &Snapshot, query: &str, request: &Request) -> Resolution {
    let config = RankingConfig::default();
    resolve(
        snapshot,
        &QueryText::parse(query),
        request,
        &config.resolve,
        &Deadline::none(),
    )
}

/// Returns the definitions that symbols may mean, as `path:qualified_name`.
fn resolved_by<'a>(
    snapshot: &Snapshot,
    symbols: impl Iterator<Item = &'a ResolvedSymbol>,
) -> Vec<String> {
    symbols
        .flat_map(|symbol| described(snapshot, &symbol.definitions))
        .collect()
}

/// Asserts that `query` resolves `name`, found as `from`, to exactly `expected`.
fn check(query: &str, name: &str, from: &str, expected: &[&str]) {
    let snapshot = snapshot(LIBRARY, &[]);
    let found = find(&snapshot, query, &Focus::default());
    let symbol = found
        .symbols
        .iter()
        .find(|symbol| symbol.name == name && symbol.from.name() == from);
    let resolved = resolved_by(&snapshot, symbol.into_iter());
    assert_eq!(resolved, expected, "{:?}", found.symbols);
}

#[test]
fn every_function_within_changed_stretch_counts_as_changed() {
    let snapshot = snapshot(LIBRARY, &[]);
    let request = Request {
        changes: vec![Change {
            path: RepoPath::new("lib/store.py").unwrap(),
            hunks: vec![Hunk::Lines(Lines::new(1, 10))],
        }],
        ..Request::default()
    };
    let found = find_with(&snapshot, "", &request);
    let changed: Vec<&str> = found
        .definitions
        .iter()
        .filter(|evidence| evidence.from == EvidenceSource::Change)
        .map(|evidence| {
            &*snapshot
                .files
                .definition(evidence.definition)
                .qualified_name
        })
        .collect();
    assert_eq!(
        changed,
        ["Store", "Store.bulk_create", "Store.get", "open_store"]
    );
}

#[test]
fn names_in_backticks_resolve() {
    let expected = &["lib/store.py:Store.bulk_create"];
    check(
        "`bulk_create` is slow", "bulk_create", "inline_code", expected,
    );
    check(
        "`Store.bulk_create` is slow", "Store.bulk_create", "inline_code", expected,
    );
}

#[test]
fn names_of_a_standard_library_are_not_split() {
    let repository = snapshot(
        "
        //- src/main/java/org/acme/List.java
        package org.acme;
        public class List { public int size() { return 0; } }

        //- src/Json/JsonSerializer.cs
        namespace Acme.Json;
        public class JsonSerializer { public void Write() { } }

        //- src/Commands/Command.cs
        namespace System.Commands;
        public class Command { public void Run() { } }
        ",
        &[],
    );
    let resolved = |name: &str| {
        let found = find(&repository, &format!("`{name}` fails"), &Focus::default());
        let symbols = found.symbols.iter();
        let code = symbols.filter(|s| s.from == EvidenceSource::InlineCode);
        resolved_by(&repository, code).join(" ")
    };
    assert_eq!(resolved("java.util.List"), "");
    assert_eq!(resolved("System.Text.Json.JsonSerializer.Write"), "");
    assert_eq!(
        resolved("System.Commands.Command.Run"),
        "src/Commands/Command.cs:Command.Run"
    );
}

#[test]
fn shipped_definitions_take_precedence_over_tests() {
    check(
        "`open_store` fails",
        "open_store",
        "inline_code",
        &["lib/store.py:open_store"],
    );
}

#[test]
fn type_without_body_is_beside_methods_and_hides_fields() {
    let repository = snapshot(
        "
        //- shop.go
        package shop
        type Shelves []string
        type Shop struct{}
        func (s *Shop) Shelves() Shelves { return nil }
        type Skipper func() bool
        type Stairs struct{ Skipper Skipper }
        ",
        &[],
    );
    let resolved = |query: &str| {
        let found = find(&repository, query, &Focus::default());
        let symbols = found.symbols.iter();
        let code = symbols.filter(|s| s.from == EvidenceSource::InlineCode);
        resolved_by(&repository, code)
    };
    let both = ["shop.go:Shelves", "shop.go:Shop.Shelves"];
    assert_eq!(resolved("`Shelves` is wrong"), both);
    assert_eq!(resolved("`Skipper` is wrong"), ["shop.go:Skipper"]);
}

#[test]
fn dotted_paths_resolve_through_reexports() {
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
fn title_words_resolve_to_identifiers() {
    let expected = &["lib/store.py:Store.bulk_create"];
    check(
        "Bulk creation loses rows", "bulk creation", "words", expected,
    );
    check(
        "Opening a store fails",
        "store",
        "word",
        &["lib/store.py:Store"],
    );
}

#[test]
fn traceback_frame_resolves_to_its_function() {
    check(
        "Crash\n\nTraceback (most recent call last):\n  File \"/usr/lib/site-packages/lib/views.py\", line 6, in show\n    return max_length(request)\nTypeError: no len\n",
        "views.py:show",
        "traceback",
        &["lib/views.py:show"],
    );
}

#[test]
fn frame_resolves_by_function_among_ambiguous_files_and_classes() {
    let native = "
        //- src/net/util.c
        int
        net_open(int port)
        {
            return port;
        }

        //- src/disk/util.c
        int
        disk_open(int id)
        {
            return id;
        }
    ";
    let trace = "#0  0x00005555 in disk_open (id=1) at util.c:4";
    let (found, file) = ("src/disk/util.c:disk_open", "src/disk/util.c");
    check_trace(native, trace, &[found], &[file]);
    let classes = "
        //- src/shop/Pools.java
        package shop;
        class Small {
            int get() { return 1; }
        }
        class Large {
            int size() { return 2; }



            int get() { return 2; }
        }
    ";
    // The line number is from another version.
    let trace = "    at shop.Large.get(Pools.java:3)";
    let found = "src/shop/Pools.java:Large.get";
    check_trace(classes, trace, &[found], &["src/shop/Pools.java"]);
}

#[test]
fn class_without_its_module_resolves() {
    let snapshot = snapshot(
        "
        //- lib/log.rb
        module Shop
          class Watcher
            def rotate
            end
          end
        end
        ",
        &[],
    );
    let found = find(&snapshot, "`Watcher.rotate` fails", &Focus::default());
    let whole = found.symbols.iter().filter(|s| s.name == "Watcher.rotate");
    let resolved = resolved_by(&snapshot, whole.take(1));
    assert_eq!(resolved, ["lib/log.rb:Shop.Watcher.rotate"]);
}

#[test]
fn name_within_cjk_text_resolves() {
    for query in ["修复bulk_create函数的错误", "`设置`后bulk_create()が遅い"] {
        let expected = &["lib/store.py:Store.bulk_create"];
        check(query, "bulk_create", "title", expected);
    }
}

#[test]
fn path_and_line_resolve_to_enclosing_definition() {
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
    let mut files = found.files.iter();
    assert!(files.any(|evidence| evidence.from == EvidenceSource::Focus));
    let mut symbols = found.symbols.iter();
    let symbol = symbols.find(|symbol| symbol.from == EvidenceSource::Focus);
    assert_eq!(symbol.map(|s| s.name.as_str()), Some("Store.get"));
}

#[test]
fn name_with_many_definitions_is_listed_but_no_evidence() {
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
    assert_eq!(symbol.definitions.len(), 60);
    assert!(found.definitions.is_empty());
}

#[test]
fn line_range_link_resolves_both_ends() {
    let snapshot = snapshot(LIBRARY, &[]);
    let found = find(
        &snapshot,
        "See https://github.com/o/r/blob/0a1b/lib/store.py#L2-L6",
        &Focus::default(),
    );
    let symbols = found.symbols.iter();
    let lines = symbols.filter(|s| s.from == EvidenceSource::Line);
    let resolved = resolved_by(&snapshot, lines);
    assert_eq!(
        resolved,
        ["lib/store.py:Store.bulk_create", "lib/store.py:Store.get"]
    );
}

const FRAMEWORK: &str = "
    //- package.json
    {\"name\": \"framework-monorepo\", \"private\": true}

    //- packages/runtime-core/package.json
    {\"name\": \"@frame/runtime-core\"}

    //- packages/runtime-core/src/renderer.ts
    export function createRenderer(options: any) {
      const unmountComponent = (instance: any) => {
        instance.stop()
      }
      const patch = (a: any) => a
      return { unmountComponent, patch }
    }
    export class ReactiveEffect {
      run() { return 1 }
    }

    //- packages/runtime-core/src/emits.ts
    export function emit(event: string) { return event }
    export function get(key: string) { return key }

    //- packages/frame/package.json
    {\"name\": \"frame\"}

    //- packages/frame/src/index.ts
    export function patch(b: any) { return b }
    export const KeepAlive = { name: 'KeepAlive' }
    export interface Globals { KeepAlive: string }

    //- packages/frame/src/Teleport.ts
    export const TeleportImpl = { name: 'Teleport' }

    //- packages/frame/src/store.ts
    export function serializeStore(b: any) { return b }

    //- packages/frame/dist/frame.js
    // @generated
    function unmountComponent(a) { return a }
    function another(a) { return a }

    //- packages/frame/src/utils/index.ts
    export function deepClone(b: any) { return b }

    //- packages/frame/src/events.js
    export function listenAll(b) { return b }

    //- packages/frame/tests/renderer.spec.ts
    function unmountComponent(a: any) { return a }

    //- playground/src/TodoItem.vue
    <template><i/></template>
";

/// Asserts that the frames of a trace resolve to exactly these definitions and files, the innermost first.
#[track_caller]
fn check_trace(repository: &str, trace: &str, definitions: &[&str], files: &[&str]) {
    let snapshot = snapshot(repository, &[]);
    let query = format!("It breaks\n\n```\nTypeError: a is null\n{trace}\n```\n");
    let found = find(&snapshot, &query, &Focus::default());
    let symbols = found.symbols.iter();
    let traced = symbols.filter(|s| s.from == EvidenceSource::Traceback);
    let resolved = resolved_by(&snapshot, traced);
    assert_eq!(resolved, definitions, "{trace}");
    let in_files = found.files.iter();
    let traced = in_files.filter(|f| f.from == EvidenceSource::Traceback);
    let paths: Vec<&str> = traced.map(|f| snapshot.files.path(f.file)).collect();
    assert_eq!(paths, files, "{trace}");
}

const RENDERER: &str = "packages/runtime-core/src/renderer.ts";
const UNMOUNT: &str = "packages/runtime-core/src/renderer.ts:createRenderer.unmountComponent";

#[test]
fn frame_of_own_bundle_resolves_by_function_name() {
    for trace in [
        "    at unmountComponent (runtime-core.esm-bundler.js:6990:5)",
        "runtime-core.esm-bundler.js:6990:5 at unmountComponent",
        "unmountComponent @ runtime-core.esm-bundler.js:6990",
        "unmountComponent@http://localhost/assets/index-4f3a.js:1:2345",
        "    at Object.unmountComponent [as um] (webpack-internal:///./node_modules/.pnpm/@frame+runtime-core@3.4.2/node_modules/@frame/runtime-core/dist/runtime-core.esm-bundler.js:6990:5)",
        "    at unmountComponent$1 (http://localhost:5173/node_modules/.vite/deps/chunk-4XKHB2AD.js?v=81:10:5)",
        "    at unmountComponent (frame.runtime.global.js:10:5)",
        // Consoles leave out the directory of a bundle that is named after its package.
        "    at unmountComponent (runtime-core.mjs:6990:5)",
        "    at unmountComponent (runtime-core.js?v=3f1c2a1b:6990:5)",
        "unmountComponent @ runtime-core.mjs:6990",
        // A built file that is in the repository.
        "    at unmountComponent (/a/node_modules/frame/dist/frame.js:2:5)",
        "    at unmountComponent (http://localhost/dist/frame.js:2:5)",
    ] {
        check_trace(FRAMEWORK, trace, &[UNMOUNT], &[RENDERER]);
    }
}

#[test]
fn bundle_frames_resolve_only_for_specific_names() {
    let own = "runtime-core.esm-bundler.js:1:5";
    // A method is found by its class, and a word if only one function of the package has it; other names are too
    // vague.
    check_trace(
        FRAMEWORK,
        &format!("    at ReactiveEffect.run ({own})"),
        &["packages/runtime-core/src/renderer.ts:ReactiveEffect.run"],
        &[RENDERER],
    );
    check_trace(
        FRAMEWORK,
        &format!("    at patch ({own})"),
        &["packages/runtime-core/src/renderer.ts:createRenderer.patch"],
        &[RENDERER],
    );
    for name in ["emit", "get", "run", "r", "Object.e.t", "missingName"] {
        check_trace(FRAMEWORK, &format!("    at {name} ({own})"), &[], &[]);
        let application = format!("{name}@http://localhost/assets/index-4f3a.js:1:2345");
        check_trace(FRAMEWORK, &application, &[], &[]);
    }
    // It is unknown which `patch` this is.
    let trace = "    at patch (http://localhost/assets/index-4f3a.js:1:2345)";
    check_trace(FRAMEWORK, trace, &[], &[]);
}

#[test]
fn frames_of_foreign_packages_do_not_resolve() {
    for trace in [
        "    at unmountComponent (/a/node_modules/other/dist/frame.js:2:5)",
        "    at deepClone (/a/node_modules/other/src/utils/index.ts:1:5)",
        "    at serializeStore (other-router.esm-bundler.js:6990:5)",
        "    at serializeStore (other-router.mjs:6990:5)",
        "    at listenAll (events.js:315:20)",
        "    at listenAll (node:events:315:20)",
        "    at listenAll (internal/events.js:315:20)",
        "    at listenAll (http://localhost/vendor/other/events.js:315:20)",
        "    at serializeStore (/srv/app/src/pages.ts:3:1)",
    ] {
        check_trace(FRAMEWORK, trace, &[], &[]);
    }
    // A minified file is not the source of the same name.
    let trace = "    at e (http://localhost/assets/index.js:1:22345)";
    check_trace(FRAMEWORK, trace, &[], &[]);
}

#[test]
fn frame_of_installed_own_package_resolves() {
    let place = "packages/runtime-core/src/emits.ts";
    check_trace(
        FRAMEWORK,
        "    at emit (/a/node_modules/@frame/runtime-core/src/emits.ts:1:5)",
        &["packages/runtime-core/src/emits.ts:emit"],
        &[place],
    );
}

#[test]
fn vue_warning_components_resolve() {
    check_trace(
        FRAMEWORK,
        "[Vue warn]: Unhandled error\n  at <TodoItem a=1 >\n  at <Teleport>\n  at <KeepAlive>\n  at <Missing>\n  at <App>",
        &["packages/frame/src/index.ts:KeepAlive"],
        &[
            "playground/src/TodoItem.vue",
            "packages/frame/src/Teleport.ts",
            "packages/frame/src/index.ts",
        ],
    );
}

const PYTHON: &str = "
    //- src/acme/__init__.py
    from .views import show

    //- src/acme/views.py
    def show(request):
        return request

    //- src/acme/typing.py
    def cast(a):
        return a

    //- src/acme/utils/__init__.py
    //- src/acme/utils/defer.py
    def later(a):
        return a

    //- single.py
    def alone(a):
        return a
";

#[test]
fn python_frames_resolve_only_for_own_packages() {
    let frame = |path: &str, name: &str| format!("  File \"{path}\", line 1, in {name}");
    let check = |path: &str, name: &str, definitions: &[&str], files: &[&str]| {
        check_trace(PYTHON, &frame(path, name), definitions, files);
    };
    let defer = "src/acme/utils/defer.py";
    let later = "src/acme/utils/defer.py:later";
    check(
        "/v/site-packages/acme/utils/defer.py",
        "later",
        &[later],
        &[defer],
    );
    check(
        "/v/dist-packages/acme-1.0-py3.egg/acme/utils/defer.py",
        "later",
        &[later],
        &[defer],
    );
    // Moved since the trace was written.
    check(
        "/v/site-packages/acme/defer.py",
        "later",
        &[later],
        &[defer],
    );
    check("/v/site-packages/acme/gone.py", "later", &[later], &[defer]);
    check(
        "/v/site-packages/single.py",
        "alone",
        &["single.py:alone"],
        &["single.py"],
    );
    check(
        "/srv/app/acme/views.py",
        "show",
        &["src/acme/views.py:show"],
        &["src/acme/views.py"],
    );
    for path in [
        "/v/site-packages/twisted/internet/defer.py",
        "/usr/lib/python3.8/typing.py",
        "C:\\Python38\\lib\\typing.py",
        "/v/site-packages/defer.py",
        "<frozen typing>",
    ] {
        check(path, "later", &[], &[]);
    }
}

#[test]
fn manifests_identify_own_packages_in_other_languages() {
    let repository = "
        //- Cargo.toml
        [workspace]

        //- tokio/Cargo.toml
        [package]
        name = \"tokio\"

        //- tokio/src/lib.rs
        pub mod a;

        //- go.mod
        module example.com/acme/gin

        //- render/json.go
        package render

        //- composer.json
        {
            \"name\": \"acme/http\"
        }

        //- src/Kernel.php
        <?php

        //- acme.gemspec
        x

        //- lib/acme/run.rb
        x
    ";
    let check = |trace: &str, files: &[&str]| check_trace(repository, trace, &[], files);
    let crates = "/r/.cargo/registry/src/index.crates.io-6f17";
    check(
        &format!("    at {crates}/tokio-1.2.0/src/lib.rs:1:2"),
        &["tokio/src/lib.rs"],
    );
    check(&format!("    at {crates}/mio-0.7.0/src/lib.rs:1:2"), &[]);
    check(
        "main.f()\n\t/go/pkg/mod/example.com/acme/gin@v1.9.0/render/json.go:1 +0x1",
        &["render/json.go"],
    );
    check(
        "main.f()\n\t/go/pkg/mod/example.com/other@v1.9.0/render/json.go:1 +0x1",
        &[],
    );
    check(
        "#0 /srv/vendor/acme/http/src/Kernel.php(1): A->b()",
        &["src/Kernel.php"],
    );
    check("#0 /srv/vendor/other/http/src/Kernel.php(1): A->b()", &[]);
    check(
        "/g/gems/acme-1.2/lib/acme/run.rb:1:in `a'",
        &["lib/acme/run.rb"],
    );
    check("/g/gems/other-1.2/lib/other/run.rb:1:in `a'", &[]);
}

#[test]
fn paths_of_foreign_packages_name_no_file() {
    let snapshot = snapshot(PYTHON, &[]);
    let query =
        "See /v/site-packages/twisted/internet/defer.py:1 and site-packages/acme/views.py:1";
    let found = find(&snapshot, query, &Focus::default());
    let paths: Vec<&str> = found
        .files
        .iter()
        .map(|f| snapshot.files.path(f.file))
        .collect();
    assert_eq!(paths, ["src/acme/views.py"]);
}

#[test]
fn parts_of_a_resolved_name_name_nothing_else() {
    const DOORS: &str = "
        //- doors.py
        def do_close_door(door): pass
        def close_door(door): pass
        ";
    let words = |query: &str| {
        let found = find(&snapshot(DOORS, &[]), query, &Focus::default());
        let words = found
            .symbols
            .iter()
            .filter(|s| s.from == EvidenceSource::Words);
        words.map(|s| s.name.clone()).collect::<Vec<String>>()
    };
    assert_eq!(words("who calls do_close_door?"), [""; 0]);
    assert_eq!(words("the close door is broken"), ["close door"]);
}

#[test]
fn focus_symbol_may_name_its_file() {
    let snapshot = snapshot(LIBRARY, &[]);
    let focused = |symbol: &str| {
        let focus = Focus {
            symbols: vec![symbol.to_owned()],
            ..Focus::default()
        };
        let found = find(&snapshot, "it is slow", &focus);
        let files = found.files.iter();
        let files = files.filter(|evidence| evidence.from == EvidenceSource::Focus);
        let files = files.map(|evidence| snapshot.files.path(evidence.file));
        let definitions = found.definitions.iter();
        let definitions = definitions.filter(|evidence| evidence.from == EvidenceSource::Focus);
        let definitions = definitions.map(|evidence| {
            let id = evidence.definition;
            let name = &snapshot.files.definition(id).qualified_name;
            format!("{}:{name}", snapshot.files.path(id.file))
        });
        let known: Vec<String> = files.map(str::to_owned).chain(definitions).collect();
        let unknown = [found.unknown.paths, found.unknown.symbols];
        (known.join(", "), unknown.map(|names| names.join(", ")))
    };
    let none = String::new;
    for (symbol, known) in [
        ("lib/store.py:Store.get", "lib/store.py:Store.get"),
        ("./lib/store.py:get", "lib/store.py:Store.get"),
        ("lib/store.py::Store::get", "lib/store.py:Store.get"),
        // The one in the sources is not meant.
        (
            "tests/test_store.py:open_store",
            "tests/test_store.py:open_store",
        ),
        ("./lib/views.py", "lib/views.py"),
    ] {
        let (found, unknown) = focused(symbol);
        assert_eq!((&*found, unknown), (known, [none(), none()]), "{symbol}");
    }
    let unknown = "lib/store.py:show".to_owned();
    assert_eq!(focused(&unknown), (none(), [none(), unknown]));
    let (_, unknown) = focused("lib/gone.py");
    assert_eq!(unknown, ["lib/gone.py".to_owned(), none()]);
}

#[test]
fn frame_of_a_file_elsewhere_needs_the_function() {
    let snapshot = snapshot(LIBRARY, &[]);
    let found = |path: &str, function: &str| {
        let frame = format!("  File \"{path}\", line 2, in {function}");
        let query =
            format!("It fails\n\nTraceback (most recent call last):\n{frame}\nTypeError: no\n");
        let resolution = find(&snapshot, &query, &Focus::default());
        let files = resolution.files.into_iter();
        let files = files.filter(|evidence| evidence.from == EvidenceSource::Traceback);
        let paths = files.map(|evidence| snapshot.files.path(evidence.file).to_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(
        found("/home/ada/blog/views.py", "index"),
        Vec::<String>::new()
    );
    assert_eq!(found("/home/ada/blog/views.py", "show"), ["lib/views.py"]);
    assert_eq!(found("/home/ada/lib/views.py", "index"), ["lib/views.py"]);
    assert_eq!(found("views.py", "index"), ["lib/views.py"]);
}

//! Tests the answers to questions about names that the repository does not define: for the types that extend or implement a
//! type, and for uses.

use super::*;
use crate::issue::IssueCode;

const SHOP: &str = "
    //- src/lib.rs
    use std::fmt;

    pub struct Cart;

    impl fmt::Display for Cart {
        fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
            out.write_str(\"cart\")
        }
    }

    pub struct Desk;

    impl Desk {
        pub fn display(&self) -> usize {
            1
        }
    }

    //- shop/errors.py
    class NoStock(Exception):
        pass

    class NoPrice(LookupError):
        pass

    def handle_exception(error):
        return str(error)
";

fn answered(query: &str) -> Answer {
    let snapshot = fixture(SHOP);
    let request = Request {
        intent: None,
        ..request(query, 4000, IntentKind::Explanation)
    };
    ask(&snapshot, &request)
}

fn asked(query: &str) -> Pack {
    answered(query).pack
}

#[test]
fn types_that_name_a_foreign_base_are_listed_alone() {
    for query in [
        "who implements Display?",
        "which types implement fmt::Display",
    ] {
        let pack = asked(query);
        let context = &pack.context;
        assert!(context.contains("impl fmt::Display for Cart"), "{context}");
        assert!(!context.contains("Desk"), "{context}");
    }
    let pack = asked("which classes extend Exception?");
    let found = items(&pack, "callers").into_iter();
    let found: Vec<String> = found.map(|item| item.name.clone()).collect();
    assert_eq!(found, ["NoStock"], "{}", pack.context);
    assert!(
        !pack.context.contains("handle_exception"),
        "{}",
        pack.context
    );
}

#[test]
fn listed_types_of_a_foreign_base_are_no_unsure_answer() {
    let doubts = |query: &str| {
        let issues = answered(query).issues.into_iter();
        let codes = issues.map(|issue| issue.code);
        let is_doubt =
            |code: &IssueCode| matches!(code, IssueCode::UnknownName | IssueCode::LowConfidence);
        codes.filter(is_doubt).collect::<Vec<_>>()
    };
    for query in [
        "which classes extend Exception?",
        "which classes extend `LookupError`?",
    ] {
        let doubts = doubts(query);
        assert!(doubts.is_empty(), "{query}: {doubts:?}");
    }
    let unknown = doubts("which classes extend `WorkerThread`?");
    assert!(unknown.contains(&IssueCode::UnknownName), "{unknown:?}");
}

#[test]
fn unknown_base_that_nothing_names_lists_nothing() {
    let pack = asked("which classes extend Thread?");
    assert!(items(&pack, "callers").is_empty(), "{}", pack.context);
}

const DESK: &str = "
    //- desk/serve.py
    def serve(config):
        if config.open_all_day:
            return listen(config.address)

    def late(config):
        return config.closing_time

    def listen(address):
        address.connect_twice()
        return address.connect_once

    //- examples/always.py
    open_all_day = True

    //- tests/test_serve.py
    class Config:
        open_all_day = True

        def __init__(self):
            self.closing_time = 20

    def make_config():
        return Config()

    def test_serve():
        assert make_config()
";

/// Returns the names of the definitions whose uses of a name are listed, with what they do with it.
fn uses(query: &str) -> Vec<String> {
    let snapshot = fixture(DESK);
    let request = Request {
        intent: None,
        ..request(query, 4000, IntentKind::Explanation)
    };
    let answer = ask(&snapshot, &request);
    let codes: Vec<IssueCode> = answer.issues.iter().map(|issue| issue.code).collect();
    assert!(!codes.contains(&IssueCode::UnknownName), "{codes:?}");
    let found = items(&answer.pack, "callers").into_iter();
    found
        .map(|item| format!("{}: {}", item.name, item.reason))
        .collect()
}

#[test]
fn uses_of_attributes_that_nothing_defines_are_listed_by_name() {
    // A test replaces the object, and an example is a file of settings.
    for query in ["who uses open_all_day?", "where is `open_all_day` used"] {
        assert_eq!(uses(query), ["serve: uses open_all_day"], "{query}");
    }
    // Nothing but the name says that the one of the test may be meant.
    let all = [
        "late: uses closing_time",
        "Config.__init__: uses closing_time",
    ];
    assert_eq!(uses("who uses closing_time"), all);
    assert_eq!(uses("who uses connect_once"), ["listen: uses connect_once"]);
    assert_eq!(
        uses("who calls address.connect_twice?"),
        ["listen: uses connect_twice"]
    );
}

#[test]
fn question_about_several_names_is_not_about_the_first_alone() {
    let snapshot = fixture(
        "
        //- examples/always.py
        open_all_day = True
        //- shop/desk.py
        def serve(config):
            return config.open_all_day
        //- shop/port.py
        def listen():
            return 1
        def restart():
            return listen()
        ",
    );
    let query = "who uses `open_all_day` and `listen`?";
    let pack = look_ups::asked(&snapshot, query, 4000);
    assert!(pack.context.contains("return listen()"), "{}", pack.context);
}

#[test]
fn definitions_of_tests_keep_their_own_uses() {
    let pack = look_ups::asked(&fixture(DESK), "who calls make_config?", 4000);
    assert!(pack.context.contains("def make_config"), "{}", pack.context);
}

#[test]
fn imports_of_a_foreign_module_are_listed_alone() {
    let snapshot = fixture(
        "
        //- src/cart.js
        import makeDebug from 'debug';
        import { sum } from './sum.js';
        export const cart = makeDebug('cart');
        //- src/sum.js
        const debug = require('debug/node');
        export function sum() { return debug; }
        //- src/other.js
        // Helps to debug.
        export function debugging() { return 'debug'; }
        //- shop/till.py
        from werkzeug.local import LocalProxy
        current = LocalProxy(lambda: 1)
        //- tests/cart.test.js
        import debug from 'debug';
        test('cart', () => { debug('x'); });
        ",
    );
    for query in [
        "who imports debug?",
        "who imports from debug?",
        "which files import from debug",
        "who uses the debug package",
        "where is `debug` imported",
    ] {
        let pack = look_ups::asked(&snapshot, query, 4000);
        let found = items(&pack, "imports").into_iter();
        let mut found: Vec<&str> = found.map(|item| item.path.as_str()).collect();
        found.sort_unstable();
        let wanted = ["src/cart.js", "src/sum.js", "tests/cart.test.js"];
        assert_eq!(found, wanted, "{query}: {}", pack.context);
        assert!(!pack.context.contains("debugging"), "{}", pack.context);
    }
    let pack = look_ups::asked(&snapshot, "who uses werkzeug.local?", 4000);
    let context = &pack.context;
    assert!(context.contains("import LocalProxy"), "{context}");
    assert!(!context.contains("lambda"), "{context}");
}

#[test]
fn name_of_a_module_is_no_name_of_a_definition() {
    let snapshot = fixture(
        "
        //- src/page.js
        import { base } from '$app/paths';
        export const page = base;
        //- src/build.js
        export const appPath = 'app';
        //- src/pack.js
        import { appPath } from './build.js';
        export function pack() { return appPath; }
        ",
    );
    let pack = look_ups::asked(&snapshot, "who imports from $app/paths", 4000);
    let found = items(&pack, "imports").into_iter();
    let found: Vec<&str> = found.map(|item| item.path.as_str()).collect();
    assert_eq!(found, ["src/page.js"], "{}", pack.context);
    assert!(!pack.context.contains("appPath"), "{}", pack.context);
}

const SERVER: &str = "
    //- go.mod
    module acme.com/shop

    //- shop/shop.go
    package shop

    import \"net/http\"

    // Shop sells.
    type Shop struct{}

    func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

    type Desk struct {
    \t*Shop
    }

    // Writer writes orders.
    type Writer struct{}

    func (w Writer) WriteOrder(p []byte) (int, error) { return 0, nil }

    type Log struct{}

    func (l *Log) Write(p []byte) (int, error) { return 0, nil }
";

#[test]
fn types_with_the_methods_of_a_library_interface_are_listed() {
    let snapshot = fixture(SERVER);
    let listed = |query: &str| {
        let request = Request {
            intent: None,
            ..request(query, 4000, IntentKind::Explanation)
        };
        let answer = ask(&snapshot, &request);
        let found = items(&answer.pack, "callers").into_iter();
        let mut found: Vec<String> = found
            .map(|item| format!("{}: {}", item.name, item.reason))
            .collect();
        found.sort();
        let codes: Vec<IssueCode> = answer.issues.iter().map(|issue| issue.code).collect();
        assert!(!codes.contains(&IssueCode::UnknownName), "{query}");
        found
    };
    let handlers = [
        "Desk: implements http.Handler",
        "Shop: implements http.Handler",
    ];
    for query in [
        "which types implement http.Handler?",
        "who implements `http.Handler`?",
        "which types implement Handler?",
    ] {
        assert_eq!(listed(query), handlers, "{query}");
    }
    // The repository has a `Writer` of its own, but no package `io`.
    let query = "which types implement io.Writer?";
    assert_eq!(listed(query), ["Log: implements io.Writer"]);
}

#[test]
fn package_of_the_repository_hides_that_of_a_library() {
    let own = "
    //- io/io.go
    package io

    type Writer interface {
    \tWriteAll(p []byte)
    }

    type Pipe struct{}

    func (p *Pipe) WriteAll(b []byte) {}

    type Log struct{}

    func (l *Log) Write(p []byte) (int, error) { return 0, nil }
";
    let snapshot = fixture(own);
    let request = Request {
        intent: None,
        ..request(
            "which types implement io.Writer?",
            4000,
            IntentKind::Explanation,
        )
    };
    let pack = ask(&snapshot, &request).pack;
    let found = items(&pack, "callers").into_iter();
    let found: Vec<&str> = found.map(|item| item.name.as_str()).collect();
    assert_eq!(found, ["Pipe"], "{}", pack.context);
}

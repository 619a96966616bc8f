//! Tests the answers to short questions that look something up about a name: its tests, callers of members, overriding
//! methods, dependencies, comparisons.

mod definitions;
mod directories;
mod typescript;
mod unsure;

use super::*;
use crate::issue::IssueCode;

const SHELVES: &str = "
    //- shop/shelf.py
    from shop.paint import darken_colour


    class Shelf:
        def __init__(self, size):
            self.size = size

        def take(self, book):
            number = round_up(book)
            return darken_colour(number)

        def put(self, book):
            return book


    def round_up(number):
        return number + 1


    def close_door(shelf):
        return lock_door(shelf)


    def lock_door(shelf):
        return shelf.size

    //- shop/paint.py
    def darken_colour(colour):
        \"\"\"Makes a colour darker.\"\"\"
        return colour


    def lighten_colour(colour):
        return colour

    //- tests/test_shelf.py
    from shop.shelf import Shelf, close_door


    def make_shelf():
        return Shelf(3)


    def test_width():
        assert close_door(Shelf(2)) == 2


    def test_close_door():
        assert close_door(make_shelf()) == 3


    def test_put():
        assert run('put')
";

/// Asks a question whose intent is detected.
pub(super) fn asked(snapshot: &Snapshot, query: &str, budget: usize) -> Pack {
    let request = Request {
        intent: None,
        ..request(query, budget, IntentKind::Explanation)
    };
    let pack = ask(snapshot, &request).pack;
    check_invariants(snapshot, &request, &pack);
    pack
}

/// Returns `name: reason` of each item of a section that has a name.
pub(super) fn reasons(pack: &Pack, section: &str) -> Vec<String> {
    let items = items(pack, section).into_iter();
    let named = items.filter(|item| !item.name.is_empty());
    named
        .map(|item| format!("{}: {}", item.name, item.reason))
        .collect()
}

#[test]
fn question_for_tests_lists_test_functions_with_their_relation() {
    let snapshot = fixture(SHELVES);
    let by_definition = [
        "test_width: calls close_door",
        "test_close_door: calls close_door",
    ];
    for query in [
        "which tests cover close_door?",
        "where is close_door tested?",
        "close_door tests",
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert_eq!(reasons(&pack, "tests"), by_definition, "{}", pack.context);
        assert!(!pack.context.contains("def make_shelf"), "{}", pack.context);
        assert!(!pack.context.contains("darken"), "{}", pack.context);
    }
    let pack = asked(&snapshot, "which tests cover lock_door?", 4000);
    let through_another = [
        "test_width: uses code that uses lock_door",
        "test_close_door: uses code that uses lock_door",
    ];
    assert_eq!(reasons(&pack, "tests"), through_another, "{}", pack.context);
}

#[test]
fn tests_of_a_helper_of_tests_are_its_uses() {
    let snapshot = fixture(SHELVES);
    let request = Request {
        intent: None,
        ..request(
            "which tests cover make_shelf?",
            4000,
            IntentKind::Explanation,
        )
    };
    let answer = ask(&snapshot, &request);
    let codes = answer.issues.iter().map(|issue| issue.code);
    assert!(!codes.collect::<Vec<_>>().contains(&IssueCode::NoneFound));
    let call = "close_door(make_shelf())";
    let context = &answer.pack.context;
    assert!(context.contains(call), "{context}");
}

#[test]
fn tests_of_a_type_or_file_are_those_of_its_members() {
    let snapshot = fixture(SHELVES);
    let pack = asked(&snapshot, "list all tests of `Shelf`", 4000);
    let of_type = reasons(&pack, "tests");
    for wanted in [
        "test_width: calls Shelf",
        "test_put: tests Shelf.put by name",
    ] {
        assert!(of_type.contains(&wanted.to_owned()), "{of_type:?}");
    }
    let pack = asked(&snapshot, "tests for shop/shelf.py", 4000);
    let of_file = reasons(&pack, "tests");
    for wanted in [
        "test_close_door: calls close_door",
        "test_put: tests Shelf.put by name",
    ] {
        assert!(of_file.contains(&wanted.to_owned()), "{of_file:?}");
    }
    for query in [
        "tests for shop/shelf.py",
        "which tests cover shop/shelf.py?",
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert_eq!(reasons(&pack, "tests"), of_file, "{query}");
        assert!(!pack.context.contains("def round_up"), "{}", pack.context);
    }
    // To write them, the code is needed.
    let pack = asked(&snapshot, "write tests for shop/shelf.py", 4000);
    assert!(pack.context.contains("def round_up"), "{}", pack.context);
    let helper = |reason: &String| reason.starts_with("make_shelf");
    assert!(!of_type.iter().chain(&of_file).any(helper));
}

#[test]
fn callers_of_a_type_are_those_of_its_constructor_and_members() {
    let rest: String = (0..60)
        .map(|n| format!("    note({n}, rest({n}))\n"))
        .collect();
    let shelf = "class Shelf:\n    def __init__(self, size):\n        self.size = size\n\n    def take(self, book):\n        return book\n";
    // Too long to be shown whole.
    let desk = format!(
        "from shelf import Shelf\n\n\ndef lend_book():\n    shelf = Shelf(3)\n{rest}    return shelf.take('a')\n"
    );
    let snapshot = snapshot([
        ("shelf.py".to_owned(), shelf.to_owned()),
        ("desk.py".to_owned(), desk),
    ]);
    let pack = asked(&snapshot, "what calls `Shelf`?", 700);
    for call in ["Shelf(3)", "shelf.take('a')"] {
        assert!(pack.context.contains(call), "{}", pack.context);
    }
}

#[test]
fn question_for_dependencies_lists_what_the_body_uses() {
    let snapshot = fixture(SHELVES);
    for query in [
        "what does Shelf.take depend on?",
        "which functions does Shelf.take call?",
        "what does Shelf.take do?",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let shown = reasons(&pack, "definitions");
        for wanted in ["darken_colour", "round_up"] {
            let wanted = format!("{wanted}: used by Shelf.take");
            assert!(shown.contains(&wanted), "{shown:?}\n{}", pack.context);
        }
        assert!(pack.context.contains("def take"), "{}", pack.context);
        for beside in ["lighten_colour", "close_door", "test_put"] {
            assert!(!pack.context.contains(beside), "{}", pack.context);
        }
    }
}

#[test]
fn question_for_overrides_lists_methods_of_subclasses() {
    let snapshot = fixture(
        "
        //- store/base.py
        class Base:
            def save(self):
                return 1

            def load(self):
                return 2

        //- store/disk.py
        from store.base import Base


        class Disk(Base):
            def save(self):
                return 3

            def load(self):
                return 4


        class FastDisk(Disk):
            def save(self):
                return 5


        class Memory(Base):
            def drop(self):
                return 6


        class Other:
            def save(self):
                return 7
        ",
    );
    let wanted = [
        "Disk.save: overrides Base.save",
        "FastDisk.save: overrides Base.save",
    ];
    for query in [
        "who overrides Base.save?", "overrides of Base.save", "implementations of Base.save",
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert_eq!(
            reasons(&pack, "callers"),
            wanted,
            "{query}: {}",
            pack.context
        );
        assert!(!pack.context.contains("class Other"), "{}", pack.context);
    }
}

#[test]
fn question_for_implementers_lists_no_other_uses() {
    let rest: String = (0..60)
        .map(|n| format!("    note({n}, rest({n}))\n"))
        .collect();
    // Too long to be shown whole.
    let other = format!("def open_store(store: Store):\n{rest}    return store\n");
    let types = "class Store:\n    pass\n\n\nclass DiskStore(Store):\n    pass\n\n\n";
    let snapshot = snapshot([("store.py".to_owned(), format!("{types}{other}"))]);
    let pack = asked(&snapshot, "which classes extend `Store`?", 600);
    assert!(
        pack.context.contains("class DiskStore(Store)"),
        "{}",
        pack.context
    );
    let callers = reasons(&pack, "callers");
    let is_other = |reason: &String| reason.starts_with("open_store");
    assert!(!callers.iter().any(is_other), "{callers:?}");
}

#[test]
fn subclasses_of_a_nested_class_do_not_extend_the_outer_one() {
    let snapshot = fixture(
        "
        //- app/Adapter.java
        package app;
        public interface Adapter {
            void adapt();
            abstract class Factory {
                abstract Adapter create();
                void adapt() {}
            }
        }
        //- app/PlainAdapter.java
        package app;
        class PlainAdapter implements Adapter {
            public void adapt() {}
        }
        //- app/PlainFactory.java
        package app;
        class PlainFactory extends Adapter.Factory {
            Adapter create() { return new PlainAdapter(); }
            void adapt() {}
        }
        ",
    );
    let pack = asked(&snapshot, "who overrides Adapter.adapt?", 4000);
    assert_eq!(
        reasons(&pack, "callers"),
        ["PlainAdapter.adapt: overrides Adapter.adapt"],
        "{}",
        pack.context
    );
}

#[test]
fn compared_definitions_get_equal_parts_in_the_order_asked() {
    let function = |name: &str, verb: &str| {
        let lines: String = (0..90)
            .map(|n| format!("    rows.{verb}_column({n}, width={n})\n"))
            .collect();
        format!("def {name}(rows):\n{lines}    return rows\n")
    };
    let beside = "def sort_rows(rows):\n    return sorted(rows)\n";
    let snapshot = snapshot([
        ("dump.py".to_owned(), function("dump_rows", "write")),
        ("load.py".to_owned(), function("load_rows", "read")),
        ("sort.py".to_owned(), beside.to_owned()),
    ]);
    for (query, order) in [
        (
            "what is the difference between load_rows and dump_rows?",
            ["load_rows", "dump_rows"],
        ),
        (
            "how does dump_rows differ from load_rows?",
            ["dump_rows", "load_rows"],
        ),
    ] {
        let sides = |budget: usize, is_cut: bool| -> Vec<usize> {
            let pack = asked(&snapshot, query, budget);
            let items = items(&pack, "definitions");
            let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
            assert_eq!(names, order, "{query}: {}", pack.context);
            for item in &items {
                assert_eq!(
                    (item.fidelity, item.cut),
                    (Fidelity::Full, is_cut),
                    "{item:?}"
                );
            }
            assert!(!pack.context.contains("sort_rows"), "{}", pack.context);
            items.iter().map(|item| item.tokens).collect()
        };
        sides(8000, false);
        let cut = sides(1200, true);
        let (least, most) = (cut.iter().min().unwrap(), cut.iter().max().unwrap());
        assert!(least * 5 >= most * 4, "{cut:?}");
    }
}

/// No type of Go names the interfaces that it implements.
const GO_STORES: &str = "
    //- go.mod
    module acme
    //- store/store.go
    package store

    type Store interface {
    \tFetchRow(key string) (row []byte, err error)
    }

    func Warm(stores []Store) {
    \tfor _, store := range stores {
    \t\tstore.FetchRow(\"first\")
    \t}
    }
    //- memory/memory.go
    package memory

    type Memory struct{}
    //- memory/rows.go
    package memory

    func (m *Memory) FetchRow(k string) ([]byte, error) { return nil, nil }

    type Numbers struct{}

    func (n *Numbers) FetchRow(k int) ([]byte, error) { return nil, nil }
    //- memory/memory_test.go
    package memory

    import \"testing\"

    func TestFetchRow(t *testing.T) {
    \tm := &Memory{}
    \tm.FetchRow(\"a\")
    \tm.FetchRow(\"b\")
    \tm.FetchRow(\"c\")
    \tm.FetchRow(\"d\")
    }
";

#[test]
fn types_that_do_not_name_their_interface_are_its_implementers() {
    let snapshot = fixture(GO_STORES);
    for query in [
        "which types implement Store?", "who implements `Store`?", "implementations of Store",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let found = reasons(&pack, "callers");
        assert_eq!(
            found,
            ["Memory: implements Store"],
            "{query}: {}",
            pack.context
        );
        assert!(!pack.context.contains("Numbers"), "{}", pack.context);
    }
    let pack = asked(&snapshot, "who overrides Store.FetchRow?", 4000);
    assert_eq!(
        reasons(&pack, "callers"),
        ["Memory.FetchRow: overrides Store.FetchRow"],
        "{}",
        pack.context
    );
    let pack = asked(&snapshot, "who implements FetchRow?", 4000);
    assert!(!pack.context.contains("func Warm"), "{}", pack.context);
}

#[test]
fn types_that_embed_an_implementer_are_implementers() {
    let embedding = "
    //- memory/shared.go
    package memory

    type Shared struct {
    \t*Memory
    }

    type Named struct {
    \tmemory Memory
    }
";
    let snapshot = fixture(&format!("{GO_STORES}{embedding}"));
    let pack = asked(&snapshot, "which types implement Store?", 4000);
    let mut found = reasons(&pack, "callers");
    found.sort();
    let wanted = ["Memory: implements Store", "Shared: implements Store"];
    assert_eq!(found, wanted, "{}", pack.context);
}

#[test]
fn calls_through_an_interface_are_listed_beside_those_of_tests() {
    let snapshot = fixture(GO_STORES);
    let pack = asked(&snapshot, "who calls Memory.FetchRow?", 4000);
    let found = reasons(&pack, "callers");
    let through = "Warm: uses Memory.FetchRow through Store.FetchRow".to_owned();
    assert!(found.contains(&through), "{found:?}\n{}", pack.context);
}

#[test]
fn members_of_a_type_are_those_of_its_whole_package() {
    let snapshot = fixture(GO_STORES);
    let pack = asked(&snapshot, "who calls `Memory`?", 4000);
    let call = "m.FetchRow(\"d\")";
    assert!(pack.context.contains(call), "{}", pack.context);
}

#[test]
fn calls_of_a_function_with_the_name_of_a_type_are_none_of_its_members() {
    let snapshot = fixture(
        "
        //- shop/Scope.kt
        package shop
        interface Scope
        fun Scope(name: String): Scope = find(name)
        fun Scope.cancel() {}
        //- shop/Opened.kt
        package shop
        class Opened { val first = Scope(\"b\") }
        //- shop/Close.kt
        package shop
        fun close(opened: Opened) = opened.first.cancel()
        ",
    );
    let pack = asked(&snapshot, "who calls `Scope`?", 4000);
    assert!(pack.context.contains("class Opened"), "{}", pack.context);
    assert!(!pack.context.contains("fun close"), "{}", pack.context);
}

#[test]
fn question_for_the_users_of_a_module_lists_its_imports() {
    let snapshot = fixture(SHELVES);
    for query in [
        "who imports shop.shelf",
        "which files import shop/shelf.py?",
        "which files import `shop/shelf.py`?",
        "who uses `shop.shelf`?",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let imports = items(&pack, "imports");
        let paths: Vec<&str> = imports.iter().map(|item| item.path.as_str()).collect();
        assert_eq!(paths, ["tests/test_shelf.py"], "{query}: {}", pack.context);
        assert_eq!(pack.sections.len(), 1, "{query}: {}", pack.context);
    }
    let from_package = fixture(
        "
        //- shop/__init__.py
        NAME = 'shop'
        //- shop/paint.py
        def darken(colour):
            return colour
        //- app.py
        import os
        from shop import paint

        paint.darken('red')
        ",
    );
    let pack = asked(&from_package, "who imports shop.paint", 4000);
    assert!(
        pack.context.contains("from shop import paint"),
        "{}",
        pack.context
    );
}

#[test]
fn question_for_the_users_of_a_header_lists_its_includes() {
    let snapshot = fixture(
        "
        //- shop/shelf.h
        int open_shelf(int size);

        //- shop/shelf.c
        #include \"shelf.h\"

        int open_shelf(int size) {
          return size;
        }

        //- shop/desk.c
        int open_desk(int size) {
          return size;
        }
        ",
    );
    for query in [
        "who includes shop/shelf.h?",
        "which files include shop/shelf.h?",
        "who includes shelf.h?",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let imports = items(&pack, "imports");
        let paths: Vec<&str> = imports.iter().map(|item| item.path.as_str()).collect();
        assert_eq!(paths, ["shop/shelf.c"], "{query}: {}", pack.context);
    }
}

#[test]
fn dependencies_of_a_file_are_those_of_its_definitions() {
    let snapshot = fixture(SHELVES);
    let pack = asked(&snapshot, "what does shop/shelf.py depend on?", 4000);
    let shown = reasons(&pack, "definitions");
    let wanted = "darken_colour: used by Shelf.take".to_owned();
    assert!(shown.contains(&wanted), "{shown:?}");
    assert!(!pack.context.contains("lighten_colour"), "{}", pack.context);
    let imports = items(&pack, "imports").into_iter();
    let reasons: Vec<&str> = imports.map(|item| item.reason.as_str()).collect();
    assert_eq!(reasons, ["imports shop/paint.py"]);
    assert!(!pack.context.contains("round_up"), "{}", pack.context);
}

#[test]
fn method_of_a_base_outside_the_repository_is_overridden_by_subclasses() {
    let snapshot = fixture(
        "
        //- shop/command.py
        from console import BaseCommand


        class Command(BaseCommand):
            pass

        //- shop/add.py
        from shop.command import Command


        class AddCommand(Command):
            def handle(self):
                return 1

        //- shop/other.py
        class Other:
            def handle(self):
                return 2
        ",
    );
    for query in [
        "who overrides Command.handle?",
        "implementations of Command.handle",
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert_eq!(
            reasons(&pack, "callers"),
            ["AddCommand.handle: overrides Command.handle"],
            "{query}: {}",
            pack.context
        );
        assert!(!pack.context.contains("class Other"), "{}", pack.context);
    }
}

#[test]
fn of_many_types_of_a_name_the_extended_one_is_meant() {
    let mut files: Vec<(String, String)> = (0..8)
        .map(|n| {
            (
                format!("part_{n}.py"),
                format!("class Store:\n    size = {n}\n"),
            )
        })
        .collect();
    let code = "from part_3 import Store\n\n\nclass DiskStore(Store):\n    pass\n";
    files.push(("disk.py".to_owned(), code.to_owned()));
    let snapshot = snapshot(files);
    let pack = asked(&snapshot, "which classes extend `Store`?", 4000);
    let extending = "class DiskStore(Store)";
    assert!(pack.context.contains(extending), "{}", pack.context);
    assert!(!pack.context.contains("part_5.py"), "{}", pack.context);
}

#[test]
fn only_the_users_stand_beside_what_is_used() {
    let snapshot = fixture(
        "
        //- limits.py
        # Limits of rows.
        MAX_ROWS = 40
        MIN_ROWS = 2

        //- report.py
        from limits import MAX_ROWS


        def cut_rows(rows):
            return rows[:MAX_ROWS]


        def max_rows_of(report):
            return 'the uses of max rows: ' + report.max_rows
        ",
    );
    let pack = asked(&snapshot, "who uses MAX_ROWS?", 4000);
    for wanted in ["MAX_ROWS = 40", "def cut_rows"] {
        assert!(pack.context.contains(wanted), "{}", pack.context);
    }
    for beside in ["MIN_ROWS", "max_rows_of"] {
        assert!(!pack.context.contains(beside), "{}", pack.context);
    }
}

#[test]
fn members_of_an_extended_type_are_left_out() {
    let methods: String = (0..60)
        .map(|n| format!("    def store_{n}(self, store):\n        return store.number({n})\n\n"))
        .collect();
    let store = format!("class Store:\n    size = 1\n\n{methods}\n");
    let disk = "class DiskStore(Store):\n    pass\n";
    let snapshot = snapshot([("store.py".to_owned(), format!("{store}{disk}"))]);
    let pack = asked(&snapshot, "which classes extend `Store`?", 4000);
    assert_eq!(
        shown(&pack, "definitions"),
        ["Store standard"],
        "{}",
        pack.context
    );
    assert!(
        pack.context.contains("class DiskStore(Store)"),
        "{}",
        pack.context
    );
}

#[test]
fn every_wording_of_a_question_for_implementers_lists_them() {
    let snapshot = fixture(
        "
        //- store.py
        class Store:
            pass

        //- disk.py
        from store import Store


        class DiskStore(Store):
            def copied(self):
                return Store()
        ",
    );
    for query in [
        "which classes extend Store?",
        "which classes derive from Store?",
        "descendants of Store",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let callers = items(&pack, "callers");
        let names: Vec<&str> = callers.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["DiskStore"], "{query}: {}", pack.context);
    }
}

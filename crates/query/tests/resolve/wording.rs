//! Tests which words of error messages, questions and test reports name something.

use super::*;

#[test]
fn fixed_wording_of_error_messages_names_nothing() {
    const READERS: &str = "
        //- readers.py
        class NoneType: pass
        def read(path): pass
        def properties(path): pass
        def reading(path): pass
        def length(path): pass
        def function(path): pass
        ";
    let names = |query: &str| {
        let found = find(&snapshot(READERS, &[]), query, &Focus::default());
        let mut names: Vec<String> = found.symbols.iter().map(|s| s.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    let script = "Uncaught TypeError: Cannot read properties of undefined (reading 'length')";
    assert_eq!(names(script), ["length"]);
    assert_eq!(names("TypeError: length is not a function"), ["length"]);
    let python = "AttributeError: 'NoneType' object has no attribute 'length'";
    assert_eq!(names(python), ["length"]);
    assert!(names("The properties of a NoneType are lost").contains(&"NoneType".to_owned()));
}

#[test]
fn word_with_a_sigil_names_exactly_that_definition() {
    const STORE: &str = "
        //- src/store.ts
        export class Store {
            $patch(state: any) { return state }
            load(state: any) { return state }
            delete_(state: any) { return state }
        }
        ";
    let snapshot = snapshot(STORE, &[]);
    let named = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let written = ["title", "prose", "inline_code"];
        let symbols = found.symbols.iter();
        let symbols = symbols.filter(|symbol| written.contains(&symbol.from.name()));
        let mut names = resolved_by(&snapshot, symbols);
        names.dedup();
        names
    };
    for query in [
        "Arrays are lost with $patch in actions",
        "Arrays are lost with `$patch` in actions",
        "Arrays are lost\n\nIt happens with $patch in actions.",
    ] {
        assert_eq!(named(query), ["src/store.ts:Store.$patch"], "{query}");
    }
    for query in [
        "Arrays are lost with $load in actions",
        "Arrays are lost with `$load` in actions",
        "Arrays are lost with _patch in actions",
        "Arrays are lost with load_ in actions",
    ] {
        assert_eq!(named(query), [""; 0], "{query}");
    }
    let query = "Arrays are lost with delete_ in actions";
    assert_eq!(named(query), ["src/store.ts:Store.delete_"]);
}

#[test]
fn verb_of_a_question_names_nothing() {
    const DOORS: &str = "
        //- doors.py
        def use(door): pass
        def call(door): pass
        def call_graph(door): pass
        def define_lazy(door): pass
        def define(door): pass
        def uses_door(door): pass
        def door(door): pass
        ";
    let names = |query: &str| {
        let found = find(&snapshot(DOORS, &[]), query, &Focus::default());
        let mut names: Vec<String> = found.symbols.iter().map(|s| s.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    };
    for query in [
        "who uses door", "who calls door?", "where is door defined?", "callers of door",
    ] {
        assert_eq!(names(query), ["door"], "{query}");
    }
    for query in [
        "who uses the call graph?",
        "what does the call graph depend on?",
    ] {
        assert!(names(query).contains(&"call graph".to_owned()), "{query}");
    }
    assert!(names("Doors crash after a call").contains(&"call".to_owned()));
}

#[test]
fn plain_word_that_a_question_looks_up_is_a_name() {
    const SHELVES: &str = "
        //- shelves.py
        class Shelf: pass
        class Door: pass
        class Consumer: pass
        def shelve(door): pass
        def paint(door): pass
        ";
    let names = |query: &str, is_named: bool| {
        let found = find(&snapshot(SHELVES, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let symbols = symbols.filter(|s| (s.from == EvidenceSource::Title) == is_named);
        symbols.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    for (query, wanted) in [
        ("where is Shelf defined?", &["Shelf"][..]),
        ("where is Shelf?", &["Shelf"]),
        ("where is the class Shelf", &["Shelf"]),
        ("who uses the Shelf class?", &["Shelf"]),
        ("which classes implement Shelf", &["Shelf"]),
        ("list all subclasses of Shelf", &["Shelf"]),
        (
            "what is the difference between Shelf and Door?",
            &["Shelf", "Door"],
        ),
        ("who calls paint?", &["paint"]),
        ("which tests cover paint?", &["paint"]),
        ("what does paint call?", &["paint"]),
        ("which tests cover Consumer?", &["Consumer"]),
        ("what does Consumer depend on?", &["Consumer"]),
    ] {
        assert_eq!(names(query, true), wanted, "{query}");
        assert_eq!(names(query, false), [""; 0], "{query}");
    }
    for query in [
        "where is the Shelf paint defined?",
        "where is shelf defined?",
        "the Shelf is empty",
    ] {
        assert_eq!(names(query, true), [""; 0], "{query}");
    }
}

#[test]
fn plain_word_that_a_title_calls_a_type_is_a_name() {
    const SHELVES: &str = "
        //- shelves.py
        class Shelf: pass
        class Base: pass
        def Paint(door): pass
        ";
    let snapshot = snapshot(SHELVES, &[]);
    let names = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        let symbols = symbols.filter(|symbol| symbol.from == EvidenceSource::Title);
        symbols.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    for query in [
        "the Shelf class loses its doors",
        "loses doors in class Shelf",
        "add a method to the Shelf type",
    ] {
        assert_eq!(names(query), ["Shelf"], "{query}");
    }
    // A sentence begins in upper case, and only types are called types.
    for query in [
        "Base class loses its doors",
        "the shelf class loses its doors",
        "the Paint class loses its doors",
        "the Shelf loses its class",
    ] {
        assert_eq!(names(query), [""; 0], "{query}");
    }
}

#[test]
fn plain_word_is_a_name_if_only_a_few_functions_or_types_have_it() {
    const SHOP: &str = "
        //- shop.py
        def paint(door): pass
        def lock(door): pass
        class Gate:
            def lock(self): pass
            def timeout(self): pass
        timeout = 3
        class A:
            def run(self): pass
        class B:
            def run(self): pass
        class C:
            def run(self): pass
        class D:
            def run(self): pass
        //- tests/test_shop.py
        def paint(): pass
        ";
    let named = |query: &str| {
        let found = find(&snapshot(SHOP, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let named = symbols.filter(|s| s.from == EvidenceSource::Title);
        named.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    for query in [
        "who uses paint?", "who uses the paint function", "which tests cover paint",
        "where do we test paint?", "what does paint depend on?", "what does paint call",
    ] {
        assert_eq!(named(query), ["paint"], "{query}");
    }
    assert_eq!(named("who uses lock?"), ["lock"]);
    for query in [
        "who uses run?",
        "which tests cover timeout?",
        "who uses paint rollers?",
        "what does the paint cost depend on?",
    ] {
        assert_eq!(named(query), [""; 0], "{query}");
    }
}

#[test]
fn sigil_is_a_part_of_the_name_that_a_question_looks_up() {
    const STORES: &str = "
        //- store.ts
        export function patch() {}
        export function load() {}
        export function _load() {}
        export const store = { $patch() {} };
        ";
    let names = |query: &str| {
        let found = find(&snapshot(STORES, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let named = symbols.filter(|s| s.from == EvidenceSource::Title);
        named.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("who calls $patch?"), ["$patch"]);
    assert_eq!(names("where is _load defined?"), ["_load"]);
    assert_eq!(names("who calls patch?"), ["patch"]);
    // Emphasis is no part of a name.
    assert_eq!(names("who calls _patch_?"), ["patch"]);
}

#[test]
fn placeholder_package_names_nothing() {
    const SHOP: &str = "
        //- shop.py
        class Foo: pass
        def example(): pass
        ";
    let names = |query: &str| {
        let found = find(&snapshot(SHOP, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let symbols = symbols.filter(|s| s.from == EvidenceSource::Title);
        symbols.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("No rule for com.example.Foo"), [""; 0]);
    assert_eq!(names("No rule for com.acme.Foo"), ["Foo"]);
}

#[test]
fn parts_of_a_package_name_nothing() {
    const SHOP: &str = "
        //- shop.py
        class Foo: pass
        def jdbc(): pass
        def close(): pass
        ";
    let names = |query: &str| {
        let found = find(&snapshot(SHOP, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let symbols = symbols.filter(|s| s.from == EvidenceSource::Title);
        symbols.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("No rule for org.h2.jdbc.Clob"), [""; 0]);
    assert_eq!(names("No rule for org.h2.jdbc.Clob.close"), ["close"]);
    assert_eq!(names("No rule for org.h2.jdbc.Foo"), ["Foo"]);
    // Neither is a class in a package of the JVM.
    assert_eq!(names("No rule for lib.jdbc.Clob"), ["jdbc"]);
    assert_eq!(names("No rule for org.h2.jdbc"), ["jdbc"]);
}

#[test]
fn failed_tests_are_found_by_their_titles() {
    const SUITES: &str = "
        //- test/a.spec.js
        describe('Suite', () => {
          it('adds', () => { add(1); });
          it('reads', () => { read(1); });
        });
        describe('Shelf', () => {
          it('adds', () => { add(2); });
        });

        //- test/b.spec.js
        describe('Suite', () => {
          it('adds', () => { add(3); });
        });
        ";
    let snapshot = snapshot(SUITES, &[]);
    let tests = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        resolved_by(
            &snapshot,
            symbols.filter(|s| s.from == EvidenceSource::Traceback),
        )
    };
    let (first, second) = ("test/a.spec.js:Suite.adds", "test/b.spec.js:Suite.adds");
    let mocha = "1) Suite\n     adds:\n   AssertionError: no";
    assert_eq!(tests(mocha), [first, second]);
    assert_eq!(tests("FAIL test/b.spec.js\n  ● Suite › adds"), [second]);
    assert_eq!(
        tests("FAIL test/a.spec.js > Shelf > adds"),
        ["test/a.spec.js:Shelf.adds"]
    );
    assert_eq!(tests("not ok 3 - reads"), ["test/a.spec.js:Suite.reads"]);
    // The title of a test with parameters is made when it runs.
    assert_eq!(tests("● Shelf › adds 17 books"), ["test/a.spec.js:Shelf"]);
}

#[test]
fn failed_tests_of_python_are_found_in_their_files() {
    const TESTS: &str = "
        //- tests/test_a.py
        class TestShelf:
            def test_add(self): pass

        class TestCart:
            def test_add(self): pass

        //- tests/test_b.py
        def test_add(): pass

        //- tests/latest_b.py
        def test_add(): pass
        ";
    let snapshot = snapshot(TESTS, &[]);
    let tests = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        resolved_by(
            &snapshot,
            symbols.filter(|s| s.from == EvidenceSource::Traceback),
        )
    };
    assert_eq!(
        tests("It breaks\n\nFAILED tests/test_a.py::TestCart::test_add - KeyError: 1"),
        ["tests/test_a.py:TestCart.test_add"]
    );
    assert_eq!(
        tests("It breaks\n\nERROR: test_add (tests.test_a.TestShelf.test_add)"),
        ["tests/test_a.py:TestShelf.test_add"]
    );
    assert_eq!(
        tests("It breaks\n\ntests/test_b.py::test_add FAILED [ 50%]"),
        ["tests/test_b.py:test_add"]
    );
    // The end of another file's name is no path.
    assert_eq!(
        tests("It breaks\n\nFAILED test_b.py::test_add - KeyError: 1"),
        ["tests/test_b.py:test_add"]
    );
    assert_eq!(tests("FAILED tests/test_c.py::test_add"), [""; 0]);
}

#[test]
fn failed_tests_of_every_runner_are_found_by_their_names() {
    const TESTS: &str = "
        //- cart_test.go
        package shop

        func TestSum(t *testing.T) {}

        //- cart.go
        package shop

        func TestSum2() {}

        //- src/cart.rs
        pub fn sums() {}

        #[cfg(test)]
        mod tests {
            #[test]
            fn sums() {}
        }

        //- tests/it/cart.rs
        #[test]
        fn sums() {}

        //- src/test/java/shop/CartTest.java
        package shop;

        class CartTest extends BaseTest {
            @Test
            void sums() {}
        }

        //- src/test/java/shop/ShelfTest.java
        package shop;

        class ShelfTest extends BaseTest {
            @Test
            void sums() {}
        }

        //- src/test/java/shop/BaseTest.java
        package shop;

        class BaseTest {
            @Test
            void isSerializable() {}
        }

        //- src/test/kotlin/shop/DoorTest.kt
        package shop

        class DoorTest {
            @Test
            fun `opens and shuts`() {}
        }

        //- tests/gate_test.cc
        TEST(GateTest, Opens) { open(); }
        ";
    let snapshot = snapshot(TESTS, &[]);
    let tests = |line: &str| {
        let found = find(
            &snapshot,
            &format!("It breaks\n\n{line}"),
            &Focus::default(),
        );
        let symbols = found.symbols.iter();
        resolved_by(
            &snapshot,
            symbols.filter(|s| s.from == EvidenceSource::Traceback),
        )
    };
    let sums = "src/test/java/shop/CartTest.java:CartTest.sums";
    for (line, wanted) in [
        ("--- FAIL: TestSum/no_item (0.00s)", "cart_test.go:TestSum"),
        (
            "test cart::tests::sums ... FAILED",
            "src/cart.rs:tests.sums",
        ),
        (
            "failures:\n    cart::sums\n\ntest result: FAILED",
            "tests/it/cart.rs:sums",
        ),
        (
            "[ERROR] shop.CartTest.sums -- Time elapsed: 0.003 s <<< FAILURE!",
            sums,
        ),
        ("shop.CartTest > sums FAILED", sums),
        // The title of a test may be in an annotation.
        (
            "CartTest > adds up all items FAILED",
            "src/test/java/shop/CartTest.java:CartTest",
        ),
        (
            "shop.CartTest > isSerializable FAILED",
            "src/test/java/shop/BaseTest.java:BaseTest.isSerializable",
        ),
        (
            "DoorTest > opens and shuts()[jvm] FAILED",
            "src/test/kotlin/shop/DoorTest.kt:DoorTest.opens and shuts",
        ),
        (
            "[  FAILED  ] GateTest.Opens (3 ms)",
            "tests/gate_test.cc:GateTest.Opens",
        ),
    ] {
        assert_eq!(tests(line), [wanted], "{line}");
    }
    // Several classes have such a test, and the code is no test.
    assert_eq!(tests("DeskTest > sums FAILED"), [""; 0]);
    assert_eq!(tests("--- FAIL: TestSum2 (0.00s)"), [""; 0]);
}

#[test]
fn name_after_that_of_its_file_is_found() {
    const SHOP: &str = "
        //- shop/doors.py
        def shut(door):
            def lock(): pass

        //- shop/gates.py
        def shut(gate): pass
        class Door: pass
        ";
    let snapshot = snapshot(SHOP, &[]);
    let resolved = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        resolved_by(&snapshot, symbols.filter(|s| s.name.contains('.')).take(1))
    };
    assert_eq!(resolved("doors.shut is slow"), ["shop/doors.py:shut"]);
    assert_eq!(resolved("`gates.shut` is slow"), ["shop/gates.py:shut"]);
    // Only what is at the top of the file.
    assert_eq!(resolved("doors.lock is slow"), [""; 0]);
}

#[test]
fn words_of_a_dotted_name_name_nothing_else() {
    const SHOP: &str = "
        //- shop.py
        class Door:
            def shut(self): pass

        class Shut: pass
        ";
    let words = |query: &str| {
        let found = find(&snapshot(SHOP, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let words = symbols.filter(|s| s.from == EvidenceSource::Word);
        words.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(words("Door.shut fails"), [""; 0]);
    assert_eq!(words("A door that is shut fails"), ["door", "shut"]);
}

#[test]
fn method_named_like_an_extension_is_found() {
    const SHOP: &str = "
        //- shop.py
        class Reply:
            def json(self): pass
        ";
    let resolved = |query: &str, files: &[(String, String)]| {
        let snapshot = snapshot(SHOP, files);
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        resolved_by(&snapshot, symbols.filter(|s| s.name == "Reply.json"))
    };
    let method = "shop.py:Reply.json";
    assert_eq!(resolved("Reply.json() fails", &[]), [method]);
    assert_eq!(resolved("It fails\n\nin Reply.json today", &[]), [method]);
    let file = [("Reply.json".to_owned(), "{}".to_owned())];
    assert_eq!(resolved("It fails\n\nin Reply.json today", &file), [""; 0]);
}

#[test]
fn plain_words_are_names_where_code_of_a_name_is_asked_for() {
    const SHOP: &str = "
        //- shop.py
        def caching(): pass
        def command(): pass
        class Shelf: pass
        ";
    let named = |query: &str| {
        let found = find(&snapshot(SHOP, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let symbols = symbols.map(|s| format!("{} {}", s.from.name(), s.name));
        symbols.collect::<Vec<_>>()
    };
    assert_eq!(named("where is caching defined?"), ["title caching"]);
    assert_eq!(named("where is the caching function?"), ["title caching"]);
    // It may be more than a function.
    assert_eq!(named("where is caching implemented?"), ["word caching"]);
    // The commands are the answer.
    assert_eq!(named("which commands extend Shelf?"), ["title Shelf"]);
}

#[test]
fn type_in_lower_case_is_a_name_where_types_are_asked_for() {
    const SINKS: &str = "
        //- sinks.py
        class sink: pass
        class file_sink(sink): pass
        ";
    let named = |query: &str| {
        let found = find(&snapshot(SINKS, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let named = symbols.filter(|s| s.from == EvidenceSource::Title);
        named.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    for query in [
        "which classes implement sink",
        "where is sink defined?",
        "where is the sink class?",
        "who calls sink?",
        "who uses sink?",
        "who uses the class sink?",
        "which tests cover the sink class",
    ] {
        assert_eq!(named(query), ["sink"], "{query}");
    }
    assert_eq!(named("where is the sink located?"), [""; 0]);
}

#[test]
fn aliases_and_macros_in_lower_case_are_names_where_they_are_asked_for() {
    const SHOP: &str = "
        //- shop.go
        package shop

        type endpoints map[string]*endpoint

        type endpoint struct{}

        //- src/lib.rs
        macro_rules! span { () => { 1 }; }
        pub struct Span;
        ";
    let snapshot = snapshot(SHOP, &[]);
    let named = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        resolved_by(
            &snapshot,
            symbols.filter(|s| s.from == EvidenceSource::Title),
        )
    };
    for query in [
        "where is endpoints defined?",
        "where is the type endpoints defined?",
        "who uses the type endpoints?",
    ] {
        assert_eq!(named(query), ["shop.go:endpoints"], "{query}");
    }
    for query in [
        "where is span! defined?", "where is the span! macro", "who uses span!",
        "who uses the macro span?",
    ] {
        assert_eq!(named(query), ["src/lib.rs:span"], "{query}");
    }
}

#[test]
fn macro_for_a_function_is_a_name_where_calls_or_its_definition_are_asked_for() {
    const PAINT: &str = "
        //- src/paint.h
        #define paint shop_paint
        void shop_paint(int color);
        ";
    let named = |query: &str| {
        let found = find(&snapshot(PAINT, &[]), query, &Focus::default());
        let symbols = found.symbols.iter();
        let named = symbols.filter(|s| s.from == EvidenceSource::Title);
        named.map(|s| s.name.clone()).collect::<Vec<_>>()
    };
    for query in ["who calls paint?", "where is paint defined?"] {
        assert_eq!(named(query), ["paint"], "{query}");
    }
    assert_eq!(named("where is paint implemented?"), [""; 0]);
}

#[test]
fn question_that_says_more_than_a_name_does_not_look_it_up_alone() {
    let has_only_names = |query: &str| {
        let found = find(&snapshot(LIBRARY, &[]), query, &Focus::default());
        found.has_only_names
    };
    for query in [
        "where is Store defined?",
        "where is the class `Store` declared?",
        "where is `Store.bulk_create` defined",
        "show me the source code of open_store",
        "where is Store<Row> defined?",
        "who imports lib.views",
        "what raises Store?",
    ] {
        assert!(has_only_names(query), "{query}");
    }
    for query in [
        "where is the path of `open_store` defined?",
        "where are rows of Store declared?",
        "Store is defined twice",
    ] {
        assert!(!has_only_names(query), "{query}");
    }
}

#[test]
fn module_is_found_whatever_its_name_looks_like() {
    const SHOP: &str = "
        //- shop/__init__.py
        NAME = 'shop'
        //- shop/json.py
        def dump(door): pass
        //- shop/door_frames.py
        def hang(door): pass
        ";
    let snapshot = snapshot(SHOP, &[]);
    for (query, path) in [
        // It ends like a file.
        ("who imports shop.json", "shop/json.py"),
        ("who imports shop.door_frames", "shop/door_frames.py"),
    ] {
        let found = find(&snapshot, query, &Focus::default());
        let files = found.files.iter();
        let files: Vec<&str> = files.map(|of| snapshot.files.path(of.file)).collect();
        assert_eq!(files, [path], "{query}");
        assert!(found.has_only_names, "{query}");
    }
}

#[test]
fn noun_and_participle_name_what_does_it() {
    const SHOP: &str = "
        //- src/plugins.ts
        export function registerPlugin(plugin: any) { return plugin }
        export const registerPlugins = 3
        export function validateDoor(door: any) { return door }
        ";
    let snapshot = snapshot(SHOP, &[]);
    let resolved = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let symbols = found.symbols.iter();
        let of_words = symbols.filter(|s| s.from == EvidenceSource::Words);
        resolved_by(&snapshot, of_words)
    };
    assert_eq!(
        resolved("where are plugins registered"),
        ["src/plugins.ts:registerPlugin"]
    );
    assert_eq!(
        resolved("how is a door validated?"),
        ["src/plugins.ts:validateDoor"]
    );
    assert_eq!(resolved("where are registers plugged"), [""; 0]);
}

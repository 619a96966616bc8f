//! Tests the answers to questions where a name is defined.

use super::*;

#[test]
fn all_of_a_few_definitions_of_a_name_are_looked_up() {
    let snapshot = fixture(
        "
        //- unix/core.py
        def run_loop(mode):
            return mode

        //- win/core.py
        def run_loop(mode):
            return mode + 1

        //- app.py
        from unix.core import run_loop


        def main():
            return run_loop(1)

        //- loop.py
        def stop_loop():
            return 'run the loop until it stops'
        ",
    );
    for query in ["where is run_loop defined", "where is `run_loop` defined?"] {
        let pack = asked(&snapshot, query, 4000);
        for wanted in ["unix/core.py", "win/core.py"] {
            assert!(pack.context.contains(wanted), "{}", pack.context);
        }
        assert!(!pack.context.contains("stop_loop"), "{}", pack.context);
    }
    let pack = asked(&snapshot, "who calls run_loop?", 4000);
    assert!(pack.context.contains("def main"), "{}", pack.context);
    assert!(!pack.context.contains("stop_loop"), "{}", pack.context);
}

#[test]
fn constant_is_shown_without_the_code_around_it() {
    let snapshot = fixture(
        "
        //- shop/limits.py
        MAX_ROWS = 40
        MIN_ROWS = 2


        def check_rows(rows):
            return rows < MAX_ROWS

        //- shop/report.py
        from shop.limits import MAX_ROWS


        def cut_rows(rows):
            return rows[:MAX_ROWS]
        ",
    );
    for query in [
        "where is MAX_ROWS defined",
        "where is the constant `MAX_ROWS` defined?",
    ] {
        let pack = asked(&snapshot, query, 4000);
        let definitions = items(&pack, "definitions");
        let names: Vec<&str> = definitions.iter().map(|item| item.name.as_str()).collect();
        assert_eq!(names, ["MAX_ROWS"], "{query}: {}", pack.context);
        assert!(pack.context.contains("MAX_ROWS = 40"), "{}", pack.context);
        for beside in ["check_rows", "cut_rows", "MIN_ROWS"] {
            assert!(!pack.context.contains(beside), "{}", pack.context);
        }
    }
    // More than the name is asked for.
    let pack = asked(&snapshot, "where is the check of `MAX_ROWS` defined?", 4000);
    assert!(pack.context.contains("MIN_ROWS"), "{}", pack.context);
}

#[test]
fn long_class_is_shown_once_by_its_members() {
    let methods: String = (0..60)
        .map(|n| format!("    def take_{n}(self, book):\n        return book.number({n})\n\n"))
        .collect();
    let shelf =
        format!("class Shelf:\n    def __init__(self):\n        self.size = 1\n\n{methods}");
    let snapshot = snapshot([("shelf.py".to_owned(), shelf)]);
    let pack = asked(&snapshot, "where is Shelf defined?", 4000);
    assert_eq!(
        shown(&pack, "definitions"),
        ["Shelf standard"],
        "{}",
        pack.context
    );
    assert_eq!(pack.sections.len(), 1, "{}", pack.context);
}

#[test]
fn all_definitions_of_a_frequent_name_are_listed() {
    let files = (0..9).map(|n| {
        let code =
            format!("def run_loop(mode):\n    return mode + {n}\n\n\ndef stop_{n}(): pass\n");
        (format!("part_{n}/core.py"), code)
    });
    let snapshot = snapshot(files);
    let pack = asked(&snapshot, "where is run_loop defined?", 4000);
    assert_eq!(
        shown(&pack, "definitions"),
        ["run_loop compact"; 9],
        "{}",
        pack.context
    );
    assert!(!pack.context.contains("stop_"), "{}", pack.context);
}

#[test]
fn definition_comes_with_its_declaration() {
    let snapshot = fixture(
        "
        //- shop/shelf.h
        struct shelf_s {
          int size;
        };
        // Opens a shelf.
        int open_shelf(struct shelf_s* shelf);

        //- shop/shelf.c
        #include \"shelf.h\"

        int open_shelf(struct shelf_s* shelf) {
          return shelf->size;
        }
        ",
    );
    let paths = |query: &str| -> Vec<String> {
        let pack = asked(&snapshot, query, 4000);
        let items = items(&pack, "definitions").into_iter();
        items
            .map(|item| format!("{} {}", item.path, item.name))
            .collect()
    };
    let mut functions = paths("where is open_shelf declared?");
    functions.sort();
    assert_eq!(
        functions,
        ["shop/shelf.c open_shelf", "shop/shelf.h open_shelf"]
    );
}

#[test]
fn kind_that_a_question_says_chooses_among_definitions_of_a_name() {
    let snapshot = fixture(
        "
        //- shelf.py
        class Shelf:
            pass

        //- make.py
        def Shelf(size):
            return size
        ",
    );
    for (query, wanted, beside) in [
        (
            "where is the class `Shelf` defined?",
            "class Shelf",
            "def Shelf",
        ),
        (
            "where is the `Shelf` function defined?",
            "def Shelf",
            "class Shelf",
        ),
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert!(pack.context.contains(wanted), "{query}: {}", pack.context);
        assert!(!pack.context.contains(beside), "{query}: {}", pack.context);
    }
}

#[test]
fn file_of_the_name_is_first_among_the_parts_of_a_type() {
    let snapshot = fixture(
        "
        //- src/Shelf.Events.cs
        namespace Shop;
        partial class Shelf { void Notify() { } }
        //- src/Shelf.Limits.cs
        namespace Shop;
        partial class Shelf { void Check() { } }
        //- src/Shelf.cs
        namespace Shop;
        partial class Shelf { void Open() { } }
        ",
    );
    let pack = asked(&snapshot, "where is Shelf defined?", 4000);
    let definitions = items(&pack, "definitions");
    let paths: Vec<&str> = definitions.iter().map(|item| item.path.as_str()).collect();
    let wanted = ["src/Shelf.cs", "src/Shelf.Events.cs", "src/Shelf.Limits.cs"];
    assert_eq!(paths, wanted, "{}", pack.context);
}

#[test]
fn string_that_declares_a_setting_is_its_definition() {
    let snapshot = fixture(
        "
        //- shop/config.py
        class OpenTimeout(Setting):
            name = 'open_timeout'

        class Other(Setting):
            name = 'other_setting'

        class Skipped(Setting):
            default = 'make_config'

        //- tests/test_config.py
        class FakeConfig:
            open_timeout = 5

        def make_config():
            return FakeConfig()
        ",
    );
    let pack = asked(&snapshot, "where is make_config defined?", 4000);
    assert!(pack.context.contains("def make_config"), "{}", pack.context);
    let pack = asked(&snapshot, "where is open_timeout defined?", 4000);
    let context = &pack.context;
    assert!(context.contains("class OpenTimeout"), "{context}");
    assert!(!context.contains("FakeConfig"), "{context}");
    assert!(!context.contains("class Other"), "{context}");
}

#[test]
fn misspelt_name_gets_the_signature_of_the_right_one() {
    let snapshot = fixture(SHELVES);
    for (query, name) in [
        ("where is darken_color defined", "darken_color"),
        ("who calls darken_colur?", "darken_colur"),
        ("which tests cover `darken_colr`?", "darken_colr"),
    ] {
        let request = Request {
            intent: None,
            ..request(query, 4000, IntentKind::Explanation)
        };
        let answer = ask(&snapshot, &request);
        let context = &answer.pack.context;
        let spelled_alike = "darken_colour: spelled like the name in the query";
        assert_eq!(
            reasons(&answer.pack, "definitions"),
            [spelled_alike],
            "{query}: {context}"
        );
        assert_eq!(answer.pack.sections.len(), 1, "{query}: {context}");
        assert!(!context.contains("return colour"), "{context}");
        let mut issues = answer.issues.iter();
        let unknown = issues.find(|issue| issue.code == IssueCode::UnknownName);
        let wanted = format!(
            "this revision defines nothing of this name: {name}; did you mean `darken_colour`?"
        );
        assert_eq!(unknown.map(|issue| &issue.detail), Some(&wanted), "{query}");
    }
}

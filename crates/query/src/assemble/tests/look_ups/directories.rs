//! Tests the answers to questions for the users and dependencies of a directory.

use super::*;

const SHOP: &str = "
    //- go.mod
    module acme.com/shop

    //- pkg/desk/desk.go
    package desk

    import \"acme.com/shop/pkg/paint\"

    // OpenDesk opens.
    func OpenDesk() string {
    \treturn closeDesk() + paint.Darken()
    }

    //- pkg/desk/close.go
    package desk

    import \"acme.com/shop/pkg/paint\"

    func closeDesk() string {
    \treturn paint.Darken()
    }

    //- pkg/paint/paint.go
    package paint

    // Darken darkens.
    func Darken() string {
    \treturn \"dark\"
    }

    // Lighten lightens.
    func Lighten() string {
    \treturn \"light\"
    }

    //- cmd/main.go
    package main

    import \"acme.com/shop/pkg/desk\"

    func main() {
    \tdesk.OpenDesk()
    }
";

/// Returns `path: reason` of each import.
fn imports(pack: &Pack) -> Vec<String> {
    let items = items(pack, "imports").into_iter();
    items
        .map(|item| format!("{}: {}", item.path, item.reason))
        .collect()
}

#[test]
fn dependencies_of_a_directory_are_outside_of_it() {
    let snapshot = fixture(SHOP);
    for query in [
        "what does pkg/desk depend on?",
        "what does `pkg/desk/` depend on",
    ] {
        let pack = asked(&snapshot, query, 4000);
        assert_eq!(
            imports(&pack),
            ["pkg/desk/close.go: imports pkg/paint/paint.go"],
            "{query}: {}",
            pack.context
        );
        let shown = reasons(&pack, "definitions");
        assert_eq!(shown, ["Darken: used by closeDesk"], "{query}");
        assert!(!pack.context.contains("OpenDesk"), "{}", pack.context);
    }
}

#[test]
fn users_of_a_directory_are_outside_of_it() {
    let snapshot = fixture(SHOP);
    for query in ["who imports pkg/desk?", "what depends on pkg/desk"] {
        let pack = asked(&snapshot, query, 4000);
        let imports = imports(&pack);
        assert_eq!(imports.len(), 1, "{query}: {imports:?}");
        assert!(imports[0].starts_with("cmd/main.go: imports pkg/desk/"));
        assert!(!pack.context.contains("Darken"), "{}", pack.context);
    }
}

#[test]
fn users_of_a_file_import_its_package() {
    let snapshot = fixture(SHOP);
    for file in ["pkg/desk/close.go", "pkg/desk/desk.go"] {
        let pack = asked(&snapshot, &format!("who imports {file}?"), 4000);
        let wanted = format!("cmd/main.go: imports {file}");
        assert_eq!(imports(&pack), [wanted], "{}", pack.context);
    }
}

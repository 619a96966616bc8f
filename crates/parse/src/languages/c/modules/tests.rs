//! Tests import resolution of C and C++ in small trees.

use super::MODULES;
use crate::testing::Tree;

fn tree() -> Tree {
    let paths = [
        "include/shop/cart.h",
        "include/shop/detail/item.h",
        "src/cart.c",
        "src/cart.h",
        "src/private.h",
        "src/ops.def",
        "src/db/store.cc",
        "src/db/store.hpp",
        "lib/common/mem.h",
        "lib/common/error.h",
        "lib/compress/hist.c",
        "lib/compress/hist.h",
        "lib/string.h",
        "deps/json/include/json/value.h",
        "deps/json/src/value.cc",
        "deps/other/include/json/value.h",
        "deps/other/main.cc",
        "tests/private.h",
        "tests/cart_test.cc",
        "tests/data/mem.txt",
        "tools/gen/config.h",
        "tools/gen/gen.c",
        "main.c",
        "self.h",
        "notes.py",
    ];
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "int a;\n")).collect();
    Tree::new(&files)
}

#[test]
fn includes_resolve_to_files() {
    let tree = tree();
    let (cart, test, hist) = ("src/cart.c", "tests/cart_test.cc", "lib/compress/hist.c");
    for (importer, module, found) in [
        // Beside the includer.
        (cart, "cart.h", "src/cart.h"),
        (cart, "./cart.h", "src/cart.h"),
        (cart, "db/store.hpp", "src/db/store.hpp"),
        (cart, "ops.def", "src/ops.def"),
        (cart, "private.h", "src/private.h"),
        (test, "private.h", "tests/private.h"),
        (hist, "hist.h", "lib/compress/hist.h"),
        (hist, "../common/mem.h", "lib/common/mem.h"),
        ("src/db/store.cc", "../private.h", "src/private.h"),
        // In likely include paths.
        (cart, "shop/cart.h", "include/shop/cart.h"),
        (cart, "<shop/cart.h>", "include/shop/cart.h"),
        (cart, "shop/detail/item.h", "include/shop/detail/item.h"),
        ("main.c", "shop/cart.h", "include/shop/cart.h"),
        ("main.c", "common/mem.h", "lib/common/mem.h"),
        ("main.c", "mem.h", "lib/common/mem.h"),
        ("main.c", "config.h", "tools/gen/config.h"),
        (test, "cart.h", "src/cart.h"),
        (test, "../missing/cart.h", ""),
        (hist, "error.h", "lib/common/error.h"),
        // The nearest of several.
        (
            "deps/json/src/value.cc",
            "json/value.h",
            "deps/json/include/json/value.h",
        ),
        (
            "deps/other/main.cc",
            "json/value.h",
            "deps/other/include/json/value.h",
        ),
        // System headers, and modules without a file.
        ("main.c", "<string.h>", ""),
        ("main.c", "\"string.h\"", "lib/string.h"),
        ("main.c", "<sys/types.h>", ""),
        ("main.c", "<vector>", ""),
        ("main.c", "absent.h", ""),
        ("main.c", "art.h", ""),
        ("main.c", "mem.txt", ""),
        // A header that includes the next one of the same name.
        ("self.h", "self.h", ""),
    ] {
        assert_eq!(
            tree.resolve(&MODULES, importer, module),
            found,
            "{importer}: {module}"
        );
    }
}

#[test]
fn all_code_is_one_package() {
    let packages = tree().packages(&MODULES);
    assert_eq!(packages.len(), 1);
    let found: Vec<&str> = packages.iter().flat_map(|paths| paths.split(' ')).collect();
    assert!(found.contains(&"src/cart.c") && found.contains(&"src/db/store.cc"));
    assert!(!found.contains(&"notes.py") && !found.contains(&"tests/data/mem.txt"));
}

#[test]
fn module_names_are_file_names() {
    assert_eq!((MODULES.imported_name)("<a/b.h>"), Some("b.h"));
    assert_eq!((MODULES.imported_name)("b.h"), Some("b.h"));
    let path = foveate_model::RepoPath::new("x/b.h").unwrap();
    assert_eq!((MODULES.module_name)(&path), Some("b.h"));
}

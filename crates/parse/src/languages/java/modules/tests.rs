//! Tests import resolution of Java and Kotlin in small trees.

use super::{MODULES, jvm_name};
use crate::testing::Tree;

/// Two build modules, tests beside the sources, and both languages.
fn shop() -> Tree {
    Tree::new(&[
        (
            "core/src/main/java/com/shop/Cart.java",
            "package com.shop;\npublic class Cart { static class Item { enum Size { S } } }\nclass Hidden {}\n",
        ),
        (
            "core/src/test/java/com/shop/CartTest.java",
            "package com.shop;\nclass CartTest {}\n",
        ),
        (
            "core/src/main/java/com/shop/package-info.java",
            "/** Doc. */\npackage com.shop;\n",
        ),
        (
            "core/src/main/java/com/shop/db/Store.java",
            "package com.shop.db;\ninterface Store {}\n",
        ),
        (
            "core/src/main/java/com/shop/Version.java",
            "package com.shop;\nclass Version {}\n",
        ),
        (
            "app/src/main/java/com/shop/Version.java",
            "package com.shop;\nclass Version {}\n",
        ),
        (
            "app/src/main/java/com/shop/web/Page.java",
            "package com.shop.web;\nrecord Page() {}\n",
        ),
        (
            "app/src/main/java/com/shop/web/notes.txt",
            "package com.shop.web;\n",
        ),
        (
            "app/src/main/java/module-info.java",
            "module shop.app { }\n",
        ),
        ("tools/Main.java", "class Main {}\n"),
        ("tools/Run.java", "class Run {}\n"),
        ("demo/Main.java", "class Main {}\n"),
        (
            "odd/place/Elsewhere.java",
            "package com.odd;\n@interface Elsewhere {}\n",
        ),
    ])
}

#[test]
fn imports_resolve_to_packages_and_types() {
    let shop = shop();
    let page = "app/src/main/java/com/shop/web/Page.java";
    let cart = "core/src/main/java/com/shop/Cart.java";
    let store = "core/src/main/java/com/shop/db/Store.java";
    for (importer, module, found) in [
        // Packages: any of their files, from the nearest directory.
        (cart, "com.shop.db", store),
        (page, "com.shop.db", store),
        (cart, "com.shop.web", page),
        (page, "com.shop", "app/src/main/java/com/shop/Version.java"),
        (store, "com.shop", cart),
        (cart, "com.odd", "odd/place/Elsewhere.java"),
        // Types, for imports of their members.
        (page, "com.shop.Cart", cart),
        (page, "com.shop.Hidden", cart),
        (page, "com.shop.db.Store", store),
        (cart, "com.shop.web.Page", page),
        (cart, "com.odd.Elsewhere", "odd/place/Elsewhere.java"),
        (page, "com.shop.Cart.Item", cart),
        (page, "com.shop.Cart.Item.Size", cart),
        // Of types with the same name, the nearest.
        (
            page,
            "com.shop.Version",
            "app/src/main/java/com/shop/Version.java",
        ),
        (
            cart,
            "com.shop.Version",
            "core/src/main/java/com/shop/Version.java",
        ),
        (
            "core/src/test/java/com/shop/CartTest.java",
            "com.shop.Version",
            "core/src/main/java/com/shop/Version.java",
        ),
        ("tools/Run.java", "Main", "tools/Main.java"),
        ("demo/Main.java", "Run", "tools/Run.java"),
        // Names from outside the repository.
        (cart, "java.util", ""),
        (cart, "com", ""),
        (cart, "com.shop.Missing", ""),
        (cart, "com.shop.missing.Cart", ""),
        (cart, "shop.app", ""),
        (cart, "", ""),
        (cart, "org.com.shop", ""),
        (cart, "com.shopping", ""),
    ] {
        assert_eq!(
            shop.resolve(&MODULES, importer, module),
            found,
            "{module} in {importer}"
        );
    }
}

#[test]
fn packages_follow_declarations() {
    assert_eq!(
        shop().packages(&MODULES),
        [
            "app/src/main/java/com/shop/Version.java core/src/main/java/com/shop/Cart.java \
             core/src/main/java/com/shop/Version.java core/src/main/java/com/shop/package-info.java \
             core/src/test/java/com/shop/CartTest.java",
            "app/src/main/java/com/shop/web/Page.java",
            "app/src/main/java/module-info.java",
            "core/src/main/java/com/shop/db/Store.java",
            "demo/Main.java",
            "odd/place/Elsewhere.java",
            "tools/Main.java tools/Run.java",
        ]
    );
}

#[test]
fn jvm_class_name_of_functions_is_read() {
    for (text, name) in [
        ("@file:JvmName(\"Okio\")\npackage okio\n", Some("Okio")),
        (
            "@file:JvmMultifileClass\n@file:JvmName(\"A\")\n\npackage a\n",
            Some("A"),
        ),
        ("package a\n\n// @file:JvmName(\"B\")\n", None),
        ("", None),
    ] {
        assert_eq!(jvm_name(text), name, "{text}");
    }
    let is_settings = |path| (MODULES.is_settings)(&foveate_model::RepoPath::new(path).unwrap());
    assert!(
        is_settings("a/B.kt"),
        "an edit of the annotation alone moves the class"
    );
    assert!(!is_settings("a/B.java"));
}

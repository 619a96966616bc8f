//! Tests paths through crates and packages of Rust, Go and Kotlin, and the lines that questions about dependencies name.

use super::*;

/// Returns what the names of a query from one of its parts resolve to.
fn resolved(snapshot: &Snapshot, query: &str, from: &str) -> Vec<String> {
    let found = find(snapshot, query, &Focus::default());
    let symbols = found.symbols.iter().filter(|s| s.from.name() == from);
    resolved_by(snapshot, symbols)
}

const WORKSPACE: &str = "
    //- Cargo.toml
    [workspace]
    members = [\"shop\", \"shop-util\"]

    //- shop/Cargo.toml
    [package]
    name = \"shop\"

    //- shop/src/lib.rs
    mod mocked;
    pub mod sync;
    pub mod time;

    //- shop/src/mocked.rs
    pub mod sync {
        pub struct Mutex;
    }

    //- shop/src/sync/mod.rs
    mod mutex;
    pub mod oneshot;
    pub use mutex::Mutex;

    //- shop/src/sync/mutex.rs
    pub struct Mutex;

    impl Mutex {
        pub fn lock(&self) {}
    }

    //- shop/src/sync/oneshot.rs
    pub struct Sender;

    //- shop/src/time/mod.rs
    mod sleep;
    pub use sleep::sleep;

    //- shop/src/time/sleep.rs
    pub fn sleep() {}

    //- shop-util/Cargo.toml
    [package]
    name = \"shop-util\"

    //- shop-util/src/lib.rs
    pub mod codec;

    //- shop-util/src/codec/mod.rs
    mod framed;
    pub use self::framed::Framed;

    //- shop-util/src/codec/framed.rs
    pub struct Framed;

    //- shop-util/src/codec/other.rs
    pub struct Sender;
    pub fn sleep() {}
";

#[test]
fn rust_paths_resolve_through_crates_and_modules() {
    let snapshot = snapshot(WORKSPACE, &[]);
    for (path, wanted) in [
        ("shop::sync::Mutex", "shop/src/sync/mutex.rs:Mutex"),
        (
            "shop::sync::oneshot::Sender",
            "shop/src/sync/oneshot.rs:Sender",
        ),
        (
            "shop_util::codec::Framed",
            "shop-util/src/codec/framed.rs:Framed",
        ),
        // The function is exported beside a module of the same name.
        ("shop::time::sleep", "shop/src/time/sleep.rs:sleep"),
    ] {
        for (query, from) in [
            (format!("`{path}` is slow"), "inline_code"),
            (format!("Slow\n\nOften {path} is slow"), "prose"),
            (format!("Slow\n\n```rust\nuse {path};\n```\n"), "import"),
            (format!("`use {path};` is slow"), "import"),
        ] {
            assert_eq!(resolved(&snapshot, &query, from), [wanted], "{query}");
        }
    }
    assert_eq!(
        resolved(
            &snapshot,
            "`shop::sync::Mutex::lock` is slow",
            "inline_code"
        ),
        ["shop/src/sync/mutex.rs:Mutex.lock"]
    );
}

#[test]
fn rust_path_of_a_module_names_its_file() {
    let snapshot = snapshot(WORKSPACE, &[]);
    for (query, from) in [
        ("Slow\n\n`shop::sync::oneshot` is slow", "module"),
        ("Slow\n\n```rust\nuse shop::sync::oneshot;\n```\n", "import"),
    ] {
        let found = find(&snapshot, query, &Focus::default());
        let files = found.files.iter().filter(|file| file.from.name() == from);
        let paths: Vec<&str> = files.map(|f| snapshot.files.path(f.file)).collect();
        assert_eq!(paths, ["shop/src/sync/oneshot.rs"], "{query}");
    }
}

#[test]
fn name_after_the_name_of_its_go_package_resolves() {
    let snapshot = snapshot(
        "
        //- go.mod
        module example.com/acme/shop

        //- shop.go
        package shop

        type Cart struct{}

        //- render/json.go
        package render

        type JSON struct{}

        func (r JSON) Render() {}

        //- cart/cart.go
        package cart

        type Cart struct{}

        func (c Cart) JSON() {}
        ",
        &[],
    );
    for (name, wanted) in [
        ("render.JSON", "render/json.go:JSON"),
        ("render.JSON.Render", "render/json.go:JSON.Render"),
        ("shop.Cart", "shop.go:Cart"),
        ("cart.Cart", "cart/cart.go:Cart"),
    ] {
        let query = format!("`{name}` is wrong");
        assert_eq!(resolved(&snapshot, &query, "inline_code"), [wanted]);
    }
}

#[test]
fn frames_of_python_do_not_resolve_to_a_crate_of_the_same_name() {
    for path in ["shop/sync.py", "shop.py"] {
        let trace = format!("  File \"/v/site-packages/{path}\", line 1, in lock");
        check_trace(WORKSPACE, &trace, &[], &[]);
    }
}

#[test]
fn frames_of_rust_without_places_resolve_by_their_paths() {
    let trace = "stack backtrace:\n   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   \
                 2: <shop::sync::mutex::Mutex as other::Lock>::lock\n   3: other::run\n   4: main";
    check_trace(
        WORKSPACE,
        trace,
        &["shop/src/sync/mutex.rs:Mutex.lock"],
        &["shop/src/sync/mutex.rs"],
    );
}

#[test]
fn frames_of_native_kotlin_without_places_resolve_by_their_packages() {
    const CART: &str = "src/nativeMain/kotlin/org/acme/Cart.kt";
    const SHOP: &str = "
        //- src/nativeMain/kotlin/org/acme/Cart.kt
        package org.acme

        class Cart {
            fun sum(): Int = 1
            suspend fun load() {}
        }

        fun Cart.total(): Int = 2

        fun main() {}

        //- src/nativeMain/kotlin/org/other/Cart.kt
        package org.other

        class Cart {
            fun sum(): Int = 1
        }
        ";
    for (symbol, wanted) in [
        ("org.acme.Cart#sum(kotlin.Int){}kotlin.Int", "Cart.sum"),
        (
            "org.acme.Cart.$loadCOROUTINE$1.invokeSuspend#internal",
            "Cart.load",
        ),
        (
            "org.acme#total__at__org.acme.Cart(){}kotlin.Int",
            "Cart.total",
        ),
        ("org.acme#main(){}", "main"),
    ] {
        let trace = format!("    at 2   Shop   0x1a2b   kfun:{symbol} + 12");
        check_trace(SHOP, &trace, &[&format!("{CART}:{wanted}")], &[CART]);
    }
    let foreign = "    at 0   Shop   0x1a2b   kfun:com.acme.Cart#sum(){}kotlin.Int + 12";
    check_trace(SHOP, foreign, &[], &[]);
}

#[test]
fn imports_of_extensions_in_kotlin_lead_to_them() {
    const SHOP: &str = "
        //- src/main/kotlin/org/acme/shop/Totals.kt
        package org.acme.shop

        fun Cart.total(): Int = 2

        //- src/main/kotlin/org/acme/Store.kt
        package org.acme

        class Store {
            val shop = 1
            fun total(): Int = 3
        }
        ";
    let snapshot = snapshot(SHOP, &[]);
    let wanted = ["src/main/kotlin/org/acme/shop/Totals.kt:Cart.total"];
    let query = "It breaks\n\n```kotlin\nimport org.acme.shop.total\n```\n";
    assert_eq!(resolved(&snapshot, query, "import"), wanted);
    let query = "org.acme.shop.total is wrong";
    assert_eq!(resolved(&snapshot, query, "title"), wanted);
}

#[test]
fn frames_of_go_without_the_paths_of_the_build_name_their_module() {
    let repository = "
        //- go.mod
        module example.com/acme/shop

        //- http/server.go
        package http

        type Server struct{}

        func (s *Server) ServeHTTP() {}
    ";
    check_trace(
        repository,
        "example.com/acme/shop/http.(*Server).ServeHTTP(...)\n\texample.com/acme/shop@v1.9.0/http/server.go:5",
        &["http/server.go:Server.ServeHTTP"],
        &["http/server.go"],
    );
    for other in [
        "example.com/other/http.(*Server).ServeHTTP(0x1)\n\texample.com/other@v1.9.0/http/server.go:5 +0x1",
        "net/http.(*Server).ServeHTTP(0x1)\n\tnet/http/server.go:5 +0x1",
    ] {
        check_trace(repository, other, &[], &[]);
    }
}

#[test]
fn question_about_a_dependency_names_the_lines_that_require_it() {
    const SHOP: &str = "
        //- gradle/libs.versions.toml
        [versions]
        kotlin = \"2.1\"
        [libraries]
        kotlin-plugin = { module = \"org.kotlin:plugin\", version.ref = \"kotlin\" }
        //- notes/kotlin.toml
        kotlin = \"1.0\"
        //- requirements/tools.txt
        kotlin>=2
        //- src/kotlin.py
        kotlin = '2'
        //- web/package.json
        {
          \"dependencies\": {
            \"kotlin\": \"^2.1\"
          }
        }
        ";
    let snapshot = snapshot(SHOP, &[]);
    let lines = |query: &str| {
        let found = find(&snapshot, query, &Focus::default());
        let files = &snapshot.files;
        let lines = found.lines.iter();
        let lines = lines.map(|of| (files.path(files.chunk_file(of.chunk)), of.line));
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        lines("bump the kotlin version"),
        [
            ("gradle/libs.versions.toml", 2),
            ("requirements/tools.txt", 1),
            ("web/package.json", 3)
        ]
    );
    assert!(lines("how is kotlin compiled?").is_empty());
}

#[test]
fn members_of_classes_without_a_package_resolve() {
    let snapshot = snapshot(
        "
        //- Cart.java
        public class Cart {
            public int total() { return 1; }
        }

        //- Main.java
        class Main {
            static void run() {}
        }

        class Basket {
            int total() { return 2; }
        }
        ",
        &[],
    );
    for (name, member) in [
        ("Cart.total", "Cart.java:Cart.total"),
        ("Basket.total", "Main.java:Basket.total"),
    ] {
        let found = resolved(&snapshot, &format!("`{name}` is wrong"), "inline_code");
        assert_eq!(found, [member], "{name}");
    }
}

#[test]
fn main_of_another_program_does_not_resolve() {
    const PROGRAM: &str = "
        //- go.mod
        module acme.io/shop

        //- main.go
        package main

        func open() {}

        func main() {
        \topen()
        }
        ";
    let own = ["main.go:main"];
    let trace = |place: &str| format!("main.main()\n\t{place} +0x1d");
    check_trace(PROGRAM, &trace("/app/main.go:6"), &own, &["main.go"]);
    check_trace(PROGRAM, &trace("/home/ada/demo/main.go:12"), &[], &[]);
    check_trace(PROGRAM, &trace("/home/ada/demo/main.go:2"), &[], &[]);
}

#[test]
fn program_of_the_reporter_is_not_that_of_the_repository() {
    const SHOP: &str = "
        //- crates/core/main.rs
        fn main() {
            open();
        }

        //- examples/cart/src/main.rs
        fn main() {
            sum();
        }
        ";
    let panic = |path: &str| format!("thread 'main' panicked at {path}:2:5:\nno item");
    check_trace(SHOP, &panic("src/main.rs"), &[], &[]);
    check_trace(SHOP, &panic("./main.rs"), &[], &[]);
    for path in ["crates/core/main.rs", "/ci/shop/crates/core/main.rs"] {
        let main = ["crates/core/main.rs:main"];
        check_trace(SHOP, &panic(path), &main, &["crates/core/main.rs"]);
    }
}

//! Tests which files the traces, compiler messages and imports of several ecosystems resolve to in one repository.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use foveate_fixture::snapshot::of_text;
use foveate_index::Snapshot;
use foveate_query::resolve::{Resolution, resolve};
use foveate_query::text::QueryText;
use foveate_query::{Deadline, RankingConfig, Request};

const REPOSITORY: &str = "
    //- go.mod
    module acme.io/shop

    //- api.go
    package shop

    func open() {}

    //- cart/cart.go
    package cart

    func Sum(items []int) int {
    \treturn len(items)
    }

    //- src/main/java/org/acme/Cart.java
    package org.acme;

    public class Cart {
      int sum() {
        return 1;
      }
    }

    //- src/main/java/org/acme/Assert.java
    package org.acme;

    public class Assert {
      void fail() {}
    }

    //- shop/app/src/main/kotlin/tax/Rates.kt
    package org.acme.tax

    class Rates {
      fun vat() = 20
    }

    fun reduced() = 7

    //- Acme.Orders/Order.cs
    namespace Acme.Orders;

    public partial class Order {
      public int Sum() { return 1; }
    }

    //- Acme.Orders/Order.Pay.cs
    namespace Acme.Orders;

    public partial class Order {
      public void Pay() { }
    }

    //- include/shop/cart.h
    int sum(int a);

    //- lib/shop/line.rb
    class Line
      def price
        1
      end
    end

    //- src/pool.rs
    pub fn get() -> i32 {
        1
    }
";

fn snapshot() -> Snapshot {
    of_text(REPOSITORY)
}

fn resolved(snapshot: &Snapshot, text: &str) -> Resolution {
    let config = RankingConfig::default();
    let query = QueryText::parse(text);
    let request = Request::default();
    let deadline = Deadline::none();
    resolve(snapshot, &query, &request, &config.resolve, &deadline)
}

#[test]
fn qualified_names_of_types_and_members_resolve_to_definitions() {
    let snapshot = snapshot();
    for (name, wanted) in [
        ("org.acme.Cart.sum", "Cart.sum"),
        ("org.acme.Cart", "Cart"),
        ("org.acme.tax.Rates.vat", "Rates.vat"),
        ("Acme.Orders.Order.Sum", "Order.Sum"),
    ] {
        let found = resolved(&snapshot, &format!("{name} is wrong"));
        let definitions = found.definitions.iter();
        let names: Vec<&str> = definitions
            .map(|found| &*snapshot.files.definition(found.definition).qualified_name)
            .collect();
        assert_eq!(names.first(), Some(&wanted), "{name}");
    }
}

/// Asserts which files a block of code or output resolves to by evidence of the kind `from`.
#[track_caller]
fn check(from: &str, cases: &[(&str, &[&str])]) {
    let snapshot = snapshot();
    for (block, wanted) in cases {
        let text = format!("It breaks\n\n```\n{block}\n```\n");
        let found = resolved(&snapshot, &text);
        let files = found.files.iter().filter(|file| file.from.name() == from);
        let paths: Vec<&str> = files.map(|f| snapshot.files.path(f.file)).collect();
        assert_eq!(paths, *wanted, "{block}");
    }
}

#[test]
fn traces_and_messages_resolve_to_files() {
    check(
        "traceback",
        &[
            (
                "panic: none\n\ngoroutine 1 [running]:\nacme.io/shop/cart.Sum(0x1)\n\t/w/shop/cart/cart.go:4 +0x1d",
                &["cart/cart.go"],
            ),
            ("cart/cart.go:4:2: undefined: itm", &["cart/cart.go"]),
            (
                "java.io.IOException: none\n\tat org.acme.Cart.sum(Cart.java:5)",
                &["src/main/java/org/acme/Cart.java"],
            ),
            // Another class of the same name.
            (
                "java.io.IOException: none\n\tat org.junit.Assert.fail(Assert.java:5)",
                &[],
            ),
            (
                "java.io.IOException: none\n\tat com.shop.Cart.sum(Cart.java:5)",
                &[],
            ),
            // The directories of a Kotlin file may lack the start of its package.
            (
                "java.io.IOException: none\n\tat org.acme.tax.Rates.vat(Rates.kt:4)",
                &["shop/app/src/main/kotlin/tax/Rates.kt"],
            ),
            (
                "java.io.IOException: none\n\tat org.acme.tax.Rates.vat(Unknown Source)",
                &["shop/app/src/main/kotlin/tax/Rates.kt"],
            ),
            (
                "java.io.IOException: none\n\tat com.shop.Rates.vat(Rates.kt:4)",
                &[],
            ),
            (
                "Unhandled exception. System.Exception: none\n   at Acme.Orders.Order.Sum()",
                &["Acme.Orders/Order.cs"],
            ),
            // A part of the class in another file.
            (
                "Unhandled exception. System.Exception: none\n   at Acme.Orders.Order.Pay()",
                &["Acme.Orders/Order.Pay.cs"],
            ),
            (
                "Unhandled exception. System.Exception: none\n   at Other.Order.Sum() in /w/Order.cs:line 4",
                &[],
            ),
            (
                "/usr/include/shop/cart.h:1:5: error: expected ';'",
                &["include/shop/cart.h"],
            ),
            (
                "lib/shop/line.rb:3:in 'Line#price': none (RuntimeError)",
                &["lib/shop/line.rb"],
            ),
            (
                "thread 'main' panicked at src/pool.rs:2:5:\nempty",
                &["src/pool.rs"],
            ),
            (
                "error[E0308]: mismatched types\n --> src/pool.rs:2:5",
                &["src/pool.rs"],
            ),
        ],
    );
}

#[test]
fn imports_resolve_to_files() {
    check(
        "import",
        &[
            ("#include <shop/cart.h>", &["include/shop/cart.h"]),
            ("#include <stdio.h>", &[]),
            (
                "import org.acme.Cart;",
                &["src/main/java/org/acme/Cart.java"],
            ),
            ("require 'shop/line'", &["lib/shop/line.rb"]),
            ("import \"acme.io/shop/cart\"", &["cart/cart.go"]),
            // The package is in the repository, but no file has its name.
            ("import \"acme.io/shop\"", &[]),
        ],
    );
}

//! Tests the frames and messages parsed from Rust traces, the innermost frame last.

use crate::traces::check;

#[test]
fn panics_are_parsed() {
    check(&[
        (
            "thread 'main' panicked at 'no stock', src/cart.rs:3:5",
            "src/cart.rs:3:5 | ! no stock",
        ),
        (
            "thread 'main' panicked at src/cart.rs:3:5:\nno stock\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
            "src/cart.rs:3:5 | ! no stock",
        ),
        (
            "thread '<unnamed>' panicked at crates/shop/src/lib.rs:90:14:\ncalled `Option::unwrap()` on a `None` value",
            "crates/shop/src/lib.rs:90:14 | ! called `Option::unwrap()` on a `None` value",
        ),
        (
            "thread 'tokio-runtime-worker' (4711) panicked at src/a.rs:1:2:\nbad, worse",
            "src/a.rs:1:2 | ! bad, worse",
        ),
        (
            "thread 'main' panicked at src/a.rs:3:5:\nassertion `left == right` failed: sums\n  left: 1\n right: 2",
            "src/a.rs:3:5 | ! assertion `left == right` failed: sums",
        ),
        (
            "thread 'main' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n right: `2`', src/a.rs:3:5",
            "! thread 'main' panicked at 'assertion failed: `(left == right)`",
        ),
        (
            "thread 'main' panicked at 'a, b', C:\\w\\src\\a.rs:3:5",
            "C:/w/src/a.rs:3:5 | ! a, b",
        ),
    ]);
}

#[test]
fn backtraces_are_parsed() {
    check(&[
        (
            "thread 'main' panicked at src/pool.rs:9:5:\nempty\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/0a1b/library/std/src/panicking.rs:1:2\n   1: acme::pool::Pool::get\n             at ./src/pool.rs:9:5",
            "src/pool.rs:9:5 Pool.get | /rustc/0a1b/library/std/src/panicking.rs:1:2 rust_begin_unwind | ! empty",
        ),
        (
            "stack backtrace:\n   4: acme::run::h0123456789abcdef\n             at src/run.rs:7",
            "src/run.rs:7 run",
        ),
        (
            "stack backtrace:\n   4: 0x55d0a1 - acme::shop::Cart::sum::h0123456789abcdef\n                        at src/shop.rs:7",
            "src/shop.rs:7 Cart.sum",
        ),
        (
            "stack backtrace:\n   4: <acme::Pool<T> as acme::Take>::take\n             at ./src/pool.rs:7:1",
            "src/pool.rs:7:1 Pool.take",
        ),
        (
            "stack backtrace:\n   4: acme::take::<impl acme::Take for acme::Pool>::take::{{closure}}\n             at ./src/pool.rs:7:1",
            "src/pool.rs:7:1 Pool.take",
        ),
        (
            "stack backtrace:\n   4: acme::shop::sum::<i32, alloc::vec::Vec<i32>>::{closure#0}\n             at ./src/shop.rs:7:1",
            "src/shop.rs:7:1 sum",
        ),
        (
            "stack backtrace:\n   4: acme[1a2b3c]::shop::Cart::sum\n             at ./src/shop.rs:7:1",
            "src/shop.rs:7:1 Cart.sum",
        ),
        (
            "stack backtrace:\n   2: acme::tests::sums\n             at ./tests/sums.rs:3:4\n   3: core::ops::function::FnOnce::call_once\n             at /rustc/0a1b/library/core/src/ops/function.rs:250:5",
            "/rustc/0a1b/library/core/src/ops/function.rs:250:5 FnOnce.call_once | tests/sums.rs:3:4 sums",
        ),
        (
            "Error: no file\n\nStack backtrace:\n   0: acme::read\n             at ./src/read.rs:4:9",
            "src/read.rs:4:9 read | ! Error: no file",
        ),
        (
            "stack backtrace:\n   1: <F as acme::Handler<T>>::call\n             at ./src/handler.rs:7:1",
            "src/handler.rs:7:1 F.call",
        ),
    ]);
}

#[test]
fn frames_without_places_are_parsed() {
    check(&[
        (
            "stack backtrace:\n   0: rust_begin_unwind\n   1: <acme::pool::Pool as acme::Take>::take\n   2: acme::run::{{closure}}\n   3: main",
            ":0 run | :0 Pool.take",
        ),
        (
            "stack backtrace:\n   1: acme::pool::Pool::get\n             at ./src/pool.rs:9:5\n   2: acme::run",
            ":0 run | src/pool.rs:9:5 Pool.get",
        ),
        // A list, and a path without a crate.
        ("1: see acme::run\n2: Pool::get", ""),
        ("1: <&T as core::fmt::Display>::fmt", ""),
    ]);
}

#[test]
fn compiler_messages_are_parsed() {
    check(&[
        (
            "error[E0308]: mismatched types\n  --> src/cart.rs:3:5\n   |\n3  |     let x: i32 = \"a\";\n   |            ---   ^^^ expected `i32`, found `&str`\n",
            "src/cart.rs:3:5 | ! mismatched types",
        ),
        (
            "error: expected one of `;` or `}`\n --> src/a.rs:9:1",
            "src/a.rs:9:1 | ! expected one of `;` or `}`",
        ),
        (
            "warning: unused variable: `x`\n --> src/a.rs:9:1",
            "src/a.rs:9:1 | ! unused variable: `x`",
        ),
        (
            "error[E0277]: the trait bound `Cart: Debug` is not satisfied\n  --> src/a.rs:9:1\n   |\n9  | show(cart);\n   | ^^^^ the trait `Debug` is not implemented\n   |\nnote: required by this bound\n  --> src/show.rs:2:9",
            "src/a.rs:9:1 | ! the trait bound `Cart: Debug` is not satisfied",
        ),
        (
            "error[E0433]: failed to resolve: use of undeclared type `Cart`\n   --> src/a.rs:9:1\n\nerror[E0425]: cannot find value `x` in this scope\n   --> src/b.rs:2:3",
            "src/b.rs:2:3 | src/a.rs:9:1 | ! failed to resolve: use of undeclared type `Cart` | ! cannot find value `x` in this scope",
        ),
        (
            "src/a.rs:3:5: error[E0308]: mismatched types",
            "src/a.rs:3:5 | ! mismatched types",
        ),
        (
            "error[E0463]: can't find crate for `shop`",
            "! error[E0463]: can't find crate for `shop`",
        ),
        (
            "error[E0119]: conflicting implementations\n  --> src/a.rs:3:5\n   |\n  ::: src/b.rs:9:1",
            "src/b.rs:9:1 | src/a.rs:3:5 | ! conflicting implementations",
        ),
    ]);
}

#[test]
fn test_failures_are_parsed() {
    check(&[
        (
            "---- shop::tests::sums stdout ----\nthread 'shop::tests::sums' panicked at src/shop.rs:30:9:\nassertion failed: is_empty",
            "src/shop.rs:30:9 sums | ! assertion failed: is_empty",
        ),
        (
            "---- sums stdout ----\nthread 'sums' panicked at 'no', tests/sums.rs:3:4",
            "tests/sums.rs:3:4 sums | ! no",
        ),
        (
            "failures:\n\n---- tests::a stdout ----\nthread 'tests::a' panicked at src/a.rs:1:2:\nbad\n\n\nfailures:\n    tests::a\n\ntest result: FAILED. 0 passed; 1 failed",
            "src/a.rs:1:2 a | ! bad",
        ),
        (
            "Test executable failed (exit status: 101).\n\nstderr:\nthread 'main' panicked at src/lib.rs:4:1:\nno",
            "src/lib.rs:4:1 | ! no",
        ),
        (
            "---- src/lib.rs - shop::Cart::sum (line 12) stdout ----\nerror[E0599]: no method named `total`\n --> src/lib.rs:14:3",
            "src/lib.rs:14:3 | src/lib.rs:12 Cart.sum | ! no method named `total`",
        ),
        (
            "---- src/cart.rs - cart (line 3) stdout ----\nTest executable failed (exit status: 101).\n\nstderr:\n\nthread 'main' (12) panicked at /tmp/rustdoctestA/doctest.rs:5:1:\nassertion failed: a",
            "/tmp/rustdoctestA/doctest.rs:5:1 | src/cart.rs:3 cart | ! assertion failed: a",
        ),
        // Prose is no panic.
        ("it panicked at startup, see src/a.rs:3:5", ""),
        ("the arrow --> src/a.rs", ""),
    ]);
}

//! Tests that macros are found by files that do not import them, but not instead of imported ones.

use super::*;

#[test]
fn rust_macros_need_no_import() {
    let text = r#"
        //- Cargo.toml
        [package]
        name = "shop"
        //- src/lib.rs
        #[macro_use]
        mod macros;
        mod cart;
        mod log;
        //- src/macros.rs
        macro_rules! total { ($x:expr) => { $x }; }
        #[macro_export]
        macro_rules! check { ($x:expr) => { $x }; }
        macro_rules! info { () => {}; }
        //- src/cart.rs
        use crate::check;
        fn bare() { total!(1); }
        fn inside_arguments() { println!("{}", total!(1)); }
        fn imported() { check!(1); }
        fn by_crate() { crate::check!(1); }
        //- src/log.rs
        use tracing::info;
        fn of_another_crate() { info!(); log::info!(); }
        //- other/src/lib.rs
        macro_rules! total { ($x:expr) => { $x }; }
        fn nearest() { total!(2); }
        "#;
    let world = world(text);
    let users = |name: &str| {
        let sites = world.graph.uses_of(world.named(name)).iter();
        let ids = sites.filter_map(|site| site.enclosing);
        world.describe_all(ids)
    };
    let total = users("src/macros.rs:total");
    assert_eq!(total, "src/cart.rs:bare src/cart.rs:inside_arguments");
    let check = users("src/macros.rs:check");
    assert_eq!(check, "src/cart.rs:imported src/cart.rs:by_crate");
    assert_eq!(users("src/macros.rs:info"), "");
    assert_eq!(users("other/src/lib.rs:total"), "other/src/lib.rs:nearest");
}

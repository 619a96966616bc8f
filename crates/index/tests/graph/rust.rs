//! Tests of receivers in Rust: names in patterns, parameters of closures, arguments of macros.

use super::receivers::check;

#[test]
fn rust_patterns() {
    check(
        "
        //- src/lib.rs
        struct Pool;
        impl Pool { fn close(&self) {} }
        struct Other;
        impl Other { fn close(&self) {} }
        struct Wrap(Box<Pool>);
        impl Wrap {
            fn use_number(&self) { self.0.close() }
            fn use_local(&self) { let it = &self.0; it.close() }
            fn use_newtype(&self) { let Wrap(it) = self; it.close() }
        }
        struct Holder { wrap: Wrap, first: Pool }
        impl Holder {
            fn use_number_of_field(&self) { self.wrap.0.close() }
            fn use_field(&self) { let Holder { first: it, .. } = self; it.close() }
            fn use_field_of_self(&self) { let Self { first, .. } = self; first.close() }
        }
        enum Job { Close(Pool), Both(Other, Pool), Named { held: Pool, other: Other } }
        impl Job {
            fn use_arm(&self) { match self { Job::Close(it) => it.close(), _ => {} } }
            fn use_fields(&self) { match self { Self::Named { held, .. } => held.close(), _ => {} } }
            fn not_both(&self) { match self { Job::Both(it, _) => it.close(), _ => {} } }
        }
        fn use_if_let(job: Job) { if let Job::Close(it) = job { it.close() } }
        fn use_some(held: Option<Pool>) { match held { Some(it) => it.close(), None => {} } }
        fn use_tuple(held: Pool, other: Other) { let (it, that) = (held, other); it.close() }
        fn use_tuple_type(both: Both) { let (it, that): (Pool, Other) = both; it.close() }
        fn use_numbered(all: Vec<Pool>) { for (at, it) in all.iter().enumerate() { it.close() } }
        fn not_tuple(both: (Wrap, Other)) { both.1.close() }
        fn not_one(held: Option<Pool>, other: Option<Other>) {
            match held { Some(it) => it.open(), None => {} }
            match other { Some(it) => it.close(), None => {} }
        }
        ",
        "src/lib.rs:Pool.close",
    );
}

#[test]
fn rust_closures_and_macros() {
    check(
        "
        //- src/lib.rs
        struct Pool;
        impl Pool { fn close(&self) {} fn named() -> Option<Pool> { None } }
        struct Other;
        impl Other { fn close(&self) {} }
        fn use_typed(all: Vec<u8>) { all.iter().for_each(|it: &Pool| it.close()) }
        fn use_element(all: Vec<Pool>) { all.iter().rev().for_each(|it| it.close()) }
        fn use_option(held: Option<Pool>) { held.as_ref().map(|it| it.close()); }
        fn use_kept(all: Vec<Pool>) { all.retain(|it| { it.close(); true }) }
        fn use_parameter_of_macro() { run!(|at: u8, it: &mut Arc<Pool>| it.close()); }
        fn use_variable_of_macro() { run! { let mut it = Pool::named().unwrap(); it.close(); } }
        fn use_type_in_macro() { run! { let it: Box<Pool> = made(); it.close(); } }
        fn not_element(all: Vec<Pool>) { all.and(|it| it.close()) }
        fn not_of_macro() { run! { let it = Pool::named().flatten(); it.close(); } }
        ",
        "src/lib.rs:Pool.close",
    );
}

#[test]
fn path_of_a_package_from_elsewhere_uses_nothing() {
    check(
        "
        //- Cargo.toml
        [package]
        name = \"shop\"
        //- src/lib.rs
        pub mod json;
        pub mod users;
        //- src/json.rs
        pub struct Json;
        impl Json {
            pub fn from_bytes(bytes: &[u8]) -> Self { Json }
        }
        //- src/users.rs
        use crate::json;
        fn use_path() { json::Json::from_bytes(b\"\"); }
        fn use_absolute() { crate::json::Json::from_bytes(b\"\"); }
        fn use_crate() { shop::json::Json::from_bytes(b\"\"); }
        fn of_another() { http::Method::from_bytes(b\"\"); }
        ",
        "src/json.rs:Json.from_bytes",
    );
}

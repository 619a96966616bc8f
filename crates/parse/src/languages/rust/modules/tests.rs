//! Tests the resolution of Rust imports in small trees.

use foveate_model::resolution::FileTree;

use super::MODULES;
use crate::testing::Tree;

const WORKSPACE: &str = r#"
//- Cargo.toml
[workspace]
members = ["app", "core-lib", "old"]
//- app/Cargo.toml
[package]
name = "app"
[dependencies]
core-lib = { path = "../core-lib" }
renamed = { path = "../packages/../old", package = "old-name" }
[dev-dependencies.again]
package = "old-name"
//- app/src/main.rs
mod cli;
mod net;
mod inline { pub mod deep; pub fn f() {} }
#[path = "odd/place.rs"]
mod odd;
fn run() {}
//- app/src/cli.rs
use crate::net::Client;
pub enum Mode { Fast }
mod tests { }
//- app/src/net/mod.rs
pub mod tcp;
mod udp;
pub use self::udp::Socket;
pub use core_lib::store as keep;
//- app/src/net/tcp.rs
use super::udp;
//- app/src/net/udp.rs
//- app/src/inline/deep.rs
//- app/src/odd/place.rs
//- app/src/bin/tool.rs
mod helper;
//- app/src/bin/helper.rs
//- app/src/bin/big/main.rs
mod part;
//- app/src/bin/big/part.rs
//- app/tests/smoke.rs
mod common;
//- app/tests/common/mod.rs
//- app/build/main.rs
mod util;
//- app/build/util.rs
//- core-lib/Cargo.toml
[package]
name = "core-lib"
[lib]
path = "lib/root.rs"
//- core-lib/lib/root.rs
pub mod store;
pub mod prelude { pub use crate::store::Key; }
pub struct Top;
//- core-lib/lib/store.rs
pub struct Key;
//- old/Cargo.toml
[package]
name = "old-name"
//- old/src/lib.rs
pub mod legacy;
//- old/src/legacy.rs
//- loose/src/lib.rs
mod one;
//- loose/src/one.rs
"#;

#[test]
fn module_paths_resolve_to_files() {
    let count = Tree::of(WORKSPACE).check(
        &MODULES,
        "app/src/main.rs self::cli -> app/src/cli.rs
        app/src/main.rs self::net -> app/src/net/mod.rs
        app/src/main.rs cli -> app/src/cli.rs
        app/src/main.rs odd/place.rs -> app/src/odd/place.rs
        app/src/main.rs odd -> app/src/odd/place.rs
        app/src/main.rs self::inline::deep -> app/src/inline/deep.rs
        app/src/main.rs inline -> app/src/main.rs
        app/src/main.rs self::missing ->
        app/src/cli.rs crate -> app/src/main.rs
        app/src/cli.rs crate::net -> app/src/net/mod.rs
        app/src/cli.rs crate::net::tcp -> app/src/net/tcp.rs
        app/src/cli.rs crate::inline -> app/src/main.rs
        app/src/cli.rs super -> app/src/main.rs
        app/src/cli.rs self -> app/src/cli.rs
        app/src/cli.rs Mode -> app/src/cli.rs
        app/src/cli.rs crate::cli::Mode -> app/src/cli.rs
        app/src/cli.rs crate::net::Nothing ->
        app/src/cli.rs crate::net::Socket -> app/src/net/mod.rs
        app/src/cli.rs crate::net::keep -> core-lib/lib/store.rs
        app/src/net/mod.rs udp -> app/src/net/udp.rs
        app/src/net/mod.rs super -> app/src/main.rs
        app/src/net/tcp.rs super -> app/src/net/mod.rs
        app/src/net/tcp.rs super::udp -> app/src/net/udp.rs
        app/src/net/tcp.rs super::super::cli -> app/src/cli.rs
        app/src/odd/place.rs crate::cli -> app/src/cli.rs
        app/src/inline/deep.rs crate -> app/src/main.rs",
    );
    assert!(count >= 25);
}

#[test]
fn crates_and_their_roots_are_found() {
    Tree::of(WORKSPACE).check(
        &MODULES,
        "app/src/cli.rs core_lib -> core-lib/lib/root.rs
        app/src/cli.rs core_lib::store -> core-lib/lib/store.rs
        app/src/cli.rs core_lib::prelude -> core-lib/lib/root.rs
        app/src/cli.rs core_lib::Top -> core-lib/lib/root.rs
        app/src/cli.rs renamed::legacy -> old/src/legacy.rs
        app/src/cli.rs again -> old/src/lib.rs
        app/src/cli.rs old_name -> old/src/lib.rs
        app/src/cli.rs std::fmt ->
        app/src/cli.rs serde ->
        core-lib/lib/store.rs crate -> core-lib/lib/root.rs
        core-lib/lib/store.rs super::Top -> core-lib/lib/root.rs
        app/src/bin/tool.rs crate -> app/src/bin/tool.rs
        app/src/bin/tool.rs self::helper -> app/src/bin/helper.rs
        app/src/bin/big/part.rs crate -> app/src/bin/big/main.rs
        app/tests/smoke.rs self::common -> app/tests/common/mod.rs
        app/tests/smoke.rs crate -> app/tests/smoke.rs
        app/build/main.rs self::util -> app/build/util.rs
        app/build/util.rs crate -> app/build/main.rs
        loose/src/one.rs crate -> loose/src/lib.rs",
    );
}

/// Checks the files of modules by names that no file imports; an empty path for none.
#[track_caller]
fn check_absolute(tree: &Tree, cases: &[(&str, &str)]) {
    let files: &dyn FileTree = tree;
    let resolver = (MODULES.resolver)(files);
    for (name, path) in cases {
        let found = resolver.absolute(files, None, name);
        assert_eq!(found.map_or("", |id| files.path(id)), *path, "{name}");
    }
}

#[test]
fn module_of_a_library_is_found_without_an_importer() {
    check_absolute(
        &Tree::of(WORKSPACE),
        &[
            ("core_lib", "core-lib/lib/root.rs"),
            ("core_lib.store", "core-lib/lib/store.rs"),
            ("core_lib::store", "core-lib/lib/store.rs"),
            ("core_lib.store.Key", ""),
            ("core_lib.missing", ""),
            ("old_name.legacy", "old/src/legacy.rs"),
            // A name that only one package has for it, a program, and crates from elsewhere.
            ("renamed.legacy", ""),
            ("app.cli", ""),
            ("std.fmt", ""),
            ("crate.cli", ""),
            ("::", ""),
        ],
    );
}

#[test]
fn library_nearest_to_the_root_is_found_without_an_importer() {
    let copies = ["vendor/a/deep", "a", "z", "longer/name"].map(|directory| {
        format!("//- {directory}/Cargo.toml\n[package]\nname = \"a\"\n//- {directory}/src/lib.rs\n")
    });
    check_absolute(&Tree::of(&copies.concat()), &[("a", "a/src/lib.rs")]);
    let at_root = "//- Cargo.toml\n[package]\nname = \"a\"\n//- src/lib.rs\n";
    let all = copies.concat() + at_root;
    check_absolute(&Tree::of(&all), &[("a", "src/lib.rs")]);
}

#[test]
fn imports_of_each_other_are_followed_once() {
    let imports = "use b::c as b;\n".repeat(12);
    let tree = format!("//- Cargo.toml\n[package]\nname = \"a\"\n\n//- src/lib.rs\n{imports}");
    Tree::of(&tree).check(&MODULES, "src/lib.rs b::x -> src/lib.rs");
}

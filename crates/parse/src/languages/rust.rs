//! Registers Rust.

mod manifest;
mod modules;
mod traces;
mod walker;

use foveate_model::resolution::{LookupRules, Receiver, TestConventions};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line};
use crate::hunks::heads::{HunkHeads, Pattern, first_word, is_word, last_word, words};
use crate::origin::form::{
    InstalledFile, Origin, OriginForm, PackageHome, PackageManager, before_version, below,
    installed,
};
use crate::role::conventions::{Ecosystem, Roles};

pub(super) static RUST: LanguageSpec = LanguageSpec {
    names: Names {
        lock_files: &["Cargo.lock"],
        ..Names::extensions(&["rs"])
    },
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            test_directories: &["benches"],
            configuration_names: &["build.rs", "cargo.toml", "rust-toolchain"],
            well_known: include_str!("rust/well_known.txt"),
            ..Ecosystem::NONE
        },
        // What bindgen writes; elsewhere the name may mean key bindings.
        is_copy: |file| {
            let mut directories = file.directories.iter();
            file.name == "bindings.rs" && directories.any(|d| d.ends_with("-sys"))
        },
        is_test: |file| {
            let stem = file.stem.as_str();
            matches!(stem, "tests" | "test") || stem.ends_with("_test") || stem.ends_with("_tests")
        },
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["rs", "rust"],
        lines: &[
            Line::starting("let mut "),
            Line::starting("fn "),
            Line::starting("pub fn "),
            Line::starting("pub struct "),
            Line::starting("async fn "),
            Line::starting("#[derive("),
            Line::when("use ", |line| line.ends_with(';') && !line.contains('\\')),
            Line::starting("impl "),
            Line::when("extern crate ", |line| line.ends_with(';')),
        ],
        pasted: &["let mut ", "pub fn ", "#[derive("],
        imports: Some(Imports {
            brackets: |line| use_tree(line).map(|_| ['{'].as_slice()),
            names: |statement| {
                let mut names = Vec::new();
                add_imports(use_tree(statement)?, "", 0, &mut names);
                Some(names)
            },
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        manager: Some(&CARGO),
        package,
        runtime: |path| {
            let built = below(path, "rustc").and_then(|rest| Some(rest.split_once('/')?.1));
            built.or_else(|| below(path, "lib/rustlib/src/rust"))
        },
        is_copied: |path| path.ends_with(".rs"),
        ..OriginForm::NONE
    },
    hunks: Some(HunkHeads {
        pattern: Pattern::Own("foveate-rust", PATTERN),
        extensions: &["rs"],
        shows_indentation: true,
        named: head_name,
        is_definition: |line| !line.trim().ends_with(';'),
    }),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    modules: Some(&modules::MODULES),
    lookup: LookupRules {
        uses_name_their_package: true,
        modules_have_submodules: true,
        imports_reach_members: true,
        paths_may_be_qualified: true,
        unbound_paths_are_foreign: true,
        macros_need_no_import: true,
        receivers: &[("self", Receiver::Instance), ("Self", Receiver::Class)],
        self_types: &["Self"],
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        elements_are_implicit: true,
        // Attributes implement them.
        constructors: &["default", "from", "parse", "try_from"],
        ..LookupRules::DEFAULT
    },
    tests: TestConventions {
        package_stems: &["mod", "lib", "main"],
        file_endings: &["_test", "_tests"],
        file_beginnings: &["test_", "tests_"],
        file_class_endings: &[],
        general_stems: &["test", "tests", "main", "mod"],
        directories: &["tests", "test", "benches"],
        source_directories: &["src", "crates"],
        function_beginnings: &[],
        function_decorators: &[
            "test", "tokio::test", "async_std::test", "compio::test", "futures_test::test",
            "gpui::test", "monoio::test", "smol_potat::test", "actix_rt::test", "actix_web::test",
            "rstest", "test_case", "case", "bench", "quickcheck", "wasm_bindgen_test",
            "traced_test", "sqlx::test", "googletest::test", "test_log::test", "should_panic",
            "test_matrix", "parameterized", "proptest", "async_test", "maybe_tokio_test",
        ],
        class_beginnings: &[],
        class_endings: &[],
    },
    ..LanguageRules::new("rust", 5)
};

/// Maximum depth of a `use` tree; they are rarely deeper.
const MAX_DEPTH: u32 = 8;

/// Returns the tree in a `use` statement: `a::b::{c, d as e}`.
fn use_tree(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("pub ").unwrap_or(statement);
    let tree = rest.strip_prefix("use ")?.trim();
    let tree = tree.strip_prefix("::").unwrap_or(tree);
    tree.contains("::").then_some(tree)
}

/// Adds the names of a tree below a path, each as `module.name`.
fn add_imports(tree: &str, above: &str, depth: u32, names: &mut Vec<String>) {
    let tree = tree.trim();
    if depth > MAX_DEPTH {
        return;
    }
    if let Some((head, list)) = tree.split_once('{') {
        let head = head.trim().trim_end_matches("::");
        let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
        let path = joined(above, head);
        for item in items(list) {
            add_imports(item, &path, depth + 1, names);
        }
        return;
    }
    let written = tree.split(" as ").next().unwrap_or(tree).trim();
    let path = joined(above, written);
    let (module, name) = path.rsplit_once("::").unwrap_or((path.as_str(), ""));
    // `crate` is the reporter's own crate, and `std` is in no repository.
    let first = module.split("::").next().unwrap_or(module);
    if matches!(first, "crate" | "self" | "super" | "std" | "core" | "alloc") {
        return;
    }
    match name {
        "" | "*" | "self" => names.push(module.to_owned()),
        name => names.push(format!("{module}.{name}")),
    }
}

fn joined(above: &str, below: &str) -> String {
    match (above, below) {
        ("", below) => below.to_owned(),
        (above, "") => above.to_owned(),
        (above, below) => format!("{above}::{below}"),
    }
}

/// Splits a list at the commas outside inner braces.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    list.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|item| !item.trim().is_empty())
}

static CARGO: PackageManager = PackageManager {
    name: "cargo",
    home: PackageHome::Manifest {
        file: "Cargo.toml",
        key: "name",
    },
    is_built: false,
};

/// Recognises a file of a crate from a registry:
/// `~/.cargo/registry/src/index.crates.io-0a1b/tokio-1.2.0/src/lib.rs`.
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let Some(registry) = below(path, "registry/src") else {
        return checkout(path);
    };
    let (_, rest) = registry.split_once('/')?;
    Some((rest, installed(&CARGO, rest, before_version(rest)?)?))
}

/// Recognises a file of a crate from git:
/// `~/.cargo/git/checkouts/tokio-0a1b2c3d/4e5f607/tokio/src/lib.rs`.
fn checkout(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "git/checkouts")?;
    let directory = rest.split('/').next()?;
    let (name, _) = directory.rsplit_once('-')?;
    let (_, revision) = rest.split_once('/')?;
    let (_, inner) = revision.split_once('/')?;
    Some((
        rest,
        Origin::Package(InstalledFile {
            manager: &CARGO,
            name,
            inner,
            path: inner,
        }),
    ))
}

/// Names of the prelude and macros of the standard library, sorted.
const GLOBALS: &[&str] = &[
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Debug", "Default", "DoubleEndedIterator", "Drop",
    "Eq", "Err", "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator",
    "Hash", "Into", "IntoIterator", "Iterator", "None", "Ok", "Option", "Ord", "PartialEq",
    "PartialOrd", "Result", "Send", "Sized", "Some", "String", "Sync", "ToOwned", "ToString",
    "TryFrom", "TryInto", "Unpin", "Vec", "assert", "assert_eq", "assert_ne", "cfg", "column",
    "compile_error", "concat", "dbg", "debug_assert", "debug_assert_eq", "debug_assert_ne", "drop",
    "env", "eprint", "eprintln", "file", "format", "format_args", "include", "include_bytes",
    "include_str", "line", "macro_rules", "matches", "module_path", "option_env", "panic", "print",
    "println", "stringify", "thread_local", "todo", "unimplemented", "unreachable", "vec", "write",
    "writeln",
];

/// Methods of collections, maps and iterators that return an element or a value, sorted.
const ELEMENT_GETTERS: &[&str] = &[
    "back", "back_mut", "find", "first", "first_mut", "front", "front_mut", "get", "get_mut",
    "get_or_insert_with", "last", "last_mut", "max_by_key", "min_by_key", "next", "nth",
    "or_default", "or_insert", "or_insert_with", "peek", "pop", "pop_back", "pop_front", "remove",
    "swap_remove",
];

/// Methods of them that return others with the same elements, sorted.
const ELEMENT_VIEWS: &[&str] = &[
    "drain", "entry", "filter", "into_values", "rev", "skip", "take", "values", "values_mut",
];

/// Methods of types of the standard library, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "abs", "all", "and_then", "any", "append", "as_bytes", "as_mut", "as_path", "as_ptr", "as_ref",
    "as_slice", "as_str", "borrow", "borrow_mut", "bytes", "chain", "chars", "clear", "clone",
    "cloned", "cmp", "collect", "contains", "contains_key", "copied", "count", "dedup", "default",
    "deref", "deref_mut", "display", "drain", "drop", "ends_with", "entry", "enumerate", "eq",
    "err", "expect", "extend", "filter", "filter_map", "find", "find_map", "first", "flat_map",
    "flatten", "fmt", "fold", "for_each", "from", "from_str", "get", "get_mut",
    "get_or_insert_with", "hash", "insert", "into", "into_inner", "into_iter", "is_empty",
    "is_err", "is_none", "is_ok", "is_some", "iter", "iter_mut", "join", "keys", "last", "len",
    "lines", "lock", "map", "map_err", "map_or", "map_or_else", "max", "min", "next", "nth", "ok",
    "ok_or", "ok_or_else", "or_else", "parse", "partial_cmp", "peek", "peekable", "pop",
    "position", "push", "push_str", "read", "read_to_end", "read_to_string", "remove", "repeat",
    "replace", "resize", "retain", "rev", "reverse", "skip", "sort", "sort_by", "sort_by_key",
    "split", "split_at", "splitn", "starts_with", "step_by", "store", "sum", "swap", "take",
    "take_while", "to_lowercase", "to_owned", "to_path_buf", "to_string", "to_uppercase", "to_vec",
    "trim", "truncate", "try_from", "try_into", "unwrap", "unwrap_err", "unwrap_or",
    "unwrap_or_default", "unwrap_or_else", "values", "with_capacity", "write", "write_all",
    "write_str", "zip",
];

const PATTERN: &str = r#"^([[:space:]]*((pub(\([^)]+\))?|default|async|const|unsafe|extern|"[^"]*")[[:space:]]+)*(struct|enum|union|mod|trait|fn|impl|macro_rules!)[<[:space:]]+[^;]*)$"#;

fn head_name(line: &str) -> Option<&str> {
    const MODIFIERS: [&str; 10] = [
        "pub", "crate", "super", "in", "async", "const", "unsafe", "extern", "default", "C",
    ];
    const KEYWORDS: [&str; 8] = [
        "fn", "struct", "enum", "union", "trait", "mod", "macro_rules", "impl",
    ];
    let line = match line.strip_prefix("pub(") {
        Some(visible) => visible
            .split_once(')')
            .map_or(line, |(_, rest)| rest.trim_start()),
        None => line,
    };
    let (keyword, rest) = words(line)
        .find(|(word, _)| !MODIFIERS.contains(word))
        .filter(|(word, _)| KEYWORDS.contains(word) && line.starts_with(is_word))?;
    if keyword != "impl" {
        let rest = rest.strip_prefix(['!', ' ', '\t'])?.trim_start();
        return first_word(rest).filter(|name| rest.starts_with(name));
    }
    let rest = without_parameters(rest);
    let rest = rest.split(['{', ';']).next()?;
    let rest = rest.split(" where ").next()?;
    let implemented = rest.rsplit_once(" for ").map_or(rest, |(_, last)| last);
    last_word(implemented.split('<').next()?)
}

/// Returns the text after the type parameters that it begins with.
fn without_parameters(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += match c {
            '<' => 1,
            '>' => -1,
            _ => 0,
        };
        depth == 0
    });
    end.map_or("", |end| text[end..].trim_start_matches('>'))
}

#[cfg(test)]
mod tests {
    use super::{ELEMENT_GETTERS, ELEMENT_VIEWS, RUST};
    use crate::hunks::heads::check;

    #[test]
    fn names_are_sorted() {
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }

    #[test]
    fn definition_heads_are_read() {
        check(
            RUST.hunks.unwrap(),
            &[
                ("    pub(crate) async unsafe fn poll<'a>(", Some("poll")),
                ("impl<T: Debug> fmt::Display for Slot<T> {", Some("Slot")),
                ("impl Registration {", Some("Registration")),
                ("impl<'a, T> Iterator<'a, T> {", Some("Iterator")),
                ("pub struct Handle;", None),
                ("macro_rules! cfg_io {", Some("cfg_io")),
                ("let fn_ = 1", None),
                ("extern \"C\" fn main() {", Some("main")),
                (
                    "impl<T> Take<Item> for Vec<T> where T: Clone {",
                    Some("Vec"),
                ),
                ("unsafe impl Send for Cart {}", Some("Cart")),
                ("impl<F: Fn() -> i32> Sum for F {", Some("F")),
                ("impl<'a> From<&'a str> for Name {", Some("Name")),
                ("pub trait Item: Clone {", Some("Item")),
                (
                    "pub(in crate::shop) const fn sum<const N: usize>()",
                    Some("sum"),
                ),
                (
                    "    async fn load(&self) -> Result<(), Error> {",
                    Some("load"),
                ),
                ("mod tests {", Some("tests")),
                ("let sum = fn_pointer;", None),
                ("// the fn of", None),
            ],
        );
    }
}

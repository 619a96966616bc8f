//! What several languages write alike.

pub(super) mod builtins;
pub(super) mod c_heads;
pub(super) mod keyword_heads;

use crate::code::push_import;
use crate::role::File;

/// `import a.b.C;`, `import static a.b.C.of`, `import a.b as c, d`: absolute dotted names.
pub(super) fn dotted_import(statement: &str, names: &mut Vec<String>) -> bool {
    let Some(list) = statement.strip_prefix("import ") else {
        return false;
    };
    let list = list.strip_prefix("static ").unwrap_or(list);
    for item in list.split(',') {
        let name = item.split(" as ").next().unwrap_or("");
        push_import(names, name.trim().trim_end_matches(".*").to_owned());
    }
    true
}

/// `CartTest.java`, `CartSpec.kt`: tests by the form of a class.
pub(super) fn is_test_class(file: &File<'_>) -> bool {
    ["Test", "Tests", "Spec", "TestCase"]
        .iter()
        .any(|ending| file.path.stem().ends_with(ending))
}

/// `jquery-3.6.0.js`: a library with its version is a copy.
pub(super) fn is_released_library(file: &File<'_>) -> bool {
    let stem = file.stem.as_str();
    let Some((name, version)) = stem.rsplit_once('-') else {
        return matches!(stem, "jquery" | "underscore" | "bootstrap");
    };
    !name.is_empty()
        && version.contains('.')
        && version.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// `babel.config.js`, `tsconfig.base.json`: settings of tools for scripts.
pub(super) fn is_script_configuration(file: &File<'_>) -> bool {
    let stem = file.stem.as_str();
    stem.ends_with(".config")
        || stem.ends_with(".conf")
        || ["tsconfig", "jsconfig", "babel.", "webpack."]
            .iter()
            .any(|start| stem.starts_with(start))
}

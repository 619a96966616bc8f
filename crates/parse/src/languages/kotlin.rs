//! Registers Kotlin.

mod traces;
mod walker;

use foveate_model::resolution::{ForeignProperties, LookupRules};
use foveate_model::{Language, LanguageRules};

use super::spec::{LanguageSpec, Names};
use crate::code::form::{CodeForm, Imports, Line, dotted_import};
use crate::languages::java::{
    is_in_shipped_sources, is_in_test_sources, is_integration_test, is_shipped,
};
use crate::languages::keyword_heads;
use crate::origin::form::OriginForm;
use crate::role::conventions::{Ecosystem, Roles, is_test_class};

pub(super) static KOTLIN: LanguageSpec = LanguageSpec {
    names: Names::extensions(&["kt", "kts"]),
    parser: Some(|language, text, _, limits| walker::WALKER.facts(language, text, limits)),
    roles: Roles {
        ecosystem: Ecosystem {
            // Build scripts, and the plugins that they share: `shop.publish-conventions.gradle.kts`.
            configuration_endings: &[".gradle.kts"],
            // The public interface, as the compatibility validator prints it.
            generated_endings: &[".api"],
            well_known: include_str!("kotlin/well_known.txt"),
            ..Ecosystem::NONE
        },
        is_test: |file| {
            is_test_class(file) && !is_in_shipped_sources(file)
                || is_integration_test(file)
                || is_in_test_sources(file)
        },
        is_test_package: is_shipped,
        is_domain_package: is_shipped,
        is_test_support: |file| is_shipped(file, file.directories.len()),
        ..Roles::NONE
    },
    code: CodeForm {
        fences: &["kt", "kts", "kotlin"],
        lines: &[
            Line::when("fun ", |line| line.ends_with('{') || line.contains(") = ")),
            Line::starting("suspend fun "),
            Line::starting("override fun "),
            Line::starting("data class "),
            Line::starting("val "),
        ],
        pasted: &["fun main(", "suspend fun ", "override fun ", "data class "],
        imports: Some(Imports {
            brackets: |line| line.starts_with("import ").then_some(&['(', '{']),
            names: dotted_import,
        }),
        ..CodeForm::NONE
    },
    traces: traces::TRACES,
    origins: OriginForm {
        runtime: |path| {
            let is_own = path.starts_with("kotlin/") && path.ends_with(".kt");
            is_own.then_some(path)
        },
        runtime_packages: &["kotlin."],
        package_roots: &["kotlinx"],
        ..OriginForm::NONE
    },
    hunks: Some(keyword_heads::heads(&["kt", "kts"])),
    ..LanguageSpec::new(Language::of(&RULES))
};

static RULES: LanguageRules = LanguageRules {
    family: "jvm",
    modules: Some(&super::java::modules::MODULES),
    lookup: LookupRules {
        case_labels_name_constants: false,
        has_extensions: true,
        globals: GLOBALS,
        builtin_members: BUILTIN_MEMBERS,
        element_getters: ELEMENT_GETTERS,
        element_views: ELEMENT_VIEWS,
        // Every enum has `valueOf`. The others are the objects that Java accesses the members of an `object` and of a
        // `companion object` by.
        constructors: &["Companion", "INSTANCE", "valueOf"],
        foreign_properties: ForeignProperties::Read,
        ..super::java::RULES.lookup
    },
    tests: super::java::RULES.tests,
    ..LanguageRules::new("kotlin", 7)
};

/// Names of the standard library that every file imports by default, sorted.
#[rustfmt::skip]
const GLOBALS: &[&str] = &[
    "Any", "Array", "ArrayList", "AssertionError", "AutoCloseable", "Boolean", "Byte", "ByteArray",
    "Char", "CharArray", "CharSequence", "Collection", "Comparable", "Comparator", "Deprecated",
    "Double", "Exception", "Float", "HashMap", "HashSet", "IllegalArgumentException",
    "IllegalStateException", "IndexOutOfBoundsException", "Int", "IntArray", "Iterable", "Iterator",
    "JvmField", "JvmName", "JvmOverloads", "JvmStatic", "Lazy", "LinkedHashMap", "LinkedHashSet",
    "List", "Long", "LongArray", "Map", "MutableCollection", "MutableIterable", "MutableIterator",
    "MutableList", "MutableMap", "MutableSet", "Nothing", "NullPointerException", "Number",
    "NumberFormatException", "OptIn", "Pair", "Regex", "Result", "RuntimeException", "Sequence",
    "Set", "Short", "String", "StringBuilder", "Suppress", "Synchronized", "Throwable", "Throws",
    "Triple", "Unit", "UnsupportedOperationException", "Volatile", "arrayListOf", "arrayOf",
    "arrayOfNulls", "booleanArrayOf", "buildList", "buildMap", "buildSet", "buildString",
    "byteArrayOf", "charArrayOf", "check", "checkNotNull", "emptyArray", "emptyList", "emptyMap",
    "emptySet", "error", "false", "generateSequence", "hashMapOf", "hashSetOf", "intArrayOf",
    "lazy", "linkedMapOf", "linkedSetOf", "listOf", "listOfNotNull", "longArrayOf", "mapOf",
    "maxOf", "minOf", "mutableListOf", "mutableMapOf", "mutableSetOf", "null", "print", "println",
    "repeat", "require", "requireNotNull", "run", "runCatching", "sequence", "sequenceOf", "setOf",
    "synchronized", "true", "with",
];

/// Functions of collections and maps that return an element or a value, sorted.
const ELEMENT_GETTERS: &[&str] = &[
    "elementAt", "find", "first", "firstOrNull", "get", "getOrDefault", "getOrElse", "getOrNull",
    "getOrPut", "getValue", "last", "lastOrNull", "maxBy", "maxByOrNull", "minBy", "minByOrNull",
    "next", "put", "random", "remove", "removeAt", "removeFirst", "removeLast", "single",
    "singleOrNull",
];

/// Members of them that are or return collections of the same elements, sorted.
const ELEMENT_VIEWS: &[&str] = &[
    "asIterable", "asReversed", "asSequence", "distinct", "distinctBy", "drop", "dropWhile",
    "filter", "filterNot", "filterNotNull", "filterValues", "iterator", "minus", "onEach", "plus",
    "reversed", "shuffled", "sortedBy", "sortedByDescending", "sortedWith", "take", "takeLast",
    "takeWhile", "toList", "toMap", "toMutableList", "toMutableMap", "toSet", "values",
];

/// Members and extensions of the standard library, sorted.
const BUILTIN_MEMBERS: &[&str] = &[
    "add", "addAll", "all", "also", "and", "any", "append", "apply", "asSequence", "associate",
    "associateBy", "clear", "close", "code", "coerceAtLeast", "coerceAtMost", "coerceIn",
    "compareTo", "component1", "component2", "contains", "containsKey", "contentEquals", "copy",
    "copyOf", "count", "distinct", "downTo", "drop", "dropLast", "endsWith", "entries", "equals",
    "fill", "filter", "filterIsInstance", "filterNot", "filterNotNull", "find", "first",
    "firstOrNull", "flatMap", "fold", "forEach", "forEachIndexed", "format", "get", "getOrDefault",
    "getOrElse", "getOrNull", "getOrPut", "groupBy", "hashCode", "indexOf", "indices", "invoke",
    "isEmpty", "isNotEmpty", "isNullOrEmpty", "iterator", "java", "javaClass", "joinToString",
    "key", "keys", "last", "lastOrNull", "length", "let", "lines", "lowercase", "map",
    "mapIndexed", "mapNotNull", "mapValues", "message", "minus", "name", "none", "or", "ordinal",
    "plus", "put", "putAll", "reduce", "remove", "removeAll", "repeat", "replace", "reversed",
    "run", "set", "shl", "shr", "simpleName", "single", "size", "sorted", "sortedBy", "sortedWith",
    "split", "startsWith", "step", "substring", "sum", "sumOf", "take", "takeIf", "takeUnless",
    "to", "toByteArray", "toInt", "toList", "toLong", "toMap", "toMutableList", "toSet",
    "toString", "toTypedArray", "trim", "trimIndent", "trimMargin", "until", "uppercase", "use",
    "ushr", "value", "values", "withIndex", "xor", "zip",
];

#[cfg(test)]
mod tests {
    use super::{BUILTIN_MEMBERS, ELEMENT_GETTERS, ELEMENT_VIEWS, GLOBALS, KOTLIN};
    use crate::hunks::heads::check;

    #[test]
    fn definition_heads_are_read() {
        check(
            KOTLIN.hunks.unwrap(),
            &[
                ("fun main() {", Some("main")),
                (
                    "    private suspend fun load(id: Int): Cart {",
                    Some("load"),
                ),
                ("fun String.words(): List<String> =", Some("words")),
                ("inline fun <reified T> Cart.of(): T {", Some("of")),
                ("fun <T> List<T>.second(): T = this[1]", Some("second")),
                ("    override fun toString() = name", Some("toString")),
                ("    operator fun get(at: Int): Item", Some("get")),
                ("@Composable fun CartView(cart: Cart) {", Some("CartView")),
                (
                    "    @Test fun `sums an empty cart`() {",
                    Some("sums an empty cart"),
                ),
                ("data class Cart(val size: Int)", Some("Cart")),
                ("sealed interface Item", Some("Item")),
                ("fun interface Visitor {", Some("Visitor")),
                ("enum class Color(val rgb: Int) {", Some("Color")),
                ("    companion object {", None),
                ("object Shop : Base() {", Some("Shop")),
                ("val sum = fun(a: Int) {", None),
            ],
        );
    }

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
        assert!(ELEMENT_GETTERS.is_sorted() && ELEMENT_VIEWS.is_sorted());
    }
}

//! Defines the name lookup rules of Kotlin.

use foveate_model::resolution::{LookupRules, Receiver};

pub(super) const LOOKUP: LookupRules = LookupRules {
    star_imports_are_transitive: false,
    imports_reach_members: true,
    paths_may_be_qualified: true,
    class_bodies_are_scopes: true,
    members_are_bare: true,
    receivers: &[("this", Receiver::Instance), ("super", Receiver::Super)],
    super_name: Some("super"),
    globals: GLOBALS,
    builtin_members: BUILTIN_MEMBERS,
    ..LookupRules::DEFAULT
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
    use super::{BUILTIN_MEMBERS, GLOBALS};

    #[test]
    fn names_are_sorted() {
        assert!(GLOBALS.is_sorted() && BUILTIN_MEMBERS.is_sorted());
    }
}

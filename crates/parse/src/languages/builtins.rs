//! Lists names that belong to languages and not to a repository, sorted for binary search. They prevent
//! that a repository's definition of the same name is linked by accident. Repositories mix languages and
//! naming habits: Python and the scripting languages share these lists.

/// Members of the languages' own objects: a use of one is no evidence for a repository's definition of the
/// same name.
#[rustfmt::skip]
pub(in crate::languages) const BUILTIN_MEMBERS: &[&str] = &[
    "addEventListener", "append", "appendChild", "apply", "assertEqual", "assertRaises",
    "assertTrue", "assign", "astype", "called", "calledWith", "capitalize", "catch", "charAt",
    "charCodeAt", "children", "clear", "close", "concat", "console", "constructor", "contains",
    "copy", "count", "createElement", "debug", "decode", "default", "defineProperty", "delete",
    "describe", "descriptor", "disconnect", "encode", "endsWith", "endswith", "entries", "equal",
    "equals", "error", "every", "exception", "execute", "exists", "expect", "extend", "fetch",
    "filter", "finally", "findIndex", "flush", "forEach", "format", "fromkeys", "getAttribute",
    "getItem", "group", "groups", "handle", "hasOwnProperty", "includes", "index", "indexOf",
    "innerHTML", "input", "insert", "isArray", "isdigit", "items", "iterator", "join", "keys",
    "lastIndexOf", "length", "listen", "lower", "lstrip", "match", "message", "module", "name",
    "options", "output", "parent", "parse", "popitem", "print", "property", "prototype", "query",
    "querySelector", "querySelectorAll", "random", "range", "readline", "readlines", "reduce",
    "reject", "remove", "removeChild", "removeEventListener", "render", "replace", "request",
    "require", "resolve", "response", "result", "reverse", "rstrip", "search", "setAttribute",
    "setItem", "setdefault", "shape", "shift", "slice", "splice", "split", "splitlines", "start",
    "startsWith", "startswith", "state", "status", "string", "stringify", "strip", "subscribe",
    "substr", "substring", "super", "target", "title", "toBe", "toEqual", "toLowerCase", "toString",
    "toUpperCase", "translate", "trim", "unshift", "update", "upper", "value", "valueOf", "values",
    "warning", "write",
];

/// Objects that the languages and their hosts provide without an import.
#[rustfmt::skip]
pub(in crate::languages) const GLOBALS: &[&str] = &[
    "$", "Array", "BigInt", "Boolean", "Date", "Error", "Function", "Intl", "JSON", "Map", "Math",
    "Number", "Object", "Promise", "Proxy", "Reflect", "RegExp", "Set", "String", "Symbol", "URL",
    "WeakMap", "WeakSet", "bytes", "console", "crypto", "dict", "document", "exports", "float",
    "frozenset", "global", "globalThis", "history", "int", "jQuery", "list", "localStorage",
    "location", "module", "navigator", "object", "performance", "process", "require",
    "sessionStorage", "set", "str", "tuple", "type", "window",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::BUILTIN_MEMBERS.is_sorted());
        assert!(super::GLOBALS.is_sorted());
    }
}

//! Names that belong to the languages and not to a repository, sorted for binary search. They keep
//! a repository's definition of the same name from being linked by accident.

/// Top-level modules of Python's own library that repositories also use as directory or script
/// names; an import of one means a repository's file only where that file is plainly on the path.
#[rustfmt::skip]
pub(super) const STANDARD: &[&str] = &[
    "abc", "argparse", "array", "ast", "asyncio", "base64", "binascii", "bisect", "builtins",
    "calendar", "cmd", "code", "codecs", "collections", "colorsys", "concurrent", "configparser",
    "contextlib", "copy", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal",
    "difflib", "dis", "distutils", "email", "encodings", "enum", "errno", "fileinput", "fnmatch",
    "formatter", "fractions", "ftplib", "functools", "gc", "getopt", "getpass", "gettext", "glob",
    "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http", "imaplib", "imp", "importlib",
    "inspect", "io", "ipaddress", "itertools", "json", "keyword", "linecache", "locale", "logging",
    "lzma", "mailbox", "marshal", "math", "mimetypes", "mmap", "multiprocessing", "netrc",
    "numbers", "opcode", "operator", "optparse", "os", "parser", "pathlib", "pdb", "pickle",
    "pkgutil", "platform", "plistlib", "posix", "pprint", "profile", "pstats", "pty", "pwd",
    "queue", "quopri", "random", "re", "readline", "reprlib", "resource", "runpy", "sched",
    "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal", "site", "smtplib",
    "socket", "socketserver", "sqlite3", "ssl", "stat", "statistics", "string", "struct",
    "subprocess", "symbol", "symtable", "sys", "sysconfig", "syslog", "tarfile", "telnetlib",
    "tempfile", "termios", "test", "textwrap", "threading", "time", "timeit", "tkinter", "token",
    "tokenize", "trace", "traceback", "tty", "turtle", "types", "typing", "unicodedata", "unittest",
    "urllib", "uuid", "venv", "warnings", "wave", "weakref", "webbrowser", "wsgiref", "xml",
    "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
];

/// Members that the languages' own objects have: a use of one says nothing about a repository's
/// definition of the same name.
#[rustfmt::skip]
pub(super) const BUILTIN_MEMBERS: &[&str] = &[
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

/// Objects that the languages and their hosts bind without an import.
#[rustfmt::skip]
pub(super) const GLOBALS: &[&str] = &[
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
        assert!(super::STANDARD.is_sorted());
        assert!(super::BUILTIN_MEMBERS.is_sorted());
        assert!(super::GLOBALS.is_sorted());
    }
}

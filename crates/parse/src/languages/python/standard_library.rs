//! Lists modules of Python's standard library.

/// Top-level modules of the standard library whose names repositories also use for directories or scripts.
/// An import of one means a repository's file only where that file is clearly on the path.
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        assert!(super::STANDARD.is_sorted());
    }
}

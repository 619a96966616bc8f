//! Recognises chains of errors in one line, such as `failed to open db: open /a.db: permission denied`: each caller
//! prepended its own message to the error that it got, and the last message is one of the operating system. Must not
//! accept every line with colons: titles and commits have labels, too.

/// Maximum bytes of a chain; a longer line is something else.
const MAX_CHAIN: usize = 1_000;

/// Texts that end a chain, in lower case, sorted: those of POSIX and of the network, and those of Go's packages for both.
const CAUSES: &[&str] = &[
    "address already in use",
    "bad file descriptor",
    "broken pipe",
    "cannot allocate memory",
    "connection refused",
    "connection reset by peer",
    "connection timed out",
    "context canceled",
    "context deadline exceeded",
    "cross-device link",
    "device or resource busy",
    "directory not empty",
    "eof",
    "exec format error",
    "executable file not found in $path",
    "file already closed",
    "file already exists",
    "file does not exist",
    "file exists",
    "file name too long",
    "file too large",
    "i/o timeout",
    "input/output error",
    "invalid argument",
    "invalid cross-device link",
    "is a directory",
    "network is unreachable",
    "no route to host",
    "no space left on device",
    "no such device",
    "no such file or directory",
    "no such host",
    "no such process",
    "not a directory",
    "operation not permitted",
    "operation not supported",
    "operation timed out",
    "permission denied",
    "read-only file system",
    "resource temporarily unavailable",
    "text file busy",
    "too many levels of symbolic links",
    "too many open files",
    "unexpected eof",
    "use of closed network connection",
];

/// Whether a line is a chain of errors.
pub(crate) fn is_error_chain(line: &str) -> bool {
    let line = line.trim();
    if line.len() > MAX_CHAIN {
        return false;
    }
    let Some((_, cause)) = line.rsplit_once(": ") else {
        return false;
    };
    // Rust adds the number of the error.
    let cause = cause.split(" (os error ").next().unwrap_or(cause);
    let cause = cause.trim_end_matches(['.', '`', '"', '\'', '”', '’', ')', ' ']);
    let cause = cause.to_lowercase();
    CAUSES.binary_search(&cause.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_sorted() {
        assert!(CAUSES.is_sorted());
    }

    #[test]
    fn lines_that_end_with_a_cause_are_chains() {
        for line in [
            "failed to open db: open /var/a.db: no such file or directory",
            "create user: dial tcp 127.0.0.1:5432: connect: connection refused",
            "cat: shelf.txt: No such file or directory",
            "Error: read shelf: Permission denied (os error 13)",
            "read the header of `a.db`: unexpected EOF.",
        ] {
            assert!(is_error_chain(line), "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_chains() {
        for line in [
            "fix: handle permission denied",
            "permission denied",
            "docs: say what `no such file or directory` means",
            "open: which file does not exist?",
            "I get no such file or directory when I open it",
        ] {
            assert!(!is_error_chain(line), "{line}");
        }
    }
}

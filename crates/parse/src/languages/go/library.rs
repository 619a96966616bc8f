//! Lists interfaces of Go's standard library that types of other repositories implement.

use foveate_model::resolution::LibraryInterface;

/// Returns an interface with its methods, those of the interfaces that it embeds included.
const fn of(
    name: &'static str,
    methods: &'static [(&'static str, &'static str)],
) -> LibraryInterface {
    LibraryInterface { name, methods }
}

const CLOSE: (&str, &str) = ("Close", "() error");
const READ: (&str, &str) = ("Read", "(p []byte) (n int, err error)");
const SEEK: (&str, &str) = ("Seek", "(offset int64, whence int) (int64, error)");
const WRITE: (&str, &str) = ("Write", "(p []byte) (n int, err error)");
const LEN: (&str, &str) = ("Len", "() int");
const LESS: (&str, &str) = ("Less", "(i, j int) bool");
const SWAP: (&str, &str) = ("Swap", "(i, j int)");
const ERROR: (&str, &str) = ("Error", "() string");
const STRING: (&str, &str) = ("String", "() string");
const SET: (&str, &str) = ("Set", "(value string) error");

/// The interfaces. Of those with one name, the first is meant by the name without its package.
pub(super) const INTERFACES: &[LibraryInterface] = &[
    of("error", &[ERROR]),
    of("io.Reader", &[READ]),
    of("io.Writer", &[WRITE]),
    of("io.Closer", &[CLOSE]),
    of("io.Seeker", &[SEEK]),
    of("io.ReadWriter", &[READ, WRITE]),
    of("io.ReadCloser", &[READ, CLOSE]),
    of("io.WriteCloser", &[WRITE, CLOSE]),
    of("io.ReadWriteCloser", &[READ, WRITE, CLOSE]),
    of("io.ReadSeeker", &[READ, SEEK]),
    of("io.ReadSeekCloser", &[READ, SEEK, CLOSE]),
    of(
        "io.ReaderAt",
        &[("ReadAt", "(p []byte, off int64) (n int, err error)")],
    ),
    of(
        "io.WriterAt",
        &[("WriteAt", "(p []byte, off int64) (n int, err error)")],
    ),
    of(
        "io.ReaderFrom",
        &[("ReadFrom", "(r io.Reader) (n int64, err error)")],
    ),
    of(
        "io.WriterTo",
        &[("WriteTo", "(w io.Writer) (n int64, err error)")],
    ),
    of(
        "io.StringWriter",
        &[("WriteString", "(s string) (n int, err error)")],
    ),
    of("io.ByteReader", &[("ReadByte", "() (byte, error)")]),
    of("io.ByteWriter", &[("WriteByte", "(c byte) error")]),
    of(
        "io.RuneReader",
        &[("ReadRune", "() (r rune, size int, err error)")],
    ),
    of("fmt.Stringer", &[STRING]),
    of("fmt.GoStringer", &[("GoString", "() string")]),
    of("fmt.Formatter", &[("Format", "(f fmt.State, verb rune)")]),
    of(
        "fmt.Scanner",
        &[("Scan", "(state fmt.ScanState, verb rune) error")],
    ),
    of(
        "http.Handler",
        &[("ServeHTTP", "(w http.ResponseWriter, r *http.Request)")],
    ),
    of(
        "http.ResponseWriter",
        &[
            ("Header", "() http.Header"),
            ("WriteHeader", "(statusCode int)"),
            WRITE,
        ],
    ),
    of(
        "http.RoundTripper",
        &[("RoundTrip", "(r *http.Request) (*http.Response, error)")],
    ),
    of("http.Flusher", &[("Flush", "()")]),
    of(
        "http.Hijacker",
        &[("Hijack", "() (net.Conn, *bufio.ReadWriter, error)")],
    ),
    of(
        "http.CookieJar",
        &[
            ("SetCookies", "(u *url.URL, cookies []*http.Cookie)"),
            ("Cookies", "(u *url.URL) []*http.Cookie"),
        ],
    ),
    of(
        "http.FileSystem",
        &[("Open", "(name string) (http.File, error)")],
    ),
    of("json.Marshaler", &[("MarshalJSON", "() ([]byte, error)")]),
    of(
        "json.Unmarshaler",
        &[("UnmarshalJSON", "(data []byte) error")],
    ),
    of(
        "xml.Marshaler",
        &[(
            "MarshalXML",
            "(e *xml.Encoder, start xml.StartElement) error",
        )],
    ),
    of(
        "xml.Unmarshaler",
        &[(
            "UnmarshalXML",
            "(d *xml.Decoder, start xml.StartElement) error",
        )],
    ),
    of(
        "encoding.TextMarshaler",
        &[("MarshalText", "() (text []byte, err error)")],
    ),
    of(
        "encoding.TextUnmarshaler",
        &[("UnmarshalText", "(text []byte) error")],
    ),
    of(
        "encoding.BinaryMarshaler",
        &[("MarshalBinary", "() (data []byte, err error)")],
    ),
    of(
        "encoding.BinaryUnmarshaler",
        &[("UnmarshalBinary", "(data []byte) error")],
    ),
    of("sort.Interface", &[LEN, LESS, SWAP]),
    of(
        "heap.Interface",
        &[LEN, LESS, SWAP, ("Push", "(x any)"), ("Pop", "() any")],
    ),
    of(
        "context.Context",
        &[
            ("Deadline", "() (deadline time.Time, ok bool)"),
            ("Done", "() <-chan struct{}"),
            ("Err", "() error"),
            ("Value", "(key any) any"),
        ],
    ),
    of("sql.Scanner", &[("Scan", "(src any) error")]),
    of("driver.Valuer", &[("Value", "() (driver.Value, error)")]),
    of("flag.Value", &[STRING, SET]),
    of("flag.Getter", &[STRING, SET, ("Get", "() any")]),
    of("fs.FS", &[("Open", "(name string) (fs.File, error)")]),
    of(
        "fs.File",
        &[("Stat", "() (fs.FileInfo, error)"), READ, CLOSE],
    ),
    of(
        "fs.FileInfo",
        &[
            ("Name", "() string"),
            ("Size", "() int64"),
            ("Mode", "() fs.FileMode"),
            ("ModTime", "() time.Time"),
            ("IsDir", "() bool"),
            ("Sys", "() any"),
        ],
    ),
    of(
        "net.Conn",
        &[
            READ,
            WRITE,
            CLOSE,
            ("LocalAddr", "() net.Addr"),
            ("RemoteAddr", "() net.Addr"),
            ("SetDeadline", "(t time.Time) error"),
            ("SetReadDeadline", "(t time.Time) error"),
            ("SetWriteDeadline", "(t time.Time) error"),
        ],
    ),
    of(
        "net.Listener",
        &[
            ("Accept", "() (net.Conn, error)"),
            CLOSE,
            ("Addr", "() net.Addr"),
        ],
    ),
    of("net.Addr", &[("Network", "() string"), STRING]),
    of(
        "net.Error",
        &[ERROR, ("Timeout", "() bool"), ("Temporary", "() bool")],
    ),
    of("sync.Locker", &[("Lock", "()"), ("Unlock", "()")]),
    of(
        "hash.Hash",
        &[
            WRITE,
            ("Sum", "(b []byte) []byte"),
            ("Reset", "()"),
            ("Size", "() int"),
            ("BlockSize", "() int"),
        ],
    ),
    of(
        "slog.Handler",
        &[
            ("Enabled", "(ctx context.Context, level slog.Level) bool"),
            ("Handle", "(ctx context.Context, r slog.Record) error"),
            ("WithAttrs", "(attrs []slog.Attr) slog.Handler"),
            ("WithGroup", "(name string) slog.Handler"),
        ],
    ),
    of("slog.LogValuer", &[("LogValue", "() slog.Value")]),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::INTERFACES;
    use crate::languages::go::heads;

    #[test]
    fn every_interface_is_listed_once_and_has_readable_methods() {
        let mut names = HashSet::new();
        for interface in INTERFACES {
            assert!(names.insert(interface.name), "{}", interface.name);
            assert!(!interface.methods.is_empty(), "{}", interface.name);
            for (name, head) in interface.methods {
                assert!(heads::types(head).is_some(), "{name}{head}");
            }
        }
    }
}

//! Where the code at a path of a stack trace is from, as far as the path tells: a project's sources,
//! an installed package, the language's own library, a copy, or a built file, whose lines are those of no
//! source. Nothing here knows a repository: whether a package is the repository's own is for
//! [`crate::resolve`] to say.

use super::Frame;

/// Where code is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// A source file, of the repository or of somebody who uses it.
    Project,
    /// A file of an installed package.
    Package(Installed<'a>),
    /// A file of a language's runtime or standard library, or copied from elsewhere: its path below
    /// the root of the library or of the copies.
    Foreign(&'a str),
    /// A file that a bundler wrote, with the package that it is built from where its name says so.
    Bundle(Option<&'a str>),
}

/// A file of an installed package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Installed<'a> {
    /// Who installed it.
    pub manager: Manager,
    /// The package: `@vue/runtime-core`, `flask`, `tokio`.
    pub name: &'a str,
    /// The file's path below the package's directory; empty for a module that is a file itself.
    pub inner: &'a str,
    /// The file's path below the directory of all packages.
    pub path: &'a str,
}

/// What installs packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Manager {
    Npm,
    Python,
    Cargo,
    Go,
    Composer,
    Gem,
}

/// A column that no line of a source has; those of minified files have more.
const MINIFIED_COLUMN: u32 = 1_000;

/// Modules of Node that old versions print without a directory.
const NODE_MODULES: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "crypto",
    "dgram",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "module",
    "net",
    "path",
    "process",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "worker_threads",
    "zlib",
];

/// What bundlers call formats and modes, between the dots of a name.
const FORMATS: &[&str] = &[
    "amd",
    "browser",
    "bundle",
    "cjs",
    "common",
    "development",
    "es",
    "es5",
    "esm",
    "esm-browser",
    "esm-bundler",
    "global",
    "iife",
    "legacy",
    "min",
    "modern",
    "module",
    "prod",
    "production",
    "runtime",
    "system",
    "umd",
];

/// Names of built files that hold what an application is made of.
const OF_APPLICATIONS: &[&str] = &[
    "app",
    "bundle",
    "build",
    "chunk",
    "client",
    "common",
    "commons",
    "index",
    "main",
    "polyfills",
    "scripts",
    "vendor",
    "vendors",
];

/// Such names that are enough by themselves; others are names of sources, too.
const BUNDLES: &[&str] = &["bundle", "chunk", "vendor", "vendors", "polyfills"];

/// Where the code of a frame is from.
pub fn of_frame(frame: &Frame) -> Origin<'_> {
    let origin = of(&frame.path);
    if origin == Origin::Project && frame.column >= MINIFIED_COLUMN && script(&frame.path).is_some()
    {
        return Origin::Bundle(None);
    }
    origin
}

/// Whether a frame says nothing: a place in a built file, and at most a name that a minifier made up.
pub(super) fn is_minified(frame: &Frame) -> bool {
    let name = frame.function.rsplit('.').next().unwrap_or_default();
    name.chars().count() < 4 && of_frame(frame) == Origin::Bundle(None)
}

/// Where the code of a path is from.
pub fn of(path: &str) -> Origin<'_> {
    npm(path)
        .or_else(|| python(path))
        .or_else(|| cargo(path))
        .or_else(|| go(path))
        .or_else(|| gem(path))
        .or_else(|| composer(path))
        .or_else(|| runtime(path))
        .or_else(|| copied(path))
        .or_else(|| bundle(path))
        .unwrap_or(Origin::Project)
}

fn npm(path: &str) -> Option<Origin<'_>> {
    let rest = below(path, "node_modules")?;
    if rest.starts_with('.') {
        // `.vite/deps/vue.js`: what a development server bundled.
        return Some(bundle(rest).unwrap_or_else(|| {
            let name = script(rest).unwrap_or_default();
            Origin::Bundle(name.rsplit('_').next().filter(|name| !name.is_empty()))
        }));
    }
    let scope = if rest.starts_with('@') {
        rest.find('/')? + 1
    } else {
        0
    };
    let end = scope + rest.get(scope..)?.find('/')?;
    installed(Manager::Npm, rest, end)
}

fn python(path: &str) -> Option<Origin<'_>> {
    let rest = below(path, "site-packages").or_else(|| below(path, "dist-packages"))?;
    let rest = match rest.split_once('/') {
        Some((egg, rest)) if egg.ends_with(".egg") => rest,
        _ => rest,
    };
    match rest.find('/') {
        Some(end) => installed(Manager::Python, rest, end),
        None => Some(Origin::Package(Installed {
            manager: Manager::Python,
            name: rest.split('.').next().unwrap_or(rest),
            inner: "",
            path: rest,
        })),
    }
}

/// `~/.cargo/registry/src/index.crates.io-0a1b/tokio-1.2.0/src/lib.rs`
fn cargo(path: &str) -> Option<Origin<'_>> {
    let (_, rest) = below(path, "registry/src")?.split_once('/')?;
    installed(Manager::Cargo, rest, before_version(rest)?)
}

/// `/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go`, `vendor/github.com/a/b/c.go`
fn go(path: &str) -> Option<Origin<'_>> {
    if let Some(rest) = below(path, "pkg/mod") {
        return installed(Manager::Go, rest, rest.find('@')?);
    }
    let rest = below(path, "vendor").filter(|_| path.ends_with(".go"))?;
    let (end, _) = rest.match_indices('/').nth(2)?;
    installed(Manager::Go, rest, end)
}

/// `/usr/lib/ruby/gems/2.7.0/gems/rake-13.0.1/lib/rake.rb`
fn gem(path: &str) -> Option<Origin<'_>> {
    let rest = below(path, "gems")?;
    installed(Manager::Gem, rest, before_version(rest)?)
}

fn composer(path: &str) -> Option<Origin<'_>> {
    let rest = below(path, "vendor").filter(|_| path.ends_with(".php"))?;
    let (end, _) = rest.match_indices('/').nth(1)?;
    installed(Manager::Composer, rest, end)
}

/// A file at `path` below the directory of all packages; the first `end` bytes are the package's
/// name, and a version may stand between it and the next slash.
fn installed(manager: Manager, path: &str, end: usize) -> Option<Origin<'_>> {
    let (name, after) = path.split_at_checked(end)?;
    let inner = after.split_once('/').map_or("", |(_, inner)| inner);
    Some(Origin::Package(Installed {
        manager,
        name,
        inner,
        path,
    }))
}

/// Where the version begins in the first directory of a path: at the second `-` of
/// `tokio-util-0.7.1/src/lib.rs`.
fn before_version(path: &str) -> Option<usize> {
    let directory = path.split('/').next()?;
    let mut dashes = directory.match_indices('-');
    let is_version = |at: usize| {
        directory
            .as_bytes()
            .get(at + 1)
            .is_some_and(u8::is_ascii_digit)
    };
    dashes.find_map(|(at, _)| is_version(at).then_some(at))
}

fn runtime(path: &str) -> Option<Origin<'_>> {
    if let Some(module) = path.strip_prefix("node:") {
        return Some(Origin::Foreign(module));
    }
    let is_node = script(path).is_some_and(|module| {
        path.starts_with("internal/") || (!path.contains('/') && NODE_MODULES.contains(&module))
    });
    let is_java = path.ends_with(".java")
        && ["java/", "javax/", "jdk/", "sun/"]
            .iter()
            .any(|package| path.starts_with(package));
    if is_node || is_java || path.starts_with("frozen ") {
        return Some(Origin::Foreign(path));
    }
    let rust = || Some(below(path, "rustc")?.split_once('/')?.1);
    let ruby = || Some(below(path, "lib/ruby")?.split_once('/')?.1);
    let go = || {
        [
            "/usr/local/go/src/",
            "/usr/lib/go/src/",
            "/usr/lib/golang/src/",
        ]
        .iter()
        .find_map(|root| path.strip_prefix(root))
    };
    python_library(path)
        .or_else(rust)
        .or_else(ruby)
        .or_else(go)
        .map(Origin::Foreign)
}

/// Scripts and crates in directories for other people's code.
fn copied(path: &str) -> Option<Origin<'_>> {
    let is_code = path.ends_with(".rs") || script(path).is_some();
    let roots = ["vendor", "third_party", "bower_components"].iter();
    let mut rests = roots.filter_map(|root| below(path, root));
    rests.next().filter(|_| is_code).map(Origin::Foreign)
}

/// What is below `lib/python3.8/`, `Python38/Lib/` or `lib-python/3/`.
fn python_library(path: &str) -> Option<&str> {
    let has_version = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    let is_unix = |above: &str, directory: &str| {
        let is_python = directory.starts_with("python") && directory.contains('.');
        matches!(above, "lib" | "lib64") && is_python && has_version(directory)
    };
    let is_other = |above: &str, directory: &str| {
        let named = above.to_ascii_lowercase();
        let is_python = named.contains("python") || named.contains("conda");
        let is_lib = directory.eq_ignore_ascii_case("lib");
        above == "lib-python" || (is_lib && is_python && has_version(above))
    };
    below_pair(path, is_unix).or_else(|| below_pair(path, is_other))
}

/// What is below the first directory that `is_meant`, given the one above it and itself.
fn below_pair(path: &str, is_meant: impl Fn(&str, &str) -> bool) -> Option<&str> {
    let mut start = 0;
    let mut above = "";
    for directory in path.split('/') {
        start += directory.len() + 1;
        if is_meant(above, directory) {
            return path.get(start..);
        }
        above = directory;
    }
    None
}

fn bundle(path: &str) -> Option<Origin<'_>> {
    let stem = script(path)?;
    let (name, rest) = stem.split_once('.').unwrap_or((stem, ""));
    let has_format = rest.split('.').any(|part| FORMATS.contains(&part));
    let of_application = OF_APPLICATIONS.contains(&name) || has_hash(stem);
    if BUNDLES.contains(&name) || has_hash(stem) || (has_format && of_application) {
        return Some(Origin::Bundle(None));
    }
    has_format.then_some(Origin::Bundle(Some(name)))
}

/// The name of a script that an engine runs, without its extension; none for other files.
pub fn script(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    matches!(extension, "js" | "mjs" | "cjs").then_some(stem)
}

/// Whether a part of a name after the first is a hash of contents: `index-4f3a`, `main.8e0d62ab`,
/// `chunk-4XKHB2AD`, `index-DiwrgTda`.
fn has_hash(stem: &str) -> bool {
    stem.split(['-', '.', '_', '~']).skip(1).any(|part| {
        let count = |is: fn(&char) -> bool| part.chars().filter(is).count();
        let digits = count(char::is_ascii_digit);
        let upper = count(char::is_ascii_uppercase);
        let is_mixed = digits > 0 && digits < part.len();
        let is_hex = part.len() >= 4 && part.bytes().all(|b| b.is_ascii_hexdigit());
        let is_base64 = part.len() == 8 && part.bytes().all(|b| b.is_ascii_alphanumeric());
        (is_hex && is_mixed) || (is_base64 && (is_mixed || (2..8).contains(&upper)))
    })
}

/// What stands below the last directory of a name, which may have two segments.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.rmatch_indices(directory).find_map(|(at, _)| {
        let rest = path.get(at + directory.len()..)?.strip_prefix('/')?;
        let begins = at == 0 || path.as_bytes().get(at - 1) == Some(&b'/');
        (begins && !rest.is_empty()).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let told = match of(path) {
            Origin::Project => "project".to_owned(),
            Origin::Package(p) => format!("{:?} {} > {}", p.manager, p.name, p.inner),
            Origin::Foreign(inner) => format!("foreign {inner}"),
            Origin::Bundle(package) => format!("bundle {package:?}"),
        };
        assert_eq!(told, expected, "{path}");
    }

    #[test]
    fn packages_are_known_by_where_they_are_installed() {
        check("src/app.py", "project");
        check("/srv/app/src/main.js", "project");
        check(
            "/v/lib/python3.8/site-packages/flask/json/tag.py",
            "Python flask > json/tag.py",
        );
        check("C:/P/Python38/Lib/site-packages/six.py", "Python six > ");
        check(
            "/x/dist-packages/Scrapy-1.0-py2.7.egg/scrapy/crawler.py",
            "Python scrapy > crawler.py",
        );
        check("node_modules/vue/dist/vue.js", "Npm vue > dist/vue.js");
        check(
            "/a/node_modules/.pnpm/@vue+runtime-core@3.4.21/node_modules/@vue/runtime-core/dist/a.js",
            "Npm @vue/runtime-core > dist/a.js",
        );
        check(
            "/r/.cargo/registry/src/index.crates.io-6f17/tokio-util-0.7.1/src/lib.rs",
            "Cargo tokio-util > src/lib.rs",
        );
        check(
            "/go/pkg/mod/github.com/gin-gonic/gin@v1.9.0/render/json.go",
            "Go github.com/gin-gonic/gin > render/json.go",
        );
        check(
            "/go/src/acme/vendor/github.com/a/b/c/d.go",
            "Go github.com/a/b > c/d.go",
        );
        check(
            "/srv/vendor/symfony/http-kernel/Kernel.php",
            "Composer symfony/http-kernel > Kernel.php",
        );
        check(
            "/usr/lib/ruby/gems/2.7.0/gems/rubocop-ast-1.2/lib/rubocop/ast.rb",
            "Gem rubocop-ast > lib/rubocop/ast.rb",
        );
    }

    #[test]
    fn runtimes_are_known_by_their_directories() {
        check(
            "/usr/lib/python3.8/json/decoder.py",
            "foreign json/decoder.py",
        );
        check(
            "C:/Users/a/Python/Python37/lib/threading.py",
            "foreign threading.py",
        );
        check(
            "/opt/miniconda3/lib/python3.11/typing.py",
            "foreign typing.py",
        );
        check(
            "frozen importlib._bootstrap",
            "foreign frozen importlib._bootstrap",
        );
        check(
            "node:internal/process/task_queues",
            "foreign internal/process/task_queues",
        );
        check(
            "internal/modules/cjs/loader.js",
            "foreign internal/modules/cjs/loader.js",
        );
        check("events.js", "foreign events.js");
        check(
            "java/util/ArrayList.java",
            "foreign java/util/ArrayList.java",
        );
        check(
            "/rustc/0a1b/library/std/src/panicking.rs",
            "foreign library/std/src/panicking.rs",
        );
        check(
            "/usr/local/go/src/net/http/server.go",
            "foreign net/http/server.go",
        );
        // Those that only look like one.
        check("/home/a/python/lib/events.py", "project");
        check("src/internal/client/events.js", "project");
        check("/go/src/acme/db/pool.go", "project");
    }

    #[test]
    fn copies_are_known_by_their_directories() {
        check("assets/vendor/jquery/jquery.js", "foreign jquery/jquery.js");
        check("/build/vendor/serde/src/lib.rs", "foreign serde/src/lib.rs");
        check("/home/vendor/app/run.py", "project");
    }

    #[test]
    fn built_files_are_known_by_their_names() {
        check(
            "runtime-core.esm-bundler.js",
            "bundle Some(\"runtime-core\")",
        );
        check("vue.runtime.esm.js", "bundle Some(\"vue\")");
        check("react-dom.production.min.js", "bundle Some(\"react-dom\")");
        check(
            "node_modules/.vite/deps/@vue_runtime-core.js",
            "bundle Some(\"runtime-core\")",
        );
        check("node_modules/.vite/deps/chunk-4XKHB2AD.js", "bundle None");
        check("assets/index-4f3a.js", "bundle None");
        check("assets/index-DiwrgTda.js", "bundle None");
        check("static/js/main.8e0d62ab.chunk.js", "bundle None");
        check("js/app.min.js", "bundle None");
        check("js/vendor.js", "bundle None");
        for source in [
            "src/main.js",
            "lib/core/dispatchRequest.js",
            "src/api-client.js",
            "a-2015.js",
        ] {
            check(source, "project");
        }
    }

    #[test]
    fn a_column_in_the_thousands_is_minified() {
        let frame = |function: &str, column| Frame {
            path: "js/site.js".to_owned(),
            line: 1,
            column,
            function: function.to_owned(),
        };
        assert_eq!(of_frame(&frame("mount", 80)), Origin::Project);
        assert_eq!(of_frame(&frame("mount", 12_345)), Origin::Bundle(None));
        assert!(is_minified(&frame("e.t", 12_345)));
        assert!(!is_minified(&frame("mountAll", 12_345)));
    }
}

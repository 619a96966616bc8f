//! Classifies the code at a path of a stack trace by the path alone: a project's sources, an installed
//! package, the language's standard library, a copy, or a built file, whose lines are not those of any
//! source. It knows no repository: callers decide whether a package is the repository's own. An
//! [`OriginForm`] describes each language's paths.

pub(crate) mod form;

pub use self::form::{InstalledFile, Origin, PackageHome, PackageManager};
use self::form::{OriginForm, below};
use crate::languages;
use crate::traces::Frame;

fn forms() -> impl Iterator<Item = &'static OriginForm> {
    languages::all().map(|spec| &spec.origins)
}

/// Returns all package managers.
pub fn managers() -> impl Iterator<Item = &'static PackageManager> {
    forms().filter_map(|form| form.manager)
}

/// Returns the origin of a frame's code.
pub fn of_frame(frame: &Frame) -> Origin<'_> {
    let origin = of(&frame.path);
    if origin == Origin::Project && forms().any(|form| (form.is_minified)(frame)) {
        return Origin::Bundle(None);
    }
    origin
}

/// Whether a frame carries no information: a place in a built file, with at most a name that a minifier
/// made up.
pub fn is_minified(frame: &Frame) -> bool {
    let name = frame.function.rsplit('.').next().unwrap_or_default();
    name.chars().count() < 4 && of_frame(frame) == Origin::Bundle(None)
}

/// Whether an engine runs the file at a path; the file is then built or a source.
pub fn is_script(path: &str) -> bool {
    forms().any(|form| (form.is_script)(path))
}

/// Returns the stem of a script that is written without its directory, as browsers print it: `shop` of `shop.mjs`. It may
/// be the bundle of the package of this name.
pub fn bare_script(path: &str) -> Option<&str> {
    let (stem, _) = path.rsplit_once('.')?;
    (!path.contains(['/', '\\']) && is_script(path)).then_some(stem)
}

/// Whether a path contains all directories below a source root.
pub fn is_complete(path: &str) -> bool {
    forms().any(|form| (form.is_complete)(path))
}

/// Returns the extensions of files that contain one component each, with the same name.
pub fn component_extensions() -> impl Iterator<Item = &'static str> {
    forms().flat_map(|form| form.component_extensions).copied()
}

/// Returns the origin of the code at a path.
pub fn of(path: &str) -> Origin<'_> {
    // A package that is installed inside another is the inner one.
    let packages = forms().filter_map(|form| (form.package)(path));
    let package = packages.min_by_key(|(below, _)| below.len());
    package
        .map(|(_, origin)| origin)
        .or_else(|| runtime(path).map(Origin::Foreign))
        .or_else(|| copied(path))
        .or_else(|| forms().find_map(|form| (form.bundle)(path)))
        .unwrap_or(Origin::Project)
}

/// Whether a dotted name is one of a language's standard library: `java.util.List`.
pub fn is_runtime_name(name: &str) -> bool {
    let mut packages = forms().flat_map(|form| form.runtime_packages);
    packages.any(|package| name.starts_with(package))
}

/// Whether a name is that of a type of a language's standard library, without a package or namespace: `size_t`.
pub fn is_runtime_type(name: &str) -> bool {
    forms().any(|form| form.runtime_types.contains(&name))
}

/// Returns a type with its members, without the package before it: `JdbcClob` of `org.h2.jdbc.JdbcClob`. The parts of the
/// name of a package name no code of their own. Other names are returned whole.
pub fn without_package(name: &str) -> &str {
    let is_package = |part: &str| part.starts_with(char::is_lowercase);
    let (root, mut rest) = name.split_once('.').unwrap_or((name, ""));
    let is_root = forms().any(|form| form.package_roots.contains(&root));
    // `io.Reader` may well be a variable and its member.
    if !is_root || !is_package(rest) {
        return name;
    }
    while is_package(rest) {
        rest = rest.split_once('.').map_or("", |(_, rest)| rest);
    }
    if rest.is_empty() { name } else { rest }
}

fn runtime(path: &str) -> Option<&str> {
    forms().find_map(|form| (form.runtime)(path))
}

/// Recognises code in directories for third-party code.
fn copied(path: &str) -> Option<Origin<'_>> {
    let roots = ["vendor", "third_party", "bower_components"].iter();
    let mut rests = roots.filter_map(|root| below(path, root));
    let rest = rests.next()?;
    let is_code = forms().any(|form| (form.is_copied)(path));
    is_code.then_some(Origin::Foreign(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let found = match of(path) {
            Origin::Project => "project".to_owned(),
            Origin::Package(p) => format!("{} {} > {}", p.manager.name, p.name, p.inner),
            Origin::Foreign(inner) => format!("foreign {inner}"),
            Origin::Bundle(package) => format!("bundle {package:?}"),
        };
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn types_lose_the_packages_of_the_jvm() {
        assert_eq!(without_package("org.h2.jdbc.Clob"), "Clob");
        assert_eq!(without_package("kotlinx.io.Sink.close"), "Sink.close");
        for whole in ["org.h2.jdbc", "io.Reader", "lib.jdbc.Clob", "org", ""] {
            assert_eq!(without_package(whole), whole);
        }
    }

    #[test]
    fn packages_are_recognised_by_install_path() {
        check("src/app.py", "project");
        check("/srv/app/src/main.js", "project");
        check(
            "/v/lib/python3.8/site-packages/flask/json/tag.py",
            "pip flask > json/tag.py",
        );
        check("C:/P/Python38/Lib/site-packages/six.py", "pip six > ");
        check(
            "/x/dist-packages/Scrapy-1.0-py2.7.egg/scrapy/crawler.py",
            "pip scrapy > crawler.py",
        );
        check("node_modules/vue/dist/vue.js", "npm vue > dist/vue.js");
        check(
            "/a/node_modules/.pnpm/@vue+runtime-core@3.4.21/node_modules/@vue/runtime-core/dist/a.js",
            "npm @vue/runtime-core > dist/a.js",
        );
        check(
            "/r/.cargo/registry/src/index.crates.io-6f17/tokio-util-0.7.1/src/lib.rs",
            "cargo tokio-util > src/lib.rs",
        );
        check(
            "/go/pkg/mod/github.com/gin-gonic/gin@v1.9.0/render/json.go",
            "go github.com/gin-gonic/gin > render/json.go",
        );
        check(
            "github.com/gin-gonic/gin@v1.9.0/render/json.go",
            "go github.com/gin-gonic/gin > render/json.go",
        );
        check(
            "/go/src/acme/vendor/github.com/a/b/c/d.go",
            "go github.com/a/b > c/d.go",
        );
        check(
            "/srv/vendor/symfony/http-kernel/Kernel.php",
            "composer symfony/http-kernel > Kernel.php",
        );
        check(
            "/r/.cargo/git/checkouts/acme-0a1b2c3d/4e5f607/shop/src/lib.rs",
            "cargo acme > shop/src/lib.rs",
        );
        check(
            "/b/ruby/3.2.0/bundler/gems/acme-fa1b2c3d4e5f/lib/acme.rb",
            "gem acme > lib/acme.rb",
        );
        check(
            "/usr/lib/ruby/gems/2.7.0/gems/rubocop-ast-1.2/lib/rubocop/ast.rb",
            "gem rubocop-ast > lib/rubocop/ast.rb",
        );
    }

    #[test]
    fn runtimes_are_recognised_by_directory() {
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
        for (path, inner) in [
            ("/usr/local/go/src/net/http/server.go", "net/http/server.go"),
            (
                "/opt/hostedtoolcache/go/1.22.0/x64/src/runtime/panic.go",
                "runtime/panic.go",
            ),
            ("/usr/lib/go-1.22/src/runtime/panic.go", "runtime/panic.go"),
            ("net/http/server.go", "net/http/server.go"),
            (
                "/r/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/src/os/file.go",
                "os/file.go",
            ),
            (
                "/r/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/panic.rs",
                "library/core/src/panic.rs",
            ),
            ("com/sun/proxy/A.java", "com/sun/proxy/A.java"),
            ("kotlin/collections/Maps.kt", "kotlin/collections/Maps.kt"),
            ("System/Linq/Enumerable.cs", "System/Linq/Enumerable.cs"),
            ("/usr/include/c++/13/bits/stl_vector.h", "bits/stl_vector.h"),
            ("/usr/include/fmt/core.h", "fmt/core.h"),
            ("/build/glibc-2.31/malloc/malloc.c", "malloc/malloc.c"),
            ("C:/VS/VC/Tools/MSVC/14.3/include/vector", "vector"),
            ("/usr/lib/ruby/3.2.0/json/common.rb", "json/common.rb"),
        ] {
            check(path, &format!("foreign {inner}"));
        }
        // Paths that only look like a runtime.
        check("/home/a/python/lib/events.py", "project");
        check("src/internal/client/events.js", "project");
        check("/go/src/acme/db/pool.go", "project");
        check("src/net/http/server.go", "project");
        check("github.com/acme/shop/cart.go", "project");
    }

    #[test]
    fn copies_are_recognised_by_directory() {
        check("assets/vendor/jquery/jquery.js", "foreign jquery/jquery.js");
        check("/build/vendor/serde/src/lib.rs", "foreign serde/src/lib.rs");
        check("src/third_party/zlib/inflate.c", "foreign zlib/inflate.c");
        check("/home/vendor/app/run.py", "project");
    }

    #[test]
    fn built_files_are_recognised_by_name() {
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
            "src/main.js", "lib/core/dispatchRequest.js", "src/api-client.js", "a-2015.js",
        ] {
            check(source, "project");
        }
    }

    #[test]
    fn column_in_the_thousands_is_minified() {
        let frame = |function: &str, column| Frame {
            package: String::new(),
            path: "js/site.js".to_owned(),
            line: 1,
            column,
            function: function.to_owned(),
            reported_as: None,
        };
        assert_eq!(of_frame(&frame("mount", 80)), Origin::Project);
        assert_eq!(of_frame(&frame("mount", 12_345)), Origin::Bundle(None));
        assert!(is_minified(&frame("e.t", 12_345)));
        assert!(!is_minified(&frame("mountAll", 12_345)));
    }
}

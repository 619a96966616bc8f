//! Recognises paths of Go modules and of Go's standard library.

use crate::origin::form::{Origin, OriginForm, PackageHome, PackageManager, below, installed};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&MODULES),
    package,
    runtime,
    ..OriginForm::NONE
};

static MODULES: PackageManager = PackageManager {
    name: "go",
    home: PackageHome::Manifest {
        file: "go.mod",
        key: "module ",
    },
    is_built: false,
};

/// Returns the path within the module directory, and the package:
/// `/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go`, `vendor/github.com/a/b/c.go`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    if path.contains("/golang.org/toolchain@") {
        return None;
    }
    if let Some(rest) = below(path, "pkg/mod") {
        return Some((rest, installed(&MODULES, rest, rest.find('@')?)?));
    }
    let rest = below(path, "vendor").filter(|_| path.ends_with(".go"))?;
    let (end, _) = rest.match_indices('/').nth(2)?;
    Some((rest, installed(&MODULES, rest, end)?))
}

fn runtime(path: &str) -> Option<&str> {
    let roots = [
        "/usr/local/go/src/", "/usr/lib/go/src/", "/usr/lib/golang/src/", "C:/Go/src/",
        "C:/Program Files/Go/src/",
    ];
    let installed = roots.iter().find_map(|root| path.strip_prefix(root));
    // `/opt/hostedtoolcache/go/1.22.0/x64/src/`, `/usr/local/Cellar/go/1.22.0/libexec/src/`,
    // `/usr/lib/go-1.22/src/`, `…/golang.org/toolchain@v0.0.1-go1.22.0.linux-amd64/src/`
    installed.or_else(|| {
        let marks = ["/go/1.", "/go-1.", "/golang.org/toolchain@", "/sdk/go1."];
        let (_, rest) = marks.iter().find_map(|mark| path.split_once(mark))?;
        let (above, rest) = rest.split_once("/src/")?;
        (above.split('/').count() <= 2).then_some(rest)
    })
}

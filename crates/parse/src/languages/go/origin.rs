//! Where modules of Go and its own library lie.

use crate::origin::{Origin, OriginForm, PackageHome, PackageManager, below, installed};

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

/// `/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go`, `vendor/github.com/a/b/c.go`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    if let Some(rest) = below(path, "pkg/mod") {
        return Some((rest, installed(&MODULES, rest, rest.find('@')?)?));
    }
    let rest = below(path, "vendor").filter(|_| path.ends_with(".go"))?;
    let (end, _) = rest.match_indices('/').nth(2)?;
    Some((rest, installed(&MODULES, rest, end)?))
}

fn runtime(path: &str) -> Option<&str> {
    [
        "/usr/local/go/src/",
        "/usr/lib/go/src/",
        "/usr/lib/golang/src/",
    ]
    .iter()
    .find_map(|root| path.strip_prefix(root))
}

//! Recognises paths of installed packages and of Python's standard library.

use crate::origin::form::{
    InstalledFile, Origin, OriginForm, PackageHome, PackageManager, below, below_pair, installed,
};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&PIP),
    package,
    runtime: |path| match path.starts_with("frozen ") {
        true => Some(path),
        false => library(path),
    },
    ..OriginForm::NONE
};

static PIP: PackageManager = PackageManager {
    name: "pip",
    home: PackageHome::Module {
        ending: ".py",
        package_stem: "__init__",
    },
    is_built: false,
};

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "site-packages").or_else(|| below(path, "dist-packages"))?;
    let rest = match rest.split_once('/') {
        Some((egg, rest)) if egg.ends_with(".egg") => rest,
        _ => rest,
    };
    let origin = match rest.find('/') {
        Some(end) => installed(&PIP, rest, end)?,
        None => Origin::Package(InstalledFile {
            manager: &PIP,
            name: rest.split('.').next().unwrap_or(rest),
            inner: "",
            path: rest,
        }),
    };
    Some((rest, origin))
}

/// Returns the path below `lib/python3.8/`, `Python38/Lib/` or `lib-python/3/`.
fn library(path: &str) -> Option<&str> {
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

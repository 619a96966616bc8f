//! Recognizes files of crates and of the Rust standard library by their paths.

use crate::origin::form::{
    InstalledFile, Origin, OriginForm, PackageHome, PackageManager, before_version, below,
    installed,
};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&CARGO),
    package,
    runtime: |path| {
        let built = below(path, "rustc").and_then(|rest| Some(rest.split_once('/')?.1));
        built.or_else(|| below(path, "lib/rustlib/src/rust"))
    },
    is_copied: |path| path.ends_with(".rs"),
    ..OriginForm::NONE
};

static CARGO: PackageManager = PackageManager {
    name: "cargo",
    home: PackageHome::Manifest {
        file: "Cargo.toml",
        key: "name",
    },
    is_built: false,
};

/// Recognizes a file of a crate from a registry:
/// `~/.cargo/registry/src/index.crates.io-0a1b/tokio-1.2.0/src/lib.rs`.
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let Some(registry) = below(path, "registry/src") else {
        return checkout(path);
    };
    let (_, rest) = registry.split_once('/')?;
    Some((rest, installed(&CARGO, rest, before_version(rest)?)?))
}

/// Recognizes a file of a crate from git:
/// `~/.cargo/git/checkouts/tokio-0a1b2c3d/4e5f607/tokio/src/lib.rs`.
fn checkout(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "git/checkouts")?;
    let directory = rest.split('/').next()?;
    let (name, _) = directory.rsplit_once('-')?;
    let (_, revision) = rest.split_once('/')?;
    let (_, inner) = revision.split_once('/')?;
    Some((
        rest,
        Origin::Package(InstalledFile {
            manager: &CARGO,
            name,
            inner,
            path: inner,
        }),
    ))
}

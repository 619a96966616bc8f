//! Where crates and Rust's own library lie.

use crate::origin::{
    Origin, OriginForm, PackageHome, PackageManager, before_version, below, installed,
};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&CARGO),
    package,
    runtime: |path| Some(below(path, "rustc")?.split_once('/')?.1),
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

/// `~/.cargo/registry/src/index.crates.io-0a1b/tokio-1.2.0/src/lib.rs`
fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let (_, rest) = below(path, "registry/src")?.split_once('/')?;
    Some((rest, installed(&CARGO, rest, before_version(rest)?)?))
}

//! Recognizes files of installed PHP packages by their paths.

use crate::origin::form::{Origin, OriginForm, PackageHome, PackageManager, below, installed};

pub(super) const ORIGINS: OriginForm = OriginForm {
    manager: Some(&COMPOSER),
    package,
    ..OriginForm::NONE
};

static COMPOSER: PackageManager = PackageManager {
    name: "composer",
    home: PackageHome::Manifest {
        file: "composer.json",
        key: "\"name\"",
    },
    is_built: false,
};

fn package(path: &str) -> Option<(&str, Origin<'_>)> {
    let rest = below(path, "vendor").filter(|_| path.ends_with(".php"))?;
    let (end, _) = rest.match_indices('/').nth(1)?;
    Some((rest, installed(&COMPOSER, rest, end)?))
}

//! Where Java's own library lies.

use crate::origin::form::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    runtime: |path| {
        let packages = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
        let is_own = packages.iter().any(|package| path.starts_with(package));
        (is_own && path.ends_with(".java")).then_some(path)
    },
    // A file is in the directory of its package; where it is in none, nothing is known.
    is_complete: |path| path.ends_with(".java") && !path.starts_with('/') && path.contains('/'),
    ..OriginForm::NONE
};

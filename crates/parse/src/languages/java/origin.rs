//! Where Java's own library lies.

use crate::origin::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    runtime: |path| {
        let packages = ["java/", "javax/", "jdk/", "sun/"];
        let is_own = packages.iter().any(|package| path.starts_with(package));
        (is_own && path.ends_with(".java")).then_some(path)
    },
    ..OriginForm::NONE
};

//! Recognises paths of Java's standard library.

use crate::origin::form::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    runtime: |path| {
        let packages = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
        let is_own = packages.iter().any(|package| path.starts_with(package));
        (is_own && path.ends_with(".java")).then_some(path)
    },
    runtime_packages: &["java.", "javax.", "jdk.", "sun.", "com.sun."],
    // A file is in the directory of its package; without a directory the path may be incomplete.
    is_complete: |path| path.ends_with(".java") && !path.starts_with('/') && path.contains('/'),
    ..OriginForm::NONE
};

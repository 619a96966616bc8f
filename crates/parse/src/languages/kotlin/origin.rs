//! Recognizes files of the Kotlin standard library by their paths.

use crate::origin::form::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    runtime: |path| {
        let is_own = path.starts_with("kotlin/") && path.ends_with(".kt");
        is_own.then_some(path)
    },
    runtime_packages: &["kotlin."],
    ..OriginForm::NONE
};

//! Recognizes files of the .NET class library by their paths.

use crate::origin::form::OriginForm;

pub(super) const ORIGINS: OriginForm = OriginForm {
    // Frames without debug symbols have a path made of their namespace and class.
    runtime: |path| {
        let is_own = path.starts_with("System/") && path.ends_with(".cs");
        is_own.then_some(path)
    },
    runtime_packages: &["System."],
    ..OriginForm::NONE
};
